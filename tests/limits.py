"""An end to work that should take a moment and would take hours; and how much memory work takes."""

from __future__ import annotations

import signal
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def processor_seconds(limit: float) -> Iterator[None]:
    """End the block with an error when this process has used the processor for so long.

    This is no measurement of speed: the limit is many times what the work takes, and far below what a
    square of the text's length would take. Only this process's time on the processor counts, not what
    other processes do meanwhile.

    Raises:
        AssertionError: the limit is reached.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"This takes more than {limit} seconds of the processor.")

    if not hasattr(signal, "setitimer"):  # on Windows, who runs the tests has to end them
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak_bytes(work: Callable[[], object]) -> int:
    """Memory that some work takes at its most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
