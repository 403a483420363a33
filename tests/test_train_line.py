"""Who may train next: nobody holds all places for long, neither long trainings nor one address."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import tokenizers as tk
from pages.session import train_run
from pages.session.own_texts import OwnText
from pages.session.train_line import Line
from pages.session.train_plan import Recipe
from pages.session.train_run import Comparison, Run, State

PLACES, PER_PLACE = 2, 3


def let_begin(line: Line[str]) -> list[str]:
    """Have all begin that may, as their threads would; returns who works."""
    working = line.working(PLACES)
    for member in working:
        if member not in line._begun:
            line.begin(member)
    return working


def take_turns(line: Line[str], turns: int) -> list[str]:
    """Everybody who works makes room after a turn; returns all that began, in that order."""
    for _ in range(turns):
        for member in let_begin(line):
            line.make_room(member, PLACES)
            let_begin(line)
    return line._begun


@pytest.mark.parametrize("address", ["", "203.0.113.9"])
def test_a_small_training_begins_beside_long_ones_that_hold_all_the_room(address: str) -> None:
    """Six of a quarter of an hour each kept a seventh waiting until one was over."""
    line = Line[str](PER_PLACE)
    for number in range(6):
        line.join(f"long {number}", f"198.51.100.{number}")
    assert len(take_turns(line, 6)) == 6
    line.join("small", address, small=True)
    assert "small" in take_turns(line, 4)
    line.leave("small")
    line.join("one more that is long")
    assert "one more that is long" not in take_turns(line, 20), "memory is bounded as before"
    line.leave("long 3")
    assert "one more that is long" in take_turns(line, 4)


def test_small_ones_take_no_more_than_a_place_more_each() -> None:
    line = Line[str](PER_PLACE)
    for number in range(40):
        line.join(f"small {number}", small=True)
    assert len(take_turns(line, 40)) == PLACES * PER_PLACE + PLACES


def test_one_address_leaves_room_for_the_others() -> None:
    line = Line[str](PER_PLACE)
    for number in range(40):
        line.join(f"his {number}", "203.0.113.9")
    assert len(take_turns(line, 20)) == 4
    line.join("mine", "198.51.100.1")
    line.join("mine again", "198.51.100.1")
    assert take_turns(line, 8)[4:] == ["mine", "mine again"]


def test_who_comes_from_an_address_that_has_begun_nothing_is_next() -> None:
    line = Line[str](PER_PLACE)
    for number in range(10):
        line.join(f"his {number}", "203.0.113.9")
    line.join("mine", "198.51.100.1")
    assert line.working(PLACES) == ["his 0", "mine"]


def test_where_addresses_are_not_known_the_order_is_that_in_which_they_came() -> None:
    line = Line[str](PER_PLACE)
    for number in range(10):
        line.join(str(number))
    assert take_turns(line, 20) == ["0", "1", "2", "3", "4", "5"]


def run_of(text: str, **more: object) -> Run:
    recipe = Recipe(**{"parts": (("own-1", 1.0),), "vocab_size": 300, **more})  # type: ignore[arg-type]
    return Run(recipe, {"own-1": OwnText("own-1", "My text", text)}, lambda grown: None)


def test_a_training_is_small_by_its_text_and_if_nothing_in_it_may_be_slow() -> None:
    most = train_run._SMALL_BYTES
    assert run_of("a" * most)._is_small and run_of("a" * most, pattern=None)._is_small
    assert not run_of("a" * (most + 1))._is_small
    assert not run_of("a" * most, parts=(("own-1", 2.0),))._is_small
    assert not run_of("a", pattern=tk.PATTERNS["gpt4"][:-3])._is_small, "a pattern of one's own"
    assert run_of("a", pattern=tk.PATTERNS["gpt4"][:-3], method="characters")._is_small
    own = {"own-1": OwnText("own-1", "My text", "a")}
    assert not Comparison(Recipe(parts=(("own-1", 1.0),)), own, {"own-1": 1})._is_small


class Stubborn:
    """A process that ends if it is killed, and in no other way."""

    def __init__(self) -> None:
        self.is_killed = False
        self.stdin = None

    def poll(self) -> int | None:
        return -9 if self.is_killed else None

    def kill(self) -> None:
        self.is_killed = True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds, of which some pass whenever a run waits."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        assert now[0] < 10 * train_run.MAX_SECONDS, "It is left at work for ever."

    monkeypatch.setattr(train_run, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    monkeypatch.setattr(train_run, "_CAN_PAUSE", False)
    return now


@pytest.mark.parametrize(("state", "seconds"), [("splitting", 3), ("learning", 20), ("measuring", 20)])
def test_a_process_that_does_not_stop_is_killed(clock: list[float], state: State, seconds: float) -> None:
    run, process = run_of("a"), Stubborn()
    run.state = state
    run.cancel()
    run._watch(process)  # type: ignore[arg-type]
    assert process.is_killed and seconds < clock[0] < seconds + 1 and not run._given_up
    by_library, process = run_of("a", method="characters"), Stubborn()
    before = clock[0]
    by_library.cancel()
    by_library._watch(process)  # type: ignore[arg-type]
    assert process.is_killed and clock[0] < before + 1, "it does not stop half way"


def test_a_training_that_takes_too_long_or_that_nobody_waits_for_ends(clock: list[float]) -> None:
    run, process = run_of("a"), Stubborn()
    run.state = "learning"
    run._watch(process)  # type: ignore[arg-type]
    assert process.is_killed and "which is the limit here" in run._given_up
    assert train_run.MAX_SECONDS < clock[0] < train_run.MAX_SECONDS + 30
    left, process, before = run_of("a"), Stubborn(), clock[0]
    left._is_wanted = lambda: False
    left._watch(process)  # type: ignore[arg-type]
    assert process.is_killed and before + 60 < clock[0] < before + 61 and not left._given_up


def test_a_training_gets_in_line_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line[Run](PER_PLACE)
    monkeypatch.setattr(train_run, "_line", line)
    monkeypatch.setattr(train_run, "MAX_RUNNING", 2)
    monkeypatch.setattr(train_run, "MAX_WAITING", 3)

    def start(run: Run) -> Run:
        monkeypatch.setattr(run, "_thread", SimpleNamespace(start=lambda: None))
        run.start()
        return run

    small = start(run_of("a"))
    long = start(run_of("a" * (train_run._SMALL_BYTES + 1)))
    assert line._about[small].small and not line._about[long].small
    for _ in range(3):
        start(run_of("a"))
    with pytest.raises(ValueError, match="Very many are growing encodings here"):
        start(run_of("a"))
    assert len(line) == 5
