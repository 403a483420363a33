"""Keys that are answered without a run of the page: the route, what a message may be, and whose it is."""

from __future__ import annotations

import asyncio
import functools
import gc
import gzip
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import Message
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.testing.v1 import AppTest

import tokenizers as tk
from pages.explore.playground import keystroke
from pages.explore.playground.keystroke import MAX_BYTES, MUCH_NEW, TICKET, KeysAtOnce, Talk
from pages.server.lanes import Lane, LoopLane
from pages.server.taken import Taken
from pages.server.turns import run_scripts_in_turn, turn_of
from pages.server.who_may_ask import OnlyWhoMayAsk
from pages.session.panels import ALONE_BYTES
from pages.session.workspace import LARGE, LIVE_BYTES, WELCOME, Pin, Workspace
from tests.browser import expect, settled
from tests.loops import run
from tests.one_page import Browser, ask, open_page
from tests.wire import Reply, read_reply
from tokenizers import askers
from tokenizers.askers import Asker
from tokenizers.text import Spans

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

APP = Starlette(middleware=[Middleware(OnlyWhoMayAsk), Middleware(KeysAtOnce)])


async def post(
    ticket: str, body: bytes | dict[str, Any], path: str = "/keystroke", method: str = "POST", **headers: str
) -> Any:
    """The answer to a request of an editor: (status, body, parts of what was sent that were not read)."""
    body = json.dumps(body).encode() if isinstance(body, dict) else body
    given = {"host": "localhost:8501", TICKET.lower(): ticket, **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    parts = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: Message) -> None:
        sent.append(message)

    await APP(scope, receive, send)
    return sent[0]["status"], sent[1]["body"], len(parts)


def say(talk: Talk, body: bytes | dict[str, Any], **options: str) -> tuple[int, bytes]:
    status, answer, _ = run(post(talk.ticket, body, **options))
    return status, answer


@pytest.fixture
def talk() -> Iterator[Talk]:
    """That of a session that is there."""
    for name in ("gpt2", "cl100k_base"):
        tk.encode_spans(tk.get_encoding(name), "the first time takes longer")
    yield Talk(Workspace(encodings=["gpt2", "cl100k_base"]), Asker(secrets.token_hex(), lambda: True))


def test_what_is_no_number_of_an_answer_is_not_kept(talk: Talk) -> None:
    forged = {
        "seq": 1,
        "text": "a",
        "revision": ["a"] * 100,
        "holds": {"a": "b" * 100_000},
        "wants_link": [1],
    }
    assert say(talk, forged)[0] == 200
    assert talk._newest_message == {"seq": 1, "revision": None, "holds": None, "wants_link": True}
    assert say(talk, {"seq": 2, "text": "a", "revision": 1, "holds": True})[0] == 200
    assert talk._newest_message["holds"] is None and talk._newest_message["revision"] == 1


def test_a_message_of_more_values_than_an_editor_sends_is_none(talk: Talk) -> None:
    """Reading 140,000 small numbers kept the event loop from everybody else for 64 ms."""
    most = {"seq": 1, "text": '[{,"' * 9_000, "more": [0] * (keystroke.MAX_VALUES - 4)}
    assert say(talk, most)[0] == 200
    assert say(talk, most | {"seq": 2, "more": [0] * keystroke.MAX_VALUES})[0] == 400
    forty = [f"a name of an encoding {number}" for number in range(40)]
    settings = {"walls": True, "view": "ids", "pin": {"encoding": "gpt2", "start": 0}, "action": None}
    assert say(talk, {"seq": 3, "text": "a", "encodings": forty, **settings})[0] == 200


def test_a_message_of_very_many_values_is_none(talk: Talk) -> None:
    skeleton = b'{"seq": 1, "text": "a", "more": [' + b"[]," * 330_000 + b"0]}"
    assert say(talk, skeleton)[0] == 400


def test_a_key_is_answered_as_the_page_would(talk: Talk) -> None:
    text = "some 안녕 text"
    status, answer = say(talk, {"seq": 1, "text": text, "revision": 1, "page": 0, "action": None})
    reply = read_reply(answer)
    assert status == 200 and talk.workspace.text == text
    assert reply.header["seq"] == 1 and reply.header["ticket"] == talk.ticket and "text" not in reply.header
    for name in ("gpt2", "cl100k_base"):
        assert reply.ids(name) == tk.get_encoding(name).encode(text)
    later = {"seq": 2, "text": text + "s", "revision": 1, "holds": 1}
    status, changes = say(talk, later, path="/class/grove/keystroke")  # under a sub-path
    assert status == 200 and len(changes) < len(answer) / 3
    assert read_reply(changes, {1: reply}).ids("gpt2") == tk.get_encoding("gpt2").encode(text + "s")
    assert not talk.is_asked and talk.turn.take(wait=False)


def test_a_session_whose_keys_took_long_waits_for_its_like_alone(talk: Talk) -> None:
    key = {"seq": 60, "text": "a"}
    assert talk.lane(key) is keystroke._quick
    talk._taken = 4 * keystroke.COSTLY
    assert talk.lane(key) is keystroke._costly
    for seq in range(1, 40):
        assert say(talk, {"seq": seq, "text": "a" * seq})[0] == 200
    assert talk.lane(key) is not keystroke._costly, "quick keys are quick again"
    talk._taken = 0.0
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 20_000)))
    assert say(talk, {"seq": 50, "text": text})[0] == 200
    assert talk._taken > 0


@pytest.mark.parametrize(
    ("before", "text", "is_costly"),
    [
        ("a", "b" * (MUCH_NEW + 1), True),  # a session's first key, too
        ("a", "b" * MUCH_NEW, False),
        ("a" * 90_000, "a" * 45_000 + "b" + "a" * 45_000, False),  # typed into a long text
        ("a" * 90_000, "a" * 45_000, False),  # half of it is taken away
        ("ab" * 45_000, "ba" * 45_000 + "b", False),
        ("a" * 90_000, "b" * 90_000, True),
        ("a" * 90_000, "a" * 1_000 + "b" * (MUCH_NEW + 1) + "a" * 1_000, True),
    ],
)
def test_a_key_that_brings_much_waits_for_its_like_alone(before: str, text: str, is_costly: bool) -> None:
    talk = Talk(Workspace(text=before))
    assert (talk.lane({"seq": 1, "text": text}) is keystroke._costly) == is_costly
    assert talk.lane({"seq": 1}) is keystroke._quick


@pytest.mark.parametrize(
    ("text", "message", "is_at_once"),
    [
        ("one", {"text": "one more"}, True),
        ("one", {}, True),  # it asks again
        ("one", {"encodings": ["gpt2", "cl100k_base"], "walls": False, "view": "ids"}, True),
        ("one", {"encodings": ["gpt2", "rwkv-world"]}, False),
        ("one", {"walls": True}, False),
        ("one", {"special_as_tokens": True}, False),
        ("one", {"adds_frame": True}, False),
        ("", {"text": "a" * keystroke.LITTLE_NEW}, True),
        ("", {"text": "a" * (keystroke.LITTLE_NEW + 1)}, False),
        ("a b " * 2_000, {"text": "a b " * 1_000 + "c" + "a b " * 1_000}, True),
        ("a b " * 2_000, {"text": "a b " * 1_000 + "c" * 501 + "a b " * 1_000}, False),
        ("a " * 9_999, {"text": "a " * 9_998}, True),
        ("a " * 9_999, {"text": "a " * 9_999 + "a"}, False),  # it may be long enough for helpers now
        ("한" * 6_000, {"text": "한" * 6_000 + "a" * 500}, False),
    ],
)
def test_a_small_change_of_a_short_text_is_answered_by_the_event_loop(
    talk: Talk, text: str, message: dict[str, Any], is_at_once: bool
) -> None:
    talk.workspace.set_text(text)
    assert talk.turn.take(wait=False) and talk.reply({"seq": 1})
    talk._small_edit_seconds = keystroke.AT_ONCE / 2
    assert (talk.lane({"seq": 2, **message}) is keystroke._at_once) == is_at_once
    talk._small_edit_seconds = 2 * keystroke.AT_ONCE
    assert talk.lane({"seq": 2, **message}) is not keystroke._at_once
    talk._small_edit_seconds = None
    assert talk.lane({"seq": 2, **message}) is not keystroke._at_once


def test_what_is_not_known_to_be_quick_is_left_to_threads(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = {"seq": 2, "text": "a"}
    assert talk.lane(key) is keystroke._quick, "a session's first key"
    assert say(talk, {"seq": 1, "text": "a"})[0] == 200
    talk._small_edit_seconds = 0.0
    assert talk.lane(key) is keystroke._at_once
    assert say(talk, {"seq": 2, "text": "much " * 200})[0] == 200
    assert talk.lane({"seq": 3, "text": "much " * 200}) is keystroke._quick, "the first key in this text"
    assert say(talk, {"seq": 3, "text": "a"})[0] == 200
    talk._taken = talk._small_edit_seconds = 0.0
    key = {"seq": 4, "text": "a"}
    assert talk.lane(key) is keystroke._at_once
    talk.workspace.set_text("of another page")
    assert talk.lane(key) is keystroke._quick, "nothing is known of this text yet"
    assert say(talk, key)[0] == 200
    talk._taken = talk._small_edit_seconds = 0.0
    monkeypatch.setattr(tk, "is_loaded", lambda name: name != "gpt2")
    assert talk.lane({"seq": 5, "text": "ab"}) is keystroke._quick
    monkeypatch.undo()
    monkeypatch.setitem(talk.workspace.panels._seconds, "gpt2", 1.0)
    assert talk.lane({"seq": 5, "text": "ab"}) is keystroke._quick


def test_the_event_loop_never_waits_for_a_slow_panel(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert say(talk, {"seq": 1, "text": "a"})[0] == 200
    patience: list[float] = []

    def watched(workspace: Workspace, **options: Any) -> Any:
        patience.append(options["patience"])
        return {}

    monkeypatch.setattr(keystroke, "build_reply", watched)
    for taken in (0.0, 2 * keystroke.AT_ONCE):
        talk._small_edit_seconds = taken
        assert say(talk, {"seq": 2 + len(patience), "text": "a"})[0] == 200
    assert patience[0] == 0 < patience[1]


def test_the_event_loop_answers_as_the_threads_do(talk: Talk) -> None:
    texts = ["some 안녕 text", "some 안녕 texts", "some more", "", "👩‍🚀 a", "a" * 300]
    other = Talk(Workspace(encodings=["gpt2", "cl100k_base"]))
    held: dict[int, Reply] = {}
    other_held: dict[int, Reply] = {}
    for seq, text in enumerate(texts, 1):
        talk._small_edit_seconds = 0.0 if seq > 1 else None
        message = {"seq": seq, "text": text, "revision": 1, "holds": seq - 1 or None}
        assert (talk.lane(message) is keystroke._at_once) == (seq > 1)
        status, answer = say(talk, message)
        assert status == 200 and other.turn.take(wait=False)
        held = {seq: read_reply(answer, held)}
        other_held = {seq: read_reply(other.reply(message) or b"", other_held)}
        for name in ("gpt2", "cl100k_base"):
            assert held[seq].ids(name) == other_held[seq].ids(name) == tk.get_encoding(name).encode(text)
    assert talk.turn.take(wait=False) and talk._small_edit_seconds


def measured(talk: Talk, text: str) -> None:
    """Two small edits: after them, the talk knows what such edits take."""
    for more in ("", "."):
        assert say(talk, {"seq": talk.workspace.seq + 1, "text": text + more})[0] == 200
    assert talk._small_edit_seconds
    talk._small_edit_seconds = keystroke.AT_ONCE / 2


def test_what_changes_nothing_says_nothing_of_what_edits_take(talk: Talk) -> None:
    assert say(talk, {"seq": 1, "text": "a" * 600})[0] == 200
    for seq in (2, 3):
        assert say(talk, {"seq": seq, "asks_again": True})[0] == 200
        assert talk._small_edit_seconds is None
    talk._small_edit_seconds, talk._measured_in = 1.0, talk._circumstances()
    assert say(talk, {"seq": 4, "view": "ids"})[0] == 200
    assert talk._small_edit_seconds == 1.0, "it does not fade"
    assert say(talk, {"seq": 5, "text": "a" * 601})[0] == 200
    assert talk._small_edit_seconds == pytest.approx(0.9), "it fades"


@pytest.mark.parametrize(
    "change",
    [
        lambda workspace: workspace.set_text("of a sample"),
        lambda workspace: setattr(workspace, "walls", True),
        lambda workspace: workspace.encodings.append("bytes"),
        lambda workspace: setattr(workspace, "pin", Pin("gpt2", 0)),
    ],
)
def test_what_the_page_changed_is_seen(talk: Talk, change: Callable[[Workspace], None]) -> None:
    measured(talk, "a")
    change(talk.workspace)
    for name in talk.workspace.encodings:
        talk.workspace.spans(name)
    assert talk.lane({"seq": 9, "text": "ab"}) is keystroke._quick


def test_a_click_on_a_token_is_left_to_threads_and_so_is_the_next_key(talk: Talk) -> None:
    measured(talk, "a")
    click = {"seq": 8, "pin": {"encoding": "gpt2", "start": 0}}
    assert talk.lane(click) is keystroke._quick
    assert say(talk, click)[0] == 200
    assert talk.lane({"seq": 9, "text": "a.b"}) is keystroke._quick
    assert say(talk, {"seq": 9, "text": "a.b"})[0] == 200
    talk._small_edit_seconds = keystroke.AT_ONCE / 2
    assert talk.lane({"seq": 10, "text": "a.bc", "pin": None}) is keystroke._at_once


def test_a_key_in_an_encoding_of_ones_own_says_nothing_of_others(talk: Talk) -> None:
    measured(talk, "a")
    own = talk.workspace.add_grown(tk.train("the cat and the hat", 258))
    talk.workspace.encodings.append(own)
    assert say(talk, {"seq": 8, "text": "ab"})[0] == 200
    assert talk._small_edit_seconds is None


def test_a_long_text_is_not_looked_at_in_the_event_loop(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.workspace.set_text("a " * ALONE_BYTES)
    talk._small_edit_seconds, talk._measured_in = 0.0, talk._circumstances()
    monkeypatch.setattr(Workspace, "text_map", property(lambda self: pytest.fail("it is looked at")))
    assert talk.lane({"seq": 1}) is keystroke._quick


def test_a_turn_is_given_back_if_no_lane_can_be_chosen(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(message: dict[str, Any]) -> Any:
        raise MemoryError

    monkeypatch.setattr(talk, "lane", fail)
    with pytest.raises(MemoryError):
        say(talk, {"seq": 1, "text": "a"})
    assert talk.turn.take(wait=False) and not talk.is_asked


@pytest.mark.parametrize("lane", [keystroke._at_once, keystroke._quick])
def test_a_request_that_is_given_up_gives_the_turn_back(
    talk: Talk, lane: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "lane", lambda message: lane)
    asked = asyncio.Event()
    submit = lane.submit

    def watched(*args: Any) -> Any:
        asked.set()
        return submit(*args)

    monkeypatch.setattr(lane, "submit", watched)

    async def give_up() -> None:
        request = asyncio.create_task(post(talk.ticket, {"seq": 1, "text": "given up"}))
        await asyncio.wait_for(asked.wait(), 60)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        for _ in range(6_000):
            if talk.turn.take(wait=False):
                return
            await asyncio.sleep(0.01)
        pytest.fail("the turn is gone")

    run(give_up())
    assert talk.workspace.text == "given up" and not talk.is_asked


@pytest.mark.parametrize("lane", [keystroke._at_once, keystroke._quick])
def test_a_panic_of_an_engine_ends_its_own_key_alone(
    talk: Talk, lane: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Panic(BaseException):
        """As tiktoken's, which is no Exception."""

    def panic(*_: Any, **__: Any) -> None:
        raise Panic

    with monkeypatch.context() as patched:
        patched.setattr(talk, "lane", lambda message: lane)
        patched.setattr(keystroke, "build_reply", panic)
        with pytest.raises(Panic):
            say(talk, {"seq": 1, "text": "a"})
    assert say(talk, {"seq": 2, "text": "ab"})[0] == 200


def test_what_waits_in_a_loop_that_has_ended_is_over() -> None:
    lane = LoopLane(Taken())
    done: list[Any] = []

    async def leave() -> None:
        for number in range(10):
            lane.submit(functools.partial(done.append, number), "a")

    async def ask() -> None:
        await lane.submit(functools.partial(done.append, "in the next loop"), "a")

    run(leave())
    run(ask())
    assert done[-1] == "in the next loop" and len(done) < 10


def test_in_the_event_loop_one_is_answered_at_each_round() -> None:
    taken = Taken(lambda: 0.0)
    taken.add(3.0, "203.0.113.7")
    done: list[str] = []

    async def ask() -> None:
        lane, loop = LoopLane(taken), asyncio.get_running_loop()

        def work(name: str) -> None:
            done.append(name)
            loop.call_soon(done.append, "|")  # what else the loop has to do

        def come_late() -> None:
            results.append(lane.submit(functools.partial(work, "late"), "late"))

        asked = [("new", "203.0.113.7"), ("newer", "203.0.113.7"), ("a", "198.51.100.1"), ("b", "")]
        results = [lane.submit(functools.partial(work, each[0]), *each) for each in asked]
        assert not done, "none before the loop's next round"
        loop.call_soon(come_late)
        await asyncio.sleep(0.01)
        assert [result.result() for result in results] == [None] * 5
        results.clear()

    run(ask())
    assert [name for name in done if name != "|"] == ["a", "b", "late", "new", "newer"]
    assert done[1::2] == ["|"] * 5


@pytest.mark.slow
def test_the_event_loops_lane_goes_on_after_one_that_failed_and_notes_what_was_taken() -> None:
    taken = Taken(lambda: 0.0)
    begun: list[str] = []

    def work() -> None:
        until = time.thread_time() + 0.6
        while time.thread_time() < until:
            pass

    async def ask() -> list[Any]:
        lane = LoopLane(taken)
        jobs = [
            lane.submit(lambda: 1 // 0, "a"),
            lane.submit(work, "a", "b"),
            lane.submit(lambda: begun.append("c"), "c"),
        ]
        jobs[2].cancel()
        return await asyncio.gather(*jobs, return_exceptions=True)

    failed, done, given_up = run(ask())
    assert isinstance(failed, ZeroDivisionError) and done is None
    assert isinstance(given_up, asyncio.CancelledError) and not begun
    assert taken.steps_of("a") == taken.steps_of("b") == 1


def test_whoever_took_least_of_late_is_answered_next() -> None:
    taken = Taken(lambda: 0.0)
    taken.add(3.0, "203.0.113.7")
    lane, may_begin = Lane(1, "test", taken), threading.Event()
    done: list[str] = []
    first = lane.submit(lambda: may_begin.wait(60), "first")
    asked = [("new", "203.0.113.7"), ("newer", "203.0.113.7"), ("a", "198.51.100.1"), ("b", "")]
    results = [lane.submit(functools.partial(done.append, each[0]), *each) for each in asked]
    may_begin.set()
    for result in (first, *results):
        result.result(60)
    assert done == ["a", "b", "new", "newer"]


@pytest.mark.slow
def test_a_lane_goes_on_after_one_that_failed_and_notes_what_was_taken() -> None:
    taken = Taken(lambda: 0.0)
    lane = Lane(1, "test", taken)
    with pytest.raises(ZeroDivisionError):
        lane.submit(lambda: 1 // 0, "a").result(60)

    def work() -> None:
        until = time.thread_time() + 0.6
        while time.thread_time() < until:
            pass

    lane.submit(work, "a", "b").result(60)
    lane.submit(int, "c").result(60)  # begun once the one before is noted
    assert taken.steps_of("a") == taken.steps_of("b") == 1 and taken.steps_of("c") == 0


def test_a_lane_without_a_thread_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = Lane(1, "test", Taken())
    lane._threads.shutdown()
    with pytest.raises(RuntimeError):
        lane.submit(int, "a")
    assert not lane._waiting


def test_a_message_that_comes_both_ways_or_late_counts_once(talk: Talk) -> None:
    first = {"seq": 1, "text": "one", "revision": 1, "holds": None}
    say(talk, first)
    say(talk, {"seq": 2, "text": "one two", "revision": 1, "holds": None})
    for late in (first, None):  # the component's state is older than what came the short way
        talk.hear(late)
        assert talk.workspace.text == "one two" and "text" not in read_reply(talk.answer()).header
    status, answer = say(talk, {"seq": 2, "text": "one two", "revision": 1, "holds": 1})  # again
    assert status == 200 and talk.workspace.text == "one two" and talk.workspace.text_changes == 2
    talk.begin_anew()  # the page is drawn as a whole, perhaps for an editor that has nothing yet
    talk.hear(None)
    assert read_reply(talk.answer()).header["text"] == "one two"


NO_MESSAGES = [
    b"",
    b"no",
    b"[]",
    b"null",
    b"{}",
    b'{"seq": true}',
    b'{"seq": -1}',
    b'{"seq": 1e3}',
    b"\xff\xfe{}",
]
NO_MESSAGES += [b"[" * 100_000, b'{"seq": ' + b"9" * 5_000 + b"}", b'{"seq": 9007199254740993}']


@pytest.mark.parametrize("body", NO_MESSAGES, ids=lambda body: body[:12].decode("latin-1"))
def test_what_is_no_message_is_refused_in_words(talk: Talk, body: bytes) -> None:
    status, answer = say(talk, body)
    assert status == 400 and b"no message" in answer and talk.workspace.text == WELCOME


ODD: list[dict[str, Any]] = [
    {"text": 7, "encodings": [[], {}, None, "no such"], "page": "x", "pin": {"encoding": [], "start": -1}},
    {"text": "a", "encodings": "gpt2", "view": [], "walls": "yes", "pin": [], "revision": [], "holds": {}},
    {"text": "\ud800 \0", "page": 10**300, "pin": {"encoding": "gpt2", "start": 10**300}, "holds": 10**300},
    {"text": "", "encodings": [], "wants_link": "yes", "again": {}},
]


@pytest.mark.parametrize("odd", ODD)
def test_what_is_odd_in_a_message_is_left_out(talk: Talk, odd: dict[str, Any]) -> None:
    status, answer = say(talk, {"seq": 1, **odd})
    assert status == 200 and read_reply(answer).header["seq"] == 1
    assert say(talk, {"seq": 2, "text": "and on"})[0] == 200


def test_too_much_is_not_read_to_its_end(talk: Talk) -> None:
    status, _, left = run(post(talk.ticket, b" " * (4 * MAX_BYTES)))
    assert status == 413 and left > 0
    status, _, left = run(post("no ticket", b" " * (4 * MAX_BYTES)))
    assert status == 404 and left == 4 * MAX_BYTES // 65_536  # nothing was


def test_a_long_answer_is_compressed_for_a_browser_that_takes_it(talk: Talk) -> None:
    message = {"seq": 1, "text": "in a word " * 300}
    _, answer = say(talk, message)
    talk.begin_anew()
    status, compressed = say(talk, message, **{"accept-encoding": "gzip, deflate"})
    assert status == 200 and len(compressed) < len(answer) / 2
    assert read_reply(gzip.decompress(compressed)).header["text"] == read_reply(answer).header["text"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_a_key_comes_with_post_alone(talk: Talk, method: str) -> None:
    assert say(talk, {"seq": 1, "text": "a"}, method=method)[0] == 405 and talk.workspace.text == WELCOME


def test_what_is_no_key_goes_on_to_the_app() -> None:
    for path in ("/keystrokes", "/keystroke/", "/_stcore/health", "/"):
        assert run(post("", b"", path))[0] == 404, path  # of an app without any route
        assert run(post("", b"", path))[1] == b"Not Found", path


def test_what_needs_the_page_goes_there(talk: Talk) -> None:
    for needs in ({"action": {"number": 1, "kind": "clear"}}, {"text": "a" * (LIVE_BYTES + 1)}):
        assert say(talk, {"seq": 1, **needs}) == (204, b"")
    assert talk.workspace.text == WELCOME and talk.workspace.seq == 0
    talk.workspace.set_text("a" * (LIVE_BYTES + 1))
    assert say(talk, {"seq": 1, "page": 1}) == (204, b"")
    assert say(talk, {"seq": 1, "text": "short"})[0] == 200


def test_a_fault_is_the_pages_to_tell(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keystroke, "build_reply", lambda *_, **__: 1 / 0)
    assert say(talk, {"seq": 1, "text": "a"}) == (204, b"")
    monkeypatch.undo()
    assert say(talk, {"seq": 2, "text": "b"})[0] == 200


def test_a_key_waits_for_the_script_of_its_session_and_not_for_ever(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keystroke, "_TURN_SECONDS", 0.03)
    talk.turn.take(wait=False)
    assert say(talk, {"seq": 1, "text": "a"}) == (204, b"") and talk.workspace.text == WELCOME

    async def ask_twice() -> list[int]:
        answers = [asyncio.create_task(post(talk.ticket, {"seq": seq, "text": "a"})) for seq in (1, 2)]
        await asyncio.sleep(0)
        talk.turn.give_back()
        return [status for status, *_ in await asyncio.gather(*answers)]

    assert run(ask_twice()) == [200, 204]  # and a session has one thing done at a time


def test_a_session_is_reached_by_its_own_ticket_from_its_own_site(talk: Talk) -> None:
    other = Talk(Workspace(), Asker("another session", lambda: True))
    say(other, {"seq": 1, "text": "a secret"})
    assert b"secret" not in say(talk, {"seq": 1, "revision": None})[1] and talk.workspace.text == WELCOME
    assert talk.ticket != other.ticket and len(talk.ticket) >= 32
    for ticket in ("", "a session", other.ticket[:-1], other.ticket.lower(), other.workspace.session):
        status, answer, _ = run(post(ticket, {"seq": 9, "text": "mine now"}))
        assert status == 404 and b"secret" not in answer
    assert say(other, {"seq": 9, "text": "mine now"}, origin="http://evil.example")[0] == 403
    assert other.workspace.text == "a secret"


def test_work_is_done_for_the_session_and_not_once_it_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    here, asked = [True], list[Asker | None]()
    gone = Talk(Workspace(encodings=[]), Asker("gone", lambda: here[0]))

    def encode_nothing(patience: float) -> tuple[dict[str, Spans], dict[str, str]]:
        asked.append(askers.current_asker())
        return {}, {}

    monkeypatch.setattr(gone.workspace.panels, "encode_all", encode_nothing)
    assert say(gone, {"seq": 1, "text": "a"})[0] == 200 and asked == [gone.asker]
    here[0] = False
    assert say(gone, {"seq": 2, "text": "b"}) == (204, b"")


def test_a_session_that_was_cut_keeps_its_long_text_and_not_what_follows_from_it(talk: Talk) -> None:
    assert talk.asker is not None
    workspace = talk.workspace
    assert not keystroke.rest(talk.asker.key), "there is nothing to let go of"
    workspace.take("the cat " * (LARGE // 8 + 1))
    workspace.turn_to(2)
    before = (
        [read_reply(talk.answer()).header[key] for key in ("page", "bytes")],
        len(workspace.spans("gpt2")),
    )
    assert not keystroke.rest("another session")
    assert workspace.panels._spans and workspace._text_map is not None
    assert talk.turn.take(wait=False)
    assert not keystroke.rest(talk.asker.key), "it is at work"
    talk.turn.give_back()
    assert keystroke.rest(talk.asker.key)
    assert not workspace.panels._spans and workspace._text_map is None and talk.turn.take(wait=False)
    talk.turn.give_back()
    after = [read_reply(talk.answer()).header[key] for key in ("page", "bytes")], len(workspace.spans("gpt2"))
    assert after == before


def test_an_encoding_of_ones_own_waits_for_its_like(talk: Talk) -> None:
    shared = talk.lane({"seq": 1, "text": "a"})
    talk.workspace.put_first(talk.workspace.add_grown(tk.train("the cat and the hat", 258)))
    assert talk.lane({"seq": 1, "text": "a"}) is not shared
    assert say(talk, {"seq": 1, "text": "a cat"})[0] == 200


class NoThreads:
    def submit(self, *_: object) -> None:
        raise RuntimeError("can't start new thread")


def test_without_a_thread_the_page_answers_and_the_turn_is_given_back(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(keystroke, "_quick", NoThreads())
        assert say(talk, {"seq": 1, "text": "a"}) == (204, b"")
    assert say(talk, {"seq": 1, "text": "a"})[0] == 200


PAGE = """
import streamlit as st
from pages.explore.playground.keystroke import get_talk
st.text(get_talk().ticket)
"""


async def visit(page: Path, browser: Browser) -> list[int]:
    """The statuses of a request while a session is there, while its browser is away, and after its end."""
    statuses = []
    async with open_page(page, browser) as (runtime, name, session):
        runtime.handle_backmsg(name, ask())
        await session.wait_until_settled()
        ticket = browser.lines()[-1]
        statuses.append((await post(ticket, {"seq": 1, "text": "a"}))[0])
        runtime.disconnect_session(name)
        statuses.append((await post(ticket, {"seq": 2, "text": "b"}))[0])
        runtime.close_session(name)
        del session
    # A thread holds what it did last until it does something else: both meet here.
    meeting = threading.Barrier(2)
    await asyncio.gather(
        *(
            asyncio.wrap_future(keystroke._quick.submit(meeting.wait, "meeting"))
            for _ in range(meeting.parties)
        )
    )
    gc.collect()
    statuses.append((await post(ticket, {"seq": 3, "text": "c"}))[0])
    return statuses


def test_a_ticket_is_worth_nothing_once_its_session_has_ended(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    with ThreadPoolExecutor(1) as thread:  # in this one, Playwright's loop may be running
        assert thread.submit(asyncio.run, visit(page, Browser())).result() == [200, 204, 404]


def test_a_script_has_its_sessions_turn_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def script() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from pages.server.turns import turn_of

        context = get_script_run_ctx()
        assert context is not None
        st.text(f"{context.session_id} {turn_of(context.session_id).take(wait=False)}")

    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)  # put back after the test
    run_scripts_in_turn()
    session, is_free = AppTest.from_function(script).run().text[0].value.rsplit(" ", 1)
    assert is_free == "False" and turn_of(session).take(wait=False)


# In a browser


def test_the_page_takes_over_where_the_short_way_is_closed(page: Page) -> None:
    asked: list[str] = []
    closed = [False]

    def pass_on(route: Route) -> None:
        asked.append("no" if closed[0] else "yes")
        if closed[0]:
            route.fulfill(status=200, content_type="text/html", body="<p>a proxy’s own page</p>")
        else:
            route.continue_()

    page.route("**/keystroke", pass_on)
    page.goto("/")
    expect(page.locator(".panel .t").first).to_be_visible()
    settled(page)
    field = page.locator("textarea.input")
    field.fill("a")
    field.press("End")
    page.keyboard.type("bcdef")
    expect(page.locator(".counts")).to_contain_text("6 bytes")
    assert "yes" in asked
    closed[0] = True
    page.keyboard.type("ghijkl")
    expect(page.locator(".counts")).to_contain_text("12 bytes")
    expect(field).to_have_value("abcdefghijkl")
    assert asked.count("no") == 1  # then it is left alone for a while
    # What stands below the panels follows what was typed.
    page.get_by_text("Chunks", exact=True).click()
    page.evaluate("() => { performance.now = () => 1e9; }")  # the while is over
    closed[0] = False
    field.press("End")
    before = asked.count("yes")
    page.keyboard.type(" and more words" * 6)
    expect(page.locator(".counts")).to_contain_text("102 bytes")
    expect(page.get_by_text("chunks of up to 20 tokens")).to_be_visible()
    assert asked.count("yes") > before
    expect(field).to_have_value("abcdefghijkl" + " and more words" * 6)
