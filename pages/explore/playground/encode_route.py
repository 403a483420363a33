"""The routes of the editor: POST /encode at each key, and POST /text to replace the text.

The path of a key, from the textarea to the painted token:

    assets/components/editor/text_input.js    TextInput.listen hears the key
        index.js                              Editor.typed, Editor.ask
        connection.js                         Connection.ask, encode: posts the text and the settings
    encode_route.py                           encode finds the workspace by the request's ticket; answer
    pages/session/editor_request.py           apply_request changes the workspace: Workspace.set_text
    pages/shared/reply.py                     build_answer describes each panel, once it is encoded by
        pages/session/panels.py               Panels.encode, spans, _encode
        tokenizers/bpe/incremental.py         reencode: only the surroundings of the edit
    pages/shared/wire.py                      pack makes the bytes of the answer
    assets/components/editor/connection.js    Connection.useAnswer; wire.js: unpack
        index.js                              Editor.draw, drawPanels
        panel.js                              Panel.update, redraw, draw: the token is painted

The page does not run for a key. After a pause in typing the editor sends an event. Then the page draws the
tools below the panels.

The answer depends only on the request and on the session's encodings. Results that the session remembers
only save work and bytes.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.server.requests import object_of, read_body
from pages.session.editor_request import apply_request, replace_text
from pages.session.workspace import LIVE_BYTES, Workspace
from pages.shared.reply import build_answer, editor_state
from pages.shared.wire import pack
from tokenizers import kernels
from tokenizers.text import MAX_BYTES

MAX_REQUEST = 8 * LIVE_BYTES
"""Bytes. A character of the text takes at most six in JSON."""

_QUICK, _LONG, _SLOW = asyncio.Semaphore(4), asyncio.Semaphore(2), asyncio.Semaphore(2)
"""So many requests of all sessions are worked on at a time: about short texts; about long ones; for slow
encodings. Keys wait for no long text, and not for forty threads that all want Python; nor does the question
how far a slow encoding is wait for one."""

_FRESH = {"Cache-Control": "no-store"}


async def encode(request: Request) -> Response:
    """Apply a request to the workspace, and respond with the tokens. Next: ``answer``."""
    workspace = object_of(request, Workspace)
    asked = _read(await read_body(request, MAX_REQUEST))
    async with _SLOW if asked.get("slow") is True else _LONG if workspace.is_long else _QUICK:
        packed = await run_in_threadpool(answer, workspace, asked)
    return Response(packed, 200 if packed else 204, _FRESH, "application/octet-stream")


async def replace(request: Request) -> Response:
    """Replace the text as a query parameter says, and respond with the editor's new state."""
    workspace = object_of(request, Workspace)
    body = await read_body(request, MAX_BYTES)
    kernels.expect(len(body))
    query = request.query_params
    async with _LONG if len(body) > LIVE_BYTES else _QUICK:
        await run_in_threadpool(replace_text, workspace, query.get("do", ""), query.get("value", ""), body)
    return Response(json.dumps(editor_state(workspace)), headers=_FRESH, media_type="application/json")


def _read(body: bytes) -> dict[str, Any]:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise HTTPException(400, "This is no request of the playground’s editor.")
    return request


def answer(workspace: Workspace, request: dict[str, Any]) -> bytes:
    """Apply a request to the workspace, and make the bytes of its answer.

    A request with "slow" asks for the panels that the previous answer left out. Its answer is empty if there
    is a newer one. "holds" is the number of the answer that the browser has.
    """
    holds = request.get("holds")
    is_for_slow = request.get("slow") is True
    if is_for_slow:
        workspace.panels.encode_slow()
    with workspace.lock:
        number, arrays = workspace.sent
        if is_for_slow and number != holds:
            return b""
        if not is_for_slow:
            apply_request(workspace, request)
        values, new_arrays = build_answer(workspace, skips_slow=not is_for_slow)
        workspace.sent = number + 1, new_arrays
    return pack(number + 1, values, new_arrays, arrays if number == holds else {})


ROUTES = [
    Route("/{prefix:path}encode", encode, methods=["POST"]),
    Route("/{prefix:path}text", replace, methods=["POST"]),
]
