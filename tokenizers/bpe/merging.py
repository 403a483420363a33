"""The merge loop in pure Python: the merges of ``plain.py``, learned fast.

The plain form counts every pair of the whole text again for each merge. This one differs in
three ways, and learns the same merges:

- **Equal pieces are merged once.** A corpus is its unique pieces, each with a weight: how often
  it occurs.
- **Only what changes is touched.** Each pair knows the positions where it occurs, and a merge
  changes the counts of its neighbours alone.
- **The best pair comes from a heap, lazily.** After the step that creates a pair, its count can
  only fall and its first position only rise. So a key in the heap is never too bad: when the
  best key is out of date, the pair goes back with its true key.

All unique pieces are in one array, a byte's width for each byte and a wall between two pieces. A
token's id is at its first and at its last position (boundary tags), so both neighbours are one
look away whatever their lengths, and a piece of a million characters costs no more than a
million characters in short pieces.

``kernels/merging.py`` is the same once more, over arrays, ten times as fast.
"""

from __future__ import annotations

import contextlib
import gc
import heapq
import itertools
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from .plain import Pair, Ties, find_tie_rule, why_too_long

WALL = -1  # between two pieces
INSIDE = -2  # where a token began that is now the right part of a longer one

Learned = tuple[Sequence[int], Iterable[int], Iterable[int]]
"""Some merges: left id, right id, left id, right id, …; their counts; and by how many tokens each made the
corpus shorter."""


class Stopped(Exception):
    """No more is learned; says why."""


def iter_learned(weights: dict[bytes, int], ties: Ties) -> Iterator[Learned]:
    """Each merge in order, one at a time.

    Args:
        weights: the unique pieces in the order of their first occurrence; how often each one occurs.
        ties: which of several equally frequent pairs is merged first.

    Raises:
        Stopped: the next token would be too long.

    >>> list(iter_learned({b"aaabdaaabac": 1}, "smallest"))[:2]
    [((97, 97), [4], [2]), ((97, 98), [2], [2])]
    """
    ids, weight = _lay_out(weights)
    counts, positions = _index_pairs(ids, weight)
    lengths = [1] * 256  # of each token, in bytes
    total = 0  # of the tokens that were learned
    seen: dict[Pair, int] = {}  # how many of a pair's positions are known to be gone

    def first_position(pair: Pair) -> int:
        """A pair's first position. A position that is gone never comes back, so each is passed once."""
        left, right = pair
        where, i = positions[pair], seen.get(pair, 0)
        while ids[where[i]] != left or ids[where[i] + lengths[left]] != right:
            i += 1
        seen[pair] = i
        return where[i]

    order = find_tie_rule(ties).order
    heap = [(-count, order(pair, positions[pair][0]), pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap:
        key = heapq.heappop(heap)
        pair = key[2]
        count = counts[pair]
        if count == 0:
            del counts[pair], positions[pair]
            seen.pop(pair, None)
            continue
        true_key = (-count, order(pair, first_position(pair)), pair)
        if true_key != key:
            heapq.heappush(heap, true_key)
            continue

        new_id = len(lengths)
        lengths.append(lengths[pair[0]] + lengths[pair[1]])
        total += lengths[new_id]
        if too_long := why_too_long(lengths[new_id], total):
            raise Stopped(f"{too_long}. Choose a split pattern")
        new_pairs, merged = _merge(pair, new_id, ids, weight, lengths, counts, positions)
        for new_pair in new_pairs:
            heapq.heappush(heap, (-counts[new_pair], order(new_pair, positions[new_pair][0]), new_pair))
        seen.pop(pair, None)
        yield pair, [count], [merged]


def pairs_of(ids: Sequence[int]) -> list[Pair]:
    """Pairs out of their ids.

    >>> pairs_of((97, 97, 97, 98))
    [(97, 97), (97, 98)]
    """
    return list(zip(ids[::2], ids[1::2], strict=True))


def _lay_out(weights: dict[bytes, int]) -> tuple[array[int], array[int]]:
    """All pieces in one array of ids with a wall before, between and after; each position's weight."""
    ids = array("i", [WALL])
    weight = array("q", [0])
    for piece, count in weights.items():
        ids.extend(piece)
        ids.append(WALL)
        weight.extend([count] * (len(piece) + 1))
    return ids, weight


def _index_pairs(ids: array[int], weight: array[int]) -> tuple[Counter[Pair], dict[Pair, array[int]]]:
    """Each pair's count, and its positions in ascending order."""
    counts: Counter[Pair] = Counter()
    positions: defaultdict[Pair, array[int]] = defaultdict(lambda: array("q"))
    for position, pair in enumerate(itertools.pairwise(ids)):
        if WALL not in pair:
            counts[pair] += weight[position]
            positions[pair].append(position)
    return counts, positions


def _merge(
    pair: Pair,
    new_id: int,
    ids: array[int],
    weight: array[int],
    lengths: list[int],
    counts: Counter[Pair],
    positions: dict[Pair, array[int]],
) -> tuple[list[Pair], int]:
    """Merge a pair wherever it occurs, from left to right, and put all counts right.

    Returns the new pairs, and by how many tokens the corpus became shorter.
    """
    left, right = pair
    left_length, new_length = lengths[left], lengths[new_id]
    born: defaultdict[Pair, array[int]] = defaultdict(lambda: array("q"))
    merged = 0
    for start in positions[pair]:
        middle = start + left_length
        if ids[start] != left or ids[middle] != right:
            continue  # an earlier merge, or this one a moment ago, took one of the two
        end = start + new_length
        times = weight[start]
        merged += times

        before, after = ids[start - 1], ids[end]  # an id is at its token's last position too
        if before != WALL:
            counts[before, left] -= times
            new_pair = (before, new_id)
            counts[new_pair] += times
            born[new_pair].append(start - lengths[before])
        if after != WALL:
            counts[right, after] -= times
            new_pair = (new_id, after)
            counts[new_pair] += times
            born[new_pair].append(start)

        ids[middle] = INSIDE  # the order matters: the middle may be the last position too
        ids[start] = ids[end - 1] = new_id
    del counts[pair], positions[pair]
    positions.update(born)
    return list(born), merged


@contextlib.contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Switch the garbage collector off: it would search millions of small tuples and find no cycles.

    >>> with no_garbage_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
