"""The event loop is woken once for several messages, and hears all of them in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime

from pages.server import wake_once
from pages.server.wake_once import Line
from tests.one_page import Browser, ask, open_page

N_THREADS, N_EACH, N_LINES = 4, 2_000, 60


def test_what_many_threads_tell_is_done_once_each_and_in_their_order() -> None:
    done: list[tuple[int, int]] = []
    wakes: list[int] = []

    def tell(line: Line, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        def note(number: int) -> Callable[[], None]:
            return lambda: done.append((thread, number))

        for number in range(N_EACH):
            if line.add(note(number)):
                wakes.append(thread)
                loop.call_soon_threadsafe(line.work)

    async def hear() -> None:
        loop = asyncio.get_running_loop()
        line = Line(loop.call_exception_handler)
        threads = [Thread(target=tell, args=(line, loop, number)) for number in range(N_THREADS)]
        for thread in threads:
            thread.start()
        async with asyncio.timeout(60):
            while len(done) < N_THREADS * N_EACH:
                await asyncio.sleep(0.001)
        for thread in threads:
            thread.join()
        assert line.add(lambda: None)  # it can be woken again

    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        thread.submit(asyncio.run, hear()).result()
    for number in range(N_THREADS):
        assert [each for thread, each in done if thread == number] == list(range(N_EACH))
    assert len(wakes) < len(done)


def test_one_that_fails_is_logged_and_the_others_are_done() -> None:
    problems: list[dict[str, Any]] = []
    done: list[str] = []

    line = Line(problems.append)
    for callback in (lambda: done.append("first"), lambda: [][0], lambda: done.append("last")):
        line.add(callback)
    line.work()
    assert done == ["first", "last"]
    assert isinstance(problems[0]["exception"], IndexError) and len(problems) == 1


def test_what_is_told_meanwhile_has_to_wait_for_the_next_time() -> None:
    line = Line(print)
    done: list[str] = []
    wakes: list[bool] = []
    line.add(lambda: done.append("first"))
    line.add(lambda: wakes.append(line.add(lambda: done.append("second"))))
    line.work()
    assert done == ["first"] and wakes == [True]
    line.work()
    assert done == ["first", "second"]
    line.work()  # as where two threads woke the loop at the same moment


def test_a_page_reaches_the_browser_though_the_loop_is_woken_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.py"
    file.write_text(
        f"import streamlit as st\nfor line in range({N_LINES}):\n    st.text(f'line {{line}}')\n", "utf-8"
    )
    for kind, name in ((AppSession, "_call_soon_on_event_loop"), (Runtime, "_enqueued_some_message")):
        monkeypatch.setattr(kind, name, getattr(kind, name))  # put back after the test
    wake_once.wake_loop_once()
    browser = Browser()
    wakes: list[Any] = []

    async def visit() -> None:
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe

        def count(*call: Any, **more: Any) -> asyncio.Handle:
            wakes.append(call[0])
            return wake(*call, **more)

        async with open_page(file, browser) as (runtime, name, session):
            with monkeypatch.context() as patch:
                patch.setattr(loop, "call_soon_threadsafe", count)
                runtime.handle_backmsg(name, ask())
                assert session._scriptrunner is not None and session._scriptrunner._script_thread is not None
                session._scriptrunner._script_thread.join()  # the loop stands still meanwhile
                await session.wait_until_settled()

    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        thread.submit(asyncio.run, visit()).result()
    assert browser.lines() == [f"line {number}" for number in range(N_LINES)]
    assert len(wakes) < 10  # twice for each line before


def test_only_the_loop_itself_notes_that_there_is_something_to_send() -> None:
    """An asyncio.Event that another thread sets does not wake its loop."""

    async def listen() -> None:
        has_messages = asyncio.Event()
        objects = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=has_messages)
        runtime: Any = SimpleNamespace(_get_async_objs=lambda: objects)
        wake_once._note_messages(runtime)
        assert has_messages.is_set()
        has_messages.clear()
        thread = Thread(target=wake_once._note_messages, args=(runtime,))
        thread.start()
        async with asyncio.timeout(60):
            await has_messages.wait()
        thread.join()

    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        thread.submit(asyncio.run, listen()).result()


def test_what_a_closed_loop_is_told_is_dropped() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    session: Any = SimpleNamespace(_event_loop=loop)
    wake_once._call_in_line(session, lambda: None)
    assert loop not in wake_once._lines
