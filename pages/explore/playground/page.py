"""Explore · Playground: a text in several encodings, side by side, while it is typed."""

from __future__ import annotations

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.playground.keystroke import get_talk
from pages.explore.playground.state import PlaygroundState
from pages.explore.playground.tools import draw_tools
from pages.session.own_texts import PLAYGROUND
from pages.shared import page_files
from pages.shared.components import newest_message, register
from pages.shared.fragments import fragment
from pages.shared.learned import say_learned
from pages.shared.session import get_workspace
from pages.shared.widgets import get_state

KEY = "editor"

_mount = register("editor")


@fragment
def playground() -> None:
    """The editor and what belongs to it; runs again at a message that keystroke.py does not answer alone."""
    workspace = get_workspace()
    talk = get_talk()
    talk.hear(newest_message(KEY))
    if workspace.wants_biography:
        name, token_id = workspace.wants_biography
        workspace.wants_biography = None
        get_state(MergeTreesState).show_token(name, token_id)
        st.switch_page(page_files.MERGE_TREES)
    if workspace.wants_to_bring:
        workspace.wants_to_bring = False
        st.switch_page(page_files.BRING)
    _mount(data=talk.answer(), key=KEY, on_message_change=lambda: None)
    say_learned(workspace, workspace.encodings, {"your text": [PLAYGROUND]})
    if workspace.text_before is not None:
        st.button(
            "Bring back the text that was here before",
            icon=":material/undo:",
            on_click=workspace.bring_back,
            key=PlaygroundState.key("bring_back"),
        )
    draw_tools(workspace)


get_talk().begin_anew()
playground()
