"""What a teacher and the phones of a class do in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser import expect, expect_text, press

if TYPE_CHECKING:
    from playwright.sync_api import Page


def code_of(wall: Page) -> str:
    """The code of the class that this wall leads."""
    return wall.locator("header .code").inner_text()


def lead(wall: Page, *buttons: str) -> None:
    """Press one button of the wall after the other."""
    for name in buttons:
        press(wall, name)


def reveal(wall: Page) -> None:
    """Show the answers of the class, and then the truth."""
    lead(wall, "Show the class", "Show the truth")


def end_class(wall: Page) -> None:
    wall.on("dialog", lambda dialog: dialog.accept())
    press(wall, "End the class")


def expect_step(page: Page, words: str) -> None:
    """Wait until a wall or a phone is at the step with these words at its top."""
    expect(page.locator("main h2")).to_contain_text(words)


def send(phone: Page) -> None:
    """Send the answer that a phone has chosen."""
    press(phone, "Send")
    expect_text(phone, "Sent. You can change it")
