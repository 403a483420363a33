"""Files that need not be sent: those of the machine on which the app runs."""

from __future__ import annotations

import streamlit as st

from pages.grow.bring.files import put
from pages.grow.bring.state import Bringing, BringState
from pages.session.incoming import Arrived
from pages.session.local_file import read_path
from pages.session.waiting import KINDS
from pages.shared.fragments import press_button
from pages.shared.this_machine import sits_here
from pages.shared.widgets import get_state, tied


def draw_elsewhere(bringing: Bringing) -> None:
    """What is offered beside the place for files, and to whom."""
    if sits_here():
        _draw_path(bringing)


def _draw_path(bringing: Bringing) -> None:
    with st.expander("A path on this machine", icon=":material/hard_drive:", key=BringState.key("paths")):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                "Path of a file",
                placeholder="~/models/llama-3.gguf",
                help="Nothing is sent. Of a .gguf, only the header is read, whatever the file weighs.",
                width="stretch",
                **tied(BringState.path),
            )
            look = press_button("Look at it", key=BringState.key("look_path"))
        if look:
            with st.spinner("Reading it…"):
                _bring_path(bringing, get_state(BringState).path)
            st.rerun()


def _bring_path(bringing: Bringing, path: str) -> None:
    files: list[Arrived] = []
    problems = []
    try:
        files.append(read_path(path, KINDS))
    except ValueError as problem:
        problems.append(str(problem))
    put(bringing, files, problems)
