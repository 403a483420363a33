"""Two encodings compared: by plain sets of their tokens, and by what must hold of any two."""

from __future__ import annotations

import codecs
import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.browser import ROOT
from tests.commands import Command
from tests.examples import examples, some
from tests.processes import run_python
from tests.refusals import refused
from tests.test_commands import written
from tests.test_formats import BYTES, line
from tests.texts import any_text, known_texts
from tokenizers import kernels
from tokenizers.measure import (
    Comparison,
    changed_lines,
    compare_report,
    stream,
)
from tokenizers.measure.compare import Side
from tokenizers.measure.compare_texts import differing_stretches

# What holds of any two


def pair(ids_a: list[bytes], ids_b: list[bytes], pattern_b: str = "gpt2") -> Comparison:
    """Two vocabularies of some tokens behind the 256 bytes."""
    encodings = []
    for tokens, pattern in ((ids_a, "gpt2"), (ids_b, pattern_b)):
        data = BYTES + b"".join(line(token, rank) for rank, token in enumerate(tokens, start=256))
        encodings.append(tk.load(data, f"{len(tokens)}-{pattern}", pattern=pattern))
    return Comparison(*encodings)


def compare(a: str, b: str) -> Comparison:
    """Two encodings that come with the app."""
    return Comparison(tk.get_encoding(a), tk.get_encoding(b))


def test_comparison_counts_each_token_once() -> None:
    comparison = pair([b"ab", b"cd", b"ef"], [b"ef", b"ab", b"gh", b" hij"])
    assert set(comparison.ordinary.same[:, 0].tolist()) == {*range(256)}
    for by in ("script", "kind"):
        assert tuple(np.sum(list(comparison.count_by(by).values()), axis=0)) == (1, 2, 256, 2)


@pytest.mark.slow
def test_special_tokens_that_are_not_known_are_not_gone() -> None:
    comparison = compare("glm-4.5", "glm-5")
    assert "| special |" not in compare_report(comparison, {})
    rows = {side.name: side for side in comparison.sides}
    assert rows["Special tokens"].b == "not known here" and rows["Special tokens"].differs
    assert rows["Largest id"].b == "154,819 (ordinary tokens)"
    assert Comparison(comparison.b, comparison.b).sentence.startswith("Same ordinary tokens, and equal")


def test_merges_are_compared_with_merges_alone() -> None:
    assert compare("gpt2", "words").merges_sentence == ""


def test_details_of_the_unknown_token() -> None:
    said = "Placeholders and other tokens: 1 only in characters-unknown."
    assert compare("characters", "characters-unknown").details == said


def test_an_encoding_that_refuses_a_text_differs_there() -> None:
    content = {"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "none"}, "added_tokens": []}
    strict = tk.load(json.dumps(content).encode(), "strict")
    comparison = Comparison(tk.get_encoding("bytes"), strict)
    assert "families, bytes and words (compared with their spaces and ##): bytes and " in comparison.sentence
    assert sum(hard.ids_b is None for hard in comparison.hard[1]) > 1_000


@pytest.mark.slow
def test_a_slow_pattern_is_no_refusal() -> None:
    with refused("The split pattern took longer than"):
        _ = pair([b"ab"], [b"ab"], "(a|a)+b|.").hard


FAMILIES = ("gpt2", "o200k_base", "bert-uncased", "mistral-v1", "claude-2", "words")


@pytest.mark.parametrize("name", FAMILIES[1:])
def test_lines_and_first_differences(name: str) -> None:
    for text in [*some([*known_texts().values()]), "a\n\nbc 1234\n"]:
        both = tk.encode_spans(tk.get_encoding("gpt2"), text), tk.encode_spans(tk.get_encoding(name), text)
        lines = changed_lines(*both, most=1_000)
        assert sum(line.b.n_tokens - line.a.n_tokens for line in lines) == len(both[1]) - len(both[0])
        covered = [[*zip(each.starts.tolist(), each.ends.tolist(), strict=True)] for each in both]
        for place, end in differing_stretches(*both).tolist():
            tokens = [[(a, b) for a, b in each if place <= a < end] for each in covered]
            assert tokens[0] != tokens[1] and max(map(len, tokens)) > 1


def test_a_line_says_why_it_differs() -> None:
    text = "a crooked comb"
    cl100k = tk.encode_spans(tk.get_encoding("cl100k_base"), text)
    (line,) = changed_lines(cl100k, tk.encode_spans(tk.get_encoding("o200k_base"), text), most=1)
    assert line.is_plain, "a word, and parts of it"
    assert line.a.reason == "It has no token for “·crooked”, so it takes “·cro” + “oked”."
    assert line.b.reason == ""


@examples(100)
@given(any_text, st.sampled_from(FAMILIES))
def test_stream_ends_as_the_text(text: str, name: str) -> None:
    enc = tk.get_encoding(name)
    ids = enc.encode(text)
    steps = stream(enc, ids)
    shown = "".join(step.added for step in steps)
    assert (shown + steps[-1].waiting.decode("utf-8", "replace") if steps else "") == enc.decode(ids)


# The report and the command


def test_compare_report_keeps_to_its_tables() -> None:
    texts = {"a|b *c*": "`` | <b>\n1234567 |\n\n" + "naïve " * 9, "empty": ""}
    comparison = compare("gpt2", "bert-uncased")
    comparison.sides[0] = Side("Chat template", "a\r\nb\rc", "", differs=True)
    report = compare_report(comparison, texts)
    assert "| `a⏎b⏎c` |" in report
    assert r"a\|b \*c\*" in report and "**a|b" in report.replace("\\", "")
    for table in re.findall(r"(?:^\|.*\n)+", report, re.MULTILINE):
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1, table


def test_compare_report_shows_several_lines_of_a_text() -> None:
    comparison = compare("gpt2", "cl100k_base")
    assert compare_report(comparison, {"text": " 1234\n\t1234\n  1234"}).count("\n- gpt2: ") == 2


def test_what_a_file_says_of_itself_is_no_step() -> None:
    assert tk.get_encoding("tekken").declared
    sides = compare("gpt2", "tekken").sides
    assert "Declares" not in [side.name for side in sides]


def test_compare_report_shows_where_a_long_line_differs() -> None:
    comparison = compare("gpt2", "cl100k_base")
    short, long = (compare_report(comparison, {"text": "word " * n + "1234567"}) for n in (1, 200))
    assert short.startswith("# GPT-2 (gpt2) → GPT-4 (cl100k_base)\n")
    assert "\n- gpt2: `word` `·123` `45` `67`" in short
    assert "\n- gpt2: … `·word` `·word`" in long and "`·123` `45` `67`" in long


@pytest.mark.slow
def test_command_takes_any_terminal_and_any_file_name(tmp_path: Path) -> None:
    text, report = tmp_path / os.fsdecode(b"\xffa.txt"), tmp_path / "out.md"
    written(text, "naïve 안녕")
    arguments = ("-m", "tokenizers", "compare", "characters", "words", text, "--report", report)
    assert not run_python(*arguments, PYTHONIOENCODING="ascii").stderr
    assert "a.txt" in report.read_text("utf-8")


def test_compare_report_in_html_says_what_the_markdown_says(tmp_path: Path, command: Command) -> None:
    text, out = tmp_path / "a_b <i>*c*`d|e.txt", tmp_path / "out.html"
    text.write_text("`a` | <b>b</b> \\ 1234567\n**2008** & 2009\n", encoding="utf-8")
    assert command("compare", "gpt2", "cl100k_base", text, "--report", out).code == 0
    page = out.read_text("utf-8")
    assert page.startswith("<!doctype html>") and "<h1>GPT-2 (gpt2) → GPT-4 (cl100k_base)</h1>" in page
    assert "|" not in re.sub(r"<code>.*?</code>", "", page.split("</style>")[1]).replace("d|e", "")
    shown = html.unescape(re.sub(r"<(?!i>)[^>]+>", "", page.split("</style>")[1]))
    assert shown.count(f"{text}") == 2 and shown.count("**") == 4  # tokens of the text
    assert page.count("<table>") == page.count("</table>") >= 5 and "<b>b</b>" not in page


@pytest.mark.slow
def test_command_ends_quietly_when_its_reader_has_enough() -> None:
    command = [sys.executable, "-m", "tokenizers", "compare", "characters", "bytes", "--fail-on", "removed"]
    buffered = {**os.environ, "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(
        command, cwd=ROOT, env=buffered, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ended:
        assert ended.stdout is not None and ended.stderr is not None
        ended.stdout.close()  # as head does
        assert b"Error" not in ended.stderr.read() and ended.wait() == 1


@pytest.mark.slow
def test_command_may_end_while_kernels_are_loading(tmp_path: Path) -> None:
    long = written(tmp_path / "long.txt", "the cat " * (kernels.WORTH_LOADING // 4))
    assert not run_python("-m", "tokenizers", "count", long, "--in", "gpt2").stderr


def test_command_writes_how_often_each_token_is_there(tmp_path: Path, command: Command) -> None:
    text, table = written(tmp_path / "a.txt", "the cat"), tmp_path / "out.csv"
    command("count", text, text, "--in", "gpt2", "--frequencies", table)
    assert table.read_bytes().startswith(codecs.BOM_UTF8)
    assert table.read_text("utf-8").splitlines()[1] == "1169,2,746865,the"
