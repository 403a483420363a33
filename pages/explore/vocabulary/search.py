"""The search of the page Vocabulary: its fields, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
from pages.shared.session import get_kept
from pages.shared.widgets import tied
from tokenizers.measure import Filters, SearchBy, TokenIds, Vocabulary

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


@dataclass(frozen=True)
class Search:
    """What is asked for; the same question is not answered twice."""

    name: str
    query: str
    by: SearchBy
    ignore_case: bool
    filters: Filters
    order: str


@dataclass
class LastAnswer:
    """What was found last in a session: the same question is not answered twice."""

    search: Search | None = None
    vocabulary: Vocabulary | None = None
    ids: TokenIds | None = None


def draw_search(state: VocabularyState, vocabulary: Vocabulary) -> Search:
    """The fields of the search, and what they ask for."""
    left, middle, right = st.columns([1.05, 2.4, 1], vertical_alignment="bottom")
    with left:
        st.segmented_control(
            "Search by", list(BY), required=True, width="stretch", **tied(VocabularyState.by)
        )
    label, placeholder = ASKS[state.by]
    with middle:
        st.text_input(label, placeholder=placeholder, **tied(VocabularyState.query))
    scripts = [ANY_SCRIPT, *vocabulary.count_scripts()]
    state.prune_script(scripts)
    button = f"Filter, order: {state.n_set} set" if state.n_set else "Filter, order"
    with right, st.popover(button, icon=":material/filter_list:", width="stretch"):
        st.pills("Keep only", list(ONLY), selection_mode="multi", **tied(VocabularyState.only))
        script_box, order_box = st.columns(2)
        with script_box:
            st.selectbox("Script", scripts, **tied(VocabularyState.script))
        with order_box:
            st.selectbox("Order", ORDERS, **tied(VocabularyState.order))
        boxes = st.columns(2)
        for number, (bound, label) in enumerate(BOUNDS.items()):
            with boxes[number % 2]:
                st.number_input(label, 0, MAX_LENGTH, None, step=1, placeholder="any", **tied(bound))
        st.checkbox(
            "Ignore upper and lower case",
            disabled=state.by not in ("text", "regex"),
            **tied(VocabularyState.ignore_case),
        )
    with st.container(horizontal=True, gap=None, key=state.key("tries")):
        for number, example in enumerate(TRIES):
            key = state.key(f"try_{number}")
            st.button(example, key=key, on_click=state.ask, args=TRIES[example], type="tertiary")
    return search_of(state)


def search_of(state: VocabularyState) -> Search:
    """What the fields ask for."""
    flags: dict[str, Any] = {ONLY[word]: True for word in state.only}
    filters = Filters(
        script=None if state.script == ANY_SCRIPT else state.script,
        min_bytes=state.min_bytes,
        max_bytes=state.max_bytes,
        min_chars=state.min_chars,
        max_chars=state.max_chars,
        **flags,
    )
    return Search(state.encoding, state.query, BY[state.by], state.ignore_case, filters, state.order)


def find_tokens(vocabulary: Vocabulary, search: Search) -> TokenIds:
    """What is found, in the order that was asked for.

    Raises:
        ValueError: a search that cannot be made, as by a broken regular expression.
    """
    last = get_kept(LastAnswer)
    if last.ids is not None and last.search == search and last.vocabulary is vocabulary:
        return last.ids
    ids = vocabulary.search(search.query, search.by, search.filters, ignore_case=search.ignore_case)
    if search.order != BY_ID:
        lengths = vocabulary.byte_lengths[ids]
        ids = ids[(-lengths if search.order == LONGEST_FIRST else lengths).argsort(kind="stable")]
    last.search, last.vocabulary, last.ids = search, vocabulary, ids
    return ids
