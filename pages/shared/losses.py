"""Warns on pages with token counts about encodings that lose text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.session.workspace import Workspace
from pages.shared.markdown import escape


def lossy_among(workspace: Workspace, names: Iterable[str]) -> list[str]:
    """The encodings among these that may lose a part of a text, in the same order."""
    lossy = []
    for name in names:
        try:
            if workspace.encoding(name).drops_text:
                lossy.append(name)
        except (ValueError, OSError):
            pass  # it cannot be loaded, and the page shows the error
    return lossy


def lose(names: Sequence[str], joint: str = " ") -> str:
    """The names and the verb "lose", for a sentence; at least one name. ``joint`` comes before the verb.

    >>> lose(["words"]), lose(["a", "b", "words"]), lose(["words"], ", which ")
    ('words loses', 'a, b and words lose', 'words, which loses')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}{joint}lose" if others else f"{last}{joint}loses"


def say_losses(lossy: Sequence[str]) -> None:
    """Show a warning about the encodings of ``lossy_among``: few tokens may mean lost text."""
    if lossy:
        st.caption(
            f"{escape(lose(lossy))} what is not in the vocabulary: few tokens there can mean "
            "that text is lost, not that it is short. The playground shows what is lost."
        )
