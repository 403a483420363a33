"""What our own routes share: reading a body within a bound, and finding the object that a ticket names."""

from __future__ import annotations

from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from pages.session.tickets import find_by_ticket
from tokenizers.amounts import bytes_in_words

TICKET = "Grove-Ticket"
"""The header with the ticket. A page of another site cannot send it: a browser would ask us first."""

T = TypeVar("T")


def object_of(request: Request, kind: type[T]) -> T:
    """The object that the request's ticket names.

    Raises:
        HTTPException: 404, there is none: the server was restarted, or the session has ended.
    """
    found = find_by_ticket(request.headers.get(TICKET, ""), kind)
    if found is None:
        raise HTTPException(404, "This server does not know this page any more. Reload it.")
    return found


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Args:
        request: nothing of it has been read.
        most: bytes; a longer body is not read to its end.

    Raises:
        HTTPException: 413, it is longer; 400, the browser stopped sending it.
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
