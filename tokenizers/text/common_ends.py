"""What two versions of a text have in common at their beginnings, and at their ends."""

from __future__ import annotations

from collections.abc import Sequence


def common_prefix(a: Sequence[str | int], b: Sequence[str | int]) -> int:
    """How many items at the start are the same, of two strings or two byte strings.

    Slices are halved and compared, which is far faster than comparing items.

    >>> common_prefix("tokens", "tokenizer")
    5
    """
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: Sequence[str | int], b: Sequence[str | int], limit: int) -> int:
    """How many items at the end are the same, at most ``limit``.

    >>> common_suffix("merging", "training", 5)
    3
    """
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
