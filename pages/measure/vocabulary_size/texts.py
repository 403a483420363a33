"""The texts of the page Vocabulary size, and what is measured on them: curves, and cuts at every size."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.session.catalogue import LEARNED, catalogue, find_text, own_titles
from pages.session.own_texts import OwnTexts, is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared.colours import css_hue_in
from pages.shared.components import newest_message, register
from tokenizers.bpe import cuts_by_size, size_range
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
from tokenizers.description import why_no_trees
from tokenizers.encoding import Encoding
from tokenizers.registry import short_title
from tokenizers.text import TextMap, isolate
from tokenizers.utf8 import first_bytes, well_formed

MAX_CURVE_BYTES = 1000 << 10
"""If a text is longer, only its beginning is measured, and the page says so."""

HELD = "held:"
NONE = "none"
MINE = "own-all"
"""The key of all added texts together; like those of own texts, it does not travel in a link."""
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
    learned: dict[str, str] = {}
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
    parts: list[str] = []
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


# Curves


def why_no_curve(encoding: Encoding, *, dragged: bool = False) -> str:
    """Why an encoding cannot be cut to smaller vocabularies, as a sentence; empty: it can.

    Args:
        encoding: the encoding.
        dragged: whether the browser cuts the text.
    """
    if dragged and encoding.joining is not None:
        return (
            f"{encoding.name} merges characters, not bytes, so it cannot be cut here. See its curve above, "
            "or its merges on Merge trees."
        )
    if encoding.has_merges:
        return ""
    if encoding.not_drawn:
        return f"{why_no_trees(encoding)} So it has no curve, only one size: {encoding.n_tokens:,} tokens."
    return (
        f"{encoding.name} has no merges, so it has no smaller vocabularies and no curve: its size is "
        f"{encoding.n_tokens:,} tokens."
    )


_SCRUBBER = "scrubber"
SCRUBBED_BYTES = 10_000
"""If a text is longer, only its beginning is cut, encoded by itself."""

_mount = register("scrubber")


def beginning_of(text: str, most: int = SCRUBBED_BYTES) -> str:
    """The start of a text, up to a limit of bytes; it ends with a line, if one ends in the last fifth.

    >>> beginning_of("first line\\nsecond", 12), beginning_of("h\\u00e9llo", 2), beginning_of("abc", 3)
    ('first line\\n', 'h', 'abc')
    """
    text = well_formed(text[: most + 1])
    head = first_bytes(text, most)
    if len(head) == len(text):
        return head
    end = head.rfind("\n") + 1
    return head[:end] if end > len(head) * 4 // 5 else head


def scrub_data(workspace: Workspace, text: str, names: Sequence[str], note: str, size: int) -> dict[str, Any]:
    """The data with which the component cuts a text at every size.

    Args:
        workspace: the session's workspace.
        text: up to ``SCRUBBED_BYTES``.
        names: the names of the encodings.
        note: a note about the text.
        size: the first vocabulary size.
    """
    text_map = TextMap(text)
    stands: list[dict[str, Any]] = []
    smallest = 256
    for name in names:
        stand: dict[str, Any] = {"name": name, "title": short_title(name), "hue": css_hue_in(workspace, name)}
        try:
            encoding = workspace.find_encoding(name)
            if problem := why_no_curve(encoding, dragged=True):
                raise ValueError(problem)
            seen = TextMap(encoding.seen(text_map.text))
            if seen.text != text_map.text:  # the encoding rewrites the text first
                stand |= _describe_text(seen)
            gone = cuts_by_size(encoding, text_map.text).astype("<u4")
            least, full = size_range(encoding)
            stand |= {"full": full, "gone": _base64(gone.tobytes())}
            stand["byte_ids"] = [encoding.ordinary[bytes([byte])] for byte in range(256)]
            stand["first_id"] = encoding.merging.first_id if encoding.merging else 0
            smallest = max(smallest, least)
        except (ValueError, OSError) as error:
            stand["problem"] = str(error)
        stands.append(stand)
    data = {**_describe_text(text_map), "smallest": smallest, "stands": stands, "note": note}
    revision = hashlib.sha256(repr(sorted(data.items())).encode()).hexdigest()[:16]
    return {**data, "revision": revision, "size": size}


def _describe_text(text_map: TextMap) -> dict[str, Any]:
    """The bytes of a text, and its graphemes of several characters."""
    return {"bytes": _base64(text_map.data), "clusters": text_map.cluster_lengths.tolist()}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def draw_scrubber(workspace: Workspace, text: Text, names: Sequence[str], size: int) -> int:
    """Draw the scrubber; returns the vocabulary size that the user dragged to."""
    message = newest_message(_SCRUBBER)
    if message is not None and isinstance(message.get("size"), int):
        size = int(message["size"])
    head = beginning_of("".join(text.parts))
    n_bytes = len(head.encode("utf-8"))
    if n_bytes < text.all_bytes:
        first = f"The first {n_bytes:,} of {text.all_bytes:,} bytes of {isolate(text.title)}"
        note = f"{first}, encoded by themselves."
    else:
        note = f"All {n_bytes:,} bytes of {isolate(text.title)}."
    _mount(data=scrub_data(workspace, head, names, note, size), key=_SCRUBBER, on_message_change=lambda: None)
    return size
