"""Split patterns that tiktoken reads as we do are told from those that it does not; it is asked itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenizers as tk
from tests.test_formats import loaded_by_the_snippet
from tokenizers.dialects import differences
from tokenizers.patterns import PATTERNS

TEXT = (
    "Hello, wörld don't 12345  x\n\n ab a-b&&c~d|e [f] aab aa\r\nΩμέγα नमस्ते 안녕 한 e\u0301 \u0661\u0662 "
    "k\u212a _a_ ²½ .!? \u200d ªº ⓐⓑ a\u00a0b\u0085c\u2028d\x1cf\x0bg\t# aba ABC\na]b\nab a\n"
)

ALIKE = [
    *(
        r"\p{L}+",
        r"\p{L}++",
        r"\P{L}+",
        r"[^\p{L}]+",
        r"\p{^L}+",
        r"\p{Greek}+",
        r"\p{Lu}\p{Ll}*",
        r"\p{Han}",
    ),
    *(
        r"\w+",
        r"\d+|\s+",
        r"\W+",
        r"\b\w",
        r"[\w']+",
        r"[^\W\d_]+",
        r"\S+\s?",
        r"(?i)ab",
        r"(?i:ab)c",
        r"\pL+",
    ),
    *(".", ".+", "(?s).+", "(?s:.)", "(?m)^a", "(?m)a$", r"\Aa", r"a\z", r"\n", r"\r?\n", r"[\r\n]+", r"\R"),
    *(
        "(?<=a)b",
        "(?<=a|bc)d",
        "(?<!a)b",
        "(?>a+)b",
        "(?P<x>a)b",
        "(?<n>a)",
        "[a-]+",
        r"[\[a]b",
        "[a&b]",
        "^a",
    ),
    *(r"\u0041", r"\x41", r"\w{1,3}+", r"\-", "#", " ", "[]a]+", "a|b", "(a|b)*c", r"[\s\S]{1,4}"),
    r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+",
]
UNLIKE = [
    *("a*", "(?=a)", r"\b", r"\p{L}?+", "a|", "(|a)", "a?b?", r"\s*", "(?:)", "^", "$"),
    *(r"[\w--a]+", "[a&&b]", "[a~~b]+", "[&&a]", "[[:alpha:]]+", "[[a]b]", r"\X", r"\h+", r"\m\w", r"a\Kb"),
    *(r"(a)\1", "(?P<x>a)(?P=x)", "a(?i)b", "(?|a|b)", "(?a)\\w+", "(?V1)[a--b]", "(?r)a", "(a)?(?(1)a|b)"),
    *("a{e<=1}", r"\p{L&}+", r"\p{InGreek}", r"\0", r"\07", "a$", r"a\Z"),
]


def test_named_patterns_are_read_alike() -> None:
    for pattern in (None, *PATTERNS.values()):
        assert not differences(pattern)


@pytest.mark.parametrize("pattern", ALIKE)
def test_what_is_read_alike(pattern: str, tmp_path: Path) -> None:
    assert not any(found.tiktoken for found in differences(pattern))
    grove = tk.train(TEXT * 2, 400, pattern)
    assert loaded_by_the_snippet(grove, tmp_path).encode_ordinary(TEXT) == grove.encode(TEXT)


@pytest.mark.parametrize("pattern", UNLIKE)
def test_what_is_not(pattern: str) -> None:
    assert any(found.tiktoken for found in differences(pattern))


@pytest.mark.parametrize(
    ("pattern", "constructs"),
    [
        ("(?x) a # [&&]", ["(?x)"]),
        (r"\w{1,3}+", ["\\w at a zero-width joiner", "a possessive {…}+"]),
        ("(?P<x>a)b", ["(?P<…>"]),
        (r"[[:alpha:]--b]", ["[:…:]", "-- in a class"]),
        (r"[^\]&&]|[\\-]", ["&& in a class"]),
        (r"(?s:.)|\pL", ["(?s)", "\\p without {}"]),
        (r"\p{IsGreek}\p{L&}", ["\\p{IsGreek}", "\\p{L&}"]),
        (r"a{2}b{1,}c{,3}\{", []),
        (r"(?m)$", ["(?m)", "$", "a match of nothing"]),
    ],
)
def test_constructs_are_named(pattern: str, constructs: list[str]) -> None:
    assert [found.construct for found in differences(pattern)] == constructs


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(?:a(?R)?b|c)", "(", "[", "\\"])
def test_any_pattern_gets_an_answer_or_a_sentence(pattern: str) -> None:
    try:
        differences(pattern)
    except ValueError as problem:
        assert "not a valid regular expression" in str(problem)
