"""Sizes in words: tests/sizes.json holds Python to it here, and the browser in test_modules.py."""

from __future__ import annotations

import json

import pytest

from pages.session.own_texts import LIMITS
from tests.browser import ROOT
from tests.refusals import refused
from tokenizers.amounts import bytes_in_words
from tokenizers.text import MAX_TEXT_BYTES, check_size

SIZES = json.loads((ROOT / "tests" / "sizes.json").read_text("utf-8"))


@pytest.mark.parametrize("size, words", SIZES)
def test_a_size_is_written_as_the_table_says(size: int, words: str) -> None:
    assert bytes_in_words(size) == words


def test_a_limit_reads_the_same_wherever_it_stands() -> None:
    """What is allowed, in a page's sentence and in a refusal; a text of exactly that size is taken."""
    check_size(MAX_TEXT_BYTES, "This text")
    with refused(f"up to {bytes_in_words(MAX_TEXT_BYTES)} at a time"):
        check_size(MAX_TEXT_BYTES + 1, "This text")
    assert f"{bytes_in_words(MAX_TEXT_BYTES)} each" in LIMITS
