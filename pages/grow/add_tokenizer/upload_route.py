"""The upload of a tokenizer file: ``POST /files?name=…&size=…``, with the ticket of a session's ``Uploads``.

The body is the file, or of a longer one its beginning (``tokenizer_files.py``). A refused file is no failed
request: the page shows why, beside the files that it could read.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.server.requests import object_of, read_body
from pages.session.page_state import Link
from pages.session.tokenizer_files import TokenizerFile, Uploads
from tokenizers.files import MAX_FILE_BYTES

_MOST_BYTES = 1 << 53  # of a file: JavaScript's numbers are exact up to here


async def _upload(request: Request) -> Response:
    uploads = object_of(request, Uploads)
    size = Link(request.query_params).number("size", -1, 0, _MOST_BYTES)
    if size < 0:
        raise HTTPException(400, "The size of the file is missing.")
    data = await read_body(request, MAX_FILE_BYTES)
    uploads.add(TokenizerFile(request.query_params.get("name", ""), data, size))
    return Response(status_code=204)


route = Route("/{prefix:path}files", _upload, methods=["POST"])
