"""The plain algorithm: known answers from outside, and what the words of its rules say."""

from __future__ import annotations

from hypothesis import given
from tiktoken._educational import bpe_train

import tokenizers as tk
from tests.examples import examples
from tests.refusals import refused
from tests.trained import few_letters
from tokenizers.split.patterns import PATTERNS


def test_a_pattern_that_nests_too_deeply_is_refused() -> None:
    with refused("nested"):
        tk.iter_merges("aa", 1, pattern="(" * 5000 + ")" * 5000)


@examples(50)
@given(few_letters)
def test_first_is_the_rule_of_tiktokens_lecture(text: str) -> None:
    """tiktoken._educational trains in another way of writing: tokens as bytes, no ids."""
    steps = list(tk.iter_merges(text, 12, ties="first", pattern="gpt2"))
    ranks = bpe_train(text, 256 + len(steps), PATTERNS["gpt2"], visualise=None)
    tokens = [bytes([byte]) for byte in range(256)]
    for step in steps:
        tokens.append(tokens[step.pair[0]] + tokens[step.pair[1]])
    assert tokens == sorted(ranks, key=ranks.__getitem__)
