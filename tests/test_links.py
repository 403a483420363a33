"""Links to views with encodings of a person's own: what they hold, and what their receiver is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tokenizers as tk
from pages.session.editor_request import state_of
from pages.session.links import pack_state
from pages.session.menu import MENU
from pages.session.page_state import Link
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import MAX_OWN, Pin, Workspace
from pages.session.workspace_link import MADE_WITH, digests_of, expect_encodings, restore
from pages.shared.reply import build_answer
from tests.test_bring import JSON, MODEL, RANKS
from tests.visit import Visit
from tokenizers.files import file_of, load
from tokenizers.text.spelling import byte_characters

HALVES = {letter: number for number, letter in enumerate(byte_characters())}


def grow(name: str = "mine", n_vocab: int = 259) -> TrainedEncoding:
    encoding = tk.train("hug pug pun bun hugs " * 20, n_vocab, "gpt4")
    encoding.name = name
    return TrainedEncoding(encoding)


def link_to(workspace: Workspace) -> dict[str, Any]:
    """The state in the playground's link, as ``link.js`` makes it."""
    return {**state_of(workspace), "own": workspace.digests(workspace.encodings)}


def answer(workspace: Workspace) -> dict[str, dict[str, Any]]:
    values, _ = build_answer(workspace, skips_slow=False)
    return {panel["name"]: panel for panel in values["panels"]}


@pytest.mark.parametrize(
    "made",
    [
        lambda name: load(JSON, name),
        lambda name: load(MODEL, name),
        lambda name: load(RANKS, name, pattern="gpt4"),
        lambda name: load(b"[PAD]\n[UNK]\nhug\n##s\n[CLS]\n[SEP]\n", name, lowercase=True),
        lambda name: load(json.dumps({**HALVES, "hu": 256}).encode(), name, beside=b"h u\n"),
        lambda name: grow(name).encoding,
    ],
)
def test_a_file_has_the_same_digest_under_any_name(made: Any) -> None:
    mine, theirs = TrainedEncoding(made("mine")), TrainedEncoding(made("another name"))
    received = TrainedEncoding(load(file_of(mine.encoding), "a third", is_trusted=False))
    assert mine.digest == theirs.digest == received.digest
    assert mine.digest != grow(n_vocab=258).digest


def test_the_receiver_of_a_link_is_told_what_to_add_and_then_sees_the_whole_view() -> None:
    sender, receiver = Workspace(), Workspace()
    sender.add_encoding(grow())
    sender.encodings, sender.pin = ["gpt2", "mine", "o200k_base"], Pin("mine", 4)
    sender.set_text("hugs and hugs", by_typing=True)
    restore(receiver, link_to(sender))
    assert receiver.encodings == sender.encodings and receiver.pin == sender.pin
    problem = answer(receiver)["mine"]["problem"]
    assert problem == receiver.say_awaited("mine")
    assert grow().digest[:8] in problem and problem.endswith(f"add the file on {MENU['bring']}.")
    assert link_to(receiver) == link_to(sender), "the receiver can pass the link on"
    other = receiver.import_encoding(grow("mine", 258))
    assert other == "mine-2" and "mine" in receiver.awaited, "another one of that name is not taken for it"
    revision = receiver.revision
    added = receiver.import_encoding(TrainedEncoding(load(file_of(grow().encoding), "from a friend")))
    assert added == "mine" and not receiver.awaited and receiver.revision > revision
    assert receiver.encodings == ["mine-2", *sender.encodings] and receiver.pin == sender.pin
    assert answer(receiver)["mine"] == answer(sender)["mine"]


def test_a_link_of_old_names_an_encoding_without_its_digest() -> None:
    receiver = Workspace()
    restore(receiver, {"encodings": ["mine", "gpt2"]})
    assert "SHA-256" not in answer(receiver)["mine"]["problem"]
    receiver.add_encoding(grow("other"))
    assert receiver.awaited
    receiver.add_encoding(grow())
    assert not receiver.awaited and receiver.encodings == ["mine", "gpt2"]


@pytest.mark.parametrize("own", [7, ["mine"], {"mine": 7}, {"mine": "x" * 10**5}, {"mine": ["0" * 16]}])
def test_what_a_link_says_of_encodings_is_not_trusted(own: Any) -> None:
    workspace = Workspace()
    names = ["mine", "", "\u202egpj", "a" * 41, "a,b", 7, *map(str, range(2 * MAX_OWN))]
    restore(workspace, {"encodings": names, "own": own})
    expect_encodings(workspace, Link({MADE_WITH: ["", ":", f"{'g' * 16}:mine", "0:gpt2"]}))
    assert len(workspace.awaited) == MAX_OWN and not any(workspace.awaited.values())
    assert workspace.encodings[:2] == ["mine", "0"] and "gpt2" not in workspace.awaited


def test_a_pages_link_has_the_digests_of_the_encodings_that_are_chosen() -> None:
    workspace = Workspace()
    workspace.add_encoding(grow())
    digests = workspace.digests(["mine"])
    for values in ({"encodings": "gpt2,mine"}, {"in": ["gpt2", "mine"]}, {"token": "mine:5"}):
        assert digests_of(workspace, dict(values)) == digests
    assert not digests_of(workspace, {"text": "mine", "query": "mine", "encodings": "gpt2"})


PAGES: dict[str, dict[str, str | list[str]]] = {
    "measure/compression/page.py": {"encoding": ["gpt2", "mine"], "text": "prose", "in": "mine"},
    "measure/languages/page.py": {"encodings": "mine,gpt2"},
    "measure/vocabulary_size/page.py": {"encodings": "mine,gpt2", "left": "mine", "for": "mine"},
    "explore/vocabulary/page.py": {"encoding": "mine", "query": "ug", "others": "mine,gpt2", "token": "257"},
    "explore/merge_trees/page.py": {"text": "hug", "encoding": "mine", "token": "257"},
    "explore/unicode/page.py": {"text": "hug", "encodings": "gpt2,mine"},
}


@pytest.mark.slow
@pytest.mark.parametrize(("page", "link"), PAGES.items())
def test_each_page_says_what_its_link_was_made_with_and_is_complete_when_that_is_added(
    page: str, link: dict[str, str | list[str]]
) -> None:
    sender = Visit(page, link, workspace=with_own())
    sent = {name: sender.test.query_params[name] for name in sender.test.query_params}
    assert sent[MADE_WITH] == f"{grow().digest}:mine"
    received = Visit(page, sent)
    workspace = received.test.session_state["workspace"]
    assert list(workspace.awaited) == ["mine"]
    if "unicode" not in page:  # its component shows it
        test = received.test
        says = [each.value for shown in (test.error, test.warning, test.info) for each in shown]
        assert any("This link was made with mine (SHA-256 " in each for each in says)
    workspace.add_encoding(grow("from a friend"))
    received.run()
    assert not received.test.error
    assert {name: received.test.query_params[name] for name in received.test.query_params} == sent


def with_own() -> Workspace:
    workspace = Workspace()
    workspace.add_encoding(grow())
    return workspace


def test_a_page_opened_through_the_playgrounds_link_awaits_the_same_encoding() -> None:
    sender = with_own()
    sender.encodings = ["mine", "gpt2"]
    visit = Visit("explore/playground/page.py", {"s": pack_state(link_to(sender)) or ""})
    assert visit.test.session_state["workspace"].digests(["mine"]) == sender.digests(["mine"])
