"""What a first visit is shown above the comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pages.explore.playground.introduction import describe_introduction
from pages.session.workspace import WELCOME
from tests.browser import expect, press
from tests.judge import judge
from tokenizers.data import get_language
from tokenizers.json_types import JsonObject

if TYPE_CHECKING:
    from playwright.sync_api import Page

JUDGE = judge("o200k_base")
FIRST_WORDS = "Tokens aren't words. Unbelievably, 1234567890"

# Without a browser


def test_pairs_have_the_publisher_s_ids() -> None:
    by_name = {pair["name"]: pair for pair in describe_introduction(WELCOME, "de")["pairs"]}
    texts: dict[str, list[str]] = {
        "Spaces": ["tree", " tree"],
        "Numbers": ["1234567", "1,234,567"],
        "Languages": [get_language("eng").text, get_language("deu_1996").text],
        "Emoji": ["👩", "👩‍🚀"],
    }
    assert list(by_name) == list(texts)
    for name, both in texts.items():
        for text, side in zip(both, by_name[name]["sides"], strict=True):
            ids = JUDGE.encode_ordinary(text)
            shown = [[token_id, JUDGE.decode_single_token_bytes(token_id).hex(), ""] for token_id in ids[:24]]
            assert (side["count"], side["tokens"]) == (len(ids), shown), name


def test_the_model_goes_on_with_its_likeliest_token() -> None:
    rows: list[JsonObject] = describe_introduction(WELCOME, None)["model"]
    assert [row["token"] for row in rows] == ["·said", "·Thomas", "."]
    for row, after in zip(rows, rows[1:], strict=False):
        assert row["next"][0][0] == after["token"]
    assert rows[0]["counts"][0] == 12 and rows[0]["next"][0][1] == 12 / 51  # as lesson 16 has it


# In a browser


def blocks(page: Page) -> list[str]:
    """The ids under the blocks of the scene that is in view."""
    return page.locator(".scene:not([inert]) .token small").all_inner_texts()


def expect_scene(page: Page, number: int) -> None:
    expect(page.locator(".scene-number")).to_have_text(f"{number} of 6")
    scene = page.locator(".scene").nth(number - 1)
    page.wait_for_function("(scene) => scene.getBoundingClientRect().left >= 0", arg=scene.element_handle())
    expect(scene).to_be_in_viewport()


def test_the_introduction_in_one_visit(page: Page) -> None:
    page.goto("/")
    check_that_it_folds_once_seen(page)
    press(page, "A short introduction")
    check_that_the_slider_joins_letters_to_words(page)
    check_scenes_by_button_and_key(page)


def check_that_the_slider_joins_letters_to_words(page: Page) -> None:
    slider = page.get_by_role("slider", name="From letters to words")
    expect(slider).to_be_visible()
    joined = [str(token_id) for token_id in JUDGE.encode_ordinary(FIRST_WORDS)]
    assert blocks(page) == joined
    slider.press("Home")
    assert blocks(page) == [str(JUDGE.encode_single_token(bytes([byte]))) for byte in FIRST_WORDS.encode()]
    slider.press("End")
    assert blocks(page) == joined

    typed = JUDGE.encode_ordinary("<b>bold</b>")
    page.locator("textarea.input").fill("<b>bold</b>\nsecond")
    expect(page.locator(".scene .count").first).to_have_text(f"{len(typed)} numbers")
    assert blocks(page) == [str(token_id) for token_id in typed]


def check_scenes_by_button_and_key(page: Page) -> None:
    press(page, "What happens to the numbers?")
    expect_scene(page, 2)
    expect(page.locator(".sentence.shown")).to_have_text(re.compile("^Each number picks a row of a table"))
    press(page, "Choose “·Thomas”")
    press(page, "Choose “.”")
    expect(page.get_by_role("button", name="Again")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect_scene(page, 3)
    press(page, "Put a space before it")
    assert blocks(page) == [str(JUDGE.encode_single_token(" tree"))]
    press(page, "Take the space away")
    page.keyboard.press("ArrowLeft")
    expect_scene(page, 2)


def check_that_it_folds_once_seen(page: Page) -> None:
    introduction = page.get_by_role("region", name="A short introduction")
    press(page, "Close the introduction")
    expect(introduction).to_be_hidden()
    opener = page.get_by_role("button", name="A short introduction")
    expect(opener).to_be_focused()
    opener.click()
    expect(introduction).to_be_visible()
    page.reload()
    expect(introduction).to_be_visible()  # it is open until it is closed
    page.evaluate("() => sessionStorage.clear()")  # as another tab
    page.reload()
    expect(page.locator(".panel .t").first).to_be_visible()
    expect(introduction).to_be_hidden()
