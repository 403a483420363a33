"""Links to views with encodings of a person's own: what they hold, and what their receiver is told."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

import tokenizers as tk
from pages.explore.playground.answer import build_answer, mount_data
from pages.grow.add_tokenizer.state import TokenizerImport
from pages.learn.lessons.state import OWN
from pages.session import bundles
from pages.session import own_encodings as own_encodings_module
from pages.session.bundles import is_bundle, open_bundle, write_bundle
from pages.session.editor_request import state_of
from pages.session.links import PARAMETER, pack_state, unpack_state
from pages.session.menu import MENU
from pages.session.own_encodings import MAX_OWN, OwnEncoding
from pages.session.page_state import Link
from pages.session.train_plan import Recipe
from pages.session.train_run import SessionTrainings
from pages.session.workspace import Pin, Workspace
from pages.session.workspace_link import MADE_WITH, expect_encodings, restore
from pages.shared import this_machine
from pages.shared.session import key_of
from tests.browser import add_tokenizer, expect, press, save_file
from tests.refusals import refused
from tests.test_add_tokenizer import JSON, MERGES_TXT, MODEL, RANKS, VOCAB_JSON, uploaded
from tests.visit import Parameters, Visit, chart_titles
from tokenizers.bpe import HomeEncoding
from tokenizers.data import STORIES
from tokenizers.files import file_of, load
from tokenizers.json_types import JsonObject

if TYPE_CHECKING:
    from playwright.sync_api import Page


def grow(name: str = "mine", n_vocab: int = 259) -> OwnEncoding:
    return OwnEncoding(tk.train("hug pug pun bun hugs " * 20, n_vocab, "gpt4", name=name))


def link_to(workspace: Workspace) -> JsonObject:
    """The state in the playground's link, as ``link.js`` makes it."""
    return {**state_of(workspace), "own": workspace.own_encodings.marks(workspace.encodings)}


def answer(workspace: Workspace) -> dict[str, JsonObject]:
    values, _ = build_answer(workspace, skips_slow=False)
    return {panel["name"]: panel for panel in values["panels"]}


@pytest.mark.parametrize("file, beside", [(JSON, b""), (MODEL, b""), (VOCAB_JSON, MERGES_TXT)])
def test_a_file_has_the_same_digest_under_any_name(file: bytes, beside: bytes) -> None:
    def added(name: str) -> OwnEncoding:
        return OwnEncoding(load(file, name, beside=beside, pattern="gpt2", normalizer=None))

    mine, theirs = added("mine"), added("another name")
    received = OwnEncoding(load(file_of(mine.encoding), "a third", is_trusted=False))
    assert mine.digest == theirs.digest == received.digest
    assert mine.digest != grow(n_vocab=258).digest


def test_restore_tells_what_to_add_and_then_shows_all() -> None:
    sender = with_own()
    sender.encodings, sender.pin = ["gpt2", "mine", "o200k_base"], Pin("mine", 4)
    sender.set_text("hugs and hugs", by_typing=True)
    visit = Visit("explore/playground/page.py", {"s": pack_state(link_to(sender)) or ""})
    receiver = visit.workspace
    assert receiver.encodings == sender.encodings and receiver.pin == sender.pin
    problem = answer(receiver)["mine"]["problem"]
    assert problem == receiver.own_encodings.say_awaited("mine")
    assert grow().digest[:8] in problem and problem.endswith(f"add the file on {MENU['add_tokenizer']}.")
    assert link_to(receiver) == link_to(sender), "the receiver can pass the link on"
    other = receiver.import_encoding(grow("mine", 258))
    assert other == "mine-2" and "mine" in receiver.own_encodings.awaited, (
        "another one of that name is not taken for it"
    )
    choices = mount_data(receiver)["available"]
    added = receiver.import_encoding(OwnEncoding(load(file_of(grow().encoding), "from a friend")))
    assert added == "mine" and not receiver.own_encodings.awaited
    assert mount_data(receiver)["available"] != choices, "by which the editor knows that it can ask again"
    assert receiver.encodings == ["mine-2", *sender.encodings] and receiver.pin == sender.pin
    assert answer(receiver)["mine"] == answer(sender)["mine"]


TINY = Recipe(parts=((STORIES, 1.0),), vocab_size=300, name="tiny")


def train(workspace: Workspace, recipe: Recipe) -> OwnEncoding:
    """Train by a recipe, as the page Train does."""
    trainings = SessionTrainings()
    trainings.start(workspace, recipe)
    assert trainings.run and trainings.run.wait(60) and trainings.newest
    return workspace.own_encodings[trainings.newest]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["explore/playground/page.py", "measure/languages/page.py"])
def test_a_link_with_a_recipe_is_complete_after_one_press(page: str) -> None:
    sender = Visit(page, {}, workspace=(workspace := Workspace(encodings=["gpt2"])))
    trained = train(workspace, TINY)
    sender.run()
    link: Parameters = {PARAMETER: pack_state(link_to(workspace)) or ""}
    if page != "explore/playground/page.py":
        link = {"encodings": "gpt2,tiny", MADE_WITH: f"{trained.mark}:tiny"}
        sender = Visit(page, link, workspace=workspace)
        link = sender.link
    assert "Only on this computer: tiny. A link to this page holds the recipe of tiny: " in sender.said
    receiver = Visit(page, link)
    assert "“tiny”, which is not here, and holds its recipe." in receiver.said
    assert "train it above, or add" in receiver.workspace.own_encodings.say_awaited("tiny")
    receiver.press("train_awaited_tiny")
    run = receiver.test.session_state[key_of(SessionTrainings)].run
    assert "Training “tiny”…" in receiver.said or run.is_over
    assert run.wait(60)
    receiver.run()
    assert receiver.workspace.own_encodings["tiny"].merges == trained.merges
    assert "which is not here" not in receiver.said


@pytest.mark.slow
def test_a_mark_has_a_recipe_only_if_it_leads_to_the_same() -> None:
    workspace = Workspace()
    short = train(workspace, dataclasses.replace(TINY, vocab_size=50_000))
    assert short.stopped and short.mark.startswith(f"{short.digest}~")  # the text has nothing more to learn
    stopped = HomeEncoding(short.merges[:9], "gpt4o", stopped="Stopped by you after 9 of 50 merges.")
    assert "~" not in dataclasses.replace(short, encoding=stopped).mark
    trained = train(workspace, TINY)
    assert trained.mark.startswith(f"{trained.digest}~")
    text = workspace.own_texts.add("a text", "hug pug pun " * 50)
    for changes in (
        {"problem": "out of memory"},
        {"recipe": dataclasses.replace(TINY, parts=((text, 1.0),))},
        {"recipe": None},
    ):
        assert dataclasses.replace(trained, **changes).mark == trained.digest


@pytest.mark.parametrize(
    "packed",
    ["", "x", "1garbage", pack_state({"recipe": 2}), pack_state({**TINY.to_record(), "texts": ""})],
)
def test_a_link_without_a_recipe_that_works_asks_for_the_file(packed: str) -> None:
    visit = Visit("explore/playground/page.py", {MADE_WITH: f"{'0' * 16}~{packed}:tiny"})
    assert list(visit.workspace.own_encodings.awaited) == ["tiny"]
    assert "holds its recipe" not in visit.said
    assert "train_awaited_tiny" not in [button.key for button in visit.test.button]


def test_a_damaged_link_to_the_playground_is_said() -> None:
    visit = Visit("explore/playground/page.py", {"s": "1garbage"})
    workspace = visit.workspace
    assert "This link is damaged" in workspace.note and workspace.note_is_error


@pytest.mark.parametrize("own", [7, ["mine"], {"mine": 7}, {"mine": "x" * 10**5}, {"mine": ["0" * 16]}])
def test_what_a_link_says_of_encodings_is_not_trusted(own: Any) -> None:
    workspace = Workspace()
    restore(workspace, {"encodings": ["mine", "gpt2"], "own": own})
    expect_encodings(workspace, Link({MADE_WITH: ["", ":", f"{'g' * 16}:mine", "0:gpt2"]}))
    assert not workspace.own_encodings.awaited and workspace.encodings == ["gpt2"]
    names = ["", "\u202egpj", "a" * 41, "a,b", "gpt2", *map(str, range(2 * MAX_OWN))]
    restore(workspace, {"own": dict.fromkeys(names, "0" * 16)})
    assert list(workspace.own_encodings.awaited) == list(map(str, range(MAX_OWN)))


LESSON = """
title = "Mine"
question = "Where are its cuts?"
minutes = 1
[texts]
hugs = "hugs and buns"
[[step]]
kind = "cuts"
asks = "Where?"
reveals = "There."
text = "hugs"
encodings = ['gpt2', "mine"]
"""
PAGES = f"""
measure/compression?encoding=gpt2&encoding=mine&text=prose&in=mine
measure/languages?encodings=mine,gpt2
measure/vocabulary_size?encodings=mine,gpt2&for=mine
measure/compare?a=mine&b=gpt2&query=ug
explore/vocabulary?encoding=mine&query=ug&token=257
explore/merge_trees?text=hug&encoding=mine&token=257
explore/unicode?text=hug&encodings=gpt2,mine
learn/lessons?lesson={OWN}&own={pack_state({"lesson": LESSON})}
""".split()
"""Links to views with an encoding of the sender's own."""


@pytest.mark.slow
@pytest.mark.parametrize("url", PAGES)
def test_made_with_names_what_a_page_lacks_until_it_is_added(url: str) -> None:
    page, query = url.split("?")
    sender = Visit(f"{page}/page.py", parse_qs(query), workspace=with_own())
    sent = sender.link
    assert sent[MADE_WITH] == f"{grow().digest}:mine"
    assert "Only on this computer: mine." in sender.said
    receiver = Visit(f"{page}/page.py", sent)
    test, workspace = receiver.test, receiver.workspace
    assert list(workspace.own_encodings.awaited) == ["mine"]
    if "unicode" not in page:  # its component shows it
        says = [each.value for shown in (test.error, test.warning, test.info) for each in shown]
        assert any("This link was made with mine (SHA-256 " in each for each in says)
    workspace.own_encodings.add(grow("from a friend"))
    receiver.run()
    assert not test.error
    assert receiver.link == sent


@pytest.mark.slow
def test_a_bundle_opens_the_page_that_saved_it() -> None:
    view = {"a": "mine", "b": "gpt2"}
    data = bundle_of("compare", view)
    stranger = Visit("grow/add_tokenizer/page.py", {})
    imports = stranger.test.session_state[key_of(TokenizerImport)]
    imports.read([uploaded("view.zip", data)], stranger.workspace)
    assert not imports.problems
    stranger.run()
    assert stranger.link == {**view, MADE_WITH: f"{grow().digest}:mine"}


def with_own() -> Workspace:
    workspace = Workspace()
    workspace.own_encodings.add(grow())
    return workspace


# Own texts

SHOWN: dict[str, JsonObject] = {
    "compression": {"compression_texts": ["own-1", "own-2"], "compression_only_text": "own-2"},
    "vocabulary_size": {"vocabulary_size_text": "own-1", "vocabulary_size_beside": "own-2"},
    "languages": {"languages_own_chosen": ["own-1", "own-2"], "languages_focus": "own-2"},
    "compare": {"compare_text": "own-1"},
}
"""Pages that show a person's own texts, with a choice of two."""


def sender_of(page: str, more: str = "") -> Visit:
    workspace = Workspace()
    for title, text in (("*notes*", "A tree is a tree. "), ("b.txt", "Ein Baum ist ein Baum. ")):
        workspace.own_texts.add(title, text + more)
    return Visit(f"measure/{page}/page.py", {}, workspace=workspace, **SHOWN[page])


def headline_of(visit: Visit) -> str:
    return visit.test.subheader[0].value if visit.test.subheader else chart_titles(visit.test)[0]


@pytest.mark.slow
@pytest.mark.parametrize("page", SHOWN)
def test_link_shows_the_senders_texts_and_leaves_the_receivers(page: str) -> None:
    sender = sender_of(page)
    mine = Workspace(text="typed here")
    mine.own_texts.add("b.txt", "mine")
    for link in (sender.link, sender.link):  # opened again, it adds nothing
        receiver = Visit(f"measure/{page}/page.py", link, workspace=mine)
        titles = {text.title: text.text for text in mine.own_texts.uploaded}
        assert list(titles) == ["b.txt", "*notes*", "b.txt 2"] and titles["b.txt"] == "mine"
        assert headline_of(receiver).replace("b.txt 2", "b.txt") == headline_of(sender)
        assert mine.text == "typed here" and not receiver.messages


@pytest.mark.slow
def test_text_in_the_editor_is_sent_and_stays_where_it_is_opened() -> None:
    sender = Visit("measure/compression/page.py", {"text": "playground"}, workspace=Workspace(text="sent"))
    receiver = Visit("measure/compression/page.py", sender.link, workspace=Workspace(text="typed here"))
    assert headline_of(receiver) == headline_of(sender).replace("Playground text", "Playground text 2")
    assert receiver.workspace.text == "typed here"
    assert receiver.workspace.own_texts["own-1"].text == "sent"
    same = Visit("measure/compression/page.py", sender.link, workspace=Workspace(text="sent"))
    assert same.link == sender.link and not same.workspace.own_texts.uploaded


@pytest.mark.slow
@pytest.mark.parametrize("page", SHOWN)
def test_texts_too_long_for_a_link_are_named_and_in_the_bundle(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[bytes] = []
    monkeypatch.setattr(
        "pages.shared.bundles.offer_files", lambda _, write, *__: saved.append(write()["view.zip"])
    )
    sender = sender_of(page, "".join(map(chr, range(0x4E00, 0x7000))))
    assert "does not hold your 2 texts" in sender.said and "texts" not in sender.link
    receiver = Visit(f"measure/{page}/page.py", sender.link)
    assert "“b.txt”" in receiver.messages.replace("\\", "") and not receiver.workspace.own_texts.uploaded
    mine = Workspace()
    mine.own_texts.add("mine", "mine")
    opened_page, view = opened(saved[-1], mine)
    assert opened_page == page and len(mine.own_texts.uploaded) == 3
    assert headline_of(Visit(f"measure/{page}/page.py", view, workspace=mine)) == headline_of(sender)


@pytest.mark.parametrize(
    "texts",
    [{"own-1": 5}, {"own-1": ["a"]}, {"own-1": ["a", None]}, {"own-1": ["a", ""]}, [], "1junk", "0"],
)
def test_damaged_texts_in_a_link_are_a_sentence(texts: Any) -> None:
    packed = str(texts) if isinstance(texts, str) else pack_state(texts)
    mine = Workspace()
    key = mine.own_texts.add("mine", "mine")
    receiver = Visit("measure/compression/page.py", {"text": key, "texts": packed or ""}, workspace=mine)
    assert len(receiver.test.warning) == 1 and receiver.messages.endswith(".")
    assert len(mine.own_texts.uploaded) == 1 and receiver.link == {}


# Bundles


def bundle_of(page: str, view: JsonObject, own: OwnEncoding | None = None) -> bytes:
    workspace = Workspace()
    name = workspace.own_encodings.add(own or grow())
    return write_bundle(workspace, page, view, [name], {})


def opened(data: bytes, workspace: Workspace | None = None) -> tuple[str, JsonObject]:
    return open_bundle(uploaded("view.zip", data), workspace or Workspace())


def test_bundle_holds_files_of_others_and_gives_the_view_back() -> None:
    view = {"text": "hugs \ud800", "encodings": ["gpt2", "my/own"], "pin": {"encoding": "my/own", "start": 1}}
    data = bundle_of("playground", view, grow("my/own"))
    assert is_bundle(data) and not any(map(is_bundle, (JSON, MODEL, RANKS)))
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        assert bundle.namelist() == ["1-my-own.model", "manifest.json"]
        assert bundle.read("1-my-own.model") == file_of(grow().encoding)
        assert {part.date_time[0] for part in bundle.infolist()} == {1980}  # no matter when it is saved
    receiver = Workspace()
    receiver.own_encodings.expect("my/own", grow(n_vocab=258).digest)
    for _ in range(2):  # opened again, it adds nothing
        assert opened(data, receiver) == ("playground", view)
        assert list(receiver.own_encodings) == ["my/own"] and not receiver.own_encodings.awaited
    other = Workspace()
    other.own_encodings.add(grow("my/own", 258))
    with refused(r"a different my/own than yours. Rename yours"):
        opened(data, other)


GOOD = {"version": 1, "page": "playground", "view": {}, "encodings": {"mine": "m"}}


def zip_of(changes: JsonObject, compression: int = zipfile.ZIP_DEFLATED, /, **parts: bytes) -> bytes:
    """A bundle of a tokenizer, with changes of its manifest, and other parts."""
    manifest = json.dumps({**GOOD, **changes})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as bundle:
        for name, data in {"m": MODEL, "manifest.json": manifest.encode(), **parts}.items():
            bundle.writestr(name, data)
    return buffer.getvalue()


HOSTILE = {
    "cut": bundle_of("playground", {})[:-30],
    "deep JSON": zip_of({}, **{"manifest.json": b"[" * 100_000}),
    "another version": zip_of({"version": 2}),
    "another page": zip_of({"page": "../../etc/passwd"}),
    "no view": zip_of({"view": "x"}),
    "a bomb": zip_of({}, m=bytes(70 << 20)),
    "too many entries": zip_of({}, zipfile.ZIP_STORED, **dict.fromkeys(map(str, range(1_000)), b"")),
    "packed otherwise": zip_of({}, zipfile.ZIP_LZMA),
    "paths": zip_of({"encodings": {"mine": "../m"}}),
}


def test_bundle_holds_as_many_encodings_as_a_session() -> None:
    workspace = Workspace()
    names = [workspace.own_encodings.add(grow(f"own {number}")) for number in range(MAX_OWN)]
    opened_in = Workspace()
    opened(write_bundle(workspace, "playground", {}, names, {}), opened_in)
    assert list(opened_in.own_encodings) == names


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_bundle_gets_one_sentence_and_adds_nothing(data: bytes) -> None:
    workspace = Workspace()
    with refused(r"^view.zip is not a bundle of .*Ask for it again\.$"):
        opened(data, workspace)
    assert not workspace.own_encodings


def test_bundle_encodings_are_checked_as_uploaded_files_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace = Workspace()
    for junk in (b"GIF89a", RANKS, b""):
        with refused(r"^bad in view.zip cannot be loaded\. "):
            opened(zip_of({"encodings": {"mine": "m", "bad": "b"}}, b=junk), workspace)
    assert not workspace.own_encodings, "all or none"
    two = zip_of({"encodings": {"mine": "m", "ours": "m"}})
    with monkeypatch.context() as low, refused("a session takes no more"):
        low.setattr(own_encodings_module, "MAX_OWN", 1)
        opened(two, workspace)
    monkeypatch.setattr(own_encodings_module, "MAX_OWN_MEMORY", 0)
    with refused("of memory together"):
        opened(zip_of({}), workspace)


def test_a_bundle_that_could_not_be_opened_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MAX_FILE_BYTES", 100)
    with refused("Send the link and the files"):
        bundle_of("playground", {})


# In a browser


def test_a_link_for_others_has_an_address_that_they_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen_from(url: str | None, *class_urls: str) -> str:
        here = SimpleNamespace(context=SimpleNamespace(url=url), get_option=lambda _: "/grove/")
        monkeypatch.setattr(this_machine, "st", here)
        monkeypatch.setattr(this_machine, "class_urls", lambda: list(class_urls))
        return this_machine.url_for_others()

    assert seen_from("https://school.example:81/grove/lessons") == "https://school.example:81/grove"
    for loopback in ("http://127.0.0.1:8501/grove/", "http://localhost:8501", "http://[::1]:8501/", None):
        assert seen_from(loopback, "http://10.0.0.7:8501/grove") == "http://10.0.0.7:8501/grove"
        assert seen_from(loopback) == ""


def test_a_link_and_a_bundle_hold_the_view_and_say_what_else_to_send(page: Page, tmp_path: Path) -> None:
    own = tmp_path / "mine.model"
    own.write_bytes(file_of(grow().encoding))
    page.goto("/add_tokenizer")
    add_tokenizer(page, own)
    press(page, "Open in the playground")
    expect(page.locator(".panel").first).to_contain_text("mine")
    page.locator("textarea.input").fill("hugs and buns")
    expect(page.locator(".counts")).to_contain_text("13 bytes")
    page.locator("[data-do=link]").click()
    explained = page.locator(".explain")
    expect(explained).to_contain_text("“mine” is on this computer only: send its file")
    expect(explained).to_contain_text("This link works on this computer only.")  # 127.0.0.1
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert unpack_state(link.partition("?s=")[2])["own"] == {"mine": grow().digest}
    press(page, "Save a bundle")
    saved = save_file(page.get_by_role("button", name="Download view.zip"))
    assert opened(saved.path().read_bytes())[1]["text"] == "hugs and buns"
