"""Parts of a page that run again by themselves, and buttons whose press is not lost to such a part.

Streamlit's browser side sends all that changes within one moment as one request. If a fragment's widget is
among what changed, the request is for that fragment alone: the callbacks of all that changed are called, but
only the fragment is drawn again. A file that was just brought would not be listed, and a button outside the
fragment would never read as pressed.

So a fragment that runs alone first looks whether anything outside it changed, and then has the whole page
run; and a button remembers its press until it is drawn again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

_PRESSED = "pressed"
P = ParamSpec("P")


def fragment(draw: Callable[P, None], run_every: float | None = None) -> Callable[P, None]:
    """As ``st.fragment``, which it stands for: also as a decorator.

    Args:
        draw: draws the part.
        run_every: after how many seconds the part runs again; None: only when something in it changes.
    """

    @functools.wraps(draw)
    def draw_part(*args: P.args, **kwargs: P.kwargs) -> None:
        if _changed_outside():
            st.rerun()
        draw(*args, **kwargs)

    return st.fragment(draw_part, run_every=run_every)


def runs_alone() -> bool:
    """Whether this run draws a part of the page, and not the whole page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def _changed_outside() -> bool:
    """Whether fragments run alone, and a widget outside them changed since the run before.

    Streamlit says this nowhere: it is read from where Streamlit itself finds whose callbacks to call.
    """
    context = get_script_run_ctx()
    if context is None or not runs_alone():
        return False
    state = context.session_state._state
    widgets = state._new_widget_state
    for widget in list(widgets):
        metadata = widgets.widget_metadata.get(widget)
        if metadata is None or metadata.fragment_id in (context.fragment_ids_this_run or ()):
            continue
        if state._widget_changed(widget):
            return True
    return False


def press_button(label: str, *, key: str, place: DeltaGenerator | None = None, **options: Any) -> bool:
    """A button whose press does more than a callback can; returns whether it was pressed since it was drawn.

    Args:
        label: the text on it.
        key: of the widget.
        place: where it is drawn; None: here.
        options: further arguments of ``st.button``, but for ``on_click``.
    """
    (place or st).button(label, key=key, on_click=_remember_press, args=(key,), **options)
    if st.session_state.get(_PRESSED) != key:
        return False
    forget_press()
    return True


def _remember_press(key: str) -> None:
    st.session_state[_PRESSED] = key


def forget_press() -> None:
    """What was pressed is done, or the page has run to its end: no button reads as pressed any more."""
    st.session_state.pop(_PRESSED, None)
