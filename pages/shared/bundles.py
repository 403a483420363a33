"""Offers a bundle of what a page shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from pages.session.bundles import write_bundle
from pages.session.editor_request import state_of
from pages.session.linked_texts import TEXTS, texts_of
from pages.session.workspace import Workspace
from pages.session.workspace_link import marks_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_files
from pages.shared.widgets import link_of, opened_pages, side_by_side
from tokenizers.amounts import plural
from tokenizers.json_types import JsonObject

PLAYGROUND = "playground"


def _what_a_link_does(workspace: Workspace, names: Sequence[str]) -> Iterator[str]:
    """What whoever opens a link to the page has to do for these own encodings, in sentences."""
    trained = [name for name in names if workspace.own_encodings[name].is_trained_anywhere]
    others = [name for name in names if name not in trained]
    yield f"Only on this computer: {escape(', '.join(names))}."
    if trained:
        recipes = escape(", ".join(trained))
        yield f"A link to this page holds the recipe of {recipes}: whoever opens it can train the same."
    if others:
        yield f"A link to this page asks for the file of {escape(', '.join(others))}."


def offer_bundle(page: str) -> None:
    """Draw which encodings and texts in a page's view no link carries; offer them and the view in a file.

    Args:
        page: the page's folder.
    """
    workspace = get_workspace()
    view: JsonObject
    texts = {}
    sentences = []
    if page == PLAYGROUND:
        view = state_of(workspace)
        chosen = workspace.encodings
    elif page in opened_pages():
        state = opened_pages()[page]
        view = dict(state.to_link())
        chosen = list(marks_of(workspace, view))
        texts = texts_of(workspace.own_texts, view) if state.SENDS_TEXTS else {}
        if texts and TEXTS not in link_of(state):
            sentences.append(
                f"A link to this page does not hold your {plural(len(texts), 'text')}: it would be too "
                "long. Whoever opens it sees other texts, and that yours are missing."
            )
    else:
        return
    names = [name for name in chosen if name in workspace.own_encodings]
    if names:
        sentences += _what_a_link_does(workspace, names)
    if not sentences:
        return
    with side_by_side(key=f"bundle_of_{page}"):
        st.caption(" ".join(sentences), width="content")
        offer_files(
            "Save a bundle",
            lambda: {"view.zip": write_bundle(workspace, page, view, names, texts)},
            f"bundle_{page}",
            "It holds these, and the rest of what you see. To open it, choose it on “Add a tokenizer”.",
            "tertiary",
        )
