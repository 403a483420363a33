"""Streamlit's page: adds our script to it, and redirects from ``/playground`` to it.

Streamlit fills its page over a WebSocket. If the network blocks it, or the server has ended, the page stays
blank for half a minute. After a few seconds, our script (``assets/components/connection_note.js``) shows what
may be wrong.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.component_files import files_version

SCRIPT = "connection_note.js"
_REMOVED_HEADERS = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


def with_script(page: bytes, version: str) -> bytes:
    """Streamlit's page with our script in it. The script's URL is relative, like those of Streamlit's own.

    >>> with_script(b"<body></body>", "0a1b")
    b'<body><script type="module" src="./components/0a1b/connection_note.js"></script></body>'
    """
    script = f'<script type="module" src="./components/{version}/{SCRIPT}"></script>'
    return page.replace(b"</body>", script.encode() + b"</body>")


class PageScript:
    """Middleware: adds ``SCRIPT`` to each page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; add the script to a page."""
        is_read = scope["type"] == "http" and scope["method"] == "GET"
        if not is_read or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        start: Message = {}  # of a page; sent once its length is known
        body = b""

        async def send_page(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif not start:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    page = with_script(body, files_version())
                    headers = MutableHeaders(scope=start)
                    headers["content-length"] = str(len(page))
                    for name in ("etag", "last-modified", "accept-ranges"):  # they belong to Streamlit's file
                        del headers[name]
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        # These headers would make the page compressed, or empty.
        headers = [pair for pair in scope["headers"] if pair[0].lower() not in _REMOVED_HEADERS]
        await self._app({**scope, "headers": headers}, receive, send_page)


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(scope=start).get("content-type", "").startswith("text/html")


def redirect_home(request: Request) -> RedirectResponse:
    """Redirect to the empty path under the same prefix, with the same query.

    Streamlit serves the first page of an app under the empty path alone. Under ``/playground`` it would show
    the page with a message that there is no such page.
    """
    query = request.url.query
    return RedirectResponse("./" + (f"?{query}" if query else ""))


home_route = Route("/{prefix:path}playground", redirect_home)
