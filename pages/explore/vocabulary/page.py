"""Explore · Vocabulary: search over all tokens of an encoding, and what they are like as a whole."""

from __future__ import annotations

import streamlit as st

from pages.explore.vocabulary.results import draw_results
from pages.explore.vocabulary.search import draw_search, find_tokens
from pages.explore.vocabulary.state import LONGEST_FIRST, VocabularyState
from pages.explore.vocabulary.whole import draw_whole
from pages.session.workspace import Workspace
from pages.shared.biography import clicked_in, draw_life, prepare_trees
from pages.shared.bring_link import draw_bring_link
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.widgets import open_state, say_note, tied, write_link
from tokenizers.encoding import Encoding
from tokenizers.measure import vocabulary_of

FIRST_TOKEN = b" token"
LONGEST_WORDS: tuple[str, str, list[str], str] = ("regex", "^ [a-z]+$", [], LONGEST_FIRST)


@st.fragment
def _draw_tokens(workspace: Workspace, state: VocabularyState, encoding: Encoding, name: str) -> None:
    """The search, its table, and the chosen token's biography."""
    life = state.key("life")
    if state.encoding != name:  # an example chose another: the page around this changes too
        st.rerun()
    vocabulary = vocabulary_of(encoding)
    if not vocabulary.is_prepared():
        with st.spinner(f"Reading all {encoding.n_vocab:,} tokens of {plain(name)}: a moment, once."):
            vocabulary.prepare()
    clicked = clicked_in(workspace, life)
    if clicked:
        state.token = clicked
    search = draw_search(state, vocabulary)
    ids, is_empty = None, False
    left, right = st.columns([1.12, 1], gap="medium")
    with left:
        try:
            if search.filters.unreachable:
                prepare_trees(vocabulary)
            ids = find_tokens(vocabulary, search)
            if len(ids):
                draw_results(state, vocabulary, search, ids)
            else:
                is_empty = True
                st.info(
                    f"No token of {plain(name)} matches. Search for less, or remove a filter: "
                    "“All tokens” above removes all of them."
                )
        except ValueError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    with right:
        if is_empty:  # a card beside it would look like what was found
            write_link(state)
            return
        token = state.token
        if token is None:
            first = encoding.token_id(FIRST_TOKEN)
            listed = vocabulary.ids if ids is None else ids
            # The card of a token that is not listed would look like what was found.
            token = (name, first if first is not None and first in listed else int(listed[0]))
        try:
            draw_life(workspace, workspace.encoding(token[0]), token[1], life)
        except (ValueError, OSError) as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    write_link(state)


def vocabulary() -> None:
    """The page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    state = open_state(VocabularyState, lambda link: VocabularyState.from_link(link, available))
    state.prune(available, workspace.grown)
    title, chooser = st.columns([3, 1.2], vertical_alignment="bottom")
    with title:
        st.title("Vocabulary")
    with chooser:
        name = st.selectbox("Encoding", available, **tied(VocabularyState.encoding))
        draw_bring_link()
    draw_question(
        VocabularyState,
        "Which tokens does an encoding have?",
        "All of them are here, to be searched; each has a biography.",
        "the longest words in it",
        state.ask,
        LONGEST_WORDS,
    )
    say_note(state)
    try:
        encoding = workspace.encoding(name)
        vocabulary_of(encoding)  # says so if its tokens are too long for all that follows
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _draw_tokens(workspace, state, encoding, name)
    draw_whole(workspace, encoding, name)


vocabulary()
