"""Whose work it is: each has one place among the processes, and what nobody waits for ends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import tokenizers as tk
from pages.session.workspace import Workspace
from tokenizers.askers import Asker, NobodyWaitsError, asked_by, check_wanted, current_asker
from tokenizers.split import bounded, regex_tasks, split

SLOW = "(?:a|aa)*(?:a|aa)*(?:a|aa)*(?:a|aa)*c|[ab]"
TASKS = Path(regex_tasks.__file__)


def waiting(places: bounded._Places, asker: Asker) -> threading.Thread:
    """A thread that waits for a place, and has one at its end; it is in line when this returns."""
    before = len(places._line)
    thread = threading.Thread(target=places.acquire, args=(asker,), kwargs={"timeout": 60}, daemon=True)
    thread.start()
    while len(places._line) == before and thread.is_alive():
        thread.join(0.01)
    return thread


def test_one_asker_has_one_place_and_the_others_are_served_before_its_next_task() -> None:
    places = bounded._Places(2)
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


def test_a_task_ends_when_its_asker_has_gone() -> None:
    """The pattern would take hours, and has no limit of time."""
    gone = threading.Event()

    def stays() -> bool:
        return not gone.is_set()

    threading.Timer(0.3, gone.set).start()
    with asked_by(Asker("visitor", stays)), pytest.raises(NobodyWaitsError, match=r"browser had gone\. Ask"):
        bounded.run(TASKS, "split_lengths", SLOW, "a" * 5000, None)
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        bounded._Places(0).acquire(current_asker(), timeout=30)
    assert split("ab", "(?:ab)*") == ["ab"], "the place is free again"
    check_wanted()


def test_work_in_a_thread_that_serves_nobody_is_wanted() -> None:
    assert current_asker() is None
    with asked_by(Asker("one", lambda: False)), pytest.raises(NobodyWaitsError):
        check_wanted()
    check_wanted()


def test_slow_patterns_take_none_of_the_helpers_that_all_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """All eight own encodings of a session stand still; another session encodes a long text meanwhile."""
    going_on, begun = threading.Event(), threading.Event()
    workspace = Workspace(encodings=["gpt2", "cl100k_base"])
    names = [workspace.add_grown(tk.HomeEncoding([(97, 98)], name=f"own-{i}")) for i in range(8)]
    workspace.encodings = [*names, "gpt2"]
    real = Workspace.spans

    def stand_still(self: Workspace, name: str) -> object:
        if name.startswith("own-"):
            begun.set()
            assert going_on.wait(60)
        return real(self, name)

    monkeypatch.setattr(Workspace, "spans", stand_still)
    text = "a word and another one\n" * 1_000
    workspace.set_text(text)
    slow = threading.Thread(target=workspace.encode_all, daemon=True)
    slow.start()
    assert begun.wait(60)
    other = Workspace(encodings=["gpt2", "cl100k_base", "words"])
    other.set_text(text)
    finished: list[int] = []
    quick = threading.Thread(target=lambda: finished.append(len(other.encode_all()[0])), daemon=True)
    quick.start()
    quick.join(60)
    going_on.set()
    slow.join(60)
    assert finished == [3] and len(workspace.encode_all()[0]) == 9


def test_what_ended_because_its_browser_had_gone_is_tried_again() -> None:
    workspace = Workspace(encodings=["gpt2"])
    with asked_by(Asker("visitor", lambda: False)):
        spans, problems = workspace.encode_all()
    assert not spans and "Ask for it again" in problems["gpt2"]
    assert list(workspace.encode_all()[0]) == ["gpt2"]
