"""Few pages are drawn at a time, so that a page that is drawn is soon done, and whoever types is answered.

Python runs one thread at a time. The runs of sixty pages at once take it from one another and from the server
itself: a stranger with sixty tabs that ask for run after run held everybody else up for minutes. So a run
waits for one of a few places. The next place goes to the address whose runs have taken the least time of
late, there to the session of which this is true, and among equals to whoever has waited longest: who asks
again and again waits for those who do not, and gains nothing by a new session for each run.

A run that takes long mostly waits for something itself. After a second it does not count any more. But where
all runs are slow, because there are too many, that would let in ever more of them: an address has a bound of
its own, for its long runs, too.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import ScriptRunner

from pages.server.visitors import address_behind

PLACES = 4
"""Runs at a time."""

MOST_OF_ADDRESS = 8
"""Runs of an address at a time, the long ones included. A class may have one address."""

LONG = 1.0
"""Seconds after which a run does not count any more."""

_LOOK = 0.25  # seconds between two looks at whether a run has become long
_HALVED_IN = 10.0  # seconds in which what was taken counts half
_EQUAL = 0.5  # seconds: what was taken is rounded to so many, and equal sessions are served in order
_MOST_KNOWN = 1_000  # sessions and addresses


class _Run:
    """A run that waits, or that has a place."""

    def __init__(self, session: str, address: str) -> None:
        self.session, self.address = session, address
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
        self._is_looked_after = False
        self._taken: dict[str, tuple[float, float]] = {}  # by session, and by address: seconds, and when

    def ask(self, session: str, address: str = "") -> _Run:
        """Get in line for a place.

        Args:
            session: whose page is to run.
            address: that the session counts for; empty: nobody knows it, so the session stands alone.
        """
        run = _Run(session, address)
        with self._lock:
            self._waiting.append(run)
            self._give()
        return run

    def wait(self, run: _Run) -> None:
        """Wait until a run has its place."""
        if run.has_place.is_set():
            return
        with self._lock:
            starts, self._is_looked_after = not self._is_looked_after, True
        if starts:
            threading.Thread(target=self._look_after, name="run places", daemon=True).start()
        run.has_place.wait()

    def _look_after(self) -> None:
        """See which runs have become long, as long as others wait.

        One thread does that for all. When each that waited looked for itself, a hundred of them queued for
        the lock four times a second, and took more time than the runs.
        """
        while True:
            time.sleep(_LOOK)
            with self._lock:
                self._give()
                if not self._waiting:
                    self._is_looked_after = False
                    return

    def leave(self, run: _Run, seconds: float) -> None:
        """Give a place back.

        Args:
            run: that had it.
            seconds: of a processor that it took.
        """
        with self._lock:
            now = self._clock()
            del self._began[run]
            for name in {run.session, run.address} - {""}:
                self._taken[name] = (self._taken_by(name, now) + seconds, now)
            if len(self._taken) > _MOST_KNOWN:  # the others are equal to one that is not known
                known = [each for each in self._taken if self._taken_by(each, now) >= _EQUAL / 2]
                self._taken = {each: self._taken[each] for each in known[-_MOST_KNOWN:]}
            self._give()

    def _taken_by(self, name: str, now: float) -> float:
        seconds, then = self._taken.get(name, (0.0, now))
        return seconds * float(0.5 ** ((now - then) / _HALVED_IN))

    def _give(self) -> None:
        """Give the places that are free. Whoever calls it has the lock."""
        now = self._clock()
        n_free = self._count - sum(now - began < LONG for began in self._began.values())
        n_of_address = Counter(run.address for run in self._began if run.address)

        def taken(run: _Run) -> tuple[int, int]:
            by_both = (self._taken_by(run.address or run.session, now), self._taken_by(run.session, now))
            return round(by_both[0] / _EQUAL), round(by_both[1] / _EQUAL)

        while n_free > 0:
            may_run = [run for run in self._waiting if n_of_address[run.address] < MOST_OF_ADDRESS]
            if not may_run:
                break
            next_run = min(may_run, key=taken)
            self._waiting.remove(next_run)
            self._began[next_run] = now
            if next_run.address:
                n_of_address[next_run.address] += 1
            next_run.has_place.set()
            n_free -= 1


places = RunPlaces()
_addresses: WeakKeyDictionary[ScriptRunner, str] = WeakKeyDictionary()


def run_few_scripts_at_a_time() -> None:
    """From now on, each run of a script waits for its place."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "__init__", _with_address(ScriptRunner.__init__))  # noqa: B010
    setattr(ScriptRunner, "_run_script", _in_its_place(ScriptRunner._run_script))  # noqa: B010


def _with_address(begin: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(begin)
    def begin_with_address(self: ScriptRunner, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        # Now, since a browser that has left by the time of the run has no address any more.
        _addresses[self] = _address_of(self._session_id)

    return begin_with_address


def _address_of(session: str) -> str:
    """The address that a session with an open connection counts for; empty: nobody knows it."""
    info = get_instance()._session_mgr.get_active_session_info(session) if exists() else None
    context = info.client.client_context if info is not None else None
    if context is None:
        return ""
    forwarded = (value for name, value in context.headers if name.lower() == "x-forwarded-for")
    return address_behind(context.remote_ip, forwarded)


def _in_its_place(run: Callable[[ScriptRunner, Any], None]) -> Callable[[ScriptRunner, Any], None]:
    @functools.wraps(run)
    def run_in_its_place(self: ScriptRunner, data: Any) -> None:
        own = places.ask(self._session_id, _addresses.get(self, ""))
        places.wait(own)
        began = time.thread_time()
        try:
            run(self, data)
        finally:
            places.leave(own, time.thread_time() - began)

    return run_in_its_place
