"""Explore · Unicode: the rows, the sections below them, the link; and the whole in a real browser."""

from __future__ import annotations

import csv
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.explore.unicode.sections import (
    MAX_GRAPHEMES,
    MAX_PART_BYTES,
    describe_text,
    describe_tokens,
    find_parts,
)
from pages.explore.unicode.state import EXAMPLE, UnicodeState
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.session.workspace import Workspace
from tests.browser import PHONE, expect, idle, press
from tests.examples import examples
from tests.visit import PageVisit
from tokenizers.text import TextMap, encode_spans

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

AVAILABLE = ["gpt2", "cl100k_base", "o200k_base", "words", "bert-uncased"]
PIECES = st.sampled_from(
    ["a", "e\u0301", "👩\u200d🚀", "안", "\r\n", "Z" + "\u0351" * 20, "\u0915\u094d\u0937", "½", " "]
)


class UnicodePage(PageVisit):
    """The page, run as a browser would run it, in one session."""

    PAGE = "explore/unicode/page.py"

    @property
    def words(self) -> str:
        return "\n".join(markdown.value.replace("\\", "") for markdown in self.test.markdown)

    def press_label(self, label: str) -> None:
        next(button for button in self.test.button if button.label == label).click()
        self.run()


# The rows


@pytest.mark.slow
@examples(150)
@given(st.lists(PIECES, max_size=150).map("".join) | st.text(max_size=40), st.sampled_from(AVAILABLE))
def test_the_rows_of_any_text_join_to_it(text: str, name: str) -> None:
    text_map = TextMap(text)
    spans = encode_spans(tk.get_encoding(name), text_map)
    parts = find_parts(text_map)
    assert [start for start, _ in parts] + [text_map.n_bytes] == [0] + [end for _, end in parts]
    points = []
    graphemes = ""
    ids = []
    for start, end in parts:
        described = describe_text(text_map, start, end)
        assert len(described["graphemes"]) <= MAX_GRAPHEMES and end - start <= MAX_PART_BYTES
        graphemes += "".join(grapheme["text"] for grapheme in described["graphemes"])
        points += described["points"]
        at = start
        for token in describe_tokens(spans, start, end):
            assert token["start"] <= at < token["end"]
            at = min(token["end"], end)
            if token["start"] >= start and token["id"] is not None:
                ids += [token["id"], *token["more"]]
        assert at == end
    assert graphemes == text_map.text
    for codec, row in (("utf-8", "utf8"), ("utf-16-be", "utf16"), ("utf-32-be", "utf32")):
        digits = "".join("".join(point[row]) for point in points)
        assert bytes.fromhex(digits).decode(codec) == text_map.text
    edges = [0, *(point["end"] for point in points)]
    assert edges == [*(point["start"] for point in points), text_map.n_bytes]
    assert ids == spans.ids.tolist()


FORMS = """\
form,places changed,graphemes,code points,UTF-8 bytes,UTF-16 units,\
"tokens, GPT-4o · o200k_base","tokens, GPT-2 · gpt2"
as typed,0,8,11,25,13,10,17
NFC,1,8,10,24,12,9,15
NFD,3,8,16,38,18,28,31
NFKC,1,8,10,24,12,9,15
NFKD,3,8,16,38,18,28,31
"""
"""Of the example; the tokens are counted by tiktoken."""


@pytest.mark.slow
def test_the_first_screen_and_what_its_presets_show() -> None:
    page = UnicodePage()
    sent = page.sent
    assert sent["text"] == EXAMPLE and not sent["note"]
    assert {row["name"]: row["n_tokens"] for row in sent["encodings"]} == {"o200k_base": 10, "gpt2": 17}
    (forms, _) = page.test.dataframe
    assert forms.value.to_csv(index=False) == FORMS
    assert '"format": "localized"' in forms.proto.columns
    assert f"Unicode {unicodedata.unidata_version} has " in page.words
    for label, promise in {
        "pаypal": "“pаypal” mixes Latin and Cyrillic: а (U+0430 CYRILLIC SMALL LETTER A) looks like a",
        "override": "Direction mark, 2 times (U+202E, U+202C)",
    }.items():
        before = page.workspace.text
        page.press_label(label)
        assert promise in page.words, label
        assert page.workspace.text == page.sent["text"]  # one text for all pages of Explore
        assert page.workspace.set_aside and page.workspace.set_aside.text == before
    assert page.sent["note"] == "A direction mark turns the text after it. Read the boxes, not the field."


# The page


def test_a_long_text_is_drawn_in_parts_and_bounded() -> None:
    page = UnicodePage(Workspace(text="я" * 15_000, encodings=["gpt2"]), part="3")
    sent = page.sent
    assert len(sent["text"].encode()) == MAX_TAKEN_BYTES and sent["n_parts"] == 10_000 // 60 + 1
    assert "has 30,000 bytes. This page shows the first 20,000" in sent["note"]
    assert page.workspace.text == "я" * 15_000  # its beginning does not take the place of the whole
    last = UnicodePage(text="ab", part="99999")
    assert last.sent["part"] == 0 and len(last.sent["points"]) == 2


CHANGES = """\
"form","was","becomes","times","first at byte"
"NFC","e\u0301","\u00e9",1,7
"NFD","\u00e9","e\u0301",1,0
"NFKC","\ufb01","fi",2,3
"NFKC","e\u0301","\u00e9",1,7
"NFKD","\u00e9","e\u0301",1,0
"NFKD","\ufb01","fi",2,3
"""


def test_changes_name_each_stretch_that_a_form_writes_differently() -> None:
    page = UnicodePage(text="\u00e9 \ufb01 e\u0301 \ufb01", encodings="")
    changes = page.test.dataframe[1].value
    # é and its space end at byte 3, the ligature and its space at 7
    assert changes.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC) == CHANGES
    circled = "".join(chr(0x2460 + number) for number in range(30))  # NFKC and NFKD change each
    many = UnicodePage(text=circled, encodings="")
    assert len(many.test.dataframe[1].value) == 50
    assert "The first 50 of 60 changes." in many.said


# Typing


def test_a_message_is_ignored_once_the_page_has_changed_the_text() -> None:
    state = UnicodeState(text="old")
    state.apply({"revision": 1, "text": "typed", "part": 2})
    assert (state.text, state.part, state.text_note) == ("typed", 2, "")
    state.apply({"revision": 1, "text": "я" * MAX_TAKEN_BYTES, "part": 0})
    assert len(state.text.encode()) == MAX_TAKEN_BYTES and "the first 20,000 bytes" in state.text_note
    state.put_text("given")
    state.apply({"revision": 1, "text": "typed before", "part": 1})
    assert (state.text, state.part, state.revision, state.text_note) == ("given", 0, 2, "")


# In a browser


def row(page: Page, name: str) -> Locator:
    return page.locator(".unicode .row").filter(has=page.locator(".head", has_text=name))


def test_the_rows_in_a_browser(page: Page) -> None:
    page.goto("/unicode?text=e%CC%81%F0%9F%9A%80")
    expect(row(page, "UTF-8").locator(".box")).to_have_text("65 cc 81 f0 9f 9a 80".split())
    check_that_rows_light_what_is_pointed_at_and_keep_what_is_chosen(page)
    check_typing_keys_and_parts(page)


def check_typing_keys_and_parts(page: Page) -> None:
    unicode = page.locator(".unicode")
    # Live: no Enter, and nothing of what is typed is HTML.
    field = page.get_by_label("Your text", exact=True)
    field.fill("<b>\u2066안\u2069 👩\u200d🚀")
    expect(row(page, "Graphemes").locator(".box")).to_have_count(8)
    expect(unicode.locator(".rows b:not(.g b)")).to_have_count(0)
    expect(row(page, "GPT-2").locator(".box small").first).to_have_text("27")
    # The keyboard: one box is in the tab order, the arrows lead to the others, and the same bytes light up.
    idle(page)
    row(page, "Graphemes").locator(".box").first.focus()
    for key in ("End", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(unicode.locator(".detail")).to_contain_text("U+200D ZERO WIDTH JOINER")
    expect(unicode.locator(".detail")).to_contain_text("A joiner. Draws nothing.")
    assert unicode.locator(".box.four.hot").all_text_contents()[:3] == ["e2", "80", "8d"]
    expect(unicode.locator(".box[tabindex='0']")).to_have_count(1)
    # Each box stands below what it is of, also on a phone, where the rows scroll.
    page.set_viewport_size(PHONE)
    idle(page)
    sizes = unicode.locator(".rows").evaluate(
        """(rows) => {
             const heads = [...rows.querySelectorAll(".head")];
             rows.scrollLeft = 60;
             const left = new Set(heads.map((head) => Math.round(head.getBoundingClientRect().left)));
             const ends = [...rows.querySelectorAll(".row")].filter((row) => row.querySelector(".box"))
               .filter((row) => !row.querySelector(".warn"))
               .map((row) => [...row.querySelectorAll(".box")].at(-1).getBoundingClientRect().right)
               .map(Math.round);
             return { heads: left.size, ends: new Set(ends).size };
           }"""
    )
    assert sizes == {"heads": 1, "ends": 1}
    # A text that is longer than a part.
    field.fill("ab" * 40)
    at = unicode.locator(".at")
    expect(at).to_have_text("Part 1 of 2: bytes 0 to 60 of 80")
    press(page, "The next part")
    expect(at).to_have_text("Part 2 of 2: bytes 60 to 80 of 80")
    expect(row(page, "UTF-8").locator(".box")).to_have_count(20)


def check_that_rows_light_what_is_pointed_at_and_keep_what_is_chosen(page: Page) -> None:
    detail, lit = page.locator(".unicode .detail"), page.locator(".unicode .box.four.hot")
    point_at = row(page, "UTF-16").locator(".box").nth(2)
    point_at.hover()
    expect(detail).to_contain_text("Unit d83d of UTF-16, 1 of 2 of U+1F680 ROCKET, the first half of a")
    expect(lit).to_have_text(["f0", "9f", "d83d", "0001f680"])
    # What is chosen comes back, once nothing is pointed at.
    row(page, "Graphemes").locator(".box").nth(1).click()
    rocket = "f0 9f 9a 80 d83d de80 0001f680".split()
    expect(lit).to_have_text(rocket)
    point_at.hover()
    expect(lit).to_have_count(4)
    page.mouse.move(0, 0)
    expect(detail).to_contain_text("1 code point, 4 bytes")
    expect(lit).to_have_text(rocket)
    page.keyboard.press("ArrowLeft")
    expect(detail).to_contain_text("U+0065 LATIN SMALL LETTER E + U+0301 COMBINING ACUTE ACCENT")
    row(page, "GPT-2").locator(".box.split").first.click()
    expect(detail).to_contain_text("It begins inside a grapheme: one symbol is cut here.")
