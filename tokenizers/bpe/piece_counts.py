"""A corpus as its unique pieces (pre-tokens) and their counts: all that a training needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from ..split.patterns import known_pattern, split
from ..utf8 import well_formed

SPLIT_TIMEOUT = 60.0
"""Seconds that a person's own split pattern may take on one text."""


def check_text(text: object) -> str:
    """The text, or a ValueError: a corpus holds nothing else."""
    if not isinstance(text, str):
        raise ValueError(f"The corpus holds {type(text).__name__} where text is needed: decode bytes first.")
    return text


def count_pieces(
    texts: Iterable[str], pattern: str | None, cancel: Callable[[], bool] | None = None
) -> dict[bytes, int]:
    """The unique pieces of a corpus, in order of first occurrence, each with how often it occurs.

    Raises:
        ValueError: something that is no text, or a pattern slower than ``SPLIT_TIMEOUT``.

    >>> count_pieces(["a b b", "a"], " ?[a-z]")
    {b'a': 2, b' b': 2}
    """
    timeout = None if known_pattern(pattern) else SPLIT_TIMEOUT
    counts: Counter[str] = Counter()
    for text in texts:
        if cancel and cancel():
            break
        counts.update(split(well_formed(check_text(text)), pattern, timeout=timeout))
    return {piece.encode("utf-8"): count for piece, count in counts.items()}
