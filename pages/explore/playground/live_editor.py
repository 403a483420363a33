"""The playground's component: an editor and its panels."""

from __future__ import annotations

from pages.shared.components import register

_mount = register("editor")


def live_editor(data: bytes, *, key: str) -> None:
    """Mount the editor. ``data`` is a reply (reply.py); ``newest_message(key)`` is what it says."""
    _mount(data=data, key=key, on_message_change=lambda: None)
