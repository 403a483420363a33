"""The app in a real browser: any page's address opens it, and a fault in a page fails its test.

That an address opens a server that nobody has visited yet: test_component_files.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pages.session.workspace import first_encodings
from tests.browser import (
    WINDOW,
    expect,
    expect_text,
    go_to,
    press,
    shows_words_alone,
    watched_page,
)

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def test_the_header_marks_the_section_and_its_logo_leads_home(page: Page) -> None:
    page.goto("/vocabulary?query=grove")
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


def test_the_first_screen_says_what_it_is_and_what_its_words_mean(page: Page) -> None:
    page.goto("/")
    expect_text(page, "A language model reads your text as tokens")
    panel, inspector = page.locator(".panel[data-encoding='o200k_base']"), page.locator(".inspector")
    expect(panel.locator(".about")).to_have_text("o200k_base · OpenAI, 2024")
    panel.locator(".t").first.click()
    inspector.locator("summary").click()
    page.get_by_role("button", name="More", exact=True).click()
    explained = page.locator(".explain")
    for place, word in (
        (panel, "✓ exact"),
        (page.locator(".switches"), "cuts only one makes"),
        (inspector, "UTF-8"),
        (page.locator(".strip"), "graphemes"),
    ):
        place.locator(".question").click()  # what is open closes by it
        expect(explained).to_contain_text(word)
        box = explained.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= WINDOW["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= WINDOW["height"]
    page.keyboard.press("Escape")
    expect(explained).to_be_hidden()
    expect(inspector).to_be_visible()  # the token stays pinned
    page.keyboard.press("Escape")
    expect(inspector).to_be_hidden()
    for name in first_encodings():
        press(page, f"Remove: {name}")
    expect_text(page, "No tokenizer is chosen")


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
