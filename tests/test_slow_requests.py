"""Connections that take a place and do not use it: real sockets, and a clock that is put forward."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gc
import socket
import struct
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn import config
from uvicorn.protocols.http import auto
from uvicorn.protocols.http.h11_impl import H11Protocol

from pages.server import refusals, slow_requests, small_pieces, unfinished_messages
from pages.server.allowance import Allowances
from pages.server.refusals import LARGE
from pages.server.slow_requests import (
    HEAD_SECONDS,
    READ_AT_REST,
    SteadyBodies,
    bound_connections,
)
from pages.server.small_pieces import A_SECOND, AT_ONCE, SMALL
from pages.server.unfinished_messages import AT_REST, MOST_PIECES, MOST_WAITING, SLOWEST

pytestmark = pytest.mark.slow  # they wait, each a quarter of a second, together a tenth of make quick

TEXT, BYTES, CONTINUED, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10  # kinds of frames
WHOLE = 0x80
PATIENCE = 60  # seconds
MASK = b"\x00\x00\x00\x00"


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose clock a test can put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead

    def timers(self) -> list[asyncio.TimerHandle]:
        scheduled: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return [each for each in scheduled if not each.cancelled()]


def owner(timer: asyncio.TimerHandle) -> Any:
    """Whose method a timer calls."""
    return getattr(timer._callback, "__self__", None)  # type: ignore[attr-defined]


class Server:
    """A server with an app that reads what comes, and says so."""

    def __init__(self, port: int, loop: Loop) -> None:
        self.port, self.loop = port, loop
        self.heard: list[int] = []  # bytes of the messages that came through
        self.bodies: list[int] = []  # bytes of those
        self.ends: list[int] = []  # codes with which tabs ended
        self.reads = asyncio.Event()
        self.reads.set()
        self.takes = asyncio.Event()
        self.takes.set()
        self.n_asked = 0  # tabs
        self.answer = b"here"
        self._writers: list[asyncio.StreamWriter] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/slow":
            await self._answer_slowly(receive, send)
        elif scope["path"] == "/parts":
            await self._answer_in_parts(send)
        elif scope["path"] == "/refused":
            await Response("no", 403)(scope, receive, send)
        elif scope["path"] == "/anyway":
            with contextlib.suppress(ClientDisconnect):
                await Request(scope, receive).body()
            await Response("too much", 413)(scope, receive, send)
        elif scope["type"] == "http":
            self.bodies.append(len(await Request(scope, receive).body()))
            await Response(self.answer)(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            self.n_asked += 1
            await self.takes.wait()
            await send({"type": "websocket.accept"})
            while True:
                await self.reads.wait()
                message = await receive()
                if message["type"] == "websocket.disconnect":
                    self.ends.append(message["code"])
                    return
                self.heard.append(len(message.get("bytes") or b""))
                await send({"type": "websocket.send", "bytes": self.answer})

    async def _answer_in_parts(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
        long = self.answer
        for start in range(0, len(long), 1 << 16):
            part = long[start : start + (1 << 16)]
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _answer_slowly(self, receive: Receive, send: Send) -> None:
        await receive()
        leaves = asyncio.ensure_future(receive())  # as an answer in parts looks out for it
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": self.answer, "more_body": True})
        await self.reads.wait()
        assert not leaves.done()
        leaves.cancel()
        await send({"type": "http.response.body", "body": b"end"})

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._writers.append(writer)
        return reader, writer

    def leave(self) -> None:
        """All connections end."""
        for writer in self._writers:
            writer.transport.abort()

    @staticmethod
    def request_of_tab(who: str = "one", host: str = "a", path: str = "/") -> bytes:
        key = base64.b64encode(bytes(16)).decode()
        return (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Who: {who}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()

    async def open_tab(self, who: str = "one") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.connect()
        writer.write(self.request_of_tab(who))
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    async def ask(self) -> None:
        """Another visitor is served; all that was due before has happened."""
        reader, writer = await self.connect()
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert b" 200 " in await reader.read()
        writer.close()

    async def pass_time(self, seconds: float) -> None:
        """Put the clock forward, step by step, as timers follow one another."""
        for _ in range(10):
            self.loop.ahead += seconds / 10
            await self.ask()


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    listener = socket.create_server(("127.0.0.1", 0))
    app = Server(listener.getsockname()[1], loop)
    config = uvicorn.Config(
        SteadyBodies(app),
        ws="websockets-sansio",
        http="auto",
        ws_ping_interval=10_000,
        log_config=None,
        lifespan="off",
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([listener]))
    await app.ask()
    try:
        yield app
    finally:
        app.leave()
        server.should_exit = server.force_exit = True
        await task


def on_server(check: Callable[[Server], Awaitable[None]]) -> None:
    """Run a check with a server of its own."""

    async def with_server() -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        # By a clock of its own: a check that waits for what does not come is put an end to.
        patience = threading.Timer(PATIENCE, lambda: loop.call_soon_threadsafe(task.cancel))
        patience.start()
        try:
            async with serving() as server:
                await check(server)
        finally:
            patience.cancel()

    def run() -> None:
        with asyncio.Runner(loop_factory=Loop) as runner:
            runner.run(with_server())

    with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in the thread of the tests
        thread.submit(run).result()


@pytest.fixture(autouse=True)
def bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The bounds, for the time of a test."""
    for name in ("connection_made", "data_received", "resume_writing", "connection_lost"):
        monkeypatch.setattr(H11Protocol, name, getattr(H11Protocol, name))
    monkeypatch.setitem(config.HTTP_PROTOCOLS, "auto", config.HTTP_PROTOCOLS["auto"])
    bounded = unfinished_messages.BoundedConnection
    monkeypatch.setattr(bounded, "connection_lost", bounded.connection_lost)
    bound_connections()
    yield
    assert not slow_requests._addresses, "each connection gave its place back"
    assert not slow_requests._n_connections


def frame(kind: int, data: bytes, *, announced: int | None = None) -> bytes:
    """A frame of a WebSocket as a browser sends it; one that announces more than it brings is unfinished."""
    return struct.pack(">BBQ", kind, 0x80 | 127, len(data) if announced is None else announced) + MASK + data


async def is_ended(reader: asyncio.StreamReader) -> bool:
    """Whether the connection ended: whoever reads is told at once."""
    try:
        while await reader.read(1 << 16):
            pass
    except OSError:
        pass
    return True


def is_open(reader: asyncio.StreamReader) -> bool:
    return not reader.at_eof() and reader.exception() is None


def test_the_head_of_a_request_has_to_come_within_some_time() -> None:
    async def check(server: Server) -> None:
        silent, _ = await server.connect()
        slow, slowly = await server.connect()
        slowly.write(b"GET / HTTP/1.1\r\n")
        used, again = await server.connect()
        again.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await used.readuntil(server.answer)
        again.write(b"GET / HTTP/1.1\r\n")
        await server.pass_time(HEAD_SECONDS * 0.9)
        assert all(map(is_open, (silent, slow, used)))
        for writer in (slowly, again):
            writer.write(b"Host: a\r\n")  # one line after the other gains no time
        await server.pass_time(HEAD_SECONDS)
        assert all([await is_ended(each) for each in (silent, slow, used)])

    on_server(check)


def test_requests_are_read_by_what_is_bounded_whatever_else_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "AutoHTTPProtocol", asyncio.Protocol)  # as where httptools is installed
    chosen = config.Config(lambda: None)
    chosen.load()
    assert chosen.http_protocol_class is H11Protocol


def test_a_request_that_is_being_answered_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
        await server.pass_time(AT_REST * 0.9)
        writer.write(b"word")
        assert b"here" in await reader.readuntil(b"here")

    on_server(check)


def test_a_connection_that_is_used_stays() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        for _ in range(20):
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await reader.readuntil(server.answer)
            await server.pass_time(HEAD_SECONDS / 8)
        assert is_open(reader)

    on_server(check)


def test_connections_that_ended_are_looked_at_no_more() -> None:
    async def check(server: Server) -> None:
        await server.open_tab()
        _, writer = await server.connect()
        await server.ask()
        writer.close()
        await server.pass_time(100)
        looks = [each for each in server.loop.timers() if isinstance(owner(each), slow_requests.Watch)]
        assert len(looks) <= 3  # those of the last visitors, until they are looked at once

    on_server(check)


def test_connections_that_ended_are_forgotten() -> None:
    async def check(server: Server) -> None:
        began: list[weakref.ref[Any]] = []
        for _ in range(3):
            await server.open_tab()
            _, writer = await server.connect()
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await server.ask()
        began += [weakref.ref(each._protocol) for each in slow_requests._watches.values()]
        assert len(began) >= 6
        server.leave()
        while slow_requests._addresses:
            await asyncio.sleep(0)
        gc.collect()
        assert not any(each() for each in began)

    on_server(check)


@pytest.mark.parametrize("path", ["/", "/refused"])
def test_a_body_in_crumbs_ends_its_connection(path: str) -> None:
    """Also one that nobody reads; each crumb keeps the server from others for as long as a whole body."""

    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        writer.write(f"POST {path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(100):
            writer.write(b"1\r\na\r\n" * (AT_ONCE // 50))
        answer = b""
        with contextlib.suppress(ConnectionError):
            while part := await reader.read(1_000):
                answer += part
        assert b" 408 " not in answer  # it ended for its crumbs, and not later because it came slowly
        assert server.bodies == [0]  # that of the first visitor

    on_server(check)


@pytest.mark.parametrize("path", ["/", "/refused"])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_body_that_is_none_ends_its_connection_and_is_no_error(
    path: str, at_once: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        writer.write(f"POST {path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        if not at_once:
            await server.ask()
        writer.write(b"no length\r\n")
        assert await is_ended(reader)
        bad, by = await server.connect()
        by.write(b"no head\r\n\r\n")
        assert b" 400 " in await bad.read()

    with caplog.at_level("ERROR"):
        on_server(check)
    assert not caplog.records


def test_requests_that_come_before_they_can_be_answered_are_not_kept_without_an_end() -> None:
    async def check(server: Server) -> None:
        ask = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + b"a" * 1_000
        some, writer = await server.connect()
        writer.write(ask * 50)
        for _ in range(50):
            await some.readuntil(server.answer)
        many, by = await server.connect()
        for _ in range(20_000_000 // len(ask)):
            by.write(ask)
        assert await is_ended(many)
        assert len(server.bodies) < 200

    on_server(check)


def test_a_body_in_pieces_comes_through() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        for _ in range(2):  # with time between, as many again
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in range(AT_ONCE * 2):
                writer.write(b"%x\r\n" % SMALL + b"a" * SMALL + b"\r\n")
                await writer.drain()
            writer.write(b"1\r\na\r\n" * (AT_ONCE // 2) + b"0\r\n\r\n")
            await reader.readuntil(server.answer)
            server.loop.ahead += AT_ONCE / A_SECOND
        assert max(server.bodies) == AT_ONCE * 2 * SMALL + AT_ONCE // 2

    on_server(check)


def test_a_body_has_to_come_at_a_pace() -> None:
    async def check(server: Server) -> None:
        head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"
        stopped, stops = await server.connect()
        stops.write(head + b"a" * 1_000)
        steady, steadily = await server.connect()
        steadily.write(head)
        sent = 0
        for _ in range(5):
            part = SLOWEST * 12
            steadily.write(b"a" * part)
            await steadily.drain()
            sent += part
            await server.pass_time(10)
        assert is_open(steady)
        steadily.write(b"a" * (9_000_000 - sent))
        assert b" 200 " in await steady.readuntil(b"here")
        assert max(server.bodies) == 9_000_000
        answer = await stopped.read()
        assert b" 408 " in answer and b"better" in answer and b"connection: close" in answer.lower()

    on_server(check)


def test_a_body_that_was_refused_may_still_come_as_others_may() -> None:
    """A browser sends it to its end before it looks at the answer, which a cut connection may lose."""

    async def check(server: Server) -> None:
        def ask(writer: asyncio.StreamWriter, length: int) -> None:
            writer.write(f"PUT /refused HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n".encode())

        reader, writer = await server.connect()
        stopped, stops = await server.connect()
        endless, endlessly = await server.connect()
        for each, length in ((writer, SLOWEST * 96), (stops, 10**9), (endlessly, 10**9)):
            ask(each, length)
        for answer in (reader, stopped, endless):
            await answer.readuntil(b"no")
        stops.write(b"a")
        endlessly.write(b"a" * slow_requests._MOST_REFUSED)
        for _ in range(8):
            writer.write(b"a" * SLOWEST * 12)
            await writer.drain()
            await server.pass_time(10)
        assert is_open(reader) and await is_ended(stopped) and await is_ended(endless)
        ask(writer, 5)
        writer.write(b"aaaaa")
        await reader.readuntil(b"no")

    on_server(check)


def test_an_app_may_answer_what_came_too_slowly_itself(caplog: pytest.LogCaptureFixture) -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        writer.write(b"POST /anyway HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na")
        await server.pass_time(AT_REST * 2)
        assert b" 413 " in await reader.readuntil(b"too much")

    with caplog.at_level("ERROR"):
        on_server(check)
    assert not caplog.records


def test_a_browser_that_leaves_in_the_middle_of_a_body_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async def check(server: Server) -> None:
        _, writer = await server.connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n" + b"a" * 1_000)
        await server.ask()
        writer.close()
        await server.ask()

    with caplog.at_level("ERROR"):
        on_server(check)
    assert not caplog.records


@pytest.mark.parametrize("path", ["/", "/parts", "/half"])
def test_an_answer_that_nobody_reads_is_dropped(path: str) -> None:
    async def check(server: Server) -> None:
        server.answer = b"a" * 20_000_000
        reader, writer = await server.connect()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        while not slow_requests._addresses:
            await asyncio.sleep(0)
        (transport,) = list(slow_requests._addresses)
        while not transport.get_write_buffer_size():  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        answer, server.answer = server.answer, b"here"
        if path == "/half":
            writer.write_eof()
        await server.pass_time(READ_AT_REST * 0.8)
        assert transport in slow_requests._addresses
        await server.pass_time(READ_AT_REST)
        assert transport not in slow_requests._addresses
        assert len(answer) > len(await read_all(reader))

    on_server(check)


@pytest.mark.parametrize("path", ["/", "/parts"])
def test_six_answers_may_share_a_line_of_half_a_megabit(path: str) -> None:
    async def check(server: Server) -> None:
        server.answer = b"a" * 3_000_000
        reader, writer = await server.connect()
        while not slow_requests._addresses:
            await asyncio.sleep(0)
        (transport,) = list(slow_requests._addresses)
        # What the system holds on the way is as much as on a slow line.
        sending, receiving = transport.get_extra_info("socket"), writer.get_extra_info("socket")
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        receiving.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        left, server.answer = len(server.answer), b"here"
        for _ in range(12):
            await reader.readexactly(100_000)
            left -= 100_000
            await server.pass_time(100_000 / (62_500 / 6))
            assert transport in slow_requests._addresses
        await reader.readexactly(left)

    on_server(check)


def test_an_answer_that_comes_in_parts_may_take_its_time() -> None:
    async def check(server: Server) -> None:
        server.reads.clear()
        server.answer = b"a" * 20_000_000
        reader, writer = await server.connect()
        writer.write(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        left, server.answer = len(server.answer), b"here"
        while left > 0:
            left -= len(await reader.read(1 << 20))
        await server.pass_time(READ_AT_REST * 4)
        server.reads.set()
        assert await read_until(reader, b"end")

    on_server(check)


async def read_until(reader: asyncio.StreamReader, end: bytes) -> int:
    """How many bytes come until then."""
    count, last = 0, b""
    while end not in last:
        part = await reader.read(1 << 20)
        assert part
        count, last = count + len(part), last[-9:] + part
    return count


async def read_all(reader: asyncio.StreamReader) -> bytes:
    parts = []
    try:
        while part := await reader.read(1 << 20):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts)


def test_an_address_has_so_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_requests, "MOST_OF_ADDRESS", 3)
    monkeypatch.setattr(slow_requests, "address_of", lambda client, forwarded, proxies: "203.0.113.9")

    async def check(server: Server) -> None:
        several = [await server.connect() for _ in range(2)]
        await server.ask()
        several.append(await server.open_tab())
        over, _ = await server.connect()
        assert await is_ended(over)
        several[0][1].close()
        while slow_requests._n_connections["203.0.113.9"] > 2:
            await asyncio.sleep(0)
        await server.ask()
        assert all(is_open(reader) for reader, _ in several[1:])

    on_server(check)


def test_this_machines_own_connections_are_not_counted_nor_those_behind_proxies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slow_requests, "MOST_OF_ADDRESS", 0)
    on_server(lambda server: server.ask())
    monkeypatch.setattr(slow_requests, "address_of", lambda client, forwarded, proxies: "203.0.113.9")
    monkeypatch.setattr(slow_requests, "PROXIES", 1)
    on_server(lambda server: server.ask())


def test_a_message_that_is_not_finished_in_time_ends_its_tab() -> None:
    async def check(server: Server) -> None:
        whole, wholly = await server.open_tab()
        wholly.write(frame(WHOLE | BYTES, b"a" * 100))
        await whole.readuntil(server.answer)
        half, halves = await server.open_tab()
        halves.write(frame(WHOLE | BYTES, b"a" * 100, announced=200))
        piece, pieces = await server.open_tab()
        pieces.write(frame(BYTES, b"a" * 100))
        stops, later = await server.open_tab()
        later.write(frame(WHOLE | BYTES, b"a" * int(SLOWEST * AT_REST * 2), announced=10**6))
        for step in range(6):
            await server.pass_time(AT_REST / 2)
            assert is_open(stops) or step > 2
            halves.write(b"a")  # a little more gains no time
            pieces.write(frame(CONTINUED, b"a"))
        assert all([await is_ended(each) for each in (half, piece, stops)])
        assert is_open(whole)
        wholly.write(frame(WHOLE | BYTES, b"a" * 100))
        await whole.readuntil(server.answer)
        assert server.ends == [1008] * 3 and server.heard == [100, 100]

    on_server(check)


def test_one_who_leaves_in_the_middle_of_a_message_is_not_looked_at_any_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def check(server: Server) -> None:
        _, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"a" * 100, announced=200))
        await server.ask()
        writer.close()
        await server.pass_time(AT_REST * 3)
        assert server.ends == [1005]

    refusals._logged.clear()
    with caplog.at_level("WARNING"):
        on_server(check)
    assert not caplog.records


def test_what_was_gathered_is_let_go_of_at_once() -> None:
    async def check(server: Server) -> None:
        _, writer = await server.open_tab()
        (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
        protocol: Any = transport.get_protocol()
        writer.write(frame(BYTES, b"a" * 100) + frame(CONTINUED, b"a" * 50, announced=60))
        while protocol.n_unfinished < 150:
            await asyncio.sleep(0)
        protocol._end(1008, "A reason.")
        assert not protocol.n_unfinished

    on_server(check)


@pytest.mark.parametrize("why", ["bounds", "no sign of life"])
def test_what_the_app_says_to_a_tab_that_was_ended_is_no_error(
    why: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def check(server: Server) -> None:
        server.reads.clear()
        reader, writer = await server.open_tab()
        (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
        protocol: Any = transport.get_protocol()
        writer.write(frame(WHOLE | BYTES, b"a"))
        await server.ask()
        if why == "bounds":
            protocol._end(1008, "A reason.")
        else:
            protocol.read_paused = False  # the browser had its time
            protocol.keepalive_timeout()
            protocol.keepalive_timeout()
        assert await is_ended(reader)
        server.reads.set()  # the app answers the first message
        await server.ask()
        await protocol.send({"type": "websocket.close", "code": 1000})

    with caplog.at_level("ERROR"):
        on_server(check)
    assert not caplog.records


def test_time_in_which_the_server_does_not_read_is_not_the_browsers() -> None:
    """A message waits its turn, and the rest of the next one is not read meanwhile."""

    async def check(server: Server) -> None:
        server.reads.clear()
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"a") * 2 + frame(WHOLE | BYTES, b"a" * 5, announced=10))
        await server.pass_time(AT_REST * 3)
        assert is_open(reader)
        server.reads.set()
        await reader.readuntil(server.answer)
        await reader.readuntil(server.answer)
        await server.pass_time(AT_REST / 2)
        writer.write(b"a" * 5)
        await reader.readuntil(server.answer)
        writer.write(frame(WHOLE | BYTES, b"a" * 5, announced=10))
        await server.pass_time(AT_REST * 3)
        assert await is_ended(reader)

    on_server(check)


def test_words_end_a_tab_before_anybody_reads_them(caplog: pytest.LogCaptureFixture) -> None:
    """Streamlit's own sends bytes; uvicorn would log where words that are none are not UTF-8."""

    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | TEXT, b"\xff\xfe"))
        assert await is_ended(reader)
        assert server.ends == [1003] and not server.heard

    with caplog.at_level("ERROR"):
        on_server(check)
    assert not caplog.records


def test_a_message_that_comes_steadily_arrives_however_long_it_takes() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"", announced=SLOWEST * 120))
        for _ in range(10):
            writer.write(b"a" * SLOWEST * 12)
            await writer.drain()
            await server.pass_time(10)
        assert await reader.readuntil(server.answer)
        assert server.heard == [SLOWEST * 120]

    on_server(check)


def test_messages_that_follow_one_another_have_each_their_own_time() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        for _ in range(8):  # each ends where the next one begins
            writer.write(frame(WHOLE | BYTES, b"a" * 5, announced=10))
            await server.pass_time(AT_REST * 0.6)
            writer.write(b"a" * 5)
            await reader.readuntil(server.answer)
        assert server.heard == [10] * 8

    on_server(check)


def test_what_comes_before_the_app_takes_the_tab_is_looked_at_then() -> None:
    async def check(server: Server) -> None:
        server.takes.clear()
        reader, writer = await server.connect()
        writer.write(server.request_of_tab())
        while not server.n_asked:
            await asyncio.sleep(0)
        writer.write(frame(BYTES, b"a") + frame(CONTINUED, b"") * MOST_PIECES)
        await server.ask()
        server.takes.set()
        assert await is_ended(reader)
        assert server.ends == [1008]

    on_server(check)


def test_pieces_of_nothing_are_counted() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        writer.write(frame(BYTES, b"a"))
        for _ in range(200):
            writer.write(frame(CONTINUED, b"") * (MOST_PIECES // 100))
        assert await is_ended(reader)
        writer.close()
        fewer, by = await server.open_tab()
        by.write(
            frame(BYTES, b"a") + frame(CONTINUED, b"") * (MOST_PIECES - 2) + frame(WHOLE | CONTINUED, b"a")
        )
        await fewer.readuntil(server.answer)
        assert server.ends == [1008] and server.heard == [2]

    on_server(check)


@pytest.mark.parametrize("kind", [PING, PONG, CONTINUED], ids=["pings", "pongs", "pieces"])
@pytest.mark.parametrize("state", ["waits", "is open", "is closed by the app"])
def test_a_tab_that_sends_no_end_of_small_pieces_ends(state: str, kind: int) -> None:
    async def check(server: Server) -> None:
        if state == "waits":
            server.takes.clear()
        reader, writer = await server.connect()
        writer.write(server.request_of_tab())
        while not server.n_asked:
            await asyncio.sleep(0)
        (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
        if state == "is closed by the app":
            await transport.get_protocol().send({"type": "websocket.close", "code": 1000})  # type: ignore[attr-defined]
        if kind == CONTINUED:
            writer.write(frame(BYTES, b""))
        piece = frame(kind if kind == CONTINUED else WHOLE | kind, b"")
        for _ in range(100):
            writer.write(piece * (AT_ONCE // 50))
        assert await is_ended(reader)

    on_server(check)


def test_a_tab_may_send_some_small_pieces_all_the_time() -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        for _ in range(20):
            writer.write(frame(WHOLE | PING, b"") * (A_SECOND * 10))
            await server.pass_time(10)
        writer.write(frame(WHOLE | PING, b"") * (AT_ONCE - A_SECOND * 10))
        await server.ask()
        assert is_open(reader)

    on_server(check)


def test_only_so_many_messages_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(server: Server) -> None:
        server.reads.clear()
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"a") * (MOST_WAITING - 1))
        await server.ask()
        assert is_open(reader)
        over, by = await server.open_tab()
        by.write(frame(WHOLE | BYTES, b"a") * (MOST_WAITING + 5))
        assert await is_ended(over)
        server.reads.set()
        await read_messages(reader, MOST_WAITING - 1, server.answer)

    on_server(check)


async def read_messages(reader: asyncio.StreamReader, count: int, content: bytes) -> None:
    for _ in range(count):
        await reader.readuntil(content)


def test_a_large_message_is_gathered_only_where_there_is_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    room = SimpleNamespace(n_bytes=3 * LARGE)

    def check_room(n_bytes: int, what: str) -> None:
        asked.append(n_bytes)
        if n_bytes > room.n_bytes:
            raise ValueError("full")

    monkeypatch.setattr(unfinished_messages, "check_room_of_all", check_room)

    async def check(server: Server) -> None:
        small, little = await server.open_tab()
        little.write(frame(WHOLE | BYTES, b"a" * LARGE))
        await small.readuntil(server.answer)
        assert not asked
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"a" * 6 * LARGE))
        assert await is_ended(reader)
        assert server.ends == [1013]
        assert max(asked) < 5 * LARGE and len(asked) <= 4
        room.n_bytes = 100 * LARGE
        again, by = await server.open_tab()
        by.write(frame(WHOLE | BYTES, b"a" * 6 * LARGE))
        await again.readuntil(server.answer)
        assert server.heard == [LARGE, 6 * LARGE]
        room.n_bytes = LARGE
        by.write(frame(WHOLE | BYTES, b"a" * 4 * LARGE))  # each message is looked at
        assert await is_ended(again)
        assert server.ends == [1013, 1013]

    on_server(check)


def test_an_address_has_a_share_for_large_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished_messages, "MOST_OF_ADDRESS", 5 * LARGE)
    monkeypatch.setattr(
        unfinished_messages, "address_of_scope", lambda scope: dict(scope["headers"])[b"x-who"].decode()
    )

    async def check(server: Server) -> None:
        first, one = await server.open_tab()
        one.write(frame(WHOLE | BYTES, b"a" * 3 * LARGE, announced=4 * LARGE))
        await one.drain()
        await server.ask()
        other, two = await server.open_tab()
        two.write(frame(WHOLE | BYTES, b"a" * 3 * LARGE, announced=4 * LARGE))
        assert await is_ended(other)
        elsewhere, three = await server.open_tab("another")
        three.write(frame(WHOLE | BYTES, b"a" * 4 * LARGE))
        await elsewhere.readuntil(server.answer)
        one.write(b"a" * LARGE)
        await first.readuntil(server.answer)
        again, four = await server.open_tab()
        four.write(frame(WHOLE | BYTES, b"a" * 4 * LARGE))
        await again.readuntil(server.answer)
        assert server.ends == [1013] and server.heard == [4 * LARGE] * 3

    on_server(check)


def test_where_an_address_sends_too_many_small_pieces_those_that_send_many_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Forty connections that sent signs of life alone, and came again, made others wait for five seconds."""
    monkeypatch.setattr(
        unfinished_messages, "address_of_scope", lambda scope: dict(scope["headers"])[b"x-who"].decode()
    )

    async def check(server: Server) -> None:
        monkeypatch.setattr(unfinished_messages, "_small_ones", Allowances(500, 40, server.loop.time))
        first, one = await server.open_tab()
        one.write(frame(WHOLE | PING, b"") * 400)
        await server.ask()
        assert not server.ends
        classmate, two = await server.open_tab()
        two.write(frame(WHOLE | PING, b"") * 90 + frame(WHOLE | BYTES, b"a" * 999))
        await classmate.readuntil(server.answer)
        again, three = await server.open_tab()
        three.write(frame(WHOLE | PING, b"") * 150)
        assert await is_ended(again)
        two.write(frame(WHOLE | BYTES, b"a" * 998))
        await classmate.readuntil(server.answer)
        elsewhere, four = await server.open_tab("another")
        four.write(frame(WHOLE | PING, b"") * 150 + frame(WHOLE | BYTES, b"a" * 997))
        await elsewhere.readuntil(server.answer)
        assert server.heard == [999, 998, 997] and server.ends == [1008]

    on_server(check)


def test_so_much_is_read_from_an_address_at_once_and_the_rest_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        unfinished_messages, "address_of_scope", lambda scope: dict(scope["headers"])[b"x-who"].decode()
    )
    a_second = 10_000
    monkeypatch.setattr(unfinished_messages, "READ_A_SECOND", a_second)

    async def check(server: Server) -> None:
        monkeypatch.setattr(unfinished_messages, "_read", Allowances(LARGE, a_second, server.loop.time))
        first, one = await server.open_tab()
        one.write(frame(WHOLE | BYTES, b"a" * 2 * LARGE))
        await server.ask()
        elsewhere, two = await server.open_tab("another")
        two.write(frame(WHOLE | BYTES, b"a" * (LARGE // 2)))
        await elsewhere.readuntil(server.answer)
        classmate, three = await server.open_tab()
        for _ in range(3):
            three.write(frame(WHOLE | BYTES, b"a" * 1_000))
            await classmate.readuntil(server.answer)
        heard = [LARGE // 2, *[1_000] * 3]
        assert server.heard == heard, "short ones are read, of the same address, too"
        for _ in range(3):
            await server.pass_time(LARGE / a_second)
        await first.readuntil(server.answer)
        one.write(frame(WHOLE | BYTES, b"a" * 3 * LARGE))  # reading goes on once a message is taken
        for _ in range(2):
            await server.pass_time(LARGE / a_second)
        heard.append(2 * LARGE)
        assert server.heard == heard, "the second one is not read to its end"
        for _ in range(3):
            await server.pass_time(LARGE / a_second)
        await first.readuntil(server.answer)
        heard.append(3 * LARGE)
        assert server.heard == heard and not server.ends, "nobody said that it came too slowly"

    on_server(check)


def test_the_address_of_a_tab_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def address_of_scope(scope: Any) -> str:
        asked.append(scope)
        return "a"

    monkeypatch.setattr(unfinished_messages, "address_of_scope", address_of_scope)

    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"a" * 4 * LARGE))
        await reader.readuntil(server.answer)

    on_server(check)
    assert len(asked) == 1


def test_a_message_longer_than_any_page_sends_ends_its_tab_at_its_first_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unfinished_messages, "get_max_widget_state_size_bytes", lambda: 1_000)

    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        writer.write(frame(WHOLE | BYTES, b"", announced=1_001))
        assert await is_ended(reader)
        assert server.ends == [1009]

    on_server(check)


def test_signs_of_life_are_not_heaped_up_for_one_who_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished_messages, "MOST_UNREAD", 1 << 16)
    monkeypatch.setattr(small_pieces, "AT_ONCE", 100_000)

    async def check(server: Server) -> None:
        _, writer = await server.open_tab()
        (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
        ping = struct.pack(">BB", WHOLE | PING, 0x80 | 125) + MASK + b"a" * 125
        for _ in range(150):
            writer.write(ping * 400)  # 8 MB in all
            await writer.drain()
        await server.ask()
        assert transport.get_write_buffer_size() < 1 << 20  # type: ignore[attr-defined]
        assert not transport.get_protocol().conn.writes  # type: ignore[attr-defined]
        writer.transport.abort()

    on_server(check)


def is_tab(transport: Any) -> bool:
    return isinstance(transport.get_protocol(), unfinished_messages.BoundedConnection)


async def open_unread_tab(
    server: Server, n_bytes: int = 20_000_000
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Any]:
    """A tab that has asked for a long answer and has not read it yet, and the server's end of it."""
    reader, writer = await server.open_tab()
    (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
    server.answer = b"a" * n_bytes
    writer.write(frame(WHOLE | BYTES, b"a"))
    while not transport.get_write_buffer_size():  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    server.answer = b"here"
    return reader, writer, transport


@pytest.mark.parametrize("how", ["no sign of life", "the app closes"])
def test_a_tab_that_is_to_end_does_so_though_nobody_reads_the_rest(how: str) -> None:
    async def check(server: Server) -> None:
        _, _, transport = await open_unread_tab(server)
        protocol: Any = transport.get_protocol()
        if how == "no sign of life":
            protocol.keepalive_timeout()
            await server.ask()
        else:
            protocol.writable.set()
            await protocol.send({"type": "websocket.close", "code": 1000})
            await server.pass_time(30)
        assert transport not in slow_requests._addresses

    on_server(check)


def test_a_tab_whose_sign_of_life_waits_behind_a_long_message_stays() -> None:
    """On a line of half a megabit, 2 MB take longer than a browser has for its sign of life."""

    async def check(server: Server) -> None:
        reader, writer = await server.open_tab()
        (transport,) = [each for each in slow_requests._addresses if is_tab(each)]
        protocol: Any = transport.get_protocol()
        writer.write(frame(WHOLE | BYTES, b"", announced=SLOWEST * 100))
        protocol.send_keepalive_ping()
        for _ in range(4):
            writer.write(b"a" * SLOWEST * 25)
            await writer.drain()
            await server.ask()
            protocol.keepalive_timeout()
        await reader.readuntil(server.answer)
        protocol.keepalive_timeout()  # what came since the last time was of some use
        assert is_open(reader)
        await server.pass_time(60)
        assert await is_ended(reader)

    on_server(check)


@pytest.mark.skipif(not hasattr(socket, "TCP_NOTSENT_LOWAT"), reason="this system has no such bound")
def test_what_a_tab_has_not_read_is_seen() -> None:
    """The system would take over megabytes, and a tab on a slow line seem to have read them."""

    async def check(server: Server) -> None:
        _, _, transport = await open_unread_tab(server, 2_000_000)
        await server.ask()
        assert transport.get_write_buffer_size() > 1_000_000

    on_server(check)


@pytest.mark.parametrize("reads", [True, False])
def test_a_tab_that_reads_what_is_long_stays(reads: bool) -> None:
    async def check(server: Server) -> None:
        reader, _, transport = await open_unread_tab(server)
        protocol: Any = transport.get_protocol()
        left = transport.get_write_buffer_size()
        protocol.send_keepalive_ping()
        for _ in range(3):
            n_bytes = 0
            while reads and n_bytes < 5_000_000:
                n_bytes += len(await reader.read(1 << 16))
            await server.pass_time(protocol.ping_timeout)
        assert (transport in slow_requests._addresses) == reads
        assert not reads or transport.get_write_buffer_size() < left

    on_server(check)


@pytest.mark.parametrize("why", ["says goodbye", "says nonsense", "ends its side"])
def test_a_tab_that_ends_itself_does_so_though_it_does_not_read_the_rest(why: str) -> None:
    async def check(server: Server) -> None:
        _, writer, transport = await open_unread_tab(server)
        if why == "says goodbye":
            writer.write(frame(WHOLE | CLOSE, b""))
        elif why == "says nonsense":
            writer.write(b"\x7f" * 10)
        else:
            writer.write_eof()
        await server.ask()
        assert transport in slow_requests._addresses  # what is being read comes through
        await server.pass_time(30)
        assert transport not in slow_requests._addresses

    on_server(check)


@pytest.mark.parametrize(
    "lines",
    ["X-Of-Many: a\r\n" * 200, f"X-Long: {'a' * 20_000}\r\n", "Content-Length: 5\r\n"],
    ids=["many lines", "a long line", "a body"],
)
def test_a_request_for_a_tab_that_cannot_be_one_ends_its_connection(lines: str) -> None:
    async def check(server: Server) -> None:
        reader, writer = await server.connect()
        writer.write(server.request_of_tab().replace(b"\r\n\r\n", f"\r\n{lines}\r\n".encode()))
        assert await is_ended(reader)
        assert not server.n_asked

    on_server(check)


@pytest.mark.slow
def test_a_running_server_keeps_to_these_bounds(server: str) -> None:
    host, port = server.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as tab:
        tab.sendall(Server.request_of_tab(host=f"{host}:{port}", path="/_stcore/stream"))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += tab.recv(1 << 16)
        tab.sendall(frame(BYTES, b"a") + frame(CONTINUED, b"") * (MOST_PIECES + 1))
        with contextlib.suppress(ConnectionResetError):
            while part := tab.recv(1 << 16):
                answer += part
    assert b" 101 " in answer
    assert answer.endswith(struct.pack(">BBH", WHOLE | 8, 2, 1008))
