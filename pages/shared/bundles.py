"""Offers a bundle of what a page shows, and shows the view of an opened one."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.session.bundles import write_bundle
from pages.session.editor_request import state_of
from pages.session.menu import SECTIONS
from pages.session.page_state import read_tab
from pages.session.workspace_link import digests_of, restore
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.widgets import SAYS_WHERE, follow_link, opened_pages, show_errors

PLAYGROUND = "playground"


def offer_bundle(page: str) -> None:
    """Draw which encodings in a page's view no link carries, and offer them and the view in one file.

    Args:
        page: the page's folder.
    """
    workspace = get_workspace()
    view: dict[str, Any]
    if page == PLAYGROUND:
        view, chosen = state_of(workspace), workspace.encodings
        about = "It holds these tokenizers, the text and the switches."
    elif page in opened_pages():
        view = dict(opened_pages()[page].to_link())
        chosen = list(digests_of(workspace, view))
        about = "It holds these tokenizers, and what a link to this page holds: no texts of your own."
    else:
        return
    names = [name for name in chosen if name in workspace.trained]
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"bundle_of_{page}"):
        only = f"Only on this computer: {escape(', '.join(names))}."
        st.caption(f"{only} A link to this page asks for each file.", width="content")
        place = st.popover("Save a bundle", icon=":material/download:", on_change="rerun", type="tertiary")
    if place.open:
        with place, show_errors():
            data = write_bundle(workspace, page, view, names)
            st.download_button("Download view.zip", data, "view.zip", "application/zip", **SAYS_WHERE)
            st.caption(f"{about} To open it, choose it on “Add a tokenizer”.")


def show_view(page: str, view: dict[str, Any]) -> None:
    """Go to the page of an opened bundle, and show its view there.

    Raises:
        ValueError: its text is too long.
    """
    workspace = get_workspace()
    if page == PLAYGROUND:
        workspace.take(str(view.get("text", workspace.text)))
        restore(workspace, view)
    else:
        follow_link(page, read_tab({page: view})[page])
    section = next(section for section, pages in SECTIONS.items() if page in pages)
    st.switch_page(f"{section.lower()}/{page}/page.py")
