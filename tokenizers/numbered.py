"""Things by their place in a list, as the ids of a vocabulary are."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def numbered(things: Iterable[Thing], first: int = 0) -> dict[Thing, int]:
    """The number of each thing; of one that comes several times, the last one.

    >>> numbered(["a", "b", "a"])
    {'a': 2, 'b': 1}
    """
    return {thing: number for number, thing in enumerate(things, first)}
