"""The app in a real browser: any page's address opens it, and a fault in a page fails its test.

That an address opens a server that nobody has visited yet: test_component_files.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import (
    expect,
    go_to,
    press,
    shows_words_alone,
    watched_page,
)

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def test_the_header_marks_the_section_and_its_logo_leads_home(page: Page) -> None:
    page.goto("/unicode")
    marked = """(name) => {
      const sections = [...document.querySelectorAll("[data-testid=stTopNavSection] p")];
      const colours = sections.map((words) => getComputedStyle(words).color);
      const isAlone = (colour) => colours.filter((other) => other === colour).length === 1;
      const alone = sections.filter((_, i) => isAlone(colours[i])).map((words) => words.textContent);
      return JSON.stringify(alone) === JSON.stringify([name]);
    }"""
    page.wait_for_function(marked, arg="Explore")
    go_to(page, "Learn", "Words and sources")
    shows_words_alone(page)
    page.wait_for_function(marked, arg="Learn")
    press(page, "Navigate to home page")
    expect(page.locator("textarea.input")).to_be_visible()
    page.wait_for_function(marked, arg="Explore")


@pytest.mark.parametrize(
    ("script", "event", "fault"),
    [
        ("setTimeout(() => { throw Error('oh dear') })", "pageerror", "error in the page: oh dear"),
        (
            "new Image().src = `http://localhost:${location.port}/x.png`",
            "request",
            "another host was asked: http://local",
        ),
        (
            "new WebSocket(`ws://localhost:${location.port}/x`)",
            "console",
            "error in the console: .*Content Security Policy",  # no answer of ours lets a page ask there
        ),
    ],
)
def test_a_fault_in_a_page_fails_its_test(
    context: BrowserContext, script: str, event: Any, fault: str
) -> None:
    with pytest.raises(AssertionError, match=fault), watched_page(context) as page:
        page.goto("/_stcore/health")
        with page.expect_event(event):
            page.evaluate(script)
        page.evaluate("() => 0")  # what was heard of the page before has arrived here by then
