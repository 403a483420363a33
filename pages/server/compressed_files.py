"""Scripts and styles go to a browser compressed: of a first visit's 3 MB, less than a third is sent.

Streamlit sends its files as they are, since to compress them anew at every request costs more than it saves.
Here a file is compressed once. That is safe only for files that never change under their address, and say so
(``immutable``): the address of each holds a hash of what is in it.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.gathered import gather
from pages.session.last_used import LastUsed

MAX_FILES = 400
MAX_BYTES = 4 << 20
"""A file of more bytes than this, before compression, is sent as it is."""

_MIN_BYTES = 500  # a smaller file hardly gets smaller
_TEXT = re.compile(r"text/|application/(?:javascript|json|wasm)|image/svg")
_LEVEL = 6  # 9 takes twice as long, for one part in a hundred
# Headers by which a browser asks for a part of a file, or for none if it has it already.
_ASKS_FOR_LESS = ("range", "if-none-match", "if-modified-since", "if-match", "if-range")


@dataclass(frozen=True)
class _File:
    """A file that was compressed: the headers of its answer, and its body."""

    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


def accepts_gzip(header: str) -> bool:
    """Whether an ``Accept-Encoding`` takes gzip.

    >>> accepts_gzip("br, gzip;q=0.8"), accepts_gzip("*"), accepts_gzip("gzip;q=0, br"), accepts_gzip("")
    (True, True, False, False)
    """
    weights: dict[str, bool] = {}
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        weights[name.strip()] = not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return weights.get("gzip", weights.get("*", False))


def may_compress(status: int, headers: Mapping[str, str]) -> bool:
    """Whether an answer is a file that never changes, and gets smaller.

    >>> file = {"cache-control": "immutable", "content-type": "text/css", "content-length": "9000"}
    >>> may_compress(200, file), may_compress(206, file), may_compress(200, file | {"content-length": "9"})
    (True, False, False)
    """
    return (
        status == 200
        and "immutable" in headers.get("cache-control", "")
        and "content-encoding" not in headers
        and _TEXT.match(headers.get("content-type", "")) is not None
        and _MIN_BYTES <= int(headers.get("content-length", "0")) <= MAX_BYTES
    )


class CompressedFiles:
    """Middleware around the app: files that never change are compressed, each once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._files: LastUsed[str, _File] = LastUsed(MAX_FILES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the compressed file, or pass the request on."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        asks_for_all = not any(name in headers for name in _ASKS_FOR_LESS)
        if not (asks_for_all and accepts_gzip(headers.get("accept-encoding", ""))):
            await self._app(scope, receive, send)
            return
        key = _key(scope["path"])
        file = self._files.get(key)
        if file is not None:
            await _answer(file, send)
            return

        async def send_compressed(start: Message, body: bytes) -> None:
            file = await asyncio.to_thread(_compress, start, body)
            self._files.put(key, file)
            await _answer(file, send)

        await self._app(scope, receive, gather(send, _is_to_compress, send_compressed))


def _key(path: str) -> str:
    """By which a file is remembered. Our components are served below any prefix: it makes no other file.

    >>> _key("/grove/components/0123/editor/index.js"), _key("/static/js/index.js")
    ('components/0123/editor/index.js', '/static/js/index.js')
    """
    _, name, rest = path.rpartition("components/")
    return name + rest if name else path


def _is_to_compress(start: Message) -> bool:
    return may_compress(start["status"], Headers(scope=start))


def _compress(start: Message, body: bytes) -> _File:
    compressed = gzip.compress(body, _LEVEL, mtime=0)
    message = {"headers": list(start["headers"])}
    headers = MutableHeaders(scope=message)
    headers["content-encoding"] = "gzip"
    headers["content-length"] = str(len(compressed))
    headers.add_vary_header("Accept-Encoding")
    if "etag" in headers and not headers["etag"].startswith("W/"):
        headers["etag"] = f"W/{headers['etag']}"  # the same file in other bytes (RFC 9110, section 8.8.1)
    if "accept-ranges" in headers:
        del headers["accept-ranges"]
    return _File(tuple(message["headers"]), compressed)


async def _answer(file: _File, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": list(file.headers)})
    await send({"type": "http.response.body", "body": file.body})
