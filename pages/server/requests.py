"""Reads the bodies of requests within a limit, and finds the objects that tickets name, for our routes."""

from __future__ import annotations

import json
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from pages.session.tickets import find_by_ticket
from tokenizers.amounts import bytes_in_words
from tokenizers.json_types import JsonObject

TICKET = "Grove-Ticket"
"""The header with the ticket. Pages of another site cannot send it, as CORS forbids it."""

T = TypeVar("T")


def object_of(request: Request, kind: type[T]) -> T:
    """The object that the request's ticket names.

    Raises:
        HTTPException: 404: the server was restarted, or the session has ended.
    """
    target = find_by_ticket(request.headers.get(TICKET, ""), kind)
    if target is None:
        raise HTTPException(404, "This server does not know this page any more. Reload it.")
    return target


async def read_body(request: Request, most: int) -> bytes:
    """Read the body of a request.

    Args:
        request: the request, whose body has not been read.
        most: the limit in bytes. Reading stops there.

    Raises:
        HTTPException: 413: the body is longer; 400: the browser stopped sending.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise HTTPException(413, f"Up to {bytes_in_words(most)} can be sent at a time.")
    except ClientDisconnect:
        raise HTTPException(400, "The request ended before its body.") from None
    return bytes(body)


async def read_object(request: Request, most: int) -> JsonObject:
    """Read the JSON object that the body of a request holds.

    Raises:
        HTTPException: as of ``read_body``, and 400: it holds none.
    """
    try:
        sent = json.loads(await read_body(request, most))
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict):
        raise HTTPException(400, "The request holds no JSON object.")
    return sent
