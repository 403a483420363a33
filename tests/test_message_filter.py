"""Messages for developers go no further; all others arrive."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server import connections
from pages.server.connections import BURST, PER_SECOND, ConnectionLimits


def operation(kind: str) -> BackMsg:
    message = BackMsg()
    getattr(message.backend_operation_request, kind).SetInParent()
    return message


def arriving(*messages: bytes) -> list[bytes]:
    """What of these messages reaches Streamlit."""
    arrived: list[bytes] = []

    async def listen(socket: WebSocket) -> None:
        await socket.accept()
        arrived.extend([data async for data in socket.iter_bytes()])

    app = ConnectionLimits(Starlette(routes=[WebSocketRoute("/", listen)]))
    with TestClient(app).websocket_connect("/") as socket:
        for data in messages:
            socket.send_bytes(data)
    return arrived


@pytest.mark.parametrize(
    "message", [BackMsg(stop_script=True), BackMsg(app_heartbeat=True), operation("deferred_file")]
)
def test_messages_of_visitors_arrive(message: BackMsg) -> None:
    data = bytes(message.SerializeToString())
    assert arriving(data, b"\xff") == [data, b"\xff"]


@pytest.mark.parametrize("message", [BackMsg(clear_cache=True), operation("install_skills")])
def test_messages_of_developers_do_not_arrive(message: BackMsg) -> None:
    assert arriving(message.SerializeToString(), b"\xff") == [b"\xff"]


def test_messages_that_come_too_fast_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(connections, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(connections, "time", SimpleNamespace(monotonic=lambda: now))
    beat = bytes(BackMsg(app_heartbeat=True).SerializeToString())
    assert len(arriving(*[beat] * (BURST - 2))) == BURST - 2  # besides it, two others come
    assert now == pytest.approx(1000)
    assert len(arriving(*[beat] * 100)) == 100
    assert now == pytest.approx(1000 + (102 - BURST) / PER_SECOND)
