"""``cached_property`` for objects of many sessions at once, such as the spans of a text."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):
    """As in ``functools``, without the lock that Python has until 3.12.

    That lock is one for all objects: while a property of a long text is computed, the same property of every
    other text would wait. Without it, two threads that ask at the same moment both compute the value.

    >>> class Text:
    ...     @cached_property
    ...     def length(self) -> int:
    ...         print("counting")
    ...         return 3
    >>> text = Text()
    >>> text.length, text.length
    counting
    (3, 3)
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = contextlib.nullcontext()
