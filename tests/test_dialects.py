"""Split patterns that other engines read otherwise are told: the engines themselves are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import regex

from tests.examples import some
from tokenizers.split import Difference, bounded, find_difference
from tokenizers.split.dialects import spell_for_tiktoken
from tokenizers.split.engines import cut_by_tiktoken
from tokenizers.split.patterns import PATTERNS

TEXT = (
    "Hello, wörld don't 12345  x\n\n ab a-b&&c~d|e [f] aab aa\r\nΩμέγα नमस्ते 안녕 한 e\u0301 \u0661\u0662 "
    "k\u212a _a_ ²½ .!? \u200d ªº ⓐⓑ a\u00a0b\u0085c\u2028d\x1cf\x0bg\t# aba ABC\na]b\nab a\n"
)

ALIKE = [
    *r"\p{L}+ \p{L}++ \P{L}+ [^\p{L}]+ \p{^L}+ \p{Greek}+ \p{Lu}\p{Ll}* \p{Han} \pL+".split(),
    *r"\w+ \d+|\s+ \W+ \b\w [\w']+ [^\W\d_]+ \S+\s? (?i)ab (?i:ab)c".split(),
    *r". .+ (?s).+ (?s:.) (?m)^a (?m)a$ \Aa a\z \n \r?\n [\r\n]+ \R".split(),
    *r"(?<=a)b (?<=a|bc)d (?<!a)b (?>a+)b (?P<x>a)b (?<n>a) [a-]+ [\[a]b [a&b] ^a".split(),
    *r"\u0041 \x41 \w{1,3}+ \- # []a]+ a|b (a|b)*c [\s\S]{1,4} a(?#sign)b (?-i:a)b \w+|\s".split(),
    " ",
    r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+",
]
UNLIKE = (
    r"a* (?=a) \b \p{L}?+ a| (|a) a?b? \s* (?:) ^ $ [\w--a]+ [a&&b] [a~~b]+ [&&a] [[:alpha:]]+ "
    r"[[a]b] \X \h+ \m\w a\Kb (a)\1 (?P<x>a)(?P=x) a(?i)b (?|a|b) (?a)\w+ (?V1)[a--b] "
    r"(a)?(?(1)a|b) \<a a\> [\w-a] (?=a)* a(*SKIP)b \p{XDigit} (?i:i) \p{Graph}+ a{e<=1} \p{L&}+ "
    r"\p{InGreek} \0 \07 a$ a\Z"
).split()
UNLIKE_HUGGINGFACE = ["a{2}?", "(?i:ss)", r"\U0001F600", r"\xe9", r"[[:alnum:]]", r"\p{Word}", "(?<!(a))b"]


def test_named_patterns_are_read_alike() -> None:
    for pattern in (None, *PATTERNS.values()):
        assert find_difference(pattern, "tiktoken") is find_difference(pattern, "huggingface") is None


@pytest.mark.parametrize("pattern", some(ALIKE, 4))
def test_what_is_read_alike(pattern: str) -> None:
    assert find_difference(pattern, "tiktoken") is None


@pytest.mark.parametrize("pattern", some(UNLIKE, 4))
def test_what_is_not(pattern: str) -> None:
    difference = find_difference(pattern, "tiktoken")
    assert difference is not None
    assert difference.problem or difference.theirs != difference.ours


@pytest.mark.slow
@pytest.mark.parametrize("pattern", UNLIKE_HUGGINGFACE)
def test_what_hugging_face_reads_otherwise(pattern: str) -> None:
    assert find_difference(pattern, "huggingface") is not None


@pytest.mark.parametrize(
    "pattern", [r"\p{L}+|\s+", r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+", "(?i:ab)c", "a|b"]
)
def test_what_hugging_face_reads_alike(pattern: str) -> None:
    assert find_difference(pattern, "huggingface") is None


@pytest.mark.parametrize("theirs", ["a|b|c|d", "ab|cd", "abc|d", "a|bc|d", "abcd", "a|bcd", "(?:a|c)|bd"])
def test_the_pieces_of_tiktoken_are_seen(theirs: str) -> None:
    """tiktoken shows no pieces; that the task finds them out all the same, ``regex`` confirms."""
    assert cut_by_tiktoken(theirs, ["abcd"]) == [regex.findall(theirs, "abcd")]


def test_a_pattern_that_an_engine_cannot_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = bounded.run

    def run_ours(file: Path, function: str, *args: object, **options: Any) -> object:
        if function == "cut_by_tiktoken":
            raise bounded.LimitError(options["too_slow"])
        return run(file, function, *args, **options)

    monkeypatch.setattr(bounded, "run", run_ours)
    assert find_difference("[q-r]+x", "tiktoken") == Difference("it takes too long, or too much memory")


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(?:a(?R)?b|c)", "(", "[", "\\"])
def test_any_pattern_gets_an_answer_or_a_sentence(pattern: str) -> None:
    try:
        find_difference(pattern, "tiktoken")
    except ValueError as problem:
        assert "not a valid regular expression" in str(problem)


def test_the_rest_is_spelled_for_tiktoken() -> None:
    assert spell_for_tiktoken("(?x) a # sign") == "(?:(?x) a # sign\n)|(?:(?!(?:(?x) a # sign\n))[\\s\\S])+"
