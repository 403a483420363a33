"""Our v2 components: three files each in assets/components/NAME, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokenizers.encoding import ASSETS

_FOLDER = ASSETS / "components"


def register(name: str) -> Callable[..., Any]:
    """Register a component, once, when its wrapper's module is imported; returns its mount function.

    common.css and common.js go before the component's own: colours, chips, and how text is written.
    """

    def read(file: str) -> str:
        return (_FOLDER / file).read_text(encoding="utf-8")

    return st.components.v2.component(
        f"token_grove.{name}",
        html=read(f"{name}/component.html"),
        css=read("common.css") + read(f"{name}/component.css"),
        js=read("common.js") + read(f"{name}/component.js"),
    )


def newest_message(key: str) -> dict[str, Any] | None:
    """What the component under this key said last, before it is mounted again in this run."""
    state = st.session_state.get(key)
    message = state.get("message") if state is not None else None
    return message if isinstance(message, dict) else None
