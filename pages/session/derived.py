"""What is worked out of a table once, and remembered for as long as the table is."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Concatenate, ParamSpec, TypeVar

import pandas as pd

from pages.session.last_used import LastUsed

MOST = 8
"""How many results of one function are remembered for a table: for the arguments that it had last."""

_More = ParamSpec("_More")
Value = TypeVar("Value")


def derived(
    make: Callable[Concatenate[pd.DataFrame, _More], Value],
) -> Callable[Concatenate[pd.DataFrame, _More], Value]:
    """Let a function of a table be called once for the same table and the same other arguments.

    The table is compared by identity, so neither it nor what is made of it may be changed afterwards. The
    other arguments are hashable. Nothing outlives the table: what was worked out of a person’s figures goes
    with them.

    >>> calls = []
    >>> @derived
    ... def longest(table, column):
    ...     calls.append(column)
    ...     return int(table[column].max())
    >>> table = pd.DataFrame({"n": [3, 5]})
    >>> longest(table, "n"), longest(table, "n"), longest(table.copy(), "n"), calls
    (5, 5, 5, ['n', 'n'])
    """
    tables: dict[int, tuple[weakref.ref[pd.DataFrame], LastUsed[Hashable, tuple[Value]]]] = {}

    def results_of(table: pd.DataFrame) -> LastUsed[Hashable, tuple[Value]]:
        place = id(table)
        entry = tables.get(place)
        if entry is None or entry[0]() is not table:
            reference = weakref.ref(table, lambda _: tables.pop(place, None))
            entry = tables[place] = reference, LastUsed[Hashable, tuple[Value]](MOST)
        return entry[1]

    @functools.wraps(make)
    def get(table: pd.DataFrame, /, *args: _More.args, **options: _More.kwargs) -> Value:
        results = results_of(table)
        key: Any = (args, tuple(sorted(options.items())))
        result = results.get(key)
        if result is None:
            result = (make(table, *args, **options),)
            results.put(key, result)
        return result[0]

    return get
