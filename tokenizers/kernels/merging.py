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

    left, right, counts      of pair 7: 256, 101, 5 + 2
    begin, end               its places: pool[begin:end], ascending. Some may be out of date: a pair
                             is still at a place if PAIR says so

Pairs with a new token are born in the merge that makes the token, and never later. Two things follow:

- Which pair is (256, 101)? While 256 is made, one array for the left neighbours and one for the right
  ones say: with_left[x] is the pair (x, 256), with_right[y] the pair (256, y). No hash table.
- The places of all pairs born in one merge are known when the merge is done. So they are laid out
  once, side by side, by a counting sort, and never grow.

After its birth, a pair's count only falls and its first place only moves on. So the heap may be lazy:
a key in it is never too bad. If the best key is out of date, it is put right and sinks. And most pairs are
so rare that their turn never comes: the heap holds those of some count, and half of it when it is empty.

    heap     (-count, tie, pair)   tie: left and right id, or where the pair occurs first
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import kernel
from .piece_counts import PieceCounts

Bytes = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]

ID, PAIR, WEIGHT = range(3)  # of a place in the corpus: side by side in memory, since they are read together

WALL = -1  # an id, between two pieces
NONE = -1  # a pair, where none starts

MAX_PLACES = 1 << 29
"""Places are numbers of 32 bits, and so are the ends of their lists: up to three times as many, since each
merge takes a place away and brings two births at most."""

BATCH = 512
"""Merges that a kernel learns at most before it comes back, to report and to be stopped."""

AHEAD = 32
"""Places that a merge looks at before it changes the first of them."""

WORK = 2_000_000
"""Places that it merges at most before it comes back: a few hundredths of a second."""


class Arrays(NamedTuple):
    """All that a training works on.

    Attributes:
        corpus: the unique pieces, shape (places, 3): ``ID``, ``PAIR`` and ``WEIGHT``.
        left, right, counts, begin, end: every pair that was ever born, by its number.
        places: the places of all pairs.
        heap_counts, heap_ties, heap_pairs: a binary heap of the pairs that could still be merged.
        birth_pairs, birth_places: the births in the merge at hand, in the order of places; the pairs of
            bytes are not among them, since the corpus says where they are.
        with_left, with_right: the pairs born in it, by their other token.
        lengths: bytes of each token.
        learned: the merges of one batch, shape (4, BATCH): left id, right id, count, and by how many tokens
            the corpus became shorter.
        at: the running numbers.
    """

    corpus: I32
    left: I32
    right: I32
    counts: I64
    begin: I32
    end: I32
    places: I32
    heap_counts: I64
    heap_ties: I64
    heap_pairs: I32
    birth_pairs: I32
    birth_places: I32
    with_left: I32
    with_right: I32
    lengths: I32
    learned: I64
    at: I64


# Where the running numbers are in the array ``at``.
TOKENS, PAIRS, POOL, HEAP, LEAST, BIRTHS = range(6)  # LEAST: the count of the pairs in the heap, or more


def fits(pieces: PieceCounts) -> bool:
    """Whether there are so few pieces that the numbers of 32 bits here suffice.

    >>> fits(PieceCounts.from_pairs([(b"ab", 5)])), fits(PieceCounts.from_pairs([(b"ab", 1 << 31)]))
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
        tie_rule: the number of a ``bpe.plain.TieRule``.

    >>> list(iter_learned(PieceCounts.from_pairs([(b"aaabdaaabac", 1)]), 2, tie_rule=0))
    [((97, 97), 4, 2), ((97, 98), 2, 2)]
    """
    pool, ends, counts = pieces.pool, pieces.ends, pieces.counts
    del pieces  # the hash table is not needed any more
    n_places = len(pool) + len(ends)
    needed = n_places - 2 * len(ends) + 1  # occurrences of pairs: a piece of n bytes has n - 1
    n_tokens = 256 + min(n_merges, len(pool))  # each merge takes away a token, at least
    room: dict[str, Any] = dict.fromkeys(Arrays._fields, np.empty(0, dtype=np.int32))
    room |= dict.fromkeys(("counts", "heap_counts", "heap_ties"), np.empty(0, dtype=np.int64))
    room["corpus"] = np.empty((n_places, 3), dtype=np.int32)
    room["places"] = np.empty(3 * needed, dtype=np.int32)  # what is never used takes no memory
    room |= {name: np.full(n_tokens, NONE, dtype=np.int32) for name in ("with_left", "with_right")}
    room["lengths"] = np.ones(n_tokens, dtype=np.int32)
    room["learned"] = np.empty((4, BATCH), dtype=np.int64)
    room["at"] = np.array([256, 0, 0, 0, 1 << 62, 0], dtype=np.int64)
    arrays = _make_room(Arrays(**room), min(needed, 1 << 16), 0)
    del room
    lay_out(pool, ends, counts, np.full(1 << 16, NONE, dtype=np.int32), arrays, tie_rule)
    del pool, ends, counts  # all is in the arrays now
    at, before = arrays.at, 256
    while before < n_tokens and (at[HEAP] > 0 or at[LEAST] > 1):
        n_births = learn(arrays, tie_rule, min(n_tokens, before + BATCH))
        left, right, count, merged = arrays.learned[:, : int(at[TOKENS]) - before].tolist()
        yield from zip(zip(left, right, strict=True), count, merged, strict=True)
        before = int(at[TOKENS])
        arrays = _make_room(arrays, min(n_births, 2 * (before + 1)), n_births)


def _make_room(arrays: Arrays, n_pairs: int, n_births: int) -> Arrays:
    """The arrays, or longer copies of their used parts, with at least this many free places."""
    at, longer = arrays.at.tolist(), {}
    for names, used, filled, needed in (
        (("left", "right", "counts", "begin", "end"), at[PAIRS], at[PAIRS], n_pairs),
        (("heap_counts", "heap_ties", "heap_pairs"), at[PAIRS], at[HEAP], n_pairs),  # any pair may come in
        (("birth_pairs", "birth_places"), 0, 0, n_births),
    ):
        for name in names:
            array = getattr(arrays, name)
            if used + needed > len(array):
                longer[name] = np.empty(used + needed + used // 2, dtype=array.dtype)
                longer[name][:filled] = array[:filled]
    return arrays._replace(**longer)


@kernel
def lay_out(pool: Bytes, ends: I64, counts: I64, numbers: I32, arrays: Arrays, tie_rule: int) -> None:
    """Write the pieces into the corpus, with a wall before, between and after, and their pairs of bytes.

    Pairs are numbered as they come; ``numbers`` has a place for each two bytes.
    """
    write(0, WALL, 0, arrays)
    place = 1
    for piece in range(len(counts)):
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
    fill_heap(0, arrays, tie_rule)


@kernel
def write(place: int, id: int, weight: int, arrays: Arrays) -> None:
    """Write one place of the corpus."""
    arrays.corpus[place, ID] = id
    arrays.corpus[place, PAIR] = NONE
    arrays.corpus[place, WEIGHT] = weight


@kernel
def learn(arrays: Arrays, tie_rule: int, limit: int) -> int:
    """Merge the best pair, again and again, until there are ``limit`` tokens.

    Comes back early after much work, if no pair is left, or if there is no room for the next merge.

    Returns:
        How many births the next merge can bring, at most; 0: no room is needed.
    """
    work = done = 0
    while arrays.at[TOKENS] < limit and work < WORK:
        pair = best_pair(arrays, tie_rule)
        if pair == NONE:
            return 0
        most_births = 2 * (arrays.end[pair] - arrays.begin[pair])
        if not has_room(most_births, arrays):
            return most_births
        remove_best(arrays)

        new_id, first_new = arrays.at[TOKENS], arrays.at[PAIRS]
        arrays.learned[0, done] = arrays.left[pair]
        arrays.learned[1, done] = arrays.right[pair]
        arrays.learned[2, done] = arrays.counts[pair]
        arrays.learned[3, done] = merge(pair, new_id, arrays)
        lay_out_lists(first_new, arrays)
        for i in range(arrays.at[BIRTHS]):
            put(arrays.birth_places[i], arrays.birth_pairs[i], arrays)
        fill_heap(first_new, arrays, tie_rule)
        arrays.at[TOKENS] += 1
        done += 1
        work += most_births
    return 0


@kernel
def has_room(most_births: int, arrays: Arrays) -> bool:
    """Whether this many births fit into all arrays; pairs are born for each neighbour once."""
    most_pairs = min(most_births, 2 * (arrays.at[TOKENS] + 1))
    return arrays.at[PAIRS] + most_pairs <= len(arrays.left) and most_births <= len(arrays.birth_pairs)


@kernel
def merge(pair: int, new_id: int, arrays: Arrays) -> int:
    """Merge a pair wherever it occurs, from left to right; returns how many tokens that took away."""
    arrays.lengths[new_id] = arrays.lengths[arrays.left[pair]] + arrays.lengths[arrays.right[pair]]
    first_new, end = arrays.at[PAIRS], arrays.end[pair]
    merged = arrays.at[BIRTHS] = 0
    for begin in range(arrays.begin[pair], end, AHEAD):
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
    middle, stop = start + arrays.lengths[arrays.left[pair]], start + arrays.lengths[new_id]
    weight = arrays.corpus[start, WEIGHT]
    before, after = arrays.corpus[start - 1, ID], arrays.corpus[stop, ID]
    arrays.corpus[start, ID] = arrays.corpus[stop - 1, ID] = new_id
    arrays.corpus[start, PAIR] = NONE
    if before != WALL:
        place = start - arrays.lengths[before]
        arrays.counts[arrays.corpus[place, PAIR]] -= weight
        if arrays.with_left[before] < first_new:
            arrays.with_left[before] = new_pair(before, new_id, arrays)
        note_birth(arrays.with_left[before], place, arrays)
    if after != WALL:
        arrays.counts[arrays.corpus[middle, PAIR]] -= weight
        if arrays.with_right[after] < first_new:
            arrays.with_right[after] = new_pair(new_id, after, arrays)
        note_birth(arrays.with_right[after], start, arrays)
    arrays.corpus[middle, PAIR] = NONE


@kernel
def new_pair(left: int, right: int, arrays: Arrays) -> int:
    """Number a pair that was never seen before."""
    number = arrays.at[PAIRS]
    arrays.left[number] = left
    arrays.right[number] = right
    arrays.counts[number] = arrays.end[number] = 0
    arrays.at[PAIRS] = number + 1
    return number


@kernel
def bear(pair: int, place: int, arrays: Arrays) -> None:
    """A pair comes up at a place: until its list is laid out, its end says how long the list will be."""
    arrays.corpus[place, PAIR] = pair
    arrays.counts[pair] += arrays.corpus[place, WEIGHT]
    arrays.end[pair] += 1


@kernel
def note_birth(pair: int, place: int, arrays: Arrays) -> None:
    """As ``bear``, in a merge, which goes through the places of another pair."""
    bear(pair, place, arrays)
    arrays.birth_pairs[arrays.at[BIRTHS]] = pair
    arrays.birth_places[arrays.at[BIRTHS]] = place
    arrays.at[BIRTHS] += 1


@kernel
def lay_out_lists(first_new: int, arrays: Arrays) -> None:
    """Side by side, the lists of the new pairs get the room that they will need."""
    for pair in range(first_new, arrays.at[PAIRS]):
        length = arrays.end[pair]
        arrays.begin[pair] = arrays.end[pair] = arrays.at[POOL]
        arrays.at[POOL] += length


@kernel
def put(place: int, pair: int, arrays: Arrays) -> None:
    """Put a place into the list of its pair; it may have left it again in the same merge."""
    arrays.places[arrays.end[pair]] = place
    arrays.end[pair] += 1


@kernel
def fill_heap(first_new: int, arrays: Arrays, tie_rule: int) -> None:
    """Put the new pairs into the heap, but for the rare ones."""
    for pair in range(first_new, arrays.at[PAIRS]):
        if arrays.counts[pair] >= arrays.at[LEAST]:
            add(pair, tie_of(pair, arrays, tie_rule), arrays)


@kernel
def tie_of(pair: int, arrays: Arrays, tie_rule: int) -> int:
    """What decides among equally frequent pairs, as ``bpe.plain.TieRule.order``: the smallest is the best."""
    if tie_rule == 1:  # first
        while arrays.corpus[arrays.places[arrays.begin[pair]], PAIR] != pair:
            arrays.begin[pair] += 1  # what is gone stays gone, so each place is passed once
        return arrays.places[arrays.begin[pair]]
    return np.int64(arrays.left[pair]) << 32 | arrays.right[pair]


@kernel
def best_pair(arrays: Arrays, tie_rule: int) -> int:
    """The pair to be merged next, which is then the first in the heap; NONE if there is none."""
    while arrays.at[HEAP] > 0 or arrays.at[LEAST] > 1:
        if arrays.at[HEAP] == 0:
            lower_least(arrays, tie_rule)
            continue
        pair = arrays.heap_pairs[0]
        count = arrays.counts[pair]
        if count < arrays.at[LEAST]:
            remove_best(arrays)
            continue
        tie = tie_of(pair, arrays, tie_rule)
        if arrays.heap_counts[0] == count and arrays.heap_ties[0] == tie:
            return pair
        arrays.heap_counts[0], arrays.heap_ties[0] = count, tie
        sink(arrays, arrays.at[HEAP])
    return NONE


@kernel
def lower_least(arrays: Arrays, tie_rule: int) -> None:
    """Fill the empty heap with the pairs of half the count."""
    above = arrays.at[LEAST]
    arrays.at[LEAST] = above // 2
    for pair in range(arrays.at[PAIRS]):
        if arrays.at[LEAST] <= arrays.counts[pair] < above:
            add(pair, tie_of(pair, arrays, tie_rule), arrays)


@kernel
def is_better(arrays: Arrays, i: int, j: int) -> bool:
    """Whether the pair at i comes before the pair at j."""
    if arrays.heap_counts[i] != arrays.heap_counts[j]:
        return arrays.heap_counts[i] > arrays.heap_counts[j]
    return arrays.heap_ties[i] < arrays.heap_ties[j]


@kernel
def swap(arrays: Arrays, i: int, j: int) -> None:
    """The pair at i goes to j, and the other way round."""
    arrays.heap_counts[i], arrays.heap_counts[j] = arrays.heap_counts[j], arrays.heap_counts[i]
    arrays.heap_ties[i], arrays.heap_ties[j] = arrays.heap_ties[j], arrays.heap_ties[i]
    arrays.heap_pairs[i], arrays.heap_pairs[j] = arrays.heap_pairs[j], arrays.heap_pairs[i]


@kernel
def add(pair: int, tie: int, arrays: Arrays) -> None:
    """Put a pair at the end of the heap, and let it rise."""
    i = arrays.at[HEAP]
    arrays.at[HEAP] += 1
    arrays.heap_counts[i], arrays.heap_ties[i], arrays.heap_pairs[i] = arrays.counts[pair], tie, pair
    while i > 0 and is_better(arrays, i, (i - 1) // 2):
        swap(arrays, i, (i - 1) // 2)
        i = (i - 1) // 2


@kernel
def remove_best(arrays: Arrays) -> None:
    """Take the first pair away: the last one takes its place, and sinks."""
    arrays.at[HEAP] -= 1
    swap(arrays, 0, arrays.at[HEAP])
    sink(arrays, arrays.at[HEAP])


@kernel
def sink(arrays: Arrays, size: int) -> None:
    """Let the first pair sink to where it belongs."""
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and is_better(arrays, child + 1, child):
            child += 1
        if not is_better(arrays, child, i):
            return
        swap(arrays, i, child)
        i = child
