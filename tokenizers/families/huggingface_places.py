"""Where tokens are in a text that a normaliser changes, beyond what Hugging Face's engine says of it."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import regex

from ..arrays import I64
from ..text.text_map import TextMap
from ..utf8 import utf8_length


def join_exactly(tokens: list[Any], data: bytes) -> I64 | None:
    """Where tokens begin and end whose bytes join to ``data``, or to ``data`` with a space in front.

    >>> join_exactly([b" a", b"b"], b"ab").tolist()
    [0, 1, 2]
    """
    joined = b"".join(tokens)
    in_front = len(joined) - len(data)
    if in_front not in (0, 1) or joined != b" " * in_front + data:
        return None
    return np.maximum(np.cumsum([0, *map(len, tokens)], dtype=np.int64) - in_front, 0)


def join_with_spaces(tokens: list[bytes], data: bytes) -> I64 | None:
    """Where tokens begin and end whose bytes join to ``data``, but for spaces that were put in front of some.

    >>> join_with_spaces([b"\\n", b" ", b"a"], b"\\na").tolist()
    [0, 1, 1, 2]
    """
    edges = [0]
    for token in tokens:
        own = token if data.startswith(token, edges[-1]) else token.removeprefix(b" ")
        if not data.startswith(own, edges[-1]):
            return None
        edges.append(edges[-1] + len(own))
    return np.array(edges, dtype=np.int64) if edges[-1] == len(data) else None


_MARKED = regex.compile(r".\P{ccc=0}+", regex.DOTALL)
"""A character and the marks on it, which a normal form may put in another order."""

_CONTEXT = 16
"""Bytes on either side of what belongs to no token that tell what became of it."""

_LONGEST_JOINED = 32
"""Characters that a normaliser joins to one beside them, or fewer."""

Changes = Sequence[Callable[[str], str]]
"""What each step of a normaliser makes of a part of a text."""


def cover_sources(
    text_map: TextMap,
    starts: I64,
    ends: I64,
    changes: Changes,
    *,
    joins_ascii: bool,
) -> None:
    """Let tokens cover all that they came from.

    Of what a normaliser joins, the library tells the first character's place; of what it replaces, the last
    one's; of marks that it puts in order, the places as if it had not.

    Args:
        text_map: the text.
        starts, ends: of its tokens; changed.
        changes: the normaliser's.
        joins_ascii: whether it may join characters of ASCII.

    >>> starts, ends = np.array([0, 1]), np.array([1, 2])
    >>> nfc = functools.partial(unicodedata.normalize, "NFC")
    >>> cover_sources(TextMap("ae\u0301"), starts, ends, [nfc], joins_ascii=False)
    >>> ends.tolist()
    [1, 4]
    """
    data = text_map.data
    share = functools.lru_cache(10_000)(functools.partial(_share_gap, changes))
    befores = np.append(0, ends)
    afters = np.append(starts, len(data))
    for after_it in np.flatnonzero(befores < afters).tolist():  # the index of the token after it
        begin, stop = int(befores[after_it]), int(afters[after_it])
        if not joins_ascii and data[begin:stop].isascii():
            continue
        parts = data[max(0, begin - _CONTEXT) : begin], data[begin:stop], data[stop : stop + _CONTEXT]
        to_left, to_right = share(*(part.decode("utf-8", "ignore") for part in parts))
        if to_left:
            ends[np.searchsorted(ends, begin) : after_it] = begin + to_left
        if to_right:
            starts[after_it : np.searchsorted(starts, stop, "right")] = stop - to_right
    reorders = functools.lru_cache(10_000)(functools.partial(_reorder, changes))
    for marked in _MARKED.finditer(text_map.text) if not text_map.is_ascii else ():
        if reorders(marked[0]):
            begin, stop = map(int, text_map.byte_of_char[list(marked.span())])
            for edges, to in (starts, begin), (ends, stop):
                edges[np.searchsorted(edges, begin, "right") : np.searchsorted(edges, stop)] = to


def _reorder(changes: Changes, marked: str) -> bool:
    """Whether a character's marks change places.

    >>> nfc = functools.partial(unicodedata.normalize, "NFC")
    >>> _reorder([nfc], "a\u0301\u0323"), _reorder([nfc], "a\u0323\u0301"), _reorder([], "a\u0301\u0323")
    (True, False, False)
    """
    apart = "".join(unicodedata.normalize("NFKD", char) for char in marked)
    classes = list(map(unicodedata.combining, apart[1:]))
    return classes != sorted(classes) and _join(changes, marked[0], marked[1:])


def _join(changes: Changes, left: str, right: str) -> bool:
    """Whether two parts of a text become something else side by side than each by itself.

    >>> _join([str.lower], "A", "B"), _join([lambda text: text.replace("ab", "c"), str.lower], "a", "b")
    (False, True)
    """
    for change in changes:
        both = change(left + right)
        left, right = change(left), change(right)
        if both != left + right:
            return True
    return False


def _share_gap(changes: Changes, left: str, gap: str, right: str) -> tuple[int, int]:
    """How many bytes of what belongs to no token became one with what is before it, and with what is behind.

    >>> _share_gap([lambda text: text.replace("``", '"')], "a", " `", "`b")
    (0, 1)
    """
    lengths = range(min(len(gap), _LONGEST_JOINED), 0, -1) if _join(changes, left, gap) else ()
    joined = next((n for n in lengths if _join(changes, left + gap[: n - 1], gap[n - 1])), 0)
    rest = gap[joined:]
    lengths = range(min(len(rest), _LONGEST_JOINED), 0, -1) if _join(changes, rest, right) else ()
    kept = next((n for n in lengths if _join(changes, rest[-n], rest[len(rest) - n + 1 :] + right)), 0)
    if not joined and not kept and _join(changes, left[-1:] + gap, right):
        kept = len(gap)  # what is put in front of a text has taken the first character of what is joined
    return utf8_length(gap[:joined]), utf8_length(rest[len(rest) - kept :])
