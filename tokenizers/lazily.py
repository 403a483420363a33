"""Properties that are worked out when they are first asked for, without keeping other objects waiting.

Before Python 3.12, ``functools.cached_property`` has one lock for a property of all objects: while that of
one text is worked out, that of every other text waits, and thirty people who type wait for each other. From
3.12 on it has none, and whoever asks at the same moment works it out again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazily(Generic[T]):
    """A property that is worked out once for each object.

    Two threads that ask at the same moment both work it out, and get equal values: for what takes little.

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
        self.__module__ = work_out.__module__  # where doctest looks for its examples

    @overload
    def __get__(self, instance: None, owner: type) -> lazily[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazily[T] | T:
        return self if instance is None else self._keep_for(instance)

    def _keep_for(self, instance: object) -> T:
        # The object's own attribute comes before this one, which is not asked again.
        value = instance.__dict__[self._name] = self._work_out(instance)
        return value


class once(lazily[T]):
    """As ``lazily``, but a thread that asks while another works it out waits for it: for what takes long.

    Only those wait that ask for the same property of the same object.

    >>> class Model:
    ...     @once
    ...     def table(self) -> dict[str, int]:
    ...         print("building")
    ...         return {}
    >>> model = Model()
    >>> model.table, model.table
    building
    ({}, {})
    """

    def _keep_for(self, instance: object) -> T:
        values = instance.__dict__
        # There while it is worked out. An RLock: a property that asks for itself must not wait for itself.
        name = f"_lock of {self._name}"
        with values.setdefault(name, threading.RLock()):
            try:
                value: T = values[self._name] if self._name in values else super()._keep_for(instance)
                return value
            finally:
                values.pop(name, None)
