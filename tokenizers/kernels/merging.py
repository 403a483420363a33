"""The merge loop over arrays: no linked list, no hash table, and nothing counted twice.

All unique pieces are in one array, a place for each byte, a wall between two pieces. A token
keeps its id at its first and at its last place, so both neighbours are one look away, however long
they are:

    bytes       #   t   h   e   #   t   h   e   n   #
    ID          #  256  .  101  #  256 256 101 110  #     after the merge t + h -> 256: the id is
                                                          first and last; what lies between is unread
    PAIR        .   7   .   .   .   7   .   8   .   .     number of the pair that starts at a place
    WEIGHT      0   5   5   5   0   2   2   2   2   0     how often the piece occurs in the corpus

Pairs are numbered as they are born, and each knows its places:

    LEFT, RIGHT      of pair 7: 256, 101
    counts           5 + 2
    BEGIN, END       its places: places[BEGIN:END], ascending. Some may be out of date: a pair is still
                     at a place if PAIR says so

Pairs with a new token are born in the merge that makes the token, and never later. Two things follow:

- Which pair is (256, 101)? While 256 is made, its neighbours say: ``WITH_LEFT`` of the token x is the pair
  (x, 256), ``WITH_RIGHT`` of y the pair (256, y). No hash table.
- The places of all pairs born in one merge are known when the merge is done. So they are laid out
  once, side by side, by a counting sort, and never grow.

After its birth, a pair's count only falls and its first place only moves on. So the heap may be lazy:
a key in it is never too good. If the best key is out of date, it is put right and sinks. And most pairs are
so rare that their turn never comes: the heap holds those with a count in some range, and is filled with
those of the range below when it is empty. The range is narrow, so a key is one number:

    heap     (ABOVE - 1 - count) << 40 | tie     tie: left << 20 | right, or where the pair occurs first
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import I32, I64, Bytes
from ..bpe import plain
from ..bpe.merging import Learned, Stopped
from ..memory import trim
from . import kernel
from .piece_counts import PieceCounts

# What is read together is side by side in memory: of a place in the corpus, of a pair, of a token.
ID, PAIR, WEIGHT = range(3)
LEFT, RIGHT, BEGIN, END = range(4)
LENGTH, WITH_LEFT, WITH_RIGHT = range(3)

WALL = -1  # an id, between two pieces
NONE = -1  # a pair, where none starts

MAX_PLACES = 1 << 29
"""Places are numbers of 32 bits, and so are the ends of their lists: up to three times as many, since each
merge takes a place away and brings two births at most."""

BATCH = 4096
"""Merges that a kernel learns at most before it comes back, to report and to be stopped."""

AHEAD = 32
"""Places that a merge looks at before it changes the first of them."""

WORK = 2_000_000
"""Places that it merges at most before it comes back: a few hundredths of a second."""

ID_BITS = 20  # of an id in a key
MAX_TOKENS = 1 << ID_BITS
MAX_RANGE = 1 << (63 - 1 - 2 * ID_BITS)  # of the counts in the heap


class Arrays(NamedTuple):
    """All that a training works on.

    Attributes:
        corpus: the unique pieces, shape (places, 3): ``ID``, ``PAIR`` and ``WEIGHT``.
        pairs: every pair that was ever born, shape (pairs, 4): ``LEFT``, ``RIGHT``, ``BEGIN`` and ``END``.
        counts: of each pair.
        places: the places of all pairs.
        heap: a binary heap of the pairs that could be merged next, shape (pairs, 2): key and pair.
        births: in the merge at hand, in the order of places, shape (births, 2): pair and place; the pairs of
            bytes are not among them, since the corpus says where they are.
        tokens: shape (tokens, 3): ``LENGTH`` in bytes, and the pairs born in it by their other token:
            ``WITH_LEFT`` and ``WITH_RIGHT``.
        learned: the merges of one batch, shape (4, BATCH): left id, right id, count, and by how many tokens
            the corpus became shorter.
        at: the running numbers.
    """

    corpus: I32
    pairs: I32
    counts: I64
    places: I32
    heap: I64
    births: I32
    tokens: I32
    learned: I64
    at: I64


# Where the running numbers are in the array ``at``. Counts in the heap: from LEAST on, and below ABOVE.
TOKENS, PAIRS, POOL, HEAP, BIRTHS, LEAST, ABOVE = range(7)


def fits(pieces: PieceCounts) -> bool:
    """Whether there are so few pieces that the numbers of 32 bits here suffice.

    >>> fits(PieceCounts.from_pairs([(b"ab", 5)])), fits(PieceCounts.from_pairs([(b"ab", 1 << 31)]))
    (True, False)
    """
    most = int(pieces.counts.max(initial=0))
    return len(pieces.pool) + len(pieces.ends) <= MAX_PLACES and most <= np.iinfo(np.int32).max


def iter_learned(pieces: PieceCounts, n_merges: int, tie_rule: int) -> Iterator[Learned]:
    """Some merges at a time, in order.

    Args:
        pieces: the corpus, in the order of first occurrence if the tie rule asks for it.
        n_merges: how many merges to learn at most.
        tie_rule: the number of a ``bpe.plain.TieRule``.

    Raises:
        Stopped: the next token would be too long.

    >>> [pairs for pairs, _, _ in iter_learned(PieceCounts.from_pairs([(b"aaabdaaabac", 1)]), 2, tie_rule=0)]
    [array('q', [97, 97, 97, 98])]
    """
    pool = pieces.pool
    ends = pieces.ends
    counts = pieces.counts
    # Side by side, pieces with the same ending have their pairs at places that are near each other: up to a
    # quarter of the time for merging.
    order = np.arange(len(counts)) if tie_rule == 1 else pieces.order_by_endings()
    del pieces  # the hash table is not needed any more
    trim()
    n_places = len(pool) + len(ends)
    needed = n_places - 2 * len(ends) + 1  # occurrences of pairs: a piece of n bytes has n - 1
    n_pairs = (1 << 16) + 2 * needed  # each merge takes an occurrence away, and brings two births at most
    n_tokens = min(256 + min(n_merges, len(pool)), MAX_TOKENS)  # each merge takes away a token, at least
    arrays = Arrays(  # what is never used takes no memory
        corpus=np.empty((n_places, 3), dtype=np.int32),
        pairs=np.empty((n_pairs, 4), dtype=np.int32),
        counts=np.empty(n_pairs, dtype=np.int64),
        places=np.empty(3 * needed, dtype=np.int32),
        heap=np.empty((n_pairs, 2), dtype=np.int64),
        births=np.empty((2 * needed, 2), dtype=np.int32),
        tokens=np.full((n_tokens, 3), NONE, dtype=np.int32),
        learned=np.empty((4, BATCH), dtype=np.int64),
        at=np.array([256, 0, 0, 0, 0, 0, 0], dtype=np.int64),
    )
    lay_out(pool, ends, counts, order, np.full(1 << 16, NONE, dtype=np.int32), arrays)
    del pool, ends, counts, order  # all is in the arrays now
    trim()
    at = arrays.at
    before = 256
    total = 0
    at[LEAST] = arrays.counts[: at[PAIRS]].max(initial=0) + 1
    while before < n_tokens and (at[HEAP] > 0 or at[LEAST] > 1):
        learn(arrays, tie_rule, min(n_tokens, before + BATCH))
        lengths = arrays.tokens[before : at[TOKENS], LENGTH]
        totals = np.cumsum(lengths, dtype=np.int64) + total
        too_long = np.flatnonzero((lengths > plain.MAX_TOKEN_BYTES) | (totals > plain.MAX_ALL_TOKEN_BYTES))
        n_learned = next(iter(too_long), len(lengths))
        learned = arrays.learned[:, :n_learned]
        yield array("q", learned[:2].T.tobytes()), *learned[2:].copy()
        for i in too_long:
            raise Stopped(f"{plain.why_too_long(lengths[i], totals[i])}. Choose a split pattern")
        before, total = int(at[TOKENS]), total + int(lengths.sum())


@kernel
def lay_out(pool: Bytes, ends: I64, counts: I64, order: I64, numbers: I32, arrays: Arrays) -> None:
    """Write the pieces into the corpus, with a wall before, between and after, and their pairs of bytes.

    Pairs are numbered as they come; ``numbers`` has a place for each two bytes.
    """
    write(0, WALL, 0, arrays)
    place = 1
    for piece in order:
        stop = ends[piece + 1]
        for i in range(ends[piece], stop):
            write(place, pool[i], counts[piece], arrays)
            if i + 1 < stop:
                key = np.int64(pool[i]) << 8 | pool[i + 1]
                if numbers[key] == NONE:
                    numbers[key] = new_pair(pool[i], pool[i + 1], arrays)
                bear(numbers[key], place, arrays)
            place += 1
        write(place, WALL, 0, arrays)
        place += 1
    lay_out_lists(0, arrays)
    for place in range(len(arrays.corpus)):
        if arrays.corpus[place, PAIR] != NONE:
            put(place, arrays.corpus[place, PAIR], arrays)
    for byte in range(256):
        arrays.tokens[byte, LENGTH] = 1


@kernel
def write(place: int, id: int, weight: int, arrays: Arrays) -> None:
    """Write one place of the corpus."""
    arrays.corpus[place, ID] = id
    arrays.corpus[place, PAIR] = NONE
    arrays.corpus[place, WEIGHT] = weight


@kernel
def learn(arrays: Arrays, tie_rule: int, limit: int) -> None:
    """Merge the best pair, again and again, until there are ``limit`` tokens, or much work is done."""
    work = done = 0
    while arrays.at[TOKENS] < limit and work < WORK:
        pair = best_pair(arrays, tie_rule)
        if pair == NONE:
            return
        remove_best(arrays)
        new_id, first_new = arrays.at[TOKENS], arrays.at[PAIRS]
        arrays.learned[0, done] = arrays.pairs[pair, LEFT]
        arrays.learned[1, done] = arrays.pairs[pair, RIGHT]
        arrays.learned[2, done] = arrays.counts[pair]
        arrays.learned[3, done] = merge(pair, new_id, arrays)
        lay_out_lists(first_new, arrays)
        for i in range(arrays.at[BIRTHS]):
            put(arrays.births[i, 1], arrays.births[i, 0], arrays)
        add_frequent(first_new, arrays, tie_rule)
        arrays.at[TOKENS] += 1
        done += 1
        work += arrays.pairs[pair, END] - arrays.pairs[pair, BEGIN]


@kernel
def merge(pair: int, new_id: int, arrays: Arrays) -> int:
    """Merge a pair wherever it occurs, from left to right; returns how many tokens that took away."""
    left, right = arrays.pairs[pair, LEFT], arrays.pairs[pair, RIGHT]
    arrays.tokens[new_id, LENGTH] = arrays.tokens[left, LENGTH] + arrays.tokens[right, LENGTH]
    first_new, end = arrays.at[PAIRS], arrays.pairs[pair, END]
    merged = arrays.at[BIRTHS] = 0
    for begin in range(arrays.pairs[pair, BEGIN], end, AHEAD):
        stop = min(begin + AHEAD, end)
        if is_left(pair, begin, stop, arrays):
            for i in range(begin, stop):
                place = arrays.places[i]
                if arrays.corpus[place, PAIR] == pair:  # no earlier merge, nor this one, took one of the two
                    merge_at(place, pair, new_id, first_new, arrays)
                    merged += arrays.corpus[place, WEIGHT]
    arrays.counts[pair] = 0
    return merged


@kernel
def is_left(pair: int, begin: int, stop: int, arrays: Arrays) -> bool:
    """Whether the pair is still at one of the places; fetches all of them from slow memory at once."""
    n = 0
    for i in range(begin, stop):
        n += arrays.corpus[arrays.places[i], PAIR] == pair
    return n > 0


@kernel
def merge_at(start: int, pair: int, new_id: int, first_new: int, arrays: Arrays) -> None:
    """Merge a pair at one place: the counts of its neighbours fall, and the pairs that come up are noted."""
    middle = start + arrays.tokens[arrays.pairs[pair, LEFT], LENGTH]
    stop = start + arrays.tokens[new_id, LENGTH]
    weight = arrays.corpus[start, WEIGHT]
    before = arrays.corpus[start - 1, ID]
    after = arrays.corpus[stop, ID]
    arrays.corpus[start, ID] = arrays.corpus[stop - 1, ID] = new_id
    arrays.corpus[start, PAIR] = NONE
    if before != WALL:
        place = start - arrays.tokens[before, LENGTH]
        arrays.counts[arrays.corpus[place, PAIR]] -= weight
        if arrays.tokens[before, WITH_LEFT] < first_new:
            arrays.tokens[before, WITH_LEFT] = new_pair(before, new_id, arrays)
        note_birth(arrays.tokens[before, WITH_LEFT], place, arrays)
    if after != WALL:
        arrays.counts[arrays.corpus[middle, PAIR]] -= weight
        if arrays.tokens[after, WITH_RIGHT] < first_new:
            arrays.tokens[after, WITH_RIGHT] = new_pair(new_id, after, arrays)
        note_birth(arrays.tokens[after, WITH_RIGHT], start, arrays)
    arrays.corpus[middle, PAIR] = NONE


@kernel
def new_pair(left: int, right: int, arrays: Arrays) -> int:
    """Number a pair that was never seen before."""
    number = arrays.at[PAIRS]
    arrays.pairs[number, LEFT] = left
    arrays.pairs[number, RIGHT] = right
    arrays.counts[number] = arrays.pairs[number, END] = 0
    arrays.at[PAIRS] = number + 1
    return number


@kernel
def bear(pair: int, place: int, arrays: Arrays) -> None:
    """A pair comes up at a place: until its list is laid out, its end says how long the list will be."""
    arrays.corpus[place, PAIR] = pair
    arrays.counts[pair] += arrays.corpus[place, WEIGHT]
    arrays.pairs[pair, END] += 1


@kernel
def note_birth(pair: int, place: int, arrays: Arrays) -> None:
    """As ``bear``, in a merge, which goes through the places of another pair."""
    bear(pair, place, arrays)
    arrays.births[arrays.at[BIRTHS], 0] = pair
    arrays.births[arrays.at[BIRTHS], 1] = place
    arrays.at[BIRTHS] += 1


@kernel
def lay_out_lists(first_new: int, arrays: Arrays) -> None:
    """Side by side, the lists of the new pairs get the room that they will need."""
    for pair in range(first_new, arrays.at[PAIRS]):
        length = arrays.pairs[pair, END]
        arrays.pairs[pair, BEGIN] = arrays.pairs[pair, END] = arrays.at[POOL]
        arrays.at[POOL] += length


@kernel
def put(place: int, pair: int, arrays: Arrays) -> None:
    """Put a place into the list of its pair; it may have left it again in the same merge."""
    arrays.places[arrays.pairs[pair, END]] = place
    arrays.pairs[pair, END] += 1


@kernel
def add_frequent(first: int, arrays: Arrays, tie_rule: int) -> None:
    """Put the pairs from this one on into the heap, if their counts are in its range."""
    for pair in range(first, arrays.at[PAIRS]):
        if arrays.at[LEAST] <= arrays.counts[pair] < arrays.at[ABOVE]:
            add(key_of(pair, arrays, tie_rule), pair, arrays)


@kernel
def key_of(pair: int, arrays: Arrays, tie_rule: int) -> int:
    """The pair with the smallest key is merged next: the most frequent one; what decides among equally
    frequent ones is ``bpe.plain.TieRule.order``."""
    if tie_rule == 1:  # first
        while arrays.corpus[arrays.places[arrays.pairs[pair, BEGIN]], PAIR] != pair:
            arrays.pairs[pair, BEGIN] += 1  # what is gone stays gone, so each place is passed once
        tie = np.int64(arrays.places[arrays.pairs[pair, BEGIN]])
    else:
        tie = np.int64(arrays.pairs[pair, LEFT]) << ID_BITS | arrays.pairs[pair, RIGHT]
    return (arrays.at[ABOVE] - 1 - arrays.counts[pair]) << (2 * ID_BITS) | tie


@kernel
def best_pair(arrays: Arrays, tie_rule: int) -> int:
    """The pair to be merged next, which is then the first in the heap; NONE if there is none."""
    while arrays.at[HEAP] > 0 or arrays.at[LEAST] > 1:
        if arrays.at[HEAP] == 0:  # go on with the range below, from the next count that there is
            above = most_below(arrays.at[LEAST], arrays) + 1
            arrays.at[ABOVE] = above
            arrays.at[LEAST] = above - min(above // 2, MAX_RANGE)
            add_frequent(0, arrays, tie_rule)
            continue
        pair = arrays.heap[0, 1]
        if arrays.counts[pair] < arrays.at[LEAST]:
            remove_best(arrays)
            continue
        key = key_of(pair, arrays, tie_rule)
        if arrays.heap[0, 0] == key:
            return pair
        sink(key, pair, arrays)
    return NONE


@kernel
def most_below(least: int, arrays: Arrays) -> int:
    """The greatest count of a pair that is below this one."""
    most = 0
    for pair in range(arrays.at[PAIRS]):
        if arrays.counts[pair] < least:
            most = max(most, arrays.counts[pair])
    return most


@kernel
def add(key: int, pair: int, arrays: Arrays) -> None:
    """Put a pair at the end of the heap, and let it rise."""
    i = arrays.at[HEAP]
    arrays.at[HEAP] += 1
    while i > 0 and key < arrays.heap[(i - 1) >> 1, 0]:
        above = (i - 1) >> 1
        arrays.heap[i, 0], arrays.heap[i, 1] = arrays.heap[above, 0], arrays.heap[above, 1]
        i = above
    arrays.heap[i, 0], arrays.heap[i, 1] = key, pair


@kernel
def remove_best(arrays: Arrays) -> None:
    """Take the first pair away: the last one takes its place, and sinks."""
    arrays.at[HEAP] -= 1
    last = arrays.at[HEAP]
    sink(arrays.heap[last, 0], arrays.heap[last, 1], arrays)


@kernel
def sink(key: int, pair: int, arrays: Arrays) -> None:
    """Put a pair in the place of the first one, and let it sink to where it belongs."""
    i = 0
    child = 1
    size = arrays.at[HEAP]
    while child < size:
        if child + 1 < size and arrays.heap[child + 1, 0] < arrays.heap[child, 0]:
            child += 1
        if arrays.heap[child, 0] >= key:
            break
        arrays.heap[i, 0], arrays.heap[i, 1] = arrays.heap[child, 0], arrays.heap[child, 1]
        i, child = child, 2 * child + 1
    arrays.heap[i, 0], arrays.heap[i, 1] = key, pair
