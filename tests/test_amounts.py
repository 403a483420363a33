"""Sizes and shares in words: tests/sizes.json holds Python to it here, and the browser in test_modules.py."""

from __future__ import annotations

import json

import pytest

from pages.session.own_texts import LIMITS
from tests.browser import ROOT
from tests.refusals import refused
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.text import MAX_TEXT_BYTES, check_size

SIZES: list[tuple[int, str]] = [
    (size, words) for size, words in json.loads((ROOT / "tests" / "sizes.json").read_text("utf-8"))
]


@pytest.mark.parametrize("size, words", SIZES)
def test_a_size_is_written_as_the_table_says(size: int, words: str) -> None:
    assert bytes_in_words(size) == words


def test_a_limit_reads_the_same_wherever_it_stands() -> None:
    """What is allowed, in a page's sentence and in a refusal; a text of exactly that size is taken."""
    check_size(MAX_TEXT_BYTES, "This text")
    with refused(f"up to {bytes_in_words(MAX_TEXT_BYTES)} at a time"):
        check_size(MAX_TEXT_BYTES + 1, "This text")
    assert f"{bytes_in_words(MAX_TEXT_BYTES)} each" in LIMITS


@pytest.mark.parametrize(
    "share, words",
    {
        0: "0%",
        0.00099: "less than 0.1%",
        0.001: "0.1%",
        0.0312: "3.1%",
        0.09949: "9.9%",
        0.0995: "10%",
        0.9949: "99%",
        0.995: "more than 99%",
        1: "100%",
        1.25: "125%",
    }.items(),
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(share: float, words: str) -> None:
    assert share_in_words(share) == words
