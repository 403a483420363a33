"""What the server logs of a fault: where it happened and of which kind, without the sentence, and once.

The sentence of an error often quotes what a person typed, and that must not be in a log.
``TOKEN_GROVE_LOG=full`` keeps it, for whoever looks for a fault on their own machine.

Whoever forges what a browser sends, such as a number where a widget has words, breaks the pages of their own
session only. But Streamlit writes some fifty lines about each attempt, and could fill the disk.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from typing import Any

VARIABLE = "TOKEN_GROVE_LOG"
MOST_ERRORS = 200
"""Different errors that are remembered: beyond, no new one is written."""

_LOGGERS = ("streamlit.error_util", "streamlit.components.v2.bidi_component.serialization")


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


class EachOnce(logging.Filter):
    """Lets each error through only once: errors are the same if their kind and their calls are.

    >>> once = EachOnce()
    >>> def fail():
    ...     try:
    ...         int("no number")
    ...     except ValueError as problem:
    ...         error = (ValueError, problem, problem.__traceback__)
    ...         return logging.LogRecord("a", logging.ERROR, "", 0, "Uncaught", (), error)
    >>> once.filter(fail()), once.filter(fail())
    (True, False)
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written. One without an error always is."""
        problem = record.exc_info[1] if record.exc_info else None
        where = say_where(problem) if problem is not None else record.exc_text
        if where is None:
            return True
        if where in self._known or len(self._known) >= MOST_ERRORS:
            return False
        self._known.add(where)
        return True


def keep_logs_short_and_private() -> None:
    """From now on, no log of this process has the message of an error, and what repeats is in it once."""
    if os.environ.get(VARIABLE) != "full":
        logging.setLogRecordFactory(without_messages(logging.getLogRecordFactory()))
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(EachOnce())
