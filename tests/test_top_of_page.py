"""A run of the whole page draws from its top, though a part of the page ran in the same thread before."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent

from pages.server import top_of_page
from tests.one_page import Browser, ask, open_page

PAGE = """
import streamlit as st

@st.fragment
def part():
    st.text("a part")

with st.container():
    part()
st.text("below")
"""


async def visit(page: Path, browser: Browser) -> None:
    """Run the page, then its part; as that ends, but before its thread does, ask for the page."""
    async with open_page(page, browser) as (runtime, name, session):
        runtime.handle_backmsg(name, ask())
        await session.wait_until_settled()
        part = browser.part()
        browser.messages.clear()
        runtime.handle_backmsg(name, ask(part))
        await session.wait_until_settled()


def places(browser: Browser, text: str) -> list[list[int]]:
    """Where a text was drawn, each time."""
    return [
        list(message.metadata.delta_path)
        for message in browser.messages
        if message.delta.new_element.text.body == text
    ]


def test_the_page_is_not_drawn_into_the_part_that_ran_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)  # put back after the test
    top_of_page.draw_from_the_top()
    end = ScriptRunner._on_script_finished

    def ask_for_the_page(self: ScriptRunner, context: Any, event: ScriptRunnerEvent, *more: Any) -> None:
        end(self, context, event, *more)
        if event is ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS:
            assert self.request_rerun(RerunData())

    monkeypatch.setattr(ScriptRunner, "_on_script_finished", ask_for_the_page)
    assert config.get_option("runner.fastReruns") is False, "else each run has a thread of its own"
    browser = Browser()
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        thread.submit(asyncio.run, visit(page, browser)).result()
    assert places(browser, "a part")[-1] == [0, 0, 0, 0]
    assert places(browser, "below") == [[0, 1]]
