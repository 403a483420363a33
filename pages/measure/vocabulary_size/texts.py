"""The texts that the page Vocabulary size can measure on, and the curves of each, worked out once."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import tokenizers as tk
from pages.grow.train.bench import list_grown
from pages.session.catalogue import LEARNED, begin, find_text, long_texts, own_titles, short_texts
from pages.session.last_used import LastUsed
from pages.session.own_texts import is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from tokenizers.askers import BusyError, NobodyWaitsError
from tokenizers.data import (
    DOCS,
    count_bytes,
    list_models,
    part_sources,
    read_bundled,
    utf8_length,
    weigh,
    weighed_bytes,
)
from tokenizers.encoding import Encoding
from tokenizers.utf8 import first_bytes

MAX_BYTES = 1000 << 10
"""If a text is longer, only its beginning is measured, and the page says so."""

HELD = "held:"
NONE = "none"
DEFAULT_TEXT = DOCS


@dataclass(frozen=True)
class Text:
    """A text to measure on.

    Attributes:
        key: of the choice.
        title: what to call it, in the midst of a sentence.
        text: its beginning, up to ``MAX_BYTES``.
        all_bytes: how long the whole of it is.
        digest: equal for equal texts.
        sources: the keys of what it is made of, as in a ``Recipe``.
    """

    key: str
    title: str
    text: str
    all_bytes: int
    digest: str
    sources: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its title at the beginning of a line."""
        return begin(self.key, self.title)

    @property
    def n_bytes(self) -> int:
        """Bytes that are measured."""
        return count_bytes([self.text])

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning is measured."""
        return self.all_bytes > MAX_BYTES


def list_texts(workspace: Workspace) -> dict[str, str]:
    """Every text that can be chosen: key: title. The long ones first, and all languages by name at the end.

    All of the catalogue is here: of the longest texts, the beginning is measured.
    """
    titles = {key: text.title for key, text in long_texts().items()}
    for name, recipe in _own_recipes(workspace).items():
        titles[LEARNED + name] = f"what {name} learned from"
        if recipe.held_out:
            titles[HELD + name] = f"what was held out from {name}"
    titles |= own_titles(workspace.own_texts, titles.values())
    return titles | {key: text.title for key, text in short_texts().items()}


def get_text(workspace: Workspace, key: str) -> Text:
    """The text of that key.

    Args:
        workspace: of the session.
        key: one of ``list_texts``.

    Raises:
        OSError: its files are not there. ValueError: no such text.
    """
    if is_own_key(key):
        own = workspace.own_texts.get(key)
        if own is None:
            raise ValueError("This text of your own is no longer here. Choose another one.")
        head = _beginning(key, list_texts(workspace)[key], own.text[: MAX_BYTES + 1])
        return dataclasses.replace(head, all_bytes=own.n_bytes)
    if key.startswith((LEARNED, HELD)):
        kind, _, name = key.partition(":")
        recipes = _own_recipes(workspace)
        if name in recipes:
            return _of_recipe(key, name, recipes[name], held=kind == "held")
        if name not in list_models() or kind == "held":
            raise ValueError(f"There is no text of {name}. Choose another one.")
    return _bundled(key)


@functools.lru_cache(maxsize=24)
def _bundled(key: str) -> Text:
    text = find_text(key)
    return dataclasses.replace(_beginning(key, text.in_sentence, text.read()), sources=text.sources)


@functools.lru_cache(maxsize=8)
def _of_recipe(key: str, name: str, recipe: Recipe, *, held: bool) -> Text:
    """What an encoding of the session's own was grown from, or what was kept from it."""
    chosen = [read_bundled(part, weight) for part, weight in recipe.weighted_parts]
    parts = part_sources(chosen, recipe.held_out, recipe.held_from)
    sources = [(part.held, 1.0) if held else (part.read, part.times) for part in parts]
    lengths = [weighed_bytes(count_bytes(texts), weight) for texts, weight in sources]
    total = sum(lengths)
    share = min(1.0, MAX_BYTES / max(1, total))
    heads = [
        _take(weigh(texts, weight), int(length * share))
        for (texts, weight), length in zip(sources, lengths, strict=True)
    ]
    title = f"what was held out from {name}" if held else f"what {name} learned from"
    keys = tuple(part for part, _ in recipe.weighted_parts)
    return dataclasses.replace(_beginning(key, title, _join(heads)), all_bytes=total, sources=keys)


def _take(texts: Iterable[str], most: int) -> str:
    """The beginning of the texts, up to ``most`` bytes."""
    parts: list[str] = []
    for text in texts:
        if most <= 0:
            break
        parts.append(first_bytes(text, most))
        most -= utf8_length(text)
    return _join(parts)


def _join(texts: Iterable[str]) -> str:
    """The texts below each other, each from the start of a line."""
    texts = list(filter(None, texts))
    return "".join(text if text.endswith("\n") else text + "\n" for text in texts[:-1]) + "".join(texts[-1:])


def _beginning(key: str, title: str, text: str) -> Text:
    head = first_bytes(text, MAX_BYTES)
    return Text(key, title, head, utf8_length(text), hashlib.sha256(head.encode("utf-8")).hexdigest(), (key,))


def _own_recipes(workspace: Workspace) -> dict[str, Recipe]:
    """The session's encodings whose texts are still at hand: name: recipe."""
    recipes = {name: each.recipe for name, each in list_grown().items() if name in workspace.grown}
    return {name: recipe for name, recipe in recipes.items() if recipe is not None and recipe.is_bundled}


# Curves


def _curves(_: Encoding) -> LastUsed[str, tk.SizeCurve | ValueError]:
    """An encoding's curves, or why it has none, by the text's digest."""
    return LastUsed(16)


def why_no_curve(encoding: Encoding) -> str | None:
    """Why an encoding has no curve, as a sentence; None: it has one."""
    if encoding.has_merges:
        return None
    if encoding.not_drawn:
        return f"{encoding.without_trees()} Its size is {encoding.n_vocab:,} tokens, and there is no curve."
    return (
        f"{encoding.name} has no merges, so it cannot be cut to a smaller vocabulary: its size is "
        f"{encoding.n_vocab:,} tokens, and there is no curve."
    )


def why_no_drag(encoding: Encoding) -> str | None:
    """Why an encoding cannot be cut by the slider, as a sentence; None: it can."""
    if encoding.joining is not None:
        return (
            f"{encoding.name} merges characters, not bytes, so its cuts cannot be dragged here. Its curve is "
            "above, and Merge trees replays its merges."
        )
    return why_no_curve(encoding)


def can_drag(workspace: Workspace, name: str) -> bool:
    """Whether the encoding of that name is there and can be cut by the slider."""
    try:
        return why_no_drag(workspace.encoding(name)) is None
    except (ValueError, OSError):
        return False


def has_curve(workspace: Workspace, name: str) -> bool:
    """Whether the encoding of that name is there and can be cut to smaller vocabularies."""
    try:
        return why_no_curve(workspace.encoding(name)) is None
    except (ValueError, OSError):
        return False


def curve_of(encoding: Encoding, text: Text) -> tk.SizeCurve:
    """The text's count of tokens at each vocabulary size; shared by all sessions, remembered for a while.

    Raises:
        ValueError: an encoding that cannot be cut to smaller ones, or that takes too long; says which.
        NobodyWaitsError, BusyError: it did not come to an end; it is worked out when it is asked for again.
    """
    known = encoding.kept(_curves)
    curve = known.get(text.digest)
    if curve is None:
        try:
            curve = tk.counts_by_size(encoding, text.text)
        except (NobodyWaitsError, BusyError):
            raise
        except ValueError as problem:  # once is enough: it may have been a pattern that ran out of time
            curve = ValueError(f"{encoding.name} has no curve on {text.title}: {problem}")
        known.put(text.digest, curve)
    if isinstance(curve, ValueError):
        raise curve.with_traceback(None)
    return curve
