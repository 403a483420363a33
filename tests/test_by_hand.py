"""Grow · By hand, most of it in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from pages.session.page_state import PageState
from pages.shared import widgets
from tests.browser import expect, go_to
from tests.visit import open_app

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket


def tokens(page: Page) -> list[str]:
    return page.locator(".hand .text .tok b").all_text_contents()


def test_the_page_in_one_visit(page: Page) -> None:
    with page.expect_websocket() as opened:
        page.goto("/by_hand")
    check_that_it_opens_on_the_classic_and_steps_both_ways_and_by_keyboard(page)
    check_ties_and_walls(page)
    check_that_a_text_of_ones_own_is_text_and_stays(page, opened.value)


def check_that_it_opens_on_the_classic_and_steps_both_ways_and_by_keyboard(page: Page) -> None:
    expect(page.locator(".hand .tok")).to_have_count(11)
    expect(page.get_by_label("Speed")).to_have_value("1")
    expect(page.locator(".say")).to_contain_text("“a” and “a” stand side by side 4 times")
    steps = [["aa", "a", "b", "d", "aa", "a", "b", "a", "c"], ["aa", "ab", "d", "aa", "ab", "a", "c"]]
    steps.append(["aaab", "d", "aaab", "a", "c"])
    for expected in steps:
        page.locator("[data-go=next]").click()
        assert tokens(page) == expected
    expect(page.locator(".hand .text .tok small").first).to_have_text("258")
    page.locator("[data-go=back]").click()
    assert tokens(page) == steps[1]
    page.locator(".hand .slider").focus()
    page.keyboard.press("Home")
    assert tokens(page) == list("aaabdaaabac")
    page.locator("[data-go=last]").click()
    expect(page.locator(".say")).to_contain_text("The whole text is one token")
    # The keyboard keeps its place at the end.
    page.locator("[data-go=first]").click()
    page.locator("[data-go=next]").focus()
    for _ in range(7):
        page.keyboard.press("Enter")
    expect(page.locator(".at")).to_have_text("7 of 7 merges")
    expect(page.locator(".hand .slider")).to_be_focused()  # the button is disabled now
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".at")).to_have_text("6 of 7 merges")
    page.locator("[data-go=back]").press("ArrowLeft")  # of its own accord, only the slider follows the arrows
    expect(page.locator(".at")).to_have_text("5 of 7 merges")


def check_ties_and_walls(page: Page) -> None:
    page.locator("[data-go=first]").click()
    page.get_by_role("radio", name="first in the text").click()
    expect(page.locator(".hand[data-ties=first]")).to_be_visible()
    page.locator("[data-go=next]").click()
    expect(page.locator(".say")).to_contain_text("A tie: the pair that comes first in the text wins")
    page.locator("[data-go=next]").click()
    assert tokens(page) == ["aaa", "b", "d", "aaa", "b", "a", "c"]
    page.get_by_role("button", name="the cat sat").click()
    page.get_by_role("radio", name="gpt4", exact=True).click()
    expect(page.locator(".hand[data-walls=true]")).to_be_visible()
    expect(page.locator(".hand .text.walls .piece")).to_have_count(13)
    page.locator("[data-go=last]").click()
    expect(page.locator(".say")).to_contain_text("nothing merges across a wall")
    assert not any(" " in token.strip() for token in tokens(page))


def check_that_a_text_of_ones_own_is_text_and_stays(page: Page, to_python: WebSocket) -> None:
    box = page.get_by_label("A short text")
    box.fill("<b>안</b><b>안</b>")
    box.press("Control+Enter")
    expect(page.locator(".hand .tok")).to_have_count(20)
    assert page.locator(".hand .tok.half").count() == 6  # bytes of 안, in hex
    page.locator("[data-go=next]").click()
    with to_python.expect_event("framesent", lambda sent: b'"step":2' in sent):  # a moment later
        page.locator("[data-go=next]").click()
    go_to(page, "Learn", "Words and sources")
    expect(page.get_by_role("heading", name="Words and sources")).to_be_visible()
    go_to(page, "Grow", "By hand")
    expect(page.get_by_label("A short text")).to_have_value("<b>안</b><b>안</b>")
    expect(page.locator(".at")).to_contain_text("2 of")
    box = page.get_by_label("A short text")
    box.fill("a" * 2001)
    box.press("Control+Enter")
    expect(page.get_by_test_id("stAlert")).to_contain_text("takes up to 2,000")
    box.fill("")
    box.press("Control+Enter")
    expect(page.locator(".say")).to_have_text("Type a short text above.")


def test_control_characters_are_named_and_line_ends_have_a_box(page: Page) -> None:
    page.goto("/by_hand?text=a%00b%0d%0ac%09d")
    marks = page.locator(".hand .text .tok i[data-g]")
    expect(marks).to_have_count(4)
    assert [mark.get_attribute("data-g") for mark in marks.all()] == ["NUL", "CR", "⏎", "→"]
    for mark in marks.all():
        box, around = mark.bounding_box(), mark.locator("xpath=ancestor::span[1]").bounding_box()
        assert box and around and 8 < box["width"] <= around["width"] < 60
    # A pair stands in one line, whatever it is of.
    heights = page.locator(".hand .bar .pair").evaluate_all("pairs => pairs.map((p) => p.offsetHeight)")
    assert len(heights) == 7 and max(heights) < 2 * min(heights), heights


def test_a_text_stays_when_the_run_that_puts_it_is_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next click ends that run before any of it reaches the browser, which would send an empty text."""
    test = open_app()
    test.run()
    test.switch_page("grow/by_hand/page.py").run()
    write_link, overtakes = widgets.write_link, [True]

    def overtake_once(state: PageState) -> None:
        if overtakes:
            overtakes.clear()
            context = get_script_run_ctx()
            assert context
            newer = RerunData(widget_states=WidgetStates(), page_script_hash=context.page_script_hash)
            raise RerunException(newer)
        write_link(state)

    monkeypatch.setattr(widgets, "write_link", overtake_once)
    test.button(key="by_hand_example_2").click().run()
    assert not overtakes
    (box,) = test.text_area
    assert box.proto.set_value and box.proto.value.startswith("the cat sat")
