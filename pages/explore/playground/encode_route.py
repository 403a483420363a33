"""The routes of the editor: POST /encode at each key, and POST /text to replace the text.

The path of a key, from the textarea to the painted token:

    assets/components/editor/text_input.js    TextInput.listen hears the key
        index.js                              Editor.typed, Editor.change
        connection.js                         Connection.ask, work, encode: posts the text and the settings
    encode_route.py                           encode finds the workspace by the request's ticket; respond
    pages/session/editor_request.py           apply_request changes the workspace: Workspace.set_text
    answer.py                                 build_answer describes each panel, once it is encoded by
        pages/session/panels.py               Panels.encode, spans, _encode
        tokenizers/bpe/incremental.py         reencode: only the surroundings of the edit
    wire.py                                   pack makes the bytes of the answer
    assets/components/editor/connection.js    Connection.useAnswer; wire.js: unpack
        index.js                              Editor.draw, drawPanels
        panel.js                              Panel.update, redraw, draw: the token is painted

The page does not run for a key. After a pause in typing the editor sends an event. Then the page draws the
tools below the panels.

The answer depends only on the session's state, once the request has changed it, and on its encodings. Results
that the session remembers only save work and bytes.

Browser and server both change the state, and messages arrive in any order, twice, or never. What is older
never replaces what is newer: each field of the state has a version, which only rises (``versions.py``,
``shared_state.js``).

    who has the text     a text to edit: the browser, and it sends it whole with each change; a long text: the
                         server, and the browser has null for it, so it cannot send a page as the text
    a key, a switch      the field gets the browser's largest version plus 1; a request holds all fields
    a paste, a file,     the browser sets the text, or null if only the server knows it, with a new version.
    Restore, a projector The answer to POST /text brings the text with that version, or null: it is long
    a button below the   the field gets the server's next multiple of STEP, so it is larger than every
    panels, a page       version that the browser gives before it hears of the change
    a request arrives    only fields with a larger version are changed. A text that lost against one of a
                         page is set aside: "Restore the previous text" brings it back
    an answer, or the    the browser takes each field whose version is not smaller than its own. The panels
    data of a page run   show the answer's own text, even if the editor has a newer one by then
    no answer            the browser sends again: a request that arrives twice changes nothing
    a refusal            the browser asks for the text that the server has, at a new version
    a new session        its versions begin anew, and it gets what the editor has

What orders things is the version of each field. The tag of an answer (``wire.py``) only saves bytes. The
connection is idle, asking, behind or lost (``connection.js``).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.explore.playground.answer import build_answer, editor_state
from pages.explore.playground.wire import pack
from pages.server.requests import object_of, read_body, read_object
from pages.session.editor_request import apply_request, is_version, replace_text
from pages.session.page_state import Link
from pages.session.panels import LIVE_BYTES
from pages.session.versions import MAX_VERSION
from pages.session.workspace import SentAnswer, Workspace
from tokenizers import kernels
from tokenizers.json_types import JsonObject
from tokenizers.text import MAX_TEXT_BYTES

MAX_REQUEST = 8 * LIVE_BYTES
"""Bytes. A character of the text takes at most six in JSON."""

# So many requests of all sessions are worked on at a time. Keys wait for no long text, and not for forty
# threads that all want Python; nor does the question how far a slow encoding is wait for one.
_QUICK = asyncio.Semaphore(4)  # about short texts
_LONG = asyncio.Semaphore(2)  # about long ones
_SLOW = asyncio.Semaphore(2)  # for slow encodings

_FRESH = {"Cache-Control": "no-store"}


async def encode(request: Request) -> Response:
    """Apply a request to the workspace, and respond with the tokens. Next: ``respond``."""
    workspace = object_of(request, Workspace)
    asked = await read_object(request, MAX_REQUEST)
    room = _LONG if workspace.is_long else _QUICK
    if asked.get("slow") is True:
        room = _SLOW
    async with room:
        packed = await run_in_threadpool(respond, workspace, asked)
    return Response(packed, 200 if packed else 204, _FRESH, "application/octet-stream")


async def replace(request: Request) -> Response:
    """Replace the text as a query parameter says, and respond with the editor's new state."""
    workspace = object_of(request, Workspace)
    body = await read_body(request, MAX_TEXT_BYTES)
    kernels.expect(len(body))
    async with _LONG if len(body) > LIVE_BYTES else _QUICK:
        state = await run_in_threadpool(replaced, workspace, request.query_params, body)
    return Response(json.dumps(state), headers=_FRESH, media_type="application/json")


def respond(workspace: Workspace, request: JsonObject) -> bytes:
    """Apply a request to the workspace, and make the bytes of its answer.

    A request with "slow" asks for the panels that the previous answer left out. Its answer is empty if there
    is a newer one. "holds" is the tag of the answer that the browser has.
    """
    holds = request.get("holds")
    is_for_slow = request.get("slow") is True
    if is_for_slow:
        workspace.encode_slow()
    with workspace.lock:
        last = workspace.sent
        if is_for_slow and last.tag != holds:
            return b""
        if not is_for_slow:
            apply_request(workspace, request)
        values, arrays = build_answer(workspace, skips_slow=not is_for_slow)
        workspace.versions.refine("pin", workspace.state["pin"])  # it is moved to its token's start
        values["state"] = editor_state(workspace, {"text": last.text} if is_for_slow else request)
        workspace.sent = SentAnswer(last.tag + 1, workspace.text, arrays)
    return pack(last.tag + 1, values, arrays, last.arrays if last.tag == holds else {})


def replaced(workspace: Workspace, query: Mapping[str, str], body: bytes) -> JsonObject:
    """Replace the text as a request says (``replace_text``); returns the editor's new state."""
    version = Link(query).number("version", -1, 0, MAX_VERSION)
    with workspace.lock:
        replace_text(
            workspace,
            action=query.get("do", ""),
            value=query.get("value", ""),
            body=body,
            version=version if is_version(version) else None,
        )
        return editor_state(workspace)


ROUTES = [
    Route("/{prefix:path}encode", encode, methods=["POST"]),
    Route("/{prefix:path}text", replace, methods=["POST"]),
]
