"""How many examples Hypothesis tries: some in every run, all of them in ``make fuzz``.

The examples are new ones in every run, so what a single run leaves out, others try.
"""

from __future__ import annotations

import os

from hypothesis import settings

ALL = os.environ.get("GROVE_EXAMPLES") == "all"  # set by benchmarks/fuzz.py
USUAL = 100  # where a test asks for no number: Hypothesis' own


def scaled(number: int) -> int:
    """Of ``number`` examples, how many this run tries."""
    return number if ALL else max(number // 4, 10)


def examples(number: int) -> settings:
    """A decorator: ``number`` examples where all are tried, a quarter in other runs."""
    return settings(max_examples=scaled(number))
