"""Answers that find no connection, and questions that are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import PHONE, expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOT_SENT = "Not sent yet: there is no connection."


def cut_off(phone: Page) -> None:
    """The phone hears of the class, and none of its answers arrives: the news come first in every run."""
    phone.route("**/answer", lambda route: route.abort())


def connect(phone: Page) -> None:
    phone.unroute("**/answer")
    phone.evaluate("dispatchEvent(new Event('online'))")  # it tries again at once


def answer_unheard(phone: Page, place: int) -> None:
    """Choose an answer, and press Send without a connection."""
    cut_off(phone)
    phone.get_by_role("radio").nth(place).check()
    phone.get_by_role("button", name="Send").click()
    expect(phone.get_by_text(NOT_SENT)).to_be_visible()


@pytest.mark.browser
def test_an_unsent_answer_is_sent_or_the_phone_says_that_it_came_too_late(
    browser: Browser, server: str
) -> None:
    with (
        browser.new_context(base_url=server, viewport=PHONE) as context,
        browser.new_page(base_url=server) as wall,
    ):
        wall.goto("/class/open/plan?parts=spelling:0-1-2")
        expect(wall.locator(".join")).to_be_visible()
        phone = context.new_page()
        phone.goto(f"/class/{wall.locator('header .code').inner_text()}")
        note = phone.locator(".note")
        title = phone.locator("h2")

        def press(label: str) -> str:
            """Press a button of the wall that leads to another slide. The question of that."""
            before = title.inner_text()
            wall.get_by_role("button", name=label).click()
            expect(title).not_to_have_text(before)
            expect(wall.locator("h2")).to_have_text(title.inner_text())
            return title.inner_text()

        def show(*labels: str) -> None:
            for label in labels:
                wall.get_by_role("button", name=label).click()

        # The class goes on to another question while the first still takes answers.
        press("Begin")
        first = press("Next ›")
        answer_unheard(phone, 1)
        show("Show the class")
        press("Next ›")
        connect(phone)
        expect(note).to_have_text(f"You are connected again, and your answer to “{first}” was sent.")
        press("‹")
        expect(wall.get_by_text("1 of 1 have answered")).to_be_visible()
        expect(phone.get_by_role("radio").nth(1)).to_be_checked()
        expect(note).to_be_hidden()

        # The phone is reloaded.
        press("Next ›")
        answer_unheard(phone, 0)
        phone.reload()
        expect(phone.get_by_text(NOT_SENT)).to_be_visible()
        expect(phone.get_by_role("radio").nth(0)).to_be_checked()
        connect(phone)
        expect(phone.get_by_text("You are connected again, and your answer was sent.")).to_be_visible()
        phone.reload()
        expect(phone.get_by_text("Sent. You can change it")).to_be_visible()

        # An answer is changed, and the truth is shown.
        show("Show the class")
        cuts = press("Next ›")
        cut = phone.locator(".gap")
        cut.first.click()
        phone.get_by_role("button", name="Send").click()
        expect(phone.get_by_text("Sent. You can change it")).to_be_visible()
        cut_off(phone)
        cut.nth(2).click()
        phone.get_by_role("button", name="Send again").click()
        expect(phone.get_by_text(NOT_SENT)).to_be_visible()
        show("Show the class", "Show the truth")
        expect(phone.locator(".score")).to_be_visible()
        connect(phone)
        late = f"Your answer to “{cuts}” was not taken. It came too late: the class has gone on."
        expect(note).to_have_text(late)
        press("Next ›")
        expect(note).to_have_text(late)

        # Nobody can answer a question before the lesson any more.
        for _ in range(2):
            press("‹")
        expect(note).to_be_hidden()
        expect(phone.get_by_text("This question is closed.")).to_be_visible()
        expect(phone.get_by_text("then press Send")).to_be_hidden()
        expect(phone.get_by_role("radio").first).to_be_disabled()
        expect(phone.get_by_role("radio").first).to_be_checked()

        # The class ends.
        press("Next ›")
        press("Next ›")
        show("Show the class", "Show the truth")
        last = press("Next ›")
        answer_unheard(phone, 2)
        wall.on("dialog", lambda dialog: dialog.accept())
        wall.get_by_role("button", name="End the class").click()
        expect(phone.get_by_text("The class is over.")).to_be_visible()
        connect(phone)
        expect(note).to_have_text(
            f"Your answer to “{last}” was not taken. It came too late: the class is over."
        )
        expect(phone.get_by_role("button", name="Send")).to_be_hidden()
