"""Few pages are drawn at a time, so that a page that is drawn is soon done, and whoever types is answered.

Python runs one thread at a time. The runs of sixty pages at once take it from one another and from the server
itself: a stranger with sixty tabs that ask for run after run held everybody else up for minutes. So a run
waits for one of a few places. The next place goes to the session whose runs have taken the least time of
late, whoever has waited longest among equals: who asks again and again waits for those who do not.

A run that takes long mostly waits for something itself. After a second it does not count any more.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

from streamlit.runtime.scriptrunner import ScriptRunner

PLACES = 4
"""Runs at a time."""

LONG = 1.0
"""Seconds after which a run does not count any more."""

_LOOK = 0.25  # seconds between two looks at whether a run has become long
_HALVED_IN = 10.0  # seconds in which what a session has taken counts half
_EQUAL = (
    0.5  # seconds: what sessions have taken is rounded to so many, and equal sessions are served in order
)
_MOST_KNOWN = 1_000  # sessions


class _Run:
    """A run that waits, or that has a place."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.has_place = threading.Event()


class RunPlaces:
    """The places.

    Args:
        count: how many.
        clock: seconds that only rise.

    >>> places = RunPlaces(1, lambda: 0.0)
    >>> first = places.ask("first"), places.ask("first"), places.ask("second")
    >>> places.leave(first[0], seconds=2.0)
    >>> [run.has_place.is_set() for run in first]
    [True, False, True]
    """

    def __init__(self, count: int = PLACES, clock: Callable[[], float] = time.monotonic) -> None:
        self._count, self._clock = count, clock
        self._lock = threading.Lock()
        self._began: dict[_Run, float] = {}  # of the runs that have a place
        self._waiting: list[_Run] = []
        self._taken: dict[str, tuple[float, float]] = {}  # by session: seconds, and when they were counted

    def ask(self, session: str) -> _Run:
        """Get in line for a place."""
        run = _Run(session)
        with self._lock:
            self._waiting.append(run)
            self._give()
        return run

    def wait(self, run: _Run) -> None:
        """Wait until a run has its place."""
        while not run.has_place.wait(_LOOK):
            with self._lock:
                self._give()

    def leave(self, run: _Run, seconds: float) -> None:
        """Give a place back.

        Args:
            run: that had it.
            seconds: of a processor that it took.
        """
        with self._lock:
            now = self._clock()
            del self._began[run]
            self._taken[run.session] = (self._taken_by(run.session, now) + seconds, now)
            if len(self._taken) > _MOST_KNOWN:  # the others are equal to one that is not known
                known = [each for each in self._taken if self._taken_by(each, now) >= _EQUAL / 2]
                self._taken = {each: self._taken[each] for each in known[-_MOST_KNOWN:]}
            self._give()

    def _taken_by(self, session: str, now: float) -> float:
        seconds, then = self._taken.get(session, (0.0, now))
        return seconds * float(0.5 ** ((now - then) / _HALVED_IN))

    def _give(self) -> None:
        """Give the places that are free. Whoever calls it has the lock."""
        now = self._clock()
        n_free = self._count - sum(now - began < LONG for began in self._began.values())
        while self._waiting and n_free > 0:
            next_run = min(self._waiting, key=lambda run: round(self._taken_by(run.session, now) / _EQUAL))
            self._waiting.remove(next_run)
            self._began[next_run] = now
            next_run.has_place.set()
            n_free -= 1


places = RunPlaces()


def run_few_scripts_at_a_time() -> None:
    """From now on, each run of a script waits for its place."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "_run_script", _in_its_place(ScriptRunner._run_script))  # noqa: B010


def _in_its_place(run: Callable[[ScriptRunner, Any], None]) -> Callable[[ScriptRunner, Any], None]:
    @functools.wraps(run)
    def run_in_its_place(self: ScriptRunner, data: Any) -> None:
        own = places.ask(self._session_id)
        places.wait(own)
        began = time.thread_time()
        try:
            run(self, data)
        finally:
            places.leave(own, time.thread_time() - began)

    return run_in_its_place
