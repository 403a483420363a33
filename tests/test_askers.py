"""Whose work it is: each has one place among the processes, and what nobody waits for ends."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import Mock

import pytest

import tokenizers as tk
from tokenizers.askers import Asker, NobodyWaitsError, Places, asked_by, check_wanted, current_asker
from tokenizers.families import huggingface
from tokenizers.measure import vocabulary_of
from tokenizers.split import bounded, find_pattern, regex_tasks, split

SLOW = "(?:a|aa)*(?:a|aa)*(?:a|aa)*(?:a|aa)*c|[ab]"
TASKS = Path(regex_tasks.__file__)


def waiting(places: Places, asker: Asker) -> threading.Thread:
    """A thread that waits for a place, and has one at its end; it is in line when this returns."""
    before = len(places._line)
    thread = threading.Thread(target=places.acquire, args=(asker,), kwargs={"timeout": 60}, daemon=True)
    thread.start()
    while len(places._line) == before and thread.is_alive():
        thread.join(0.01)
    return thread


def test_one_asker_has_one_place_and_the_others_are_served_before_its_next_task() -> None:
    places = Places(2)
    greedy, modest = Asker("greedy", lambda: True), Asker("modest", lambda: True)
    assert places.acquire(greedy, timeout=0)
    second, third = waiting(places, greedy), waiting(places, greedy)
    assert places.acquire(modest, timeout=0), "it came later, and there is a place that greedy may not have"
    assert second.is_alive() and third.is_alive()
    assert not places.acquire(Asker("late", lambda: True), timeout=0)
    places.release(greedy)
    second.join(30)
    assert not second.is_alive() and third.is_alive()
    places.release(modest)
    assert places.acquire(Asker("late", lambda: True), timeout=0)
    places.release(greedy)
    places.release(Asker("late", lambda: True))
    third.join(30)
    assert not third.is_alive()
    places.release(greedy)
    assert places._free == 2 and not places._held and not places._line, "all is given back"


@pytest.mark.slow
def test_a_task_ends_when_its_asker_has_gone() -> None:
    """The pattern would take hours, and has no limit of time."""
    gone = threading.Event()

    def stays() -> bool:
        return not gone.is_set()

    threading.Timer(0.3, gone.set).start()
    with asked_by(Asker("visitor", stays)), pytest.raises(NobodyWaitsError, match=r"browser had gone\. Ask"):
        bounded.run(TASKS, "split_lengths", SLOW, "a" * 5000, None)
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        Places(0).acquire(current_asker(), timeout=30)
    assert split("ab", "(?:ab)*") == ["ab"], "the place is free again"
    check_wanted()


@pytest.fixture
def deserted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Until it is undone, each task in a process is one whose asker goes meanwhile."""
    monkeypatch.setattr(bounded, "run", Mock(side_effect=NobodyWaitsError))
    return monkeypatch


def test_a_pattern_is_not_blamed_for_a_browser_that_had_gone(deserted: pytest.MonkeyPatch) -> None:
    """Said of the pattern, it would be remembered, also where the browser comes back."""
    pattern = "(?R)?a|never seen"  # no other test has it: a pattern is looked at once
    with pytest.raises(NobodyWaitsError):
        find_pattern(pattern)
    deserted.undo()
    find_pattern(pattern)
    deserted.setattr(bounded, "run", Mock(side_effect=NobodyWaitsError))
    with pytest.raises(NobodyWaitsError):
        split("a" * 5000, pattern)


def test_a_tokenizer_that_was_tried_for_nobody_is_tried_again(deserted: pytest.MonkeyPatch) -> None:
    with pytest.raises(NobodyWaitsError):
        huggingface._try_apart("{}")
    deserted.undo()
    with pytest.raises(ValueError, match="library cannot read it: (?!This was ended)"):
        huggingface._try_apart("{}")


def test_work_in_a_thread_that_serves_nobody_is_wanted() -> None:
    assert current_asker() is None
    with asked_by(Asker("one", lambda: False)), pytest.raises(NobodyWaitsError):
        check_wanted()
    check_wanted()


def test_a_vocabulary_is_not_worked_out_for_nobody() -> None:
    vocabulary = vocabulary_of(tk.train("the cat and the hat " * 9, 300))
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        vocabulary.prepare("trees")
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        vocabulary.unreachable  # noqa: B018
    vocabulary.prepare("trees")
    assert vocabulary.is_prepared()
