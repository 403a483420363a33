"""The lower part of the page Merge trees: any token, chosen by its id, its text or a click."""

from __future__ import annotations

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.session.workspace import Workspace
from pages.shared.biography import clicked_in, draw_life
from pages.shared.plain import plain
from pages.shared.widgets import say_note, tied, write_link
from tokenizers.encoding import Encoding

_LIFE = "life"


def find_token(encoding: Encoding, query: str) -> int:
    """The token that a person means: an id, or a text that is one token. A leading space makes it a text.

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
    if known_id is None:
        ids = encoding.encode(query)
        if ids == [encoding.unknown_id]:
            raise ValueError(
                f"{encoding.name} does not know this text: it is [UNK], token {encoding.unknown_id}. Type "
                "another text, or an id."
            )
        parts = ", ".join(f"{token_id}" for token_id in ids[:8]) + (", …" if len(ids) > 8 else "")
        many = "1 token" if len(ids) == 1 else f"{len(ids):,} tokens"
        raise ValueError(
            f"{encoding.name} has no single token for this text: it is {many}, {parts}. "
            "Type one of these ids, or another text; a leading space counts."
        )
    return known_id


def draw_any_token(
    workspace: Workspace, state: MergeTreesState, clicked: tuple[str, int, object] | None
) -> None:
    """The chooser of a token, and the biography of the chosen one.

    Args:
        workspace: of the session.
        state: of the page.
        clicked: the last click in the forest: encoding, id, and the click's number.
    """
    st.header("Any token")
    went = clicked_in(workspace, _LIFE)
    if clicked and state.click != clicked:
        state.click = clicked
        went = clicked[0], clicked[1]
    if went:
        state.token_encoding, state.token = went[0], str(went[1])
    available = workspace.encoding_names()
    state.prune(available)
    say_note(state)
    left, right = st.columns([1, 2])
    with left:
        st.selectbox("Encoding", available, **tied(MergeTreesState.token_encoding))
    with right:
        st.text_input(
            "An id, or a text that is one token",
            help="Click a node above to choose it. A leading space counts.",
            **tied(MergeTreesState.token),
        )
    write_link(state)
    if not state.token:
        st.info("Type a token's id or its text.")
        return
    try:
        encoding = workspace.encoding(state.token_encoding)
        arrives, state.arrives = state.arrives, False
        draw_life(workspace, encoding, find_token(encoding, state.token), _LIFE, arrives=arrives)
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")
