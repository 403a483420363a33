"""Text that is written from right to left: shown in its own order, and turning nothing around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from pages.measure.compression.charts import bars_title
from pages.shared.markdown import escape
from pages.teaching.kinds.cuts import CutsKind
from tests.browser import expect
from tokenizers.encoding import ASSETS
from tokenizers.measure import METRICS, Comparison, compare_report
from tokenizers.registry import get_encoding
from tokenizers.text import isolate, quote

if TYPE_CHECKING:
    from playwright.sync_api import Page

ARABIC = "مرحبا"
MIXED = [*f"{ARABIC}! Hello"]


def test_a_quotation_isolates_only_what_runs_from_right_to_left() -> None:
    assert quote(b" the") == "“·the”"
    assert quote(ARABIC) == f"“{isolate(ARABIC)}”" != f"“{ARABIC}”"


def test_markdown_keeps_what_is_isolated_and_names_what_turns_more() -> None:
    assert escape(quote(ARABIC)) == quote(ARABIC)
    for mark, name in (("\u202e", "RLO"), ("\u2067", "RLI"), ("\u2068", "FSI")):
        assert escape(f"a{mark}b") == f"a⟨{name}⟩b"
    assert escape("\u2068a\u202eb\u2069c") == "⟨FSI⟩a⟨RLO⟩b⟨PDI⟩c"


def test_a_headline_isolates_the_name_of_a_text() -> None:
    key = "bytes_per_token"
    table = pd.DataFrame({"text": [ARABIC] * 2, "tokenizer": ["gpt2", "cl100k_base"], key: [1.0, 2]})
    assert f"on {isolate(ARABIC)}: GPT-4 has 2.00" in bars_title(table, key, METRICS[key])


@pytest.mark.slow
def test_a_report_isolates_names_and_tokens() -> None:
    comparison = Comparison(get_encoding("gpt2"), get_encoding("cl100k_base"))
    report = compare_report(comparison, {ARABIC: ARABIC})
    assert f"**{isolate(ARABIC)}, line 1" in report and isolate("`ر`") in report


ORDER = """(elements) => elements
  .map((element) => [element.getBoundingClientRect(), element.textContent])
  .sort(([one], [other]) => one.left - other.left)
  .map(([, text]) => text)"""
"""The words of some elements of one line, as a reader sees them from the left."""


@pytest.fixture
def slide(page: Page) -> Page:
    """The page of a class, with a function that draws a slide: ``draw(path, (module) => elements)``."""
    page.goto("/class")
    expect(page.get_by_label("The code of your class")).to_be_visible()
    page.evaluate(
        """() => {
             const folder = document.querySelector("link[href*='classroom.css']").href.split("classroom/")[0];
             window.draw = async (path, makeElements) => {
               const elements = makeElements(await import(folder + path));
               document.querySelector("main").replaceChildren(...elements);
             };
           }"""
    )
    return page


def test_the_wall_shows_a_mixed_text_in_the_order_of_the_phones(slide: Page) -> None:
    slide.evaluate(
        """(clusters) => draw("lesson/kinds/cuts.js", ({ cuts }) => [
             ...cuts.draw({ clusters }, undefined, false, () => {}),
             ...cuts.drawPicture({ clusters, shows: [{ cuts: [5] }] }, { n: 1, counts: [0, 1] }),
           ])""",
        MIXED,
    )
    phone, wall = (
        slide.locator(f".line{kind} .grapheme").evaluate_all(ORDER) for kind in (":not(.gaps)", ".gaps")
    )
    assert "".join(wall) == "".join(phone) == f"Hello·!{ARABIC[::-1]}"


def test_tokens_stand_as_their_text_is_read(slide: Page) -> None:
    """From the right, but for those of a word that is written from the left."""
    words = ["", ARABIC, " Hel", "lo"]
    tokens = [{"id": 1, "hex": "d9", "part": not word, "text": word} for word in words]
    slide.evaluate(
        """(tokens) => draw("lesson/parts.js", ({ drawFigures }) =>
             drawFigures({ kind: "say", shows: [{ name: "gpt2", tokens }] }, false))""",
        tokens,
    )
    assert slide.locator(".chip > span").evaluate_all(ORDER) == [" Hel", "lo", ARABIC, "d9"]
    slide.evaluate(
        """(tokens) => draw("common/chips.js", ({ drawChips }) => {
             const box = document.createElement("div");
             box.className = "chips";
             drawChips(box, tokens, 3);
             return [box];
           })""",
        [[number, word.encode().hex(), ""] for number, word in enumerate(words[1:])],
    )
    assert slide.locator(".token > b").evaluate_all(ORDER) == [" Hel", "lo", ARABIC]


def test_pages_draw_tokens_as_their_text_is_read(page: Page) -> None:
    page.goto("/by_hand?text=א ab")
    expect(page.locator(".hand .tok b")).to_have_count(5)
    assert page.locator(".hand .tok b").evaluate_all(ORDER) == ["a", "b", " ", "90", "d7"]
    page.goto("/merge_trees?text=אב abab")
    roots = page.locator("[data-encoding=gpt2] .root > .box > .word")
    expect(roots).to_have_count(4)
    assert roots.evaluate_all(ORDER) == ["·ab", "ab", "ב", "א"]
    leaves = page.locator("[data-encoding=gpt2] .leaf > .box > .word").evaluate_all(ORDER)
    assert leaves == "· a b a b 91 d7 90 d7".split()
    page.locator("[data-encoding=gpt2] .root > .box").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".box:focus")).to_have_attribute("aria-label", re.compile("^ב"))


def test_a_worksheet_begins_a_right_to_left_text_at_the_right(page: Page) -> None:
    step: Any = {"clusters": MIXED, "shows": [{"cuts": [5]}]}
    style = (ASSETS / "lessons" / "worksheet.css").read_text("utf-8")
    page.set_content(f"<style>{style}</style>{CutsKind().write(step, answered=True)}")
    assert page.locator(".text span").evaluate_all(ORDER)[-len(ARABIC) :] == [*ARABIC[::-1]]


def test_a_reason_is_told_beside_its_place_in_the_direction_of_the_text(slide: Page) -> None:
    slide.evaluate(
        """(clusters) => draw("lesson/kinds/cuts.js", ({ cuts }) =>
             cuts.drawReasons({ clusters, shows: [{ cuts: [7], why: { 7: "So." } }] }, []))""",
        MIXED,
    )
    expect(slide.locator("li code")).to_have_attribute("dir", "rtl")
