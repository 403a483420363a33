"""Few pages are drawn at a time, so that a page that is drawn is soon done, and whoever types is answered.

Python runs one thread at a time. The runs of sixty pages at once take it from one another and from the server
itself: a stranger with sixty tabs that ask for run after run held everybody else up for minutes. Each step of
the server waits for every run that is at work, so two at a time are drawn as fast as eight, and whoever types
beside them is answered ten times as fast. The next place goes to the address whose runs have taken the least
time of late, there to the session of which this is true, and among equals to whoever has waited longest: who
asks again and again waits for those who do not, and gains nothing by a new session for each run. A run whose
browser has gone is the last.

A run that waits for something itself, such as another process, leaves its place to others meanwhile. One that
works for long has a place among others of its kind, so that short ones need not wait for it.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import ScriptRunner

from pages.server.taken import Taken, taken
from pages.server.visitors import address_behind

PLACES = 2
"""Runs that work at a time."""

LONG, LONG_PLACES = 1.0, 2
"""Seconds after which a run takes one of the places for long ones, if one is free, and how many there are."""

MOST_AT_WORK, MOST_OF_ADDRESS = 3, 8
"""Runs of an address that work at a time, long ones included, and those that wait for something with them. A
class may have one address."""

_LOOK = 0.25  # seconds between two looks at what the runs do
_AT_WORK = 0.05  # the share of a processor from which on a run is at work: among many, it gets no more


class _Run:
    """A run that waits for a place, or that has one. It is made by the thread that runs."""

    def __init__(self, session: str, address: str, is_here: Callable[[], bool]) -> None:
        self.session, self.address, self.is_here = session, address, is_here
        self.has_place = threading.Event()
        self.began = 0.0
        self.is_at_work = True
        self._clock_id: int | None = None
        if hasattr(time, "pthread_getcpuclockid"):  # not on macOS and Windows
            self._clock_id = time.pthread_getcpuclockid(threading.get_ident())
        self._seen = (0.0, 0.0)

    def begin(self, now: float) -> None:
        """It has its place now."""
        self.began, self._seen = now, (now, self._taken())
        self.has_place.set()

    def look(self, now: float) -> None:
        """See whether it works, or waits for something. Only while its thread is there."""
        then, taken_then = self._seen
        if now - then >= _LOOK:
            taken = self._taken()
            # Where nobody can tell, a long run is one that waits.
            can_tell = self._clock_id is not None
            self.is_at_work = (
                taken - taken_then >= _AT_WORK * (now - then) if can_tell else now - self.began < LONG
            )
            self._seen = (now, taken)

    def _taken(self) -> float:
        return time.clock_gettime(self._clock_id) if self._clock_id is not None else 0.0


class RunPlaces:
    """The places.

    Args:
        count: how many.
        clock: seconds that only rise.
        taken: by whom how much was taken; it is noted there, too. None: by nobody.

    >>> places = RunPlaces(1, lambda: 0.0)
    >>> first = places.ask("first"), places.ask("first"), places.ask("second")
    >>> places.leave(first[0], seconds=2.0)
    >>> [run.has_place.is_set() for run in first]
    [True, False, True]
    """

    def __init__(
        self,
        count: int = PLACES,
        clock: Callable[[], float] = time.monotonic,
        taken: Taken | None = None,
    ) -> None:
        self._count, self._clock = count, clock
        self._lock = threading.Lock()
        self._running: list[_Run] = []
        self._waiting: list[_Run] = []
        self._is_looked_after = False
        self._taken = taken or Taken(clock)

    def ask(self, session: str, address: str = "", is_here: Callable[[], bool] = lambda: True) -> _Run:
        """Get in line for a place, in the thread that is to run.

        Args:
            session: whose page is to run.
            address: that the session counts for; empty: nobody knows it, so the session stands alone.
            is_here: whether the session has its browser.
        """
        run = _Run(session, address, is_here)
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
        """See which runs have become long or wait for something, as long as others wait for a place.

        One thread does that for all. When each that waited looked for itself, a hundred of them queued for
        the lock four times a second, and took more time than the runs.
        """
        while True:
            time.sleep(_LOOK)
            with self._lock:
                self.look()
                if not self._waiting:
                    self._is_looked_after = False
                    return

    def look(self) -> None:
        """See which runs work, and give the places that are free. Whoever calls it has the lock."""
        now = self._clock()
        for run in self._running:
            run.look(now)
        self._give()

    def leave(self, run: _Run, seconds: float) -> None:
        """Give a place back.

        Args:
            run: that had it.
            seconds: of a processor that it took.
        """
        with self._lock:
            self._running.remove(run)
            self._taken.add(seconds, run.session, run.address)
            self._give()

    def _give(self) -> None:
        """Give the places that are free. Whoever calls it has the lock."""
        while self._waiting and self._n_taken() < self._count:
            may_run = [run for run in self._waiting if self._may_run(run)]
            if not may_run:
                return
            next_run = min(may_run, key=self._order)
            self._waiting.remove(next_run)
            self._running.append(next_run)
            next_run.begin(self._clock())

    def _n_taken(self) -> int:
        """How many of the places are taken: by short runs, and by long ones for which there is no other."""
        now = self._clock()
        ages = [now - run.began for run in self._running if run.is_at_work]
        n_long = sum(age >= LONG for age in ages)
        return len(ages) - min(n_long, LONG_PLACES)

    def _may_run(self, run: _Run) -> bool:
        """Whether its address has not too many runs already."""
        of_address = [each for each in self._running if run.address and each.address == run.address]
        return (
            len(of_address) < MOST_OF_ADDRESS and sum(each.is_at_work for each in of_address) < MOST_AT_WORK
        )

    def _order(self, run: _Run) -> tuple[bool, int, int]:
        of_address = self._taken.steps_of(run.address or run.session)
        return not run.is_here(), of_address, self._taken.steps_of(run.session)


places = RunPlaces(taken=taken)
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


def _is_here(session: str) -> bool:
    return not exists() or get_instance().is_active_session(session)


def _in_its_place(run: Callable[[ScriptRunner, Any], None]) -> Callable[[ScriptRunner, Any], None]:
    @functools.wraps(run)
    def run_in_its_place(self: ScriptRunner, data: Any) -> None:
        own = places.ask(self._session_id, _addresses.get(self, ""), lambda: _is_here(self._session_id))
        places.wait(own)
        began = time.thread_time()
        try:
            run(self, data)
        finally:
            places.leave(own, time.thread_time() - began)

    return run_in_its_place
