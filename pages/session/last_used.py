"""What was worked out last, remembered for all sessions together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """A cache that forgets the values that were not used for longest (LRU). Any thread may use it.

    Args:
        most: how many are remembered.

    >>> words = LastUsed[str, int](2)
    >>> words.put("one", 1), words.put("two", 2), words.get("one"), words.put("three", 3)
    (None, None, 1, None)
    >>> words.get("one"), words.get("two"), words.get("three")
    (1, None, 3)
    """

    def __init__(self, most: int) -> None:
        self._most = most
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
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()
