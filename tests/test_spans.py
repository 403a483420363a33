"""Graphemes and places of a text; ids of another text are refused."""

from __future__ import annotations

import regex
from hypothesis import given

import tokenizers as tk
from tests.examples import examples
from tests.refusals import refused
from tests.texts import any_text
from tokenizers.text.text_map import LONGEST_GRAPHEME, TextMap


@examples(300)
@given(any_text)
def test_graphemes_are_those_of_regex(text: str) -> None:
    """But for the overlong ones, which fall into characters."""
    text_map = TextMap(text)
    graphemes: list[str] = []
    for cluster in regex.findall(r"\X", text_map.text):
        graphemes.extend([cluster] if len(cluster) <= LONGEST_GRAPHEME else cluster)
    cells = [text_map.data[a:b].decode() for a, b in text_map.cells(0, text_map.n_bytes)]
    assert cells == graphemes
    assert text_map.n_graphemes == len(graphemes)


def test_ids_of_another_text_are_refused() -> None:
    enc = tk.get_encoding("gpt2")
    with refused("they are not its tokens"):
        tk.Spans(TextMap("abc"), enc, enc.encode_array("abcd efg"))


def test_covering_a_byte_that_is_not_there() -> None:
    with refused("no byte 11"):
        tk.encode_spans(tk.get_encoding("gpt2"), "hello world").covering(11)


def test_stacked_marks_are_never_one_cell() -> None:
    # One cell of 8,000 lanes: that is what froze another visualiser for half a minute.
    for text in ("e" + "\u0301" * 4_000, "🇦" * 32_000, "👩" + "\u200d👩" * 2_000):
        assert max((end - start for start, end in TextMap(text).clusters), default=0) <= 16
