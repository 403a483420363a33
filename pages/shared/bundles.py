"""Offers a bundle of what a page shows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.session.bundles import write_bundle
from pages.session.editor_request import state_of
from pages.session.workspace_link import digests_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_files
from pages.shared.widgets import opened_pages

PLAYGROUND = "playground"


def offer_bundle(page: str) -> None:
    """Draw which encodings in a page's view no link carries, and offer them and the view in one file.

    Args:
        page: the page's folder.
    """
    workspace = get_workspace()
    view: dict[str, Any]
    if page == PLAYGROUND:
        view = state_of(workspace)
        chosen = workspace.encodings
        holds = "the text and the switches"
    elif page in opened_pages():
        view = dict(opened_pages()[page].to_link())
        chosen = list(digests_of(workspace, view))
        holds = "what a link to this page holds: no texts of your own"
    else:
        return
    names = [name for name in chosen if name in workspace.own_encodings]
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"bundle_of_{page}"):
        only = f"Only on this computer: {escape(', '.join(names))}."
        st.caption(f"{only} A link to this page asks for each file.", width="content")
        offer_files(
            "Save a bundle",
            lambda: {"view.zip": write_bundle(workspace, page, view, names)},
            f"bundle_{page}",
            f"It holds these tokenizers, and {holds}. To open it, choose it on “Add a tokenizer”.",
            "tertiary",
        )
