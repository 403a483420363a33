"""Limits the number of open browser tabs. The next one gets a page that says so, and reloads by itself.

A tab is one WebSocket connection.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from tokenizers import limits

MAX_SESSIONS = limits.SESSIONS

SECONDS = 5
"""Seconds after which the page that says “full” reloads."""


class SessionLimit:
    """Middleware: refuses connections beyond ``MAX_SESSIONS``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._n_open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or respond that the server is full."""
        is_full = self._n_open >= MAX_SESSIONS
        if scope["type"] == "websocket":
            if is_full:
                await WebSocketClose(1013)(scope, receive, send)  # 1013: try again later
                return
            self._n_open += 1
            try:
                await self._app(scope, receive, send)
            finally:
                self._n_open -= 1
        elif is_full and scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            text = (
                f"Token Grove is full at the moment: {MAX_SESSIONS} of its tabs are open, and this server "
                f"takes no more at a time.\n\nThis page tries again by itself every {SECONDS} seconds.\n"
            )
            headers = {"Retry-After": str(SECONDS), "Refresh": str(SECONDS)}
            await PlainTextResponse(text, 503, headers)(scope, receive, send)
        else:
            await self._app(scope, receive, send)
