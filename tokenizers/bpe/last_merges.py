"""The last merge of every token of a list of merges, without running the merges of each.

Merging a token's bytes alone ends with two parts, which its last merge joins. Running all merges of each
token takes long in a large vocabulary. But a list of merges says which parts it may be, and whether those two
come to be side by side can be found from their own last merges: no merge over the place between them may
have come before. So their merges are taken back, the latest first, and each time it is looked up whether the
two that are then at that place would have been joined earlier:

    the|re     taken back:  the|r     did a merge join these before “re” was made?
                            he|r      ... before “the” was made?
                            e|r       ... before “he” was made? If none did, “the” meets “re”

This holds where each token's rank comes after those of its parts. For all others the merges are run.

Source of the idea: https://github.com/github/rust-gems, crates/bpe.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence


def last_middles(
    ranks: Mapping[bytes, int],
    listed: Mapping[bytes, Sequence[int]],
    letters: Container[bytes],
    run: Callable[[bytes], int],
) -> dict[bytes, int]:
    """How long the left part of each token's last merge is, in bytes; 0: merges do not reach the token.

    Args:
        ranks: when each token is merged that merges make; all different.
        listed: how long the left part may be, as a list of merges says.
        letters: what merging begins with: bytes or characters.
        run: works it out for one token by running its merges.

    >>> ranks = {b"ab": 0, b"ba": 1, b"aba": 2}
    >>> last_middles(ranks, {b"ab": [1], b"ba": [1], b"aba": [1, 2]}, {b"a", b"b"}, lambda token: 0)
    {b'ab': 1, b'ba': 1, b'aba': 2}
    """
    made: dict[bytes, _Made] = {}
    early: set[bytes] = set()  # tokens whose rank is before that of a part, or a part of a part
    for token in sorted(ranks, key=len):
        rank, middle = ranks[token], 0
        for place in listed.get(token, ()):
            left, right = token[:place], token[place:]
            if early and (left in early or right in early):
                middle = 0
                break
            left_made, right_made = made.get(left, _LETTER), made.get(right, _LETTER)
            is_reached = (left_made[0] >= 0 or left in letters) and (right_made[0] >= 0 or right in letters)
            if is_reached and _come_together((left, left_made), (right, right_made), made, ranks):
                middle = place
                break
        if not middle:
            middle = run(token)
            if not middle:
                continue
            left, right = token[:middle], token[middle:]
            left_made, right_made = made.get(left, _LETTER), made.get(right, _LETTER)
        made[token] = rank, left, right
        if left_made[0] > rank or right_made[0] > rank or left in early or right in early:
            early.add(token)
    return {token: len(made[token][1]) if token in made else 0 for token in ranks}


_Made = tuple[int, bytes, bytes]
"""The rank of a token, and the two parts that it is made of."""

_LETTER: _Made = (-1, b"", b"")


def _come_together(
    left: tuple[bytes, _Made],
    right: tuple[bytes, _Made],
    made: Mapping[bytes, _Made],
    ranks: Mapping[bytes, int],
) -> bool:
    """Whether two tokens come to be side by side when the bytes of both are merged together."""
    left_data, (left_rank, _, left_end) = left
    right_data, (right_rank, right_begin, _) = right
    while True:
        if left_rank > right_rank:  # the later one is taken back; of equals, the right one
            limit, left_data = left_rank, left_end
            left_rank, _, left_end = made.get(left_data, _LETTER)
        elif right_rank >= 0:
            limit, right_data = right_rank + 1, right_begin
            right_rank, right_begin, _ = made.get(right_data, _LETTER)
        else:
            return True  # two letters are left
        if ranks.get(left_data + right_data, limit) < limit:
            return False
