"""The training taken apart: each state follows from the one before by the rule that it shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.texts import any_text
from tokenizers.bpe.plain import MAX_BYTES, MAX_STEPS, Ties, count_pairs, merge_pair, step_through

ties_rules = st.sampled_from(["smallest", "first"])


@examples(100)
@given(st.text("ab \n1é", max_size=60) | any_text, ties_rules, st.sampled_from([None, "gpt2", "gpt4o"]))
def test_each_state_follows_from_the_one_before(text: str, ties: Ties, pattern: str | None) -> None:
    stepping = step_through(text[:100], ties, pattern)
    data = b"".join(stepping.tokens[i] for piece in stepping.states[0].pieces for i in piece)
    assert len(data) == stepping.n_bytes
    for now, after in zip(stepping.states, stepping.states[1:], strict=False):
        assert dict(now.pairs) == dict(count_pairs(now.pieces))
        assert now.winner == now.pairs[0][0]
        assert now.tied == sum(count == now.pairs[0][1] for _, count in now.pairs)
        assert [list(p) for p in after.pieces] == [merge_pair(p, now.winner, now.new_id) for p in now.pieces]
        assert b"".join(stepping.tokens[i] for piece in after.pieces for i in piece) == data
    assert stepping.states[-1].winner is None
    assert len(stepping.states) == MAX_STEPS + 1 or not stepping.states[-1].pairs


def test_a_picked_pair_is_merged_first_and_one_that_is_gone_is_not() -> None:
    picks = [(98, 100), (98, 100)]
    states = step_through("aaabdaaabac", picks=picks).states
    assert states[0].winner == (98, 100)
    assert [state.winner for state in states[1:3]] == [state.pairs[0][0] for state in states[1:3]]


def test_a_long_text_is_refused() -> None:
    with pytest.raises(ValueError, match="By hand takes up to 2,000"):
        step_through("a" * (MAX_BYTES + 1))
