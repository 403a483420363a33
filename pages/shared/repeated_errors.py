"""An error that comes again and again is in the log once, with where it came from.

Whoever forges what a browser sends, such as a number where a widget has words, breaks the pages of their own
session only. But Streamlit writes some fifty lines about each attempt, and could fill the disk.
"""

from __future__ import annotations

import logging

_LOGGERS = ("streamlit.error_util", "streamlit.components.v2.bidi_component.serialization")
_MOST = 200  # different errors that are remembered: beyond, no new one is written


class EachOnce(logging.Filter):
    """Lets an error through the first time: by its kind, and the line that raised it.

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
        self._known: set[tuple[str, str, int]] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written. One without an error always is."""
        if not record.exc_info or record.exc_info[1] is None:
            return True
        problem, place = record.exc_info[1], record.exc_info[1].__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = (place.tb_frame.f_code.co_filename, place.tb_lineno) if place is not None else ("", 0)
        key = (type(problem).__name__, *where)
        if key in self._known or len(self._known) >= _MOST:
            return False
        self._known.add(key)
        return True


def write_errors_once() -> None:
    """Keep repeated errors out of the log; once, when the server starts."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(EachOnce())
