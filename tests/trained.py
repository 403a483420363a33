"""Strategies for home-trained encodings: small alphabets, where merges overlap, tie and run out."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import tokenizers as tk
from pages.session.own_encodings import REFERENCES, OwnEncoding
from tokenizers.bpe.byte_pairs import BytePairEncoding, Engine
from tokenizers.bpe.plain import TIE_RULES, Pair
from tokenizers.json_types import JsonObject

PATTERN_CHOICES = ["gpt2", "gpt4", "gpt4o", None, r"\w+|\s", "b"]

few_letters = st.one_of(
    st.text("ab", max_size=40),
    st.text("abc ", max_size=60),
    st.text("ab \n1'éन", max_size=40),
    st.lists(
        st.sampled_from(["aaaa", "ab", "aab", " the", " then", "é", "नमस्ते", "한", "\r\n"]), max_size=15
    ).map("".join),
)

texts = st.one_of(few_letters, st.text(st.characters(), max_size=30))  # lone surrogates too

patterns = st.sampled_from(PATTERN_CHOICES)

ties = st.sampled_from(list(TIE_RULES))


@st.composite
def any_merges(draw: st.DrawFn) -> list[Pair]:
    """Merges that no training would yield: pairs twice, tokens out of reach, the same bytes twice."""
    merges: list[Pair] = []
    for new_id in range(256, 256 + draw(st.integers(0, 14))):
        known = st.sampled_from([*b"ab", *range(256, new_id)])
        merges.append((draw(known), draw(known)))
    return merges


BYTES = {bytes([byte]): byte for byte in range(256)}


def from_ranks(tokens: list[bytes], pattern: str | None = None) -> BytePairEncoding:
    """An encoding as from a rank file: any bytes, in any order, that no training may have yielded."""
    ranks = BYTES | {token: 256 + i for i, token in enumerate(tokens)}
    return BytePairEncoding(
        "brought",
        engine=Engine("brought", ranks, {"<|x|>": 256 + len(tokens)}, "."),
        pattern=pattern,
        engine_splits=False,
    )


def own_encoding(text: str = "ab", name: str = "mine") -> OwnEncoding:
    """One of a person's own, which has learned one merge from a text."""
    return OwnEncoding(tk.train(text, 257, name=name))


def report_of(**source: Any) -> JsonObject:
    """What a training reports that held out a part of one text."""
    usual = {
        "title": "cats",
        "bytes": 600,
        "times": 2.0,
        "held_bytes": 300,
        "held_tokens": 100,
        "held_words": 50,
        "lost_bytes": 0,
        **dict.fromkeys(REFERENCES, 90),
    }
    return {"sources": [{**usual, **source}], "stopped": None}
