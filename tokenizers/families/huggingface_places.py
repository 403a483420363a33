"""Where tokens are in a text that a normaliser changes, beyond what Hugging Face's engine says of it."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
    n_in_front = len(joined) - len(data)
    if joined not in (data, b" " + data):
        return None
    edges = np.cumsum([0, *map(len, tokens)], dtype=np.int64)
    return np.maximum(edges - n_in_front, 0)


def join_with_spaces(tokens: list[bytes], data: bytes) -> I64 | None:
    """Where tokens begin and end whose bytes join to ``data``, but for spaces that were put in front of some.

    >>> join_with_spaces([b"\\n", b" ", b"a"], b"\\na").tolist()
    [0, 1, 1, 2]
    """
    edges = [0]
    for token in tokens:
        at = edges[-1]
        own = token if data.startswith(token, at) else token.removeprefix(b" ")
        if not data.startswith(own, at):
            return None
        edges.append(at + len(own))
    return np.array(edges, np.int64) if edges[-1] == len(data) else None


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
    _cover_gaps(text_map.data, starts, ends, changes, joins_ascii)
    if not text_map.is_ascii:
        _cover_marks(text_map, starts, ends, changes)


def _cover_gaps(data: bytes, starts: I64, ends: I64, changes: Changes, joins_ascii: bool) -> None:
    """Widen tokens over the bytes beside them that belong to no token and were joined with theirs."""
    share = functools.lru_cache(10_000)(functools.partial(_share_gap, changes))
    gap_starts = np.append(0, ends)
    gap_ends = np.append(starts, len(data))
    for token_after in np.flatnonzero(gap_starts < gap_ends).tolist():
        begin = int(gap_starts[token_after])
        stop = int(gap_ends[token_after])
        gap = data[begin:stop]
        if not joins_ascii and gap.isascii():
            continue
        left = data[max(0, begin - _CONTEXT) : begin]
        right = data[stop : stop + _CONTEXT]
        shares = share(
            left.decode("utf-8", "ignore"),
            gap.decode("utf-8", "ignore"),
            right.decode("utf-8", "ignore"),
        )
        if shares.to_left:
            first = np.searchsorted(ends, begin)
            ends[first:token_after] = begin + shares.to_left
        if shares.to_right:
            behind = np.searchsorted(starts, stop, "right")
            starts[token_after:behind] = stop - shares.to_right


def _cover_marks(text_map: TextMap, starts: I64, ends: I64, changes: Changes) -> None:
    """Let tokens cover all of a character and its marks where these change places."""
    reorders = functools.lru_cache(10_000)(functools.partial(_reorder, changes))
    for marked in _MARKED.finditer(text_map.text):
        if reorders(marked[0]):
            begin, stop = map(int, text_map.byte_of_char[list(marked.span())])
            _move_edges(starts, begin, stop, to=begin)
            _move_edges(ends, begin, stop, to=stop)


def _move_edges(edges: I64, begin: int, stop: int, *, to: int) -> None:
    """Move the edges within these bytes to a place."""
    first = np.searchsorted(edges, begin, "right")
    after = np.searchsorted(edges, stop)
    edges[first:after] = to


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


class _Shares(NamedTuple):
    """Bytes of a gap that became one with what is before it, and with what is behind."""

    to_left: int
    to_right: int


def _share_gap(changes: Changes, left: str, gap: str, right: str) -> _Shares:
    """How much of what belongs to no token became one with what is before it, and with what is behind.

    >>> _share_gap([lambda text: text.replace("``", '"')], "a", " `", "`b")
    _Shares(to_left=0, to_right=1)
    """
    n_left = n_right = 0
    if _join(changes, left, gap):
        n_left = _most_chars(len(gap), lambda n: _join(changes, left + gap[: n - 1], gap[n - 1]))
    rest = gap[n_left:]
    if _join(changes, rest, right):
        n_right = _most_chars(
            len(rest), lambda n: _join(changes, rest[-n], rest[len(rest) - n + 1 :] + right)
        )
    if not n_left and not n_right and _join(changes, left[-1:] + gap, right):
        n_right = len(gap)  # what is put in front of a text has taken the first character of what is joined
    return _Shares(
        to_left=utf8_length(gap[:n_left]),
        to_right=utf8_length(rest[len(rest) - n_right :]),
    )


def _most_chars(limit: int, are_joined: Callable[[int], bool]) -> int:
    """The largest number of characters that are joined; 0: none are."""
    return next(filter(are_joined, range(min(limit, _LONGEST_JOINED), 0, -1)), 0)
