"""The training taken apart: each state follows from the one before by the rule that it shows."""

from __future__ import annotations

import pytest

from tests.refusals import refused
from tokenizers.bpe.plain import (
    MAX_STEPPED_BYTES,
    MAX_STEPS,
    Pair,
    Ties,
    step_through,
)


@pytest.mark.parametrize(
    ("ties", "winners"),
    [("smallest", [(97, 97), (97, 98), (256, 257)]), ("first", [(97, 97), (256, 97), (257, 98)])],
)
def test_step_through_shows_each_state(ties: Ties, winners: list[Pair]) -> None:
    stepping = step_through("aaabdaaabac", ties)
    assert [state.winner for state in stepping.states[:3]] == winners
    assert stepping.states[-1].winner is None and not stepping.states[-1].pairs
    assert stepping.n_bytes == 11 and stepping.states[0].new_id == 256
    assert [*stepping.states[1].pieces[0]] == [256, 97, 98, 100, 256, 97, 98, 97, 99]
    words = step_through("ab ab", ties, "gpt2").states[0]
    assert dict(words.pairs) == {(97, 98): 2, (32, 97): 1}
    assert len(step_through("abcdefgh" * 99, ties).states) <= MAX_STEPS + 1


def test_a_long_text_is_refused() -> None:
    with refused("By hand takes up to 2,000"):
        step_through("a" * (MAX_STEPPED_BYTES + 1))
