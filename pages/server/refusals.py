"""Why the server ends a browser's connection: the code that closes it, and a line in the log."""

from __future__ import annotations

import logging
from enum import IntEnum

LARGE = 1 << 20
"""Bytes of a message from which on the server's memory is looked at first."""

WORDS = "A browser sent words where Streamlit’s own send bytes."

_log = logging.getLogger(__name__)
_logged: set[str] = set()


class Code(IntEnum):
    """How a connection is closed (RFC 6455, 7.4.1). After ``NO_ROOM``, a browser tries again."""

    UNREADABLE = 1002
    UNKNOWN = 1003
    REFUSED = 1008
    TOO_LARGE = 1009
    NO_ROOM = 1013


class Refusal(Exception):
    """Why a connection ends.

    Args:
        code: the one that closes it.
        reason: a sentence for the log, which quotes nothing.
    """

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def log_reason(reason: str) -> None:
    """Log why a connection was ended, once, however many are: nobody can fill the log with it."""
    if reason not in _logged:
        _logged.add(reason)
        _log.warning("%s Its connection was ended; this is said once.", reason)
