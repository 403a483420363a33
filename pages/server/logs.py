"""Log records without the messages of errors, which often quote what a person typed.

``TOKEN_GROVE_LOG=full`` keeps the messages, for people who look for a fault on their own machine.
"""

from __future__ import annotations

import logging
import os
import traceback
from typing import Any

VARIABLE = "TOKEN_GROVE_LOG"
_QUOTES_VALUES = "streamlit.elements.widgets.data_editor"  # logs what was typed into a cell


def describe_error(problem: BaseException) -> str:
    """The calls that led to an error and to those behind it, and its type; not its message.

    >>> try:
    ...     int("a secret")
    ... except ValueError as problem:
    ...     print(describe_error(problem).splitlines()[-1])
    ValueError
    """
    behind = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    first = f"{describe_error(behind)}\n\n" if behind is not None else ""
    calls = "".join(traceback.format_tb(problem.__traceback__))
    return f"{first}Traceback (most recent call last):\n{calls}{type(problem).__qualname__}"


def keep_typed_text_out_of_logs() -> None:
    """From now on, no log record of this process has the message of an error."""
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
