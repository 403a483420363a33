"""What a person made is kept: the part of every page that says so, and brings it back."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.grow.train.bench import is_growing
from pages.grow.train.state import TrainState
from pages.session.data_folder import DataFolder, offered_path
from pages.session.kept import MAX_ALL_BYTES, MAX_RECORDS, Kept
from pages.shared.components import newest_message, register
from pages.shared.fragments import fragment
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import recall_tab, values_for_tab

KEY = "keeper"
COOKIE = "token_grove_keeps"
"""The browser sets it as long as it keeps something. Only then does a new visit wait for it."""

_LOOKS_EVERY = 1.0  # seconds between two looks at what grows, on other pages than Train
_WENT_ON, _THEME = "keeper_went_on", "keeper_theme"
_mount = register("keeper")


def draw_page(page: StreamlitPage) -> None:
    """Draw a page, and above it what is kept. On a new visit, the page waits for what was kept here.

    Otherwise an address that names one of the person's own encodings would be read before that is here.
    """
    st.session_state[_THEME] = st.context.theme.type
    place = st.container(key="keeper_place")  # takes no room: page.css
    if not get_kept(Kept).is_settled and _browser_keeps() and not st.session_state.get(_WENT_ON):
        with place:
            _kept_part()
        st.caption("Bringing back what was kept here…")
        st.button("Go on without it", key="keeper_go_on", on_click=_go_on, type="tertiary")
        st.stop()
    try:
        page.run()
    except Exception:
        with place:  # even if the page fails, what a person made is kept
            _kept_part()
        raise
    # Last: the browser answers at once, and with the values of those fields that it has by then.
    with place:
        if page.url_path != TrainState.PAGE and is_growing():
            _growing_part()
        else:
            _kept_part()


def _browser_keeps() -> bool:
    return st.context.cookies.get(COOKIE) == "1"


def _offered_folder() -> DataFolder | None:
    """The folder of this machine that this visitor may choose instead of the browser's storage, if any."""
    if st.context.ip_address is not None:  # it is None for whoever sits at this machine
        return None
    headers = {name.lower(): value for name, value in st.context.headers.items()}
    path = offered_path(os.environ, st.get_option("server.address"), headers)
    return None if path is None else _folder(path)


@lru_cache(maxsize=4)
def _folder(path: Path) -> DataFolder:
    return DataFolder(path, MAX_RECORDS, MAX_ALL_BYTES)


def _go_on() -> None:
    st.session_state[_WENT_ON] = True


def _keep_what_grows() -> None:
    """As ``_keep``, while what was begun on Train goes on; once it is done, the page shows it, too."""
    _keep()
    if not is_growing():
        st.rerun()


def _keep() -> None:
    """Hears what the browser keeps, and says what it is to keep; runs again at every message from it."""
    kept, workspace, folder = get_kept(Kept), get_workspace(), _offered_folder()
    message = newest_message(KEY)
    waits = not kept.is_settled
    if message:
        tab = message.get("tab")
        if not kept.listed and isinstance(tab, dict) and tab.get("session") == kept.session:
            recall_tab(tab.get("pages"))
        kept.hear(message, workspace, folder)
    data = {**kept.next_step(workspace, folder), "tab": values_for_tab()}
    _mount(data=data, key=KEY, on_message_change=lambda: None)
    if kept.is_settled and (kept.came_back or (waits and _browser_keeps())):
        kept.came_back = False
        st.rerun()  # the page shows what came, or waits no longer
    if st.context.theme.type != st.session_state.get(_THEME):
        st.rerun()  # charts have the inks of the theme that they were drawn in


_kept_part = fragment(_keep)
_growing_part = fragment(_keep_what_grows, run_every=_LOOKS_EVERY)
