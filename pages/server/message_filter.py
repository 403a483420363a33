"""Drops messages of Streamlit's protocol that are for developers, since any visitor could send them.

One of them empties the caches of all sessions, one lists files of the app's folder, and one installs files on
the server's machine.

Messages that come too fast are delayed: each may run a page, and a proxy cannot count the messages of a
WebSocket.
"""

from __future__ import annotations

import asyncio
import time

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

BURST, PER_SECOND = 10, 5.0
"""So many messages of a tab pass at once, and then so many a second."""

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


class MessageFilter:
    """Middleware: drops messages for developers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the connection on without messages for developers, and no faster than allowed."""
        due = 0.0  # when the messages so far would have come, evenly spread

        async def receive_filtered() -> Message:
            nonlocal due
            while True:
                due = max(due, time.monotonic() - BURST / PER_SECOND) + 1 / PER_SECOND
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                message = await receive()
                if not is_for_developers(message.get("bytes") or b""):
                    return message

        await self._app(scope, receive_filtered if scope["type"] == "websocket" else receive, send)
