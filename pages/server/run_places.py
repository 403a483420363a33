"""Few pages are drawn at a time, so that a page that is drawn is soon done, and whoever types is answered.

Python runs one thread at a time. The runs of sixty pages at once take it from one another and from the server
itself: a stranger with sixty tabs that ask for run after run held everybody else up for minutes. Each step of
the server waits for every run that is at work, so two at a time are drawn as fast as eight, and whoever types
beside them is answered ten times as fast. The next place goes to the address whose runs have taken the least
time of late, there to the session of which this is true, and among equals to whoever has waited longest: who
asks again and again waits for those who do not, and gains nothing by a new session for each run. A run whose
browser has gone is the last.

A run that waits for something itself, such as another process, leaves its place to others meanwhile. Those
that work for long have places of their own. If there are more of them, they take the others, too, but for
one: short ones go one at a time.
"""

from __future__ import annotations

import functools
import queue
import selectors
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import _base
from multiprocessing import connection
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import ScriptRunner

from pages.server import keys_first
from pages.server.taken import Taken, taken
from pages.server.visitors import address_behind
from tokenizers.encoding import ASSETS

PLACES = 2
"""Runs that work at a time, apart from long ones."""

LONG, LONG_PLACES, MOST_LONG = 1.0, 2, 8
"""Seconds after which a run has become long, how many long ones have places of their own, and how many may
work in all. Those beyond the first take places of short ones, but not the last."""

MOST_AT_WORK = 3
"""Runs of an address that work at a time, and a short one beside so many long ones: a class may have one."""

MOST_OF_ADDRESS = 40
"""Runs of an address that have a place or wait for something: a class may bring a file at the same time."""

_LOOK = 0.25  # seconds between two looks at what the runs do
_LOOKS = 2  # in a row at which a run waits, until it is one that waits
_WAITS_IN = {each.__file__ for each in (connection, queue, selectors, socket, ssl, subprocess, threading)}
_WAITS_IN.add(str(ASSETS.parent / "tokenizers" / "split" / "bounded_worker.py"))  # for a process
_WORKS_IN = {_base.__file__, keys_first.__file__}  # what waits there waits for its own threads, or for keys


class _Run:
    """A run that waits for a place, or that has one. It is made by the thread that runs."""

    def __init__(self, session: str, address: str, is_here: Callable[[], bool]) -> None:
        self.session, self.address, self.is_here = session, address, is_here
        self.has_place = threading.Event()
        self.is_over = False  # nobody wants it any more
        self.began = 0.0
        self.thread = threading.get_ident()
        self._n_waits = 0

    @property
    def is_at_work(self) -> bool:
        """Whether it works, or wants to, as soon as the others let it; else it waits for something."""
        return self._n_waits < _LOOKS

    def look(self, frame: FrameType | None) -> None:
        """See what it does.

        Args:
            frame: where its thread is.
        """
        self._n_waits = self._n_waits + 1 if _waits(frame) else 0


def _waits(frame: FrameType | None) -> bool:
    """Whether a thread waits, by where it is: how much it takes says nothing where many want to work."""
    files: list[str] = []
    while frame is not None and len(files) < 6:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return bool(files) and files[0] in _WAITS_IN and not _WORKS_IN & {*files}


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

    def wait(self, run: _Run) -> bool:
        """Wait until a run has its place; False: it has none, because nobody wants it any more."""
        while not run.has_place.is_set():
            if self._is_looked_after or self._starts_looking():
                run.has_place.wait()
            elif not run.has_place.wait(_LOOK):  # the machine has no thread left for that
                with self._lock:
                    self.look()
        return not run.is_over

    def _starts_looking(self) -> bool:
        """See to it that somebody looks; returns whether it is so."""
        with self._lock:
            if not self._is_looked_after:
                try:
                    threading.Thread(target=self._look_after, name="run places", daemon=True).start()
                except RuntimeError:
                    return False
                self._is_looked_after = True
            return True

    def _look_after(self) -> None:
        """See which runs have become long or wait for something, as long as others wait for a place.

        One thread does that for all. When each that waited looked for itself, a hundred of them queued for
        the lock four times a second, and took more time than the runs.
        """
        while True:
            time.sleep(_LOOK)
            with self._lock:
                self._is_looked_after = False  # in case that it fails
                self.look()
                self._is_looked_after = bool(self._waiting)
                if not self._waiting:
                    return

    def give_up(self, run: _Run) -> None:
        """A run is not wanted any more: if it still waits for a place, its thread goes on without one."""
        with self._lock:
            if run in self._waiting:
                self._waiting.remove(run)
                run.is_over = True
                run.has_place.set()

    def look(self) -> None:
        """See which runs work, and give the places that are free. Whoever calls it has the lock."""
        frames = sys._current_frames()
        for run in self._running:
            run.look(frames.get(run.thread))
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
            next_run.began = self._clock()
            next_run.has_place.set()

    def _n_taken(self) -> int:
        """How many of the places are taken: by short runs, and by long ones without a place of their own."""
        n_short, n_long = self._count_at_work(self._running)
        if n_long >= MOST_LONG:
            return self._count
        return n_short + min(max(0, n_long - LONG_PLACES), max(0, self._count - 1))

    def _count_at_work(self, runs: list[_Run]) -> tuple[int, int]:
        """How many of these are at work: the short ones, the long ones."""
        now = self._clock()
        is_long = [now - run.began >= LONG for run in runs if run.is_at_work]
        return is_long.count(False), is_long.count(True)

    def _may_run(self, run: _Run) -> bool:
        """Whether its session runs nothing else, for which it would wait, and its address not too much."""
        if any(each.session == run.session for each in self._running):
            return False
        of_address = [each for each in self._running if run.address and each.address == run.address]
        n_short, n_long = self._count_at_work(of_address)
        has_turn = n_short + n_long < MOST_AT_WORK or (not n_short and n_long == MOST_AT_WORK)
        return has_turn and len(of_address) < MOST_OF_ADDRESS

    def _order(self, run: _Run) -> tuple[bool, int, int]:
        of_address = self._taken.steps_of(run.address or run.session)
        return not run.is_here(), of_address, self._taken.steps_of(run.session)


places = RunPlaces(taken=taken)
_addresses: WeakKeyDictionary[ScriptRunner, str] = WeakKeyDictionary()
_runs: WeakKeyDictionary[ScriptRunner, _Run] = WeakKeyDictionary()
_stopped: WeakSet[ScriptRunner] = WeakSet()


def run_few_scripts_at_a_time() -> None:
    """From now on, each run of a script waits for its place."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "__init__", _with_address(ScriptRunner.__init__))  # noqa: B010
    setattr(ScriptRunner, "_run_script", _in_its_place(ScriptRunner._run_script))  # noqa: B010
    setattr(ScriptRunner, "request_stop", _ending_its_wait(ScriptRunner.request_stop))  # noqa: B010


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
        session = self._session_id
        own = _runs[self] = places.ask(session, _addresses.get(self, ""), lambda: _is_here(session))
        if self in _stopped:  # since its thread began
            places.give_up(own)
        if not places.wait(own):
            return  # ScriptRunner finds that it was stopped
        began = time.thread_time()
        try:
            run(self, data)
        finally:
            places.leave(own, time.thread_time() - began)

    return run_in_its_place


def _ending_its_wait(request_stop: Callable[[ScriptRunner], None]) -> Callable[[ScriptRunner], None]:
    """A run that is stopped, as at the end of its session, waits no longer: else its thread might stay."""

    @functools.wraps(request_stop)
    def request_stop_at_once(self: ScriptRunner) -> None:
        request_stop(self)
        _stopped.add(self)
        if self in _runs:
            places.give_up(_runs[self])

    return request_stop_at_once
