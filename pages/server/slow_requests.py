"""How many connections an address may have, and how long a request may take to come, and its answer to go.

uvicorn waits without an end: for the head of a request, for its body, and for a browser that does not read
what it asked for. Whoever begins enough of these leaves no room for others. So:

- an address may have so many connections, tabs and requests together;
- the head of a request has to come within some seconds, on a new connection and on one that was used before;
- few requests may come before the first one is answered;
- a body has to come at some pace, and not in too many small pieces (small_pieces.py);
- an answer has to be read at a part of that pace.

Behind proxies of one's own (docs/deploy.md), every connection is a proxy's, and they are not counted: a proxy
has a bound of its own.
"""

from __future__ import annotations

import asyncio
import functools
from asyncio import BaseTransport
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.h11_impl import H11Protocol

from pages.server.small_pieces import SMALL, SmallPieces
from pages.server.unfinished_messages import (
    AT_REST,
    SLOWEST,
    SLOWEST_READ,
    BoundedConnection,
    bound_messages_of,
)
from pages.server.visitors import MAX_TABS_OF_ADDRESS, PROXIES, address_of
from tokenizers import limits

MOST_OF_ADDRESS = 8 * MAX_TABS_OF_ADDRESS
"""Connections: a tab has one, and while it loads, a browser has six more."""

HEAD_SECONDS = 30.0
"""For the head of a request, from the beginning of the connection or from the head's first byte."""

READ_AT_REST = 60.0
"""Seconds for which an answer may be read as slowly as a browser likes. The system takes what is to be sent
in portions, between which some time passes on a slow line."""

MOST_AHEAD = 1 << 16
"""Bytes that may come behind a request before it is answered. A browser sends none."""

_MOST_REFUSED = 2 * limits.TEXT_MB * limits.MB
"""Bytes of a refused body that a connection may go on sending: of a file that is a little too long, all."""

_LOOK = 10.0  # seconds between two looks at a connection
_TOO_SLOW = "This came too slowly. Try again where the connection is better.\n"

_n_connections: Counter[str] = Counter()  # by address
_addresses: dict[BaseTransport, str] = {}
_watches: dict[BaseTransport, Watch] = {}  # of connections for requests, and of tabs that were such


class Watch:
    """Looks at a connection from time to time, as long as it is one for requests.

    Args:
        protocol: uvicorn's of the connection, either of its two kinds.
    """

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._head_began: float | None = protocol.loop.time()
        self._rest_began: float | None = None  # of a body that was answered before it was whole
        self._n_rest = 0  # bytes of it
        self._unread_since: float | None = None
        self._n_unread = 0  # bytes of an answer that were unread then
        self._timer = protocol.loop.call_later(_LOOK, self._look)

    @property
    def _is_answering(self) -> bool:
        cycle = self._protocol.cycle
        return cycle is not None and not cycle.response_complete

    @property
    def _is_discarding(self) -> bool:
        """Whether the rest of a refused body comes: a browser sends all of it before it looks."""
        requests = getattr(self._protocol, "conn", None)
        return isinstance(requests, h11.Connection) and requests.their_state is h11.SEND_BODY

    def hear(self, n_bytes: int) -> None:
        """So many bytes have come."""
        if self._is_answering:
            self._head_began = self._rest_began = None
        elif self._is_discarding:
            if self._rest_began is None:
                self._head_began, self._rest_began, self._n_rest = None, self._protocol.loop.time(), 0
            self._n_rest += n_bytes
        elif self._head_began is None:
            self._head_began, self._rest_began = self._protocol.loop.time(), None

    def _look(self) -> None:
        transport = self._protocol.transport
        if transport.get_protocol() is not self._protocol:
            return  # it is the connection of a tab now
        now = self._protocol.loop.time()
        is_read = self._is_read(now)
        is_late = self._head_began is not None and now - self._head_began >= HEAD_SECONDS
        if is_late or not self._is_steady(now) or not is_read:
            transport.abort()
            return
        self._timer = self._protocol.loop.call_later(_LOOK, self._look)

    def _is_steady(self, now: float) -> bool:
        """Whether the rest of a refused body comes at a pace, and is not too long."""
        if self._rest_began is None:
            return True
        return now - self._rest_began < max(AT_REST, self._n_rest / SLOWEST) and self._n_rest < _MOST_REFUSED

    def _is_read(self, now: float) -> bool:
        """Whether what was sent is read fast enough: an answer, or a part after which the rest waits."""
        n_bytes: int = self._protocol.transport.get_write_buffer_size()
        if not n_bytes or (self._is_answering and not self._protocol.flow.write_paused):
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since, self._n_unread = now, n_bytes
        if self._unread_since is None:
            return True
        return now - self._unread_since < max(READ_AT_REST, (self._n_unread - n_bytes) / SLOWEST_READ)

    def end(self) -> None:
        """The connection has ended: what it has sent is let go of at once."""
        self._timer.cancel()

    def send_more(self) -> None:
        """Most of what was sent is read: what comes now has its own time."""
        self._unread_since = None


def bound_connections() -> None:
    """Count connections from now on, and have each keep to the bounds.

    All of them read their requests by h11. Where httptools is installed, uvicorn would take that instead,
    which keeps all that comes behind a request, and does not say how small the pieces of a body are.
    """
    HTTP_PROTOCOLS["auto"] = HTTP_PROTOCOLS["h11"]
    http: Any = H11Protocol
    http.connection_made = _counting(http.connection_made)
    http.data_received = _heard(http.data_received)
    http.resume_writing = _read(http.resume_writing)
    tab: Any = BoundedConnection
    for protocol in (http, tab):
        protocol.connection_lost = _giving_back(protocol.connection_lost)


def _counting(begin: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    @functools.wraps(begin)
    def begin_counted(self: Any, transport: Any) -> None:
        begin(self, transport)
        address = address_of(self.client[0] if self.client else None, "", 0) if not PROXIES else ""
        _addresses[transport] = address
        _n_connections[address] += 1
        bound_messages_of(self)
        self.conn = _Requests(self)
        _watches[transport] = Watch(self)
        if address and _n_connections[address] > MOST_OF_ADDRESS:
            transport.abort()

    return begin_counted


class _Requests(h11.Connection):
    """Reads the requests of a connection, and ends it where a browser would not send what comes.

    That is a body in too many small pieces, and many requests behind the one that is being answered, which
    uvicorn would all keep.
    """

    def __init__(self, protocol: H11Protocol) -> None:
        longest_head = protocol.config.h11_max_incomplete_event_size
        super().__init__(h11.SERVER, *([] if longest_head is None else [longest_head]))
        self._transport = protocol.transport
        self._small = SmallPieces(protocol.loop.time)

    def next_event(self) -> Any:
        """What has come next."""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError:
            if self.our_state is h11.IDLE:
                raise  # of a head: uvicorn says that it is none
            self._transport.abort()  # of a body: uvicorn would answer beside the app, which is an error
            return h11.NEED_DATA
        is_crumb = isinstance(event, h11.Data) and len(event.data) < SMALL
        is_far_ahead = event is h11.PAUSED and len(self.trailing_data[0]) > MOST_AHEAD
        if is_far_ahead or (is_crumb and not self._small.takes(1)):
            self._transport.abort()
            return h11.NEED_DATA
        return event


def _heard(take: Callable[[Any, bytes], None]) -> Callable[[Any, bytes], None]:
    @functools.wraps(take)
    def take_and_hear(self: Any, data: bytes) -> None:
        take(self, data)
        if self.transport in _watches:
            _watches[self.transport].hear(len(data))

    return take_and_hear


def _read(resume: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(resume)
    def resume_and_send_more(self: Any) -> None:
        resume(self)
        if self.transport in _watches:
            _watches[self.transport].send_more()

    return resume_and_send_more


def _giving_back(end: Callable[[Any, Exception | None], None]) -> Callable[[Any, Exception | None], None]:
    @functools.wraps(end)
    def end_and_give_back(self: Any, error: Exception | None) -> None:
        address = _addresses.pop(self.transport)
        _watches.pop(self.transport).end()
        _n_connections[address] -= 1
        if not _n_connections[address]:
            del _n_connections[address]
        end(self, error)

    return end_and_give_back


class SteadyBodies:
    """Middleware around the app: a request whose body comes too slowly is answered and ends.

    That a browser has gone before its body was here is no error of the server's.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what comes at a pace."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        clock = asyncio.get_running_loop().time
        began, n_bytes = clock(), 0
        is_whole = is_slow = is_answered = has_gone = False

        async def receive_steadily() -> Message:
            nonlocal n_bytes, is_whole, is_slow, has_gone
            if is_whole:
                return await receive()
            seconds = began + max(AT_REST, n_bytes / SLOWEST) - clock()
            try:
                async with asyncio.timeout(max(0.01, seconds)):
                    message = await receive()
            except TimeoutError:
                is_slow = True
                return {"type": "http.disconnect"}
            n_bytes += len(message.get("body", b""))
            has_gone = message["type"] == "http.disconnect"
            is_whole = has_gone or not message.get("more_body", False)
            return message

        async def send_seen(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            await send(message)

        try:
            await self._app(scope, receive_steadily, send_seen)
        except ClientDisconnect:
            if not (is_slow or has_gone):
                raise
        if is_slow and not is_answered:
            await PlainTextResponse(_TOO_SLOW, 408, {"Connection": "close"})(scope, receive, send)
