"""The merge rule: which merges happen in some bytes, where the last one joins two parts, and where they stop.

Of all neighbours whose joined bytes are a token, those with the lowest rank are joined first, the leftmost
on ties. tiktoken's files hold no pairs, only a rank for each token, but for this rule the rank is enough.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..checks import check_encoding
from ..encoding import Encoding, Merging

RawMerge = tuple[int, int, int, int]
"""One merge in some bytes: (rank, start, middle, end); it joins [start, middle) and [middle, end)."""


def run_merges(data: bytes, ranks: Mapping[bytes, int], edges: Sequence[int] | None = None) -> list[RawMerge]:
    """Every merge that happens in one piece, in order, if it is not looked up whole.

    The rule itself: of all neighbours whose joined bytes have a rank, the lowest first, the leftmost on ties,
    until there are none.

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
    waiting = [
        (rank, edges[at], edges[at + 1], edges[at + 2])
        for at in range(len(edges) - 2)
        if (rank := ranks.get(data[edges[at] : edges[at + 2]])) is not None
    ]
    heapq.heapify(waiting)
    done: list[RawMerge] = []
    while waiting:
        merge = heapq.heappop(waiting)
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
                heapq.heappush(waiting, (rank, before, start, end))
        if end < size:
            after = end_of[end]
            rank = ranks.get(data[start:after])
            if rank is not None:
                heapq.heappush(waiting, (rank, start, end, after))
    return done


def edges_after(size: int, merges: Iterable[RawMerge]) -> list[int]:
    """Where tokens begin and end once the merges have happened, from 0 to ``size``."""
    joined = {middle for _, _, middle, _ in merges}
    return [at for at in range(size + 1) if at not in joined]


_NEVER = 1 << 62
"""More than any rank."""


def last_middle(
    data: bytes, ranks: Mapping[bytes, int], never: int = _NEVER, edges: Sequence[int] | None = None
) -> int:
    """Where the last merge of a token joins its two parts; 0 if merges do not reach it.

    As ``run_merges``, but quicker for the few bytes that most tokens have.

    Args:
        data: the token.
        ranks: of what merges make, by its bytes.
        never: more than any rank.
        edges: where what is merged begins and ends, such as characters; None: bytes are merged.
    """
    size = len(data)
    if size > 64:
        _, start, middle, end = (run_merges(data, ranks, edges) or [(0, 0, 0, 0)])[-1]
        return middle if end - start == size else 0
    get = ranks.get
    edges = list(range(size + 1) if edges is None else edges)
    waiting = [  # by what is left of the cut
        get(data[start:end], never) for start, end in zip(edges, edges[2:], strict=False)
    ]
    if not waiting:
        return 0
    while len(waiting) > 1:
        lowest = min(waiting)
        if lowest == never:
            return 0
        at = waiting.index(lowest)
        del edges[at + 1], waiting[at]
        if at < len(waiting):
            waiting[at] = get(data[edges[at] : edges[at + 2]], never)
        if at:
            waiting[at - 1] = get(data[edges[at - 1] : edges[at + 1]], never)
    return edges[1] if waiting[0] != never else 0


def find_middles(ranks: Mapping[bytes, int]) -> npt.NDArray[np.int32]:
    """Where the last merge of every token joins its two parents, shape (largest rank + 1,), indexed by id.

    As the length of the left parent in bytes; 0 for a byte, and for a token that merges do not reach.

    >>> find_middles({b"a": 0, b"b": 1, b"ab": 2, b"aab": 3}).tolist()
    [0, 0, 1, 1]
    """
    middles = np.zeros(max(ranks.values(), default=-1) + 1, dtype=np.int32)
    for data, token_id in ranks.items():
        if len(data) > 1:
            middles[token_id] = last_middle(data, ranks)
    return middles


def merging_of(enc: Encoding, without: str = "there are no merge trees") -> Merging:
    """The encoding's merges.

    Args:
        enc: any encoding.
        without: what cannot be had without merges, for the error's sentence.

    Raises:
        ValueError: it is of a family that has none.

    >>> from tokenizers import get_encoding
    >>> merging_of(get_encoding("bytes"))
    Traceback (most recent call last):
    ...
    ValueError: bytes has no merges, so there are no merge trees. Choose a byte pair encoding.
    """
    check_encoding(enc, "enc")
    if enc.joining is not None:
        raise ValueError(
            f"{enc.name} merges characters by score, not bytes by rank, so {without}. Choose a byte pair "
            "encoding."
        )
    if enc.merging is None:
        lack = "has merges that are not drawn here" if enc.not_drawn else "has no merges"
        raise ValueError(f"{enc.name} {lack}, so {without}. Choose a byte pair encoding.")
    return enc.merging


def ranks_of(enc: Encoding) -> Mapping[bytes, int]:
    """The tokens that can arise, by their bytes, with their ids, which are in the order of their ranks."""
    return merging_of(enc).mergeable_ranks


def stops_at(enc: Encoding, data: bytes) -> tuple[int, ...]:
    """The ids at which merges alone arrive, with ``data`` as one piece that is not looked up.

    >>> from tokenizers import get_encoding
    >>> stops_at(get_encoding("gpt2"), b"the"), stops_at(get_encoding("gpt2"), b"thez")
    ((1169,), (1169, 89))
    """
    pairs = merging_of(enc)
    ranks = pairs.mergeable_ranks
    if pairs.known_merges is not None:  # never looks up a piece that merges do not make
        return tuple(pairs.encode_piece(data))
    edges = edges_after(len(data), run_merges(data, ranks))
    return tuple(ranks[data[start:end]] for start, end in itertools.pairwise(edges))
