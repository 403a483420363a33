"""Where the tokens of a text are in it, and the places that decoding them does not give back."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import I32, I64, U32

Ids = U32
"""Token ids as an array, shape (number of tokens,)."""

Offsets = I64 | I32
"""Places in a text, in bytes unless said otherwise."""


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """The tokens of a text, and where each one is in it: token i covers bytes [starts[i], ends[i]).

    Tokens are in the order of the text: neither ``starts`` nor ``ends`` ever falls. But they need not join.
    Between two tokens there may be bytes that belong to none (white space that a family drops); a token may
    cover nothing (a space that a family puts in front); and tokens may share bytes (one character of the text
    that became three others).

    Attributes:
        ids: shape (n,).
        starts, ends: shape (n,), in bytes of UTF-8.
    """

    ids: Ids
    starts: Offsets
    ends: Offsets

    @staticmethod
    def of_lengths(ids: npt.ArrayLike, lengths: npt.NDArray[np.integer]) -> Placement:
        """Tokens that follow one another from the text's beginning on: their ids, and how long each is.

        >>> Placement.of_lengths([7, 8], np.array([2, 1])).starts.tolist()
        [0, 2]
        """
        ends = np.cumsum(lengths, dtype=np.int64)
        return Placement(np.asarray(ids, np.uint32), ends - lengths, ends)

    @staticmethod
    def join(parts: Iterable[tuple[int, Placement]]) -> Placement:
        """The tokens of parts that follow one another: (bytes of the part, its tokens).

        >>> part = Placement(np.array([7], dtype=np.uint32), np.array([0]), np.array([2]))
        >>> Placement.join([(3, part), (2, part)]).starts.tolist()
        [0, 3]
        """
        begin = 0
        ids: list[Ids] = [np.zeros(0, np.uint32)]
        edges: list[I64] = [np.zeros((2, 0), np.int64)]
        for n_bytes, part in parts:
            ids.append(part.ids)
            edges.append(np.array([part.starts, part.ends], np.int64) + begin)
            begin += n_bytes
        return Placement(np.concatenate(ids), *np.concatenate(edges, axis=1))


@dataclass(frozen=True, slots=True)
class Loss:
    """A place of a text that decoding does not give back: bytes [start, end), and what it gives instead.

    ``start == end``: decoding puts something there that was not in the text.
    """

    start: int
    end: int
    became: str


def find_losses(
    text: str, placed: Placement, given_back: Sequence[bytes], unknown_id: int | None = None
) -> list[Loss]:
    """The places of a text that decoding its tokens does not give back.

    Each token is compared with the text that it covers. A space that it is given back with but does not cover
    is compared with what stands beside it and belongs to no token.

    Args:
        text: well formed.
        placed: its tokens.
        given_back: the bytes that each token gives back; they join to the decoded text.
        unknown_id: the token for what is not in the vocabulary, which has no letter in common with that.

    >>> placed = Placement(np.array([7, 8, 9, 0]), np.array([0, 0, 0, 4]), np.array([2, 2, 2, 5]))
    >>> for loss in find_losses("½  x", placed, [b"1", "⁄".encode(), b"2", b" ?"]):
    ...     print(loss)
    Loss(start=0, end=2, became='1⁄2')
    Loss(start=2, end=4, became=' ')
    Loss(start=4, end=5, became='?')
    """
    data, decoded = text.encode("utf-8"), b"".join(given_back)
    if data == decoded:
        return []
    typed, back = (np.append(np.frombuffer(each, np.uint8), 0) for each in (data, decoded))
    starts, ends = (np.asarray(edges, np.int64) for edges in (placed.starts, placed.ends))
    lengths = np.fromiter(map(len, given_back), np.int64, len(given_back))
    back_ends = np.cumsum(lengths, dtype=np.int64)
    back_starts = back_ends - lengths
    goes_on = back[back_starts] & 0xC0 == 0x80  # it begins within a character that another token began
    goes_on[:1] = False
    has_front = goes_on | (back[back_starts] == _SPACE) & (typed[starts] != _SPACE)
    has_end = (back[back_ends - 1] == _SPACE) & (typed[ends - 1] != _SPACE)
    befores = np.append(0, ends)[:-1]
    afters = np.append(starts, len(data))[1:]
    starts = np.where(has_front, np.minimum(starts, befores), starts)
    ends = np.where(has_end, np.maximum(ends, afters), ends)
    befores = np.append(0, ends)
    afters = np.append(starts, len(data))
    is_same = (starts >= befores[:-1]) & (ends <= afters[1:]) & (lengths == ends - starts)
    # The bytes of all tokens that may be the same are compared at once.
    tokens = np.repeat(np.arange(len(lengths)), lengths)
    at = np.flatnonzero(is_same[tokens])
    differs = typed[at + (starts - back_starts)[tokens[at]]] != back[at]
    is_same[tokens[at][differs]] = False

    places = [(int(befores[gap]), int(afters[gap]), "") for gap in np.flatnonzero(befores < afters).tolist()]
    last = -1
    for odd in np.flatnonzero(~is_same).tolist():
        if odd <= last:
            continue
        first = last = odd
        while goes_on[first]:
            first -= 1
        while last + 1 < len(starts) and (goes_on[last + 1] or starts[last + 1] < ends[last]):
            last += 1  # they share bytes
        start = int(starts[first])
        was = data[start : int(ends[last])].decode("utf-8", "surrogateescape")
        became = decoded[int(back_starts[first]) : int(back_ends[last])].decode("utf-8", "replace")
        is_unknown = unknown_id in placed.ids[first : last + 1].tolist()
        for begin, end, new in _differences(was, became, is_unknown):
            places.append((start + begin, start + end, new))
    places.sort(key=lambda place: place[:2])
    return [Loss(*place) for place in places]


_SPACE = ord(" ")
_MOST_COMPARED = 200  # characters that are compared with one another, in a time that grows with their square


def _differences(was: str, became: str, is_unknown: bool) -> list[tuple[int, int, str]]:
    """Where two texts differ: (start, end) in the first one, in bytes, and what is there in the other.

    >>> _differences("  Cafe\u0301", " café", False)
    [(0, 2, ' '), (2, 3, 'c'), (5, 8, 'é')]
    """
    spaces = len(was) - len(was.lstrip())
    rest = became.lstrip()
    # White space is compared with white space alone.
    if 0 < spaces < len(was) and len(rest) < len(became) != len(was):
        start = len(was[:spaces].encode("utf-8", "surrogateescape"))
        white = became[: len(became) - len(rest)]
        behind = [
            (start + begin, start + end, new)
            for begin, end, new in _differences(was[spaces:], rest, is_unknown)
        ]
        return behind if was[:spaces] == white else [(0, start, white), *behind]
    front = len(os.path.commonprefix([was, became]))
    most = min(len(was), len(became)) - front
    back = min(len(os.path.commonprefix([was[::-1], became[::-1]])), most)
    old = was[front : len(was) - back]
    new = became[front : len(became) - back]
    changes = [(0, len(old), new)] if old or new else []
    if old and new and not is_unknown and len(old) + len(new) <= _MOST_COMPARED:
        changes = _compare(old, new)

    def byte_at(char: int) -> int:
        return len(was[: front + char].encode("utf-8", "surrogateescape"))

    return [(byte_at(start), byte_at(end), text) for start, end, text in changes]


@functools.lru_cache(maxsize=10_000)
def _compare(old: str, new: str) -> list[tuple[int, int, str]]:
    """Small changes that make one text of another: (start, end) in characters, and what comes in."""
    if len(old) == len(new):  # letter by letter
        return [(at, at + 1, new[at]) for at in range(len(old)) if old[at] != new[at]]
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i, j, new[k:m]) for kind, i, j, k, m in steps if kind != "equal"]
