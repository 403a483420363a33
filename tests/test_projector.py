"""The playground for a room: large type, and a key that steps through prepared texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.explore.playground.answer import mount_data
from pages.session.catalogue import read_samples
from pages.session.workspace import WELCOME, Workspace
from tests.browser import expect, expect_editor, expect_text, go_to, press

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_prepared_texts_are_the_persons_own_short_ones_or_the_samples() -> None:
    workspace = Workspace()
    samples = [{"text": each["text"], "hint": each["hint"]} for each in read_samples()]
    assert mount_data(workspace)["prepared"] == samples
    workspace.own_texts.add("a book", "word " * 500)
    assert mount_data(workspace)["prepared"] == samples
    workspace.own_texts.add("greetings", "Hello, 안녕!")
    assert mount_data(workspace)["prepared"] == [{"text": "Hello, 안녕!", "hint": "greetings"}]
    for number in range(30):
        workspace.own_texts.add("another", f"text {number}")
    assert len(mount_data(workspace)["prepared"]) == 20


def fill_the_screen(page: Page) -> None:
    press(page, "Projector")
    page.wait_for_function("() => document.fullscreenElement")


def press_and_see(page: Page, key: str, text: str) -> None:
    """Press a key, and wait until the editor has a text."""
    page.keyboard.press(key)
    expect_editor(page, text)


def test_a_clicker_steps_through_the_samples_in_large_type(page: Page) -> None:
    samples = read_samples()
    page.goto("/")
    count = page.locator(".panel .first strong").first
    small = count.bounding_box()
    fill_the_screen(page)
    text = page.locator("textarea.input")
    assert text.evaluate("field => field.scrollHeight <= field.clientHeight"), "the whole text is seen"
    for key, at in (("PageDown", 0), ("ArrowRight", 1), ("PageUp", 0)):
        press_and_see(page, key, samples[at]["text"])
        expect(page.locator(".lesson")).to_have_text(samples[at]["hint"])
    press_and_see(page, "PageUp", WELCOME)  # what was there before
    press_and_see(page, "PageUp", samples[-1]["text"])
    page.keyboard.press("PageDown")
    text.focus()
    page.keyboard.press("ArrowLeft")  # moves in the text
    press_and_see(page, "PageDown", samples[0]["text"])
    large = count.bounding_box()
    assert small and large and large["height"] > 1.4 * small["height"]
    press(page, "Leave")
    page.wait_for_function("() => document.documentElement.style.fontSize === ''")
    expect_editor(page, WELCOME)
    page.locator(".lead").click()
    press_and_see(page, "PageDown", WELCOME)


def test_what_was_typed_is_in_the_round_and_comes_back(page: Page) -> None:
    """Also if it is long, or if the person goes back in the browser, or reloads the page."""
    samples = [sample["text"] for sample in read_samples()]
    page.goto("/words")
    expect_text(page, "Words and sources")
    go_to(page, "Explore", "Playground")
    text = page.locator("textarea.input")
    text.fill("a long text " * 20_000)
    expect_text(page, "240,000 bytes")
    fill_the_screen(page)
    press_and_see(page, "PageDown", samples[0])
    text.fill("a changed sample")
    page.keyboard.press("PageUp")
    expect_text(page, "240,000 bytes")
    press_and_see(page, "PageDown", "a changed sample")
    page.go_back()
    expect_text(page, "Words and sources")
    page.go_forward()
    expect_text(page, "240,000 bytes")
    press(page, "Restore the previous text")
    expect_editor(page, "a changed sample")
    fill_the_screen(page)
    press_and_see(page, "PageUp", samples[-1])
    page.reload()
    expect_editor(page, "a changed sample")
    fill_the_screen(page)
    press_and_see(page, "PageDown", samples[0])
    text.fill("another long one " * 20_000)
    expect_text(page, "340,000 bytes")
    press_and_see(page, "PageDown", samples[1])
    expect(page.locator(".counts")).not_to_contain_text("340,000 bytes")  # the toolbar has moved up
    press(page, "Leave")
    expect_editor(page, "a changed sample")
    press(page, "Restore the previous text")
    expect_text(page, "340,000 bytes")
