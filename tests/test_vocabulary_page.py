"""Explore · Vocabulary: its search and its figures without a browser, then what people see and touch."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest

import tokenizers as tk
from pages.explore.vocabulary import charts
from pages.explore.vocabulary.state import VocabularyState
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import MAX_PANELS, Workspace
from pages.shared import page_files
from pages.shared.biography import see_in_playground
from tests.browser import (
    expect,
    expect_text,
    press,
    save_file,
    settled,
)
from tests.trained import BYTES
from tests.visit import PageVisit, Parameters, Visit, chart_titles, components
from tokenizers.measure import search_tokens
from tokenizers.measure.vocabulary import vocabulary_of
from tokenizers.text import CSV_ENCODING

if TYPE_CHECKING:
    from playwright.sync_api import Page

O200K = "o200k_base"


class Vocabulary(PageVisit):
    """The page, run as a browser would run it, in one session."""

    PAGE = "explore/vocabulary/page.py"

    def ask(self, by: str = "text", query: str = "", **filters: Any) -> None:
        """Set the search and all filters, and run once."""
        state = self.state(VocabularyState)
        state.ask(by, query, (), "by id")
        for name, value in filters.items():
            setattr(state, name, value)
        self.run()

    @property
    def ids(self) -> list[int]:
        """The ids on the page of the table that is shown."""
        ids: list[int] = self.test.dataframe[0].value["id"].tolist()
        return ids

    @property
    def count(self) -> int:
        """How many were found, as the page says."""
        return int(self.sentence.split()[0].strip("*").replace(",", ""))

    @property
    def sentence(self) -> str:
        """What the page says was found, and by which filters."""
        lines: list[str] = [each.value for each in self.test.markdown]
        return next(line for line in lines if re.match(r"\*\*[\d,]+ token", line))

    def click(self, **message: Any) -> None:
        """A message of the biography."""
        self.test.session_state["vocabulary_life"] = {"event": message}
        self.run()


@pytest.fixture(scope="module")
def app() -> Vocabulary:
    return Vocabulary()


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_the_first_screen_is_complete() -> None:
    app = Vocabulary()
    words = vocabulary_of(tk.get_encoding(O200K))
    expected = search_tokens(words, "token").tolist()
    assert (app.count, app.ids) == (len(expected), expected[:100])
    assert (app.sent["encoding"], app.sent["id"]) == (O200K, 6602)
    assert app.link == {}
    assert chart_titles(app.test) == [
        "67% of GPT-4o is Latin; Cyrillic comes next, with 7.1%",
        "Half of the tokens of GPT-4o have up to 6 bytes; the longest has 128",
        "The longest token of GPT-4o is 128 spaces",
        "GPT-4o: 63% is Latin outside code, 6.2% code and markup",
    ]
    table = next(each.value for each in app.test.dataframe if "encodes to" in each.value)
    assert len(table) == 8  # and four advertisements, which are apart
    for table in (charts.scripts_table(words), charts.lengths_table(words)):
        assert table["tokens"].sum() == 200_000 - 2  # but the special ones


@pytest.mark.slow
def test_a_filter_keeps_what_its_label_says(app: Vocabulary) -> None:
    for label, count in (("digits", 1281), ("does not encode to itself", 12)):
        app.ask(only=[label])
        assert app.count == count


def test_longest_chart_labels_tokens_of_one_byte() -> None:
    table = charts.longest_table(vocabulary_of(tk.get_encoding("bytes")), 1)
    spec = charts.longest_chart(table, b"\0", "bytes", 0).spec
    ((row,),) = spec["datasets"].values()
    assert row["label"] == "1 byte"


def test_chart_titles_of_tokens_of_one_byte() -> None:
    assert chart_titles(Vocabulary(encoding="bytes").test) == [
        "20% of bytes is Latin",
        "Half of the tokens of bytes have up to 1 byte; the longest has 1",
        "The longest token of bytes is “⟨NUL⟩”",
    ]


@pytest.mark.slow
def test_all_tokens_page_by_page_and_in_order(app: Vocabulary) -> None:
    app.state(VocabularyState).token = (O200K, 262)
    app.press("vocabulary_try_0")
    assert app.count == 200_000
    assert app.sent["id"] == app.ids[0], "the token that was chosen before is not among the rows"
    page = next(field for field in app.test.number_input if field.label.startswith("Page, of 2,000"))
    page.set_value(2_000)
    app.run()
    assert app.ids == vocabulary_of(tk.get_encoding(O200K)).ids[-100:].tolist()
    app.ask(order="longest first")
    assert app.ids[:3] == vocabulary_of(tk.get_encoding(O200K)).longest(3)


@pytest.mark.parametrize(
    "by,query,problem",
    [
        ("regex", "**(", "This is not a valid regular expression"),
        ("bytes", "xyz", "is not bytes in hex"),
        ("id", "*one*", "is no id"),
        ("id", "99999999", "99999999"),
    ],
)
def test_what_is_wrong_is_said_and_stays(app: Vocabulary, by: str, query: str, problem: str) -> None:
    app.ask(by, query)
    message = app.messages
    assert problem in message.replace("\\", "")
    assert "*one*" not in message  # a person's stars are no markdown
    assert app.field("vocabulary_query").value == query
    assert not components(app.test), "a token that is beside no row"


@pytest.mark.slow
def test_vocabulary_restores_its_link() -> None:
    link = {
        "encoding": "gpt2",
        "query": "THE",
        "order": "longest first",
        "case": "ignore",
        "only": "leading space",
    }
    linked = Vocabulary(**link, token="43453")
    assert linked.count == 229 and linked.ids[:2] == [18239, 48191], "both have 15 bytes"
    assert linked.link == {**link, "token": "43453"}
    assert (linked.sent["encoding"], linked.sent["id"]) == ("gpt2", 43453)
    assert "leading space, longest first, upper and lower case ignored" in linked.sentence
    assert "99999999" in Vocabulary(encoding="gpt2", token="99999999").messages


@pytest.mark.slow
def test_a_filter_replaces_the_pages_own_query_and_no_other() -> None:
    app = Vocabulary(encoding="gpt2")
    for key, value, link in (
        ("vocabulary_script", "Hebrew", {"script": "Hebrew"}),
        ("vocabulary_only", ["special"], {"only": "special", "script": "Hebrew"}),
    ):
        app.set(key, value)
        assert app.link == {"encoding": "gpt2", "query": "", **link}
    app = Vocabulary(encoding="gpt2")
    app.set("vocabulary_query", "1")
    app.set("vocabulary_script", "Hebrew")
    assert app.field("vocabulary_query").value == "1"


@pytest.mark.slow
def test_special_tokens_that_are_not_known_are_not_none() -> None:
    glm = Vocabulary(encoding="glm-5")
    glm.ask(only=["special"])
    assert [each.value for each in glm.test.info] == ["The special tokens of GLM-5 are not known here."]


@pytest.mark.slow
def test_a_chip_of_the_biography_opens_its_token_and_an_odd_message_none(app: Vocabulary) -> None:
    app.ask()
    before = app.sent["id"]
    for name, token_id in (("none", 1), (O200K, 10**12), (["x"], "1")):
        app.click(encoding=name, id=token_id)
        assert app.sent["id"] == before
    app.click(encoding="gpt2", id=262)
    assert (app.sent["encoding"], app.sent["id"], app.sent["bytes"]) == ("gpt2", 262, b" the".hex())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("token_id", "rank", "script"),
    [
        (262, ["rank", "262", True], "Latin"),
        (50256, ["rank", "none: it is a special token", False], "Latin"),
        (15, ["rank", "none: it is a single byte", False], "none of its own"),
    ],
)
def test_the_biography_has_a_rank_and_a_script_or_says_why_not(
    app: Vocabulary, token_id: int, rank: list[Any], script: str
) -> None:
    app.ask()
    app.click(encoding="gpt2", id=token_id)
    facts = app.sent["facts"]
    assert facts[1] == rank and facts[-1] == ["script", script, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "token_id", "note"),
    [
        (O200K, 3914, "Its own text becomes “⏎” + “//”. In longer text it does appear, as in “☃⏎//”."),
        ("mistral-v1", 100, "Token 28708 has the same bytes, and is used instead"),
        ("gpt2", 262, None),
    ],
)
def test_the_biography_notes_that_a_token_does_not_encode_to_itself(
    app: Vocabulary, name: str, token_id: int, note: str | None
) -> None:
    app.ask()
    app.click(encoding=name, id=token_id)
    assert app.sent["note"] is None if note is None else note in app.sent["note"]


RANKS = BYTES | {b"ab": 256, b"abcd": 257}


def test_tokens_that_only_a_look_up_reaches_are_listed() -> None:
    workspace = Workspace()
    ranks = "".join(f"{b64encode(token).decode()} {rank}\n" for token, rank in RANKS.items())
    workspace.own_encodings.add(OwnEncoding(tk.load(ranks.encode(), "brought", pattern="gpt4")))
    page = Vocabulary(workspace, encoding="brought")
    table = next(each.value for each in page.test.dataframe if "merges alone stop at" in each.value)
    assert table.values.tolist() == [[257, "abcd", "ab + c + d", "256 99 100"]]


@pytest.mark.slow
def test_tab_remembers_a_page_only_with_its_address() -> None:
    link: Parameters = {"encoding": "gpt2", "query": "old"}
    before = Visit("explore/vocabulary/page.py", link)
    sent = [json.loads(proto.json) for proto in components(before.test, but="")]
    (tab,) = [data["tab"] for data in sent if "tab" in data]
    tab["vocabulary"]["query"] = "remembered"
    for query, expected in (("old", "remembered"), ("zebra", "zebra")):
        page = Visit("explore/vocabulary/page.py", {**link, "query": query}, tab_remembers=tab)
        assert page.field("vocabulary_query").value == expected


def test_an_example_opens_the_encoding_that_it_is_about() -> None:
    page = Vocabulary()
    (example,) = [button for button in page.test.button if button.label == "SolidGoldMagikarp"]
    example.click()
    page.run()
    assert page.field("vocabulary_encoding").value == "gpt2" and 43453 in page.ids


# Figures


def test_see_in_playground_shows_a_special_token_and_the_text_returns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("streamlit.switch_page", opened.append)
    workspace = Workspace(text="mine", encodings=["gpt2"])
    see_in_playground(workspace, "gpt2", 50256)
    assert opened == [page_files.PLAYGROUND]
    assert workspace.special_as_tokens and workspace.spans("gpt2").ids.tolist() == [50256]
    workspace.go_back()
    assert workspace.text == "mine"
    workspace.encodings = tk.list_encodings()[:MAX_PANELS]
    workspace.show_token("rwkv-world", 257, " ")
    assert workspace.encodings == [*tk.list_encodings()[: MAX_PANELS - 1], "rwkv-world"]


# In a browser


def test_search_click_wander_and_see_it_in_the_playground(page: Page) -> None:
    page.goto("/vocabulary")
    who = page.locator(".life .who")
    expect(who).to_have_text("GPT-4o, GPT-5 (o200k_base) token 6602")
    expect(page.get_by_test_id("stVegaLiteChart")).to_have_count(4)
    for kind in ("CSV", "PNG"):  # Streamlit's own have cells that a spreadsheet runs, and no title
        streamlits = page.locator(f"[aria-label^='Download as {kind}']").first
        expect(streamlits).to_have_css("display", "none")
    box = page.get_by_role("textbox", name="A part of the token’s text")
    box.fill("berry")
    box.press("Enter")
    expect_text(page, "11 tokens of 200,000")
    settled(page)
    # By keyboard: what is seen of the table is one picture, and no row can be clicked.
    table = page.locator("[data-testid=stDataFrame] >> visible=true").first
    table.locator("td").first.focus()
    expect(page).to_have_url(re.compile("token=19772"))
    expect(who).to_have_text("GPT-4o, GPT-5 (o200k_base) token 19772")
    press(page, "Download all found (CSV)")
    saved = save_file(page.get_by_role("button", name="Download vocabulary-o200k_base.csv"))
    assert "blueberry" in saved.path().read_text(CSV_ENCODING)
    page.locator(".life [data-list='Built from'] .chip").first.press("Enter")  # by keyboard, too
    expect(who).not_to_have_text("GPT-4o, GPT-5 (o200k_base) token 19772")
    expect(page.locator(".life .grown svg, .life .grown .hint")).to_be_visible()
    word = page.locator(".life .name").text_content() or ""
    press(page, "Open in the playground")
    editor = page.locator("textarea.input")
    expect(editor).to_have_value(word)
    expect(page.locator(".inspector")).to_contain_text("Why is it cut here?")
    press(page, "Restore the previous text")
    expect(editor).to_have_value(re.compile("^Tokens aren't words"))
