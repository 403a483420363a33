"""Faults of Streamlit: each shows without its fix, and not with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.state import SafeSessionState

from pages.server import streamlit_fixes
from tests.loops import run
from tests.one_page import Browser, ask, ask_for_part_as_run_ends, open_page

REPLACED = [
    (AppSession, "_create_scriptrunner"),
    (AppSession, "_handle_scriptrunner_event_on_event_loop"),
    (ScriptRunner, "_run_script"),
    (SafeSessionState, "__init__"),
]


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test replaces is Streamlit's own again after it."""
    for holder, name in REPLACED:
        monkeypatch.setattr(holder, name, getattr(holder, name))


with_and_without_its_fix = pytest.mark.parametrize("is_fixed", [True, False])


def is_replaced() -> list[bool]:
    return [hasattr(getattr(holder, name), "__wrapped__") for holder, name in REPLACED]


def test_the_fixes_are_for_the_versions_that_were_tried(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert streamlit.__version__ in streamlit_fixes.TESTED, "its docstring says how to try them"
    monkeypatch.delenv(streamlit_fixes.VARIABLE, raising=False)
    with monkeypatch.context() as patched:
        patched.setenv(streamlit_fixes.VARIABLE, "off")
        streamlit_fixes.fix_streamlit()
        assert not any(is_replaced()) and not caplog.records
    with monkeypatch.context() as patched:
        patched.setattr(streamlit, "__version__", "1.99.0")
        streamlit_fixes.fix_streamlit()
        assert not any(is_replaced()) and len(caplog.records) == 1
    streamlit_fixes.fix_streamlit()
    assert all(is_replaced())


def page_of(script: str, folder: Path) -> Path:
    page = folder / "page.py"
    page.write_text(script, "utf-8")
    return page


def run_page(page: Path, times: int = 1, *, then_part: bool = False) -> Browser:
    """What reaches a browser that runs the page so many times, and then perhaps its fragment alone."""
    browser = Browser()

    async def visit() -> None:
        async with open_page(page, browser) as (runtime, name, session):
            for _ in range(times):
                runtime.handle_backmsg(name, ask())
                await session.wait_until_settled()
            if then_part:
                part = browser.part()
                browser.messages.clear()
                runtime.handle_backmsg(name, ask(part))
                await session.wait_until_settled()

    run(visit())
    return browser


MESSAGES = """
import streamlit as st

runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
for line in range(20):
    st.text(f"line {line} of run {runs}")

@st.fragment
def part():
    st.text("a part")

part()
"""


@with_and_without_its_fix
def test_a_fragment_that_is_asked_for_as_a_run_ends(tmp_path: Path, is_fixed: bool) -> None:
    """The rest of the page stayed as it was before: a chart kept the language that was chosen before."""
    page = page_of(MESSAGES, tmp_path)
    if is_fixed:
        streamlit_fixes.send_all_of_finished_runs()
    browser = Browser()
    ask_for_part_as_run_ends(page, browser)
    lines = [line for line in browser.lines() if line != "a part"]
    assert (lines == [f"line {n} of run 2" for n in range(20)]) == is_fixed
    if is_fixed:
        ends = ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        assert browser.ends() == [*ends] and browser.lines()[-1] == "a part"


FRAGMENT = """
import streamlit as st

@st.fragment
def part():
    st.text("a part")

with st.container():
    part()
st.text("below")
"""


@with_and_without_its_fix
def test_a_page_that_is_asked_for_before_a_fragments_thread_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_fixed: bool
) -> None:
    """It was drawn inside the fragment, and the browser turned white at the next run."""
    page = page_of(FRAGMENT, tmp_path)
    if is_fixed:
        streamlit_fixes.begin_runs_where_they_belong()
    end = ScriptRunner._on_script_finished

    def ask_for_the_page(self: ScriptRunner, context: Any, event: ScriptRunnerEvent, *more: Any) -> None:
        end(self, context, event, *more)
        if event is ScriptRunnerEvent.FRAGMENT_STOPPED_WITH_SUCCESS:
            assert self.request_rerun(RerunData())

    monkeypatch.setattr(ScriptRunner, "_on_script_finished", ask_for_the_page)
    browser = run_page(page, then_part=True)
    below = [
        list(message.metadata.delta_path)
        for message in browser.messages
        if message.delta.new_element.text.body == "below"
    ]
    assert (below == [[0, 1]]) == is_fixed


# The first run requests its own fragment while the next one, of another page, goes on.
OTHER_PAGE = """
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

@st.fragment
def part():
    st.text("a part")

if "part" not in st.session_state:
    part()
    (st.session_state["part"],) = get_script_run_ctx().shared.new_fragment_ids.snapshot()
else:
    part = st.session_state["part"]
    get_script_run_ctx().script_requests.request_rerun(RerunData(fragment_id=part))
    st.text("another page")
"""


@with_and_without_its_fix
def test_a_fragment_of_a_page_that_is_being_left(tmp_path: Path, is_fixed: bool) -> None:
    """The browser opened the page that was left, with nothing on it: it was white."""
    page = page_of(OTHER_PAGE, tmp_path)
    if is_fixed:
        streamlit_fixes.begin_runs_where_they_belong()
    browser = run_page(page, times=2)
    assert browser.lines()[-1] == "another page"
    assert (browser.ends()[-1] == ForwardMsg.FINISHED_SUCCESSFULLY) == is_fixed


# The first run hands a text over; while it does, the person asks for a second run, which says what there is.
CHANGES = """
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


@with_and_without_its_fix
def test_a_run_that_is_asked_for_between_two_changes(tmp_path: Path, is_fixed: bool) -> None:
    """The older run ended between them: what a person typed was replaced by an older text."""
    page = page_of(CHANGES, tmp_path)
    if is_fixed:
        streamlit_fixes.end_runs_only_where_they_draw()
    browser = run_page(page)
    assert (browser.lines()[-1] == "a text, handed over: a text") == is_fixed
    assert "the first run goes on" not in browser.lines()  # where it draws, it ends for the newer one
