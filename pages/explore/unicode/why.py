"""Why not just use code points as tokens? The answer in figures, of this text and of 500 languages."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pages.explore.unicode.rows import count_units
from pages.shared.plain import plain
from pages.shared.tables import show_table
from tokenizers.data import get_language
from tokenizers.encoding import Encoding
from tokenizers.measure import characters_of_the_declaration, count_tokens
from tokenizers.text import TextMap, code_space

LANGUAGES = {"eng": "English", "hin": "Hindi"}
"""The declaration in these is counted beside the text."""

_FREQUENT, _RARE = 100, 10


@functools.cache
def _declaration(code: str) -> TextMap:
    return TextMap(get_language(code).text)


def _column_of(language: str) -> str:
    return f"the declaration in {language}"


def _count_declarations(encoding: Encoding) -> dict[str, int]:
    """Tokens of the declaration in each of ``LANGUAGES``: for ``Encoding.kept``, as they never change."""
    return {code: len(encoding.encode_array(_declaration(code).text)) for code in LANGUAGES}


def _lengths(encoding: Encoding, text_map: TextMap) -> tuple[int, dict[str, int]] | None:
    """Tokens of the text, and of the declarations; None: it cannot, which the rows above say."""
    try:
        return len(encoding.encode_array(text_map.text)), encoding.kept(_count_declarations)
    except (ValueError, OSError):
        return None


def units_table(text_map: TextMap, encodings: Mapping[str, Encoding]) -> pd.DataFrame:
    """Vocabulary and tokens, if each byte, each code point, or a token of an encoding were one token.

    Shape: a row for bytes, for code points and for each encoding. A figure that there is not is None.
    """
    counts = {"this text": count_units(text_map)}
    for code, name in LANGUAGES.items():
        counts[_column_of(name)] = count_units(_declaration(code))
    rows: list[dict[str, object]] = [
        {
            "one token for each": "byte of UTF-8",
            "vocabulary": 256,
            **{column: count["utf8"] for column, count in counts.items()},
        },
        {
            "one token for each": "code point",
            "vocabulary": code_space().assigned,
            **{column: count["code_points"] for column, count in counts.items()},
        },
    ]
    for name, encoding in encodings.items():
        row: dict[str, object] = {
            "one token for each": f"token of {name}",
            "vocabulary": count_tokens(encoding),
        }
        lengths = _lengths(encoding, text_map)
        if lengths is not None:
            here, of_declaration = lengths
            row["this text"] = here
            row |= {_column_of(name): of_declaration[code] for code, name in LANGUAGES.items()}
        rows.append(row)
    return pd.DataFrame(rows)


def reasons(text_map: TextMap, encodings: Mapping[str, Encoding]) -> list[str]:
    """The answer, a sentence or two for each reason; every figure is worked out here."""
    space, use = code_space(), characters_of_the_declaration()
    assigned = space.assigned
    unseen = assigned - use.n_assigned
    sentences = [
        f"**Too many.** Unicode {space.version} has {assigned:,} characters, control codes "
        f"included, and room for "
        f"{space.scalar_values:,} numbers. Each would need a row of its own in a model’s tables"
        + _compare_sizes(assigned, encodings)
        + " And each new version of Unicode would need a new model.",
        f"**Most of them idle.** The Universal Declaration of Human Rights in {use.n_texts:,} languages and "
        f"variants uses {use.n_distinct:,} different code points: {unseen:,} of Unicode’s characters, "
        f"{unseen / assigned:.1%}, never occur. Of those that do, {use.n_rarer_than(_RARE):,} occur fewer "
        f"than {_RARE} times, while the "
        f"{_FREQUENT} most frequent take {use.share_of_first(_FREQUENT):.0%} of all places. A model learns "
        "nothing about a token that it does not see.",
    ]
    lengths = _compare_lengths(text_map, encodings) if text_map.n_chars else ""
    if lengths:
        sentences.append(f"**Too long.** {lengths}")
    sentences.append(
        "**And bytes?** 256 tokens are enough for every text, and none is ever unknown, but texts get "
        "longest of "
        "all: the first row below. Byte-level BPE begins there, and joins what often stands side by side."
    )
    return sentences


def _compare_sizes(assigned: int, encodings: Mapping[str, Encoding]) -> str:
    if not encodings:
        return "."
    name, encoding = min(encodings.items(), key=lambda item: count_tokens(item[1]))
    n_tokens = count_tokens(encoding)
    times = assigned / n_tokens
    if times < 1.05:
        return f": about as many as {name} has, or fewer ({n_tokens:,})."
    return f": {times:.1f} times as many as {name} has ({n_tokens:,})."


def _compare_lengths(text_map: TextMap, encodings: Mapping[str, Encoding]) -> str:
    """The text and the declaration as code points, and in the encoding that cuts the text into the fewest."""
    english = _declaration("eng")
    n_chars = text_map.n_chars
    counted = [(_lengths(encoding, text_map), name) for name, encoding in encodings.items()]
    lengths = [(both[0], both[1]["eng"], name) for both, name in counted if both is not None]
    if not lengths:
        return ""
    here, there, name = min(lengths)
    known = ", which has seen too little of its kind" if here >= n_chars else ""
    return (
        f"This text would be {n_chars:,} tokens; in {name} it is {here:,}{known}. The declaration in English "
        f"would be {english.n_chars:,}, {english.n_chars / there:.1f} times the {there:,} of {name}. A model "
        "works once for each token, and looks back over so many of them: its work grows, and it sees less "
        "at once."
    )


def draw_why(text_map: TextMap, encodings: Mapping[str, Encoding]) -> None:
    """The section."""
    st.subheader("Why not just use code points?")
    for reason in reasons(text_map, encodings):
        st.markdown(f"- {_escaped(reason)}")
    show_table(units_table(text_map, encodings), height="content")
    st.caption(
        "Graphemes would be no better: a letter can carry any number of marks, so the list would have no end."
    )


def _escaped(reason: str) -> str:
    # The names of encodings are a person's own words; the bold beginning is ours.
    bold, _, rest = reason.removeprefix("**").partition("** ")
    return f"**{bold}** {plain(rest)}"
