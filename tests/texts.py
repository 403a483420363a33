"""Texts that have broken tokenizers' pages before, and strategies that make more of them."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from tokenizers.data.udhr import list_languages
from tokenizers.text import Spans

_WRITTEN = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
NASTY: dict[str, str] = {
    **_WRITTEN["nasty"],
    "surrogate pair": "\ud83d\ude00",  # which JSON joins
    "combining marks": "e" + "\u0301" * 4000,
    "flags in a row": "🇩🇪" * 5 + "🇫" + " " + "🇩🇪🇫🇷" * 60 + "\ufe0f🇩",
}

any_text = st.one_of(
    st.text(st.characters()),  # lone surrogates too
    st.lists(
        st.one_of(
            st.sampled_from([t for t in NASTY.values() if len(t) < 100]),
            st.sampled_from(
                ["\u0301", "\u200d", "\r\n", "\ufe0f", "👩", " ", "  ", "\n", "the", "1234", "ñ"]
            ),
        ),
        max_size=12,
    ).map("".join),
)


def stretches(spans: Spans) -> list[str]:
    """The part of a text that each of its tokens covers."""
    return [spans.bytes_of(index).decode() for index in range(len(spans))]


def known_texts() -> dict[str, str]:
    """The texts of which other libraries' ids are kept in tests/known_answers, each by a name of its own."""
    texts = {name: text for name, text in NASTY.items() if len(text) < 1000}
    texts |= _WRITTEN["known"]
    texts["repeated signs"] = "=" * 77 + "a" * 40 + "-" * 33 + " " * 130 + "." * 9
    for language in list_languages()[::9]:
        texts[f"the declaration in {language.code}"] = language.text[:160]
    return texts
