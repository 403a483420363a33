"""A run of the whole page draws from its top, though a part of the page ran in the same thread before."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streamlit import config
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent

from pages.server import top_of_page
from tests.browser import ROOT
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

LIST_CHANGES = """
import app, ast, importlib, inspect
from pathlib import Path

def modules_in(function):
    while function is not None:
        yield getattr(function, "__globals__", {}).get("__name__")
        function = getattr(function, "__wrapped__", None)

for path in sorted(Path("pages", "server").glob("*.py")):
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "setattr":
            name = f"pages.server.{path.stem}"
            changed, (attribute,) = vars(importlib.import_module(name)), [call.args[1].value]
            holder = eval(ast.unparse(call.args[0]), changed)
            n_times = list(modules_in(inspect.getattr_static(holder, attribute))).count(name)
            print(f"{path.stem}: {ast.unparse(call.args[0])}.{attribute}", n_times)
"""
"""Prints what the modules in pages/server change in Streamlit, and how often it is once app.py has run."""


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


@pytest.mark.slow
def test_app_py_has_streamlit_changed_by_every_module_that_changes_it() -> None:
    """Each puts its own function in the place of the one that it meets, and none takes another's away."""
    printed = subprocess.run(
        [sys.executable, "-c", LIST_CHANGES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    changes = [line.rpartition(" ") for line in printed.stdout.splitlines()]
    assert len(changes) > 20 and "top_of_page: ScriptRunner._run_script" in [each for each, _, _ in changes]
    assert not [each for each, _, n_times in changes if n_times != "1"]
