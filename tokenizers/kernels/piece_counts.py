"""A corpus by its unique pieces: counted in a hash table that is a handful of arrays.

    slots    .  k2  .  .  k0  .  k1  .     at a piece's hash, or in the next free slot: its key, which is the
             .  2   .  .  0   .  1   .     piece itself if it is short, and its number

               0       1         2      the unique pieces, numbered as they came
    pool     t h e | _ c a t | _ s a t  their bytes, one after the other
    ends   0       3         7       11 where each ends in the pool, after a 0
    counts     2       1         1      how often each was seen
    firsts     0       3         7      where each occurs first: the smallest offset in the corpus

A kernel lets no array grow: it stops when one is full, and ``PieceCounts`` makes room.

A corpus is read in batches, which several threads split and count at once. Each thread counts into a table of
its own, and in the end the tables are added up. Neither the order of the threads nor the batches change the
result: a sum and a smallest offset are the same in any order, and a text is cut only where the pattern would
cut it anyway, whatever is on the other side (``patterns.SAFE_CUT``). Only the pieces' numbers depend on the
threads; ``in_order`` numbers them by the corpus.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..arrays import I64, Bytes
from ..split.patterns import cut_safely
from ..utf8 import utf8_of
from . import kernel
from .scanning import SCANNERS, character_classes, scan, word_at

Array = TypeVar("Array", Bytes, I64)

FREE = 0  # no piece has this key
PAST = 8  # bytes that may be read after the last piece
LONG = -(1 << 63)  # the bit that is set in the keys of long pieces
MULTIPLIER = -0x61C8864680B583EB  # odd, and its bits are as good as random


class Table(NamedTuple):
    """The arrays of the table: twice as many slots, at least, as there can be pieces; of two numbers each."""

    slots: I64
    pool: Bytes
    ends: I64
    counts: I64
    firsts: I64


class PieceCounts:
    """The unique pieces of a corpus, and how often each one occurs.

    Args:
        room: for how many pieces to make room at first; a power of two.

    >>> pieces = PieceCounts()
    >>> data = np.frombuffer(bytearray(b"the cat the") + bytes(PAST), dtype=np.uint8)
    >>> pieces.add(data, edges=np.array([0, 3, 7, 8, 11]), counts=np.ones(4, np.int64), firsts=np.arange(4))
    >>> pieces.as_dict()
    {b'the': 2, b' cat': 1, b' ': 1}
    """

    def __init__(self, room: int = 1 << 12) -> None:
        self.n_pieces = 0
        self._table = Table(
            slots=_empty_slots(room),
            pool=np.zeros(4 * room + PAST, dtype=np.uint8),
            ends=np.zeros(room + 1, dtype=np.int64),
            counts=np.zeros(room, dtype=np.int64),
            firsts=np.zeros(room, dtype=np.int64),
        )

    @classmethod
    def from_pairs(cls, pairs: Collection[tuple[bytes, int]]) -> PieceCounts:
        """Pieces that were counted elsewhere, in their order."""
        counts = cls()
        counts.n_pieces = len(pairs)
        pool = np.frombuffer(bytearray().join([*(piece for piece, _ in pairs), bytes(PAST)]), dtype=np.uint8)
        ends = np.cumsum([0, *(len(piece) for piece, _ in pairs)], dtype=np.int64)
        times = np.array([count for _, count in pairs], dtype=np.int64)
        counts._table = Table(_empty_slots(0), pool=pool, ends=ends, counts=times, firsts=ends[:-1])
        return counts

    @property
    def pool(self) -> Bytes:
        """The bytes of all unique pieces, one after the other."""
        return self._table.pool[: self.ends[-1]]

    @property
    def ends(self) -> I64:
        """A 0, then where each piece ends in the pool, shape (n_pieces + 1,)."""
        return self._table.ends[: self.n_pieces + 1]

    @property
    def counts(self) -> I64:
        """How often each piece occurs, shape (n_pieces,)."""
        return self._table.counts[: self.n_pieces]

    @property
    def firsts(self) -> I64:
        """The offset in the corpus of each piece's first occurrence, shape (n_pieces,)."""
        return self._table.firsts[: self.n_pieces]

    @property
    def n_bytes(self) -> int:
        """The bytes of the whole corpus."""
        return int((np.diff(self.ends) * self.counts).sum())

    def as_dict(self) -> dict[bytes, int]:
        """The pieces as bytes, with their counts."""
        pool, ends = self.pool.tobytes(), self.ends.tolist()
        pieces = (pool[start:end] for start, end in zip(ends, ends[1:], strict=False))
        return dict(zip(pieces, self.counts.tolist(), strict=True))

    def add(self, data: Bytes, edges: I64, counts: I64, firsts: I64) -> None:
        """Count the pieces of ``data``, of which number i is data[edges[i]:edges[i + 1]].

        Args:
            data: the pieces, and ``PAST`` more bytes behind the last one.
            edges: where the first piece begins, then where each one ends.
            counts: how often each piece counts.
            firsts: the offset of each one in the corpus.
        """
        done = 0
        while done < len(counts):
            done, self.n_pieces = count(data, edges, counts, firsts, done, self._table, self.n_pieces)
            if done < len(counts):
                self._make_room(int(edges[done + 1] - edges[done]))

    def absorb(self, other: PieceCounts) -> None:
        """Add the counts of ``other``, which saw other parts of the corpus."""
        self.add(other.pool, other.ends, other.counts, other.firsts)

    def order_by_endings(self) -> I64:
        """The numbers of the pieces, sorted by their last eight bytes, the very last one first."""
        words = np.ndarray(len(self.pool) + 1, np.int64, self._table.pool, strides=(1,))
        return np.argsort(words[np.maximum(self.ends[1:] - 8, 0)])

    def in_order(self) -> PieceCounts:
        """The same pieces in the order of their first occurrence in the corpus."""
        order = np.argsort(self.firsts, kind="stable")
        lengths = np.diff(self.ends)[order]
        ordered = PieceCounts()
        ordered.n_pieces = self.n_pieces
        ends = np.concatenate([[0], np.cumsum(lengths)])
        where = np.repeat(self.ends[:-1][order] - ends[:-1], lengths) + np.arange(len(self.pool))
        ordered._table = Table(
            _empty_slots(0),
            np.append(self.pool[where], np.zeros(PAST, np.uint8)),
            ends,
            self.counts[order],
            self.firsts[order],
        )
        return ordered

    def _make_room(self, length: int) -> None:
        """Make room for a piece of that length, doubling the arrays that are full."""
        table = self._table
        if self.n_pieces == len(table.counts):
            slots = _empty_slots(2 * self.n_pieces)
            fill(table.slots, slots)
            table = table._replace(
                slots=slots,
                ends=_longer(table.ends, 2 * self.n_pieces + 1),
                counts=_longer(table.counts, 2 * self.n_pieces),
                firsts=_longer(table.firsts, 2 * self.n_pieces),
            )
        full = int(table.ends[self.n_pieces])
        if full + length + PAST > len(table.pool):
            table = table._replace(pool=_longer(table.pool, 2 * full + length + PAST))
        self._table = table


def _empty_slots(n_pieces: int) -> I64:
    return np.zeros((2 * n_pieces, 2), dtype=np.int64)


def _longer(array: Array, size: int) -> Array:
    longer = np.empty(size, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


@kernel
def count(
    data: Bytes, edges: I64, counts: I64, firsts: I64, done: int, table: Table, n_pieces: int
) -> tuple[int, int]:
    """Count the pieces from number ``done`` on.

    Returns:
        How many of the pieces are counted now, and how many unique ones there are. The first is less
        than ``len(counts)`` if there was no room for the next piece.
    """
    for i in range(done, len(counts)):
        number = number_of(data, edges[i], edges[i + 1], firsts[i], table, n_pieces)
        if number < 0:
            return i, n_pieces
        n_pieces = max(n_pieces, number + 1)
        table.counts[number] += counts[i]
    return len(counts), n_pieces


@kernel
def number_of(data: Bytes, start: int, stop: int, first: int, table: Table, n_pieces: int) -> Any:
    """The number of the piece data[start:stop], which is new or known; -1: there is no room for it.

    Args:
        first: its offset in the corpus; batches come in any order.
    """
    key = key_of(data, start, stop)
    slot = find_slot(data, start, stop, key, table)
    if table.slots[slot, 0] == FREE:
        if not has_room(stop - start, table, n_pieces):
            return np.int64(-1)
        add(data, start, stop, first, table, n_pieces)
        table.slots[slot, 0], table.slots[slot, 1] = key, n_pieces
    number = table.slots[slot, 1]
    table.firsts[number] = min(table.firsts[number], first)
    return number


@kernel
def find_slot(data: Bytes, start: int, stop: int, key: int, table: Table) -> int:
    """The slot of the piece data[start:stop], or the free one where it belongs."""
    slot = first_slot(key, table.slots)
    while table.slots[slot, 0] != FREE and not (
        table.slots[slot, 0] == key and (key > 0 or is_piece(data, start, stop, table, table.slots[slot, 1]))
    ):
        slot = slot + 1 if slot + 1 < len(table.slots) else 0
    return slot


@kernel
def has_room(length: int, table: Table, n_pieces: int) -> bool:
    """Whether a new piece of that length fits into the arrays."""
    return n_pieces < len(table.counts) and table.ends[n_pieces] + length + PAST <= len(table.pool)


@kernel
def add(data: Bytes, start: int, stop: int, first: int, table: Table, n_pieces: int) -> None:
    """Write the piece data[start:stop] behind the others, with a count of 0."""
    begin = table.ends[n_pieces]
    for i in range(stop - start):
        table.pool[begin + i] = data[start + i]
    table.ends[n_pieces + 1] = begin + stop - start
    table.counts[n_pieces] = 0
    table.firsts[n_pieces] = first


@kernel
def is_piece(data: Bytes, start: int, stop: int, table: Table, number: int) -> bool:
    """Whether data[start:stop], of eight bytes or more, is the piece of that number."""
    begin = table.ends[number]
    if table.ends[number + 1] - begin != stop - start:
        return False
    for i in range(0, stop - start - 8, 8):
        if word_at(table.pool, begin + i) != word_at(data, start + i):
            return False
    return word_at(table.pool, begin + stop - start - 8) == word_at(data, stop - 8)


@kernel
def key_of(data: Bytes, start: int, stop: int) -> Any:
    """A number for a piece: up to seven bytes and how many they are; of a longer piece, a hash below 0."""
    length: Any = np.int64(stop - start)
    if length < 8:
        return word_at(data, start) & ((1 << 8 * length) - 1) | length << 56
    key = length
    for i in range(start, stop - 8, 8):
        key = (key ^ word_at(data, i)) * MULTIPLIER
        key ^= key >> 32
    return (key ^ word_at(data, stop - 8)) * MULTIPLIER | LONG


@kernel
def first_slot(key: int, slots: I64) -> int:
    """Where the table looks for a key first: its upper bits, mixed, as a share of the slots."""
    return ((key * MULTIPLIER >> 32) & 0xFFFFFFFF) * len(slots) >> 32


@kernel
def fill(old_slots: I64, slots: I64) -> None:
    """Put all pieces from the old slots into the new ones."""
    for old in range(len(old_slots)):
        if old_slots[old, 0] != FREE:
            slot = first_slot(old_slots[old, 0], slots)
            while slots[slot, 0] != FREE:
                slot = slot + 1 if slot + 1 < len(slots) else 0
            slots[slot, 0], slots[slot, 1] = old_slots[old, 0], old_slots[old, 1]


BATCH = 1 << 18
"""Characters that a thread gets at a time."""

MAX_THREADS = 4
"""Beyond these, reading the texts takes longer than counting them."""


def count_pieces(
    texts: Iterable[str], name: str, cancel: Callable[[], bool] | None = None, threads: int | None = None
) -> PieceCounts:
    """The unique pieces of the texts under a named pattern; in no order when there are several threads.

    Args:
        texts: the corpus; no piece reaches over two texts.
        name: of the pattern: gpt2, gpt4, gpt4o.
        cancel: asked before each batch; when it says True, the rest is not counted.
        threads: how many; None: as many as the machine has cores for us, up to ``MAX_THREADS``.

    >>> count_pieces(["the cat", "the hat"], "gpt4").as_dict()
    {b'the': 2, b' cat': 1, b' hat': 1}
    """
    counters = [PieceCounter(name) for _ in range(threads or min(MAX_THREADS, os.cpu_count() or 1))]
    idle: SimpleQueue[PieceCounter] = SimpleQueue()
    for counter in counters:
        idle.put(counter)

    def work(counter: PieceCounter, number: int, batch: list[str]) -> None:
        try:
            counter.count(number, batch)
        finally:
            idle.put(counter)

    running: list[Future[None]] = []
    with ThreadPoolExecutor(len(counters)) as pool:
        for number, batch in enumerate(iter_batches(texts)):
            if cancel and cancel():
                break
            running.append(pool.submit(work, idle.get(), number, batch))
    for future in running:
        future.result()  # raises what the thread raised
    total, *others = (counter.pieces for counter in counters)
    for other in others:
        total.absorb(other)
    return total


def iter_batches(texts: Iterable[str], size: int = BATCH) -> Iterator[list[str]]:
    """The texts, some at a time, with long ones cut at safe places: ``size`` characters or some more each.

    >>> list(iter_batches(["one two three", "four"], 5))
    [['one two'], [' three'], ['four']]
    """
    batch: list[str] = []
    n_chars = 0
    for part in itertools.chain.from_iterable(cut_safely(text, size) for text in texts):
        batch.append(part)
        n_chars += len(part)
        if n_chars >= size:
            yield batch
            batch = []
            n_chars = 0
    if batch:
        yield batch


class PieceCounter:
    """One thread's part: its table, with room for the pieces of 10 MB, and its scratch space."""

    def __init__(self, name: str, room: int = 1 << 17) -> None:
        self.pieces = PieceCounts(room)
        self._scanner = SCANNERS[name]
        self._ends = np.empty(1 << 16, dtype=np.int64)

    def count(self, number: int, batch: list[str]) -> None:
        """Count the pieces of the batch of that number."""
        encoded = [utf8_of(text) for text in batch]
        data = np.frombuffer(bytearray().join([*encoded, bytes(PAST)]), dtype=np.uint8)
        text_ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        del encoded
        offset = number << 40  # so that offsets follow the order of the batches
        start = 0
        while start < len(data) - PAST:
            n_pieces = scan(data, text_ends, start, self._scanner, character_classes(), self._ends)
            edges = np.append(start, self._ends[:n_pieces])
            self.pieces.add(data, edges, np.ones(n_pieces, np.int64), offset + edges[:-1])
            start = int(edges[-1])
