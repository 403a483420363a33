"""How much of a message a connection may have on the server before it is whole, and for how long.

uvicorn gathers a message of a WebSocket until its end has come, and only then anything else sees it. Somebody
who sends the most that a message may have, but for the last byte, would keep that in the server's memory for
as long as the connection stands. So each connection is looked at whenever some of a message has come:

- a message may be as long as one that a page of ours sends, and come in so many pieces (those of no bytes
  take memory, too);
- it has to come at some pace;
- a long one is gathered while the server has memory for it, and those of one address have a share of that;
- so much is read from an address at once, and then so much a second: reading takes time, and forty texts of a
  megabyte kept everybody else waiting for five seconds;
- so many whole messages may wait to be read;
- so many small pieces of any kind may come (small_pieces.py).

Whoever goes beyond that ends the connection, but for what is read later; a browser connects again. And a
connection that is to end does so even if the browser does not read what is left: uvicorn would wait for that
without an end. So does one whose request cannot become a WebSocket, since it has too many lines or a body:
uvicorn would keep it.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from functools import cached_property
from typing import Any, cast
from weakref import WeakSet

from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from pages.server import small_pieces
from pages.server.allowance import Allowances
from pages.server.messages import AT_ONCE, MOST_WAITS
from pages.server.refusals import LARGE, WORDS, Code, log_reason
from pages.server.small_pieces import SMALL, SmallPieces
from pages.server.visitors import address_of_scope
from pages.session.server_room import MAX_OF_ADDRESS, check_room_of_all

MOST_PIECES = 4_000
"""Of a message. A browser sends a long one in pieces of 16 KB and more."""

MOST_WAITING = AT_ONCE + MOST_WAITS
"""Whole messages of a connection that wait to be read. Reading more would end it in any case."""

AT_REST, SLOWEST = 20.0, 16_000
"""Seconds for which a message may come as slowly as it likes, and the bytes a second, counted from its
beginning, at which it has to come afterwards."""

SLOWEST_READ = SLOWEST // 6
"""Bytes a second at which what is long has to be read. While a page loads, six answers share a line."""

MOST_OF_ADDRESS = MAX_OF_ADDRESS // 8
"""Bytes of the unfinished messages of an address; those below ``LARGE`` do not count."""

READ_AT_ONCE, READ_A_SECOND = 24_000_000, 4_000_000
"""Bytes that are read from an address: two of the longest texts, and then what a school's line brings."""

MOST_UNREAD = 1 << 20
"""Bytes that a browser has not read, from which on its asking for a sign of life is not answered."""

_MOST_IN_SYSTEM = 1 << 17  # bytes that the system takes over before it can send them: else, up to some MB
_SHORT = 1 << 16  # bytes of a message that is always read on: it waits for no long ones of its address
_PORTION = 1 << 13  # bytes that are taken at a time: of small pieces, a thousand
_SMALL_PORTION = 1 << 10  # the same, where an address has sent too many of them
_large: WeakSet[BoundedConnection] = WeakSet()
_read = Allowances(READ_AT_ONCE, READ_A_SECOND, time.monotonic)  # by address
_small_ones = Allowances(small_pieces.AT_ONCE_OF_ADDRESS, small_pieces.A_SECOND_OF_ADDRESS, time.monotonic)


class BoundedConnection(WebSocketsSansIOProtocol):
    """A connection of uvicorn's that keeps to the bounds above."""

    def __init__(self, config: Config, *args: Any, **options: Any) -> None:
        config.ws_max_size = min(config.ws_max_size, get_max_widget_state_size_bytes())
        super().__init__(config, *args, **options)
        self._began: float | None = None  # when the message began that is not whole yet
        self._is_watched = False
        self._is_ended = False  # not by the app
        self._had_room = 0  # bytes of it that there was room for
        self._is_held = False  # no more is read for the moment
        self._small = SmallPieces(self.loop.time)
        self._has_sent = self._has_read = False  # since it was looked at whether the browser is still there
        self._n_unread = 0  # bytes that it had not read then

    def connection_made(self, transport: Any) -> None:
        """What is to be sent waits here, where it can be seen, and not in the system."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # not on Windows
            with suppress(OSError):
                transport.get_extra_info("socket").setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _MOST_IN_SYSTEM
                )

    @property
    def n_unfinished(self) -> int:
        """Bytes of a message that is not whole yet."""
        return len(self.conn.reader.buffer) + sum(map(len, self.frames))

    @cached_property
    def address(self) -> str:
        """The address that it counts for; empty: for none."""
        return address_of_scope(cast("dict[str, Any]", self.scope))

    def data_received(self, data: bytes) -> None:
        """Take what has come, a portion at a time, and look at what there is after each."""
        self._has_sent = True
        is_flooding = self.handshake_initiated and self._has_sent_too_many()
        portion = _SMALL_PORTION if is_flooding else _PORTION
        for start in range(0, len(data), portion):
            super().data_received(data[start : start + portion])
            if self.conn.handshake_exc is not None and not self.handshake_initiated:
                self.transport.close()  # uvicorn would keep what cannot become a tab
            if self.transport.is_closing():
                self._end_soon()
                return
            self._look()
        if self.address:
            _read.take(self.address, len(data))
            self._hold_if_too_much()

    def _hold_if_too_much(self) -> None:
        """Read no more of a long message for now, if more than may be was read from its address."""
        wait = -_read.left(self.address) / READ_A_SECOND
        if wait > 0 and self.n_unfinished > _SHORT and not self._is_held:
            self._is_held = True
            self.transport.pause_reading()
            self.loop.call_later(wait, self._read_on)

    def _read_on(self) -> None:
        self._is_held = False
        if self.transport.is_closing():
            return
        self._hold_if_too_much()
        if not self._is_held and not self.read_paused:
            self.transport.resume_reading()

    async def receive(self) -> Any:
        """The next message, for the app. uvicorn then reads on, if all that came before is taken."""
        message = await super().receive()
        if self._is_held and not self.transport.is_closing():
            self.transport.pause_reading()
        return message

    def handle_events(self) -> None:
        """Hear what is whole, unless it is too many small pieces."""
        if self._takes_small_pieces(
            sum(isinstance(each, Frame) and len(each.data) < SMALL for each in self.conn.events)
        ):
            super().handle_events()
        elif self.handshake_complete and not self.close_sent:
            self._end(Code.REFUSED, "A browser sent too many small pieces.")
        else:
            self.transport.abort()

    def _takes_small_pieces(self, count: int) -> bool:
        """Whether so many more may come, from this connection and from its address."""
        if not self._small.takes(count):
            return False
        if not self.handshake_initiated:  # nobody knows its address yet
            return True
        if count and self.address:
            _small_ones.take(self.address, count)
        return not (self._small.are_many and self._has_sent_too_many())

    def _has_sent_too_many(self) -> bool:
        """Whether more small pieces came from its address than may."""
        return bool(self.address) and _small_ones.left(self.address) < 0

    def eof_received(self) -> None:
        """The browser sends no more: what it is sent just now, it may still read."""
        super().eof_received()
        self._end_soon()

    def _look(self) -> None:
        """Look at what is here, once the connection is accepted."""
        if not self.handshake_complete or self.close_sent or self.transport.is_closing():
            return
        n_bytes = self.n_unfinished
        if self.queue.qsize() > MOST_WAITING:
            self._end(Code.REFUSED, "A browser sent more messages at once than are read.")
        elif len(self.frames) > MOST_PIECES:
            self._end(Code.REFUSED, "A browser’s message came in too many pieces.")
        elif not self._has_room(n_bytes):
            self._end(Code.NO_ROOM, "There was no memory for a browser’s message that was just coming.")
        elif n_bytes:
            self._began = self._began or self.loop.time()
            self._watch()

    def send_receive_event_to_app(self) -> None:
        """A message is whole."""
        super().send_receive_event_to_app()
        self._began, self._had_room = None, 0
        _large.discard(self)

    def _has_room(self, n_bytes: int) -> bool:
        if n_bytes - self._had_room < LARGE:  # it is not asked at each portion, since that takes time, too
            return True
        self._had_room = n_bytes
        _large.add(self)
        if self.address:
            of_address = [each.n_unfinished for each in _large if each.address == self.address]
            if sum(of_address) > MOST_OF_ADDRESS:
                return False
        try:
            check_room_of_all(n_bytes, "a browser’s message")
        except ValueError:
            return False
        return True

    def _watch(self) -> None:
        if not self._is_watched:
            self._is_watched = True
            self.loop.call_later(AT_REST, self._look_at_pace)

    def _look_at_pace(self) -> None:
        """Whether the message that is coming does not come too slowly."""
        self._is_watched = False
        if self._began is None or self.disconnected or self.close_sent:
            return
        if self.read_paused or self._is_held:  # the server reads no more of it
            self._began = self.loop.time()
            self._watch()
        elif self.loop.time() - self._began >= max(AT_REST, self.n_unfinished / SLOWEST):
            self._end(Code.REFUSED, "A browser’s message came too slowly.")
        else:
            self._watch()

    def handle_text(self, event: Frame) -> None:
        """Words are nothing that a page of ours sends: nobody reads them."""
        self._end(Code.UNKNOWN, WORDS)

    def handle_ping(self) -> None:
        """Give a sign of life, while the ones before are read. RFC 6455 lets all but the last be left out."""
        if self.transport.get_write_buffer_size() <= MOST_UNREAD:
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def resume_writing(self) -> None:
        """Most of what was sent is read."""
        super().resume_writing()
        self._has_read = True

    def send_keepalive_ping(self) -> None:
        """Ask for a sign of life."""
        self._is_at_work()
        super().send_keepalive_ping()

    def keepalive_timeout(self) -> None:
        """The browser gave no sign of life. On a slow line, it waits behind a long message, in either way."""
        if self._is_at_work() and not self.close_sent and self.ping_timeout is not None:
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
            return
        super().keepalive_timeout()
        self._is_ended = True
        self._end_at_once_if_unread()

    def _is_at_work(self) -> bool:
        """Whether the browser has sent or read something since this was asked before, or could not."""
        n_unread, self._n_unread = self._n_unread, self.transport.get_write_buffer_size()
        has_sent, self._has_sent = self._has_sent, False
        has_read, self._has_read = self._has_read, False
        if self._n_unread:
            return has_read or n_unread - self._n_unread >= SLOWEST_READ * (self.ping_timeout or 0)
        return has_sent or has_read or n_unread > 0 or self.read_paused or self._is_held

    async def send(self, message: Any) -> None:
        """Send what the app says; if that is to close, the connection ends some time afterwards.

        Raises:
            ClientDisconnected: it has ended before.
        """
        if self._is_ended:
            if message["type"] == "websocket.close":
                return
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.accept":
            self._look()
        elif message["type"] == "websocket.close":
            self._end_soon()

    def _end(self, code: Code, reason: str) -> None:
        self.stop_keepalive()
        self._is_ended, self._began = True, None
        log_reason(reason)
        self.conn.fail(code)
        self.close_sent = True
        self.frames = []
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
        self._end_at_once_if_unread()

    def _end_soon(self) -> None:
        self.loop.call_later(self.close_timeout + 1, self._end_at_once_if_unread)

    def _end_at_once_if_unread(self) -> None:
        """Do not wait until a browser reads the rest, which may be never."""
        if not self.disconnected and self.transport.get_write_buffer_size():
            self.transport.abort()


def bound_messages_of(protocol: Any) -> None:
    """Have the WebSocket that a request may become keep to the bounds.

    Args:
        protocol: uvicorn's, of the connection that the request comes by.
    """
    if protocol.ws_protocol_class is WebSocketsSansIOProtocol:
        protocol.ws_protocol_class = BoundedConnection
