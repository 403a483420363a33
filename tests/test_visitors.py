"""How many tabs may be open: at the limit and over it, in all and for each address; places are given back."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit
from streamlit.runtime.context import StreamlitHeaders

from pages.server import run_places, visitors
from pages.server.open_files import EACH_VISITOR
from pages.server.visitors import LimitedVisitors
from pages.shared import session
from tests.browser import ROOT
from tests.loops import run


class Server:
    """The middleware around an app whose tabs stay open until they are closed."""

    def __init__(self) -> None:
        self.now = 0.0
        self.app = LimitedVisitors(self._serve, lambda: self.now)
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

    async def open(self, name: str, address: str, forwarded: str = "") -> tuple[str, asyncio.Task[None]]:
        """Open a tab: what it is answered, and the task that holds it."""
        answers: asyncio.Queue[Any] = asyncio.Queue()
        self.closing[f"/{name}"] = asyncio.Event()
        scope = {
            "type": "websocket",
            "path": f"/{name}",
            "client": (address, 1),
            "headers": [(b"x-forwarded-for", forwarded.encode())] * bool(forwarded),
        }
        task = asyncio.create_task(self.app(scope, None, answers.put))  # type: ignore[arg-type]
        return (await answers.get())["type"], task

    async def ask(
        self, address: str, accept: str = "text/html", path: str = "/", method: str = "GET"
    ) -> tuple[int, str]:
        """Ask for a page: the status, and its text."""
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"accept", accept.encode())]
        scope = {"type": "http", "method": method, "path": path, "client": (address, 1), "headers": headers}
        await self.app(scope, None, send)  # type: ignore[arg-type]
        return sent[0]["status"], sent[1]["body"].decode()


ACCEPTED, REFUSED = "websocket.accept", "websocket.close"
CLASS, STRANGER = "198.51.100.4", "203.0.113.9"


def test_tabs_are_counted_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "MAX_TABS", 4)
    monkeypatch.setattr(visitors, "MAX_TABS_OF_ADDRESS", 2)

    async def visit() -> None:
        server = Server()
        opened = [await server.open(name, STRANGER) for name in ("breaks", "b", "over")]
        assert [answer for answer, _ in opened] == [ACCEPTED, ACCEPTED, REFUSED]
        status, text = await server.ask(STRANGER)
        assert status == 503 and "2 of its tabs are open at your network’s address" in text
        assert (await server.ask(STRANGER, "*/*"))[0] == 200, "files of a page that is open already"
        assert (await server.ask(STRANGER, method="POST"))[0] == 200, "what an open page sends"
        assert (await server.ask(CLASS))[0] == 200
        others = [await server.open(name, CLASS) for name in ("d", "e")]
        assert [answer for answer, _ in others] == [ACCEPTED, ACCEPTED]
        assert (await server.open("full", "192.0.2.1"))[0] == REFUSED
        assert "4 of its tabs are open, and this server takes no more" in (await server.ask("192.0.2.1"))[1]
        for closing in server.closing.values():
            closing.set()
        await asyncio.gather(*(task for _, task in [*opened, *others]), return_exceptions=True)
        assert not server.app._tabs, "all places are given back, also of a connection that broke"
        assert (await server.open("again", STRANGER))[0] == ACCEPTED

    run(visit())


def test_no_more_tabs_are_let_in_than_there_are_files_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "_most_by_files", visitors._most_by_files)  # put back after the test

    async def visit() -> list[str]:
        server = Server()
        answers = [(await server.open(f"tab-{number}", f"192.0.2.{number}"))[0] for number in range(4)]
        says_full = "3 of its tabs are open" in (await server.ask("192.0.2.99"))[1]
        assert says_full is (REFUSED in answers)
        return answers

    visitors.bound_by_files(64 + 3 * EACH_VISITOR)
    assert run(visit()) == [ACCEPTED, ACCEPTED, ACCEPTED, REFUSED]
    visitors.bound_by_files(None)
    assert run(visit()) == [ACCEPTED] * 4


FEW_FILES = """
import asyncio, resource
from benchmarks.protocol import Person
from tests.browser import serve

async def visit(address):
    people = [Person(address, behind=f"198.51.100.{number}") for number in range(70)]
    opened = await asyncio.gather(*(person.open() for person in people), return_exceptions=True)
    inside = [person for person, seconds in zip(people, opened) if isinstance(seconds, float)]
    typed = await asyncio.gather(*(person.type_keys("abcd", 4) for person in inside))
    print(len(inside), sum(len(each.seconds) for each in typed), sum(each.lost for each in typed), flush=True)
    for person in inside:
        await person.close()

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
with serve() as address:
    asyncio.run(visit(address))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the numbers are Linux's")
def test_with_few_files_some_visitors_are_served_and_the_others_are_told() -> None:
    """70 would take more than there are: then keys are not answered, and the log has tracebacks."""
    environ = {**os.environ, "TOKEN_GROVE_PROXIES": "1"}
    done = subprocess.run(
        [sys.executable, "-c", FEW_FILES], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]  # the log has no traceback
    assert done.stdout.split() == ["24", "96", "0"]


def test_a_class_behind_one_address_fits_and_so_does_a_proxy_that_tells_nothing() -> None:
    async def visit() -> None:
        server = Server()
        tabs = [await server.open(f"pupil-{number}", CLASS) for number in range(30 * 4)]
        local = [await server.open(f"local-{number}", "127.0.0.1") for number in range(80)]
        assert {answer for answer, _ in [*tabs, *local]} == {ACCEPTED}
        assert (await server.open("more", CLASS))[0] == REFUSED
        for _, task in [*tabs, *local]:
            task.cancel()
        await asyncio.gather(*(task for _, task in [*tabs, *local]), return_exceptions=True)

    run(visit())


def test_behind_proxies_of_ones_own_what_they_added_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "MAX_TABS_OF_ADDRESS", 1)
    monkeypatch.setattr(visitors, "PROXIES", 1)

    async def visit() -> list[str]:
        server = Server()
        chains = [STRANGER, f"1.1.1.1, {STRANGER}", f"{STRANGER}, {CLASS}"]
        opened = [await server.open(f"{i}", "10.0.0.2", forwarded) for i, forwarded in enumerate(chains)]
        for _, task in opened:
            task.cancel()
        await asyncio.gather(*(task for _, task in opened), return_exceptions=True)
        return [answer for answer, _ in opened]

    assert run(visit()) == [ACCEPTED, REFUSED, ACCEPTED]


def test_an_address_opens_no_end_of_tabs_one_after_the_other() -> None:
    """Each was closed at once, so none counted; and each took the server a session and a page."""

    async def check() -> None:
        server = Server()

        async def visit(address: str) -> str:
            answer, task = await server.open("a", address)
            server.closing["/a"].set()
            await task
            return answer

        stranger = "203.0.113.9"
        answers = [await visit(stranger) for _ in range(visitors.OPENED_AT_ONCE + 1)]
        assert answers == [ACCEPTED] * visitors.OPENED_AT_ONCE + [REFUSED]
        status, page = await server.ask(stranger)
        assert status == 503 and "opened at your network" in page
        assert await visit("198.51.100.1") == ACCEPTED and (await server.ask("198.51.100.1"))[0] == 200
        server.now += 1 / visitors.OPENED_A_SECOND
        assert [await visit(stranger), await visit(stranger)] == [ACCEPTED, REFUSED]
        for _ in range(3 * visitors.OPENED_AT_ONCE):
            assert await visit("127.0.0.1") == ACCEPTED  # a proxy that says nothing may pass on anybody
        server.now += 3_600
        assert [await visit(stranger) for _ in range(visitors.OPENED_AT_ONCE + 1)][-2:] == [ACCEPTED, REFUSED]
        for number in range(3_000):
            await visit(f"10.0.{number // 250}.{number % 250}")
            server.now += 1
        assert len(server.app._openings._of) <= 1_001

    run(check())


def test_a_proxy_may_add_a_line_of_its_own_to_what_a_visitor_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """HAProxy does. The first line is the visitor's, who could write another address there for each tab."""
    lines = [("x-forwarded-for", "192.0.2.66"), ("x-forwarded-for", "203.0.113.9")]
    context = SimpleNamespace(ip_address="10.0.0.2", headers=StreamlitHeaders(lines))
    client = SimpleNamespace(client_context=SimpleNamespace(remote_ip="10.0.0.2", headers=lines))
    manager = SimpleNamespace(get_active_session_info=lambda _: SimpleNamespace(client=client))
    monkeypatch.setattr(visitors, "PROXIES", 1)
    monkeypatch.setattr(streamlit, "context", context)
    monkeypatch.setattr(run_places, "exists", lambda: True)
    monkeypatch.setattr(run_places, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    raw = [(name.encode(), value.encode()) for name, value in lines]
    assert (
        visitors.address_of_scope({"client": ("10.0.0.2", 1), "headers": raw, "type": "http"})
        == "203.0.113.9"
    )
    assert session._address() == "203.0.113.9"
    assert run_places._address_of("a") == "203.0.113.9"
