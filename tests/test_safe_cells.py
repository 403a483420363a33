"""Cells of CSV files: none that a spreadsheet would run, and nothing lost."""

from __future__ import annotations

import csv
import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.shared.tables import csv_of
from tests.texts import any_text
from tests.visit import Visit
from tokenizers.text import CSV_ENCODING, SAFE_CELLS, encode_spans, safe_cell, tokens_csv

SIGNS = "=+-@＝＋－＠"
cells = any_text | st.text("=+-@'\t\r\n;, a1＝", max_size=12)


def exact(cell: str) -> str:
    """The text that ``safe_cell`` was given."""
    return re.sub(rf"(^|[;\t\r\n])('*)'(?=[{re.escape(SIGNS)}])|^('*)'(?=[\t\r\n])", r"\1\2\3", cell)


@given(cells)
def test_nothing_runs_and_nothing_is_lost(text: str) -> None:
    cell = safe_cell(text)
    assert not re.search(rf"(^|[;\t\r\n])[{re.escape(SIGNS)}]", cell) and not re.match(r"[\t\r\n]", cell)
    assert exact(cell) == text


@pytest.mark.parametrize(
    "text",
    ["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"],
)
def test_known_attacks(text: str) -> None:
    assert safe_cell(text).startswith("'")
    frame = pd.DataFrame({"text": [text], "n": [-2], "share": [-0.5], text: [None]})
    header, row = csv.reader(io.StringIO(csv_of(frame).decode(CSV_ENCODING), newline=""))
    assert row == [safe_cell(text), "-2", "-0.5", ""] and header[3] == safe_cell(text)
    tokens = csv.reader(io.StringIO(tokens_csv(encode_spans(tk.get_encoding("gpt2"), text)), newline=""))
    assert not [cell for row in tokens for cell in row if cell[:1] in {*SIGNS, "\t", "\r"}]


def test_a_table_keeps_its_kinds() -> None:
    frame = pd.DataFrame(
        {"a": pd.array([1, None], "Int64"), "b": [True, False], "c": ["x", None], "d": [1.5, -2]}
    )
    assert csv_of(frame) == frame.to_csv(index=False, lineterminator="\r\n").encode(CSV_ENCODING)


def test_the_page_says_it() -> None:
    page = Visit("explore/playground/page.py", {}, playground_tool="Export")
    assert SAFE_CELLS in page.said
