"""What comes late to a class: an answer that found no connection, and a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser import PHONE, expect, expect_text, press
from tests.classes import code_of, end_class, expect_step, reveal, send

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


def go(wall: Page, phone: Page, button: str, words: str) -> None:
    """Lead the class to another step, and wait until both are there."""
    press(wall, button)
    for page in (phone, wall):
        expect_step(page, words)


def test_an_answer_that_was_not_sent_counts_or_comes_too_late(browser: Browser, server: str) -> None:
    with (
        browser.new_page(base_url=server) as wall,
        browser.new_page(base_url=server, viewport=PHONE) as phone,
    ):
        wall.goto("/class/open/plan?parts=spelling:0-1-2")
        expect(wall.locator(".join")).to_be_visible()
        phone.goto(f"/class/{code_of(wall)}")
        press(wall, "Begin")
        answer_while_the_class_goes_on(wall, phone)
        reload_the_phone(wall, phone)
        find_a_question_closed(wall, phone)
        change_an_answer_after_the_truth(wall, phone)
        hear_nothing_of_the_end(wall, phone)


def answer_while_the_class_goes_on(wall: Page, phone: Page) -> None:
    """The question still takes answers."""
    go(wall, phone, "Next ›", "Why do models")
    choice = phone.get_by_role("radio").nth(1)
    choice.check()
    send_unheard(phone)
    press(wall, "Show the class")
    go(wall, phone, "Next ›", "Which question gives")
    connect(phone)
    note = phone.locator(".note")
    expect(note).to_contain_text("You are connected again, and your answer to “Why do models")
    go(wall, phone, "‹", "Why do models")
    expect_text(wall, "1 of 1 have answered")
    expect(choice).to_be_checked()
    expect(note).to_be_hidden()


def reload_the_phone(wall: Page, phone: Page) -> None:
    go(wall, phone, "Next ›", "Which question gives")
    phone.get_by_role("radio").first.check()
    send_unheard(phone)
    phone.reload()
    expect_text(phone, "Not sent yet")
    connect(phone)
    expect_text(phone, "You are connected again, and your answer was sent.")
    phone.reload()
    expect_text(phone, "Sent. You can change it")


def find_a_question_closed(wall: Page, phone: Page) -> None:
    """Once the lesson has begun, nobody can answer the questions before it."""
    press(wall, "Show the class")
    go(wall, phone, "Next ›", "Somebody asks GPT-4")
    go(wall, phone, "‹", "Which question gives")
    expect_text(phone, "This question is closed.")
    expect(phone.get_by_text("then press Send")).to_be_hidden()
    choice = phone.get_by_role("radio").first
    expect(choice).to_be_disabled()
    expect(choice).to_be_checked()
    go(wall, phone, "Next ›", "Somebody asks GPT-4")


def change_an_answer_after_the_truth(wall: Page, phone: Page) -> None:
    """It is not taken. A phone that joins then has missed nothing."""
    phone.locator(".gap").first.click()
    send(phone)
    phone.locator(".gap").nth(2).click()
    send_unheard(phone)
    reveal(wall)
    expect(phone.locator(".score")).to_contain_text("Score")
    connect(phone)
    note = phone.locator(".note")
    expect(note).to_contain_text("Where is the question cut?” was not taken. It came too late")
    browser = phone.context.browser
    assert browser
    with browser.new_page() as late:
        late.goto(phone.url)
        expect(late.locator(".score")).to_have_text("You did not answer this one.")
        expect(late.locator(".gap.missed")).to_have_count(0)
    go(wall, phone, "Next ›", "What does the model get")
    expect(note).to_contain_text("too late")


def hear_nothing_of_the_end(wall: Page, phone: Page) -> None:
    """The class ends while there is no connection at all."""
    phone.get_by_role("radio").first.check()
    phone.route("**/state*", lambda route: route.abort())
    send_unheard(phone)
    expect_text(phone, "No connection. Trying again")
    end_class(wall)
    expect_text(wall, "The class is over.")
    phone.unroute("**/state*")
    expect_text(phone, "The class is over.")
    expect(phone.locator("body.lost")).to_have_count(0)
    connect(phone)
    expect(phone.locator(".note")).to_contain_text("It came too late: the class is over.")
    expect(phone.get_by_role("button", name="Send")).to_be_hidden()
