"""A run that is asked for while another one changes what a page keeps does not end that one halfway."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.runtime.state import SafeSessionState

from pages.server.whole_updates import make_updates_whole
from tests.one_page import Browser, ask, open_page

# The first run hands a text over; while it does, the person asks for a second run, which says what there is.
PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

text = st.session_state.get("text", "")
st.text(f"{text}, handed over: {st.session_state.get('handed over', '')}")
if not text:
    st.session_state["text"] = "a text"
    get_script_run_ctx().script_requests.request_rerun(RerunData())
    st.session_state["handed over"] = "a text"
    st.text("the first run goes on")
"""


async def visit(page: Path, browser: Browser) -> None:
    """Run the page, and the run that it asks for."""
    async with open_page(page, browser) as (runtime, name, session):
        runtime.handle_backmsg(name, ask())
        await session.wait_until_settled()


def test_a_run_does_not_end_between_two_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    monkeypatch.setattr(SafeSessionState, "__init__", SafeSessionState.__init__)  # put back after the test
    make_updates_whole()
    browser = Browser()
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        thread.submit(asyncio.run, visit(page, browser)).result()
    assert browser.lines()[-1] == "a text, handed over: a text"
    assert "the first run goes on" not in browser.lines()  # where it draws, it ends for the newer one
