"""Ends sessions whose browser has disconnected, and rooms of classes, to free their memory.

Streamlit keeps a session for a while after its connection ended, since the browser may reconnect. It drops
the session only when another one disconnects, and never drops the uploaded files. Even then it refers to the
last session that it had, so a training is stopped by a call, and not when its session's memory is freed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.teaching.classroom import CLASSROOM
from tokenizers.memory import give_back

LOOK = 5.0
"""Seconds between two checks of the sessions."""

_seen_at: dict[str, float] = {}  # when each session was last connected, by its id
_endings: dict[str, Callable[[], object]] = {}  # what to call when it ends


def follow_session(at_end: Callable[[], object] | None = None) -> None:
    """Register the session of this page run, so that it ends after its browser has disconnected.

    Args:
        at_end: called when it ends, instead of the function that an earlier call gave.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        _seen_at[context.session_id] = time.monotonic()
        if at_end is not None:
            _endings[context.session_id] = at_end


def end_old_sessions() -> None:
    """End the sessions that have been disconnected for nearly ``server.disconnectedSessionTTL`` seconds.

    Rooms end by rules of their own.
    """
    CLASSROOM.forget_old()
    runtime = get_instance()
    now = time.monotonic()
    timeout = config.get_option("server.disconnectedSessionTTL") - 2 * LOOK  # before Streamlit drops it
    for session, seen_at in list(_seen_at.items()):
        if runtime.is_active_session(session):
            _seen_at[session] = now
        elif now - seen_at > timeout:
            del _seen_at[session]
            runtime.close_session(session)
            _endings.pop(session, lambda: None)()
            give_back()


async def end_sessions() -> None:
    """End old sessions and rooms as long as the server runs."""
    while True:
        await asyncio.sleep(LOOK)
        if exists():
            end_old_sessions()
