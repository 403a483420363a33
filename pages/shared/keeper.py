"""What a person made, kept in their browser: the part of every page that says so, and brings it back."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.session.kept import Kept
from pages.shared.components import newest_message, register
from pages.shared.fragments import fragment
from pages.shared.session import get_kept, get_workspace

KEY = "keeper"
COOKIE = "token_grove_keeps"
"""The browser sets it as long as it keeps something. Only then does a new visit wait for it."""

_WENT_ON, _THEME = "keeper_went_on", "keeper_theme"
_mount = register("keeper")


def draw_page(page: StreamlitPage) -> None:
    """A page, and above it what is kept. On a new visit, the page waits for what this browser kept.

    Otherwise a page's address that names an encoding of the person's own would be read before it is here.
    """
    st.session_state[_THEME] = st.context.theme.type
    place = st.container(key="keeper_place")  # takes no room: frame.py
    if not get_kept(Kept).is_settled and _browser_keeps() and not st.session_state.get(_WENT_ON):
        with place:
            _keep()
        st.caption("Bringing back what this browser kept…")
        st.button("Go on without it", key="keeper_go_on", on_click=_go_on, type="tertiary")
        st.stop()
    page.run()
    # Last, since the browser answers at once, with the values of all fields: those that stand in it by then.
    with place:
        _keep()


def _browser_keeps() -> bool:
    return st.context.cookies.get(COOKIE) == "1"


def _go_on() -> None:
    st.session_state[_WENT_ON] = True


@fragment
def _keep() -> None:
    """Hears what the browser keeps, and says what it is to keep; runs again at every message from it."""
    kept, workspace = get_kept(Kept), get_workspace()
    message = newest_message(KEY)
    waits = not kept.is_settled
    if message:
        kept.hear(message, workspace)
    _mount(data=kept.next_step(workspace), key=KEY, on_message_change=lambda: None)
    if kept.is_settled and (kept.came_back or (waits and _browser_keeps())):
        kept.came_back = False
        st.rerun()  # the page shows what came, or waits no longer
    if st.context.theme.type != st.session_state.get(_THEME):
        st.rerun()  # charts have the inks of the theme that they were drawn in
