"""Few pages are drawn at a time, and a session that asks again and again waits for the others."""

from __future__ import annotations

import threading

import pytest

from pages.server import run_places
from pages.server.run_places import LONG, MOST_OF_ADDRESS, RunPlaces


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


def test_sessions_that_took_next_to_nothing_are_not_remembered_for_ever() -> None:
    places = RunPlaces(1, lambda: 0.0)
    for number in range(3_000):
        places.leave(places.ask(str(number)), 0.1 if number % 2 else 1.0)
    assert len(places._taken) <= 1_001


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


def test_long_runs_of_an_address_are_bounded_and_hold_nobody_else_up() -> None:
    now = 0.0
    places = RunPlaces(4, lambda: now)
    strangers = [places.ask(str(number), "203.0.113.5") for number in range(30)]
    alone = []
    for number in range(20):
        now += 2 * LONG
        alone.append(places.ask(f"alone {number}"))
    assert sum(run.has_place.is_set() for run in strangers) == MOST_OF_ADDRESS
    assert all(run.has_place.is_set() for run in alone), "these are of no address"
    places.leave(strangers[0], 0.0)
    assert sum(run.has_place.is_set() for run in strangers) == MOST_OF_ADDRESS + 1


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
