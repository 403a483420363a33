"""Grow · By hand, most of it in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.grow.by_hand.state import FIRST_WALLS, NO_WALLS, ByHandState
from tests.browser import expect, go_to, press, settled
from tests.visit import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket


def tokens(page: Page) -> list[str]:
    return page.locator(".hand .text .tok b").all_text_contents()


def test_another_text_keeps_the_walls_unless_it_brings_its_own() -> None:
    state = Visit("grow/by_hand/page.py", {}).state(ByHandState)
    state.put_text("mine")
    assert (state.text, state.walls) == ("mine", FIRST_WALLS)
    state.put_text("yours", NO_WALLS)
    state.put_text("mine")
    assert state.walls == NO_WALLS


def test_the_page_in_one_visit(page: Page) -> None:
    with page.expect_websocket() as opened:
        page.goto("/by_hand")
    check_that_it_opens_on_words_that_merge_without_a_tie(page)
    check_that_a_person_picks_a_pair_and_sees_what_it_costs(page)
    check_ties_walls_and_the_keyboard(page)
    check_that_a_text_is_live_and_stays(page, opened.value)


def check_that_it_opens_on_words_that_merge_without_a_tie(page: Page) -> None:
    expect(page.locator(".hand .piece")).to_have_count(11)
    for merged in ("ug", "hug", " hug", " p", "un"):
        expect(page.locator(".say")).not_to_contain_text("tie")
        page.locator("[data-go=next]").click()
        assert merged in tokens(page)
    page.locator("[data-go=first]").click()


def check_that_a_person_picks_a_pair_and_sees_what_it_costs(page: Page) -> None:
    page.get_by_title("Merge (112, 117)").click()
    expect(page.locator(".at")).to_contain_text("1 of")
    price = page.locator(".price")
    expect(price).to_contain_text("the algorithm would have merged “u” and “g” (8 ×)")
    expect(price).to_contain_text("the algorithm’s 37: 4 tokens more")
    page.locator("[data-go=back]").click()
    expect(page.locator(".say")).to_contain_text("You picked: “p” and “u” stand side by side 4 times")
    page.locator("[data-go=next]").click()
    press(page, "Let the algorithm pick")
    expect(price).to_be_hidden()


def check_ties_walls_and_the_keyboard(page: Page) -> None:
    press(page, "aaabdaaabac")
    expect(page.locator(".hand .tok")).to_have_count(11)
    say, slider = page.locator(".say"), page.locator(".hand .slider")
    following, last = page.locator("[data-go=next]"), page.locator("[data-go=last]")
    slider.press("ArrowRight")
    assert tokens(page) == "aa a b d aa a b a c".split()
    last.click()
    expect(say).to_contain_text("The whole text is one token")
    expect(slider).to_be_focused()  # the button is disabled now
    page.get_by_role("radio", name="first in the text").click()
    expect(page.locator(".hand[data-ties=first]")).to_be_visible()
    following.click()
    expect(say).to_contain_text("A tie: the pair that comes first in the text wins")
    following.click()
    assert tokens(page) == "aaa b d aaa b a c".split()
    press(page, "the cat sat")
    expect(page.locator(".hand .tok")).to_have_count(46)
    settled(page)  # until then, its walls go before those that are clicked
    page.get_by_role("radio", name="gpt4", exact=True).click()
    expect(page.locator(".hand .text.walls .piece")).to_have_count(13)
    last.click()
    assert not any(" " in token.strip() for token in tokens(page))


def check_that_a_text_is_live_and_stays(page: Page, to_python: WebSocket) -> None:
    box = page.get_by_label("A short text")
    box.fill("<b>안</b><b>안</b>")
    expect(page.locator(".hand .tok")).to_have_count(20)
    assert page.locator(".hand .tok.half").count() == 6  # bytes of 안, in hex
    page.locator("[data-go=next]").click()
    with to_python.expect_event("framesent", lambda sent: b'"step":2' in sent):  # a moment later
        page.locator("[data-go=next]").click()
    go_to(page, "Learn", "Words and sources")
    go_to(page, "Grow", "By hand")
    expect(box).to_have_value("<b>안</b><b>안</b>")
    expect(page.locator(".at")).to_contain_text("2 of")
    box.fill("a" * 2001)
    expect(page.locator(".problem")).to_contain_text("takes up to 2,000")
    box.fill("")
    expect(page.locator(".say")).to_contain_text("Type a short text above.")


def test_control_characters_are_named_and_line_ends_have_a_box(page: Page) -> None:
    page.goto("/by_hand?text=a%00b%0d%0ac%09d")
    marks = page.locator(".hand .text .tok i[data-g]")
    expect(marks).to_have_count(4)
    drawn = marks.evaluate_all(
        """marks => marks.map((mark) => {
             const [width, around] = [mark, mark.closest("span")].map((e) => e.getBoundingClientRect().width);
             return [mark.dataset.g, 8 < width && width <= around && around < 60];
           })"""
    )
    assert drawn == [["NUL", True], ["CR", True], ["⏎", True], ["→", True]]
    # A pair stands in one line, whatever it is of.
    heights = page.locator(".hand .bar .pair").evaluate_all("pairs => pairs.map((p) => p.offsetHeight)")
    assert len(heights) == 7 and max(heights) < 2 * min(heights), heights
