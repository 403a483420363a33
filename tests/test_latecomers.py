"""What comes late to a class: an answer that found no connection, and a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import PHONE, expect, expect_text, press

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def send_unheard(phone: Page) -> None:
    """Press Send. No answer arrives, but the phone hears of the class: the news comes first in every run."""
    phone.route("**/answer", lambda route: route.abort())
    press(phone, "Send")
    expect_text(phone, "Not sent yet: there is no connection.")


def connect(phone: Page) -> None:
    phone.unroute("**/answer")
    phone.evaluate("dispatchEvent(new Event('online'))")  # it tries again at once


@pytest.mark.browser
def test_an_answer_that_was_not_sent_counts_or_comes_too_late(browser: Browser, server: str) -> None:
    with browser.new_context(base_url=server, viewport=PHONE) as context:
        wall = browser.new_page(base_url=server)
        wall.goto("/class/open/plan?parts=spelling:0-1-2")
        expect(wall.locator(".join")).to_be_visible()
        phone = context.new_page()
        phone.goto(f"/class/{wall.locator('header .code').inner_text()}")
        note = phone.locator(".note")
        choices = phone.get_by_role("radio")

        def lead(label: str, question: str) -> None:
            """Press a button of the wall that leads to another question."""
            press(wall, label)
            for page in (phone, wall):
                expect(page.locator("h2")).to_contain_text(question)

        # The class goes on, and the question still takes answers.
        press(wall, "Begin")
        lead("Next ›", "Why do models")
        choices.nth(1).check()
        send_unheard(phone)
        press(wall, "Show the class")
        lead("Next ›", "Which question gives")
        connect(phone)
        expect(note).to_contain_text("You are connected again, and your answer to “Why do models")
        lead("‹", "Why do models")
        expect_text(wall, "1 of 1 have answered")
        expect(choices.nth(1)).to_be_checked()
        expect(note).to_be_hidden()

        # The phone is reloaded.
        lead("Next ›", "Which question gives")
        choices.first.check()
        send_unheard(phone)
        phone.reload()
        expect_text(phone, "Not sent yet")
        connect(phone)
        expect_text(phone, "You are connected again, and your answer was sent.")
        phone.reload()
        expect_text(phone, "Sent. You can change it")

        # Once the lesson has begun, nobody can answer the questions before it.
        press(wall, "Show the class")
        lead("Next ›", "Somebody asks GPT-4")
        lead("‹", "Which question gives")
        expect_text(phone, "This question is closed.")
        expect(phone.get_by_text("then press Send")).to_be_hidden()
        expect(choices.first).to_be_disabled()
        expect(choices.first).to_be_checked()

        # An answer is changed, and the truth is shown. A phone that joins now has missed nothing.
        lead("Next ›", "Somebody asks GPT-4")
        phone.locator(".gap").first.click()
        press(phone, "Send")
        expect_text(phone, "Sent. You can change it")
        phone.locator(".gap").nth(2).click()
        send_unheard(phone)
        press(wall, "Show the class")
        press(wall, "Show the truth")
        expect(phone.locator(".score")).to_contain_text("Score")
        connect(phone)
        expect(note).to_contain_text("Where is the question cut?” was not taken. It came too late")
        late = context.new_page()
        late.goto(phone.url)
        expect(late.locator(".score")).to_have_text("You came after this question.")
        expect(late.locator(".gap.missed")).to_have_count(0)
        lead("Next ›", "What does the model get")
        expect(note).to_contain_text("too late")

        # The class ends while there is no connection at all.
        choices.first.check()
        phone.route("**/state*", lambda route: route.abort())
        send_unheard(phone)
        expect_text(phone, "No connection. Trying again")
        wall.on("dialog", lambda dialog: dialog.accept())
        press(wall, "End the class")
        expect_text(wall, "The class is over.")
        phone.unroute("**/state*")
        expect_text(phone, "The class is over.")
        expect(phone.locator("body.lost")).to_have_count(0)
        connect(phone)
        expect(note).to_contain_text("It came too late: the class is over.")
        expect(phone.get_by_role("button", name="Send")).to_be_hidden()
        wall.close()
