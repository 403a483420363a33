"""The pages of Explore share one text: each takes over the playground's, and hands its own over."""

from __future__ import annotations

from typing import Any, Protocol

from pages.session.workspace import WELCOME, Workspace
from tokenizers.utf8 import first_bytes

MAX_TAKEN_BYTES = 20_000
"""A page takes no more than this of a longer text."""


class HasText(Protocol):
    """A state with a text: its fields are a ``Field[str]`` and a ``Field[tuple[str, str] | None]``.

    Attributes:
        text: what the page shows.
        shared: the playground's text and the text here, as both were when they last corresponded.
    """

    text: Any
    shared: Any


def share_text(state: HasText, workspace: Workspace, example: str, *, by_typing: bool = False) -> None:
    """Take over the playground's text if it changed there, or hand over the page's if it changed here.

    If the text is too long for the page, its beginning is taken, which never replaces the whole text in
    the playground.

    Args:
        state: the page's.
        workspace: the playground's.
        example: the text that the page begins with, which is not handed over.
        by_typing: whether the page's text changes with each key. Then the playground's text is set aside
            at the first key only.
    """
    theirs = workspace.text
    if state.shared is None:  # the first time: what a link brought wins over the playground's
        is_handed_over = state.text != example
        state.shared = (theirs, example if is_handed_over else state.text)
        if not is_handed_over and theirs != WELCOME:
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
