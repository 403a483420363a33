"""What the server logs of a fault: where it happened and of which kind, without the sentence.

The sentence of an error often quotes what a person typed, and that belongs into no log.
``TOKEN_GROVE_LOG=full`` keeps it, for whoever looks for a fault on their own machine.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from typing import Any

VARIABLE = "TOKEN_GROVE_LOG"


def say_where(problem: BaseException) -> str:
    """The calls that led to an error and those behind it, and its kind; not its message.

    >>> try:
    ...     int("a secret")
    ... except ValueError as problem:
    ...     print(say_where(problem).splitlines()[-1])
    ValueError
    """
    behind = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    first = f"{say_where(behind)}\n\n" if behind is not None else ""
    calls = "".join(traceback.format_tb(problem.__traceback__))
    return f"{first}Traceback (most recent call last):\n{calls}{type(problem).__qualname__}"


def without_messages(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """A maker of log records that leaves out the messages of errors."""

    def make_record(*args: Any, **options: Any) -> logging.LogRecord:
        record = make(*args, **options)
        problem = record.exc_info[1] if record.exc_info else None
        if problem is not None:
            record.exc_text, record.exc_info = say_where(problem), None
        return record

    return make_record


def keep_texts_out_of_logs() -> None:
    """From now on, no log of this process has the message of an error."""
    if os.environ.get(VARIABLE) != "full":
        logging.setLogRecordFactory(without_messages(logging.getLogRecordFactory()))
