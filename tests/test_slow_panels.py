"""Panels that take long: the others do not wait for them, and in the end each has its tokens."""

from __future__ import annotations

import gc
import threading
import weakref
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tokenizers as tk
from pages.explore.playground.keystroke import Talk
from pages.session import panels, slow_panels
from pages.session.slow_panels import Job, Key, SlowPanels
from pages.session.workspace import Pin, Workspace
from tests.wire import Reply, read_reply
from tokenizers.askers import Asker, NobodyWaitsError, asked_by
from tokenizers.encoding import Encoding, Splitting
from tokenizers.text import Spans, TextMap, encode_spans, walls
from tokenizers.text import spans as spans_module

MAY_GO_ON: threading.Event
"""Until it is set, the encoding “own” counts."""


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    """A session with an encoding of its own that takes as long as the test has it."""
    global MAY_GO_ON
    MAY_GO_ON = threading.Event()
    own = tk.train("low lower lowest newer newest", 300, "gpt4o", name="own")

    def encode_slowly(encoding: Encoding, text: TextMap, **options: object) -> Spans:
        if encoding is own:
            assert MAY_GO_ON.wait(60)
            if "fault" in text.text:
                raise ValueError("Nothing comes of it.")
        return encode_spans(encoding, text)

    def reencode_slowly(before: Spans, text: TextMap, **options: object) -> Spans:
        return encode_slowly(before.encoding, text)

    monkeypatch.setattr(panels, "encode_spans", encode_slowly)
    monkeypatch.setattr(panels, "reencode", reencode_slowly)
    monkeypatch.setattr(slow_panels, "PATIENCE", 0.02)
    tk.get_encoding("gpt2")  # loaded, it takes no time
    workspace = Workspace(encodings=["gpt2", "own"], grown={"own": own})
    yield Talk(workspace)
    MAY_GO_ON.set()


def say(talk: Talk, seq: int, text: str | None = None) -> Reply:
    """The answer to a key, or to the browser's asking again."""
    message: dict[str, object] = {"seq": seq, "revision": 1, "holds": None}
    if text is None:
        message["asks_again"] = True
    else:
        message["text"] = text
    talk.hear(message)
    return read_reply(talk.answer(in_passing=True))


def ask_until_counted(talk: Talk, seq: int) -> Reply:
    """The answer that waits until all is counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slow_panels, "PATIENCE", 60)
        reply = say(talk, seq)
    assert not any("counting" in panel for panel in reply.header["panels"]), "It is counted for ever."
    return reply


def test_the_others_do_not_wait_for_a_slow_panel(talk: Talk) -> None:
    reply = say(talk, 1, "lower and newest")
    assert reply.ids("gpt2") == tk.get_encoding("gpt2").encode("lower and newest")
    assert reply.header["panels"][1] == {"name": "own", "counting": True}
    own = talk.workspace.grown["own"]
    reply = say(talk, 2, "lower and newest lows")  # typed while the first text is still being counted
    assert reply.ids("gpt2") == tk.get_encoding("gpt2").encode("lower and newest lows")
    assert reply.header["panels"][1] == {"name": "own", "counting": True}
    MAY_GO_ON.set()
    reply = ask_until_counted(talk, 3)
    assert reply.ids("own") == own.encode("lower and newest lows")


def test_a_note_stays_while_a_panel_is_counted(talk: Talk) -> None:
    file = {"number": 1, "kind": "file", "name": "new.txt", "data": b64encode(b"lower and newest").decode()}
    talk.hear({"seq": 1, "revision": 1, "holds": None, "action": file})
    reply = read_reply(talk.answer(in_passing=True))
    note = {"text": "new.txt: 16 bytes, read as UTF-8.", "error": False}
    assert reply.header["panels"][1] == {"name": "own", "counting": True} and reply.header["notes"] == [note]
    MAY_GO_ON.set()
    assert ask_until_counted(talk, 2).header["notes"] == [note]
    assert say(talk, 99, "lower").header["notes"] == []


def test_a_pin_stays_while_its_panel_is_counted(talk: Talk) -> None:
    MAY_GO_ON.set()
    say(talk, 1, "lower and newest")
    ask_until_counted(talk, 2)
    talk.workspace.pin = Pin("own", 0)
    MAY_GO_ON.clear()
    reply = say(talk, 9, "lower and newest lows")
    assert reply.header["inspector"] is None and talk.workspace.pin == Pin("own", 0)
    MAY_GO_ON.set()
    assert ask_until_counted(talk, 10).header["inspector"]["encoding"] == "own"


def test_what_is_wrong_with_a_slow_panel_is_said_on_it(talk: Talk) -> None:
    MAY_GO_ON.set()
    say(talk, 1, "a fault")
    reply = ask_until_counted(talk, 2)
    said = {"name": "own", "problem": "Nothing comes of it."}
    assert reply.header["panels"][1] == said
    MAY_GO_ON.clear()
    assert say(talk, 3).header["panels"][1] == said, "it is not tried again"


def test_an_encoding_of_ones_own_is_left_to_other_threads_however_quick_it_was(talk: Talk) -> None:
    MAY_GO_ON.set()
    say(talk, 1, "lower and newest")
    ask_until_counted(talk, 2)
    talk.workspace.panels._seconds["own"] = 0.0
    MAY_GO_ON.clear()
    assert say(talk, 3, "lower and newest lows").header["panels"][1] == {"name": "own", "counting": True}


def test_what_ended_because_the_browser_had_gone_is_counted_when_it_is_back(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is lost for a moment: the session stays, and its browser asks again."""
    ended: list[bool] = []

    def encode_for_nobody(encoding: Encoding, text: TextMap, **options: object) -> Spans:
        if encoding.name == "own" and not ended:
            ended.append(True)
            raise NobodyWaitsError
        return encode_spans(encoding, text)

    monkeypatch.setattr(panels, "encode_spans", encode_for_nobody)
    monkeypatch.setattr(slow_panels, "PATIENCE", 5)
    reply = say(talk, 1, "lower and newest")
    assert ended and reply.header["panels"][1] == {"name": "own", "counting": True}
    reply = ask_until_counted(talk, 2)
    assert reply.ids("own") == talk.workspace.grown["own"].encode("lower and newest")


def test_a_text_that_nobody_counts_any_more_is_let_go_of(talk: Talk) -> None:
    MAY_GO_ON.set()
    say(talk, 1, "lower and newest")
    ask_until_counted(talk, 2)
    text_map = weakref.ref(talk.workspace.text_map)
    talk.workspace.encodings = ["gpt2"]
    for seq, text in ((10, "another text"), (11, "and one more")):
        say(talk, seq, text)
    gc.collect()
    assert text_map() is None


def test_of_an_older_text_no_more_panels_are_counted_once_there_is_a_newer_one() -> None:
    go_on, begun, counted = threading.Event(), threading.Event(), list[str]()
    spans = encode_spans(tk.get_encoding("gpt2"), "a")

    def count_of(text: str) -> Callable[[], Spans]:
        def count() -> Spans:
            counted.append(text)
            begun.set()
            assert go_on.wait(60)
            return spans

        return count

    def jobs(text: str) -> dict[Key, Job]:
        return {(f"own {number}", False, number): count_of(text) for number in range(3)}

    panels = SlowPanels(own=True)
    try:
        assert panels.count("older", jobs("older"), patience=0) == {} and begun.wait(60)
        assert panels.count("newer", jobs("newer"), patience=0) == {}
    finally:
        go_on.set()
    assert len(panels.count("newer", jobs("newer"), patience=60)) == 3
    assert counted == ["older"] + 3 * ["newer"]


def test_nothing_is_counted_for_a_browser_that_has_gone() -> None:
    key, here = ("own", False, 0), [True]
    panels, counted = SlowPanels(own=True), list[int]()

    def count() -> Spans:
        counted.append(1)
        here[0] = False
        return encode_spans(tk.get_encoding("gpt2"), "a")

    with asked_by(Asker("one", lambda: here[0])):
        assert isinstance(panels.count("text", {key: count}, patience=60)[key], Spans)
        assert isinstance(panels.count("text", {key: count}, patience=60)[key], NobodyWaitsError)
    assert len(counted) == 1


def test_an_engine_that_panics_ends_the_count_and_no_more() -> None:
    class PanicError(BaseException):
        pass

    def panic() -> Spans:
        raise PanicError

    panels, key = SlowPanels(), ("own", False, 0)
    (problem,) = panels.count("text", {key: panic}, patience=60).values()
    assert isinstance(problem, PanicError)
    good = panels.count("text", {key: lambda: encode_spans(tk.get_encoding("gpt2"), "a")}, patience=60)
    assert isinstance(good[key], Spans)


@pytest.mark.slow
def test_an_encoding_that_is_being_loaded_waits_for_no_slow_one(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_loaded = tk.is_loaded
    monkeypatch.setattr(tk, "is_loaded", lambda name: name != "gpt2" and is_loaded(name))
    monkeypatch.setattr(slow_panels, "PATIENCE", 2)
    talk.workspace.encodings = ["own", "gpt2"]
    reply = say(talk, 1, "lower and newest")
    assert reply.header["panels"][0] == {"name": "own", "counting": True}
    assert reply.ids("gpt2") == tk.get_encoding("gpt2").encode("lower and newest")


@pytest.mark.parametrize("wants", ["walls", "pin"])
def test_walls_that_are_wanted_are_found_beside_the_answer_too(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, wants: str
) -> None:
    """They split the whole text once more, which takes as long as counting it."""
    threads: list[str] = []

    def find_walls(splitting: Splitting, *args: Any) -> Any:
        if splitting == talk.workspace.grown["own"].splitting:
            threads.append(threading.current_thread().name)
        return walls.find_walls(splitting, *args)

    monkeypatch.setattr(spans_module, "find_walls", find_walls)
    MAY_GO_ON.set()
    say(talk, 1, "lower and newest")
    ask_until_counted(talk, 2)
    talk.workspace.walls = wants == "walls"
    talk.workspace.pin = Pin("own", 0) if wants == "pin" else None
    say(talk, 1_000, "lower and newest lows")
    ask_until_counted(talk, 1_001)
    assert [name.partition("_")[0] for name in threads] == ["counting"]
