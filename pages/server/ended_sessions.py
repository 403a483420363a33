"""Ends sessions whose browser has gone, so that they give back what they hold.

Streamlit keeps a session for a while after its connection ended, since its browser may come back. Then it
forgets the session only when another one is left, and never its uploaded files.
"""

from __future__ import annotations

import asyncio
import gc
import time

from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

LOOK = 5.0
"""Seconds between two looks at the sessions."""

_seen_at: dict[str, float] = {}  # when a session last had its browser, by the session's id


def follow_session() -> None:
    """Have the session of this page run ended when its browser has gone."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        _seen_at[context.session_id] = time.monotonic()


def end_old_sessions() -> None:
    """End the sessions that have had no browser for nearly ``server.disconnectedSessionTTL`` seconds."""
    runtime, now = get_instance(), time.monotonic()
    patience = config.get_option("server.disconnectedSessionTTL") - 2 * LOOK  # before Streamlit forgets it
    has_ended = False
    for session, seen_at in list(_seen_at.items()):
        if runtime.is_active_session(session):
            _seen_at[session] = now
        elif now - seen_at > patience:
            del _seen_at[session]
            runtime.close_session(session)
            has_ended = True
    if has_ended:
        gc.collect()  # what a session holds refers to itself


async def end_sessions() -> None:
    """Look at the sessions for as long as the server runs."""
    while True:
        await asyncio.sleep(LOOK)
        if exists():
            end_old_sessions()
