"""A part of the page that is drawn again comes with the parts within it, and not after them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from pages.server import finished_runs, parts_of_parts
from tests.one_page import Browser, ask, open_page

PAGE = """
import streamlit as st

@st.fragment
def part():
    for line in range(5):
        st.text(f"line {line}")
    middle()

@st.fragment
def middle():
    st.text("in the middle")
    inner()

@st.fragment
def inner():
    st.text("inside")

part()

@st.fragment
def other():
    st.text("beside it")

other()
"""


async def visit(page: Path, browser: Browser) -> list[ForwardMsg]:
    """Run the page twice; as the second run ends, and before anything of it is heard, ask for its first part.

    Returns what the first run said.
    """
    async with open_page(page, browser) as (runtime, name, session):
        runtime.handle_backmsg(name, ask())
        await session.wait_until_settled()
        part = browser.part()
        first = list(browser.messages)
        browser.messages.clear()
        for asked in (ask(), ask(part)):
            runtime.handle_backmsg(name, asked)
            assert session._scriptrunner is not None and session._scriptrunner._script_thread is not None
            session._scriptrunner._script_thread.join()  # this loop, which would hear it, stands still
        await session.wait_until_settled()
        return first


def test_what_is_in_a_part_is_never_sent_before_what_stands_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    # Put back after the test, as is all that it patches.
    for name in ("_create_scriptrunner", "_handle_scriptrunner_event_on_event_loop", "_clear_queue"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    finished_runs.hear_finished_runs()
    parts_of_parts.drop_with_what_is_in_it()
    browser = Browser()
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        first = thread.submit(asyncio.run, visit(page, browser)).result()
    lines = [f"line {n}" for n in range(5)]
    assert browser.lines() == ["beside it", *lines, "in the middle", "inside"]
    places = [tuple(m.metadata.delta_path) for m in browser.messages if m.HasField("delta")]
    known = {tuple(m.metadata.delta_path) for m in first if m.HasField("delta")}
    part, middle = min(known), (*min(known), 5)
    # A part that is drawn again is a new block: its places are given anew, from the first one on.
    of_part = [place for place in places if place[: len(part)] == part]
    assert of_part[0] == part
    assert [place for place in of_part if len(place) == len(part) + 1] == [(*part, n) for n in range(6)]
    assert of_part.index(middle) < min(n for n, place in enumerate(of_part) if len(place) > len(middle))
