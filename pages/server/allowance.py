"""What may be done so often at once, and then so often each second (a token bucket)."""

from __future__ import annotations

import functools
from collections.abc import Callable

MOST_KNOWN = 1_000
"""Names of which it is known what they have taken."""


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


class Allowances:
    """An allowance for each of many, such as addresses.

    Args:
        at_once, a_second, clock: of each, as ``Allowance`` has them.

    >>> allowances = Allowances(2, 1, lambda: 0.0)
    >>> [allowances.take("203.0.113.9", 3), allowances.take("198.51.100.1"), allowances.left("192.0.2.1")]
    [-1.0, 1.0, 2.0]
    """

    def __init__(self, at_once: float, a_second: float, clock: Callable[[], float]) -> None:
        self._new = functools.partial(Allowance, at_once, a_second, clock)
        self._of: dict[str, Allowance] = {}

    def left(self, name: str) -> float:
        """How much is left of that one's."""
        return self._of[name].left if name in self._of else self._new().left

    def take(self, name: str, count: float = 1) -> float:
        """Take some of that one's, whether there is so much or not; returns what is left then."""
        if name not in self._of:
            self._of[name] = self._new()
        left = self._of[name].take(count)
        if len(self._of) > MOST_KNOWN:  # the others are equal to one that is not known
            self._of = {each: allowance for each, allowance in self._of.items() if not allowance.is_whole}
        return left
