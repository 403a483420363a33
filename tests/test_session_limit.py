"""How many tabs may be open: at the limit and over it; places are given back."""

from __future__ import annotations

from contextlib import ExitStack, suppress

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.server import connections
from pages.server.connections import ConnectionLimits


async def _tab(socket: WebSocket) -> None:
    await socket.accept()
    await socket.receive()  # until it is closed
    if socket.url.path == "/breaks":
        raise OSError("the connection is gone")


def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse("here")


APP = Starlette(
    routes=[WebSocketRoute("/{name}", _tab), Route("/{path:path}", _page)],
    middleware=[Middleware(ConnectionLimits)],
)


def test_tabs_are_counted_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_SESSIONS", 2)
    client = TestClient(APP, headers={"accept": "text/html"})
    assert client.get("/").text == "here"
    for _ in range(2):  # places are given back, also by a connection that broke; and no more than before
        with ExitStack() as tabs:
            for name in ("breaks", "b"):
                tabs.enter_context(client.websocket_connect(f"/{name}"))
            with pytest.raises(WebSocketDisconnect), client.websocket_connect("/over"):
                pass
            answer = client.get("/")
            assert answer.status_code == 503
            assert "2 of its tabs are open" in answer.text and "every 5 seconds" in answer.text
            files = client.get("/", headers={"accept": "*/*"})
            assert files.text == "here", "files of a page that is open already"
            assert client.get("/class/ABCD").text == "here", "phones take no place"
            with suppress(OSError):
                tabs.close()
