"""The search of the page Vocabulary: its fields, and the table of the tokens that it finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.explore.vocabulary.state import (
    ANY_SCRIPT,
    BY,
    BY_ID,
    ONLY,
    ORDERS,
    VocabularyState,
)
from pages.session.own_texts import digest_of
from pages.shared.markdown import escape
from pages.shared.tables import csv_of, offer_files
from pages.shared.widgets import segments, tied
from tokenizers.amounts import plural
from tokenizers.measure import TokenIds, Vocabulary, search_tokens
from tokenizers.text import SAFE_CELLS, spell_token

_PAGE_ROWS = 100
_LABELS = {
    "text": ("A part of the token’s text", "such as berry; empty: all of them"),
    "regex": ("A regular expression for the token’s text", r"such as ^ [A-Z]+$"),
    "bytes": ("Some of the token’s bytes, in hex", "such as f0 9f 98"),
    "id": ("Ids", "such as 5, 100-200"),
}
# Arguments of VocabularyState.ask. These searches find something in nearly every vocabulary.
_EXAMPLES: dict[str, tuple[Any, ...]] = {
    "All tokens": ("text", "", [], "by id"),
    "The longest": ("text", "", [], "longest first"),
    "White space": ("text", "", ["white space"], "longest first"),
    "SolidGoldMagikarp": ("text", "Magikarp", [], "by id", "gpt2"),
    "LONG CAPITALS": ("regex", "^ ?[A-Z]{9,}$", [], "longest first"),
    "Emoji, by their bytes": ("bytes", "f0 9f", [], "by id"),
    "Parts of characters": ("text", "", ["not valid UTF-8 alone"], "by id"),
    "Special tokens": ("text", "", ["special"], "by id"),
}


def draw_search(state: VocabularyState, vocabulary: Vocabulary) -> None:
    """The search fields, the filters, and searches to try."""
    left, right = st.columns([1.05, 3.4], vertical_alignment="bottom")
    refine = state.replace_first_query
    segments(left, "Search by", list(BY), VocabularyState.by, width="stretch", on_change=refine)
    label, placeholder = _LABELS[state.by]
    right.text_input(label, placeholder=placeholder, **tied(VocabularyState.query))
    scripts = [ANY_SCRIPT, *vocabulary.count_scripts()]
    if state.script not in scripts:
        state.script = ANY_SCRIPT
    # No popover: one of the searches below would close it. What is set is named above the tokens found.
    with st.expander("Filter, order", icon=":material/filter_list:", key="vocabulary_filters"):
        st.pills(
            "Keep only", list(ONLY), selection_mode="multi", on_change=refine, **tied(VocabularyState.only)
        )
        left, right = st.columns(2)
        left.selectbox("Script", scripts, on_change=refine, **tied(VocabularyState.script))
        right.selectbox("Order", ORDERS, **tied(VocabularyState.order))
        st.checkbox(
            "Ignore upper and lower case",
            disabled=state.by not in ("text", "regex"),
            **tied(VocabularyState.ignore_case),
        )
    with st.container(horizontal=True, gap=None, key="vocabulary_tries"):
        for number, (label, search) in enumerate(_EXAMPLES.items()):
            key = f"vocabulary_try_{number}"
            st.button(label, key=key, on_click=state.ask, args=search, type="tertiary")


def find_tokens(state: VocabularyState, vocabulary: Vocabulary) -> TokenIds:
    """The tokens that match, in the chosen order.

    Raises:
        ValueError: an invalid search, such as a broken regular expression.
    """
    script = None if state.script == ANY_SCRIPT else state.script
    ids = search_tokens(
        vocabulary, state.query, BY[state.by], state.kept, script, ignore_case=state.ignore_case
    )
    if state.order == BY_ID:
        return ids
    return ids[(-vocabulary.byte_lengths[ids]).argsort(kind="stable")]


def draw_results(state: VocabularyState, vocabulary: Vocabulary, ids: TokenIds) -> None:
    """One page of the tokens found, in a table. A click chooses a token."""
    n_pages = -(-len(ids) // _PAGE_ROWS)
    # A new search gets new widgets: the first page, no cell selected, no file to download.
    asked = (state.encoding, state.by, state.query, state.ignore_case, state.order, state.kept, state.script)
    search = digest_of(repr(asked))
    number = 1
    filters = ", ".join(state.filters_in_words)
    st.markdown(
        f"**{plural(len(ids), 'token')}** of {len(vocabulary):,}"
        + (f" ({escape(filters)})" if filters else "")
        + ". Click one to read about it."
    )
    table = st.container()
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    if n_pages > 1:
        label = f"Page, of {n_pages:,} ({_PAGE_ROWS} tokens each)"
        number = left.number_input(label, 1, n_pages, 1, key=f"vocabulary_page_{search}")
    with right:
        offer_files(
            "Download all found (CSV)",
            lambda: {f"vocabulary-{state.encoding}.csv": csv_of(_tokens_table(vocabulary, ids.tolist()))},
            f"vocabulary_save_{search}",
            SAFE_CELLS,
        )
    token_ids = ids[(number - 1) * _PAGE_ROWS : number * _PAGE_ROWS].tolist()
    key = f"vocabulary_table_{search}_{number}"

    def choose() -> None:
        for row, _ in st.session_state[key]["selection"]["cells"]:
            state.token = (state.encoding, token_ids[row])

    table.dataframe(
        _tokens_table(vocabulary, token_ids),
        column_order=["id", "token", "bytes", "characters", "script", "in hex"],
        hide_index=True,
        height=528 if len(token_ids) > 13 else "content",
        key=key,
        on_select=choose,
        selection_mode="single-cell",
        column_config={
            "id": st.column_config.NumberColumn(format="%d"),
            "token": st.column_config.TextColumn(width=190),
        },
    )


def _tokens_table(vocabulary: Vocabulary, ids: Sequence[int]) -> pd.DataFrame:
    """A row for each token, on the page and in the CSV; "text" is empty where its bytes are not UTF-8."""
    return pd.DataFrame(
        {
            "id": token_id,
            "token": spell_token(vocabulary.token_bytes[token_id]),
            "bytes": vocabulary.byte_lengths[token_id],
            "characters": vocabulary.char_lengths[token_id],
            "script": vocabulary.script_of(token_id),
            "in hex": vocabulary.token_bytes[token_id].hex(" "),
            "text": None if vocabulary.not_utf8[token_id] else vocabulary.texts[token_id],
        }
        for token_id in ids
    ).replace({"script": {"Common": "–"}})
