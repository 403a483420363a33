"""The training taken apart: each state follows from the one before by the rule that it shows."""

from __future__ import annotations

import pytest

from tests.refusals import refused
from tokenizers.bpe.plain import (
    MAX_STEPPED_BYTES,
    MAX_STEPS,
    TIE_RULES,
    Ties,
    step_through,
)


@pytest.mark.parametrize("ties", TIE_RULES)
def test_step_through_ends_after_so_many_steps(ties: Ties) -> None:
    assert len(step_through("abcdefgh" * 99, ties).states) <= MAX_STEPS + 1


def test_a_long_text_is_refused() -> None:
    with refused("By hand takes up to 2,000"):
        step_through("a" * (MAX_STEPPED_BYTES + 1))
