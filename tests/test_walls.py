"""The factors of a premium: known figures, which tiktoken and regex alone gave, too."""

from __future__ import annotations

import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.judge import judge
from tests.refusals import refused
from tokenizers import get_encoding
from tokenizers.data import get_language
from tokenizers.measure import difference_parts, gini, premium_interval, premium_parts, premium_under
from tokenizers.split import PATTERNS


@pytest.mark.parametrize("name, pattern", [("gpt2", "gpt4o"), ("cl100k_base", "gpt4o"), ("gpt2", "gpt2")])
def test_premium_under_another_pattern_is_that_of_tiktoken_with_it(name: str, pattern: str) -> None:
    theirs = judge(name)
    moved = tiktoken.Encoding(
        "moved", pat_str=PATTERNS[pattern], mergeable_ranks=theirs._mergeable_ranks, special_tokens={}
    )
    text, base = (get_language(code).text[:3_000] for code in ("hin", "eng"))
    parts = premium_under(get_encoding(name), text, base, pattern)
    if name == pattern:
        assert parts == premium_parts(get_encoding(name), text, base)
    counts = [len(moved.encode_ordinary(each)) for each in (text, base)]
    assert parts.premium == pytest.approx(counts[0] / counts[1], rel=1e-12)
    pieces = [len(regex.findall(PATTERNS[pattern], each)) for each in (text, base)]
    assert parts.walls == pieces[0] / pieces[1]


def test_premium_interval_holds_the_premium_and_needs_as_many_paragraphs() -> None:
    gpt2 = get_encoding("gpt2")
    text = "\n".join("aa bb" + " c" * number for number in range(40))
    assert premium_interval(gpt2, text, text) == (1, 1)
    low, high = premium_interval(gpt2, text.replace("c", "é é"), text) or (0, 0)
    parts = premium_parts(gpt2, text.replace("c", "é é"), text)
    assert parts is not None and 1 < low < parts.premium < high < 2 and high - low < 0.2
    assert premium_interval(gpt2, text, text + "\nmore") is None
    assert premium_interval(gpt2, "a\nb", "a\nb") is None


@given(values=st.lists(st.floats(0.5, 20), min_size=1, max_size=30))
def test_gini_is_half_the_mean_difference(values: list[float]) -> None:
    differences = [abs(one - other) for one in values for other in values]
    expected = sum(differences) / len(differences) / 2 / (sum(values) / len(values))
    assert gini(values) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("text", ["नमस्ते दुनिया", "1234567 and 2", "x"])
def test_difference_parts_are_those_of_tiktoken(text: str) -> None:
    a, b = judge("cl100k_base"), judge("o200k_base")
    parts = difference_parts(get_encoding("cl100k_base"), get_encoding("o200k_base"), text)
    assert parts is not None
    pieces = [len(regex.findall(each._pat_str, text)) for each in (a, b)]
    assert parts.walls == pieces[1] / pieces[0]
    assert parts.premium == pytest.approx(len(b.encode(text)) / len(a.encode(text)), rel=1e-12)


def test_premium_parts_of_what_has_no_walls_are_none() -> None:
    assert premium_parts(get_encoding("words"), "a b", "a") is None
    with refused("its walls cannot be moved"):
        premium_under(get_encoding("words"), "a b", "a", "gpt2")
    assert difference_parts(get_encoding("words"), get_encoding("gpt2"), "a") is None
