"""The routes for saved items: the browser requests items and their records, and posts its own records."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pages.server.requests import object_of, read_body
from pages.session.saved_items import MAX_RECORD_BYTES, SavedItems

_MAX_HEAD_BYTES = 64 << 10


async def _list_items(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(object_of(request, SavedItems).listing))


async def _get_record(request: Request) -> Response:
    record = await run_in_threadpool(object_of(request, SavedItems).record, request.path_params["item"])
    if record is None:
        raise HTTPException(404, "This item is gone.")
    return Response(record.to_bytes(), media_type="application/octet-stream")


async def _post_record(request: Request) -> Response:
    """Restore a record; respond whether the session has it now."""
    saved = object_of(request, SavedItems)
    data = await read_body(request, MAX_RECORD_BYTES + _MAX_HEAD_BYTES)
    return JSONResponse(await run_in_threadpool(saved.restore, request.path_params["item"], data))


ROUTES = [
    Route("/{prefix:path}items", _list_items),
    Route("/{prefix:path}items/{item}", _get_record),
    Route("/{prefix:path}items/{item}", _post_record, methods=["POST"]),
]
