"""Pages, chunks, ids to text, facts and exports."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.refusals import refused
from tests.texts import NASTY, any_text
from tokenizers.text.chunks import MAX_CHUNKS, cut_chunks, paginate
from tokenizers.text.decoding import parse_ids
from tokenizers.text.export import COLUMNS, MAX_TOKENS, iter_rows, tokens_csv, tokens_json
from tokenizers.text.spans import encode_spans
from tokenizers.utf8 import well_formed

GPT2 = tk.get_encoding("gpt2")


# Pages


@given(any_text, st.integers(1, 40))
def test_pages_join_to_the_text(text: str, page_chars: int) -> None:
    clean = well_formed(text)
    pages = paginate(clean, page_chars)
    assert "".join(clean[page.start : page.end] for page in pages) == clean
    for page in pages:
        assert clean[page.start : page.end].encode() == clean.encode()[page.start_byte : page.end_byte]
    assert all(page.end > page.start for page in pages) or not clean


# Chunks


def test_too_many_chunks_are_refused() -> None:
    spans = encode_spans(GPT2, "१" * (MAX_CHUNKS // 2 + 50))
    with refused("Choose at least 2 tokens"):
        cut_chunks(spans, 1)
    with refused("at least 1 token"):
        cut_chunks(spans, 0)


@given(any_text, st.integers(1, 5), st.sampled_from(["gpt2", "words"]))
def test_cut_chunks_parts_a_text_after_so_many_tokens(text: str, size: int, name: str) -> None:
    """Also where white space belongs to no token."""
    spans = encode_spans(tk.get_encoding(name), text)
    chunks = cut_chunks(spans, size)
    data, ids = spans.text_map.data, spans.ids
    assert [chunk.tokens for chunk in chunks] == [len(ids[at : at + size]) for at in range(0, len(ids), size)]
    assert [chunk.end for chunk in chunks[:-1]] == spans.ends[size - 1 : -1 : size].tolist()
    assert "".join(chunk.text for chunk in chunks) == (spans.text_map.text if chunks else "")
    start = 0
    for number, chunk in enumerate(chunks, 1):
        assert (chunk.number, chunk.start) == (number, start)
        assert chunk.splits_character == (data[start : chunk.end] != chunk.text.encode())
        start = chunk.end


# Ids to text


@pytest.mark.parametrize(
    "typed", ["1 2 3", "1,2,3", "[1, 2, 3]", "1\n2\t3;", "(1) {2} 3", " [1,\n 2,\n 3,\n]\n", "+1 02 3"]
)
def test_ids_are_read_as_people_paste_them(typed: str) -> None:
    assert parse_ids(typed) == [1, 2, 3]


def test_what_is_no_number_is_named() -> None:
    assert parse_ids("1" * 30) == [int("1" * 30)]  # a number, if a large one: decoding names it
    with refused("200,000 are taken"):
        parse_ids("1 " * 200_001)
    assert parse_ids("  ") == []


# Exports


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_exports_hold_every_token(text: str) -> None:
    spans = encode_spans(tk.get_encoding("cl100k_base"), text, allowed_special="all")
    head, *rows = csv.reader(io.StringIO(tokens_csv(spans), newline=""))
    assert tuple(head) == COLUMNS
    assert [int(row[1]) for row in rows] == spans.ids.tolist()
    assert b"".join(bytes.fromhex(row[2]) for row in rows) == spans.text_map.data
    assert [row[4:] for row in rows] == [list(map(str, row[4:])) for row in iter_rows(spans)]
    read = json.loads(tokens_json([spans]))
    (encoding,) = read["encodings"]
    assert (read["text"], encoding["ids"]) == (spans.text_map.text, spans.ids.tolist())
    assert [token["bytes_hex"] for token in encoding["tokens"]] == [row[2] for row in rows]


def test_an_export_that_would_fill_the_memory_is_refused() -> None:
    spans = encode_spans(GPT2, "a b " * (MAX_TOKENS // 2 + 1))
    with refused("Export the ids"):
        tokens_csv(spans)
    with refused("Export the ids"):
        tokens_json([spans, spans])
