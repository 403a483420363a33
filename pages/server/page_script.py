"""Streamlit's page: adds our styles and scripts to it.

``common/theme.css`` and ``page.css`` of ``assets/components`` are there before Streamlit draws anything: a
style that a run of the page sent would come later, and move all that is on it. They are behind Streamlit's
own, at the end of the body, so that they count more.

Streamlit fills its page over a WebSocket. If the network blocks it, or the server has ended, the page stays
blank for half a minute. After a few seconds, ``assets/components/connection_note.js`` shows what may be
wrong. ``history.js`` beside it makes one step of the browser's history of each page, ``menu.js`` closes the
menu of narrow windows, and ``too_old.js`` names the browsers that the app needs.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.component_files import files_version

PAGE = Path(st.__file__).parent / "static" / "index.html"
"""Streamlit's page. It is the same under every URL."""

STYLES = ("common/theme.css", "page.css")
SCRIPTS = ("too_old.js", "connection_note.js", "history.js", "menu.js", "theme.js")

ROOT = '<div id="root">'
LOADING = '<p class="grove-loading" role="status">Token Grove is loading…</p>'
"""What the page shows until Streamlit draws in its root: on a slow network, half a minute."""

OWN_PAGE = "grove-page"
"""The header of a page that is not Streamlit's."""


def with_ours(page: str, version: str) -> str:
    """Streamlit's page with our styles and scripts in it. Their URLs are relative, like those of its own.

    >>> with_ours("<body></body>", "0a1b")[:72]
    '<body><link rel="stylesheet" href="./components/0a1b/common/theme.css"><'
    """
    folder = f"./components/{version}"
    tags = [f'<link rel="stylesheet" href="{folder}/{name}">' for name in STYLES]
    tags += [f'<script type="module" src="{folder}/{name}"></script>' for name in SCRIPTS]
    return page.replace(ROOT, ROOT + LOADING).replace("</body>", "".join(tags) + "</body>")


class PageScript:
    """Middleware: sends ``PAGE`` with our styles and scripts wherever Streamlit would send it without.

    Pages of ours have ``OWN_PAGE`` among their headers, and stay as they are.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; if the response is a page, send ours instead."""
        is_read = scope["type"] == "http" and scope["method"] == "GET"
        if not is_read or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        is_replaced = False

        async def send_page(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and _is_page(message):
                is_replaced = True
                page = with_ours(PAGE.read_text("utf-8"), files_version())
                await HTMLResponse(page, headers={"Cache-Control": "no-cache"})(scope, receive, send)
            elif not is_replaced:
                await send(message)

        await self._app(scope, receive, send_page)


def _is_page(start: Message) -> bool:
    headers = Headers(scope=start)
    is_html = headers.get("content-type", "").startswith("text/html")
    return start["status"] == 200 and is_html and OWN_PAGE not in headers
