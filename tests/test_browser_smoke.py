"""The app in a real browser can be entered by any page's address, and a fault in a page fails its test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import expect, serve, visitor, watched_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NOT_FOUND = "does not seem to exist"


def shows_words_and_navigation(page: Page) -> None:
    expect(page.get_by_role("heading", name="Words and sources", level=1)).to_be_visible()
    for section in ("Explore", "Learn"):
        expect(page.get_by_test_id("stHeader").get_by_text(section)).to_be_visible()


def test_a_cold_deep_link_shows_its_page_alone(browser: Browser) -> None:
    # Nobody has been here before: this visitor is the first to run the script.
    with serve() as address, visitor(browser, address) as stranger, watched_page(stranger) as page:
        page.goto("/words")
        shows_words_and_navigation(page)
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_warm_deep_link_shows_its_page_alone(page: Page, server: str) -> None:
    page.goto("/")  # somebody was here before
    expect(page.get_by_test_id("stHeader").get_by_text("Learn")).to_be_visible()
    page.goto("/words")
    shows_words_and_navigation(page)
    expect(page.get_by_role("dialog")).to_have_count(0)


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
