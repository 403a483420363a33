"""How much of the processor each has taken of late, so that whoever took least can be next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

HALVED_IN = 10.0
"""Seconds in which what was taken counts half."""

EQUAL = 0.5
"""Seconds: what was taken is rounded to so many, and equals are served in order."""

_MOST_KNOWN = 1_000  # names


class Taken:
    """What sessions and addresses have taken, which fades. Any thread may call it.

    Args:
        clock: seconds that only rise.

    >>> now = 0.0
    >>> taken = Taken(lambda: now)
    >>> taken.add(2.0, "a session", "its address")
    >>> taken.steps_of("a session"), taken.steps_of("another")
    (4, 0)
    >>> now += HALVED_IN
    >>> taken.steps_of("a session")
    2
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._of: dict[str, tuple[float, float]] = {}  # seconds, and when they were noted

    def add(self, seconds: float, *names: str) -> None:
        """Note that these took so many seconds of a processor. Nobody is called the empty name."""
        now = self._clock()
        with self._lock:
            for name in {*names} - {""}:
                self._of[name] = (self._seconds_of(name, now) + seconds, now)
                self._of[name] = self._of.pop(name)  # the latest ones last
            if len(self._of) > _MOST_KNOWN:  # the others are equal to one that is not known
                known = [each for each in self._of if self._seconds_of(each, now) >= EQUAL / 2]
                self._of = {each: self._of[each] for each in known[-_MOST_KNOWN:]}

    def steps_of(self, name: str) -> int:
        """What this one has taken, in steps of ``EQUAL``."""
        return round(self._seconds_of(name, self._clock()) / EQUAL)

    def _seconds_of(self, name: str, now: float) -> float:
        seconds, then = self._of.get(name, (0.0, now))
        return seconds * float(0.5 ** ((now - then) / HALVED_IN))


taken = Taken()
"""What runs of pages and keys have taken on this server."""
