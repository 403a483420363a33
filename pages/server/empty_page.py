"""A page whose connection does not come about says so, instead of staying empty.

Streamlit's page is filled over a WebSocket. Where a network does not let one through, or the server has
ended, it stays blank for half a minute. So the page gets a script of ours beside Streamlit's, which says
after a few seconds what may be wrong (``assets/components/waiting.js``).
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.component_files import component_files
from pages.server.gathered import gather

SCRIPTS = ("waiting.js",)

_LONGEST = 1 << 18  # bytes of a page
_END = b"</body>"


def with_scripts(page: bytes, version: str) -> bytes:
    """Streamlit's page with our scripts in it. Their addresses are relative, as those of Streamlit's own are.

    >>> with_scripts(b"<body></body>", "0a1b")
    b'<body><script type="module" src="./components/0a1b/waiting.js"></script></body>'
    """
    scripts = "".join(
        f'<script type="module" src="./components/{version}/{script}"></script>' for script in SCRIPTS
    )
    before, end, after = page.rpartition(_END)
    return before + scripts.encode() + end + after if end else page


class NoEmptyPage:
    """Middleware around the app: each page gets the scripts."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but pages, which are gathered first."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return

        async def send_page(start: Message, body: bytes) -> None:
            page = with_scripts(body, component_files.snapshot().version)
            headers = MutableHeaders(scope=start)
            headers["content-length"] = str(len(page))
            for name in ("etag", "last-modified", "accept-ranges"):  # those of Streamlit's file
                if name in headers:
                    del headers[name]
            await send(start)
            await send({"type": "http.response.body", "body": page})

        await self._app(_asking_for_text(scope), receive, gather(send, _is_page, send_page))


def _asking_for_text(scope: Scope) -> Scope:
    """A browser's request for a page, without what would bring it compressed, or not at all.

    Streamlit compresses its page for whoever takes that, and then nothing can be put into it.
    """
    headers = Headers(scope=scope)
    if "text/html" not in headers.get("accept", ""):
        return scope
    left_out = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
    return {**scope, "headers": [each for each in scope["headers"] if each[0].lower() not in left_out]}


def _is_page(start: Message) -> bool:
    headers = Headers(scope=start)
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith("text/html")
        and "content-encoding" not in headers
        and 0 < int(headers.get("content-length", "0")) <= _LONGEST
    )
