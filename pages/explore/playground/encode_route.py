"""The requests of the editor: POST /encode at each key, and POST /text to replace the text.

A key goes this way, from the textarea to the painted token:

    assets/components/editor/text_input.js, index.js, connection.js   a request with the text and the settings
    encode_route.py                                                   the session that its ticket names
    pages/session/editor_request.py, workspace.py                     applied to the workspace
    pages/session/panels.py                                           encoded: tokenizers/
    pages/shared/reply.py, wire.py                                    described and packed
    editor/wire.js, index.js, panel.js                                unpacked and drawn

The page around the editor does not run for it. After a pause in typing the editor sends an event, and the
page draws what is below the panels.

The answer is a function of the request and of the session's encodings. What the session remembers (its last
text and result, the arrays of its last answer) only saves work and bytes.
"""

from __future__ import annotations

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
from tokenizers.text import MAX_BYTES

MAX_REQUEST = 8 * LIVE_BYTES
"""Bytes. A character of the text takes at most six in JSON."""

_FRESH = {"Cache-Control": "no-store"}


async def encode(request: Request) -> Response:
    """Apply a request to the workspace, and answer with the tokens."""
    workspace = object_of(request, Workspace)
    body = await read_body(request, MAX_REQUEST)
    packed = await run_in_threadpool(lambda: answer(workspace, _read(body)))
    return Response(packed, 200 if packed else 204, _FRESH, "application/octet-stream")


async def replace(request: Request) -> Response:
    """Replace the text as a query parameter says, and answer with what the editor shows now."""
    workspace = object_of(request, Workspace)
    body = await read_body(request, MAX_BYTES)
    query = request.query_params
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
    """The bytes of the answer.

    A request with "slow" asks for the panels that an answer left out. It gets nothing if there is a newer
    answer.
    """
    holds = request.get("holds")
    waits = request.get("slow") is True
    if waits:
        workspace.panels.encode_slow()
    with workspace.lock:
        number, arrays = workspace.sent
        if waits and number != holds:
            return b""
        if not waits:
            apply_request(workspace, request)
        values, new_arrays = build_answer(workspace, skips_slow=not waits)
        workspace.sent = number + 1, new_arrays
    return pack(number + 1, values, new_arrays, arrays if number == holds else {})


ROUTES = [
    Route("/{prefix:path}encode", encode, methods=["POST"]),
    Route("/{prefix:path}text", replace, methods=["POST"]),
]
