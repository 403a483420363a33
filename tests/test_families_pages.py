"""Bytes, characters and words in every chooser, on every page, and what each page says of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import tokenizers as tk
from pages.explore.playground.answer import mount_data
from pages.session.links import pack_state
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from tests.browser import expect, flip_switch
from tests.visit import Visit, components
from tests.wire import packed
from tokenizers.registry import chooser_title

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ["bytes", "characters", "characters-unknown", "words", "rwkv-world", "mistral-v1", "j2"]
TEXT = "The law  of zyzzyvas, é!\n"


def test_no_encoding_is_the_shortest_where_it_drops_a_part_of_the_text() -> None:
    workspace = Workspace(text="½ of the zyzzyvas", encodings=[*NAMES, "gpt2"])
    panels = packed(workspace).header["panels"]
    assert [each["name"] for each in panels if each["losses"]] == ["words", "j2"]
    assert [each["name"] for each in panels if not each["best_of"]] == ["words"]


def visit(address: str, link: dict[str, str]) -> Visit:
    """A page that has all of them in a chooser, leads from there to “Add a tokenizer”, and says no error."""
    page = Visit(f"{address}/page.py", link)
    test = page.test
    boxes = [*test.selectbox, *test.multiselect]
    assert any(set(map(chooser_title, NAMES)) <= set(box.options) for box in boxes), address
    assert [(each.proto.page, each.proto.label) for each in test.get("page_link")] == [
        ("add_tokenizer", "Add a tokenizer…")
    ]
    assert not test.error
    return page


def test_the_playground_and_merge_trees_have_them() -> None:
    listed = [encoding["name"] for encoding in mount_data(Workspace())["available"]]
    assert set(NAMES) <= set(listed) == set(tk.list_encodings())
    visit("explore/merge_trees", {})


def test_the_lattice_of_a_unigram_stands_beside_the_trees() -> None:
    test = visit("explore/merge_trees", {"text": "hello ½ world"}).test
    test.multiselect[0].set_value(["mistral-v1", "j2"]).run()
    assert not test.exception and not test.error
    assert [heading.value for heading in test.subheader] == ["The lattice of Jurassic-2"]
    mistral, j2 = json.loads(components(test)[0].json)["stands"]
    assert bytes.fromhex(mistral["bytes"]).decode() == " hello ½ world" and len(mistral["roots"]) == 5
    assert "there is no tree" in j2["problem"] and j2["is_family"]
    best = next(box.value for box in test.table if "path" in box.value.columns)
    assert best["path"].iloc[0] == escape("·hello | · | 1 | ⁄ | 2 | ·world") and len(best) == 5
    assert best.index.astype(float).is_monotonic_decreasing
    test.text_area[0].set_value("\n").run()
    assert not test.exception


@pytest.mark.parametrize("name", ["words", "characters-unknown"])
@pytest.mark.slow
def test_vocabulary_says_what_does_not_apply_and_what_is_unknown(name: str) -> None:
    unknown_id = tk.get_encoding(name).unknown_id
    page = visit("explore/vocabulary", {"encoding": name, "by": "id", "query": str(unknown_id)})
    assert "merges nothing: its tokens have no parents" in page.said.replace("\\", "")
    [row] = page.test.dataframe[0].value[["id", "token", "script"]].to_numpy().tolist()
    assert row == [unknown_id, "[UNK]", "unknown"]
    assert "merges nothing" not in visit("explore/vocabulary", {"encoding": "gpt2"}).said


def open_playground(page: Page, text: str, encodings: list[str]) -> None:
    page.goto(f"/?s={pack_state({'text': text, 'encodings': encodings})}")


def test_frames_are_drawn_and_copied_and_only_where_a_family_adds_one(page: Page) -> None:
    text = "the one in the plan"
    open_playground(page, text, ["bytes", "characters", "words", "bert-uncased", "mistral-v1", "rwkv-world"])
    bert, mistral = (page.locator(f".panel[data-encoding={name}]") for name in ("bert-uncased", "mistral-v1"))
    expect(bert.locator("strong")).to_have_text("5")
    flip_switch(page, "adds_frame")
    expect(bert.locator(".frame .t")).to_have_text(["[CLS]", "[SEP]"])
    expect(bert.locator("strong")).to_have_text("7")
    expect(mistral.locator(".frame .t")).to_have_text(["<s>"])
    expect(page.locator(".frame")).to_have_count(3)  # the other families add nothing
    page.locator("[data-set=view][value=ids]").click()
    expect(bert.locator(".frame .t")).to_have_text(["101", "102"])
    bert.get_by_label("Copy ids").click()
    ids = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert ids == [101, *tk.get_encoding("bert-uncased").encode(text), 102]


def test_the_playground_draws_gaps_and_says_what_is_lost(page: Page) -> None:
    open_playground(page, TEXT, ["words", "gpt2"])
    words = page.locator(".panel[data-encoding=words]")
    difference = words.locator(".difference")
    expect(words.locator(".t")).to_have_count(7)
    expect(words.locator(".t.unknown")).to_have_count(2)
    expect(words.locator(".gap")).to_have_count(5)
    expect(difference).to_contain_text("2 unknown · not restored: 5 places")
    expect(difference).to_have_attribute("title", re.compile("“zyzzyvas” becomes “\\[UNK\\]”"))
    expect(page.locator(".panel[data-encoding=gpt2] .difference")).to_have_text("fewest, nothing lost")
    # The keyboard goes from token to token, over what belongs to none.
    words.locator(".tokens").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".spoken")).to_contain_text("Token 2 of 7: “law”")
    expect(page.locator(".inspector")).to_contain_text("cuts a text into words and merges nothing")


def test_the_playground_draws_what_is_put_in_front_and_what_is_rewritten(page: Page) -> None:
    open_playground(page, "½ a", ["j2", "mistral-v1"])
    panel = page.locator(".panel[data-encoding=j2]")
    front, lanes, tip = panel.locator(".t.front"), panel.locator(".lane"), page.locator(".tip")
    # A token over nothing can be seen and pointed at, and is no part of the text.
    expect(lanes).to_have_count(3)
    expect(panel.locator(".t")).to_have_count(2)
    expect(panel.locator(".tokens")).to_have_text("½ a")
    box = front.bounding_box()
    assert box and box["width"] >= 8 and box["height"] >= 16
    front.hover()
    expect(tip).to_contain_text("“·”, id 1264, which is put there: it covers nothing of the text")
    lanes.nth(1).hover()
    expect(tip).to_contain_text("“⁄”, id 180422, which is here with others, for what was rewritten")
    # Each of the three pins the first one; the tree of mistral's token has the space that was put in front.
    lanes.nth(2).click()
    expect(page.locator(".inspector")).to_contain_text("The model reads it as")
    # The bytes are those of the tokens, whatever stands under them.
    page.locator("[data-set=view][value=bytes]").click()
    expect(panel.locator(".t")).to_have_text(["20", "31", "e2 81 84", "32", "20 61"])
