"""A run of a page lets the answers to keys go first: for a moment at a time, and not for ever."""

from __future__ import annotations

import secrets
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from streamlit.runtime.scriptrunner import ScriptRunner

import tokenizers as tk
from pages.explore.playground import keystroke
from pages.explore.playground.keystroke import Talk
from pages.server import keys_first
from pages.server.keys_first import A_MOMENT, LONGEST
from pages.server.turns import turn_of
from pages.session.workspace import Workspace
from tests.test_keystroke import say
from tokenizers import askers
from tokenizers.askers import Asker


class Run:
    """A run of a page, as far as it is looked at here."""

    def __init__(self) -> None:
        self._session_id = secrets.token_hex()
        self._script_thread = threading.current_thread()


class BusyKeys:
    """Keys that are never all answered; waiting for them takes its whole time."""

    are_waiting = True

    def __init__(self) -> None:
        self.waits: list[float] = []

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return False

    def clock(self) -> float:
        return sum(self.waits)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What runs have drawn."""
    messages: list[str] = []
    monkeypatch.setattr(keys_first, "_draw", lambda run, message: messages.append(message))
    return messages


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> BusyKeys:
    keys = BusyKeys()
    monkeypatch.setattr(keys_first, "keys", keys)
    monkeypatch.setattr("time.monotonic", keys.clock)
    monkeypatch.setattr("time.thread_time", lambda: 0.0)
    return keys


def run_page(run: Any, n_messages: int) -> None:
    """A run that draws so many things."""

    def draw() -> None:
        for number in range(n_messages):
            keys_first._draw_after_keys(run, str(number))

    keys_first._with_patience(lambda run, work: work())(run, draw)


def test_a_run_waits_a_moment_at_a_time_and_so_long_in_all(drawn: list[str], busy: BusyKeys) -> None:
    run = Run()
    for _ in range(2):  # each run anew
        busy.waits.clear()
        run_page(run, 100)
        assert max(busy.waits) <= A_MOMENT and sum(busy.waits) == pytest.approx(LONGEST)
    assert drawn == [str(number) for number in range(100)] * 2


def test_nobody_waits_where_nobody_types(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_first.keys, "wait", lambda seconds: pytest.fail("it waits"))
    run_page(Run(), 3)
    assert drawn == ["0", "1", "2"]


def test_a_run_for_which_its_own_key_waits_goes_on(drawn: list[str], busy: BusyKeys) -> None:
    run = Run()
    turn = turn_of(run._session_id)
    assert turn.take(wait=False) and not turn.take(wait=False)
    run_page(run, 3)
    assert len(drawn) == 3 and not busy.waits
    turn.give_back()
    assert turn.take(wait=False)
    run_page(run, 3)
    assert busy.waits


def test_the_server_itself_never_waits(drawn: list[str], busy: BusyKeys) -> None:
    run: Any = Run()

    def draw_and_work() -> None:
        keys_first._draw_after_keys(run, "a")
        askers.check_wanted()

    def have_the_server_draw() -> None:
        with ThreadPoolExecutor(1) as server:
            server.submit(draw_and_work).result()

    keys_first._with_patience(lambda run, work: work())(run, have_the_server_draw)
    with pytest.raises(ZeroDivisionError):
        keys_first._with_patience(lambda run, work: work())(run, lambda: 1 // 0)
    draw_and_work()  # this thread runs no page any more
    assert len(drawn) == 2 and not busy.waits


def test_long_work_lets_keys_go_first_for_as_long_as_it_works(
    busy: BusyKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked = 0.0
    monkeypatch.setattr("time.thread_time", lambda: worked)
    monkeypatch.setattr(askers, "let_others_first", keys_first._wait_for_keys)

    def work() -> None:
        nonlocal worked
        for _ in range(1_000):
            worked += 0.004
            askers.check_wanted()

    run: Any = Run()
    keys_first._with_patience(lambda run, work: work())(run, work)
    assert max(busy.waits) <= A_MOMENT and sum(busy.waits) == pytest.approx(worked + LONGEST)


def test_python_is_given_away_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_run_script", "_enqueue_forward_msg"):
        monkeypatch.setattr(ScriptRunner, name, getattr(ScriptRunner, name))
    monkeypatch.setattr(askers, "let_others_first", askers.let_others_first)
    before = sys.getswitchinterval()
    try:
        keys_first.let_keys_go_first()
        assert (
            sys.getswitchinterval() == pytest.approx(keys_first.SWITCH_SECONDS)
            and keys_first.SWITCH_SECONDS < before
        )
        assert askers.let_others_first is keys_first._wait_for_keys
    finally:
        sys.setswitchinterval(before)


def test_a_curve_lets_keys_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[None] = []
    monkeypatch.setattr(askers, "let_others_first", lambda: asked.append(None))
    gpt2 = tk.get_encoding("gpt2")
    text = " ".join(gpt2.decode([token]) for token in range(1_000, 1_500))
    n_distinct = len({*gpt2.encode(text)})
    assert n_distinct > 200
    tk.counts_by_size(gpt2, text)
    assert len(asked) >= n_distinct / 50
    with askers.asked_by(Asker("a", lambda: False)), pytest.raises(askers.NobodyWaitsError):
        tk.counts_by_size(gpt2, text)


@pytest.mark.parametrize("lane", [keystroke._at_once, keystroke._quick])
def test_a_key_waits_until_its_answer_is_made(lane: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk(Workspace(encodings=["gpt2"]), Asker(secrets.token_hex(), lambda: True))
    monkeypatch.setattr(talk, "lane", lambda message: lane)
    reply, seen = talk.reply, []

    def watched(message: dict[str, Any], **options: bool) -> bytes | None:
        seen.append(keys_first.keys.are_waiting)
        return reply(message, **options)

    monkeypatch.setattr(talk, "reply", watched)
    status, _ = say(talk, {"seq": 1, "text": "a", "revision": 1, "page": 0, "action": None})
    assert (status, seen, keys_first.keys.are_waiting) == (200, [True], False)
