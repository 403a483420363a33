"""How often something was done within the last hour, by each who does it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

HOUR = 3600.0


class LastHour:
    """No more than so many an hour for each.

    Args:
        most: how many.
        clock: tells the seconds.

    >>> seconds = iter([0, 10, 20, 3605, 3606])
    >>> fetches = LastHour(2, lambda: next(seconds))
    >>> [fetches.add("203.0.113.9") for _ in range(5)]
    [True, True, False, True, False]
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        self._times: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def add(self, who: str) -> bool:
        """Count one more, unless that is too many; whether it was counted."""
        with self._lock:
            now = self._clock()
            for each, times in list(self._times.items()):
                while times and now - times[0] >= HOUR:
                    times.popleft()
                if not times:
                    del self._times[each]
            times = self._times.setdefault(who, deque())
            if len(times) >= self.most:
                return False
            times.append(now)
            return True
