"""Whoever types is answered before anybody's page goes on being drawn.

Python runs one thread at a time. The run of a page takes a tenth of a second of it, an answer to a key a few
thousandths. But while two pages are drawn, each answer waits for both of them again and again, at each of its
steps. In a room of thirty who type, the answers pile up: one in twenty takes a third of a second.

So a run waits, wherever it draws something, until no key waits for its answer. Its waiting is bounded, each
time and in all: a page is drawn somewhat later, however much is typed. And it does not wait if a key waits
for this very run, because both are of one session.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime.scriptrunner import ScriptRunner

from pages.server.turns import turn_of

A_MOMENT = 0.05
"""Seconds that a run waits at most where it draws something."""

LONGEST = 0.5
"""Seconds that a run waits in all."""


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
_left: WeakKeyDictionary[ScriptRunner, float] = WeakKeyDictionary()
_draw = ScriptRunner._enqueue_forward_msg


def let_keys_go_first() -> None:
    """From now on, runs wait where they draw something."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "_run_script", _with_patience(ScriptRunner._run_script))  # noqa: B010
    setattr(ScriptRunner, "_enqueue_forward_msg", _draw_after_keys)  # noqa: B010


def _with_patience(run: Callable[[ScriptRunner, Any], None]) -> Callable[[ScriptRunner, Any], None]:
    @functools.wraps(run)
    def run_with_patience(self: ScriptRunner, data: Any) -> None:
        _left[self] = LONGEST
        run(self, data)

    return run_with_patience


def _draw_after_keys(self: ScriptRunner, message: Any) -> None:
    """In place of ``_enqueue_forward_msg``, which the server's own thread may call, too: it never waits."""
    if keys.are_waiting and threading.current_thread() is self._script_thread:
        left = _left.get(self, 0.0)
        if left > 0 and not turn_of(self._session_id).is_wanted:
            began = time.monotonic()
            keys.wait(min(left, A_MOMENT))
            _left[self] = left - (time.monotonic() - began)
    _draw(self, message)
