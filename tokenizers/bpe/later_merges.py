"""The merges that come after an engine's own: on its ids, by the rank of the pair.

An encoder does the merges of lower rank first. So an encoder that knows only the first k merges does what one
that knows all of them does, until only later merges are left. From then on none of the first k can
happen: a token that a later merge made is a part of later merges only.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Mapping, Sequence

from .plain import Pair


def merge_later(ids: Sequence[int], new_ids: Mapping[Pair, int]) -> list[int]:
    """Merge the ids of one piece: the lowest new id first, the leftmost on ties, until nothing merges.

    Takes O(n log n) time for n ids, however long the tokens become.

    Args:
        ids: of one piece.
        new_ids: what each pair becomes; the new id is above both.

    >>> merge_later([97, 97, 97, 98], {(97, 97): 256, (256, 97): 257, (257, 98): 258})
    [258]
    """
    size = len(ids)
    merged = array("q", ids)  # an id is kept where its first part was; -1 marks the places of other parts
    after, before = array("q", range(1, size + 1)), array("q", range(-1, size - 1))
    waiting = [
        (new_id, at)
        for at in range(size - 1)
        if (new_id := new_ids.get((merged[at], merged[at + 1]))) is not None
    ]
    heapq.heapify(waiting)
    while waiting:
        new_id, left = heapq.heappop(waiting)
        right = after[left]
        if right >= size or new_ids.get((merged[left], merged[right])) != new_id:
            continue  # one of the two has become part of another token since
        merged[left], merged[right] = new_id, -1
        end = after[left] = after[right]
        if end < size:
            before[end] = left
            if (next_id := new_ids.get((new_id, merged[end]))) is not None:
                heapq.heappush(waiting, (next_id, left))
        start = before[left]
        if start >= 0 and (next_id := new_ids.get((merged[start], new_id))) is not None:
            heapq.heappush(waiting, (next_id, start))
    return [token_id for token_id in merged if token_id >= 0]
