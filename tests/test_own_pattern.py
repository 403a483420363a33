"""Whatever pattern a person types, it never takes the machine, and its pieces join to the text."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenizers as tk
from tests.browser import ROOT
from tests.test_regex_search import patterns as any_pattern
from tokenizers.measure.vocabulary import vocabulary_of
from tokenizers.split import bounded, regex_tasks
from tokenizers.split.own_pattern import MAX_LENGTH, MAX_PARTS, read_pattern, too_much
from tokenizers.split.patterns import PATTERNS, find_alternative, find_pattern, split

BOMBS = [
    "a{99999999}",
    "(a{5000}){5000}",
    "(?:a|b){50000000}c",
    "((a{300}){300}){300}",
    r"\p{L}{9999999}",
    "(?:" * 150 + "a" + "){2}" * 150,
    "(?i:strasse){9999999}",
    "(?x: a # {1}\n){9999999}".replace("\n", " )("),
    "a{99999}{99999}",
    "(?>" * 80 + "a" + "){9}" * 80,
]
DEEP = ["(" * 490 + "a" + ")" * 490, "(?:" * 300 + "a" + ")?" * 300, "(?=" * 240 + "a" + ")" * 240]
HUNGRY = [
    "(?R)?a",
    "(?R)",
    "(?:(.)|a)*",
    "((((((((((.))))))))))*",
    "(?:a?b?)*c",
    "(?s)(?:.(?!c))*",
    r"\X+",
    "(?1)(a?(?1))",
]


@pytest.mark.parametrize("pattern", BOMBS)
def test_a_bomb_is_refused_in_words_before_it_is_compiled(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"too large|not a valid|too deeply"):
        find_pattern(pattern)
    with pytest.raises(ValueError, match=r"too large|not a valid|too deeply"):
        vocabulary_of(tk.get_encoding("gpt2")).search(pattern, "regex")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc: on Linux")
def test_patterns_of_any_kind_stay_within_their_memory() -> None:
    """The whole process and its children, over every pattern that ever took the server, and the like."""
    script = textwrap.dedent(
        f"""
        from pathlib import Path
        import tokenizers as tk
        from benchmarks.peers import peak_memory
        from tokenizers import bounded
        from tokenizers.patterns import split

        peaks = []  # of each process that a pattern ran in
        end = bounded._Process.end

        def measure_and_end(process):
            status = Path(f"/proc/{{process._process.pid}}/status")
            text = status.read_text() if status.exists() else ""
            if "VmHWM:" in text:  # it may be gone, or on its way
                peaks.append(int(text.partition("VmHWM:")[2].split()[0]) / 1024)
            end(process)

        bounded._Process.end = measure_and_end
        words = tk.vocabulary_of(tk.get_encoding("gpt2"))
        words.search("^x$", "regex")
        before = peak_memory()
        answers = 0
        for pattern in {BOMBS + DEEP + HUNGRY + ["a{10000000}"]!r}:
            for work in (
                lambda: split("ab" * 300_000 + "c", pattern, timeout=1.0),
                lambda: words.search(pattern, "regex"),
            ):
                try:
                    work()
                except ValueError as problem:
                    assert str(problem)[0].isupper() and str(problem).endswith("."), problem
                answers += 1
        bounded.close_idle()
        print(answers, int(peak_memory() - before), int(max(peaks)))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers, ours, theirs = map(int, done.stdout.split())
    assert answers == 2 * (len(BOMBS + DEEP + HUNGRY) + 1)
    assert ours < 150 and 10 < theirs <= 300, (ours, theirs)  # MB


def test_the_limit_says_what_it_is() -> None:
    assert find_pattern(f"a{{{MAX_PARTS}}}")
    with pytest.raises(ValueError, match="20,001 parts"):
        find_pattern(f"a{{{MAX_PARTS + 1}}}")
    with pytest.raises(ValueError, match="4,001 characters"):
        find_pattern("a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("name", PATTERNS)
def test_the_named_patterns_are_flat(name: str) -> None:
    assert read_pattern(PATTERNS[name]).is_flat and not too_much(PATTERNS[name])


@pytest.mark.parametrize(
    ("pattern", "parts", "is_flat"),
    [
        ("", 0, True),
        ("abc", 3, True),
        ("a{3}b{2,}c{,9}d*", 7, True),
        ("(?:ab){3}", 9, True),
        ("(?:ab){33}", 99, False),  # more rounds than a flat one has
        ("(?:(?:ab){6}){6}", 114, False),
        ("(?:ab)*", 3, False),
        ("(a|b)?c", 4, True),
        ("a{2}{3}", 6, True),
        ("[{3}]{4}", 4, True),
        (r"\{3}", 3, False),
        ("(?i)a(?-i:b)", 3, True),
        ("(?r)a", 3, False),
        (r"a\Kb", 3, False),
        ("(?x) a", 4, False),
        (r"(a)\1", 3, False),
        ("a)", 1, False),
        ("[a--b]", 1, False),
    ],
)
def test_what_is_read_of_a_pattern(pattern: str, parts: int, is_flat: bool) -> None:
    reading = read_pattern(pattern)
    assert (reading.parts, reading.is_flat) == (parts, is_flat)


@settings(max_examples=300, deadline=None)
@given(any_pattern(), st.text(st.sampled_from("aaabb \n1-é"), max_size=12))
@example("(?r)", "ab")
@example(r"(?:a\Kb?)+", "aabab")
def test_pieces_join_or_the_pattern_is_refused(pattern: str, text: str) -> None:
    try:
        pieces = split(text, pattern, timeout=1.0)
    except ValueError:
        return
    assert "".join(pieces) == text and "" not in pieces


@settings(max_examples=200, deadline=None)
@given(any_pattern(), st.text(st.sampled_from("aaabb \n1-é"), max_size=12))
def test_both_ways_cut_alike(pattern: str, text: str) -> None:
    """What runs here and what runs in a process of its own is the same, and what the regex library finds."""
    if not read_pattern(pattern).is_flat:
        return
    try:
        compiled = regex.compile(pattern)
    except regex.error:
        return
    expected: list[str] = []
    end = 0
    for match in compiled.finditer(text):
        expected += [text[end : match.start()], match.group()]
        end = match.end()
    expected.append(text[end:])
    expected = [piece for piece in expected if piece]
    assert split(text, pattern) == expected
    assert list(map(len, expected)) == list(regex_tasks.split_lengths(pattern, text, None))


@pytest.mark.parametrize("pattern", ["(?r)a", "(?r)", "(?ri)[ab]+"])
def test_a_pattern_that_runs_backwards_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="backwards"):
        find_pattern(pattern)
    with pytest.raises(ValueError, match="backwards"):
        tk.train("ababab", 260, pattern)


def test_a_pattern_of_a_process_cuts_like_one_of_ours() -> None:
    pattern = r"(?:[a-z]+(?:-[a-z]+)*)|\s+"
    assert not read_pattern(pattern).is_flat
    text = "well-being and so-called four-in-hand 12 " * 400
    assert split(text, pattern) == split(text, r"[a-z][a-z-]*|\s+")
    grove = tk.train(text, 300, pattern)
    assert grove.decode(grove.encode(text)) == text
    found = find_alternative(text, 0, pattern)
    assert found is not None and found.words == r"matched by (?:[a-z]+(?:-[a-z]+)*)"


def test_a_process_that_is_gone_is_replaced() -> None:
    split("ab", "(?:ab)*")  # one is there, and idle
    with bounded._lock:
        for process in bounded._idle:
            process.end()
    assert split("abab", "(?:ab)*") == ["abab"]


def test_what_a_task_takes_too_much_of_is_told_apart() -> None:
    with pytest.raises(ValueError, match="took longer than 0.2 seconds"):
        split("ab" * 40, "(?:a|b|ab)*(?:a|b|ab)*d|(?:(?:a|b|ab)*)*e", timeout=0.2)
    with pytest.raises(ValueError, match="too much memory"):
        split("ab" * 2_000_000, "(?:(.)(.))*", timeout=60.0)
