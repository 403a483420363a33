"""The search of the page Vocabulary: its fields, what it finds, and the biography of a token."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.explore.vocabulary.state import (
    ANY_SCRIPT,
    BY,
    BY_ID,
    LONGEST_FIRST,
    MAX_LENGTH,
    ONLY,
    ORDERS,
    VocabularyState,
)
from pages.session.workspace import Workspace
from pages.shared.biography import draw_life, follow_click, prepare_trees
from pages.shared.plain import plain
from pages.shared.tables import csv_of
from pages.shared.widgets import tied, write_link
from tokenizers.amounts import share_in_words
from tokenizers.encoding import Encoding
from tokenizers.measure import Row, TokenIds, Vocabulary, vocabulary_of
from tokenizers.text import SAFE_CELLS, spell_token

PAGE_ROWS = 100
FIRST_TOKEN = b" token"

ASKS = {
    "text": ("A part of the token’s text", "such as berry; empty: all of them"),
    "regex": ("A regular expression for the token’s text", r"such as ^ [A-Z]+$"),
    "bytes": ("Some of the token’s bytes, in hex", "such as f0 9f 98"),
    "id": ("Ids", "such as 5, 100-200"),
}
BOUNDS = {
    VocabularyState.min_bytes: "At least, in bytes",
    VocabularyState.max_bytes: "At most, in bytes",
    VocabularyState.min_chars: "At least, in characters",
    VocabularyState.max_chars: "At most, in characters",
}
# Searches that show something in nearly every vocabulary: by, query, only, order; and an encoding, if one is
# about it.
TRIES: dict[str, tuple[str, str, list[str], str] | tuple[str, str, list[str], str, str]] = {
    "All tokens": ("text", "", [], "by id"),
    "The longest": ("text", "", [], "longest first"),
    "White space": ("text", "", ["white space"], "longest first"),
    "SolidGoldMagikarp": ("text", "Magikarp", [], "by id", "gpt2"),
    "LONG CAPITALS": ("regex", "^ ?[A-Z]{9,}$", [], "longest first"),
    "Emoji, by their bytes": ("bytes", "f0 9f", [], "by id"),
    "Parts of characters": ("text", "", ["not valid UTF-8 alone"], "by id"),
    "Special tokens": ("text", "", ["special"], "by id"),
}


@st.fragment
def draw_tokens(workspace: Workspace, state: VocabularyState, encoding: Encoding, name: str) -> None:
    """The search, what it finds, and the chosen token's biography."""
    if state.encoding != name:  # an example chose another: the page around this changes too
        st.rerun()
    vocabulary = vocabulary_of(encoding)
    if not vocabulary.is_prepared():
        with st.spinner(f"Reading all {encoding.n_vocab:,} tokens of {plain(name)}: a moment, once."):
            vocabulary.prepare()
    life = state.key("life")
    state.token = follow_click(workspace, life) or state.token
    _draw_fields(state, vocabulary)
    left, right = st.columns([1.12, 1], gap="medium")
    ids = vocabulary.ids
    try:
        with left:
            if state.filters.unreachable:
                prepare_trees(vocabulary)
            ids = find_tokens(state, vocabulary)
            if len(ids):
                _draw_found(state, vocabulary, ids)
            else:
                st.info(
                    f"No token of {plain(name)} matches. Search for less, or remove a filter: "
                    "“All tokens” above removes all of them."
                )
    except ValueError as problem:
        left.error(plain(str(problem)), icon=":material/error:")
    if len(ids):  # without any, a card would look like what was found
        with right:
            of, token_id = state.token or (name, _first_token(encoding, ids))
            try:
                draw_life(workspace, workspace.encoding(of), token_id, life)
            except (ValueError, OSError) as problem:
                st.error(plain(str(problem)), icon=":material/error:")
    write_link(state)


def _first_token(encoding: Encoding, ids: TokenIds) -> int:
    """A token to begin with, of those that are listed."""
    first = encoding.token_id(FIRST_TOKEN)
    return first if first is not None and first in ids else int(ids[0])


def _draw_fields(state: VocabularyState, vocabulary: Vocabulary) -> None:
    left, middle, right = st.columns([1.05, 2.4, 1], vertical_alignment="bottom")
    with left:
        st.segmented_control(
            "Search by", list(BY), required=True, width="stretch", **tied(VocabularyState.by)
        )
    label, placeholder = ASKS[state.by]
    with middle:
        st.text_input(label, placeholder=placeholder, **tied(VocabularyState.query))
    scripts = [ANY_SCRIPT, *vocabulary.count_scripts()]
    if state.script not in scripts:
        state.script = ANY_SCRIPT
    button = f"Filter, order: {state.n_set} set" if state.n_set else "Filter, order"
    with right, st.popover(button, icon=":material/filter_list:", width="stretch"):
        st.pills("Keep only", list(ONLY), selection_mode="multi", **tied(VocabularyState.only))
        boxes = st.columns(2)
        boxes[0].selectbox("Script", scripts, **tied(VocabularyState.script))
        boxes[1].selectbox("Order", ORDERS, **tied(VocabularyState.order))
        boxes = st.columns(2)
        for number, (bound, label) in enumerate(BOUNDS.items()):
            boxes[number % 2].number_input(
                label, 0, MAX_LENGTH, None, step=1, placeholder="any", **tied(bound)
            )
        st.checkbox(
            "Ignore upper and lower case",
            disabled=state.by not in ("text", "regex"),
            **tied(VocabularyState.ignore_case),
        )
    with st.container(horizontal=True, gap=None, key=state.key("tries")):
        for number, (example, asked) in enumerate(TRIES.items()):
            st.button(
                example, key=state.key(f"try_{number}"), on_click=state.ask, args=asked, type="tertiary"
            )


def find_tokens(state: VocabularyState, vocabulary: Vocabulary) -> TokenIds:
    """What is found, in the order that was chosen.

    Raises:
        ValueError: a search that cannot be made, as by a broken regular expression.
    """
    ids = vocabulary.search(state.query, BY[state.by], state.filters, ignore_case=state.ignore_case)
    if state.order == BY_ID:
        return ids
    lengths = vocabulary.byte_lengths[ids]
    return ids[(-lengths if state.order == LONGEST_FIRST else lengths).argsort(kind="stable")]


def _draw_found(state: VocabularyState, vocabulary: Vocabulary, ids: TokenIds) -> None:
    """One page of the tokens that were found. A click chooses one."""
    n_pages = -(-len(ids) // PAGE_ROWS)
    asked = (state.encoding, state.query, state.by, state.ignore_case, state.filters, state.order)
    mark = hashlib.sha256(repr(asked).encode("utf-8", "replace")).hexdigest()[:12]
    number = 1
    share = len(ids) / max(1, len(vocabulary))
    st.markdown(
        f"**{len(ids):,} {'token' if len(ids) == 1 else 'tokens'}** of {len(vocabulary):,}"
        + (f", {share_in_words(share)}" if 0.01 <= share < 1 else "")
        + (f" ({plain(state.filters_in_words)})" if state.filters_in_words else "")
        + ". Click one for its biography."
    )
    table = st.container()
    pager, save = st.columns([1.6, 1], vertical_alignment="bottom")
    if n_pages > 1:
        label = f"Page, of {n_pages:,} ({PAGE_ROWS} tokens each)"
        number = int(pager.number_input(label, 1, n_pages, 1, key=state.key(f"page_{mark}")))
    save_all = save.popover(
        "Download all found (CSV)", key=state.key(f"save_{mark}"), on_change="rerun", width="stretch"
    )
    if save_all.open:  # of all tokens it takes seconds
        with save_all, st.spinner("Writing the file …"):
            file = f"vocabulary-{state.encoding}.csv"
            st.download_button(f"Download {file}", _csv(vocabulary, ids), file, "text/csv", on_click="ignore")
            st.caption(SAFE_CELLS)
    token_ids = ids[(number - 1) * PAGE_ROWS : number * PAGE_ROWS].tolist()
    rows = [
        (
            row.token_id,
            spell_token(row.token_bytes),
            row.n_bytes,
            row.n_chars,
            _script_in_words(row),
            row.token_bytes.hex(" "),
        )
        for row in vocabulary.rows(token_ids)
    ]
    key = state.key(f"table_{mark}_{number}")
    table.dataframe(
        pd.DataFrame(rows, columns=["id", "token", "bytes", "characters", "script", "in hex"]),
        hide_index=True,
        height=528 if len(rows) > 13 else "content",
        key=key,
        on_select=lambda: _choose(state, key, token_ids),
        selection_mode="single-cell",
        column_config={
            "id": st.column_config.NumberColumn(format="%d", width=80),
            "token": st.column_config.TextColumn(width=190),
            "bytes": st.column_config.NumberColumn(width=65),
            "characters": st.column_config.NumberColumn(width=85),
            "script": st.column_config.TextColumn(width=100),
        },
    )


def _choose(state: VocabularyState, key: str, token_ids: Sequence[int]) -> None:
    """Show the token whose row was clicked."""
    cells = st.session_state[key]["selection"]["cells"]
    if cells:
        state.token = (state.encoding, token_ids[cells[0][0]])


def _script_in_words(row: Row) -> str:
    if row.special or row.unknown:
        return "special" if row.special else "unknown"
    return "–" if row.script == "Common" else row.script


def _csv(vocabulary: Vocabulary, ids: TokenIds) -> bytes:
    rows = [
        (
            row.token_id,
            row.token_bytes.hex(" "),
            None if vocabulary.not_utf8[row.token_id] else row.text,
            row.n_bytes,
            row.n_chars,
            row.script,
            row.special,
            row.unknown,
        )
        for row in vocabulary.rows(ids.tolist())
    ]
    columns = ["id", "bytes", "text", "length in bytes", "characters", "script", "special", "unknown"]
    return csv_of(pd.DataFrame(rows, columns=columns))
