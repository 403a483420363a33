"""What a person made stays in their browser: its records, and how a session and a browser agree on them."""

from __future__ import annotations

import base64
import errno
import json
import os
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.grow.train.result import held_out_in_words
from pages.grow.train.state import OWN_PATTERN, TrainState
from pages.measure.compression.state import CompressionState
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.session import kept as kept_module
from pages.session import records as records_module
from pages.session import workspace as workspace_module
from pages.session.data_folder import VARIABLE, DataFolder, offered_path
from pages.session.editor_request import replace_text, state_of
from pages.session.grown import REFERENCES, Grown
from pages.session.guessed_file import read_file
from pages.session.kept import Kept
from pages.session.links import pack_state
from pages.session.own_texts import PLAYGROUND, digest_of
from pages.session.page_state import Link
from pages.session.records import Record, read_encoding, record_of_encoding, record_of_text
from pages.session.train_plan import Recipe
from pages.session.train_run import Run
from pages.session.workspace import WELCOME, Workspace, first_encodings
from pages.session.workspace_link import restore
from tests.browser import expect, serve, settled, visitor
from tests.examples import examples
from tests.limits import peak_bytes
from tests.visit import Visit
from tokenizers import askers
from tokenizers.formats import file_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import FilePayload, Page

LONG = "All human beings are born free. 안녕\n" * 6000


class Browser:
    """What the browser's side does, without one: it keeps records, and follows what a tab's session says."""

    def __init__(self, folder: DataFolder | None = None) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.on = True
        self.folder = folder

    def open_tab(self, workspace: Workspace | None = None) -> Tab:
        return Tab(self, workspace or Workspace(encodings=["gpt2"]))


class Tab:
    """A session and the page that it talks to."""

    def __init__(self, browser: Browser, workspace: Workspace, *, settled: bool = True) -> None:
        self.browser, self.workspace = browser, workspace
        self.kept = Kept("session")
        self.seq = self.wishes = 0
        if settled:
            self.settle()

    def say(self, **message: Any) -> dict[str, Any]:
        self.seq += 1
        listed = [{"id": name, "n_bytes": kept["n_bytes"]} for name, kept in self.browser.records.items()]
        message = {"seq": self.seq, "list": listed, "on": self.browser.on, "problem": "", **message}
        self.kept.hear(message, self.workspace, self.browser.folder)
        step = self.kept.next_step(self.workspace, self.browser.folder)
        return json.loads(json.dumps(step))  # type: ignore[no-any-return]

    def wish(self, **wish: Any) -> None:
        self.wishes += 1
        self.say(wish={"session": "session", "number": self.wishes, **wish})
        self.settle()

    def settle(self) -> None:
        """Go on until both sides have nothing to say."""
        step = self.say()
        for _ in range(50):
            if not (step["want"] or step["remove"] or step["put"]):
                return
            for name in step["remove"]:
                self.browser.records.pop(name)
            if step["put"]:
                self.browser.records[step["put"]["id"]] = step["put"]
            wanted = [self.browser.records[name] for name in step["want"]]
            step = self.say(records=wanted) if wanted else self.say()
        raise AssertionError("They do not agree.")


def grow(name: str = "mine") -> Grown:
    text = "the cat and the hat " * 30
    encoding = tk.train(text, 270, "gpt4o", ["<|end|>"], name=name)
    n_merges = len(encoding.merges)
    source = {
        "title": "cats",
        "bytes": 600,
        "times": 2.0,
        "held_texts": 1,
        "known_bytes": 3,
        "held_bytes": 30,
        "held_tokens": list(range(30, 29 - n_merges, -1)),
        "held_words": 5,
        "unknown_tokens": 1,
        "unknown_bytes": 2,
        "lost_bytes": 4,
        "references": dict.fromkeys(REFERENCES, 9),
    }
    report = {
        "sources": [source],
        "script_bytes": {"Latin": 500},
        "script_tokens": {"Latin": 12},
        "sizes": [],
        "stopped": encoding.stopped,
    }
    recipe = Recipe(parts=(("own-3", 2.0),), vocab_size=270, special_tokens=("<|end|>",), name=name)
    counts = list(range(n_merges))
    digests = {"own-3": digest_of("a text")}
    return Grown(encoding, counts, counts, 600, recipe, 1.5, report, "It ended early.", digests)


def make(workspace: Workspace, grown: Grown) -> str:
    name = workspace.add_grown(grown.encoding)
    workspace.growth[name] = grown
    return name


# Without a browser


@pytest.mark.slow
def test_what_was_made_is_there_in_the_next_session_and_in_every_tab() -> None:
    browser = Browser()
    first = browser.open_tab()
    make(first.workspace, grow())
    key = first.workspace.own_texts.add("notes", "a text")
    guessed = "Привет, мир".encode("koi8-r")
    decoded, file = read_file(guessed, "koi.txt")
    guess = first.workspace.own_texts.add("koi.txt", decoded.text, guessed=file)
    first.workspace.take(LONG)
    first.settle()
    assert len(browser.records) == 4 and not first.kept.problems

    second = browser.open_tab()
    workspace = second.workspace
    assert second.kept.is_settled and second.kept.came_back
    assert file_of(workspace.grown["mine"]) == file_of(first.workspace.grown["mine"])
    came, made = workspace.growth["mine"], first.workspace.growth["mine"]
    assert replace(came, encoding=made.encoding) == made
    assert (workspace.own_texts[key].title, workspace.own_texts[key].text) == ("notes", "a text")
    assert workspace.own_texts[guess].text == decoded.text and workspace.own_texts[guess].guessed == file
    assert workspace.text == LONG and "came back" in workspace.note
    replace_text(workspace, "back", "", b"")
    assert workspace.text == WELCOME
    assert len(browser.records) == 4

    second.workspace.remove_grown("mine")
    second.workspace.own_texts.rename(key, "other")
    second.workspace.own_texts.rename(guess, "guess")
    second.settle()
    first.settle()
    assert "mine" not in first.workspace.grown and "mine" not in first.workspace.growth
    assert [text.title for text in first.workspace.own_texts.brought] == ["other", "guess"]
    assert first.workspace.text == LONG  # what stands in an editor stays there


@pytest.mark.slow
def test_all_that_a_run_tells_of_its_growth_comes_back() -> None:
    ended: list[Grown] = []
    own = Workspace().own_texts
    key = own.add("notes", "the cat and the hat\n" * 30)
    recipe = Recipe(parts=(("udhr:eng", 2.0), (key, 1.0)), vocab_size=300)
    run = Run(recipe, {key: own[key]}, ended.append)
    run.start()
    assert run.wait(60)
    (made,) = ended
    _, came = read_encoding(record_of_encoding(made.encoding, made))
    assert came is not None and made.own_digests
    assert came.held_out_ratio == made.held_out_ratio and came.held_out_curve() == made.held_out_curve()
    assert held_out_in_words(came) == held_out_in_words(made)
    assert came.own_digests == made.own_digests


def test_what_is_known_of_a_brought_encoding_comes_back() -> None:
    brought = Grown(grow().encoding, file="brought.tiktoken", pattern_chosen=True)
    _, came = read_encoding(record_of_encoding(brought.encoding, brought))
    assert came is not None and (came.file, came.pattern_chosen) == ("brought.tiktoken", True)


def test_a_renamed_encoding_comes_back_with_its_recipe() -> None:
    browser = Browser()
    tab = browser.open_tab()
    make(tab.workspace, grow())
    tab.settle()
    tab.workspace.rename_grown("mine", "better")
    tab.settle()
    again = browser.open_tab().workspace
    assert list(again.grown) == ["better"] and again.growth["better"].recipe is not None


def test_two_tabs_with_things_of_one_name_keep_both() -> None:
    browser = Browser()
    one, two = browser.open_tab(), browser.open_tab()
    for tab, text in ((one, "ab" * 50), (two, "cd" * 50)):
        tab.workspace.add_grown(tk.train(text, 257, None, name="mine"))
        tab.workspace.own_texts.add("notes", text)
    for tab in (one, two, one, two):
        tab.settle()
    for tab in (one, two):
        assert set(tab.workspace.grown) == {"mine", "mine-2"}
        assert {text.title for text in tab.workspace.own_texts.brought} == {"notes", "notes 2"}
    assert len(browser.records) == 4


def test_a_link_with_an_encoding_of_ones_own_shows_it_again() -> None:
    browser = Browser()
    tab = browser.open_tab()
    make(tab.workspace, grow())
    tab.workspace.encodings = ["mine", "gpt2"]
    tab.settle()
    link = state_of(tab.workspace)
    again = Workspace()
    restore(again, link)
    assert again.encodings == ["gpt2"]
    browser.open_tab(again)
    assert again.encodings == ["mine", "gpt2"]
    other = Workspace()
    restore(other, link)
    other.encodings = ["cl100k_base"]  # chosen since
    browser.open_tab(other)
    assert other.encodings == ["cl100k_base"] and "mine" in other.grown


def test_a_text_in_a_link_or_typed_is_not_replaced_by_the_kept_one() -> None:
    browser = Browser()
    tab = browser.open_tab()
    tab.workspace.take(LONG)
    tab.settle()
    linked = Workspace()
    restore(linked, {"text": WELCOME})
    browser.open_tab(linked)
    assert linked.text == WELCOME
    typed = Workspace(text="typed")
    browser.open_tab(typed)
    assert typed.text == "typed"
    paged = Workspace()
    restore(paged, {"view": "ids", "page": 3})
    browser.open_tab(paged)
    assert paged.text == LONG and (paged.view, paged.page) == ("ids", 3)


def test_what_is_too_large_is_said_and_the_rest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_module, "MAX_RECORD_BYTES", 1000)
    browser = Browser()
    tab = browser.open_tab()
    tab.workspace.own_texts.add("large", "".join(chr(0x4E00 + i * 7919 % 20000) for i in range(2000)))
    tab.workspace.own_texts.add("small", "a text")
    tab.settle()
    assert [record["head"]["title"] for record in browser.records.values()] == ["small"]
    (problem,) = tab.kept.problems
    assert "large is too large" in problem
    monkeypatch.setattr(kept_module, "MAX_ALL_BYTES", 10)
    tab.workspace.own_texts.add("one more", "another text")
    tab.settle()
    assert "one more is not kept" in tab.kept.problems[1]


def test_a_browser_keeps_no_more_than_so_many_things(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_module, "MAX_RECORDS", 2)
    browser = Browser()
    tab = browser.open_tab()
    for title in ("first", "second", "third"):
        tab.workspace.own_texts.add(title, f"the {title} text")
    tab.settle()
    assert [record["head"]["title"] for record in browser.records.values()] == ["first", "second"]
    (problem,) = tab.kept.problems
    assert "third is not kept" in problem and "2 things" in problem


def test_what_the_browser_cannot_keep_is_sent_once_and_again_when_there_is_room() -> None:
    tab = Browser().open_tab()
    for title in ("large", "small"):
        tab.workspace.own_texts.add(title, f"a {title} text")
    step = tab.kept.next_step(tab.workspace)
    assert step["put"]["head"]["title"] == "large"
    assert tab.say(problem="It is full.")["put"]["head"]["title"] == "small"
    for _ in range(3):
        step = tab.say(problem="It is full.")
        assert step["put"] is None and step["problems"] == ["It is full."]
    tab.settle()
    assert [record["head"]["title"] for record in tab.browser.records.values()] == ["large", "small"]


def test_what_is_made_again_before_the_browser_has_removed_it_stays() -> None:
    tab = Browser().open_tab()
    name = make(tab.workspace, grow())
    tab.settle()
    tab.workspace.rename_grown(name, "other")
    step = tab.kept.next_step(tab.workspace)  # to remove the first
    tab.workspace.rename_grown("other", name)
    tab.kept.next_step(tab.workspace)
    for gone in step["remove"]:
        tab.browser.records.pop(gone)
    tab.settle()
    assert list(tab.workspace.grown) == [name] and len(tab.browser.records) == 1
    tab.settle()
    assert list(tab.workspace.grown) == [name] and len(tab.browser.records) == 1


def test_forgetting_takes_nothing_from_the_session_and_keeps_nothing_more() -> None:
    browser = Browser()
    tab = browser.open_tab()
    tab.workspace.own_texts.add("notes", "a text")
    tab.settle()
    browser.records.clear()
    browser.on = False
    tab.settle()
    assert len(tab.workspace.own_texts.brought) == 1 and not browser.records
    browser.on = True
    tab.settle()
    assert len(browser.records) == 1


@pytest.mark.slow
def test_one_thing_is_removed_in_every_tab() -> None:
    browser = Browser()
    one, two = browser.open_tab(), browser.open_tab()
    make(one.workspace, grow())
    one.workspace.own_texts.add("notes", "a text")
    one.settle()
    two.settle()
    encoding = next(name for name, kept in browser.records.items() if kept["head"]["kind"] == "encoding")
    del browser.records[encoding]  # the browser does it at once
    one.wish(remove=encoding)
    two.settle()
    for tab in (one, two):
        assert not tab.workspace.grown and len(tab.workspace.own_texts.brought) == 1
    assert len(browser.records) == 1
    browser.on = False  # also while nothing is kept
    (text,) = browser.records
    browser.records.clear()
    one.wish(remove=text)
    assert not one.workspace.own_texts.brought


def test_a_wish_is_followed_once_and_by_the_session_that_was_told() -> None:
    tab = Browser().open_tab()
    key = tab.workspace.own_texts.add("notes", "a text")
    tab.settle()
    (name,) = tab.browser.records
    tab.say(wish={"session": "another", "number": 1, "remove": name})
    assert key in tab.workspace.own_texts
    for junk in (None, 7, {"session": "session"}, {"session": "session", "number": 1, "remove": [name]}):
        tab.say(wish=junk)
    tab.say(wish={"session": "session", "number": 1, "remove": name})  # that number was used up
    assert key in tab.workspace.own_texts
    tab.say(wish={"session": "session", "number": 2, "remove": name})
    assert key not in tab.workspace.own_texts


def test_what_the_storage_does_not_let_go_of_is_told_once() -> None:
    tab = Browser().open_tab()
    name = make(tab.workspace, grow())
    tab.settle()
    tab.workspace.remove_grown(name)
    (stuck,) = tab.say()["remove"]
    for _ in range(3):
        step = tab.say(problem="It does not let go.")
        assert not step["remove"] and step["problems"] == ["It does not let go."]
    assert tab.say()["remove"] == [stuck]  # it works again
    tab.settle()
    assert not tab.browser.records


def test_what_the_browser_cannot_read_is_asked_for_once() -> None:
    browser = Browser()
    first = browser.open_tab()
    make(first.workspace, grow())
    first.settle()
    second = Tab(browser, Workspace(), settled=False)
    assert len(second.say()["want"]) == 1
    for _ in range(3):
        step = second.say(problem="It cannot be read.", unread=True)
        assert not step["want"] and not step["remove"] and second.kept.is_settled
    second.settle()
    assert "mine" in second.workspace.grown


def test_a_list_that_was_read_earlier_takes_nothing_away() -> None:
    tab = Browser().open_tab()
    name = make(tab.workspace, grow())
    tab.say(read_at=1.0)
    tab.settle()
    tab.say(read_at=3.0)
    assert tab.kept.stored
    tab.say(read_at=2.0, list=[])  # sent again under a new number
    assert name in tab.workspace.grown and tab.kept.stored
    tab.say(read_at=4.0, list=[])
    assert name not in tab.workspace.grown


def test_a_storage_that_was_cleared_from_outside_takes_nothing_away() -> None:
    tab = Browser().open_tab()
    name = make(tab.workspace, grow())
    tab.settle()
    tab.say(storage="one")
    tab.browser.records.clear()
    tab.say(storage="another")
    tab.settle()
    assert name in tab.workspace.grown and len(tab.browser.records) == 1


def test_what_another_tab_renamed_keeps_its_place_here() -> None:
    browser = Browser()
    one, two = browser.open_tab(), browser.open_tab()
    make(one.workspace, grow())
    keys = [one.workspace.own_texts.add(title, title) for title in ("first", "second")]
    one.settle()
    two.settle()
    two.workspace.encodings = ["gpt2", "mine", "cl100k_base"]
    one.workspace.rename_grown("mine", "better")
    one.workspace.own_texts.rename(keys[0], "other")
    one.settle()
    two.settle()
    assert two.workspace.encodings == ["gpt2", "better", "cl100k_base"]
    assert two.workspace.growth["better"].recipe is not None and list(two.workspace.growth) == ["better"]
    assert [text.title for text in two.workspace.own_texts.brought] == ["other", "second"]
    assert len(browser.records) == 3
    two.workspace.rename_grown("better", "mine")  # and back, from the other side
    two.settle()
    one.settle()
    assert list(one.workspace.grown) == ["mine"] and len(browser.records) == 3


# In a folder of the machine


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data" / "kept", kept_module.MAX_RECORDS, kept_module.MAX_ALL_BYTES)
    folder.choose(True)
    return folder


def files(folder: DataFolder) -> list[Path]:
    return sorted(folder.path.glob("*.record"))


@pytest.mark.slow
def test_what_was_made_lies_in_the_folder_for_its_owner_alone(folder: DataFolder) -> None:
    first = Browser(folder).open_tab()
    make(first.workspace, grow())
    first.workspace.own_texts.add("notes", "a text")
    first.workspace.take(LONG)
    first.settle()
    assert len(files(folder)) == 3 and not first.browser.records and not first.kept.problems
    assert {path.stat().st_mode & 0o777 for path in folder.path.iterdir()} == {0o600}
    assert folder.path.stat().st_mode & 0o777 == 0o700

    second = Browser(folder).open_tab()  # another browser of the same person
    assert second.kept.is_settled and second.kept.came_back and second.workspace.text == LONG
    assert file_of(second.workspace.grown["mine"]) == file_of(first.workspace.grown["mine"])
    second.workspace.encodings = ["mine"]
    first.workspace.rename_grown("mine", "better")
    first.settle()
    second.settle()
    assert second.workspace.encodings == ["better"] and len(files(folder)) == 3
    second.workspace.remove_grown("better")
    second.settle()
    first.settle()
    assert not first.workspace.grown and len(files(folder)) == 2


@pytest.mark.slow
def test_what_is_kept_moves_to_the_place_that_is_chosen(folder: DataFolder) -> None:
    folder.choose(False)
    browser = Browser(folder)
    tab, other = browser.open_tab(), browser.open_tab()
    make(tab.workspace, grow())
    tab.workspace.own_texts.add("notes", "a text")
    tab.settle()
    other.settle()
    assert len(browser.records) == 2 and not files(folder)
    tab.wish(folder=True)
    assert not browser.records and len(files(folder)) == 2
    other.settle()
    tab.wish(folder=False)
    other.settle()
    assert len(browser.records) == 2 and not files(folder)
    for each in (tab, other):
        assert list(each.workspace.grown) == ["mine"] and len(each.workspace.own_texts.brought) == 1

    tab.wish(folder=True)
    (name, *_) = folder.listed()
    tab.wish(remove=name)
    assert len(files(folder)) == 1
    browser.on = False
    tab.wish(forget=True)
    assert not files(folder)


def test_forgetting_all_in_the_folder_takes_nothing_from_another_browsers_session(folder: DataFolder) -> None:
    one, two = Browser(folder).open_tab(), Browser(folder).open_tab()
    name = make(one.workspace, grow())
    one.settle()
    two.workspace.own_texts.add("notes", "a text")
    two.settle()
    assert two.workspace.grown and len(files(folder)) == 2
    one.browser.on = False  # as the browser does it
    one.wish(forget=True)
    two.settle()
    assert not files(folder), "forgotten is forgotten: another browser does not keep it again by itself"
    assert list(two.workspace.grown) == [name] and len(two.workspace.own_texts.brought) == 1
    assert "forgotten from another browser" in " ".join(two.kept.problems) and not one.kept.problems
    two.workspace.own_texts.add("more", "another text")
    two.settle()
    assert len(files(folder)) == 1, "what is new is kept"
    for on in (False, True):
        two.browser.on = on
        two.settle()
    assert len(files(folder)) == 3 and not two.kept.problems
    key = two.workspace.own_texts.brought[0].key
    two.workspace.own_texts.remove(key)
    two.settle()
    assert len(files(folder)) == 2


def test_what_came_back_moves_as_one_thing(folder: DataFolder) -> None:
    folder.choose(False)
    browser = Browser(folder)
    first = browser.open_tab()
    make(first.workspace, grow())
    first.workspace.growth["mine"].report["kind"] = "done"  # as the training process says it
    first.settle()
    assert len(browser.records) == 1
    again = browser.open_tab()  # a reload: what is read back makes another record
    again.wish(folder=True)
    assert not browser.records and len(files(folder)) == 1
    for _ in range(2):
        again = browser.open_tab()
        assert list(again.workspace.grown) == ["mine"] and len(files(folder)) == 1


def test_what_cannot_be_written_takes_the_place_of_nothing(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = Browser(folder).open_tab()
    key = tab.workspace.own_texts.add("notes", "a text")
    tab.settle()
    before = files(folder)

    def refuse(self: DataFolder, record: Record) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(DataFolder, "put", refuse)
        tab.workspace.own_texts.rename(key, "renamed")
        for _ in range(3):
            tab.settle()
        assert files(folder) == before
        assert [problem for problem in tab.kept.problems if "is full" in problem and "save it" in problem]
    again = Browser(folder).open_tab()
    assert [text.title for text in again.workspace.own_texts.brought] == ["notes"]
    tab.wish(folder=False)
    tab.wish(folder=True)  # it is tried again
    assert len(files(folder)) == 1 and not tab.kept.problems
    again = Browser(folder).open_tab()
    assert [text.title for text in again.workspace.own_texts.brought] == ["renamed"]


def test_files_in_the_folder_that_are_damaged_or_foreign_are_said_and_left_alone(folder: DataFolder) -> None:
    tab = Browser(folder).open_tab()
    make(tab.workspace, grow())
    tab.settle()
    (path,) = files(folder)
    data = path.read_bytes()
    for damaged in (data[:-1], b"", data.replace(b"mine", b"mime"), b"[" * 100_000, b"\0" * 9):
        path.write_bytes(damaged)
        (folder.path / "holiday.jpg").write_bytes(b"x")
        again = Browser(folder).open_tab()
        assert again.kept.is_settled and not again.workspace.grown
        assert "damaged" in " ".join(again.kept.problems)
        assert "holiday.jpg" not in " ".join(again.kept.problems) and "a file that is not" in " ".join(
            again.kept.problems
        )
        assert path.read_bytes() == damaged and (folder.path / "holiday.jpg").exists()
    again.wish(remove=path.stem)
    assert not files(folder) and (folder.path / "holiday.jpg").exists()


def test_a_folder_that_cannot_be_written_or_is_gone_is_one_sentence(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = Browser(folder).open_tab()
    tab.workspace.own_texts.add("notes", "a text")
    tab.settle()

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        make(tab.workspace, grow())
        tab.settle()
        (problem,) = tab.kept.problems
        assert problem.startswith(f"The disk with the folder {folder.path} is full")
        assert tab.say()["problems"] == [problem]  # as long as it is so
    assert len(files(folder)) == 1 and not list(folder.path.glob(".*.part"))

    def refuse(*_: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as unreadable:
        unreadable.setattr(os, "scandir", refuse)
        assert "cannot be used (Permission denied)" in " ".join(tab.say()["problems"])
        assert tab.workspace.grown and len(tab.workspace.own_texts.brought) == 1
    tab.say(on=False)
    tab.settle()  # switched on again, and there is room
    assert len(files(folder)) == 2 and not tab.kept.problems

    shutil.rmtree(folder.path)  # then things are kept in the browser
    tab.settle()
    assert tab.workspace.grown and len(tab.browser.records) == 2

    folder.path.write_text("This is no folder.")
    tab.wish(folder=True)
    assert "cannot be used" in tab.kept.problems[0] and len(tab.browser.records) == 2


def test_the_folder_is_offered_to_the_one_person_at_this_machine_alone() -> None:
    def offered(address: str | None = "127.0.0.1", named: str = "/data", **headers: str) -> bool:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return offered_path({VARIABLE: named} if named else {}, address, headers) is not None

    assert offered(host="localhost:8501") and offered(host="127.0.0.1") and offered("::1", host="[::1]:8501")
    assert not offered(host="localhost:8501", named="") and not offered()
    for address in (None, "", "0.0.0.0", "192.168.1.7"):
        assert not offered(address, host="localhost:8501")
    for host in ("grove.example", "192.168.1.7:8501", "localhost.evil.example", "evil@x:1", "[", ""):
        assert not offered(host=host)
    for header in ("x_forwarded_for", "forwarded", "via", "x_real_ip"):
        assert not offered(host="localhost:8501", **{header: "127.0.0.1"})


def test_a_tab_remembers_what_no_link_holds() -> None:
    available, texts = ["gpt2", "mine"], ["prose", "own-1", PLAYGROUND]
    measured = CompressionState(encodings=["mine"], texts=["own-1"], available=available, grown=["mine"])
    assert not {"encoding", "text"} & measured.to_link().keys()
    again = CompressionState.from_link(Link(measured.to_tab()), available, ["mine"], texts)
    assert (again.encodings, again.texts, again.note) == (["mine"], ["own-1"], "")

    sizes = VocabularySizeState(encodings=["mine", "gpt2"], text="own-1", grown=["mine"])
    assert "mine" not in str(sizes.to_link()) and "own-1" not in str(sizes.to_link())
    seen = VocabularySizeState.from_link(
        Link(sizes.to_tab()), [*available, *first_encodings()], ["mine"], texts
    )
    assert (seen.encodings, seen.text) == (["mine", "gpt2"], "own-1")

    form = TrainState(vocab=777, name="typed", own=["own-1"], languages=["kor"])
    assert form.to_link() == {}
    filled = TrainState.from_link(Link(form.to_tab()))
    assert filled.recipe() == form.recipe() and filled.own == ["own-1"] and not filled.note
    assert TrainState.from_link(Link({"mine": "junk"})) == TrainState()
    odd: dict[str, Any]  # what cannot be grown yet, so that no link holds it
    for odd in (
        {"vocab": -5},
        {"pattern": OWN_PATTERN, "regex": "("},
        {"special": "a\na"},
        {"coverage": 700.0},
    ):
        form = TrainState(name="typed", languages=["kor"], **odd)
        filled = TrainState.from_link(Link(form.to_tab()))
        assert filled.recipe() == form.recipe() and filled.name == "typed", odd
    for vocab in (1e300, float("nan"), 10**15):
        tab = {"mine": pack_state({**form.recipe().to_record(), "vocab": vocab}) or ""}
        assert TrainState.from_link(Link(tab)) == TrainState()


def spoil(record: dict[str, Any], **head: Any) -> dict[str, Any]:
    return {**record, "head": {**record["head"], **head}}


@pytest.mark.parametrize(
    "change",
    [
        lambda record: spoil(record, version=2),
        lambda record: spoil(record, kind="lesson"),
        lambda record: spoil(record, parts=[10**12, 5]),
        lambda record: spoil(record, parts="?"),
        lambda record: {**record, "payload": "AAAA"},
        lambda record: {**record, "payload": "é"},
        lambda record: {**record, "payload": base64.b64encode(zlib.compress(b"a" * 10**8)).decode()},
        lambda record: {**record, "payload": 7},
        lambda record: {"id": record["id"]},
    ],
)
def test_a_damaged_record_is_said_and_does_no_harm(
    change: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    browser = Browser()
    tab = browser.open_tab()
    make(tab.workspace, grow())
    tab.settle()
    ((name, record),) = browser.records.items()
    browser.records[name] = {"n_bytes": 5, **change(record)}
    again = browser.open_tab()
    assert again.kept.is_settled and not again.workspace.grown
    assert "could not be brought back" in again.kept.problems[0]
    assert name in browser.records  # another version may read it


def test_an_encoding_that_there_is_no_room_for_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file takes up to 70 times its length in memory once it is read."""
    browser = Browser()
    made = browser.open_tab()
    make(made.workspace, grow())
    made.settle()
    monkeypatch.setattr(workspace_module, "MAX_OWN_MEMORY", 1_000)
    monkeypatch.setattr(records_module, "read_any", lambda *args: pytest.fail("it was read"))
    again = browser.open_tab()
    assert again.kept.is_settled and not again.workspace.grown
    assert "mine could not be brought back" in again.kept.problems[0]
    assert "of memory together" in again.kept.problems[0] and browser.records


def sent(n: int, record: Record) -> dict[str, Any]:
    """A record as a browser sends it, under an id of its own."""
    payload = base64.b64encode(record.payload).decode()
    return {"id": f"{n:024x}", "n_bytes": 1, "head": record.head, "payload": payload}


def listed(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """What a browser says that it keeps: these records."""
    return [{"id": record["id"], "n_bytes": record["n_bytes"]} for record in records]


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """The records that were unpacked."""
    seen: list[Record] = []
    read_parts = Record.read_parts

    def seen_first(record: Record, limits: Sequence[int]) -> list[bytes]:
        seen.append(record)
        return read_parts(record, limits)

    monkeypatch.setattr(Record, "read_parts", seen_first)
    return seen


def test_records_that_nobody_asked_for_are_not_unpacked(unpacked: list[Record]) -> None:
    """Each of the 300 of a message could take 84 MB, and was tried again with the next message."""
    tab = Tab(Browser(), Workspace(), settled=False)
    record = Record.make("text", "x", [b"a text"])
    for _ in range(2):
        tab.say(records=[sent(n, record) for n in range(300)])
    assert not unpacked and not tab.workspace.own_texts.brought
    tab.say(records=[sent(7, record), sent(7, record)], list=listed(sent(7, record)))
    assert len(unpacked) == len(tab.workspace.own_texts.brought) == 1


def test_one_message_unpacks_no_more_than_its_share_and_what_is_left_is_asked_for_again(
    unpacked: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MAX_UNPACKED", 1_000)
    tab = Tab(Browser(), Workspace(), settled=False)
    records = [sent(n, Record.make("text", "x", [b"%d" % n * 600])) for n in range(6)]
    records[0]["head"]["parts"] = [-(10**9)]
    step = tab.say(records=records, list=listed(*records))
    assert len(unpacked) == 3 and step["want"] == [record["id"] for record in records[3:]]
    step = tab.say(records=records, list=listed(*records))
    assert len(unpacked) == 5 and step["want"] == [records[5]["id"]]


def test_of_what_a_browser_lists_and_sends_a_bounded_number_is_looked_at(
    unpacked: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MAX_RECORDS", 4)
    tab = Tab(Browser(), Workspace(), settled=False)
    records = [sent(n, Record.make("text", "x", [b"%d" % n * 9])) for n in range(6)]
    step = tab.say(records=[], list=listed(*records))
    assert step["want"] == [record["id"] for record in records[:4]]
    junk: list[Any] = [{}] * 4
    tab.say(records=junk + records, list=listed(*records))
    assert not unpacked
    tab.say(records=records, list=listed(*records))
    assert len(unpacked) == len(tab.workspace.own_texts.brought) == 4


def test_a_record_that_is_too_long_is_not_unpacked(
    unpacked: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MAX_RECORD_BYTES", 90)
    tab = Tab(Browser(), Workspace(), settled=False)
    short, long = (sent(n, Record({"version": 1, "kind": "text"}, b"a" * n)) for n in (90, 100))
    tab.say(records=[short, long], list=listed(short, long))
    assert [len(record.payload) for record in unpacked] == [90]
    assert any("it is too long" in problem for problem in tab.kept.problems)


def test_a_record_is_unpacked_no_further_than_it_says_and_may_be() -> None:
    bomb = Record({"parts": [5]}, zlib.compress(bytes(50_000_000)))

    def unpack() -> None:
        with pytest.raises(ValueError, match="damaged"):
            bomb.read_parts([10])

    assert peak_bytes(unpack) < 1_000_000
    record = Record.make("text", "x", [b"a" * 11])
    assert record.read_parts([11]) == [b"a" * 11]
    with pytest.raises(ValueError, match="its parts are not as they were kept"):
        record.read_parts([10])


def test_an_encoding_for_which_there_is_no_place_is_not_unpacked(
    unpacked: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_module, "MAX_OWN", 0)
    tab = Tab(Browser(), Workspace(), settled=False)
    record = sent(1, record_of_encoding(grow().encoding, None))
    tab.say(records=[record], list=listed(record))
    assert not unpacked and "a session takes no more" in tab.kept.problems[0]


def test_records_are_taken_as_long_as_their_browser_is_there(unpacked: list[Record]) -> None:
    tab = Tab(Browser(), Workspace(), settled=False)
    records = [sent(n, Record.make("text", "x", [b"%d" % n * 9])) for n in range(3)]
    with askers.asked_by(askers.Asker("one", lambda: not unpacked)):
        tab.say(records=records, list=listed(*records))
    assert len(unpacked) == 1
    tab.say(records=records, list=listed(*records))
    assert len(unpacked) == 3 and len(tab.workspace.own_texts.brought) == 3


def test_an_encoding_comes_back_even_if_what_is_said_of_its_growth_is_no_good() -> None:
    model = file_of(grow().encoding)
    for growth in (b"7", b"{}", b"[", b'{"counts": [1]}', b"[" * 100_000):
        encoding, grown = read_encoding(Record.make("encoding", "x", [model, growth]))
        assert file_of(encoding) == model and grown is None
    good = grow()
    record = record_of_encoding(good.encoding, good)
    _, growth_bytes = record.read_parts([1 << 20, 1 << 20])
    known = json.loads(growth_bytes)
    for key in known:
        odd: object
        for odd in (None, 7, "x", [], [{}], {"sources": [{}]}):
            spoilt = json.dumps({**known, key: odd}).encode()
            encoding, _ = read_encoding(Record.make("encoding", "x", [model, spoilt]))
            assert file_of(encoding) == model


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("0" * 24),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "head", "payload", "n_bytes", "version", "kind"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.slow
@examples(200)
@given(st.dictionaries(st.sampled_from(["seq", "list", "records", "on", "problem"]), junk))
def test_junk_from_the_browser_does_no_harm(message: dict[str, Any]) -> None:
    kept, workspace = Kept("s"), Workspace(encodings=["gpt2"])
    kept.hear(message, workspace)
    kept.hear({**message, "seq": 1}, workspace)
    kept.next_step(workspace)
    assert workspace.text == WELCOME and not workspace.grown


def test_a_text_has_the_same_record_in_every_tab() -> None:
    texts = [Workspace().own_texts for _ in range(2)]
    records = [record_of_text(own[own.add("notes", "a text")]) for own in texts]
    assert records[0].id == records[1].id


def test_a_page_without_a_cookie_waits_for_nothing() -> None:
    test = Visit("learn/words/page.py", {}).test
    assert len(test.main) > 2 and [button.key for button in test.button] == ["try_of_words"]


# In a browser


# Texts too long for a link, of few tokens: what draws many takes a browser seconds.
FEW_TOKENS = " discrimination" * 4_000
OTHER_FEW_TOKENS = " international" * 4_300


def take_file(page: Page, file: Path) -> None:
    """Bring a tokenizer in a file, on the page Bring, and take it."""
    settled(page)
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text(f"{file.stem} can be chosen on every page now.")).to_be_visible()


@pytest.mark.slow
def test_a_reload_and_a_second_tab_bring_everything_back_until_it_is_forgotten(
    page: Page, tmp_path: Any
) -> None:
    model = tmp_path / "brought.model"
    model.write_bytes(file_of(grow().encoding))
    page.goto("/bring")
    second = tmp_path / "second.model"
    second.write_bytes(file_of(tk.train("ab" * 50, 257, None)))
    for number, file in ((1, second), (2, model)):
        take_file(page, file)
        expect(page.locator(".keeper .label")).to_have_text(f"Kept here: {number}")
    page.goto("/train")
    expect(page.get_by_text("comes from")).to_be_visible()
    page.goto("/compression?encoding=brought&encoding=gpt2")  # its address is read when the encoding is here
    expect(page.get_by_test_id("stMultiSelect").get_by_text("brought", exact=True).first).to_be_visible()
    expect(page.get_by_text("not here")).to_have_count(0)

    page.goto("/")
    page.locator("textarea.input").fill(FEW_TOKENS)  # as it is edited, not only when it is opened
    expect(page.locator(".keeper .label")).to_have_text("Kept here: 3")
    expect(page.locator(".keeper .sum")).to_contain_text("50 MB, compressed.")  # a text is longer
    page.reload()
    expect(page.locator("textarea.input")).to_have_value(FEW_TOKENS)
    other = page.context.new_page()
    other.goto("/")
    expect(other.locator("textarea.input")).to_have_value(FEW_TOKENS)
    expect(other.locator(".add option", has_text="brought")).to_have_count(1)

    page.locator(".keeper .open").click()
    expect(page.locator(".keeper .list")).to_contain_text("brought")
    expect(other.locator(".add option", has_text="second")).to_have_count(1)
    page.get_by_role("button", name="Remove second").press("Enter")  # asks
    page.get_by_role("button", name="Remove second? Press again").press("Enter")
    expect(page.get_by_role("button", name="Remove brought")).to_be_focused()  # the keyboard can go on
    for tab in (page, other):
        expect(tab.locator(".keeper .label")).to_have_text("Kept here: 2")
        expect(tab.locator(".add option", has_text="second")).to_have_count(0)
    page.locator(".keeper .forget").click()
    expect(page.locator(".keeper .sum")).to_contain_text("All is forgotten")
    expect(other.locator(".keeper .label")).to_have_text("Nothing is kept")
    other.close()
    page.goto("/")
    expect(page.locator(".keeper .label")).to_have_text("Nothing is kept")
    expect(page.locator("textarea.input")).to_have_value(WELCOME)
    expect(page.locator(".add option", has_text="brought")).to_have_count(0)


def test_a_browser_whose_storage_is_full_says_so_once(page: Page) -> None:
    full = "IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };"
    with page.add_init_script(full):  # the page is the next test's, too
        page.goto("/")
    page.locator("textarea.input").fill(FEW_TOKENS)
    expect(page.locator(".keeper .dot")).to_be_visible()
    page.locator(".keeper .open").click()
    page.locator("textarea.input").fill(OTHER_FEW_TOKENS)  # and what comes then is tried as well
    expect(page.locator(".keeper .problems p")).to_have_count(1)
    expect(page.locator(".keeper .problems")).to_contain_text("storage is full")


def test_a_storage_that_fails_for_a_while_is_tried_again(page: Page) -> None:
    failing = """{
      const put = IDBObjectStore.prototype.put;
      let failures = 3; // at first, and once more at once by a new connection; and again after a while
      IDBObjectStore.prototype.put = function (...values) {
        if (values[0].payload && failures-- > 0) throw new DOMException("", "UnknownError");
        return put.apply(this, values);
      };
    }"""
    with page.add_init_script(failing):
        page.goto("/")
    page.locator("textarea.input").fill(FEW_TOKENS)
    expect(page.locator(".keeper .label")).to_have_text("Kept here: 0, not all")
    expect(page.locator(".keeper .label")).to_have_text("Kept here: 1")


@pytest.mark.slow
def test_an_open_tab_finds_everything_again_when_the_server_is_started_anew(
    browser: Chromium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    model = tmp_path / "brought.model"
    model.write_bytes(file_of(grow().encoding))
    first = ExitStack()
    address = first.enter_context(serve())
    with first, visitor(browser, address) as context:
        measure = context.new_page()
        measure.goto("/compression?text=prose&encoding=gpt2")
        expect(measure.locator(".keeper .label")).to_have_text("Kept here: 0")
        settled(measure)
        measure.get_by_text("Your own texts", exact=True).click()
        text: FilePayload = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"low low lower " * 50}
        measure.locator(".st-key-own_texts_files input[type=file]").set_input_files(text)
        expect(measure.locator(".keeper .label")).to_have_text("Kept here: 1")
        measure.locator(".keeper .open").click()
        measure.get_by_label("in a folder of this machine").check()
        expect(measure.locator(".keeper .where")).to_contain_text("in a folder")
        measure.keyboard.press("Escape")

        train = context.new_page()
        train.goto("/bring")
        expect(train.locator(".keeper .label")).to_have_text("Kept here: 1")
        take_file(train, model)
        expect(train.locator(".keeper .label")).to_have_text("Kept here: 2")
        train.goto("/train")
        expect(train.get_by_text("comes from")).to_be_visible()
        settled(train)
        train.get_by_role("spinbutton", name="Vocabulary").fill("777")
        train.keyboard.press("Tab")
        expect(
            train.get_by_text("learns up to 521 merges").or_(train.get_by_text("comes from"))
        ).to_be_visible()
        settled(train)

        play = context.new_page()
        play.goto("/")
        play.locator("textarea.input").fill(OTHER_FEW_TOKENS)
        expect(play.locator(".keeper .label")).to_have_text("Kept here: 3")
        expect(measure.locator(".keeper .label")).to_have_text("Kept here: 3")
        settled(measure)
        assert len(list((tmp_path / "data" / "kept").glob("*.record"))) == 3
        pages = (measure, train, play)
        first.close()
        for page in pages:
            expect(page.get_by_text("The connection to Token Grove’s server is lost")).to_be_visible()
        with serve(port=urlsplit(address).port or 0):
            for page in pages:
                page.bring_to_front()
                expect(page.get_by_text("The connection to Token Grove’s server is lost")).to_have_count(0)
                expect(page.locator(".keeper .label")).to_have_text("Kept here: 3")
            expect(play.locator("textarea.input")).to_have_value(OTHER_FEW_TOKENS)
            expect(play.locator(".add option", has_text="brought")).to_have_count(1)
            expect(train.get_by_role("spinbutton", name="Vocabulary")).to_have_value("777")
            expect(train.get_by_text("comes from")).to_be_visible()
            expect(train.get_by_text("holds a recipe")).to_have_count(0)
            chosen = measure.get_by_role("button", name="notes.txt", pressed=True)
            expect(
                chosen.or_(measure.locator("[data-selected=true]", has_text="notes.txt")).first
            ).to_be_visible()
            measure.reload()  # and again, by a reload
            expect(measure.locator("[data-selected=true]", has_text="notes.txt").first).to_be_visible()
