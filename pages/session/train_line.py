"""The order in which trainings work: some at a time, and the others by turns.

A training that has worked for its turn makes room for the next in line, and waits behind the others until
its turn comes again. So two that take a quarter of an hour keep nobody waiting for longer than a turn.

What has begun takes memory, at work or not, so only some may have begun. Long ones could hold all that room
for as long as they take. So small ones have some room of their own, one address never holds all the room of
the long ones, and the next to begin is one whose address has begun the fewest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _About:
    """What is known of a member: its address (empty: it counts for none), and whether it is small."""

    address: str
    small: bool


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
        self._about: dict[T, _About] = {}

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, member: T) -> bool:
        return member in self._members

    def join(self, member: T, address: str = "", *, small: bool = False) -> None:
        """Get in line.

        Args:
            member: who does.
            address: that it comes from; empty: it counts for none.
            small: whether it takes little memory, and is over soon.
        """
        self._about[member] = _About(address, small)
        self._members.append(member)

    def begin(self, member: T) -> None:
        """From now on it takes memory, at work or not."""
        self._begun.append(member)

    def leave(self, member: T) -> None:
        """It is over."""
        self._members.remove(member)
        del self._about[member]
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
        may: list[T] = []
        for member in order:
            if len(may) == places:
                break
            if member in self._begun:
                may.append(member)
                continue
            begun = [*self._begun, *(each for each in may if each not in self._begun)]
            newcomer = self._next_to_begin([each for each in order if each not in begun], begun, places)
            if newcomer is not None:
                may.append(newcomer)
        return may

    def _next_to_begin(self, waiting: list[T], begun: list[T], places: int) -> T | None:
        """Who of those that wait may begin beside those who have; None: nobody."""
        room = places * self._per_place
        if len(begun) >= room + places:
            return None
        long_ones = [about for about in map(self._about.__getitem__, begun) if not about.small]
        of_address = Counter(self._about[member].address for member in begun)
        long_of_address = Counter(about.address for about in long_ones)
        del of_address[""], long_of_address[""]

        def may_begin(about: _About) -> bool:
            most = room - room // 3  # of one address
            return about.small or (len(long_ones) < room and long_of_address[about.address] < most)

        able = [member for member in waiting if may_begin(self._about[member])]
        return min(able, key=lambda member: of_address[self._about[member].address], default=None)
