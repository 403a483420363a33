"""Limits the connections of browser tabs: their number, and the kinds and the rate of their messages.

A tab is one WebSocket connection. The tab after the last one gets a page that says so, and reloads by itself.

Some messages of Streamlit's protocol are for developers, but any visitor could send them: one empties the
caches of all sessions, one lists files of the app's folder, and one installs files on the server's machine.
They are dropped. Messages that come too fast are delayed: each may run a page, and a proxy cannot count the
messages of a WebSocket.
"""

from __future__ import annotations

import asyncio
import time

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.proto.BackMsg_pb2 import BackMsg

from tokenizers import limits

MAX_SESSIONS = limits.SESSIONS

SECONDS = 5
"""Seconds after which the page that says “full” reloads."""

BURST = 10
"""So many messages of a tab pass at once."""
PER_SECOND = 5.0
"""And then so many a second."""

_DROPPED = {"clear_cache", "load_git_info", "set_run_on_save", "install_skills", "dismiss_skills_nudge"}


def is_for_developers(data: bytes) -> bool:
    """Whether a browser's message is for developers only.

    >>> is_for_developers(BackMsg(clear_cache=True).SerializeToString())
    True
    >>> is_for_developers(BackMsg(app_heartbeat=True).SerializeToString())
    False
    """
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return False  # Streamlit ends the connection
    kinds = {message.WhichOneof("type"), message.backend_operation_request.WhichOneof("payload")}
    return bool(kinds & _DROPPED)


def _filtered(receive: Receive) -> Receive:
    """The messages of a connection, without those for developers, and no faster than allowed."""
    due = 0.0  # when the messages so far would have come, evenly spread

    async def receive_filtered() -> Message:
        nonlocal due
        while True:
            due = max(due, time.monotonic() - BURST / PER_SECOND) + 1 / PER_SECOND
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            message = await receive()
            if not is_for_developers(message.get("bytes") or b""):
                return message

    return receive_filtered


class ConnectionLimits:
    """Middleware: refuses connections beyond ``MAX_SESSIONS``, and filters the messages of the others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._n_open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or respond that the server is full."""
        is_full = self._n_open >= MAX_SESSIONS and "/class/" not in scope.get("path", "")  # phones take none
        if is_full and scope["type"] == "websocket":
            await WebSocketClose(1013)(scope, receive, send)  # 1013: try again later
        elif scope["type"] == "websocket":
            self._n_open += 1
            try:
                await self._app(scope, _filtered(receive), send)
            finally:
                self._n_open -= 1
        elif is_full and "text/html" in Headers(scope=scope).get("accept", ""):
            text = (
                f"Token Grove is full at the moment: {MAX_SESSIONS} of its tabs are open, and this server "
                f"takes no more at a time.\n\nThis page tries again by itself every {SECONDS} seconds.\n"
            )
            await PlainTextResponse(text, 503, {"Refresh": str(SECONDS)})(scope, receive, send)
        else:
            await self._app(scope, receive, send)
