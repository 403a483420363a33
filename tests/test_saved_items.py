"""Saved items: their records, what a session and a browser do with them, and what a person sees of it."""

from __future__ import annotations

import zlib
from contextlib import ExitStack
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

import tokenizers as tk
from pages.grow.train.state import OWN_PATTERN, TrainState
from pages.measure.compression.state import CompressionState
from pages.session import own_encodings as own_encodings_module
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import PLAYGROUND, digest_of
from pages.session.page_state import Link
from pages.session.saved_items import Record, SavedItems, read_encoding, record_of_encoding
from pages.session.train_plan import Recipe
from pages.session.workspace import WELCOME, Workspace, first_encodings
from pages.session.workspace_link import restore
from pages.shared.saved_items import COOKIE, ROUTES
from tests.browser import add_tokenizer, expect, expect_editor, expect_offered, serve, visitor, watched_page
from tests.trained import own_encoding, report_of
from tests.visit import Visit
from tokenizers.files import file_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page


# Texts too long for a link, of few tokens: what draws many takes a browser seconds.
FEW_TOKENS = " discrimination" * 4_000
OTHER_FEW_TOKENS = " international" * 4_300


class Tab:
    """A session, and what the browser's side does for it, without a browser.

    Args:
        stored: the records in the browser's storage, by id; its tabs share them.
        workspace: of the session.
    """

    def __init__(self, stored: dict[str, bytes], workspace: Workspace | None = None) -> None:
        self.stored = stored
        self.workspace = workspace or Workspace(encodings=["gpt2"])
        self.saved = SavedItems(self.workspace)
        self.known = {item for item, data in stored.items() if self.saved.restore(item, data)}
        self.save()

    @property
    def problems(self) -> list[str]:
        return list(self.saved.listing()["problems"])

    def save(self) -> None:
        items = set(self.saved.listing()["items"])
        for gone in self.known - items:
            self.stored.pop(gone, None)
        for new in items - self.known:
            record = self.saved.record(new)
            assert record is not None
            self.stored[new] = record.to_bytes()
        self.known = items


def titles(stored: dict[str, bytes]) -> list[str]:
    return sorted(Record.from_bytes(data).title for data in stored.values())


def grow(name: str = "mine") -> OwnEncoding:
    text = "the cat and the hat " * 30
    encoding = tk.train(text, 270, "gpt4o", ["<|end|>"], name=name)
    n_merges = len(encoding.merges)
    report = {**report_of(held_words=5, lost_bytes=4), "stopped": encoding.stopped}
    recipe = Recipe(parts=(("own-3", 2.0),), vocab_size=270, special_tokens=("<|end|>",), name=name)
    counts = list(range(n_merges))
    digests = {"own-3": digest_of("a text")}
    return OwnEncoding(encoding, counts, 600, recipe, 1.5, report, "It ended early.", digests)


def saved_encoding() -> Tab:
    """A tab whose session has saved an encoding."""
    tab = Tab({})
    tab.workspace.own_encodings.add(grow())
    tab.save()
    return tab


# Without a browser


@pytest.mark.slow
def test_what_was_made_is_there_in_the_next_session() -> None:
    stored: dict[str, bytes] = {}
    first = Tab(stored)
    first.workspace.own_encodings.add(grow())
    key = first.workspace.own_texts.add("notes", "a text")
    guessed = "Привет, мир".encode("koi8-r")
    guess = first.workspace.own_texts.add_file("koi.txt", guessed, "koi8-r")
    first.workspace.take(FEW_TOKENS)
    first.save()
    assert titles(stored) == ["The text in the editor", "koi.txt", "mine", "notes"] and not first.problems
    before = dict(stored)
    first.save()
    assert stored == before, "what has not changed is not stored again"

    second = Tab(stored)
    workspace = second.workspace
    assert stored == before
    came, made = workspace.own_encodings["mine"], first.workspace.own_encodings["mine"]
    assert file_of(came.encoding) == file_of(made.encoding)
    assert replace(came, encoding=made.encoding) == made
    assert {astuple(text) for text in workspace.own_texts.uploaded} == {
        (key, "notes", "a text", "", b"", ""),
        (guess, "koi.txt", "Привет, мир", "read as KOI8-R (Russian)", guessed, "koi8-r"),
    }
    assert workspace.text == FEW_TOKENS and "restored" in workspace.note

    workspace.rename_encoding("mine", "better")
    workspace.own_texts.rename(key, "other")
    workspace.set_text("")
    second.save()
    first.save()  # an open tab keeps what it has, and puts nothing back
    assert titles(stored) == ["better", "koi.txt", "other"] and "mine" in first.workspace.own_encodings


def test_saved_items_of_two_tabs_under_one_name_are_kept() -> None:
    stored: dict[str, bytes] = {}
    one, two = Tab(stored), Tab(stored)
    for tab, text in ((one, "ab" * 50), (two, "cd" * 50)):
        tab.workspace.own_encodings.add(own_encoding(text))
        tab.workspace.own_texts.add("notes", text)
        tab.workspace.own_texts.add("twin", "the same in both")
        tab.save()
    assert len(stored) == 6
    again = Tab(stored)
    assert set(again.workspace.own_encodings) == {"mine", "mine-2"} and len(stored) == 5
    assert {text.title for text in again.workspace.own_texts.uploaded} == {"notes", "twin", "notes 2"}


def test_an_encoding_that_is_sent_twice_is_there_once() -> None:
    tab = saved_encoding()
    ((item, data),) = tab.stored.items()
    again = Tab(tab.stored)
    assert again.saved.restore(item, data) and list(again.workspace.own_encodings) == ["mine"]


def test_a_saved_encoding_is_the_one_that_a_link_awaits_and_takes_no_panel() -> None:
    tab = saved_encoding()
    link = {"encodings": ["mine", "gpt2"], "own": tab.workspace.own_encodings.marks(["mine"])}
    shown = Workspace()
    restore(shown, link)
    Tab(tab.stored, shown)
    assert shown.encodings == ["mine", "gpt2"] and "mine" in shown.own_encodings
    linked = Workspace()
    restore(linked, link)
    assert "mine" in linked.own_encodings.awaited
    linked.encodings = ["cl100k_base"]  # chosen since
    Tab(tab.stored, linked)
    assert linked.encodings == ["cl100k_base"]
    assert "mine" in linked.own_encodings and not linked.own_encodings.awaited


def test_saved_text_replaces_none_that_is_linked_or_typed() -> None:
    tab = Tab({})
    tab.workspace.take(FEW_TOKENS)
    tab.save()
    linked = Workspace()
    restore(linked, {"text": WELCOME})
    Tab(tab.stored, linked)
    assert linked.text == WELCOME
    typed = Workspace(text="typed")
    Tab(tab.stored, typed)
    assert typed.text == "typed" and len(tab.stored) == 1, "it stays stored"
    paged = Workspace()
    restore(paged, {"view": "ids", "page": 3})
    Tab(tab.stored, paged)
    assert paged.text == FEW_TOKENS and paged.view == "ids"


def test_an_item_that_the_person_removes_goes_from_the_session() -> None:
    tab = saved_encoding()
    tab.workspace.own_texts.add("notes", "a text")
    tab.workspace.take(FEW_TOKENS)
    tab.save()
    for item in ["0" * 24, *tab.stored]:
        tab.saved.remove(item)
    tab.save()
    assert not tab.workspace.own_encodings and not tab.workspace.own_texts.uploaded
    assert tab.workspace.text == FEW_TOKENS, "what stands in the editor stays there"


def test_a_session_goes_on_without_items_that_do_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(st.context), "cookies", {COOKIE: "1"})
    visit = Visit("learn/words/page.py", {})
    assert "Restoring your saved items" in visit.said and not visit.test.title
    visit.press("saved_go_on")
    assert visit.heading == "Words and sources"


def test_a_tab_remembers_what_no_link_holds() -> None:
    available, texts = ["gpt2", "mine", *first_encodings()], ["prose", "own-1", PLAYGROUND]
    measured = CompressionState(encodings=["mine"], texts=["own-1"], own_names=["mine"])
    again = CompressionState.from_link(Link(measured.to_tab()), available, ["mine"], texts)
    assert (again.encodings, again.texts, again.note) == (["mine"], ["own-1"], "")

    assert not TrainState.from_link(Link({"mine": "junk"})).store
    form = TrainState(name="typed", texts=["udhr:kor", "own-1"], vocab=-5, pattern=OWN_PATTERN, regex="(")
    assert form.to_link() == {}
    filled = TrainState.from_link(Link(form.to_tab()))
    assert filled.recipe() == form.recipe() and filled.name == "typed" and not filled.note


@pytest.mark.slow
def test_a_damaged_record_is_said_and_stays_stored() -> None:
    ((item, data),) = saved_encoding().stored.items()
    record = Record.from_bytes(data)
    for damaged in (
        Record({**record.head, "version": 1}, record.payload).to_bytes(),
        Record({**record.head, "kind": ["text"]}, record.payload).to_bytes(),
        data[:-1],
        data.partition(b"\n")[0] + b"\n" + zlib.compress(b"a" * 10**8),
        b"undefined\n",
        b"[" * 100_000,
        b"",
    ):
        stored = {item: damaged}
        again = Tab(stored)
        assert not again.workspace.own_encodings and item in stored, "another version may read it"
        (problem,) = again.problems
        assert "could not be brought back: " in problem and problem.count(".") == 1, damaged[:60]
        again.saved.remove(item)
        assert not again.problems


def test_an_encoding_that_there_is_no_room_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = saved_encoding()
    for limit, sentence in (("MAX_OWN_MEMORY", "of memory together"), ("MAX_OWN", "a session takes no more")):
        with monkeypatch.context() as low:
            low.setattr(own_encodings_module, limit, 0)
            again = Tab(made.stored)
        assert not again.workspace.own_encodings and len(made.stored) == 1
        assert "mine could not be brought back" in again.problems[0] and sentence in again.problems[0]


def test_read_encoding_leaves_out_odd_facts() -> None:
    known = record_of_encoding(grow()).head["facts"]
    model = file_of(grow().encoding)
    stopped = Record.make("encoding", "x", model, facts={**known, "stopped": "early"})
    assert read_encoding(stopped, Workspace()).stopped == "early"
    kinds: list[object] = [7, [{}], {"sources": [{}]}]
    for facts in (7, {}, *({**known, key: kind} for key in known for kind in kinds)):
        own = read_encoding(Record.make("encoding", "x", model, facts=facts), Workspace())
        assert file_of(own.encoding) == model


def test_requests_reach_only_the_session_that_their_ticket_names() -> None:
    app = Starlette(routes=ROUTES)

    def browser(ticket: str) -> TestClient:
        return TestClient(app, headers={"Grove-Ticket": ticket})

    tab, other = Tab({}), Tab({})
    tab.workspace.own_texts.add("notes", "a text")
    mine, theirs = browser(tab.saved.ticket), browser(other.saved.ticket)
    (item,) = mine.get("/class/grove/items").json()["items"]
    record = mine.get(f"/items/{item}").content
    assert Record.from_bytes(record).title == "notes"
    for stranger in (TestClient(app), browser("guessed"), theirs):
        assert stranger.get(f"/items/{item}").status_code == 404
    assert theirs.post(f"/items/{item}", content=record).json() is True
    assert theirs.get("/items").json() == {"items": [item], "problems": []}
    assert theirs.post("/items/another", content=b"junk").json() is False
    assert [text.title for text in other.workspace.own_texts.uploaded] == ["notes"]


# In a browser


LOST = "The connection to Token Grove’s server is lost"


def test_saved_items_are_there_until_they_are_forgotten(page: Page, tmp_path: Path) -> None:
    page.goto("/add_tokenizer")
    label = page.locator(".saved .label")
    (tmp_path / "brought.model").write_bytes(file_of(grow().encoding))
    add_tokenizer(page, tmp_path / "brought.model")
    expect(label).to_have_text("Saved here: 1")
    page.goto("/")
    page.locator("textarea.input").fill(FEW_TOKENS)  # as it is edited, not only when it is opened
    expect(label).to_have_text("Saved here: 2")
    page.reload()  # a new session, as another tab has
    expect_editor(page, FEW_TOKENS)
    expect_offered(page, "brought")

    page.locator(".saved .open").click()
    page.get_by_role("button", name="Delete brought").press("Enter")  # asks
    page.get_by_role("button", name="Delete brought? Press again").press("Enter")
    expect(label).to_have_text("Saved here: 1")
    expect_offered(page, "brought", 0)
    page.reload()
    expect_editor(page, FEW_TOKENS)
    expect_offered(page, "brought", 0)
    page.locator(".saved .open").click()
    page.locator(".saved .forget").click()
    expect(page.locator(".saved .sum")).to_contain_text("Everything is deleted")
    page.locator(".saved .switch").click()  # what is open here is saved again
    expect(label).to_have_text("Saved here: 1")
    with page.expect_response("**/items"):
        page.evaluate(
            """() => {
              IDBIndex.prototype.openKeyCursor = () => ({}); // without an end: what comes next has to wait
              dispatchEvent(new Event("grove:made"));
            }"""
        )
    page.locator(".saved .forget").evaluate("(button) => { button.click(); location.reload(); }")
    expect(label).to_have_text("Nothing is saved")  # a person who leaves at once has it deleted, too


def test_a_storage_that_fails_says_so_once_and_is_tried_again(browser: Chromium, server: str) -> None:
    failing = """{
      const put = IDBObjectStore.prototype.put;
      window.failure = "QuotaExceededError";
      IDBObjectStore.prototype.put = function (...values) {
        if (values[0].payload && window.failure) throw new DOMException("", window.failure);
        return put.apply(this, values);
      };
    }"""
    with visitor(browser, server) as context, watched_page(context) as page:
        page.clock.install()
        page.add_init_script(failing)
        page.goto("/")
        field, label = page.locator("textarea.input"), page.locator(".saved .label")
        problems = page.locator(".saved .problems p")
        field.fill(FEW_TOKENS)
        expect(page.locator(".saved .dot")).to_be_visible()
        page.locator(".saved .open").click()
        expect(problems).to_contain_text("storage is full")
        page.evaluate("() => { window.failure = 'UnknownError'; }")
        field.fill(OTHER_FEW_TOKENS)  # and what comes then is tried as well
        expect(problems).to_contain_text("cannot save")
        expect(problems).to_have_count(1)
        expect(label).to_have_text("Saved here: 0, not all")
        page.evaluate("() => { window.failure = null; }")
        page.clock.fast_forward(20_000)
        expect(label).to_have_text("Saved here: 1")


def test_typing_outlasts_a_restart_of_the_server(browser: Chromium) -> None:
    first = ExitStack()
    address = first.enter_context(serve())
    with first, visitor(browser, address) as context:
        typing = context.new_page()
        typing.goto("/")
        field, lost = typing.locator("textarea.input"), typing.get_by_text(LOST)
        field.fill("a line, and its end")
        expect(typing.locator(".counts")).to_contain_text("19 bytes")
        for _ in " its end":
            field.press("ArrowLeft")
        typing.keyboard.type(" before")

        first.close()
        expect(lost).to_be_visible()
        typing.keyboard.type(" meanwhile")
        typed = 0
        with serve(port=urlsplit(address).port or 0):
            while lost.count():  # it is typed on, whatever becomes of the page in this moment
                typing.keyboard.type("x", delay=20)
                typed += 1
            typing.keyboard.type("y" * 9)
            line = f"a line, and before meanwhile{'x' * typed}{'y' * 9} its end"
            expect(typing.locator(".counts")).to_contain_text(f"{len(line):,} bytes")
            expect(field).to_have_value(line)
            expect(field).to_be_focused()
