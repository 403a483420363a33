"""One regular expression that matches any of many texts, such as the special tokens of an encoding."""

from __future__ import annotations

import itertools
import operator
import os
import re
from collections.abc import Iterable, Sequence


def any_of(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches any of these texts, the longest one that fits; without texts, nothing.

    The pattern is a tree: texts that begin alike share their beginning in it. So a place in a text takes a
    few comparisons, not one for each of thousands of texts.

    >>> any_of(["<|x", "<|y|>", "<|x|>"]).pattern
    '<\\\\|(?:x(?:\\\\|>)?|y\\\\|>)'
    """
    in_order = sorted(set(names))
    return re.compile(_tree_of(in_order, 0) if in_order else r"(?!)")


_DEEPEST_TREE = 40
"""Nested groups in the pattern; many more would be too deep for ``re``."""


def _tree_of(names: Sequence[str], depth: int) -> str:
    """A regular expression for these texts, which are sorted and unique."""
    if depth == _DEEPEST_TREE:
        return "(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")"
    start = os.path.commonprefix([names[0], names[-1]])
    ends = [name[len(start) :] for name in names]
    ends_here = not ends[0]  # the start alone is one of the texts, so the rest is optional
    branches = [
        _tree_of(list(group), depth + 1)
        for _, group in itertools.groupby(filter(None, ends), key=operator.itemgetter(0))
    ]
    if not branches:
        return re.escape(start)
    return f"{re.escape(start)}(?:{'|'.join(branches)}){'?' if ends_here else ''}"
