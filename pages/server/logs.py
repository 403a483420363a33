"""Removes the messages of exceptions from log records, since they often quote typed text.

``TOKEN_GROVE_LOG=full`` keeps the messages, for debugging on one's own machine.
"""

from __future__ import annotations

import logging
import os
import traceback
from typing import Any

VARIABLE = "TOKEN_GROVE_LOG"
_QUOTES_VALUES = "streamlit.elements.widgets.data_editor"  # this logger quotes typed cells


def describe_error(problem: BaseException) -> str:
    """The traceback of an exception and of its causes, and its type, without its message.

    >>> try:
    ...     int("a secret")
    ... except ValueError as problem:
    ...     print(describe_error(problem).splitlines()[-1])
    ValueError
    """
    cause = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    first = f"{describe_error(cause)}\n\n" if cause is not None else ""
    calls = "".join(traceback.format_tb(problem.__traceback__))
    return f"{first}Traceback (most recent call last):\n{calls}{type(problem).__qualname__}"


def keep_typed_text_out_of_logs() -> None:
    """Remove the messages of exceptions from all later log records of this process."""
    if os.environ.get(VARIABLE) == "full":
        return
    make = logging.getLogRecordFactory()

    def make_record(*args: Any, **options: Any) -> logging.LogRecord:
        record = make(*args, **options)
        problem = record.exc_info[1] if record.exc_info else None
        if problem is not None:
            record.exc_text, record.exc_info = describe_error(problem), None
        return record

    logging.setLogRecordFactory(make_record)
    logging.getLogger(_QUOTES_VALUES).setLevel(logging.CRITICAL)
