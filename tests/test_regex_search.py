"""A regular expression over many texts, joined for one scan: ``pattern.search`` on each of them judges."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.limits import processor_seconds
from tokenizers.measure import regex_search
from tokenizers.measure.regex_search import _SLICE, WALL, matching, rewritten

# What is rewritten, and what is left to the search of each text; parts that go wrong first.
ATOMS = [
    *"a b A . [ab] [^a] [^\\n] [^]a] [^-a] []a] [a-c^] [^\\]] [^\\d] [\\W] [^\\W\\d] é ß İ 👍 - ] }".split(),
    *"\\n \\d \\D \\w \\W \\s \\S \\. \\- \\x61 \\u0061 \\p{Lu} \\P{Lu} \\p{Cn} \\p{^L} \\p{Any}".split(),
    " ",
]
STRANGE = [*"\\X \\R [[:alpha:]] \\m \\K \\uffff".split(), WALL, f"[{WALL}a]", f"[^{WALL}]", "\\N{DIGIT ONE}"]
ENDS = [
    *"^ $ \\A \\Z \\b \\B \\G (?<=a) (?<!a) (?=b) (?!b) (?<=^a) (?!$) (?<![^a]) (?<=\\W)".split(),
]
REPEATS = ["", "", "", "*", "+", "?", "*?", "+?", "*+", "{2}", "{1,2}", "{,2}", "{"]
GROUPS = [
    *"(PART) (?:PART) (?>PART) (PART)\\1 (?P<x>PART)(?P=x) (PART)?(?(1)a|b) (?i:PART)".split(),
    *"(?=PART) (?!PART) (?<=PART) (?<!PART) (PART|)".split(),
]


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    branches = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        parts = []
        for _ in range(draw(st.integers(0, 3))):
            kind = draw(st.integers(0, 24))
            part = draw(st.sampled_from(STRANGE if kind == 0 else ENDS if kind < 9 else ATOMS))
            if depth and draw(st.integers(0, 3)) == 0:
                part = draw(st.sampled_from(GROUPS)).replace("PART", draw(patterns(depth - 1)))
            parts.append(part + draw(st.sampled_from(REPEATS)))
        branches.append("".join(parts))
    return "|".join(branches)


CHARACTERS = st.sampled_from("aaabbA \n1-]^.éßſİı👍\u0301\u200d\ufffd\r\x00")
TEXTS = st.lists(st.text(CHARACTERS, max_size=6), max_size=12)
FLAGS = st.sampled_from([""] * 7 + ["(?i)", "(?s)", "(?m)", "(?si)", "(?x)", "(?a)", "(?V1)", "(?r)"])


LONG = 60.0
"""Seconds that no search here takes, however busy the machine is."""


def plain(pattern: regex.Pattern[str], texts: list[str], timeout: float = LONG) -> list[int]:
    return [place for place, text in enumerate(texts) if pattern.search(text, timeout=timeout)]


@pytest.mark.slow
@examples(400)
@given(FLAGS, patterns(), TEXTS, st.sampled_from([0, 12]))
@example("", "^$", ["", "\n", "a", "\n\n", ""], 0)
@example("", "a*", ["", "b", "aa"], 0)
@example("(?s)", "a.*b", ["a\nb", "a", "b", "ab"], 0)
@example("(?m)", "^b$", ["a\nb", "b\n", "ab"], 0)
@example("", "(?<!a)b", ["a", "b", "ab"], 0)
@example("", "[^a]", ["a", WALL, "ab"], 0)
@example("(?i)", "\\p{Lu}$", ["a", "", "A\n"], 0)
@example("", "a(*SKIP)b|a", ["aab", "a"], 0)
def test_finds_what_a_search_of_each_text_finds(
    flags: str, query: str, texts: list[str], harmless: int
) -> None:
    try:
        pattern = regex.compile(flags + query)
        expected = plain(pattern, texts, 0.5)
    except (regex.error, TimeoutError, ValueError, MemoryError, RecursionError, OverflowError, IndexError):
        return  # no pattern of a person comes this far, or the judge gave up
    assert matching(pattern, texts, LONG, harmless=harmless) == expected


@pytest.mark.parametrize(
    "query",
    [
        "^ ?[A-Z][a-z]+$", "^(?:ab|[cd])+$", r"^(.)(.).?\2\1$", "ing$", "[^a]$", r"(\w)\1\1", r"\b[aeiou]{3}",
        r"\bin\B", r"(?i)THE", r"^\P{L}+$", r"\D\D$", r"\p{Han}", "a.*e.*i", "", "(?s)^.$", "(?m)^a$",
        "(?<![a-z])the(?!m)", r"\A.\Z", "(?>a+)b", "(?P<x>a)|b", r"[^\]-]-",
    ],
)  # fmt: skip
def test_usual_patterns_are_rewritten(query: str) -> None:
    texts = [text for text in tk.vocabulary_of(tk.get_encoding("gpt2")).texts if text][::7]
    pattern = regex.compile(query)
    assert rewritten(query, pattern.flags) is not None
    assert matching(pattern, texts, LONG) == plain(pattern, texts)


@pytest.mark.parametrize(
    "query",
    [r"\X", "(?R)?a", "(?|a|b)", "a(*SKIP)b", "[[:alpha:]]", "(?:ab){e<=1}", "^*a", "(?r)a", "(?i:a)", "a]"],
)  # fmt: skip
def test_others_are_not(query: str) -> None:
    assert rewritten(query, regex.compile(query).flags) is None


def test_texts_beyond_one_scan() -> None:
    texts = [f"{i:b}" for i in range(3 * _SLICE + 5)]
    pattern = regex.compile("^1(01)*$")
    assert matching(pattern, texts, LONG) == plain(pattern, texts)
    texts[_SLICE] = WALL  # this part is searched text by text
    pattern = regex.compile("[^01]|11$")
    assert matching(pattern, texts, LONG) == plain(pattern, texts)


@pytest.mark.parametrize(
    "query", [r"(a|a|aa)+$b", r"(?:a|a|aa)+\X\Gb", r"(x+x+)+y|(a+)+$b", "(?:(?:a|a)+)+$b|c"]
)
@pytest.mark.parametrize("length", [9, 14, 300])
@pytest.mark.slow
def test_a_hostile_pattern_ends(query: str, length: int) -> None:
    """Many texts that take for ever each, and many that take a little each."""
    texts = ["a" * length + "c"] * 20_000
    with processor_seconds(5):
        try:
            matching(regex.compile(query), texts, 0.1)
        except TimeoutError:
            pass


class Slow:
    """A pattern that matches nothing, and by its own clock takes the same time for every text.

    The time of a scan of many texts is that of all of them.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now = seconds, 0.0
        self.pattern, self.flags = "a", 0

    def perf_counter(self) -> float:
        return self.now

    def search(
        self,
        text: str,
        pos: int | None = None,
        endpos: int | None = None,
        concurrent: bool | None = None,
        partial: bool = False,
        timeout: float | None = None,
    ) -> None:
        self._take(self.seconds, timeout)

    def finditer(self, text: str, concurrent: bool, timeout: float) -> list[regex.Match[str]]:
        self._take(self.seconds * (text.count(WALL) - 1), timeout)
        return []

    def _take(self, seconds: float, timeout: float | None) -> None:
        if timeout is not None and seconds > timeout:
            self.now += timeout
            raise TimeoutError
        self.now += seconds


@pytest.mark.parametrize("is_scanned", [True, False])
@pytest.mark.parametrize("seconds", [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 1.0, 1e9])
def test_the_time_is_kept(seconds: float, is_scanned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    slow: Any = Slow(seconds)
    monkeypatch.setattr(regex_search, "time", slow)
    monkeypatch.setattr(regex_search, "rewritten", lambda query, flags: slow if is_scanned else None)
    texts = ["a"] * 20_000
    if seconds * len(texts) < 0.3:
        assert matching(slow, texts, 0.3) == []
    else:
        with pytest.raises(TimeoutError):
            matching(slow, texts, 0.3)
    # It is late by what may pass between two looks at the clock: a scan, and 64 short searches.
    assert slow.now <= 0.3 + regex_search._SCAN_SECONDS + 64 * regex_search._SEARCH_SECONDS


@pytest.mark.slow
def test_a_busy_thread_does_not_starve_the_search() -> None:
    """By default each of 50,000 searches would hand over the interpreter and wait for 5 ms."""
    texts = [text for text in tk.vocabulary_of(tk.get_encoding("gpt2")).texts if text]
    done = threading.Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(1000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        for query in (r"^(.)(.).?\2\1$", r"\X\X\X\X$"):
            pattern = regex.compile(query)
            assert matching(pattern, texts, LONG) == plain_quietly(pattern, texts)
    finally:
        done.set()
        thread.join()


def plain_quietly(pattern: regex.Pattern[str], texts: list[str]) -> list[int]:
    return [place for place, text in enumerate(texts) if pattern.search(text, concurrent=False)]
