"""The merge loop over arrays: no linked list, no hash table, and nothing counted twice.

All unique pieces are in one array, a place for each byte, a wall between two pieces. A token
keeps its id at its first and at its last place, so both neighbours are one look away, however long
they are:

    bytes       #   t   h   e   #   t   h   e   n   #
    ids         #  256  .  101  #  256 256 101 110  #     after the merge t + h -> 256: the id is
                                                          first and last; what lies between is unread
    pair_at     .   7   .   .   .   7   .   8   .   .     number of the pair that starts at a place
    weight      0   5   5   5   0   2   2   2   2   0     how often the piece occurs in the corpus

Pairs are numbered as they are born, and each knows its places:

    left, right, counts      of pair 7: 256, 101, 5 + 2
    begin, end               its places: pool[begin:end], ascending. Some may be out of date: a pair
                             is still at a place if pair_at says so

Pairs with a new token are born in the merge that makes the token, and never later. Two things follow:

- Which pair is (256, 101)? While 256 is made, one array for the left neighbours and one for the right
  ones say: with_left[x] is the pair (x, 256), with_right[y] the pair (256, y). No hash table.
- The places of all pairs born in one merge are known when the merge is done. So they are laid out
  once, side by side, by a counting sort, and never grow.

After its birth, a pair's count only falls and its first place only moves on. So the heap may be lazy:
a key in it is never too bad. If the best key is out of date, it is put right and sinks.

    heap     (-count, tie, pair)   tie: left and right id, or where the pair occurs first
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .compiling import kernel
from .piece_counts import PieceCounts

Bytes = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

WALL = -1  # in ids, between two pieces
NONE = -1  # in pair_at, where no pair starts

MAX_PLACES = 1 << 29
"""Places are numbers of 32 bits, and so are the ends of their lists: up to three times as many."""

BATCH = 512
"""Merges that a kernel learns at most before it comes back, to report and to be stopped."""

WORK = 2_000_000
"""Places that it merges at most before it comes back: a few hundredths of a second."""


class Corpus(NamedTuple):
    """The unique pieces: shape (places,) each."""

    ids: I32
    pair_at: I32
    weight: I32


class Pairs(NamedTuple):
    """Every pair that was ever born, by its number."""

    left: I32
    right: I32
    counts: I64
    begin: I32
    end: I32


class Heap(NamedTuple):
    """A binary heap of the pairs that could still be merged, the best one first."""

    counts: I64
    tie: I64
    pair: I32


class Births(NamedTuple):
    """The pairs born in the merge at hand: each occurrence, in the order of places."""

    pair: I32
    place: I32
    with_left: I32
    with_right: I32


class Learned(NamedTuple):
    """What comes out: the merges of one batch."""

    left: I32
    right: I32
    counts: I64
    merged: I64


# Where the running numbers are in the array ``at``.
TOKENS, PAIRS, POOL, HEAP, BIRTHS = range(5)


def fits(pieces: PieceCounts) -> bool:
    """Whether there are so few pieces that the numbers of 32 bits here suffice.

    >>> fits(PieceCounts.from_dict({b"ab": 5})), fits(PieceCounts.from_dict({b"ab": 1 << 31}))
    (True, False)
    """
    most = int(pieces.counts.max(initial=0))
    return len(pieces.pool) + len(pieces.ends) <= MAX_PLACES and most <= np.iinfo(np.int32).max


def iter_learned(
    pieces: PieceCounts, n_merges: int, tie_rule: int
) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Each merge in order: the pair, its count, and by how many tokens the corpus became shorter.

    Args:
        pieces: the corpus, in the order of first occurrence.
        n_merges: how many merges to learn at most.
        tie_rule: the number of a ``bpe.ties.TieRule``.

    >>> list(iter_learned(PieceCounts.from_dict({b"aaabdaaabac": 1}), 2, tie_rule=0))
    [((97, 97), 4, 2), ((97, 98), 2, 2)]
    """
    pool, ends, counts = pieces.pool, pieces.ends, pieces.counts
    n_places = len(pool) + len(ends)
    n_occurrences = n_places - 2 * len(ends) + 1  # of pairs: a piece of n bytes has n - 1
    n_tokens = 256 + min(n_merges, len(pool))  # each merge takes away a token, at least

    corpus = Corpus(*(np.empty(n_places, dtype=np.int32) for _ in Corpus._fields))
    pairs, heap, places = Pairs(*_empty("iiqii")), Heap(*_empty("qqi")), np.empty(0, dtype=np.int32)
    births = Births(*_empty("ii"), *(np.full(n_tokens, NONE, dtype=np.int32) for _ in range(2)))
    lengths = np.ones(n_tokens, dtype=np.int32)
    at = np.array([256, 0, 0, 0, 0], dtype=np.int64)
    learned = Learned(*(np.empty(BATCH, dtype=kind) for kind in "iiqq"))

    needed = n_occurrences
    n_pairs = min(n_occurrences, 1 << 16)
    lay_out(pool, ends, counts, corpus)
    del pieces, pool, ends, counts  # all is in the corpus now
    while True:
        pairs = Pairs(*(_with_room(array, int(at[PAIRS]), n_pairs) for array in pairs))
        heap = Heap(*(_with_room(array, int(at[HEAP]), n_pairs) for array in heap))
        births = births._replace(
            pair=_with_room(births.pair, 0, needed), place=_with_room(births.place, 0, needed)
        )
        places = _with_room(places, int(at[POOL]), needed)
        if at[PAIRS] == 0:
            bear_byte_pairs(corpus, pairs, births, np.full(1 << 16, NONE, dtype=np.int32), at)
            settle_births(0, corpus, pairs, places, births, heap, tie_rule, at)
        before = int(at[TOKENS])
        limit = min(n_tokens, before + BATCH)
        needed = learn(corpus, pairs, places, births, heap, lengths, tie_rule, at, limit, learned)
        n_learned = int(at[TOKENS]) - before
        left, right, count, merged = (array[:n_learned].tolist() for array in learned)
        yield from zip(zip(left, right, strict=True), count, merged, strict=True)
        if at[TOKENS] == n_tokens or at[HEAP] == 0:
            return
        n_pairs = min(needed, 2 * (int(at[TOKENS]) + 1))  # born in the next merge, at most


def _empty(kinds: str) -> Iterator[npt.NDArray[Any]]:
    return (np.empty(0, dtype=kind) for kind in kinds)


def _with_room(array: npt.NDArray[Any], used: int, needed: int) -> npt.NDArray[Any]:
    """The array, or a longer copy of its used part, with at least this many free places."""
    if used + needed <= len(array):
        return array
    longer = np.empty(used + needed + used // 2, dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


@kernel
def lay_out(pool: Bytes, ends: I64, counts: I64, corpus: Corpus) -> None:
    """Write the pieces into the corpus, with a wall before, between and after."""
    corpus.ids[0] = WALL
    corpus.weight[0] = 0
    place = 1
    for piece in range(len(counts)):
        for i in range(ends[piece], ends[piece + 1]):
            corpus.ids[place] = pool[i]
            corpus.weight[place] = counts[piece]
            place += 1
        corpus.ids[place] = WALL
        corpus.weight[place] = 0
        place += 1


@kernel
def bear_byte_pairs(corpus: Corpus, pairs: Pairs, births: Births, numbers: I32, at: I64) -> None:
    """The pairs of bytes, numbered as they come; ``numbers`` has a place for each two bytes."""
    corpus.pair_at[:] = NONE
    for place in range(1, len(corpus.ids) - 1):
        left, right = corpus.ids[place], corpus.ids[place + 1]
        if left != WALL and right != WALL:
            key = left << 8 | right
            if numbers[key] == NONE:
                numbers[key] = new_pair(left, right, pairs, at)
            bear(numbers[key], place, corpus, pairs, births, at)


@kernel
def learn(
    corpus: Corpus,
    pairs: Pairs,
    places: I32,
    births: Births,
    heap: Heap,
    lengths: I32,
    tie_rule: int,
    at: I64,
    limit: int,
    learned: Learned,
) -> int:
    """Merge the best pair, again and again, until there are ``limit`` tokens.

    Comes back early after much work, if no pair is left, or if there is no room for the next merge.

    Returns:
        How many births the next merge can bring, at most; 0: no room is needed.
    """
    work = done = 0
    while at[TOKENS] < limit and work < WORK:
        pair = best_pair(heap, corpus, pairs, places, tie_rule, at)
        if pair == NONE:
            return 0
        most_births = 2 * (pairs.end[pair] - pairs.begin[pair])
        if not has_room(most_births, pairs, places, births, heap, at):
            return most_births
        remove_best(heap, at)

        new_id, first_new = at[TOKENS], at[PAIRS]
        learned.left[done] = pairs.left[pair]
        learned.right[done] = pairs.right[pair]
        learned.counts[done] = pairs.counts[pair]
        learned.merged[done] = merge(pair, new_id, corpus, pairs, places, births, lengths, at)
        settle_births(first_new, corpus, pairs, places, births, heap, tie_rule, at)
        at[TOKENS] += 1
        done += 1
        work += most_births
    return 0


@kernel
def has_room(most_births: int, pairs: Pairs, places: I32, births: Births, heap: Heap, at: I64) -> bool:
    """Whether this many births fit into all arrays; pairs are born for each neighbour once."""
    most_pairs = min(most_births, 2 * (at[TOKENS] + 1))
    return (
        at[PAIRS] + most_pairs <= len(pairs.left)
        and at[HEAP] + most_pairs <= len(heap.pair)
        and at[POOL] + most_births <= len(places)
        and most_births <= len(births.pair)
    )


@kernel
def merge(
    pair: int,
    new_id: int,
    corpus: Corpus,
    pairs: Pairs,
    places: I32,
    births: Births,
    lengths: I32,
    at: I64,
) -> int:
    """Merge a pair wherever it occurs, from left to right; returns how many tokens that took away.

    The counts of the pairs that it breaks fall, and each pair that comes up is noted as a birth.
    """
    left, right = pairs.left[pair], pairs.right[pair]
    lengths[new_id] = lengths[left] + lengths[right]
    first_new = at[PAIRS]
    merged = 0
    for i in range(pairs.begin[pair], pairs.end[pair]):
        start = places[i]
        if corpus.pair_at[start] != pair:
            continue  # an earlier merge, or this one a moment ago, took one of the two
        middle, stop = start + lengths[left], start + lengths[new_id]
        weight = corpus.weight[start]
        merged += weight

        before, after = corpus.ids[start - 1], corpus.ids[stop]
        corpus.ids[start] = corpus.ids[stop - 1] = new_id
        corpus.pair_at[start] = NONE
        if before != WALL:
            place = start - lengths[before]
            pairs.counts[corpus.pair_at[place]] -= weight
            if births.with_left[before] < first_new:
                births.with_left[before] = new_pair(before, new_id, pairs, at)
            bear(births.with_left[before], place, corpus, pairs, births, at)
        if after != WALL:
            pairs.counts[corpus.pair_at[middle]] -= weight
            if births.with_right[after] < first_new:
                births.with_right[after] = new_pair(new_id, after, pairs, at)
            bear(births.with_right[after], start, corpus, pairs, births, at)
        corpus.pair_at[middle] = NONE
    pairs.counts[pair] = 0
    return merged


@kernel
def new_pair(left: int, right: int, pairs: Pairs, at: I64) -> int:
    """Number a pair that was never seen before."""
    number = at[PAIRS]
    pairs.left[number] = left
    pairs.right[number] = right
    pairs.counts[number] = 0
    at[PAIRS] = number + 1
    return number


@kernel
def bear(pair: int, place: int, corpus: Corpus, pairs: Pairs, births: Births, at: I64) -> None:
    """A pair comes up at a place."""
    corpus.pair_at[place] = pair
    pairs.counts[pair] += corpus.weight[place]
    births.pair[at[BIRTHS]] = pair
    births.place[at[BIRTHS]] = place
    at[BIRTHS] += 1


@kernel
def settle_births(
    first_new: int,
    corpus: Corpus,
    pairs: Pairs,
    places: I32,
    births: Births,
    heap: Heap,
    tie_rule: int,
    at: I64,
) -> None:
    """Give each new pair its list of places, by counting sort, and a place in the heap."""
    for pair in range(first_new, at[PAIRS]):
        pairs.end[pair] = 0
    for i in range(at[BIRTHS]):
        if corpus.pair_at[births.place[i]] == births.pair[i]:  # it may have died in the same merge
            pairs.end[births.pair[i]] += 1
    for pair in range(first_new, at[PAIRS]):
        length = pairs.end[pair]
        pairs.begin[pair] = pairs.end[pair] = at[POOL]
        at[POOL] += length
    for i in range(at[BIRTHS]):
        pair, place = births.pair[i], births.place[i]
        if corpus.pair_at[place] == pair:
            places[pairs.end[pair]] = place
            pairs.end[pair] += 1
    at[BIRTHS] = 0
    for pair in range(first_new, at[PAIRS]):
        if pairs.counts[pair] > 0:
            add(pair, tie_of(pair, corpus, pairs, places, tie_rule), pairs, heap, at)


@kernel
def tie_of(pair: int, corpus: Corpus, pairs: Pairs, places: I32, tie_rule: int) -> int:
    """What decides among equally frequent pairs, as ``bpe.ties.TieRule.order``: the smallest is the best."""
    if tie_rule == 1:  # first
        while corpus.pair_at[places[pairs.begin[pair]]] != pair:
            pairs.begin[pair] += 1  # what is gone stays gone, so each place is passed once
        return places[pairs.begin[pair]]
    return np.int64(pairs.left[pair]) << 32 | pairs.right[pair]


@kernel
def best_pair(heap: Heap, corpus: Corpus, pairs: Pairs, places: I32, tie_rule: int, at: I64) -> int:
    """The pair to be merged next, which is then the first in the heap; NONE if there is none."""
    while at[HEAP] > 0:
        pair = heap.pair[0]
        count = pairs.counts[pair]
        if count == 0:
            remove_best(heap, at)
            continue
        tie = tie_of(pair, corpus, pairs, places, tie_rule)
        if heap.counts[0] == count and heap.tie[0] == tie:
            return pair
        heap.counts[0], heap.tie[0] = count, tie
        sink(heap, at[HEAP])
    return NONE


@kernel
def is_better(heap: Heap, i: int, j: int) -> bool:
    """Whether the pair at i comes before the pair at j."""
    if heap.counts[i] != heap.counts[j]:
        return heap.counts[i] > heap.counts[j]
    return heap.tie[i] < heap.tie[j]


@kernel
def swap(heap: Heap, i: int, j: int) -> None:
    """The pair at i goes to j, and the other way round."""
    heap.counts[i], heap.counts[j] = heap.counts[j], heap.counts[i]
    heap.tie[i], heap.tie[j] = heap.tie[j], heap.tie[i]
    heap.pair[i], heap.pair[j] = heap.pair[j], heap.pair[i]


@kernel
def add(pair: int, tie: int, pairs: Pairs, heap: Heap, at: I64) -> None:
    """Put a pair at the end of the heap, and let it rise."""
    i = at[HEAP]
    at[HEAP] += 1
    heap.counts[i], heap.tie[i], heap.pair[i] = pairs.counts[pair], tie, pair
    while i > 0 and is_better(heap, i, (i - 1) // 2):
        swap(heap, i, (i - 1) // 2)
        i = (i - 1) // 2


@kernel
def remove_best(heap: Heap, at: I64) -> None:
    """Take the first pair away: the last one takes its place, and sinks."""
    at[HEAP] -= 1
    swap(heap, 0, at[HEAP])
    sink(heap, at[HEAP])


@kernel
def sink(heap: Heap, size: int) -> None:
    """Let the first pair sink to where it belongs."""
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and is_better(heap, child + 1, child):
            child += 1
        if not is_better(heap, child, i):
            return
        swap(heap, i, child)
        i = child
