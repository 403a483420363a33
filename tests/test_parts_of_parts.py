"""A part of the page that is drawn again comes with the parts within it, and not after them."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.runtime.app_session import AppSession

from pages.server import finished_runs, parts_of_parts
from tests.one_page import Browser, ask_for_part_as_run_ends

PAGE = """
import streamlit as st

@st.fragment
def part():
    runs_of_part = st.session_state["runs_of_part"] = st.session_state.get("runs_of_part", 0) + 1
    for line in range(5):
        st.text(f"line {line}")
    if runs_of_part <= LAST:
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


@pytest.mark.parametrize("is_drawn_again", [True, False])
def test_what_is_in_a_part_is_never_sent_before_what_stands_above_it(
    is_drawn_again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE.replace("LAST", "3" if is_drawn_again else "2"), "utf-8")
    # Put back after the test, as is all that it patches.
    for name in (
        "_create_scriptrunner",
        "_handle_scriptrunner_event_on_event_loop",
        "_on_scriptrunner_event",
    ):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
    finished_runs.hear_finished_runs()
    parts_of_parts.drop_with_what_is_in_it()
    browser = Browser()
    first = ask_for_part_as_run_ends(page, browser)
    lines, within = [f"line {n}" for n in range(5)], ["in the middle", "inside"] if is_drawn_again else []
    assert browser.lines() == ["beside it", *lines, *within]
    places = [tuple(m.metadata.delta_path) for m in browser.messages if m.HasField("delta")]
    part = min(tuple(m.metadata.delta_path) for m in first if m.HasField("delta"))
    # A part that is drawn again is a new block: its places are given anew, from the first one on.
    of_part = [place for place in places if place[: len(part)] == part]
    assert of_part[0] == part
    n_elements = 6 if is_drawn_again else 5
    assert [place for place in of_part if len(place) == len(part) + 1] == [
        (*part, n) for n in range(n_elements)
    ]
    deeper = [n for n, place in enumerate(of_part) if len(place) > len(part) + 1]
    assert bool(deeper) == is_drawn_again and all(n > of_part.index((*part, 5)) for n in deeper)
