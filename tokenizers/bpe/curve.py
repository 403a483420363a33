"""One text at every vocabulary size: how many tokens it has, and where its cuts are.

Take away all tokens but the first V, and what is left is again an encoding, with a vocabulary of V.
One encode of a text with all tokens is enough to know what each of those smaller encodings makes of it:

    V from    gpt2
       256    t|h|e|_|c|a|t
       259    t|he|_|c|a|t       h|e is merge 258    (_ stands for a space)
       266    t|he|_|c|at        a|t is merge 265
       270    t|he|_c|at
     1,170    the|_c|at
     3,798    the|_cat

**Why that is exact.** An encoder joins, as long as it can, the two neighbours of the lowest rank. With
fewer tokens it does the same merges in the same order, until the first one of rank V or above, and there
it stops: nothing lower was left to do. So a cut is gone once V is above the ranks of its merge and of all
merges that had to come before it. And because nothing merges across a
cut that stays, every token can be looked at alone, once, however often a text has it.

**The exception.** tiktoken looks up a piece that is a token, and merges only the others. If the
merges behind a token have higher ranks than itself, or never arrive there, then a piece with its
bytes is one token from an earlier size on than the same bytes inside a longer piece. Even so, cuts only ever
disappear as V grows. No encoding that comes with the app has such a token; ranks
made in other ways than by training can have them.

**A size** V, here and in ``measure/cost.py``, counts ordinary tokens: those with ids below V. Special tokens
are left out, and in the text they are plain text. ``vocab_size``, everywhere else, counts them too.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checks import check_encoding, check_numbers, check_whole_number
from ..encoding import Encoding, Ids
from ..text.spans import Spans
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .merge_counts import counts_by_merges
from .merge_rule import last_middle, merging_of, stops_at

Sizes = npt.NDArray[np.int64]
"""Vocabulary sizes, or token counts, one for each of something."""

_NEVER = 1 << 40  # more than any vocabulary size
_REMEMBERED_BYTES = 256  # cuts of longer tokens are not remembered: a hostile file could have many


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """How many tokens a text has at each vocabulary size, in a compact form.

    Attributes:
        n_bytes: bytes of UTF-8 of the text.
        full: the size of the whole vocabulary, in tokens.
        sizes: the sizes at which the count changes, rising, shape (n,); [0] is the smallest
            vocabulary: the 256 bytes, and the single characters where pieces merge.
        counts: tokens from that size on, falling, shape (n,).
    """

    n_bytes: int
    full: int
    sizes: Sizes
    counts: Sizes

    @property
    def smallest(self) -> int:
        """The smallest vocabulary: the bytes alone."""
        return int(self.sizes[0])

    def at(self, size: int) -> int:
        """Tokens of the text with a vocabulary of that size.

        Raises:
            ValueError: more tokens than there are, or fewer than the bytes.

        >>> from tokenizers import get_encoding
        >>> curve = counts_by_size(get_encoding("gpt2"), "the cat")
        >>> [curve.at(size) for size in (256, 258, 259, 50_256)]
        [7, 7, 6, 2]
        """
        _check_size(size, self.smallest, self.full)
        return int(self.at_sizes([size])[0])

    def at_sizes(self, sizes: Sequence[int] | Sizes) -> Sizes:
        """As ``at``, for many sizes at once, shape (len(sizes),); beyond the full size, its count.

        Raises:
            ValueError: fewer tokens than the bytes.

        >>> from tokenizers import get_encoding
        >>> counts_by_size(get_encoding("gpt2"), "the cat").at_sizes([256, 259, 99_999]).tolist()
        [7, 6, 2]
        """
        asked = check_numbers(sizes, "sizes")
        if asked.size and int(asked.min()) < self.smallest:
            raise ValueError(
                f"There is no vocabulary of {int(asked.min()):,} tokens here: the smallest has "
                f"{self.smallest:,}."
            )
        return self.counts[np.searchsorted(self.sizes, asked, side="right") - 1]

    def bytes_per_token(self, size: int) -> float:
        """The compression at that size; 0 for an empty text.

        Raises:
            ValueError: more tokens than there are, or fewer than the bytes.

        >>> from tokenizers import get_encoding
        >>> counts_by_size(get_encoding("gpt2"), "the cat").bytes_per_token(50_256)
        3.5
        """
        return self.n_bytes / max(1, self.at(size))


def counts_by_size(encoding: Encoding, text: str) -> SizeCurve:
    """How many tokens ``text`` has when only the first V tokens are there, for every V, exactly.

    It takes one encode of the text, and each distinct token in it is taken apart once.

    Args:
        encoding: any byte pair encoding, tiktoken's and SentencePiece's too.
        text: any text; special tokens in it are plain text.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> curve = counts_by_size(get_encoding("gpt2"), "the cat")
    >>> curve.sizes.tolist(), curve.counts.tolist()
    ([256, 259, 266, 270, 1170, 3798], [7, 6, 5, 4, 3, 2])
    """
    check_encoding(encoding, "encoding")
    if encoding.joining is not None:
        return encoding.joining.curve(text, encoding.encode_array(text))
    ladder = _ladder(encoding)
    merges = merging_of(encoding).known_merges
    if merges is not None:
        counts = counts_by_merges(encoding, merges, text)
        changes = np.flatnonzero(np.diff(counts)) + 1
        at = np.concatenate(([0], changes))
        return SizeCurve(int(counts[0]), ladder.full, at + ladder.smallest, counts[at])
    tokens = _take_apart(encoding, ladder, text)
    n_bytes = int(tokens.times @ (tokens.lengths + 1))
    times = np.repeat(tokens.times, tokens.lengths)
    falls = np.bincount(tokens.gone, weights=times, minlength=ladder.smallest + 1).astype(np.int64)
    counts = n_bytes - np.cumsum(falls)
    changes = ladder.smallest + 1 + np.flatnonzero(falls[ladder.smallest + 1 :])
    sizes = np.concatenate(([ladder.smallest], changes))
    return SizeCurve(len(well_formed(text).encode("utf-8")), ladder.full, sizes, counts[sizes])


def cuts_by_size(encoding: Encoding, text: str) -> Sizes:
    """For each place in a text, the size from which on it is not a cut, shape (bytes + 1,).

    With a vocabulary of size V there is a cut at byte i if ``cuts_by_size(...)[i] > V``. Where the
    full vocabulary still has a cut (and at both ends of the text) that is its size + 1. Places are those
    in the text that the encoding cuts (``Encoding.seen``).

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> cuts_by_size(get_encoding("gpt2"), "the cat").tolist()
    [50257, 1170, 259, 50257, 270, 3798, 266, 50257]
    """
    ladder = _ladder(encoding)
    tokens = _take_apart(encoding, ladder, text)
    stays = ladder.full + 1
    # Each token's places inside, and its end.
    ends = np.cumsum(tokens.lengths)
    gone = np.insert(tokens.gone, ends, stays)
    sizes = np.empty(1 + int((tokens.lengths + 1)[tokens.places].sum()), dtype=np.int64)
    sizes[0] = stays
    _spread(gone, tokens.lengths + 1, tokens.places, sizes[1:])
    return sizes


def cut_at_size(encoding: Encoding, text: str | TextMap, size: int) -> Spans:
    """The tokens of a text with a vocabulary of that size, with their ids and places.

    Raises:
        ValueError: an encoding without merges, or that cuts another text than this (``Encoding.seen``); more
            tokens than there are, or fewer than the bytes.


    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> spans = cut_at_size(gpt2, "the cat", 1000)
    >>> [gpt2.token_bytes(token_id) for token_id in spans.ids.tolist()], spans.starts.tolist()
    ([b't', b'he', b' c', b'at'], [0, 1, 3, 5])
    """
    text_map = text if isinstance(text, TextMap) else TextMap(text)
    ladder = _ladder(encoding)
    _check_size(size, ladder.smallest, ladder.full)
    tokens = _take_apart(encoding, ladder, text_map.text)
    ranks = merging_of(encoding).mergeable_ranks
    parts: list[int] = []  # of each distinct token
    lengths = np.empty(len(tokens.distinct), dtype=np.int64)
    stays = tokens.gone > size
    end = 0
    for number, (token_id, length) in enumerate(
        zip(tokens.distinct.tolist(), tokens.lengths.tolist(), strict=True)
    ):
        data = encoding.token_bytes(token_id)
        begin, end = end, end + length
        edges = [0, *(np.flatnonzero(stays[begin:end]) + 1).tolist(), len(data)]
        parts += [ranks[data[start:stop]] for start, stop in itertools.pairwise(edges)]
        lengths[number] = len(edges) - 1
    ids = np.empty(int(lengths[tokens.places].sum()), dtype=np.uint32)
    _spread(np.array(parts, dtype=np.uint32), lengths, tokens.places, ids)
    if encoding.seen(text_map.text) != text_map.text:
        raise ValueError(
            f"{encoding.name} reads this text in another way than it is written. Cut what it sees."
        )
    return Spans(text_map, encoding, ids)


def smallest_size(encoding: Encoding) -> int:
    """The smallest vocabulary that an encoding can be cut to: its bytes.

    Raises:
        ValueError: an encoding without merges.
    """
    return _ladder(encoding).smallest


def full_size(encoding: Encoding) -> int:
    """The size of an encoding's whole vocabulary without its special tokens, as this module counts.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> full_size(get_encoding("gpt2")), full_size(get_encoding("o200k_base"))
    (50256, 199998)
    """
    return _ladder(encoding).full


def forget(encoding: Encoding) -> None:
    """Forget what is known about the encoding's tokens, so that a benchmark can time the first call."""
    encoding.forget(_Ladder)


def _check_size(size: int, smallest: int, full: int) -> None:
    check_whole_number(size, "size")
    if not smallest <= size <= full:
        raise ValueError(
            f"There is no vocabulary of {size:,} tokens here: choose from {smallest:,} to {full:,}."
        )


# What is known of an encoding's tokens


class _Ladder:
    """For each token, the size from which it exists; for each place inside it, the size that removes the cut.

    Tokens are taken apart when a text has them, and remembered. Several threads may do so at once: they get
    the same result.
    """

    def __init__(self, encoding: Encoding) -> None:
        pairs = merging_of(encoding, "it cannot be cut to a smaller vocabulary")
        self._encoding = weakref.ref(encoding)
        self._ranks = ranks = pairs.mergeable_ranks
        self._first_size = 1 - pairs.first_id  # a token is there from the size of its rank + 1 on
        of_bytes = max(ranks[bytes([byte])] for byte in range(256)) + self._first_size
        self.smallest = max(of_bytes, pairs.n_letters)
        merges = pairs.known_merges
        self.full = max(ranks.values()) + self._first_size if merges is None else 256 + len(merges)
        self._from: dict[int, int] = {}  # the size from which merges make the token
        self._parts: dict[int, tuple[int, ...]] = {}
        # for each place inside: the size from which it is not a cut
        self._inner: dict[int, tuple[int, ...]] = {}
        # tokens that tiktoken looks up at smaller sizes than merges reach them
        self.looked_up_early: set[int] = set()

    def learn(self, token_id: int) -> None:
        """Take a token apart, and what it is made of."""
        encoding = self._encoding()
        assert encoding is not None  # the caller holds it
        stack = [token_id]
        while stack:
            current = stack[-1]
            if current in self._from:
                stack.pop()
                continue
            if encoding.is_special(current):  # found in every text, whole at every size
                self._inner[current] = (0,) * (int(encoding.byte_lengths[current]) - 1)
                self._from[current] = 0
                continue
            parts = self._parts.get(current)
            if parts is None:
                parts = self._parts[current] = self._find_parts(encoding, current)
            missing = [part for part in parts if part not in self._from]
            if missing:
                stack += missing
                continue
            stack.pop()
            self._remember(encoding, current, parts)

    def _find_parts(self, encoding: Encoding, token_id: int) -> tuple[int, ...]:
        merges = merging_of(encoding).known_merges
        if merges is not None:
            return merges[token_id - 256] if token_id >= 256 else ()
        data = encoding.token_bytes(token_id)
        if len(data) == 1:
            return ()
        middle = last_middle(data, self._ranks)
        if middle:
            return self._ranks[data[:middle]], self._ranks[data[middle:]]
        return stops_at(encoding, data)

    def _remember(self, encoding: Encoding, token_id: int, parts: tuple[int, ...]) -> None:
        stands: int = 0
        inner: tuple[int, ...] | None = ()
        if parts:
            size = token_id + self._first_size
            stands = max(size, *(self._from[part] for part in parts)) if len(parts) == 2 else _NEVER
            if stands > size:
                self.looked_up_early.add(token_id)
            inner = None
            if int(encoding.byte_lengths[token_id]) <= _REMEMBERED_BYTES:
                first, *rest = (self._inner[part] for part in parts)
                inner = first + tuple(itertools.chain.from_iterable((stands, *more) for more in rest))
        if inner is not None:
            self._inner[token_id] = inner
        self._from[token_id] = stands  # set last: a thread that sees this entry sees the others too

    def inner(self, token_id: int, *, is_whole: bool = False) -> Sequence[int]:
        """For each place inside a token: the size from which it is not a cut, shape (bytes - 1,).

        Args:
            token_id: an ordinary token that can arise.
            is_whole: whether it is a whole piece, which tiktoken looks up.
        """
        if token_id not in self._from:
            self.learn(token_id)
        sizes: Sequence[int] | None = self._inner.get(token_id)
        if sizes is None:
            sizes = self._inner_of_long(token_id)
        if is_whole and token_id in self.looked_up_early:
            return [min(size, token_id + self._first_size) for size in sizes]
        return sizes

    def _inner_of_long(self, token_id: int) -> list[int]:
        sizes: list[int] = []
        stack = [(token_id, 0)]  # a token, and the size from which it is merged with what is before it
        while stack:
            current, before = stack.pop()
            if before:
                sizes.append(before)
            known = self._inner.get(current)
            if known is not None:
                sizes += known
                continue
            first, *rest = self._parts[current]
            stack += [(part, self._from[current]) for part in reversed(rest)]
            stack.append((first, 0))
        return sizes


def _ladder(encoding: Encoding) -> _Ladder:
    check_encoding(encoding, "encoding")
    return encoding.kept(_Ladder)


# A text as its distinct tokens


@dataclass(frozen=True, slots=True)
class _Apart:
    """The tokens of a text, each distinct one taken apart.

    A token that tiktoken looks up earlier than merges make it counts twice: as a whole piece, and otherwise.

    Attributes:
        distinct: the ids of the distinct tokens, shape (m,).
        times: how often each one occurs, shape (m,).
        lengths: places inside each one, a byte fewer than it has, shape (m,).
        gone: for each place in each distinct token: from which size it is no cut, shape (sum of lengths,).
        places: for each token of the text: which of the distinct ones it is, shape (n,).
    """

    distinct: Sizes
    times: Sizes
    lengths: Sizes
    gone: Sizes
    places: Sizes


def _take_apart(encoding: Encoding, ladder: _Ladder, text: str) -> _Apart:
    ids = encoding.encode_array(text)
    keys = ids.astype(np.int64) * 2
    present = np.flatnonzero(np.bincount(ids)).tolist()
    for token_id in present:
        ladder.learn(token_id)
    if not ladder.looked_up_early.isdisjoint(present):
        keys += _are_whole_pieces(encoding, ids, text)
    times = np.bincount(keys)
    distinct = np.flatnonzero(times)
    place_of_key = np.zeros(len(times), dtype=np.int64)
    place_of_key[distinct] = np.arange(len(distinct))
    inner = [ladder.inner(key >> 1, is_whole=bool(key & 1)) for key in distinct.tolist()]
    lengths = np.fromiter(map(len, inner), dtype=np.int64, count=len(inner))
    gone = np.fromiter(itertools.chain.from_iterable(inner), dtype=np.int64, count=int(lengths.sum()))
    return _Apart(distinct >> 1, times[distinct], lengths, gone, place_of_key[keys])


def _are_whole_pieces(encoding: Encoding, ids: Ids, text: str) -> npt.NDArray[np.bool_]:
    """For each token of a text, whether it is a whole piece."""
    assert encoding.splitting is not None  # as all that merge bytes
    lengths = [len(piece.encode("utf-8")) for piece in encoding.splitting.pieces(text)]
    ends = np.cumsum(encoding.byte_lengths[ids], dtype=np.int64)
    starts = ends - encoding.byte_lengths[ids]
    is_wall = np.zeros(int(ends[-1]) + 1, dtype=np.bool_)
    is_wall[np.cumsum([0, *lengths])] = True
    inside = np.cumsum(is_wall)  # walls up to each place, to see whether one is within a token
    whole: npt.NDArray[np.bool_] = is_wall[starts] & is_wall[ends] & (inside[ends] - inside[starts] == 1)
    return whole


_SPREAD_AT_ONCE = 1 << 16  # tokens; what is needed for them on the way is as large as their part


def _spread(values: npt.NDArray[Any], lengths: Sizes, places: Sizes, spread: npt.NDArray[Any]) -> None:
    """Write a run of ``values`` for each of ``places``, one after the other, into ``spread``.

    Args:
        values: the runs, one after the other.
        lengths: of each run.
        places: which run, again and again.
        spread: what is written.

    >>> spread = np.zeros(5, dtype=np.int64)
    >>> _spread(np.array([7, 8, 9]), np.array([2, 1]), np.array([0, 1, 0]), spread)
    >>> spread.tolist()
    [7, 8, 9, 7, 8]
    """
    begins = np.cumsum(lengths) - lengths
    written = 0
    for first in range(0, len(places), _SPREAD_AT_ONCE):
        part = places[first : first + _SPREAD_AT_ONCE]
        ends = np.cumsum(lengths[part])
        total = int(ends[-1])
        shift = begins[part] - (ends - lengths[part])
        spread[written : written + total] = values[np.arange(total) + np.repeat(shift, lengths[part])]
        written += total
