"""Shares one text among the pages of Explore: each copies the playground's text, and copies its own back."""

from __future__ import annotations

from typing import Any

from pages.session.workspace import WELCOME, Workspace
from tokenizers.utf8 import first_bytes

MAX_TAKEN_BYTES = 20_000
"""The most bytes that a page copies from a longer text."""


def share_text(state: Any, workspace: Workspace, example: str, *, by_typing: bool = False) -> None:
    """Copy the playground's text if it changed there, or copy the page's text back if it changed here.

    Of a text that is too long for the page, it copies the beginning. That never replaces the playground's
    whole text.

    Args:
        state: the page's state. Its ``text`` is the page's text; its ``shared`` is the playground's text and
            the page's text at the last copy, or None.
        workspace: the session's workspace.
        example: the page's default text, which is not copied.
        by_typing: whether the page's text changes with each key. Then only the first key sets the
            playground's text aside.
    """
    theirs = workspace.text
    if state.shared is None:  # the first time: the text of a link wins over the playground's
        is_copied_back = state.text != example
        state.shared = (theirs, example if is_copied_back else state.text)
        if not is_copied_back and theirs != WELCOME:
            state.text = first_bytes(theirs, MAX_TAKEN_BYTES)
            state.shared = (theirs, state.text)
    elif theirs != state.shared[0]:
        state.text = first_bytes(theirs, MAX_TAKEN_BYTES)
        state.shared = (theirs, state.text)
    if state.text != state.shared[1]:
        if theirs == WELCOME or len(theirs.encode("utf-8", "replace")) <= MAX_TAKEN_BYTES:
            if by_typing and state.shared[0] == state.shared[1]:
                workspace.set_text(state.text)
            else:
                workspace.take(state.text)
        state.shared = (workspace.text, state.text)
