"""The merge rule: which merges happen in some bytes, and where they stop.

Of all neighbours whose joined bytes are a token, those with the lowest rank are joined first, the leftmost
on ties. tiktoken's files hold no pairs, only a rank for each token, but for this rule the rank is enough.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .plain import Pair

RawMerge = tuple[int, int, int, int]
"""One merge in some bytes: (rank, start, middle, end); it joins [start, middle) and [middle, end)."""


@dataclass(frozen=True, eq=False)
class Merging:
    """The merges of a byte pair encoding: what ``Encoding.merging`` returns.

    Attributes:
        ranks: the tokens that a text can become: their bytes, and their ids, which are in the order of ranks.
        pairs: the pairs that merge, in rank order: token 256 + i is pairs[i]. None: only ranks of bytes are
            known, as in tiktoken's files, and a whole piece that is a token is looked up.
        first_id: the id of the token of rank 0.
        n_letters: tokens before the first merge that was learned: the smallest vocabulary.
    """

    ranks: Mapping[bytes, int]
    pairs: Sequence[Pair] | None = None
    first_id: int = 0
    n_letters: int = 256

    def encode_piece(self, piece: str) -> list[int]:
        """The ids of a text without walls."""
        data = piece.encode()
        is_looked_up = self.pairs is None and data in self.ranks
        return [self.ranks[data]] if is_looked_up else self.merge_alone(data)

    def merge_alone(self, data: bytes) -> list[int]:
        """The ids at which merges alone arrive, with ``data`` as one piece that is not looked up.

        >>> from tokenizers import get_encoding
        >>> merging = get_encoding("gpt2").merging
        >>> merging.merge_alone(b"the"), merging.merge_alone(b"thez")
        ([1169], [1169, 89])
        """
        joined = {middle for _, _, middle, _ in run_merges(data, self.ranks)}
        edges = [at for at in range(len(data) + 1) if at not in joined]
        return [self.ranks[data[start:end]] for start, end in itertools.pairwise(edges)]


def run_merges(data: bytes, ranks: Mapping[bytes, int], edges: Sequence[int] | None = None) -> list[RawMerge]:
    """Every merge that happens in one piece, in order, if it is not looked up whole.

    The rule itself: of all neighbours whose joined bytes have a rank, the lowest first, the leftmost on ties,
    until there are none. Takes O(n log n) time for n bytes.

    Args:
        data: the piece.
        ranks: of the tokens that merges make, by their bytes.
        edges: where the first tokens begin, and where the last of them ends; None: each byte is one.

    >>> run_merges(b"abab", {b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    [(2, 0, 1, 2), (2, 2, 3, 4), (3, 0, 2, 4)]
    """
    size = len(data)
    if edges is None:
        edges = range(size + 1)
    end_of = [0] * (size + 1)  # by where a token begins; 0 once nothing begins there
    start_of = [-1] * (size + 1)  # by where a token ends
    for start, end in itertools.pairwise(edges):
        end_of[start] = end
        start_of[end] = start
    heap: list[RawMerge] = []
    for start, middle, end in zip(edges, edges[1:], edges[2:], strict=False):
        rank = ranks.get(data[start:end])
        if rank is not None:
            heap.append((rank, start, middle, end))
    heapq.heapify(heap)
    done: list[RawMerge] = []
    while heap:
        merge = heapq.heappop(heap)
        _, start, middle, end = merge
        if end_of[start] != middle or end_of[middle] != end:
            continue  # one of the two has become part of another token since
        done.append(merge)
        end_of[start] = end
        end_of[middle] = 0
        start_of[end] = start
        if start:
            before = start_of[start]
            rank = ranks.get(data[before:end])
            if rank is not None:
                heapq.heappush(heap, (rank, before, start, end))
        if end < size:
            after = end_of[end]
            rank = ranks.get(data[start:after])
            if rank is not None:
                heapq.heappush(heap, (rank, start, end, after))
    return done


def last_middle(data: bytes, ranks: Mapping[bytes, int], edges: Sequence[int] | None = None) -> int:
    """Where the last merge of a token joins its two parts; 0 if merges do not reach it.

    Args:
        data: the token.
        ranks: of what merges make, by its bytes.
        edges: where what is merged begins and ends, such as characters; None: bytes are merged.

    >>> last_middle(b"aab", {b"ab": 256, b"aab": 257})
    1
    """
    merges = run_merges(data, ranks, edges)
    if not merges:
        return 0
    _, start, middle, end = merges[-1]
    return middle if end - start == len(data) else 0
