"""The factors of a premium: known figures, which tiktoken and regex alone gave, too."""

from __future__ import annotations

import pytest

from tokenizers import get_encoding
from tokenizers.data import get_language
from tokenizers.measure import premium_parts


@pytest.mark.parametrize(
    ("name", "language", "walls", "vocabulary", "premium"),
    [
        ("cl100k_base", "hin", 2.68, 1.96, 5.26),
        ("o200k_base", "hin", 1.10, 1.43, 1.58),
        ("gpt2", "mya", 4.86, 4.22, 20.54),
    ],
)
def test_premium_parts_are_known(
    name: str, language: str, walls: float, vocabulary: float, premium: float
) -> None:
    text = get_language(language).text
    base = get_language("eng").text
    parts = premium_parts(get_encoding(name), text, base)
    assert parts is not None
    assert [round(each, 2) for each in (*parts, parts.premium)] == [walls, vocabulary, premium]


def test_premium_parts_of_what_has_no_walls_are_none() -> None:
    assert premium_parts(get_encoding("gemma-4"), "a b", "a") is None
