"""What an encoding does to a text, as steps in words for people: their form, and names of some kinds."""

from __future__ import annotations

from collections.abc import Sequence

Steps = list[tuple[str, str]]
"""What an encoding does to a text, for people: the kind of each step, and what it is."""

PRE_TOKENISER = "Pre-tokeniser"
MODEL = "Model"
DECLARES = "Declares"
ADDED_ON_REQUEST = "Added on request"
"""The kinds of steps that ``measure.compare`` knows by name."""


def first_few(names: Sequence[str], most: int = 12) -> str:
    """The first of many names, separated by commas, and how many more there are.

    >>> first_few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
