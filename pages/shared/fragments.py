"""Fragments, and a button whose press is read while the page is drawn."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

_PRESSED = "pressed"

fragment = st.fragment


def runs_alone() -> bool:
    """Whether this run draws a fragment, and not the whole page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def press_button(label: str, *, key: str, place: DeltaGenerator | None = None, **options: Any) -> bool:
    """A button that reads as pressed until it is drawn again.

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
    """Forget which button was pressed: the page has handled it, or has run to its end."""
    st.session_state.pop(_PRESSED, None)
