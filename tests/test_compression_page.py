"""Measure · Compression: its figures beside tiktoken's own, then what people click, bring and save."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from pages.measure.compression import charts as charts
from pages.measure.compression.state import DEFAULT
from pages.session.catalogue import catalogue, find_text
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import OwnTexts
from pages.session.samples import MAX_MEASURED_BYTES, MAX_TEXTS, Sample, bundled, choose
from pages.session.workspace import Workspace, first_encodings
from tests.browser import click_mark, expect, expect_text, save_file, settled
from tests.visit import PageVisit, Parameters, Visit, chart_titles
from tokenizers.bpe.home import HomeEncoding
from tokenizers.files import load
from tokenizers.measure import METRICS
from tokenizers.text import CSV_ENCODING

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

HTML = "<img src=x onerror=alert(1)> *notes*"


class Compression(PageVisit):
    """The page in one session, with what is behind “More”."""

    PAGE = "measure/compression/page.py"

    @property
    def table(self) -> pd.DataFrame:
        """The table of all values, with the encodings' own names."""
        (table,) = [frame.value for frame in self.test.dataframe if "fertility" in frame.value.columns]
        return table.assign(tokenizer=table["tokenizer"].str.split(" · ").str[-1])


@pytest.fixture(scope="module")
def first() -> Compression:
    return Compression()


def test_compression_first_shows_one_chart_and_more_on_a_click(first: Compression) -> None:
    plain = Visit(
        "measure/compression/page.py", {}, compression_more_files=False, compression_all_files=False
    )
    (title,) = chart_titles(plain.test)
    assert title.startswith("The difference is largest on Hindi: GPT-4o has 8.88 bytes per token")
    assert not plain.test.dataframe and plain.link == {}
    table = first.table
    assert list(dict.fromkeys(table["text"])) == [find_text(key).short for key in DEFAULT]
    assert len(table) == 12 and chart_titles(first.test)[1].startswith(
        "All texts counted equally: half of the tokens of"
    )
    assert set(table["text"][table["premium"].notna()]) == {"Hindi"}, "the others are no translations"
    assert not first.test.error and not first.test.warning
    assert "learned from this very text (Hindi)" in first.said


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_compression_restores_its_link() -> None:
    link: Parameters = {"encoding": ["o200k_base", "gpt2"], "text": ["json", "udhr:kor"]}
    page = Compression(**link, figure="fertility", baseline="o200k_base", only="udhr:kor")
    assert len(page.table) == 4 and page.table["nsl"].min() == 1
    page.set("compression_metric", "nsl")
    assert "Baseline" in [each.label for each in page.test.selectbox]
    page.set("compression_metric", "fertility")
    bars, lengths = chart_titles(page.test)
    assert "tokens per word" in bars and lengths.startswith("Korean: half of")
    page.press("compression_show_all")
    assert chart_titles(page.test)[1].startswith("All texts counted equally")


def test_a_title_says_which_encoding_loses_a_part_of_these_texts() -> None:
    link = {"encoding": ["characters-unknown", "gpt2"], "text": ["playground"]}
    for text, is_lossy in (("the law", False), ("the ⅀ law", True)):
        for title in chart_titles(Compression(Workspace(text=text), **link).test):
            assert ("(characters-unknown loses text)" in title) == is_lossy, title


@pytest.mark.slow
def test_an_empty_text_has_no_figures() -> None:
    page = Compression(Workspace(text=""), text="playground")
    none = ["Bytes per token does not apply to these texts", "No tokens, no lengths"]
    assert chart_titles(page.test) == none


# One's own texts


def test_a_text_that_is_missing_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(key: str) -> Sample:
        if key == "prose":
            raise OSError("Its file is missing.")
        return bundled(key)

    monkeypatch.setattr("pages.session.samples.bundled", find)
    samples, problems = choose(["prose", "json"], OwnTexts(lambda: "live"))
    assert [sample.key for sample in samples] == ["json"]
    assert problems == ["English prose is left out. Its file is missing."]


def test_so_much_is_measured_at_a_time_and_the_rest_is_named() -> None:
    own = OwnTexts(lambda: "live")
    languages = [key for key in catalogue() if key.startswith("udhr:")][: MAX_TEXTS + 1]
    samples, problems = choose(languages, own)
    assert [sample.key for sample in samples] == languages[:-1]
    limit = "Up to 100 texts of 20 MB together are measured at a time. Left out: "
    assert problems == [f"{limit}{find_text(languages[-1]).short}."]
    sizes = [MAX_MEASURED_BYTES // 2, MAX_MEASURED_BYTES - MAX_MEASURED_BYTES // 2, 1]
    keys = [own.add(str(number), chr(97 + number) * size) for number, size in enumerate(sizes)]
    samples, problems = choose(keys, own)
    assert [sample.key for sample in samples] == keys[:2] and problems == [f"{limit}2."]


@pytest.mark.slow
def test_ones_own_corpus_is_one_press_and_one_row() -> None:
    """The sums, of the encodings that the page begins with: the usual ones and all of one's own."""
    made = Workspace()
    made.own_encodings.add(OwnEncoding(HomeEncoding([(101, 32)], None, name="mine")))
    for title, text in (("a.txt", "the naïve " * 30), ("b.txt", "x = 1\n" * 20)):
        made.own_texts.add(title, text)
    page = Compression(made)
    page.press("compression_only_mine")
    table = page.table
    assert list(dict.fromkeys(table["tokenizer"])) == [*first_encodings(), "mine"]
    rows = table[table["tokenizer"] == "mine"].set_index("text")
    assert rows["tokens"].to_dict() == {"My 2 texts together": 390, "a.txt": 270, "b.txt": 120}


def test_a_tokenizer_that_fails_has_no_row_and_the_others_have_theirs() -> None:
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "none"}
    workspace = Workspace()
    workspace.own_encodings.add(OwnEncoding(load(json.dumps({"model": model}).encode(), "strict")))
    page = Compression(workspace, text=["prose", "json"], encoding=["strict", "gpt2"])
    assert "strict has no values for 2 of the 2 texts." in page.messages
    assert page.table["tokenizer"].tolist() == ["gpt2", "gpt2"]


@pytest.mark.slow
def test_report_has_the_chosen_texts_alone_on_light_paper(
    monkeypatch: pytest.MonkeyPatch, reports: dict[str, str]
) -> None:
    monkeypatch.setattr(type(st.context), "theme", SimpleNamespace(type="dark"))
    workspace = Workspace()
    key = workspace.own_texts.add(f"{HTML} |", "the naïve " * 30)
    Compression(workspace, text=[key], encoding=["gpt2", "cl100k_base"])
    report, page = reports.values()
    assert report.startswith("# The difference is largest on ")
    assert r"| \<img src=x onerror=alert(1)\> \*notes\* \| | 330 | 5.41 | 3.63 |" in report
    assert METRICS["bytes_per_token"].meaning in report and "| GPT-2 (gpt2) | 50,257 |" in report
    assert HTML[:4] not in page and page.count("<svg") == 1 and "#1d2420" in page


def test_lengths_title_says_which_encoding_loses_text() -> None:
    lengths = charts.lengths_table({"x": [np.array([0, 1])], "w": [np.array([0, 0, 1])]})
    half = "A: half of the tokens of x have up to 1 byte (w loses text)"
    assert charts.lengths_title(lengths, "A", ["w"]) == half


# In a browser


def open_page(page: Page, link: str = "") -> None:
    page.goto(f"/compression{link}")
    expect(page.locator("[role=graphics-document]")).to_have_count(1)
    settled(page)
    page.get_by_text("How long the tokens are").click()
    expect(page.locator("[role=graphics-document]")).to_have_count(2)


def click_bar(page: Page, name: str, *, chart: int = 0) -> None:
    """Click the bar of a text, or of an encoding: the first that is called so."""
    drawn = page.get_by_test_id("stVegaLiteChart").nth(chart)
    click_mark(drawn.locator(f"path[aria-label*='{name}']").first)


def test_a_click_in_one_chart_filters_the_other(page: Page) -> None:
    open_page(page, "?text=prose&text=python&text=udhr:hin&encoding=gpt2&encoding=o200k_base")
    show_all = page.get_by_role("button", name="Show all")
    expect(show_all).to_be_disabled()
    click_bar(page, "Hindi")
    expect(page).to_have_url(re.compile("only=udhr(:|%3A)hin"))
    expect_text(page, "Only Hindi")
    click_bar(page, "gpt2", chart=1)
    expect(page).to_have_url(re.compile("in=gpt2"))
    expect_text(page, "Only Hindi · GPT-2 · gpt2")
    click_bar(page, "English prose")  # another one
    expect_text(page, "Only English prose · GPT-2 · gpt2")
    click_bar(page, "English prose")  # and again
    expect(page).not_to_have_url(re.compile("only="))
    show_all.click()
    expect(show_all).to_be_disabled()


def save(page: Page, label: str) -> bytes:
    saved = save_file(page.get_by_role("button", name=label, exact=True))
    assert saved.suggested_filename == f"compression-bytes-per-token.{label.lower()}"
    return saved.path().read_bytes()


def test_several_files_and_every_download(page: Page) -> None:
    """As dark as the page."""
    names = ["one.txt", f"{HTML[:27]}.txt".replace("/", "")]
    page.emulate_media(color_scheme="dark")
    open_page(page, "?text=prose&encoding=gpt2&encoding=cl100k_base")
    box = page.locator("summary", has_text="Your own texts")
    box.press("Enter")
    files: list[FilePayload] = [
        {"name": name, "mimeType": "text/plain", "buffer": name.encode()} for name in names
    ]
    page.locator("input[type=file]").set_input_files(files)
    expect(box).to_be_focused()  # the keyboard goes on from here
    for name in names:
        expect_text(page, f"{name} · {len(name)} bytes")
    expect_text(page, "The difference is largest on one.txt")
    settled(page)  # what is opened while the chart is drawn anew closes again
    page.get_by_text("Table and downloads").first.click()
    assert save(page, "CSV").decode(CSV_ENCODING).count("My 2 texts together") == 2  # in each tokenizer
    svg = save(page, "SVG").decode()
    assert "onerror" in svg and "<img" not in svg
    assert "#121614" in svg and "#ffffff" not in svg  # the ground
    # A change of the theme draws the charts in its inks.
    page.emulate_media(color_scheme="light")
    label = page.get_by_test_id("stVegaLiteChart").first.locator(".role-axis-label text").first
    expect(label).to_have_attribute("fill", "#4a524d")
