"""Whoever types is answered before anybody's page goes on being drawn.

Python runs one thread at a time. The run of a page takes a tenth of a second of it, an answer to a key a few
thousandths. But while two pages are drawn, each answer waits for both of them again and again, at each of its
steps. In a room of thirty who type, the answers pile up: one in twenty takes a third of a second.

So a run waits, wherever it draws something and now and then in long work, until no key waits for its answer.
Its waiting is bounded, each time and in all: a page is drawn somewhat later, however much is typed. And it
does not wait if a key waits for this very run, because both are of one session.

And threads switch more often. One that works keeps Python for a moment after another wants it, and the event
loop gives it away three times at each key: wherever it reads from the network, or writes to it.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from streamlit.runtime.scriptrunner import ScriptRunner

from pages.server.turns import turn_of
from tokenizers import askers

A_MOMENT = 0.05
"""Seconds that a run waits at most at a time."""

LONGEST = 0.5
"""A run waits in all at most so many seconds longer than it has worked: much typing may double its time."""

SWITCH_SECONDS = 0.001
"""So long a thread keeps Python while another wants it. Python's own setting is 0.005."""


class Keys:
    """The keys that wait for their answers.

    >>> keys = Keys()
    >>> with keys.waiting():
    ...     keys.wait(0.01)
    False
    >>> keys.wait(0.01)
    True
    """

    def __init__(self) -> None:
        self._n_waiting = 0
        self._lock = threading.Lock()
        self._none_waits = threading.Event()
        self._none_waits.set()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A key waits, as long as the block lasts."""
        with self._lock:
            self._n_waiting += 1
            self._none_waits.clear()
        try:
            yield
        finally:
            with self._lock:
                self._n_waiting -= 1
                if not self._n_waiting:
                    self._none_waits.set()

    @property
    def are_waiting(self) -> bool:
        return self._n_waiting > 0

    def wait(self, seconds: float) -> bool:
        """Wait until no key waits; returns whether that happened within so many seconds."""
        return self._none_waits.wait(seconds)


keys = Keys()
_draw = ScriptRunner._enqueue_forward_msg


class _Patience:
    """How long the run that begins now has waited for keys."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._began = time.thread_time()
        self._waited = 0.0

    def wait(self) -> None:
        """Let keys go first for a moment, unless this run has waited enough."""
        if not keys.are_waiting or turn_of(self._session).is_wanted:
            return
        worked = time.thread_time() - self._began
        left = LONGEST + worked - self._waited
        if left > 0:
            began = time.monotonic()
            keys.wait(min(left, A_MOMENT))
            self._waited += time.monotonic() - began


class _ThreadState(threading.local):
    """The patience of the run that is this thread's; None: it has none."""

    patience: _Patience | None = None


_this_thread = _ThreadState()


def let_keys_go_first() -> None:
    """From now on, runs wait where they draw something, and where long work asks whether it is wanted."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "_run_script", _with_patience(ScriptRunner._run_script))  # noqa: B010
    setattr(ScriptRunner, "_enqueue_forward_msg", _draw_after_keys)  # noqa: B010
    askers.let_others_first = _wait_for_keys
    sys.setswitchinterval(SWITCH_SECONDS)


def _with_patience(run: Callable[[ScriptRunner, Any], None]) -> Callable[[ScriptRunner, Any], None]:
    @functools.wraps(run)
    def run_with_patience(self: ScriptRunner, data: Any) -> None:
        _this_thread.patience = _Patience(self._session_id)
        try:
            run(self, data)
        finally:
            _this_thread.patience = None

    return run_with_patience


def _wait_for_keys() -> None:
    """Only the thread of a run waits. The server's own, and those that answer keys, never do."""
    if _this_thread.patience is not None:
        _this_thread.patience.wait()


def _draw_after_keys(self: ScriptRunner, message: Any) -> None:
    """In place of ``_enqueue_forward_msg``, which the server's own thread may call, too."""
    _wait_for_keys()
    _draw(self, message)
