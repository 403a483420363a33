"""The texts of the page Vocabulary size, and what is measured on them: curves, and cuts at every size."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.session.catalogue import LEARNED, catalogue, find_text, own_titles
from pages.session.own_texts import OwnTexts, is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from tokenizers.data import (
    DOCS,
    Source,
    count_bytes,
    part_sources,
    read_bundled,
    utf8_length,
    weigh,
    weighed_bytes,
)
from tokenizers.utf8 import first_bytes

MAX_CURVE_BYTES = 1000 << 10
"""If a text is longer, only its beginning is measured, and the page says so."""

HELD = "held:"
NONE = "none"
MINE = "own-all"
"""The key of all added texts together, which no link holds: where it is opened, they are others."""
DEFAULT_TEXT = DOCS


@dataclass(frozen=True)
class Text:
    """A text to measure.

    Attributes:
        key: its key in the choosers and in links.
        title: its name within a sentence.
        parts: the beginnings of its parts, up to ``MAX_CURVE_BYTES`` together. Each is encoded by itself.
        all_bytes: the length of the whole text, in bytes.
        sources: the keys of its sources, as in a ``Recipe``.
    """

    key: str
    title: str
    parts: tuple[str, ...]
    all_bytes: int
    sources: tuple[str, ...] = ()

    @property
    def n_bytes(self) -> int:
        """The number of measured bytes."""
        return sum(map(utf8_length, self.parts))


def list_texts(workspace: Workspace) -> dict[str, str]:
    """The titles of all texts to choose from, by key: the session's own first, all languages at the end."""
    titles = {key: text.title for key, text in catalogue().items()}
    learned = {}
    for name, recipe in _recipes(workspace).items():
        learned[LEARNED + name] = f"What {name} learned from"
        if recipe.held_out:
            learned[HELD + name] = f"What was held out from {name}"
    own = own_titles(workspace.own_texts, learned.values())
    n_own = len(workspace.own_texts.uploaded)
    together = {MINE: f"My {n_own} texts together"} if n_own > 1 else {}
    return together | own | learned | titles


def get_text(workspace: Workspace, key: str) -> Text:
    """The text of that key.

    Args:
        workspace: the session's workspace.
        key: one of ``list_texts``.

    Raises:
        OSError: its files are missing. ValueError: there is no such text.
    """
    own = workspace.own_texts
    title = list_texts(workspace).get(key)
    if title and is_own_key(key):
        chosen = own.uploaded if key == MINE else [own[key]]
        keys = tuple(text.key for text in chosen)
        return _beginning_of_each(key, title, [((text.text,), 1.0) for text in chosen], keys)
    name = key.partition(":")[2]
    if title and (recipe := _recipes(workspace).get(name)):
        digests = workspace.own_encodings[name].own_digests
        return _of_recipe(key, title[:1].lower() + title[1:], recipe, digests, own)
    return _bundled(key)


@functools.lru_cache(maxsize=24)
def _bundled(key: str) -> Text:
    text = find_text(key)
    return _beginning_of_each(key, text.in_sentence, [((text.read(),), 1.0)], text.sources)


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _of_recipe(key: str, title: str, recipe: Recipe, digests: dict[str, str], _own: OwnTexts) -> Text:
    """The training text of an own encoding, or the text held out from it."""
    chosen = [
        Source(part, (_own[part].text,), weight) if part in digests else read_bundled(part, weight)
        for part, weight in recipe.weighted_parts
    ]
    parts = part_sources(chosen, recipe.held_out)
    is_held = key.startswith(HELD)
    sources = [(part.held, 1.0) if is_held else (part.read, part.times) for part in parts]
    return _beginning_of_each(key, title, sources, tuple(part for part, _ in recipe.weighted_parts))


def _beginning_of_each(
    key: str, title: str, sources: Sequence[tuple[Sequence[str], float]], keys: tuple[str, ...]
) -> Text:
    """The beginning of each source, up to ``MAX_CURVE_BYTES`` together. A source: texts and their weight."""
    lengths = [weighed_bytes(count_bytes(texts), weight) for texts, weight in sources]
    share = min(1.0, MAX_CURVE_BYTES / max(1, sum(lengths)))
    parts = []
    for (texts, weight), length in zip(sources, lengths, strict=True):
        room = int(length * share)
        for text in weigh(texts, weight):
            if room <= 0:
                break
            parts.append(first_bytes(text, room))
            room -= utf8_length(text)
    return Text(key, title, tuple(filter(None, parts)), sum(lengths), keys)


def _recipes(workspace: Workspace) -> dict[str, Recipe]:
    """The recipes of the session's encodings by name, unless one of its own texts has changed or is gone."""
    return {
        name: each.recipe
        for name, each in workspace.own_encodings.items()
        if each.recipe and workspace.own_texts.unchanged(each.own_digests).keys() == each.own_digests.keys()
    }
