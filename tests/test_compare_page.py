"""Measure · Compare: what it says of two tokenizers, then what people choose, click and save."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import tokenizers as tk
from pages.measure.compare import charts
from pages.measure.compare.state import CompareState
from pages.session.catalogue import find_text
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Workspace
from tests.browser import click_mark, expect, expect_text, settled
from tests.visit import PageVisit, chart_titles, components
from tokenizers.json_types import JsonObject
from tokenizers.split.bounded import LimitError

if TYPE_CHECKING:
    from playwright.sync_api import Page


CHAT = "A chat in both templates"


class Compare(PageVisit):
    """The page in one session, with what is behind its expanders."""

    PAGE = "measure/compare/page.py"

    @property
    def tokens(self) -> list[str]:
        """The tokens of the last table."""
        tokens: list[str] = self.test.dataframe[-1].value["token"].tolist()
        return tokens

    def drawn(self, key: str) -> list[JsonObject]:
        """The lines that a component ``token_lines`` is sent, found by the end of its key."""
        (sent,) = [
            json.loads(proto.json)["lines"]
            for proto in components(self.test)
            if proto.id.endswith(f"compare_{key}")
        ]
        lines: list[JsonObject] = sent
        return lines


def data_of(row: JsonObject) -> bytes:
    """The bytes of the tokens that are drawn in a row."""
    return b"".join(bytes.fromhex(data) for _, data, _ in row["tokens"])


def ids_of(row: JsonObject) -> list[int]:
    return [token_id for token_id, *_ in row["tokens"]]


@pytest.mark.slow
def test_the_first_sentence_answers() -> None:
    first = Compare()
    assert first.test.subheader[0].value.startswith("For English prose, GPT-4o takes 0.9% fewer tokens")
    assert "share 85,033 tokens" in first.said
    assert chart_titles(first.test) == [
        "Of these 20 texts, Tamil changes by the largest factor: 75% fewer tokens",
        "Of the 114,965 tokens that only GPT-4o has, 51% are Latin",
    ]
    assert not first.messages and first.link == {}
    steps = first.test.table[0].value
    assert list(steps.columns) == ["GPT-4", "GPT-4o"]
    assert list(steps.index)[:2] == ["Ordinary tokens ≠", "Special tokens ≠"]
    first.expand("compare_draw_hard_texts")
    assert "texts get other tokens. Here is the shortest of each kind." in first.said
    shortest = {line["title"]: [row["says"] for row in line["rows"]] for line in first.drawn("hard_lines")}
    assert len(shortest) == 8 and shortest["“😀”"] == ["2 tokens", "1 token"]


@pytest.mark.slow
def test_compare_answers_for_the_playgrounds_text() -> None:
    workspace = Workspace()
    workspace.set_text("Guten Tag, 안녕하세요")
    page = Compare(workspace)
    answer, lines = (each.value for each in page.test.subheader[:2])
    assert answer == "For the playground text, GPT-4o takes 25% fewer tokens than GPT-4\\: 6 instead of 8"
    assert lines == "Where the playground text splits differently, and why"
    assert "GPT-4o takes 0.75× the tokens: 1.00× the pieces, by its walls, times 0.75×" in page.said
    page.press("compare_swap")
    assert "GPT-4 takes 33% more tokens" in page.test.subheader[0].value


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_compare_restores_its_link() -> None:
    link = {"a": "gpt2", "b": "bert-uncased", "by": "kind", "group": "only_a", "query": "g", "text": "python"}
    linked = Compare(**link)
    assert linked.link == link
    assert linked.test.subheader[0].value.endswith(" instead of 777, and BERT loses a part of it")
    texts, _ = chart_titles(linked.test)
    assert texts == "BERT loses text, so fewer tokens can mean that text is lost"
    assert "What BERT loses of this text: " in linked.said
    linked.expand("compare_draw_round_trips")
    linked.set("compare_line", "The law")
    *_, (gpt2, bert) = [line["rows"] for line in linked.drawn("trip_lines")]
    assert data_of(gpt2) == b"The law" and len(gpt2["tokens"]) == 2
    assert {mark for *_, mark in bert["tokens"]} == {"same"}, "beside one that drops blanks and capitals"


@pytest.mark.slow
def test_advertisements_among_the_tokens_are_apart_with_a_note() -> None:
    page = Compare()
    assert not any("中彩票" in token for token in page.tokens)
    page.expand("compare_spam")
    assert any("中彩票" in token for token in page.tokens)
    assert "some of its Chinese tokens are advertisements" in page.said
    page.set("compare_query", "中彩票")
    assert page.tokens[0] == "中彩票", "who searches, sees"


@pytest.mark.slow
def test_compare_lists_each_groups_tokens_and_searches_them() -> None:
    page = Compare()
    page.set("compare_query", "berry")
    for group, tokens in (
        ("only_b", ["·blueberry", "·cranberry", "·Blackberry", "·blackberry"]),
        ("moved", "berry ·berry aspberry ·Raspberry ·raspberry ·strawberry ·Strawberry".split()),
    ):
        page.set("compare_group", group)
        assert page.tokens == tokens
    assert page.test.dataframe[-1].value.iloc[0].tolist() == ["berry", 15717, 19772]
    page.set("compare_query", "no such token at all")
    assert page.messages.startswith("There are no such tokens.")


@pytest.mark.slow
def test_the_lines_of_a_clicked_text_are_its_tokens_in_both_and_say_why() -> None:
    page = Compare()
    page.state(CompareState).click_text("numbers")
    page.run()
    for line in page.drawn("lines"):
        number, *counts = map(int, re.findall(r"\d+", line["title"].replace(",", "")))
        words = find_text("numbers").read().split("\n")[number - 1]
        for row, count in zip(line["rows"], counts, strict=True):
            assert data_of(row).strip() in words.encode()
            assert row["before"] + row["count"] == count
    page.state(CompareState).click_text("numbers")  # again: the text that changes most
    page.run()
    assert page.state(CompareState).text == ""


@pytest.mark.slow
def test_a_chat_in_both_templates_and_none_where_one_has_no_template() -> None:
    page = Compare(a="o200k_harmony", b="qwen3")
    page.expand("compare_draw_chat")
    (line,) = page.drawn("chat_lines")
    for row in line["rows"]:
        assert b"Be brief." in data_of(row) and row["says"] == f"{row['count']} tokens"
    other = Compare(a="gpt2")
    assert [CHAT in [each.label for each in visit.test.expander] for visit in (page, other)] == [True, False]


@pytest.mark.slow
def test_round_trips_drift_where_an_output_stops_within_a_character() -> None:
    page = Compare()
    page.expand("compare_draw_round_trips")
    whole = page.drawn("trip_lines")
    titles = ["GPT-4 writes, GPT-4 reads", "GPT-4 writes, GPT-4o reads"]
    assert [line["title"] for line in whole[::2]] == titles
    wrote, read = map(ids_of, whole[0]["rows"])
    assert wrote == read
    page.set("compare_line", "🌳")
    page.set("compare_stop", 1)
    wrote, read = map(ids_of, page.drawn("trip_lines")[0]["rows"])
    assert wrote != read
    steps = page.test.dataframe[0].value
    assert steps["bytes that wait"].tolist() == ["f0 9f"] and steps["the stream shows"].tolist() == [""]


def own(name: str) -> OwnEncoding:
    """An encoding of a person's own."""
    return OwnEncoding(tk.train("abra cadabra " * 9, 262, "gpt4", name=name))


@pytest.mark.slow
def test_files_are_written_when_they_are_asked_for() -> None:
    workspace = Workspace()
    for name in ("my/4k", "my-4k"):  # a file has the same name for both
        workspace.own_encodings.add(own(name))
    page = Compare(workspace, a="my/4k", b="my-4k")
    assert not page.test.get("download_button")
    (command,) = [each.value for each in page.test.text if "tokenizers compare" in each.value]
    assert "compare my-4k.json" in command  # a terminal knows no name that is only here
    page.expand("compare")
    labels = [each.proto.label for each in page.test.get("download_button")]
    assert len(labels) == 5 and labels[0] == "Download compare-report.md"


@pytest.mark.slow
def test_a_text_that_is_left_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace()
    workspace.own_texts.add("*notes*", "a text " * 99_999)
    monkeypatch.setattr(import_module("pages.session.samples"), "MAX_MEASURED_BYTES", 500_000)
    page = Compare(workspace, a="bytes", b="words")
    assert r"Left out\: \*notes\*." in page.said


def test_a_split_pattern_that_takes_too_long_leaves_the_rest_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise LimitError("Too slow.")

    monkeypatch.setattr("tokenizers.encoding.Encoding.encode_array", refuse)
    monkeypatch.setattr(import_module("tokenizers.measure.compare"), "hard_texts", refuse)
    workspace = Workspace()
    workspace.own_encodings.add(own("oak"))
    workspace.own_encodings.add(own("ash"))
    page = Compare(workspace, a="oak", b="ash")
    assert {each.value for each in page.test.error} == {"Too slow."}
    assert page.test.text_area and page.test.table and page.test.text


def test_every_length_is_in_the_chart() -> None:
    lengths = pd.DataFrame(
        {"length": [*map(str, range(1, 31))], "only_a": 1, "only_b": 2, "same": 3, "moved": 4}
    )
    chart = charts.counts_chart(lengths, {"a": 0, "b": 1})
    (rows,) = chart.spec["datasets"].values()
    assert sum(row["only_b"] for row in rows) == 30 * 2 and rows[-1]["length"] == "all others"


# In a browser


def test_choose_a_pair_click_a_text_and_see_its_lines(page: Page) -> None:
    page.goto("/compare")
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(2)
    settled(page)  # a list that is open closes when the page is drawn
    page.get_by_role("combobox", name="From").fill("text-davinci-003")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("a=p50k_base"))
    expect_text(page, "Codex and GPT-4o share")
    click_mark(page.get_by_test_id("stVegaLiteChart").first.locator("path[aria-label*='Numbers']").first)
    expect(page).to_have_url(re.compile("text=numbers"))
    lines = page.get_by_text("Where Numbers and dates splits differently")
    expect(lines).to_be_visible()
    expect(page.locator(".lines .first").first).to_be_visible()
