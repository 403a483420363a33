"""What was worked out last, remembered for all sessions together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """A cache that forgets the values that were not used for longest (LRU). Any thread may use it.

    Args:
        most: how many are remembered.
        weigh: how many bytes a value takes.
        most_bytes: how many all may take together; the newest is remembered whatever it takes.

    >>> words = LastUsed[str, int](2)
    >>> words.put("one", 1), words.put("two", 2), words.get("one"), words.put("three", 3)
    (None, None, 1, None)
    >>> words.get("one"), words.get("two"), words.get("three")
    (1, None, 3)
    >>> texts = LastUsed[str, str](9, len, 6)
    >>> texts.put("one", "four"), texts.put("two", "three"), texts.get("one"), texts.get("two")
    (None, None, None, 'three')
    """

    def __init__(
        self, most: int, weigh: Callable[[Value], int] = lambda value: 0, most_bytes: int = 0
    ) -> None:
        self._most, self._weigh, self._most_bytes = most, weigh, most_bytes
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """The value, which is then the most recently used one; None: it is not remembered."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Key, value: Value) -> None:
        """Remember a value; if there are too many, forget the least recently used one."""
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            n_bytes = sum(map(self._weigh, self._values.values()))
            while len(self._values) > self._most or (n_bytes > self._most_bytes and len(self._values) > 1):
                _, oldest = self._values.popitem(last=False)
                n_bytes -= self._weigh(oldest)

    def values(self) -> list[Value]:
        """What is remembered, the least recently used first."""
        with self._lock:
            return list(self._values.values())

    def keep(self, is_wanted: Callable[[Value], bool]) -> None:
        """Forget all that is not wanted any more.

        >>> words = LastUsed[str, int](2)
        >>> words.put("one", 1), words.put("two", 2), words.keep(lambda value: value > 1), words.values()
        (None, None, None, [2])
        """
        with self._lock:
            for key in [key for key, value in self._values.items() if not is_wanted(value)]:
                del self._values[key]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()
