"""Tie rules: which of several equally frequent pairs is merged first.

To add one: its name in ``Ties``, a ``TieRule`` in ``TIE_RULES``, and its order over arrays in ``tie_of`` of
``kernels/merging.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Ties = Literal["smallest", "first"]
"""The names of the tie rules, as ``train`` takes them."""


@dataclass(frozen=True)
class TieRule:
    """A tie rule.

    Attributes:
        label: what the pages call it, to follow "the".
        says_winner: what the page By hand says of the pair that wins; ``{pair}`` becomes its ids.
        order: a sort key of a pair and of where it occurs first: of equally frequent pairs the one with the
            smallest is merged. It may only rise as the first occurrence moves on.
        number: by which the kernels know it.
    """

    label: str
    says_winner: str
    order: Callable[[tuple[int, int], int], Any]
    number: int


TIE_RULES: dict[Ties, TieRule] = {
    "smallest": TieRule(
        "smallest ids", "the smallest ids, {pair}, win and become", lambda pair, _: pair, number=0
    ),
    "first": TieRule(
        "first in the text",
        "the pair that comes first in the text wins and becomes",
        lambda _, place: place,
        number=1,
    ),
}


def find_tie_rule(ties: Ties) -> TieRule:
    """The tie rule of this name.

    Raises:
        ValueError: there is none.

    >>> find_tie_rule("smallest").order((104, 105), 7), find_tie_rule("first").order((104, 105), 7)
    ((104, 105), 7)
    """
    if ties not in TIE_RULES:
        raise ValueError(f"There is no tie rule {ties!r}: choose {' or '.join(map(repr, TIE_RULES))}.")
    return TIE_RULES[ties]
