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
import ast, importlib, inspect
from pathlib import Path

def changes_in(tree):
    nodes = list(ast.walk(tree))
    other_names = {
        node.target.id: ast.unparse(node.value)
        for node in nodes
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
            yield ast.unparse(node.args[0]), node.args[1].value
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Attribute):
                holder = ast.unparse(target.value)
                yield other_names.get(holder, holder), target.attr

def modules_in(function):
    while function is not None:
        yield getattr(function, "__globals__", {}).get("__name__")
        function = getattr(function, "__wrapped__", None)

changes = []
for path in sorted(Path("pages", "server").glob("*.py")):
    names = vars(importlib.import_module(f"pages.server.{path.stem}"))
    for holder, attribute in changes_in(ast.parse(path.read_text("utf-8"))):
        if holder.split(".")[0] in names and not holder.startswith("_"):  # something that is not its own
            whose = eval(holder, names)
            changes.append((path.stem, holder, whose, attribute, inspect.getattr_static(whose, attribute)))

import app

for module, holder, whose, attribute, before in changes:
    now = inspect.getattr_static(whose, attribute)
    n_times = list(modules_in(now)).count(f"pages.server.{module}") if callable(now) else now != before
    print(f"{module}: {holder}.{attribute}", int(n_times))
"""
"""Prints what the modules in pages/server change in others, and how often it is changed once app.py ran."""


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
def test_app_py_calls_every_module_that_changes_streamlit_or_another_library() -> None:
    """Each puts its own function in the place of the one that it meets, and none takes another's away."""
    printed = subprocess.run(
        [sys.executable, "-c", LIST_CHANGES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    changes = [line.rpartition(" ") for line in printed.stdout.splitlines()]
    assert len(changes) > 29 and {
        "top_of_page: ScriptRunner._run_script",
        "settings_at_once: config.get_option",
        "uploads: MultiPartParser.spool_max_size",
        "slow_requests: H11Protocol.data_received",
    } <= {each for each, _, _ in changes}
    assert not [each for each, _, n_times in changes if n_times != "1"]
