"""Explore · Playground: a text in several encodings, side by side, while it is typed."""

from __future__ import annotations

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.playground.answer import mount_data
from pages.explore.playground.state import PlaygroundState
from pages.explore.playground.tools import draw_tools
from pages.learn.lessons.state import LessonsState
from pages.server.run_limit import limited_run
from pages.session.own_texts import PLAYGROUND
from pages.session.page_state import LinkValues
from pages.shared import page_files
from pages.shared.bundles import offer_bundle
from pages.shared.components import newest_event, register
from pages.shared.session import get_workspace
from pages.shared.this_machine import url_for_others
from pages.shared.warnings import warn_of_training
from pages.shared.widgets import follow_link, get_state

KEY = "editor"

_mount = register("editor", "event")


@st.fragment
@limited_run()
def playground() -> None:
    """The editor, which asks the server by itself (encode_route.py), and what is below its panels.

    It runs again at an event of the editor: after a pause in typing, or on the way to another page.
    """
    workspace = get_workspace()
    event = newest_event(KEY) or {}
    name = str(event.get("encoding"))
    token_id = event.get("id")
    match event.get("go"):
        case "biography" if name in workspace.encodings and workspace.is_token(token_id, name):
            get_state(MergeTreesState).show_token(workspace, name, token_id)
            st.switch_page(page_files.MERGE_TREES)
        case "lesson":
            get_state(LessonsState).open_lesson(str(event.get("slug") or ""))
            st.switch_page(page_files.LESSONS)
        case "add_tokenizer":
            wanted: LinkValues = {"find": str(event.get("find", ""))}
            follow_link("add_tokenizer", wanted)
            st.switch_page(page_files.ADD_TOKENIZER, query_params=wanted)
        case "train":
            st.switch_page(page_files.TRAIN)
    data = {**mount_data(workspace, st.context.locale), "url": url_for_others()}
    _mount(data, KEY)
    warn_of_training(workspace, workspace.encodings, {"your text": [PLAYGROUND]})
    draw_tools(workspace)
    offer_bundle(PlaygroundState.PAGE)


playground()
