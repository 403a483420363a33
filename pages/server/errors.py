"""Unexpected errors: the message that a page shows, and the line in the log.

Pages handle expected errors themselves, such as a missing file. The log holds no messages of exceptions,
since they often quote typed text. An exception takes one line there, so a browser that sends invalid values
cannot fill the log with tracebacks. ``TOKEN_GROVE_LOG=full`` keeps messages and tracebacks, for debugging on
one's own machine.
"""

from __future__ import annotations

import logging
import os
import traceback
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.markdown import escape
from tokenizers.shipped import SHIPPED_FILE_ERRORS

VARIABLE = "TOKEN_GROVE_LOG"
_NOTHING_IS_LOST = "What you typed, added and trained is still here"


def describe_error(problem: BaseException) -> str:
    """The type of an exception, the lines of code that led to it, and its cause, without messages.

    >>> try:
    ...     int("a secret")
    ... except ValueError as problem:
    ...     print(describe_error(problem)[:13])
    ValueError at
    """
    calls = traceback.extract_tb(problem.__traceback__)
    places = " > ".join(f"{'/'.join(Path(call.filename).parts[-2:])}:{call.lineno}" for call in calls)
    cause = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    after = "" if cause is None else f", after {describe_error(cause)}"
    return f"{type(problem).__qualname__} at {places}{after}"


def keep_typed_text_out_of_logs() -> None:
    """Remove the messages of exceptions from all later log records of this process."""
    if os.environ.get(VARIABLE) == "full":
        return
    make = logging.getLogRecordFactory()

    def make_record(*args: Any, **options: Any) -> logging.LogRecord:
        record = make(*args, **options)
        problem = record.exc_info[1] if record.exc_info else None
        if problem is not None:
            record.msg = f"{record.getMessage()}: {describe_error(problem)}"
            record.args = ()
            record.exc_info = None
        return record

    logging.setLogRecordFactory(make_record)
    # This logger quotes typed cells.
    logging.getLogger("streamlit.elements.widgets.data_editor").setLevel(logging.CRITICAL)


def show_error(problem: Exception) -> bool:
    """Show a message instead of Streamlit's traceback: what happened, and what to do.

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
