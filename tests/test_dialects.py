"""Split patterns that other engines read otherwise are told: the engines themselves are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenizers as tk
from tests.test_formats import loaded_by_the_snippet
from tokenizers.split import bounded, engine_tasks
from tokenizers.split.dialects import MAX_LITERALS, Trial, spell_for_tiktoken, try_pattern
from tokenizers.split.patterns import PATTERNS

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
    *(r"(a)\1", "(?P<x>a)(?P=x)", "a(?i)b", "(?|a|b)", "(?a)\\w+", "(?V1)[a--b]", "(a)?(?(1)a|b)"),
    *("a{e<=1}", r"\p{L&}+", r"\p{InGreek}", r"\0", r"\07", "a$", r"a\Z"),
]


# Each was once told wrongly, or not at all, by a table of constructs.
FALSE_ALARMS = [r"a\z", "a(?#sign)b", "(?-i:a)b", r"\w+|\s", "(?s:.)"]
NOT_TOLD = [r"\<a", r"a\>", r"[\w-a]", "(?=a)*", "a(*SKIP)b", r"\p{XDigit}", "(?i:i)", r"\p{Graph}+"]
HUGGINGFACE_NOT_TOLD = ["a{2}?", "(?i:ss)", r"\U0001F600", r"\xe9", r"[[:alnum:]]", r"\p{Word}", "(?<!(a))b"]

needs_huggingface = pytest.mark.skipif(
    not engine_tasks.has_huggingface(), reason="Hugging Face's tokenizers: pip install tokenizers"
)


def test_named_patterns_are_read_alike() -> None:
    for pattern in (None, *PATTERNS.values()):
        trials = try_pattern(pattern)
        assert trials.tiktoken == trials.huggingface == Trial("alike")


@pytest.mark.parametrize("name", PATTERNS)
def test_named_patterns_pass_the_trial_that_others_take(name: str) -> None:
    """The same expression under a name that nobody knows: a group around it."""
    own = f"(?:{PATTERNS[name]})"
    trials = try_pattern(own)
    assert trials.tiktoken.state == "alike"
    assert trials.huggingface.state in ("alike", "not installed")


@pytest.mark.parametrize("pattern", ALIKE)
def test_what_is_read_alike(pattern: str, tmp_path: Path) -> None:
    assert try_pattern(pattern).tiktoken.state == "alike"
    grove = tk.train(TEXT * 2, 400, pattern)
    assert loaded_by_the_snippet(grove, tmp_path).encode_ordinary(TEXT) == grove.encode(TEXT)


@pytest.mark.parametrize("pattern", [*UNLIKE, *NOT_TOLD])
def test_what_is_not(pattern: str) -> None:
    trial = try_pattern(pattern).tiktoken
    assert trial.state in ("unlike", "refused")
    if trial.state == "unlike":
        assert "".join(trial.ours) == trial.text and trial.theirs != trial.ours
    else:
        assert trial.message


@pytest.mark.parametrize("pattern", FALSE_ALARMS)
def test_no_false_alarm(pattern: str) -> None:
    assert try_pattern(pattern).tiktoken.state == "alike"


@needs_huggingface
@pytest.mark.parametrize("pattern", HUGGINGFACE_NOT_TOLD)
def test_what_hugging_face_reads_otherwise(pattern: str) -> None:
    assert try_pattern(pattern).huggingface.state in ("unlike", "refused")


@needs_huggingface
@pytest.mark.parametrize(
    "pattern", [r"\p{L}+|\s+", r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+", "(?i:ab)c", "a|b"]
)
def test_what_hugging_face_reads_alike(pattern: str) -> None:
    assert try_pattern(pattern).huggingface.state == "alike"


def test_the_pieces_that_were_seen_are_those_of_the_engine() -> None:
    trial = try_pattern("[a&&b]").tiktoken
    joined = "".join(trial.theirs)
    assert trial.text == joined  # the alternative for the rest drops nothing
    assert engine_tasks.try_tiktoken("(?:a|b)", ["ab-"], [["ab-"]]) == ("unlike", 0, ("a", "b"))


@pytest.mark.parametrize("texts", [["abcd"]])
@pytest.mark.parametrize(
    "theirs", ["a|b|c|d", "ab|cd", "abc|d", "a|bc|d", "abcd", "a|bcd", "[ab]|cd", "ab|c|d", "(?:a|c)|bd"]
)
@pytest.mark.parametrize("ours", [["a", "b", "c", "d"], ["ab", "cd"], ["abc", "d"], ["a", "bcd"], ["abcd"]])
def test_the_trial_sees_every_cut(texts: list[str], theirs: str, ours: list[str]) -> None:
    """tiktoken shows no pieces; that the trial finds them out all the same, ``regex`` confirms."""
    import regex

    kind, _, _ = engine_tasks.try_tiktoken(theirs, texts, [ours])
    assert (kind == "alike") == (regex.findall(theirs, texts[0]) == ours)


def test_a_pattern_that_an_engine_cannot_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*args: object, **options: object) -> object:
        raise bounded.TooSlowError

    monkeypatch.setattr("tokenizers.split.bounded.run", run)
    assert try_pattern("[q-r]+x").tiktoken == Trial("too much")


def test_many_different_characters_do_not_make_many_texts() -> None:
    from tokenizers.split.dialects import _iter_texts

    many = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    assert len(set(_iter_texts(many))) < 700 + 80 * MAX_LITERALS


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(?:a(?R)?b|c)", "(", "[", "\\"])
def test_any_pattern_gets_an_answer_or_a_sentence(pattern: str) -> None:
    try:
        try_pattern(pattern)
    except ValueError as problem:
        assert "not a valid regular expression" in str(problem)


def test_the_rest_is_spelled_for_tiktoken() -> None:
    assert spell_for_tiktoken("(?x) a # sign") == "(?:(?x) a # sign\n)|(?:(?!(?:(?x) a # sign\n))[\\s\\S])+"


def test_a_pattern_that_somewhere_matches_nothing_is_not_called_alike() -> None:
    """``make fuzz`` found it; none of the texts that are tried shows it."""
    trial = try_pattern(r"s?[^\s\p{L}]{1,3}\n|(?='A?\S?s)").tiktoken
    assert trial.state == "refused" and "matches nothing" in trial.message
