"""The order in which trainings work: some at a time, and the others by turns.

A training that has worked for its turn makes room for the next in line, and waits behind the others until
its turn comes again. So two that take a quarter of an hour keep nobody waiting for longer than a turn.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Line(Generic[T]):
    """Those who work and those who wait, in their order. Whoever uses it holds a lock.

    Args:
        per_place: how many share a place, the one at work included: what has begun takes memory, too, while
            it waits.

    >>> line = Line[str](per_place=2)
    >>> for name in ("slow", "quick", "third"):
    ...     line.join(name)
    >>> line.working(1)
    ['slow']
    >>> line.begin("slow"), line.make_room("slow", 1), line.working(1)
    (None, True, ['quick'])
    >>> line.begin("quick"), line.make_room("quick", 1), line.working(1)
    (None, True, ['slow'])
    >>> line.leave("quick"), line.make_room("slow", 1), line.working(1)
    (None, True, ['third'])
    """

    def __init__(self, per_place: int) -> None:
        self._per_place = per_place
        self._members: list[T] = []
        self._begun: list[T] = []

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, member: T) -> bool:
        return member in self._members

    def join(self, member: T) -> None:
        """Get in line."""
        self._members.append(member)

    def begin(self, member: T) -> None:
        """From now on it takes memory, at work or not."""
        self._begun.append(member)

    def leave(self, member: T) -> None:
        """It is over."""
        self._members.remove(member)
        if member in self._begun:
            self._begun.remove(member)

    def working(self, places: int) -> list[T]:
        """Who may work now."""
        return self._first(self._members, places)

    def make_room(self, member: T, places: int) -> bool:
        """Go behind the others, if one of them can work then; whether it did."""
        if member not in self._members:  # it is over
            return False
        order = [other for other in self._members if other is not member] + [member]
        if member in self._first(order, places):
            return False
        self._members = order
        return True

    def before(self, member: T, places: int) -> int:
        """How many have to finish, or to make room, before it can work."""
        return max(0, self._members.index(member) - places + 1) if member in self._members else 0

    def _first(self, order: list[T], places: int) -> list[T]:
        room = places * self._per_place - len(self._begun)
        may: list[T] = []
        for member in order:
            if len(may) == places:
                break
            if member in self._begun:
                may.append(member)
            elif room > 0:
                may.append(member)
                room -= 1
        return may
