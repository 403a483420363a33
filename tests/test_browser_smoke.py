"""The app in a real browser: any page's address opens it, and a fault in a page fails its test.

That an address opens a server that nobody has visited yet: test_component_files.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import expect, shows_words_alone, watched_page

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def test_a_warm_deep_link_shows_its_page_alone(page: Page) -> None:
    page.goto("/")  # somebody was here before
    expect(page.get_by_test_id("stHeader").get_by_text("Learn")).to_be_visible()
    page.goto("/words")
    shows_words_alone(page)


@pytest.mark.parametrize(
    ("script", "event", "fault"),
    [
        ("console.error('oh dear')", "console", "error in the console: oh dear"),
        ("setTimeout(() => { throw Error('oh dear') })", "pageerror", "error in the page: oh dear"),
        (
            "new Image().src = `http://localhost:${location.port}/x.png`",
            "request",
            "another host was asked: http://local",
        ),
        (
            "new WebSocket(`ws://localhost:${location.port}/x`)",
            "websocket",
            "another host was asked: ws://local",
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
