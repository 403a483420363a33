"""A page whose connection does not come about says so, instead of staying empty.

Streamlit's page is filled over a WebSocket. Where a network does not let one through, or the server has
ended, it stays blank for half a minute. So the page gets a script of ours beside Streamlit's, which says
after a few seconds what may be wrong (``assets/components/waiting.js``).
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.component_files import component_files

SCRIPT = "waiting.js"

_LONGEST = 1 << 18  # bytes of a page
_END = b"</body>"


def with_script(page: bytes, version: str) -> bytes:
    """Streamlit's page with the script in it. Its address is relative, as those of Streamlit's own are.

    >>> with_script(b"<body></body>", "0a1b")
    b'<body><script type="module" src="./components/0a1b/waiting.js"></script></body>'
    """
    script = f'<script type="module" src="./components/{version}/{SCRIPT}"></script>'.encode()
    before, end, after = page.rpartition(_END)
    return before + script + end + after if end else page


class NoEmptyPage:
    """Middleware around the app: each page gets the script."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but pages, which are gathered first."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        parts: list[bytes] = []

        async def send_page(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None or message["type"] != "http.response.body":
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body", False):
                    page = with_script(b"".join(parts), component_files.snapshot().version)
                    headers = MutableHeaders(scope=start)
                    headers["content-length"] = str(len(page))
                    for name in ("etag", "last-modified", "accept-ranges"):  # those of Streamlit's file
                        if name in headers:
                            del headers[name]
                    await send(start)
                    await send({"type": "http.response.body", "body": page})

        await self._app(scope, receive, send_page)


def _is_page(start: Message) -> bool:
    headers = Headers(scope=start)
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith("text/html")
        and "content-encoding" not in headers
        and 0 < int(headers.get("content-length", "0")) <= _LONGEST
    )
