"""Where the tokens of a text are in it, and the places that decoding them does not give back."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .arrays import I32, I64, U8, U32, Flags

Ids = U32
"""Token ids as an array, shape (number of tokens,)."""

FewIds = tuple[int, ...]
"""The ids of a few tokens, such as the parts of one."""

Frame = tuple[FewIds, FewIds]
"""The ids that are put in front of a text, and behind it."""

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
        starts: list[I64] = [np.zeros(0, np.int64)]
        ends: list[I64] = [np.zeros(0, np.int64)]
        for n_bytes, part in parts:
            ids.append(part.ids)
            starts.append(part.starts.astype(np.int64) + begin)
            ends.append(part.ends.astype(np.int64) + begin)
            begin += n_bytes
        return Placement(np.concatenate(ids), np.concatenate(starts), np.concatenate(ends))


@dataclass(frozen=True, slots=True)
class Loss:
    """A place of a text that decoding does not give back: bytes [start, end), and what it gives instead.

    ``start == end``: decoding puts something there that was not in the text.
    """

    start: int
    end: int
    became: str

    def moved(self, n_bytes: int) -> Loss:
        """The same place in a text that begins so many bytes earlier."""
        return Loss(self.start + n_bytes, self.end + n_bytes, self.became)


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
    data = text.encode()
    decoded = b"".join(given_back)
    if data == decoded:
        return []
    lengths = np.fromiter(map(len, given_back), np.int64, len(given_back))
    back_ends = np.cumsum(lengths, dtype=np.int64)
    back = _Stretches.of(decoded, back_ends - lengths, back_ends)
    first_bytes = back.codes[back.starts]
    goes_on = first_bytes & 0xC0 == 0x80  # it begins within a character that another token began
    goes_on[:1] = False
    typed = _with_spaces(_Stretches.of(data, placed.starts, placed.ends), back, goes_on)
    # Of each token the gap in front of it, and the one behind the last.
    gap_starts = np.append(0, typed.ends)
    gap_ends = np.append(typed.starts, len(data))
    shares_bytes = gap_starts > gap_ends
    stands_alone = ~shares_bytes[:-1] & ~shares_bytes[1:]
    is_same = stands_alone & _has_same_bytes(typed, back)
    goes_with = np.append(goes_on[1:] | shares_bytes[1:-1], False)

    losses: list[Loss] = []
    for gap in np.flatnonzero(gap_starts < gap_ends).tolist():
        losses.append(Loss(int(gap_starts[gap]), int(gap_ends[gap]), became=""))
    for first, last in _runs_of_odd(is_same, goes_on, goes_with):
        was = typed.bytes_of(first, last).decode("utf-8", "surrogateescape")
        became = back.bytes_of(first, last).decode("utf-8", "replace")
        is_unknown = unknown_id in placed.ids[first : last + 1].tolist()
        start = int(typed.starts[first])
        losses += [loss.moved(start) for loss in _differences(was, became, is_unknown)]
    losses.sort(key=lambda loss: (loss.start, loss.end))
    return losses


class _Stretches(NamedTuple):
    """Of each token, a stretch [start, end) of bytes; ``codes`` are all bytes and a 0 behind them."""

    data: bytes
    codes: U8
    starts: I64
    ends: I64

    @classmethod
    def of(cls, data: bytes, starts: Offsets, ends: Offsets) -> _Stretches:
        codes = np.append(np.frombuffer(data, np.uint8), np.uint8(0))
        return cls(data, codes, starts.astype(np.int64), ends.astype(np.int64))

    def bytes_of(self, first: int, last: int) -> bytes:
        """The bytes from the first of these tokens to the last."""
        start = int(self.starts[first])
        end = int(self.ends[last])
        return self.data[start:end]


def _with_spaces(typed: _Stretches, back: _Stretches, goes_on: Flags) -> _Stretches:
    """The stretches of a text, with what is free beside those whose tokens are given back with a space."""
    begins_with_space = back.codes[back.starts] == _SPACE
    ends_with_space = back.codes[back.ends - 1] == _SPACE
    gains_front = begins_with_space & (typed.codes[typed.starts] != _SPACE)
    gains_end = ends_with_space & (typed.codes[typed.ends - 1] != _SPACE)
    end_before = np.append(0, typed.ends)[:-1]
    start_after = np.append(typed.starts, len(typed.data))[1:]
    from_before = np.minimum(typed.starts, end_before)
    to_after = np.maximum(typed.ends, start_after)
    return typed._replace(
        starts=np.where(goes_on | gains_front, from_before, typed.starts),
        ends=np.where(gains_end, to_after, typed.ends),
    )


def _has_same_bytes(typed: _Stretches, back: _Stretches) -> Flags:
    """Which tokens are given back as they stand in the text. All their bytes are compared at once."""
    lengths = back.ends - back.starts
    is_same: Flags = lengths == typed.ends - typed.starts
    token_of = np.repeat(np.arange(len(lengths)), lengths)
    places = np.flatnonzero(is_same[token_of])
    tokens = token_of[places]
    shift = (typed.starts - back.starts)[tokens]
    differs = typed.codes[places + shift] != back.codes[places]
    is_same[tokens[differs]] = False
    return is_same


def _runs_of_odd(is_same: Flags, goes_on: Flags, goes_with: Flags) -> Iterator[tuple[int, int]]:
    """The first and the last token of each run that is compared together: it has one that is not the same.

    Args:
        goes_on: which tokens begin within a character.
        goes_with: which tokens share a character or bytes with the one behind them.
    """
    last = -1
    for odd in np.flatnonzero(~is_same).tolist():
        if odd <= last:
            continue
        first = last = odd
        while goes_on[first]:
            first -= 1
        while goes_with[last]:
            last += 1
        yield first, last


_SPACE = ord(" ")
_MOST_COMPARED = 200  # characters that are compared with one another, in a time that grows with their square


def _differences(was: str, became: str, is_unknown: bool) -> list[Loss]:
    """Where the second text differs from the first one.

    >>> _differences("  Cafe\u0301", " café", False)
    [Loss(start=0, end=2, became=' '), Loss(start=2, end=3, became='c'), Loss(start=5, end=8, became='é')]
    """
    words_were = was.lstrip()
    words_became = became.lstrip()
    spaces_were = was.removesuffix(words_were)
    spaces_became = became.removesuffix(words_became)
    # White space is compared with white space alone.
    if spaces_were and words_were and spaces_became and len(became) != len(was):
        start = _n_bytes(spaces_were)
        losses = [loss.moved(start) for loss in _differences(words_were, words_became, is_unknown)]
        if spaces_were != spaces_became:
            losses.insert(0, Loss(0, start, spaces_became))
        return losses
    front = len(os.path.commonprefix([was, became]))
    old = was[front:]
    new = became[front:]
    back = len(os.path.commonprefix([old[::-1], new[::-1]]))
    old = old[: len(old) - back]
    new = new[: len(new) - back]
    changes: list[Loss] = []  # in characters
    if old and new and not is_unknown and len(old) + len(new) <= _MOST_COMPARED:
        changes = _compare(old, new)
    elif old or new:
        changes = [Loss(0, len(old), new)]
    losses = []
    for change in changes:
        start = _n_bytes(was[: front + change.start])
        end = _n_bytes(was[: front + change.end])
        losses.append(Loss(start, end, change.became))
    return losses


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


@functools.lru_cache(maxsize=10_000)
def _compare(old: str, new: str) -> list[Loss]:
    """Small changes that make one text of another, in characters."""
    changes = []
    if len(old) == len(new):  # letter by letter
        for at, letter in enumerate(new):
            if letter != old[at]:
                changes.append(Loss(at, at + 1, letter))
        return changes
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            changes.append(Loss(start, end, new[new_start:new_end]))
    return changes
