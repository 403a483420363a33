"""The playground's component: an editor and its panels, three files in assets/components/editor."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tokenizers.encodings import ASSETS

_FOLDER = ASSETS / "components" / "editor"


def _read(suffix: str) -> str:
    return (_FOLDER / f"component.{suffix}").read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "token_grove.editor", html=_read("html"), css=_read("css"), js=_read("js")
)


def live_editor(data: bytes, *, key: str) -> dict[str, Any] | None:
    """Mount the editor. ``data`` is a reply (reply.py); returns the browser's newest message."""
    result = _mount(data=data, key=key, on_message_change=lambda: None)
    return newest_message(key) if result else None


def newest_message(key: str) -> dict[str, Any] | None:
    """What the browser said last, before the component is mounted again in this run."""
    state = st.session_state.get(key)
    message = state.get("message") if state is not None else None
    return message if isinstance(message, dict) else None
