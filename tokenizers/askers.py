"""For whom work is done, and whether anybody still waits for it.

Work that takes long asks now and then; it ends when its browser has gone, and pauses while shorter work
waits. What a process does for one asker is ended from outside (``split/bounded.py``), where each asker has
one place at most.

The library alone serves nobody in particular. An app sets ``let_others_first``, and says who asks: it sets
``find_asker``, which knows by the thread, and names the asker where it hands work to a thread of its own:

    >>> with asked_by(Asker("one session", lambda: False)):
    ...     is_wanted()
    False
    >>> is_wanted()
    True
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

LOOK = 0.25
"""Seconds between two looks at whether an asker is still there."""


@dataclass(frozen=True)
class Asker:
    """Somebody for whom work is done.

    Attributes:
        key: the same for all that one session asks.
        is_here: whether it still has its browser. Any thread may call it.
    """

    key: str
    is_here: Callable[[], bool]


class NobodyWaitsError(ValueError):
    """The work was ended, because the browser that had asked for it has gone."""

    def __init__(self) -> None:
        super().__init__("This was ended, because the browser had gone. Ask for it again.")


class BusyError(ValueError):
    """All places are taken by other tasks, or no process can be started. The task itself may be fine."""


find_asker: Callable[[], Asker | None] = lambda: None  # noqa: E731  # set by the app
"""Finds out for whom the current thread works; None: for nobody in particular."""

_named: ContextVar[Asker | None] = ContextVar("asker", default=None)


@contextlib.contextmanager
def asked_by(asker: Asker | None) -> Iterator[None]:
    """All that this thread does within the block is for this asker."""
    token = _named.set(asker)
    try:
        yield
    finally:
        _named.reset(token)


def current_asker() -> Asker | None:
    """The asker for whom this thread works."""
    return _named.get() or find_asker()


let_others_first: Callable[[], None] = lambda: None  # noqa: E731  # set by the app
"""Called by long work now and then. It may pause for a moment, so that shorter work can end first."""


def is_wanted() -> bool:
    """Whether anybody still waits for what this thread does."""
    asker = current_asker()
    return asker is None or asker.is_here()


def check_wanted() -> None:
    """Raise a ``NobodyWaitsError`` if nobody waits any more for what this thread does.

    Long work calls this every few milliseconds. It may pause for a moment, in favour of shorter work.

    Raises:
        NobodyWaitsError: the browser that asked for it has gone.
    """
    let_others_first()
    if not is_wanted():
        raise NobodyWaitsError


class Places:
    """Places for a number of tasks at a time, one for each asker, in the order in which they came.

    So a session with many slow patterns waits in line only once.
    """

    def __init__(self, number: int) -> None:
        self._free = number
        self._held: set[str] = set()
        self._line: list[tuple[object, str | None]] = []
        self._changed = threading.Condition()

    def acquire(self, asker: Asker | None = None, *, timeout: float) -> bool:
        """Wait for a place; False: none came in time.

        Raises:
            NobodyWaitsError: the asker has gone meanwhile.
        """
        key = None if asker is None else asker.key
        ticket, until = object(), time.monotonic() + timeout
        with self._changed:
            self._line.append((ticket, key))
            try:
                if asker is not None and not asker.is_here():
                    raise NobodyWaitsError
                while self._next() is not ticket:
                    left = until - time.monotonic()
                    if left <= 0:
                        return False
                    self._changed.wait(min(left, LOOK))
                    if asker is not None and not asker.is_here():
                        raise NobodyWaitsError
                self._free -= 1
                if key is not None:
                    self._held.add(key)
                return True
            finally:
                self._line.remove((ticket, key))
                self._changed.notify_all()

    @contextlib.contextmanager
    def held(self, *, timeout: float) -> Iterator[None]:
        """Within the block, whoever this thread works for has a place. Such blocks may not be nested.

        Raises:
            BusyError: there was none in time. NobodyWaitsError: whoever asked has gone meanwhile.
        """
        asker = current_asker()
        if not self.acquire(asker, timeout=timeout):
            raise BusyError("Others have all the places for such work here right now. Try again in a moment.")
        try:
            yield
        finally:
            self.release(asker)

    def _next(self) -> object:
        """The first in line who may go; None: nobody."""
        if not self._free:
            return None
        return next((ticket for ticket, key in self._line if key is None or key not in self._held), None)

    def release(self, asker: Asker | None = None) -> None:
        """Give a place back."""
        with self._changed:
            self._free += 1
            if asker is not None:
                self._held.discard(asker.key)
            self._changed.notify_all()
