"""What a page says of an error that it did not handle, in place of Streamlit's words for programmers.

A page handles what it can by itself: it leaves out what is missing, and says so there. This is for all other
errors. The other pages go on, and so does this one once it is loaded anew.
"""

from __future__ import annotations

import streamlit as st

from pages.shared.plain import plain
from tokenizers.shipped import SHIPPED_FILE_ERRORS

_NOTHING_IS_LOST = "What you typed, brought and grew is still here"


def say_fault(problem: Exception) -> bool:
    """Say on the page what happened, and what to do; Streamlit has put the details into the log.

    Returns:
        True: it was said.
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
    st.error(plain(sentence), icon=":material/error:")
    return True
