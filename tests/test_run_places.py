"""Few pages are drawn at a time, and a session that asks again and again waits for the others."""

from __future__ import annotations

import io
import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

import pytest

from pages.server import keys_first, run_places
from pages.server.run_places import (
    LONG,
    LONG_PLACES,
    MOST_AT_WORK,
    MOST_LONG,
    MOST_OF_ADDRESS,
    PLACES,
    RunPlaces,
)
from pages.server.taken import Taken
from tokenizers.split.bounded_worker import read_message, write_message


def test_no_more_runs_than_places_and_who_waited_longest_is_next() -> None:
    places = RunPlaces(2, lambda: 0.0)
    runs = [places.ask(session) for session in "abcd"]
    assert [run.has_place.is_set() for run in runs] == [True, True, False, False]
    places.leave(runs[1], 0.05)
    assert [run.has_place.is_set() for run in runs[2:]] == [True, False]


def test_a_session_that_took_much_waits_until_that_is_long_ago() -> None:
    now = 0.0
    places = RunPlaces(1, lambda: now)
    first = places.ask("greedy")
    greedy, other = places.ask("greedy"), places.ask("other")
    places.leave(first, 5.0)
    assert other.has_place.is_set() and not greedy.has_place.is_set()
    again = places.ask("other")
    places.leave(other, 0.1)
    assert again.has_place.is_set()
    late = places.ask("other")
    now += 600.0
    places.leave(again, 0.1)
    assert greedy.has_place.is_set() and not late.has_place.is_set(), "it has waited longest"


def test_a_run_that_takes_long_holds_nobody_up() -> None:
    now = 0.0
    places = RunPlaces(1, lambda: now)
    long, next_run = places.ask("a"), places.ask("b")
    waiter = threading.Thread(target=places.wait, args=(next_run,), daemon=True)
    waiter.start()
    assert not next_run.has_place.is_set()
    now += LONG
    waiter.join(60)
    assert next_run.has_place.is_set()
    third = places.ask("c")
    places.leave(long, 0.0)
    assert not third.has_place.is_set(), "the place that it left counted no more"
    places.leave(next_run, 0.0)
    assert third.has_place.is_set()


@pytest.mark.slow
def test_names_that_took_next_to_nothing_are_not_remembered_for_ever() -> None:
    taken = Taken(lambda: 0.0)
    for number in range(3_000):
        taken.add(0.1 if number % 2 else 1.0, str(number))
    assert len(taken._of) <= 1_001
    for number in range(2_500):
        taken.add(1.0, f"much {number}", "always")
    assert taken.steps_of("always") > 1_000 and taken.steps_of("much 2499") == 2, "the latest ones are known"
    assert taken.steps_of("much 0") == 0 and len(taken._of) <= 1_001
    for number in range(1_200):
        taken.add(0.2, f"little {number}")  # less than counts
    assert taken.steps_of("always") > 1_000


def test_a_new_session_for_each_run_gains_an_address_nothing() -> None:
    places = RunPlaces(1, lambda: 0.0)
    first = places.ask("stranger 0", "203.0.113.5")
    strangers = [places.ask(f"stranger {number}", "203.0.113.5") for number in range(1, 50)]
    places.leave(first, 1.0)
    other, nobody_knows = places.ask("other", "198.51.100.1"), places.ask("alone")
    places.leave(strangers[0], 0.1)
    assert other.has_place.is_set()
    places.leave(other, 0.1)
    assert nobody_knows.has_place.is_set()
    places.leave(nobody_knows, 0.1)
    assert strangers[1].has_place.is_set()


class Runs:
    """Runs of which a test says what they do.

    Attributes:
        working: the sessions whose runs are at work; the others' wait for something.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.working: set[str] = set()
        self.places = RunPlaces(clock=lambda: self.now)
        look = run_places._Run.look
        monkeypatch.setattr(run_places, "_waits", lambda session: session not in self.working)
        monkeypatch.setattr(run_places._Run, "look", lambda run, _: look(run, run.session))

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and have a look."""
        self.now += seconds
        self.places.look()


def n_with_place(runs: list[Any]) -> int:
    return sum(run.has_place.is_set() for run in runs)


def test_long_runs_have_their_own_places_and_leave_one_to_short_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = Runs(monkeypatch)
    asked = [runs.places.ask(str(number)) for number in range(30)]
    runs.working = {run.session for run in asked}
    runs.pass_time(2 * LONG)
    assert n_with_place(asked) == PLACES + LONG_PLACES
    runs.pass_time(2 * LONG)
    assert n_with_place(asked) == PLACES + LONG_PLACES + 1, "beside four long ones, a short one"
    for _ in range(20):
        runs.pass_time(2 * LONG)
    assert n_with_place(asked) == MOST_LONG
    for run in asked[: MOST_LONG - LONG_PLACES]:
        runs.places.leave(run, 1.0)
    assert n_with_place(asked[MOST_LONG:]) == PLACES, "all of them are short"


def test_a_session_has_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run of it would wait for the first one's end, and hold a place meanwhile."""
    runs = Runs(monkeypatch)
    first, second, other = (runs.places.ask(session) for session in ("one", "one", "other"))
    for _ in range(5):
        runs.pass_time(2 * LONG)
    assert other.has_place.is_set() and not second.has_place.is_set()
    runs.places.leave(first, 0.1)
    assert second.has_place.is_set()


def test_a_run_that_waits_for_something_leaves_its_place_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(monkeypatch)
    asked = [runs.places.ask(str(number)) for number in range(12)]
    runs.pass_time(0.1)
    assert n_with_place(asked) == PLACES, "they may be between two steps of their work"
    runs.pass_time(0.1)
    assert n_with_place(asked) == 2 * PLACES, "those that had places do nothing"
    for _ in range(20):
        runs.pass_time(0.1)
    assert n_with_place(asked) == len(asked)
    runs.working = {run.session for run in asked}
    runs.pass_time(0.1)
    late = runs.places.ask("late")
    for run in asked[:-MOST_LONG]:
        runs.places.leave(run, 0.0)
        assert not late.has_place.is_set(), "those that waited are at work again"
    runs.places.leave(asked[-MOST_LONG], 0.0)
    assert late.has_place.is_set()


def test_runs_of_an_address_are_bounded_and_hold_nobody_else_up(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(monkeypatch)
    strangers = [runs.places.ask(f"stranger {number}", "203.0.113.5") for number in range(60)]
    runs.working = {run.session for run in strangers}
    for _ in range(20):
        runs.pass_time(2 * LONG)
    assert n_with_place(strangers) == MOST_AT_WORK + 1, "the last one was short when it began"
    other, alone = runs.places.ask("other", "198.51.100.1"), runs.places.ask("alone")
    assert other.has_place.is_set()
    runs.places.leave(other, 0.1)
    assert alone.has_place.is_set()
    runs.places.leave(alone, 0.1)
    runs.working = set()
    for _ in range(60):
        runs.pass_time(2 * LONG)
    assert n_with_place(strangers) == MOST_OF_ADDRESS
    runs.places.leave(strangers[0], 0.0)
    assert n_with_place(strangers) == MOST_OF_ADDRESS + 1


def test_in_a_class_of_one_address_short_runs_go_on_beside_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(monkeypatch)
    long = [runs.places.ask(f"long {number}", "203.0.113.5") for number in range(MOST_AT_WORK)]
    runs.working = {run.session for run in long}
    for _ in range(3):
        runs.pass_time(2 * LONG)
    assert n_with_place(long) == MOST_AT_WORK
    for number in range(20):
        classmate = runs.places.ask(f"classmate {number}", "203.0.113.5")
        assert classmate.has_place.is_set()
        runs.places.leave(classmate, 0.1)


def test_a_run_whose_browser_has_gone_is_the_last() -> None:
    places = RunPlaces(1, lambda: 0.0)
    first, gone = places.ask("first"), places.ask("gone", is_here=lambda: False)
    here = places.ask("first")
    places.leave(first, 5.0)
    assert here.has_place.is_set() and not gone.has_place.is_set()
    places.leave(here, 5.0)
    assert gone.has_place.is_set(), "its browser may come back"


@pytest.mark.slow
def test_a_thread_that_waits_is_told_from_one_that_works_or_wants_to() -> None:
    places, may_end, has_key = RunPlaces(), threading.Event(), keys_first.Keys()
    here, there = socket.socketpair()
    runs: dict[str, Any] = {}

    def work() -> None:
        while not may_end.is_set():
            sum(range(1_000))

    def wait_for_keys() -> None:
        with has_key.waiting():
            has_key.wait(60)

    def have_it_worked_out() -> None:
        with ThreadPoolExecutor(1) as helper:
            helper.submit(may_end.wait, 60).result()

    works: list[Callable[[], object]] = [work, wait_for_keys, have_it_worked_out]
    waits: list[Callable[[], object]] = [lambda: may_end.wait(60), lambda: here.makefile("rb").read(1)]
    ends = os.pipe()
    out, into = io.FileIO(ends[0], "rb"), io.FileIO(ends[1], "wb")
    waits.append(lambda: read_message(cast(BinaryIO, out)))  # of a process that runs an own pattern

    def run(what: Callable[[], object], name: str) -> None:
        runs[name] = places.ask(name)
        what()

    named = [(each, f"works {at}") for at, each in enumerate(works)]
    named += [(each, f"waits {at}") for at, each in enumerate(waits)]
    threads = [threading.Thread(target=run, args=each) for each in named]
    for thread in threads:
        thread.start()

    def is_told() -> bool:
        return all(run.is_at_work == name.startswith("works") for name, run in runs.items())

    places._count = len(named)
    for _ in range(600):
        may_end.wait(0.1)
        with places._lock:
            places.look()
        if len(runs) == len(named) and is_told():
            break
    assert {name for name, run in runs.items() if run.is_at_work} == {
        f"works {at}" for at in range(len(works))
    }
    may_end.set()
    has_key._none_waits.set()
    there.sendall(b"ab")
    write_message(cast(BinaryIO, into), "an answer")
    for thread in threads:
        thread.join(60)
    for each in (here, there, out, into):
        each.close()


class Runner:
    """What stands for a ScriptRunner."""

    def __init__(self, session: str) -> None:
        self._session_id = session
        self.ran = 0

    def _run(self, data: Any) -> None:
        self.ran += 1
        if data is not None:
            data()

    run = run_places._in_its_place(_run)  # type: ignore[arg-type]
    stop = run_places._ending_its_wait(lambda self: None)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> RunPlaces:
    monkeypatch.setattr(run_places, "places", places := RunPlaces(1))
    return places


@pytest.mark.slow
def test_a_run_notes_what_it_took_and_gives_its_place_back_though_it_fails(
    places: RunPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner: Any = Runner("a session")
    monkeypatch.setitem(run_places._addresses, runner, "203.0.113.5")
    seen: list[Any] = []

    def work() -> None:
        seen.extend(places._running)
        until = time.thread_time() + 0.6
        while time.thread_time() < until:
            pass
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner.run(work)
    assert [(run.session, run.address) for run in seen] == [("a session", "203.0.113.5")]
    assert not places._running and not places._waiting
    assert places._taken.steps_of("a session") >= 1 and places._taken.steps_of("203.0.113.5") >= 1
    runner.run(None)
    assert runner.ran == 2


def test_a_run_that_is_stopped_while_it_waits_ends_at_once(places: RunPlaces) -> None:
    """Its session has ended, and others ask again and again: its thread would wait for ever."""
    first = places.ask("first")
    waits: Any = Runner("waits")
    thread = threading.Thread(target=waits.run, args=(None,))
    thread.start()
    while waits not in run_places._runs:
        first.has_place.wait(0.01)
    waits.stop()
    thread.join(60)
    assert not thread.is_alive() and not waits.ran and not places._waiting and places._running == [first]
    late: Any = Runner("late")
    late.stop()  # before it has asked
    late.run(None)
    assert not late.ran
    places.leave(first, 0.0)
    places.ask("next")
    assert len(places._running) == 1


def test_where_no_thread_is_left_each_looks_for_itself(
    places: RunPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_places, "_LOOK", 0.01)
    start, n_failed = threading.Thread.start, 0

    def start_another(self: threading.Thread) -> None:
        nonlocal n_failed
        if self.name == "run places":
            n_failed += 1
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", start_another)
    now = 0.0
    monkeypatch.setattr(places, "_clock", lambda: now)
    first = places.ask("first")
    waits: Any = Runner("waits")
    thread = threading.Thread(target=waits.run, args=(None,))
    thread.start()
    while not n_failed:
        thread.join(0.01)
    now += LONG  # from now on, the first one holds nobody up
    thread.join(60)
    assert waits.ran == 1 and places._running == [first] and not places._is_looked_after


def test_many_who_wait_do_not_keep_the_server_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each looked for a place four times a second: a hundred held everybody up for seconds."""
    now, others = 0.0, {*threading.enumerate()}  # a thread of an earlier test may still be there
    places = RunPlaces(1, lambda: now)
    runs = [places.ask(str(number)) for number in range(101)]
    monkeypatch.setattr(run_places, "_LOOK", 0.01)
    waiters = [threading.Thread(target=places.wait, args=(run,), daemon=True) for run in runs[1:]]
    for waiter in waiters:
        waiter.start()
    assert sum(thread.name == "run places" for thread in {*threading.enumerate()} - others) == 1
    for run in runs:
        assert run.has_place.wait(60)
        places.leave(run, 0.0)
    for waiter in waiters:
        waiter.join(60)
    again = places.ask("a"), places.ask("b")
    late = threading.Thread(target=places.wait, args=(again[1],), daemon=True)
    late.start()
    now += LONG
    late.join(60)
    assert again[1].has_place.is_set(), "somebody looks again"
