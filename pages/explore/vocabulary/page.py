"""Explore · Vocabulary: search over all tokens of an encoding, and what they are like as a whole."""

from __future__ import annotations

import streamlit as st

from pages.explore.vocabulary.search import draw_tokens
from pages.explore.vocabulary.state import LONGEST_FIRST, VocabularyState
from pages.explore.vocabulary.whole import draw_whole
from pages.shared.bring_link import draw_bring_link
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.widgets import open_state, say_note, tied
from tokenizers.measure import vocabulary_of

LONGEST_WORDS: tuple[str, str, list[str], str] = ("regex", "^ [a-z]+$", [], LONGEST_FIRST)


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
    draw_tokens(workspace, state, encoding, name)
    draw_whole(workspace, encoding, name)


vocabulary()
