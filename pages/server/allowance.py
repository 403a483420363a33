"""What may be done so often at once, and then so often each second (a token bucket)."""

from __future__ import annotations

from collections.abc import Callable


class Allowance:
    """How much is left of it.

    Args:
        at_once: the most that is ever left, and what is left at first.
        a_second: what is added each second.
        clock: seconds that only rise.

    >>> now = 0.0
    >>> allowance = Allowance(3, 2, lambda: now)
    >>> [allowance.take(2), allowance.take(2)]
    [1.0, -1.0]
    >>> now = 1.0
    >>> allowance.left
    1.0
    """

    def __init__(self, at_once: float, a_second: float, clock: Callable[[], float]) -> None:
        self._at_once, self._a_second, self._clock = float(at_once), a_second, clock
        self._left, self._seen_at = self._at_once, clock()

    @property
    def left(self) -> float:
        """How much is left now; below zero, more was taken than there was."""
        return min(self._at_once, self._left + self._a_second * (self._clock() - self._seen_at))

    @property
    def is_whole(self) -> bool:
        """Whether as much is left as there ever is."""
        return self.left >= self._at_once

    def take(self, count: float = 1) -> float:
        """Take some, whether there is so much or not; returns what is left then."""
        self._left, self._seen_at = self.left - count, self._clock()
        return self._left
