"""Limits the number of open browser tabs. The next one gets a page that says so, and reloads by itself.

A tab is one WebSocket connection.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from tokenizers import limits

MAX_SESSIONS = limits.SESSIONS

SECONDS = 5
"""Seconds after which the page that says “full” reloads."""

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="{seconds}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Token Grove is full</title>
<main style="font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.2rem">
<h1 style="font-size: 1.5rem">Token Grove is full at the moment</h1>
<p>{most} of its tabs are open, and this server takes no more at a time.</p>
<p>This page tries again by itself every {seconds} seconds.</p></main></html>
"""


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
            text = _PAGE.format(most=MAX_SESSIONS, seconds=SECONDS)
            await HTMLResponse(text, 503, {"Retry-After": str(SECONDS)})(scope, receive, send)
        else:
            await self._app(scope, receive, send)
