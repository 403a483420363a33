"""Few pages are drawn at a time, and a session that asks again and again waits for the others."""

from __future__ import annotations

import threading

from pages.server.run_places import LONG, RunPlaces


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
