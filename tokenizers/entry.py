"""What is known of an encoding that comes with the app before it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .encoding import Encoding


@dataclass(frozen=True, slots=True)
class Entry:
    """An encoding that comes with the app.

    Attributes:
        load: loads it; called once in a process.
        about: what it is, or which models use it, for people.
        hue: the number of its colour on every page and chart, from the list in ``pages/shared/colours.py``.
        group: where it comes from, as choosers say it.
        sources: gives the keys of the bundled texts that it was learned from, as far as they are here.
    """

    load: Callable[[], Encoding]
    about: str
    hue: int
    group: str = "other families"
    sources: Callable[[], Sequence[str]] = tuple
