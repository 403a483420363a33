"""Shows a message for an error that a page did not handle, instead of Streamlit's traceback.

Pages handle expected errors themselves, such as a missing file. After another error, the other pages work,
and so does this page after a reload.
"""

from __future__ import annotations

import streamlit as st

from pages.shared.markdown import escape
from tokenizers.shipped import SHIPPED_FILE_ERRORS

_NOTHING_IS_LOST = "What you typed, brought and grew is still here"


def show_error(problem: Exception) -> bool:
    """Show what happened, and what to do. Streamlit has written the details to the log.

    Returns:
        True: Streamlit need not show the error.
    """
    if isinstance(problem, SHIPPED_FILE_ERRORS):
        sentence = f"{problem} {_NOTHING_IS_LOST}, and the other pages go on."
    elif isinstance(problem, MemoryError):
        sentence = f"The server has no memory left for this. {_NOTHING_IS_LOST}: try it with less text."
    else:
        sentence = (
            f"Something went wrong in Token Grove itself. {_NOTHING_IS_LOST}: load the page anew, or go on "
            f"with another page. Whoever runs the server finds the details in its log."
        )
    st.error(escape(sentence), icon=":material/error:")
    return True
