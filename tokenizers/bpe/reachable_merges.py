"""Which merges can happen, of a list that no training may have made.

Merges from a file could be anything: two pairs may make the same bytes, or a token may be out of reach
because other merges always come first.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from .plain import Pair

MAX_STEPS_BACK = 1 << 25
"""Steps that may be taken to find out which merges can happen. Merges learned from text take about five
each."""


def find_reachable(merges: Sequence[Pair]) -> list[int]:
    """The ids of the merges that can happen: those whose bytes, encoded alone, become the token.

    No merge crosses a cut of the finished text, so what is between two cuts merges as it would alone. A token
    that its own bytes, alone, do not become therefore arises nowhere. For the same reason, two tokens that do
    arise have different bytes, and when it is a token's turn, the only two neighbours with its bytes are its
    own parts. So ranks of joined bytes and ranks of pairs mean the same for the tokens returned here.

    Raises:
        ValueError: so many tokens are built one inside the other, over and over, that it would take hours.
    """
    new_ids: dict[Pair, int] = {}
    reachable: list[int] = []
    dead: set[int] = set()
    # How many merges there are along each token's left edge and along its right edge, down to the byte.
    left_depth, right_depth = array("i", bytes(1024)), array("i", bytes(1024))
    steps = 0
    for new_id, pair in enumerate(merges, start=256):
        steps += right_depth[pair[0]] + left_depth[pair[1]]
        if steps > MAX_STEPS_BACK:
            raise ValueError(
                f"The tokens up to merge {new_id - 255:,} are built one inside the other so often that it "
                "would take hours to find out which of them can arise. That is no vocabulary that text could "
                "have grown."
            )
        left_depth.append(1 + left_depth[pair[0]])
        right_depth.append(1 + right_depth[pair[1]])
        if not dead.isdisjoint(pair) or not cut_stays(pair, new_id, merges, new_ids):
            dead.add(new_id)
        else:
            new_ids[pair] = new_id
            reachable.append(new_id)
    return reachable


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
