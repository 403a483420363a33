"""Measure · Vocabulary size: its figures without a browser, then what people see and drag."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

import pytest

import tokenizers as tk
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.measure.vocabulary_size.texts import (
    MAX_CURVE_BYTES,
    MINE,
    get_text,
    list_texts,
)
from pages.session.own_encodings import OwnEncoding
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared import curves
from pages.shared.scrubber import beginning_of, scrub_data
from tests.browser import PHONE, PROJECTOR, WINDOW, expect, settled
from tests.refusals import refused
from tests.visit import PageVisit, chart_titles, components
from tokenizers.data.udhr import get_language

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Without a browser


class SizePage(PageVisit):
    """The page, run as a browser would run it, in one session."""

    PAGE = "measure/vocabulary_size/page.py"

    def table(self, number: int) -> Any:
        """The table behind a chart."""
        self.expand("vocabulary-size")
        self.expand("sweet-spot")
        return self.test.dataframe[number].value


def test_curve_of_says_each_time_why_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("The split pattern is too slow.")

    monkeypatch.setattr(curves, "counts_by_size", fail)
    for _ in range(2):  # the second time, from the cache
        with refused("too slow"):
            curves.curve_of(tk.get_encoding("gpt2"), "a text that no other test has")


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_the_first_screen_has_exact_figures() -> None:
    page = SizePage()
    table = page.table(0)
    assert list(dict.fromkeys(table["tokenizer"])) == ["GPT-4o · o200k_base", "GPT-2 · gpt2"]
    rows = table[table["tokenizer"] == "GPT-2 · gpt2"]
    assert rows["vocabulary size"].tolist() == [*(2**k for k in range(8, 16)), 50_256]
    assert page.link == {} and [stand["name"] for stand in page.sent["stands"]] == ["o200k_base", "gpt2"]


@pytest.mark.slow
def test_the_sweet_spot_in_words_and_figures() -> None:
    page = SizePage(text="udhr:eng", encodings="gpt2")
    lines, title = chart_titles(page.test)
    text = "the declaration in English"
    assert lines == f"In GPT-2, the last 27,815 of 50,256 tokens make {text} less than 5% shorter"
    assert title == (
        f"A model like GPT-2 small reads {text} at the lowest cost with the first 16,772 tokens of GPT-2: "
        "all 50,256 cost 18% more"
    )
    sizes = [*(2**k for k in range(8, 15)), 16_772, 2**15, 50_256]
    assert page.table(1)["vocabulary size"].tolist() == sizes
    *amounts, share = [each.value for each in page.test.metric]
    assert [round(float(amount) / 1e6, 1) for amount in amounts] == [40.0, 119.9, 97.8] and share == "13%"


@pytest.mark.slow
def test_a_link_restores_and_what_is_chosen_makes_one() -> None:
    link = {"encodings": "cl100k_base,gpt2", "text": "udhr:kor", "beside": "udhr:eng", "at": "5000"}
    page = SizePage(**link, width="4096", layers="1", tied="no")
    assert set(page.table(0)["tokenizer"]) == {"GPT-4 · cl100k_base", "GPT-2 · gpt2"}
    assert set(page.table(0)["text"]) == {"the declaration in Korean", "the declaration in English"}
    assert page.sent["size"] == 5000
    page.test.session_state["scrubber"] = {"message": {"size": 777}}
    page.run()
    assert page.link == {**link, "at": "777", "width": "4096", "layers": "1", "tied": "no"}


@pytest.mark.slow
def test_empty_states() -> None:
    page = SizePage(encodings="", text="playground")
    page.workspace.set_text("")
    page.run()
    assert "Playground text is empty. Choose another text." in page.messages
    assert not components(page.test)
    page.field("own_texts_paste").set_value("the cat")
    page.press("own_texts_add")
    page.set("vocabulary_size_encodings", ["gpt2"])
    assert base64.b64decode(page.sent["bytes"]) == b"the cat"
    rows = page.table(0)
    assert rows["tokens"].tolist()[:3] == [7, 4, 4]  # at 256, 512, 1024: t|he|_c|at by 270
    assert "cat" not in str(page.link)


@pytest.mark.slow
def test_what_one_grew_stands_beside_with_its_texts() -> None:
    recipe = Recipe(parts=(("udhr:eng", 2.0), ("udhr:fin", 1.0)), vocab_size=400, held_out=0.2)
    workspace = Workspace()
    encoding = tk.HomeEncoding([(104, 105)], "gpt4o", name="my *own*")
    name = workspace.own_encodings.add(OwnEncoding(encoding, recipe=recipe))
    page = SizePage(workspace, encodings=f"gpt2,{name}", text="udhr:eng")
    page.state(VocabularySizeState).show_training(name)  # as a button on Train does
    page.run()
    table = page.table(0)
    assert set(table["tokenizer"]) == {"GPT-2 · gpt2", name}
    assert set(table["text"]) == {f"what {name} learned from", f"what was held out from {name}"}
    first = table[table["text"] == f"what {name} learned from"].iloc[0]
    assert first["tokens"] == 26_442  # bytes of what is not held out: English twice, and Finnish


@pytest.mark.slow
@pytest.mark.parametrize(
    "field, value, sentence",
    [("width", 0, "The width of a model is 1 to 131,072 numbers, not 0."), ("layers", 5000, "1,024 layers")],
)
def test_a_model_that_cannot_be_is_said_and_not_drawn(field: str, value: int, sentence: str) -> None:
    page = SizePage(encodings="gpt2")
    n_charts = len(page.test.get("vega_lite_chart"))
    page.set(f"vocabulary_size_{field}", value)
    assert [sentence in error.value for error in page.test.error] == [True]
    assert len(page.test.get("vega_lite_chart")) == n_charts - 1


@pytest.mark.slow
def test_several_files_are_measured_as_one_text() -> None:
    workspace = Workspace()
    assert MINE not in list_texts(workspace)
    for title, text in {"a.txt": "the cat", "b.txt": "안녕\n", "c.txt": "s = 1"}.items():
        workspace.own_texts.add(title, text)
    page = SizePage(workspace, encodings="gpt2", text=MINE)
    rows = page.table(0)
    assert set(rows["text"]) == {"My 3 texts together"}  # as on Compression
    assert rows["tokens"].iloc[[0, -1]].tolist() == [19, 12]  # bytes; 2 + 7 + 3 tokens
    workspace.own_texts.add("long", "я" * 1_000_000)
    long = get_text(workspace, MINE)
    assert long.n_bytes <= MAX_CURVE_BYTES < long.all_bytes
    assert long.parts[:2] == ("the", "안"), "half of each"


def test_an_encoding_that_does_not_load_says_so_and_the_others_are_cut() -> None:
    data = scrub_data(Workspace(), "the cat", ["nope", "claude-2", "clip"], "", 300)
    assert "There is no tokenizer 'nope'" in data["stands"][0]["problem"]
    assert "problem" not in data["stands"][1] and data["stands"][1]["first_id"] == 5
    assert data["smallest"] == 512, "clip has twice as many letters as there are bytes"


# In a browser


CHARTS = '[...document.querySelectorAll("[class*=_chart] .stVegaLiteChart .marks")]'
HEIGHTS = "all => all.map((chart) => chart.getBoundingClientRect().height)"
ARE_AS_HIGH = f"({HEIGHTS})({CHARTS}).every((is, i) => Math.abs(is / high[i] - 1) < .02)"


def open_size(page: Page, query: str = "") -> Locator:
    page.goto(f"/vocabulary_size{query}")
    scrub = page.locator(".scrub")
    expect(scrub.locator(".stand").first).to_be_visible()
    return scrub


def test_dragging_cuts_the_text_again_exactly(page: Page) -> None:
    scrub = open_size(page, "?text=udhr:kor&encodings=cl100k_base,grove-udhr-8k&at=300")
    head = beginning_of(get_language("kor").text)
    slider, count = scrub.locator(".slider"), scrub.locator(".stand[data-encoding='cl100k_base'] .count")
    slider.scroll_into_view_if_needed()
    slider.evaluate("(e) => { e.value = 330; e.dispatchEvent(new Event('input')); }")
    expect(scrub).to_have_attribute("data-size", "1836")
    expect(count).to_have_text("9,922")  # as tiktoken counts with the first 1,836 tokens
    # What is drawn is the text, whole.
    for text in scrub.locator(".stand .text").all():
        assert text.evaluate("e => e.textContent") == head
    # By keyboard, to the very size; and one cut at a time.
    exact = scrub.get_by_label("Vocabulary size, exactly")
    exact.fill("1000")
    exact.press("Enter")
    expect(scrub).to_have_attribute("data-size", "1000")
    scrub.get_by_role("button", name="a cut gone").click()
    expect(scrub).not_to_have_attribute("data-size", "1000")
    slider.press("End")
    expect(page).to_have_url(re.compile("at=100256"))
    expect(scrub.locator("[data-encoding='grove-udhr-8k'] .size")).to_have_text("It has no more than 8,191")
    expect(scrub.locator(".note")).to_contain_text("Korean")


def test_names_lie_apart_and_charts_grow_on_a_projector(page: Page) -> None:
    scrub = open_size(page, "?text=sample:digits&encodings=cl100k_base,grove-udhr-8k&at=1000")
    # The names of the lines: none lies on another or on a line's end.
    crossed = scrub.locator(".plot").evaluate(
        """(plot) => {
             const boxes = [...plot.querySelectorAll(".name, .end")].map((e) => e.getBoundingClientRect());
             const meet = (a, b) =>
               a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
             return boxes.flatMap((a, i) => boxes.filter((b, j) => j > i && meet(a, b)).map((b) => [a, b]));
           }"""
    )
    assert crossed == []
    # On a projector, charts are as much higher as their letters are larger, also if drawn before it.
    charts = page.locator("[class*=_chart] [data-testid=stVegaLiteChart] :is(svg, canvas).marks")
    expect(charts).to_have_count(2)
    usual = charts.evaluate_all(HEIGHTS)
    for size, larger in ((PROJECTOR, 1.25), (WINDOW, 1)):
        page.set_viewport_size(size)
        page.wait_for_function(f"(high) => {ARE_AS_HIGH}", arg=[larger * height for height in usual])


def test_nothing_moves_when_a_chart_is_drawn(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.route(re.compile("ArrowVegaLiteChart"), lambda route: None)  # the script that draws charts is held
    scrub = open_size(page, "?text=udhr:eng")
    below = scrub.locator(".note"), page.get_by_text("Shaded: sizes that cost")
    expect(below[1]).to_be_visible()
    settled(page)
    before = [each.bounding_box() for each in below]
    page.unroute_all()  # it comes
    expect(page.locator("[data-testid=stVegaLiteChart] .marks")).to_have_count(2)
    after = [each.bounding_box() for each in below]
    assert [box and box["y"] for box in before] == [pytest.approx(box and box["y"], abs=1) for box in after]
    scrub.locator(".stand").last.scroll_into_view_if_needed()
    box = scrub.locator(".slider").bounding_box()
    assert box is not None and 0 <= box["y"] < PHONE["height"]  # still in sight while the text is cut
