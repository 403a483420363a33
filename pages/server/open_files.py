"""How many files and connections the server may hold open, and a log that does not fill the disk beyond that.

Many systems allow a process 1,024, and to ask for more, which it does. Where that is all, fewer visitors have
room: without a file left, nobody's key is answered any more, and a session that begins ends in an error.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

WANTED = 65_536
"""Files at once: for more visitors than any machine can serve."""

EACH_VISITOR = 8
"""Files: four for a session, with its connection and Streamlit's event loop, and four for a browser's
connections for keys and files: it makes six at most, and not all browsers make them at the same time."""

_OWN = 64  # files that the server needs for itself

_FLOOD = ("out of system resource", "Too many open files")
_SECONDS = 60.0


def allow_many() -> int | None:
    """Ask the system for as many open files as it allows, up to ``WANTED``.

    Returns:
        How many there may be; None: this system does not say.
    """
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if most > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            return soft
        return most
    return soft


def visitors_for(files: int) -> int:
    """How many visitors a server has room for that may hold so many files open.

    >>> visitors_for(1_024), visitors_for(65_536), visitors_for(64)
    (120, 8184, 1)
    """
    return max(1, (files - _OWN) // EACH_VISITOR)


class OnceAMinute(logging.Filter):
    """Lets a message about too many open files through once a minute.

    Python's server tries again at once, and writes down each try with its traceback: hundreds of megabytes.

    Args:
        clock: seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said_at = -_SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the message is written."""
        message = f"{record.msg} {record.exc_info[1] if record.exc_info else ''}"
        if not any(each in message for each in _FLOOD):
            return True
        if self._clock() - self._said_at < _SECONDS:
            return False
        self._said_at = self._clock()
        record.exc_info = None
        record.msg, record.args = "There are too many open files: new visitors have to wait. (ulimit -n)", ()
        return True


def keep_log_short() -> None:
    """Have ``OnceAMinute`` look at what Python's server says."""
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).addFilter(OnceAMinute())
