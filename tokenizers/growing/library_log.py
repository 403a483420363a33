"""What a library in C++ writes of its work: lines on the standard error of the process."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator

_STANDARD_ERROR = 2


@contextlib.contextmanager
def follow(on_line: Callable[[str], object]) -> Iterator[None]:
    """Give each line that is written to the process's standard error to ``on_line``, in another thread.

    This holds for the whole process, so it is for processes that do one thing alone. An error in ``on_line``
    ends the listening, not the work.
    """
    reading, writing = os.pipe()
    before = os.dup(_STANDARD_ERROR)
    os.dup2(writing, _STANDARD_ERROR)
    os.close(writing)

    def listen() -> None:
        with open(reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                on_line(line)

    listener = threading.Thread(target=listen, name="library log", daemon=True)
    listener.start()
    try:
        yield
    finally:
        os.dup2(before, _STANDARD_ERROR)  # closes the last descriptor that writes to the pipe
        os.close(before)
        listener.join()
