"""Runs a function in a separate process with limits on memory and time.

A regular expression of a few characters can take gigabytes to compile or hours to run, and Python cannot
stop it: it holds the interpreter lock. A process can be killed, and the system limits its memory.

A worker process is reused for the next task, since starting one takes 50 ms. The module with the function
must be importable alone, by its file (no relative imports). Arguments and results are what ``marshal`` can
write: numbers, strings, bytes, tuples, lists, dicts.

Where the system has no memory limit for a process (Windows, and macOS in part), time is the only limit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from .bounded_worker import read_message, write_message

MAX_PROCESSES = 2
"""Tasks that run at a time; others wait. As many processes are kept, 15 MB each."""

MEMORY = 120 << 20
"""Bytes of memory that a task may take, its arguments aside."""

GRACE = 0.5
"""Seconds that a task may take beyond its limit, to stop by itself and say so."""

PATIENCE = 8.0
"""Seconds that a task waits for a free slot."""

_WORKER = Path(__file__).with_name("bounded_worker.py")


class BusyError(ValueError):
    """No slot was free in time, or no process can be started. The task itself may be fine."""


class TooMuchMemoryError(Exception):
    """The task needed more memory than its limit."""


class TooSlowError(Exception):
    """The task took longer than its limit."""


class _Process:
    """A worker process, which does one task at a time."""

    def __init__(self) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "MALLOC_ARENA_MAX": "1"},  # threads would reserve 64 MB each
            )
        except OSError as problem:
            raise BusyError(
                f"No process can be started here right now ({problem.strerror}). Try again in a moment."
            ) from None

    def ask(self, request: Any, seconds: float | None) -> tuple[str, Any]:
        """The reply to a request.

        Raises:
            TooSlowError: there was none in time. EOFError: the process died. Either way it is gone.
        """
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            self._process.kill()

        timer = threading.Timer(seconds or 0, stop)
        timer.daemon = True
        if seconds is not None:
            timer.start()
        try:
            write_message(self._process.stdin, request)  # type: ignore[arg-type]
            reply: tuple[str, Any] = read_message(self._process.stdout)  # type: ignore[arg-type]
            return reply
        except (EOFError, OSError):
            raise TooSlowError if is_late.is_set() else EOFError from None
        finally:
            timer.cancel()

    def close(self) -> None:
        """Kill it, and wait until it is gone."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


_slots = threading.BoundedSemaphore(MAX_PROCESSES)
_idle: list[_Process] = []


def run(
    file: Path,
    function: str,
    *arguments: Any,
    seconds: float | None = None,
    memory: int = MEMORY,
    slots: threading.Semaphore | None = None,
) -> Any:
    """Call a function of a module in a separate process, and return its result.

    Args:
        file: the module's file.
        function: the function's name.
        arguments: its arguments.
        seconds: how long it may take; None: no limit. It is killed ``GRACE`` later.
        memory: how many bytes it may take.
        slots: limits how many tasks of this kind run at a time; None: ``MAX_PROCESSES``.

    Raises:
        ValueError: the function raised one; its sentence. BusyError: no slot became free in time.
        TooSlowError: it took longer.
        TooMuchMemoryError: it needed more, or died of it.

    >>> run(Path(__file__).with_name("regex_tasks.py"), "split_lengths", "a+", "aab", None)
    (2, 1)
    """
    slots = slots or _slots
    if not slots.acquire(timeout=PATIENCE):
        raise BusyError("Others have all the places for such work here right now. Try again in a moment.")
    try:
        kind, value = _ask(
            (str(file), function, arguments, memory), None if seconds is None else seconds + GRACE
        )
    except EOFError:  # killed by the system, or past its limit where the error cannot be caught
        raise TooMuchMemoryError from None
    finally:
        slots.release()
    if kind == "done":
        return value
    if kind == "slow":
        raise TooSlowError
    if kind == "memory":
        raise TooMuchMemoryError
    raise ValueError(value if kind == "refused" else f"This could not be tried: {value.rstrip('.')}.")


def _ask(request: Any, seconds: float | None) -> tuple[str, Any]:
    """The reply of an idle worker, or of a new one."""
    while True:
        try:
            process, is_new = _idle.pop(), False
        except IndexError:
            process, is_new = _Process(), True
        try:
            reply = process.ask(request, seconds)
        except BaseException as problem:
            process.close()
            if is_new or not isinstance(problem, EOFError):
                raise
            continue  # an idle worker has ended: try another
        _idle.append(process)
        return reply


@atexit.register
def close_idle() -> None:
    """End the idle workers."""
    while _idle:
        _idle.pop().close()
