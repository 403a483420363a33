"""How many tabs may be open: at the limit and over it; places are given back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pages.server import connections
from pages.server.connections import ConnectionLimits
from tests.loops import run

ACCEPTED, REFUSED = "websocket.accept", "websocket.close"


class Server:
    """The middleware around an app whose tabs stay open until they are closed."""

    def __init__(self) -> None:
        self.app = ConnectionLimits(self._serve)
        self.closing: dict[str, asyncio.Event] = {}

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            await self.closing[scope["path"]].wait()
            if scope["path"] == "/breaks":
                raise OSError("the connection is gone")
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    async def open(self, name: str) -> tuple[str, asyncio.Task[None]]:
        """Open a tab: what it is answered, and the task that holds it."""
        answers: asyncio.Queue[Any] = asyncio.Queue()
        self.closing[f"/{name}"] = asyncio.Event()
        scope = {"type": "websocket", "path": f"/{name}", "headers": []}
        task = asyncio.create_task(self.app(scope, None, answers.put))  # type: ignore[arg-type]
        return (await answers.get())["type"], task

    async def ask(self, accept: str = "text/html", path: str = "/") -> tuple[int, str]:
        """Ask for a page: the status, and its text."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"accept", accept.encode())]}
        await self.app(scope, None, send)  # type: ignore[arg-type]
        return sent[0]["status"], sent[1]["body"].decode()


def test_tabs_are_counted_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_SESSIONS", 2)

    async def visit() -> None:
        server = Server()
        assert (await server.ask())[0] == 200
        opened = [await server.open(name) for name in ("breaks", "b", "over")]
        assert [answer for answer, _ in opened] == [ACCEPTED, ACCEPTED, REFUSED]
        status, text = await server.ask()
        assert status == 503 and "2 of its tabs are open" in text and "every 5 seconds" in text
        assert (await server.ask("*/*"))[0] == 200, "files of a page that is open already"
        assert (await server.ask(path="/class/ABCD"))[0] == 200, "phones take no place"
        for closing in server.closing.values():
            closing.set()
        await asyncio.gather(*(task for _, task in opened), return_exceptions=True)
        opened = [await server.open(name) for name in ("again", "and again", "over")]
        # Also after a connection that broke; and no more than before.
        assert [answer for answer, _ in opened] == [ACCEPTED, ACCEPTED, REFUSED]

    run(visit())
