"""Which merges can happen, of a list that no training may have made.

Merges from a file could be anything: two pairs may make the same bytes, or a token may be out of reach
because other merges always come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .plain import Pair


def find_reachable(merges: Sequence[Pair]) -> list[int]:
    """The ids of the merges that can happen: those whose bytes, encoded alone, become the token.

    No merge crosses a cut of the finished text, so what is between two cuts merges as it would alone. A token
    that its own bytes, alone, do not become therefore arises nowhere. For the same reason, two tokens that do
    arise have different bytes, and when it is a token's turn, the only two neighbours with its bytes are its
    own parts. So ranks of joined bytes and ranks of pairs mean the same for the tokens returned here.

    >>> find_reachable([(97, 98), (98, 99), (97, 257)])  # "abc" is ab|c, never a|bc
    [256, 257]
    """
    new_ids: dict[Pair, int] = {}
    unreached: set[int] = set()
    for new_id, pair in enumerate(merges, start=256):
        if unreached.isdisjoint(pair) and cut_stays(pair, new_id, merges, new_ids):
            new_ids[pair] = new_id
        else:
            unreached.add(new_id)
    return list(new_ids.values())


def cut_stays(pair: Pair, now: int, merges: Sequence[Pair], new_ids: Mapping[Pair, int]) -> bool:
    """Whether the cut between two tokens side by side is still there when merge ``now`` has its turn.

    Goes back in time, undoing whichever of the two tokens at the cut is younger, down to the bytes.
    At each moment the cut falls if the two tokens there merge before either one grows into the token
    that it is known to become.
    """
    left, right = pair
    left_grows = right_grows = now
    while True:
        merge = new_ids.get((left, right))
        # If the right one grows by the very same merge, this one is further left and goes first.
        if merge is not None and merge < left_grows and merge <= right_grows:
            return False
        if max(left, right) < 256:
            return True
        if left > right:
            left, left_grows = merges[left - 256][1], left
        else:
            right, right_grows = merges[right - 256][0], right
