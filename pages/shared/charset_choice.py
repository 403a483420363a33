"""The field in which a person chooses another character set for a file whose own was guessed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.session.guessed_file import GuessedFile
from tokenizers.text import CHARSETS


def draw_charset_choice(guessed: GuessedFile, key: str, choose: Callable[[str], None]) -> None:
    """A field that shows the character set of a file, and takes another.

    Args:
        guessed: the file.
        key: of the field.
        choose: is called with the key of the chosen set, before the page is drawn again.
    """
    st.session_state[key] = guessed.codec  # it may have been refused, or be another file of the same name
    st.selectbox(
        "Read as: a guess until you choose",
        list(CHARSETS),
        format_func=CHARSETS.__getitem__,
        key=key,
        on_change=lambda: choose(st.session_state[key]),
        help="Nothing in the file says its character set. If letters are wrong, choose another.",
    )
