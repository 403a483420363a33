"""A session ends when its tab is closed; one whose connection was cut can be come back to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

from pages.server import ended_sessions
from pages.server.ended_sessions import EndedSessions, after_sessions_end, session_in
from tests.one_page import Browser, open_page


def greeting(session: str) -> bytes:
    """What Streamlit says first, in a session of this name."""
    message = ForwardMsg()
    message.new_session.initialize.session_id = session
    data: bytes = message.SerializeToString()
    return data


async def leave(middleware: Callable[..., Any], code: int) -> None:
    """A connection that ends with this code."""

    async def receive() -> Message:
        return {"type": "websocket.disconnect", "code": code}

    async def send(_: Message) -> None:
        pass

    await middleware({"type": "websocket"}, receive, send)
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def streamlit_of(runtime: Runtime, name: str) -> ASGIApp:
    """What Streamlit does with the connection of a session: it greets, and notes that it has ended."""

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.send", "bytes": greeting(name)})
        await receive()
        runtime.disconnect_session(name)

    return streamlit


async def visit(page: Path, freed: list[str]) -> list[bool]:
    """Whether a session is there after its connection was cut, come back to, and its tab closed."""
    there: list[bool] = []
    async with open_page(page, Browser()) as (runtime, name, _):
        asked: list[tuple[bool, bool]] = []
        after_sessions_end(lambda is_there: asked.append((is_there(name), is_there("never there"))))
        middleware = EndedSessions(streamlit_of(runtime, name))
        await leave(middleware, 1006)
        there.append(is_there(runtime, name))
        assert runtime.connect_session(Browser(), {}, name) == name
        ended_sessions._forget_and_free()
        await leave(middleware, 1001)
        there.append(is_there(runtime, name))
        middleware._free()
        await asyncio.get_running_loop().shutdown_default_executor()
    assert freed == ["freed", "freed"] and asked == [(True, False), (False, False)]
    return there


def is_there(runtime: Runtime, name: str) -> bool:
    return runtime._session_mgr.get_session_info(name) is not None


def test_a_closed_tab_ends_its_session_and_a_cut_connection_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text("", "utf-8")
    freed: list[str] = []
    monkeypatch.setattr(ended_sessions, "_forgetting", [])
    monkeypatch.setattr(ended_sessions, "free_memory", lambda: freed.append("freed"))
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        assert thread.submit(asyncio.run, visit(page, freed)).result() == [True, False]


def test_the_session_is_read_from_what_streamlit_says_first() -> None:
    assert session_in(greeting("a name")) == "a name"
    assert (
        session_in(b"\xff no message")
        == session_in(None)
        == session_in(ForwardMsg().SerializeToString())
        == ""
    )


def test_one_that_cannot_forget_keeps_nobody_from_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def fail(is_there: Callable[[str], bool]) -> None:
        raise KeyError("a person's own words")

    monkeypatch.setattr(ended_sessions, "_forgetting", [fail, lambda is_there: done.append("forgot")])
    monkeypatch.setattr(ended_sessions, "free_memory", lambda: done.append("freed"))
    ended_sessions._forget_and_free()
    assert done == ["forgot", "freed"] and "could not be forgotten" in caplog.text


async def cut(page: Path, rested: list[str], patch: pytest.MonkeyPatch) -> list[list[str]]:
    """Which sessions have rested: after a cut, after one that is come back from, after a tab was closed."""
    seen: list[list[str]] = []

    async def look() -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, int)  # behind what was begun before
        seen.append([*rested])

    async with open_page(page, Browser()) as (runtime, name, _):
        middleware = EndedSessions(streamlit_of(runtime, name))
        patch.setattr(ended_sessions, "REST_AFTER", 0.0)
        await leave(middleware, 1006)
        await look()
        assert is_there(runtime, name)
        runtime.connect_session(Browser(), {}, name)
        patch.setattr(ended_sessions, "REST_AFTER", 60.0)
        await leave(middleware, 1006)
        assert [*middleware._rests] == [name]
        middleware._comes_back(name)
        assert not middleware._rests
        runtime.connect_session(Browser(), {}, name)
        await look()
        await leave(middleware, 1001)
        await look()
        middleware._free()
        await asyncio.get_running_loop().shutdown_default_executor()
    return seen


def test_a_session_that_was_cut_lets_go_of_what_can_be_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text("", "utf-8")
    rested: list[str] = []

    def rest(session: str) -> bool:
        rested.append(session)
        return True

    monkeypatch.setattr(ended_sessions, "_resting", [rest])
    monkeypatch.setattr(ended_sessions, "_forgetting", [])
    freed: list[str] = []
    monkeypatch.setattr(ended_sessions, "free_memory", lambda: freed.append("freed"))
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        visit = cut(page, rested, monkeypatch)
        after_cut, after_return, after_end = thread.submit(asyncio.run, visit).result()
    assert len(after_cut) == 1 and after_return == after_end == after_cut
    assert freed == ["freed", "freed"]


def test_one_that_cannot_rest_is_no_fault_of_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ended_sessions, "_resting", [lambda session: {}[session]])
    ended_sessions._rest_and_free("a session")
    assert "could not be let go of" in caplog.text
