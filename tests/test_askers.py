"""Whose work it is: each has one place among the processes, and what nobody waits for ends."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import tokenizers as tk
from pages.measure.compression.figures import Measurements
from pages.measure.compression.texts import bundled
from pages.measure.languages import token_counts
from pages.session.panels import Panels
from pages.session.slow_panels import SlowPanels
from pages.session.workspace import Workspace
from tokenizers.askers import Asker, NobodyWaitsError, Places, asked_by, check_wanted, current_asker
from tokenizers.data.parallel import own_text
from tokenizers.families import huggingface
from tokenizers.measure import iter_counts, vocabulary_of
from tokenizers.split import bounded, find_pattern, regex_tasks, split
from tokenizers.text import Spans, encode_spans

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


def test_slow_patterns_take_none_of_the_helpers_that_all_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """All eight own encodings of a session stand still; another session encodes a long text meanwhile."""
    going_on, begun = threading.Event(), threading.Event()
    workspace = Workspace(encodings=["gpt2", "cl100k_base"])
    names = [workspace.add_grown(tk.HomeEncoding([(97, 98)], name=f"own-{i}")) for i in range(8)]
    workspace.encodings = [*names, "gpt2"]
    real, threads = Panels.spans, list[str]()

    def stand_still(self: Panels, name: str) -> object:
        if name.startswith("own-"):
            threads.append(threading.current_thread().name)
            begun.set()
            assert going_on.wait(60)
        return real(self, name)

    monkeypatch.setattr(Panels, "spans", stand_still)
    text = "a word and another one\n" * 1_000
    workspace.set_text(text)
    slow = threading.Thread(target=workspace.panels.encode_all, daemon=True)
    slow.start()
    assert begun.wait(60)
    other = Workspace(encodings=["gpt2", "cl100k_base", "words"])
    other.set_text(text)
    finished: list[int] = []
    quick = threading.Thread(target=lambda: finished.append(len(other.panels.encode_all()[0])), daemon=True)
    quick.start()
    quick.join(60)
    going_on.set()
    slow.join(60)
    assert finished == [3] and len(workspace.panels.encode_all()[0]) == 9
    assert threads and not [name for name in threads if name.startswith("encode")]


def test_what_ended_because_its_browser_had_gone_is_tried_again() -> None:
    workspace = Workspace(encodings=["gpt2"])
    with asked_by(Asker("visitor", lambda: False)):
        spans, problems = workspace.panels.encode_all()
    assert not spans and "Ask for it again" in problems["gpt2"]
    assert list(workspace.panels.encode_all()[0]) == ["gpt2"]


def test_a_vocabulary_is_not_worked_out_for_nobody() -> None:
    vocabulary = vocabulary_of(tk.train("the cat and the hat " * 9, 300))
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        vocabulary.prepare("trees")
    with asked_by(Asker("visitor", lambda: False)), pytest.raises(NobodyWaitsError):
        vocabulary.unreachable  # noqa: B018
    vocabulary.prepare("trees")
    assert vocabulary.is_prepared()


def test_figures_are_not_measured_for_nobody() -> None:
    workspace = Workspace()
    with asked_by(Asker("visitor", lambda: False)):
        measured, problems = Measurements().measure_all(workspace, ["gpt2"], [bundled("prose")])
    assert not measured and "browser had gone" in problems["gpt2"]


# Languages: one counting for all sessions that look at the same encoding


def held_counting(
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[tk.HomeEncoding, threading.Event, threading.Event]:
    """An encoding whose counting waits after its first text: (encoding, it waits, let it go on)."""
    waits, go_on = threading.Event(), threading.Event()

    def held_up(encoding: Any, texts: Any, known: Any) -> Iterator[Any]:
        for progress in iter_counts(encoding, texts, known):
            yield progress
            waits.set()
            assert go_on.wait(60)

    monkeypatch.setattr(token_counts, "iter_counts", held_up)
    monkeypatch.setattr(token_counts, "list_parallel", lambda: TEXTS)
    return tk.HomeEncoding([(101, 32)], None, name="mine"), waits, go_on


TEXTS = tuple(own_text(f"text {number}", "some text of it " * number) for number in range(1, 9))


def test_stop_is_for_oneself_and_what_nobody_wants_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding, waits, go_on = held_counting(monkeypatch)
    there = {"first": True, "second": True}
    first, second = (Asker(key, lambda key=key: there[key]) for key in there)  # type: ignore[misc]
    with asked_by(first):
        counting = token_counts.counting_of(encoding)
        assert waits.wait(60)
    with asked_by(second):
        assert token_counts.counting_of(encoding) is counting
    with asked_by(first):
        counting.stop()
        assert (counting.state, counting.is_over) == ("stopped", True)
    with asked_by(second):
        assert (counting.state, counting.is_over) == ("counting", False), "the other one did not press Stop"
    there["second"] = False
    go_on.set()
    assert counting.wait(60)
    assert len(counting.counts) < len(TEXTS), "the other one has left: it ended"
    with asked_by(first):
        assert token_counts.counting_of(encoding).state == "stopped"
    with asked_by(third := Asker("third", lambda: True)):
        assert token_counts.counting_of(encoding) is counting and counting.wait(60)
        assert counting.state == "done" and len(counting.counts) == len(TEXTS)
    assert third.key not in token_counts._places._held
    token_counts.forget(encoding)


def test_what_failed_for_one_session_is_not_told_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the encoding as the one who brought it calls it."""

    def fail(encoding: Any, texts: Any, known: Any) -> Iterator[Any]:
        raise ValueError(f"{encoding.name} cannot encode it.")
        yield

    monkeypatch.setattr(token_counts, "iter_counts", fail)
    problems = []
    for name in ("secret name", "other name"):
        encoding = tk.HomeEncoding([(101, 33)], None, name=name)
        with asked_by(Asker(name, lambda: True)):
            counting = token_counts.counting_of(encoding)
            assert counting.wait(60) and token_counts.counting_of(encoding) is counting
        problems.append(counting.problem)
    assert problems == ["secret name cannot encode it.", "other name cannot encode it."]
    token_counts.forget(encoding)


def test_places_for_counting_change_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A counting that is slow lets the others go in between, so that it holds up nobody."""
    monkeypatch.setattr(token_counts, "TURN", 0.0)
    monkeypatch.setattr(token_counts, "_places", Places(1))
    monkeypatch.setattr(token_counts, "list_parallel", lambda: TEXTS)
    order: list[str] = []

    def note(encoding: Any, texts: Any, known: Any) -> Iterator[Any]:
        for progress in iter_counts(encoding, texts, known):
            order.append(encoding.name)
            yield progress

    monkeypatch.setattr(token_counts, "iter_counts", note)
    countings: list[token_counts.LanguageCount] = []
    places = token_counts._places
    assert places.acquire(timeout=0)
    for name in ("a", "b"):
        encoding = tk.HomeEncoding([(101, 34 + len(countings))], None, name=name)
        with asked_by(Asker(name, lambda: True)):
            countings.append(token_counts.counting_of(encoding))
    while len(places._line) < 2:
        countings[0].wait(0.01)
    places.release()
    assert all(counting.wait(60) for counting in countings)
    assert sorted(order) == ["a"] * 8 + ["b"] * 8
    assert "a" * 8 not in "".join(order) or "b" * 8 not in "".join(order)


def test_what_others_wait_for_is_not_dropped_for_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The 65th counting ended the one that was used longest ago, whoever waited for it."""
    _, _, go_on = held_counting(monkeypatch)
    monkeypatch.setattr(token_counts, "_KEPT", 2)
    monkeypatch.setattr(token_counts, "_countings", OrderedDict())
    there = {"first": True, "second": True}
    mine = [tk.HomeEncoding([(101, 40 + number)], None, name="mine") for number in range(4)]
    countings = []
    for key, encoding in zip(there, mine, strict=False):
        with asked_by(Asker(key, lambda key=key: there[key])):  # type: ignore[misc]
            countings.append(token_counts.counting_of(encoding))
    with asked_by(Asker("third", lambda: True)):
        with pytest.raises(ValueError, match="Very many encodings are being counted here right now"):
            token_counts.counting_of(mine[2])
        assert [counting.is_over for counting in countings] == [False, False]
        there["first"] = False
        third = token_counts.counting_of(mine[2])
        go_on.set()
        assert third.wait(60) and third.state == "done" and len(token_counts._countings) == 2
        assert countings[1].wait(60)
        with asked_by(Asker("fourth", lambda: True)):
            assert token_counts.counting_of(mine[3]).wait(60), "what is over makes room"


def test_a_session_wants_no_more_countings_than_it_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, go_on = held_counting(monkeypatch)
    monkeypatch.setattr(token_counts, "_MOST_WANTED", 2)
    monkeypatch.setattr(token_counts, "_countings", OrderedDict())
    encodings = [tk.HomeEncoding([(101, 50 + number)], None, name="mine") for number in range(4)]
    with asked_by(Asker("first", lambda: True)):
        countings = [token_counts.counting_of(encoding) for encoding in encodings]
        assert [counting.can_be_dropped for counting in countings] == [True, True, False, False]
        go_on.set()
        assert all(counting.wait(60) for counting in countings)
        again = token_counts.counting_of(encodings[0])
        assert again is countings[0] and again.wait(60) and again.state == "done"


def test_slow_encodings_of_some_keep_nobody_from_those_of_all() -> None:
    """Eight sessions with a slow one of their own held all threads."""
    go_on, spans = threading.Event(), encode_spans(tk.get_encoding("gpt2"), "a")

    def count_slowly() -> Spans:
        assert go_on.wait(60)
        return spans

    many = [SlowPanels(own=True) for _ in range(20)]
    for number, panels in enumerate(many):
        panels.count(number, {("own", False, number): count_slowly}, patience=0)
    key = ("gpt2", False, 0)
    try:
        assert SlowPanels().count("text", {key: lambda: spans}, patience=60) == {key: spans}
        assert not go_on.is_set()
    finally:
        go_on.set()
    for number, panels in enumerate(many):
        assert panels.count(number, {("own", False, number): count_slowly}, patience=60)
