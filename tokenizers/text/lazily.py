"""Properties that are worked out when they are first asked for: ``functools.cached_property`` without its
lock.

Before Python 3.12, ``functools.cached_property`` locks: while a property of one text is worked out, that of
every other text waits, and thirty people who type wait for each other. Here, two threads that ask at the same
moment both work it out, and get equal values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazily(Generic[T]):
    """A property that is worked out once for each object.

    >>> class Text:
    ...     @lazily
    ...     def length(self) -> int:
    ...         print("counting")
    ...         return 3
    >>> text = Text()
    >>> text.length, text.length
    counting
    (3, 3)
    """

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self._name = work_out.__name__
        self.__doc__ = work_out.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazily[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazily[T] | T:
        if instance is None:
            return self
        value = self._work_out(instance)
        # The object's own attribute comes before this one, which is not asked again.
        instance.__dict__[self._name] = value
        return value
