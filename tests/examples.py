"""How many examples and cases a test tries: some in every run, all of them in ``make fuzz``.

Hypothesis' examples are new ones in every run, so what a single run leaves out, others try. Of the cases of a
list, and of the longest texts, an ordinary run takes some, always the same: ``make fuzz`` takes all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

Case = TypeVar("Case")

ALL = os.environ.get("GROVE_EXAMPLES") == "all"  # set by benchmarks/fuzz.py
USUAL = 100  # where a test asks for no number: Hypothesis' own


def scaled(number: int) -> int:
    """Of ``number`` examples, how many this run tries."""
    return number if ALL else max(number // 4, 10)


def some(cases: Sequence[Case], step: int = 3) -> list[Case]:
    """The cases that this run tries: all of them where all are tried, else every ``step``-th."""
    return list(cases if ALL else cases[::step])


def examples(number: int) -> settings:
    """A decorator: ``number`` examples where all are tried, a quarter in other runs."""
    return settings(max_examples=scaled(number))
