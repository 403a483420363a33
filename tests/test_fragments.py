"""What is done on a page in the very moment in which a part of it runs alone is not lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.browser import expect, idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOLD = """() => {
  window.realTimeout = window.setTimeout;
  window.heldBack = [];
  window.setTimeout = (call, delay, ...rest) =>
    delay ? window.realTimeout(call, delay, ...rest) : window.heldBack.push(call);
  window.dispatchEvent(new Event("grove:made"));
}"""
RELEASE = """() => {
  window.setTimeout = window.realTimeout;
  for (const call of window.heldBack) call();
}"""


@contextmanager
def same_moment(page: Page) -> Iterator[None]:
    """What is done in the block reaches the server in one request with a message from what is kept.

    Streamlit's browser side gathers changes until a timer of no milliseconds is over; here it is held back.
    """
    page.evaluate(HOLD)
    page.wait_for_function("() => window.heldBack.length > 0")
    yield
    page.evaluate(RELEASE)


def test_what_is_pressed_in_the_moment_of_a_fragments_message_is_heard(page: Page) -> None:
    page.goto("/compression?text=prose&encoding=gpt2")
    expect(page.get_by_role("heading", name="Compression", level=1)).to_be_visible()
    page.get_by_text("Your own texts", exact=True).click()
    page.get_by_role("textbox", name="Paste a text").fill("of the same moment")
    page.get_by_role("textbox", name="Its name").fill("moment")
    page.get_by_role("textbox", name="Its name").press("Tab")
    idle(page)
    with same_moment(page):
        page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("moment · 18 bytes")).to_be_visible()
    idle(page)
    page.get_by_role("button", name="Look").first.click()
    show = page.get_by_role("button", name="Show it in the playground")
    expect(show).to_be_visible()
    with same_moment(page):
        show.click()
    expect(page.locator("textarea.input")).to_have_value("of the same moment")
