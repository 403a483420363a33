"""Limits: one place, each changed by its variable; the table in the docs is that of the module."""

from __future__ import annotations

import os
import pkgutil
import re
import runpy

import pytest

import tokenizers as tk
from pages.session import panels
from pages.session.workspace import Workspace
from tests.browser import ROOT
from tests.limits import peak_bytes
from tests.processes import run_python
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.measure import search_tokens, token_search, vocabulary_of

DOCS = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")


def test_the_table_in_the_docs_is_that_of_the_module() -> None:
    rows = [line for line in DOCS.splitlines() if line.startswith("| `TOKEN_GROVE_")]
    assert len(rows) == len(limits.BOUNDS) <= 10
    for row, (name, (default, least, most)) in zip(rows, limits.BOUNDS.items(), strict=True):
        said = "half the cores, from 2 to 4" if name == "TRAININGS" else f"{default:,}"
        assert row.startswith(f"| `{limits.PREFIX}{name}` | {said} | {least:,}–{most:,} | ")
        assert least <= default <= most and isinstance(getattr(limits, name), int)


def test_the_constants_in_the_docs_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `([\w.]+)` \|$", DOCS, re.MULTILINE)
    assert len(rows) > 30
    for said, _, name in rows:
        value = pkgutil.resolve_name(name)
        assert said in (f"{value:,}", f"{value:,g}", bytes_in_words(int(value))), name


@pytest.mark.parametrize(("cores", "trainings"), [(None, 2), (2, 2), (6, 3), (64, 4)])
def test_half_the_cores_may_train(cores: int | None, trainings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert runpy.run_path(str(limits.__file__))["TRAININGS"] == trainings


@pytest.mark.parametrize(
    ("said", "value"),
    {
        "1": 1,
        " 40 ": 40,
        "": 12,
        "0": None,
        "41": None,
        "-1": None,
        "9" * 30: None,
    }.items(),
)
def test_a_value_is_taken_within_its_bounds_alone(
    said: str, value: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_GROVE_PANELS", said)
    monkeypatch.setattr(limits, "PROBLEMS", [])
    monkeypatch.setattr(limits, "BOUNDS", {})
    assert limits.read_limit("PANELS", 12, 1, 40) == (12 if value is None else value)
    assert (value is None) == bool(limits.PROBLEMS)
    assert all(problem.endswith("from 1 to 40: it stays at 12.") for problem in limits.PROBLEMS)


@pytest.mark.slow
def test_variables_change_what_the_modules_keep_to_and_wrong_ones_are_a_line_each() -> None:
    script = (
        "from tokenizers import limits; from tokenizers.text import files; "
        "from pages.session import own_texts, train_run, train_plan\n"
        "import app; from streamlit import config\n"
        "print(config.get_option('server.maxUploadSize'))\n"
        "print(files.MAX_TEXT_BYTES, own_texts.LIMITS, train_run.MAX_RUNNING)\n"
        "print(train_plan.MAX_VOCAB)\n"
        "try: files.check_size((2 << 20) + 1, 'This text')\n"
        "except ValueError as problem: print(problem)\n"
        "files.check_size(2 << 20, 'This text'); print(*limits.PROBLEMS, sep='\\n')"
    )
    done = run_python(
        "-c",
        script,
        TOKEN_GROVE_TEXT_MB="2",
        TOKEN_GROVE_OWN_TEXTS_MB="7",
        TOKEN_GROVE_TRAININGS="1",
        TOKEN_GROVE_VOCABULARY="many",
    )
    assert done.stdout.splitlines() == [
        "3",  # a file of the longest text is taken, with what a browser sends around it
        "2097152 Up to 100 texts, 2 MB each and 7 MB together. 1",
        "100000",
        "This text has 2.0 MB, and Token Grove takes up to 2 MB at a time. Choose a part of it.",
        "TOKEN_GROVE_VOCABULARY is 'many', and should be a whole number from 512 to 400000: it stays at "
        "100000.",
    ]


# At a limit, and over it: those that no other file of tests tries


def test_a_search_by_ids_takes_as_much_as_the_limit_and_no_more_work_for_what_overlaps() -> None:
    """Three hundred ranges of all ids took 3.8 GB: each id counts once, however often it is named."""
    words = vocabulary_of(tk.get_encoding("gpt2"))
    search_tokens(words, "a")
    ranges = ",".join(["0-999999"] * 300)
    assert peak_bytes(lambda: search_tokens(words, ranges, "id")) < 4 << 20
    longest = ",".join(["0-999999999999"] * 7_000)[: token_search.LONGEST_QUERY]
    assert len(search_tokens(words, longest.rpartition(",")[0], "id")) == 50_257
    assert len(search_tokens(words, "5 " * (token_search.LONGEST_QUERY // 2), "id")) == 1


def test_tokens_of_long_texts_take_as_much_as_the_limit_in_all_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seventy tabs with a text of 2 MB each took 6 GB: the oldest tokens go, and are computed again."""
    monkeypatch.setattr(panels, "MAX_LONG_BYTES", 1_500_000)
    tabs = [Workspace(text="word " * 60_000) for _ in range(3)]  # 60,000 tokens each, 720 KB
    before = [tab.spans("gpt2") for tab in tabs]
    again = [tab.spans("gpt2") for tab in reversed(tabs)][::-1]
    assert [old is new for old, new in zip(before, again, strict=True)] == [False, True, True]
    assert len(again[0]) == len(before[0])
    assert tabs[0].spans("gpt2") is again[0], "the newest stay"
