"""Draws the lower part of the page Merge trees: any token, chosen by its id, its text or a click."""

from __future__ import annotations

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.session.workspace import Workspace
from pages.shared.biography import draw_life, follow_click
from pages.shared.widgets import say_note, show_errors, tied, write_link
from tokenizers.encoding import Encoding

_LIFE = "life"
FOREST = "forest"
"""The key of the forest, a click in which chooses a token, too."""


def find_token(encoding: Encoding, query: str) -> int:
    """Find a token by its id, or by its text. With a leading space, digits are a text.

    Raises:
        ValueError: there is no such token; says what the text encodes to instead.
    """
    if query.isascii() and query.rstrip().isdigit() and len(query.rstrip()) < 12:
        token_id = int(query)
        encoding.token_bytes(token_id)
        return token_id
    known_id = encoding.token_id(query.encode("utf-8", "replace"))
    if known_id is None:
        known_id = encoding.special_tokens.get(query)
    if known_id is not None:
        return known_id
    ids = encoding.encode(query)
    if ids == [encoding.unknown_id]:
        raise ValueError(
            f"{encoding.name} does not know this text: it is [UNK], token {encoding.unknown_id}. Type "
            "another text, or an id."
        )
    parts = ", ".join(map(str, ids[:8])) + (", …" if len(ids) > 8 else "")
    raise ValueError(
        f"{encoding.name} has no single token for this text: it is "
        f"{'1 token' if len(ids) == 1 else f'{len(ids):,} tokens'}, {parts}. "
        "Type one of these ids, or another text; a leading space counts."
    )


def draw_any_token(workspace: Workspace, state: MergeTreesState) -> None:
    """Draw the chooser of a token, and the biography of the chosen one."""
    st.header("Any token")
    if clicked := follow_click(workspace, _LIFE) or follow_click(workspace, FOREST):
        state.token_encoding, state.token = clicked[0], str(clicked[1])
    available = workspace.encoding_names()
    state.prune(available)
    say_note(state)
    left, right = st.columns([1, 2])
    left.selectbox("Encoding", available, **tied(MergeTreesState.token_encoding))
    right.text_input(
        "An id, or a text that is one token",
        help="Click a node above to choose it. A leading space counts.",
        **tied(MergeTreesState.token),
    )
    write_link(state)
    if not state.token:
        st.info("Type a token's id or its text.")
        return
    with show_errors():
        encoding = workspace.encoding(state.token_encoding)
        arrives, state.arrives = state.arrives, False
        draw_life(workspace, encoding, find_token(encoding, state.token), _LIFE, arrives=arrives)
