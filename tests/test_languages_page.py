"""Measure · Languages: its figures recomputed the slow way, then what people see and touch."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import tokenizers as tk
from pages.measure.languages import measurements
from pages.measure.languages.measurements import (
    choose_rows,
    comparable_texts,
    count_own,
    counts_of,
    export,
    find,
    label_of,
    make_table,
    script_values,
    values_of,
)
from pages.session.own_texts import OwnTexts
from pages.session.workspace import first_encodings
from tests.browser import click_mark, expect
from tests.refusals import refused
from tests.visit import PageVisit, chart_titles
from tokenizers.bpe.home import HomeEncoding
from tokenizers.data.parallel import list_parallel, own_text
from tokenizers.json_types import JsonObject

if TYPE_CHECKING:
    from playwright.sync_api import Page

ENCODINGS = first_encodings()
BEFORE = "Before any tokenizer"
TEXTS = {text.code: text for text in list_parallel()}


class Languages(PageVisit):
    """The page, run as a browser would run it, in one session."""

    PAGE = "measure/languages/page.py"

    @property
    def headline(self) -> str:
        return self.test.subheader[0].value.replace("\\", "")

    @property
    def cards(self) -> dict[str, JsonObject]:
        """The big numbers, by encoding."""
        return {card["name"].split(" · ")[-1]: card for card in self.sent["cards"]}

    @property
    def titles(self) -> str:
        """The headline, and the title of each chart."""
        return "\n".join([self.headline, *chart_titles(self.test)])


@pytest.fixture(scope="module")
def app() -> Languages:
    return Languages()


# The table


def by_hand() -> pd.DataFrame:
    texts = [own_text("base", "abcd"), own_text("other", "abcdabcd"), own_text("third", "яя")]
    mine = [own_text("mine", "xy"), own_text("thine", "xyxyxy")]
    one = {"base": 2, "other": 3, "third": 8, "mine": 2, "thine": 5}
    two = {code: 2 * count for code, count in one.items()}
    return make_table(texts, {"one": one, "two": two}, "base", mine)


BY_HAND = """\
"code","t0","p0","bytes","chars","own"
"base",2.0,1.0,1.0,1.0,False
"other",3.0,1.5,2.0,2.0,False
"third",8.0,4.0,1.0,0.5,False
"mine",2.0,1.0,1.0,1.0,True
"thine",5.0,2.5,3.0,3.0,True
"""


def test_the_table_by_hand() -> None:
    table = by_hand()[["code", "t0", "p0", "bytes", "chars", "own"]]
    assert table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC) == BY_HAND
    other_base = make_table([own_text("a", "x"), own_text("b", "")], {"one": {"a": 1, "b": 0}}, "b")
    assert other_base["p0"].isna().all()  # nothing is compared with an empty text


def test_choose_rows_always_has_the_focus_and_ones_own() -> None:
    codes = [f"{i:03}" for i in range(100)]
    counts = {code: i + 1 for i, code in enumerate(codes)}
    found = make_table([own_text(code, "a") for code in codes], {"one": counts}, "000").assign(found=True)
    for focus, view, chosen in (
        ("000", "highest", ["099", "098", "097", "000"]),
        ("050", "lowest", ["000", "001", "002", "050"]),
        ("050", "around", ["051", "050", "049"]),
        ("000", "around", ["002", "001", "000"]),
    ):
        assert choose_rows(found, 0, focus, view, 3)["code"].tolist() == chosen, (focus, view)
    rows = choose_rows(by_hand().assign(found=True), 0, "base", "highest", 1)
    assert set(rows["code"]) == {"third", "base", "mine", "thine"}


# The page without a browser


@pytest.mark.slow
def test_page_says_what_a_decomposed_text_takes_composed() -> None:
    page = Languages(focus="vie")
    said = page.said.replace("\\", "")
    assert "as most keyboards write, it takes 1.52×" in said and "Vietnamese (decomposed) takes" in said
    for code in ("deu_1996", "hin"):  # in the normal form NFC, Hindi has more characters
        assert "decomposed" not in Languages(focus=code, encodings="gpt2").said


OF_GPT_4O = """\
In GPT-4o, Burmese takes 3.93× as many tokens as English; in GPT-2 it took 20.5×
In GPT-4o, Burmese takes 3.93× the tokens: 0.77× from walls, times 5.09× from the vocabulary
In GPT-4o, Burmese takes 3.93× as many tokens as English; the most is 17.8×, Sanskrit (Grantha)
In GPT-4o, texts in Grantha script take the most tokens: 17.8× at the median; \
those in Latin script 1.88× at the median
In GPT-4o, 208 of 494 translations take at least twice as many tokens as English
487 of 494 translations have a smaller premium in GPT-4o than in GPT-2: the dots below the line"""
OF_GPT_2 = """\
In GPT-2, Burmese takes 20.5× as many tokens as English
In GPT-2, Burmese takes 20.5× the tokens: 4.86× from walls, times 4.22× from the vocabulary
In GPT-2, Burmese takes 20.5× as many tokens as English; the most is 20.5×, Burmese
In GPT-2, texts in Myanmar script take the most tokens: 20.5× at the median; \
those in Latin script 2.46× at the median
In GPT-2, 440 of 494 translations take at least twice as many tokens as English
2 of 494 translations have a smaller premium in GPT-2 than in Home-trained: the dots below the line"""


@pytest.mark.slow
def test_the_first_screen_is_complete(app: Languages) -> None:
    assert list(app.cards) == [*ENCODINGS, BEFORE]
    assert app.link == {}
    app.set("languages_lead", "o200k_base")
    assert app.titles == OF_GPT_4O
    app.set("languages_lead", "gpt2")
    assert app.titles == OF_GPT_2
    assert "Gini coefficient over 494 languages: GPT-4o 0.26, GPT-4 0.30, GPT-2 0.33" in app.said
    app.test.session_state["languages_parts_files"] = True
    app.set("languages_walls", "gpt4o")
    assert "Split as gpt4o, Burmese would take 20.3× the tokens" in app.said
    assert "11 translations have no place in the data" in app.said
    app.expand("languages_method")
    assert "thirty articles" in app.said


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_languages_restore_their_link() -> None:
    link = {"focus": "tam", "base": "hin", "encodings": "o200k_base,gpt2", "lead": "gpt2", "query": "dravid"}
    app = Languages(**link)
    assert app.headline == "In GPT-2, Tamil takes 2.16× as many tokens as Hindi"
    said = {name: [card["value"], *map("".join, card["lines"])] for name, card in app.cards.items()}
    assert said == {
        "o200k_base": [
            "1.44×",
            "4,583 tokens; 3,178 for Hindi",
            "with half its vocabulary: +19.9% tokens",
        ],
        "gpt2": [
            "2.16×",
            "36,522 tokens; 16,896 for Hindi",
            "with half its vocabulary: no change: none of the other half helps",
        ],
        BEFORE: ["1.30×", "1.21× the characters, each of 2.8 bytes in UTF-8"],
    }
    assert app.link == link


@pytest.mark.slow
def test_the_browsers_language_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for tag, code in (("ko-KR", "kor"), ("en-US", "mya")):  # English is what it is compared with
        monkeypatch.setattr("streamlit.runtime.context.ContextProxy.locale", tag)
        assert Languages().field("languages_focus").value == code
    assert Languages(focus="hin").field("languages_focus").value == "hin"


def test_a_language_is_found_by_its_codes_and_its_own_name() -> None:
    table = make_table(list(TEXTS.values()), {}, "eng")

    def codes_of(query: str) -> list[str]:
        return sorted(table["code"][find(table, query)])

    assert codes_of("deu") == codes_of("Deutsch") == ["deu_1901", "deu_1996"]
    assert codes_of("Ελληνικά") == codes_of("monoton, polyton") == ["ell_monotonic", "ell_polytonic"]
    assert "mya" in codes_of("burm") and find(table, "").all()
    assert label_of("017", "Minjiang, written") == "Minjiang, written"  # nobody knows its code


@pytest.mark.slow
def test_counting_stops_after_a_while_and_the_next_call_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = HomeEncoding([(101, 32), (101, 33)], None, name="mine")
    monkeypatch.setattr(measurements, "MAX_SECONDS", 0)
    assert len(counts_of(tk.get_encoding("characters"))) == 494, "counts that come with the app"
    with refused("Counting in mine has taken 0 seconds"):
        counts_of(mine)
    monkeypatch.undo()
    assert counts_of(mine) == {code: len(mine.encode(text.text)) for code, text in TEXTS.items()}


@pytest.mark.slow
def test_growing_one_is_two_clicks_away() -> None:
    app = Languages(encodings="gpt2", focus="kat")
    app.press("languages_grow")
    assert app.heading == "Train a tokenizer"
    assert "A recipe for Georgian is in the form" in app.test.success[0].value
    assert app.field("train_texts").value == ["udhr:kat"]


# A person's own texts


def test_own_texts_are_checked() -> None:
    own = OwnTexts(lambda: " \n")
    keys = [own.add(f"n{number}", f"text {number}") for number in range(measurements.MAX_TEXTS + 1)]
    texts, problems = comparable_texts(["playground", own.add("x", "я" * 256_001), *keys, "own-99"], own)
    assert list(texts) == keys[:-1]
    blank, long, more = problems
    assert blank == "Playground text has nothing in it to compare. Choose another text."
    assert long.startswith("x has 500.0 KB, and a text of up to 500 KB is compared here.")
    assert more == "n20 is one too many: up to 20 texts are compared at a time."
    own.rename(keys[1], "renamed")
    texts, _ = comparable_texts(keys[:2], own)
    assert [text.name for text in texts.values()] == ["n0", "renamed"]
    assert count_own(tk.get_encoding("gpt2"), texts.values()) == dict.fromkeys(keys[:2], 2)


@pytest.mark.slow
def test_own_texts_are_compared_with_each_other_in_every_word() -> None:
    app = Languages()
    texts = {"English, mine": "The same words cost more.", "हिन्दी": "एक ही बात की क़ीमत ज़्यादा है।"}
    keys = [app.workspace.own_texts.add(title, text) for title, text in texts.items()]
    app.run()
    app.set("languages_own_chosen", keys)
    app.set("languages_focus", keys[1])
    assert "as many tokens as English, mine" in app.headline
    charts = [chart.proto.spec for chart in app.test.get("vega_lite_chart")]
    assert '"times the tokens of English (yours: English, mine)"' in charts[1]
    assert "languages_grow" not in [button.key for button in app.test.button]  # it is no translation


# What the chart shows comes first: on a phone, the rest is out of sight.
VALUES = """\
"language","premium in one","tokens in one","premium in two","tokens in two","code","script"
"third",4.0,8,4.0,16,"third","Cyrillic"
"thine",2.5,5,2.5,10,"thine","Latin"
"other",1.5,3,1.5,6,"other","Latin"
"base",1.0,2,1.0,4,"base","Latin"
"mine",1.0,2,1.0,4,"mine","Latin"
"""
SCRIPTS = """\
"script","median premium in one","translations"
"Cyrillic",4.0,1
"Latin",1.25,2
"""


def test_each_csv_is_what_its_chart_shows() -> None:
    table = by_hand()
    values = values_of(table, ["one", "two"], [0, 1], "script")
    assert values.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC) == VALUES
    assert "tokens in GPT-2 · gpt2" in export(table, ["gpt2", "two"])
    scripts = script_values(table, "one", 0)  # own texts do not count
    assert scripts.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC) == SCRIPTS


@pytest.mark.slow
def test_report_says_what_the_page_says_and_how_it_was_measured(reports: dict[str, str]) -> None:
    app = Languages(encodings="gpt2,grove-udhr-8k", focus="mya", base="deu_1996")
    report, page = reports.values()
    assert report.startswith(f"# {app.headline}\n") and list(reports)[0] == "languages-report.md"
    assert re.findall(r"it is number .*", report)[0] in app.said.replace("\\", "")
    assert "| Burmese | 9.157 | 41,801 |" in report
    assert page.count("<svg") == 2 and "of the whole declaration" in page and page.count("<h2>") == 3
    assert "Home-trained · grove-udhr-8k</text>" in page  # the legend, whole


# Charts and pictures


# In a browser


def test_languages_by_click_and_by_search(page: Page) -> None:
    page.goto("/languages?encodings=gpt2,o200k_base")
    expect(page.locator("[data-testid=stVegaLiteChart] svg.marks")).to_have_count(5)
    headline = page.get_by_role("heading", level=3).first
    expect(headline).to_contain_text("In GPT-2, Burmese takes")
    # A dot on the map, and one among the scripts.
    for chart, language in ((2, "Korean"), (3, "Hindi")):
        drawn = page.get_by_test_id("stVegaLiteChart").nth(chart)
        click_mark(drawn.locator(f"path[aria-label*='language: {language};']").first)
        expect(headline).to_contain_text(f"In GPT-2, {language} takes")
    expect(page).to_have_url(re.compile("focus=hin"))
    search = page.get_by_role("textbox", name="Search")
    search.fill("thai")
    search.press("Enter")
    expect(page.get_by_test_id("stVegaLiteChart").nth(1)).to_contain_text("Thai (2)")
