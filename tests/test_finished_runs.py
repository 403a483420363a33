"""All that a run of the page said is heard, though a part of the page is asked for as it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

from pages.server import finished_runs
from tests.one_page import Browser, ask_for_part_as_run_ends

PAGE = """
import streamlit as st

runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
for line in range(20):
    st.text(f"line {line} of run {runs}")

@st.fragment
def part():
    st.text("a part")

part()
"""


def test_nothing_of_a_finished_run_is_lost_to_a_part_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    # Put back after the test, as is all that it patches.
    monkeypatch.setattr(AppSession, "_create_scriptrunner", AppSession._create_scriptrunner)
    name = "_handle_scriptrunner_event_on_event_loop"
    monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    finished_runs.hear_finished_runs()
    browser = Browser()
    ask_for_part_as_run_ends(page, browser)
    assert [line for line in browser.lines() if line != "a part"] == [f"line {n} of run 2" for n in range(20)]
    finished, part_finished = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
    assert browser.ends() == [finished, part_finished]
    assert browser.lines()[-1] == "a part"
