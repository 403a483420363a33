"""The event loop is woken once for what several threads tell it, not for each word.

A page that is drawn tells the loop of each message, and the loop then tells itself that there is something to
send. Streamlit wakes the loop for both, by a byte to a socket. For this call of the system a thread gives
Python away, and has it back after the others that want it, each of which may keep it for 5 ms. While several
pages are drawn, the loop waited so at each message of each, and whoever typed waited with it.

So what threads tell waits in line, and the loop is woken if nobody has woken it since it last looked. What it
tells itself, it just notes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime

Callback = Callable[[], None]

_call_soon = AppSession._call_soon_on_event_loop
_tell_of_messages = Runtime._enqueued_some_message


class Line:
    """What a loop is to do, in order.

    Args:
        tell: is told of an exception, as a loop's ``call_exception_handler`` is.

    >>> line, done = Line(print), []
    >>> [line.add(lambda word=word: done.append(word)) for word in "abc"]
    [True, False, False]
    >>> line.work()
    >>> done
    ['a', 'b', 'c']
    """

    def __init__(self, tell: Callable[[dict[str, Any]], object]) -> None:
        self._tell = tell
        self._waiting: deque[Callback] = deque()
        self._is_woken = False

    def add(self, callback: Callback) -> bool:
        """Put one more in line, from any thread; returns whether the loop has to be woken to ``work``."""
        self._waiting.append(callback)
        # Looked at only now: the loop forgets that it was woken, and then looks what is in line. And written
        # only by whoever wakes it: a late True of another thread would stand, and nobody would wake the loop.
        if self._is_woken:
            return False
        self._is_woken = True
        return True

    def work(self) -> None:
        """Do what is in line. What comes meanwhile is for the next time, so that all else has its turn."""
        self._is_woken = False
        for _ in range(len(self._waiting)):
            callback = self._waiting.popleft()
            try:
                callback()
            except Exception as problem:  # what a loop does with one that it was told of alone
                message = f"Exception in callback {callback!r}"
                self._tell({"message": message, "exception": problem})


_lines: WeakKeyDictionary[asyncio.AbstractEventLoop, Line] = WeakKeyDictionary()


def wake_loop_once() -> None:
    """From now on, the loop is woken no more than it has to be."""
    # mypy: methods are no place to assign to
    setattr(AppSession, "_call_soon_on_event_loop", _call_in_line)  # noqa: B010
    setattr(Runtime, "_enqueued_some_message", _note_messages)  # noqa: B010


def _tell_loop(context: dict[str, Any]) -> None:
    asyncio.get_running_loop().call_exception_handler(context)


def _call_in_line(self: AppSession, callback: Callback) -> None:
    """In place of ``_call_soon_on_event_loop``."""
    loop = self._event_loop
    if loop.is_closed():
        _call_soon(self, callback)  # which drops it
        return
    line = _lines.get(loop)
    if line is None:
        line = _lines.setdefault(loop, Line(_tell_loop))
    if line.add(callback):
        _call_soon(self, line.work)


def _note_messages(self: Runtime) -> None:
    """In place of ``_enqueued_some_message``."""
    loop = self._get_async_objs().eventloop
    if asyncio._get_running_loop() is loop:
        self._get_async_objs().need_send_data.set()
    else:
        _tell_of_messages(self)
