"""Runs a function in a separate process with limits on time and memory.

A regular expression of a few characters can take gigabytes to compile or hours to run, and Python cannot
stop it: it holds the interpreter lock. A process can be killed, and the system limits its memory.

A worker process is reused for the next task, since starting one takes 50 ms. The module with the function
must be importable alone, by its file (no relative imports). Arguments and results are what ``marshal`` can
write: numbers, strings, bytes, tuples, lists, dicts.

Time is the processor's, which a worker counts for itself. Where the system does not limit a process's memory
(Windows, and macOS in part), time is the only limit; on Windows, it is the clock's.
"""

from __future__ import annotations

import atexit
import marshal
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

MAX_PROCESSES = 2
"""Tasks that run at a time; others wait. As many processes are kept, 15 MB each."""

MEMORY = 120 << 20
"""Bytes of memory that a task may take, its arguments aside."""

PATIENCE = 8.0
"""Seconds that a task waits for a free slot."""

BUSY = 8
"""How many times longer than its processor time a task may take by the clock, on a busy machine."""

_OUT_OF_TIME = getattr(signal, "SIGPROF", None)
"""What ends a worker whose processor time is up; Windows has none."""

_WORKER = Path(__file__).with_name("bounded_worker.py")


class LimitError(ValueError):
    """A task took more time or memory than it may; says so in a sentence."""


class BusyError(LimitError):
    """No slot was free in time, or no process can be started. The task itself may be fine."""


_slots = threading.BoundedSemaphore(MAX_PROCESSES)
_idle: list[subprocess.Popen[bytes]] = []


def run(
    file: Path,
    function: str,
    *arguments: Any,
    seconds: float | None = None,
    memory: int = MEMORY,
    refused: str = "{}",
    too_slow: str = "This takes too long.",
    too_large: str = "This takes too much memory.",
    slots: threading.Semaphore | None = None,
    patience: float = PATIENCE,
) -> Any:
    """Call a function of a module in a separate process, and return its result.

    Args:
        file: the module's file.
        function: the function's name.
        arguments: its arguments.
        seconds: of the processor that it may take; None: no limit.
        memory: how many bytes it may take.
        refused: what to say of a ValueError that the function raises, with {} for its sentence.
        too_slow, too_large: what to say if it takes longer, or more memory.
        slots: limits how many tasks of this kind run at a time; None: ``MAX_PROCESSES``.
        patience: seconds that it waits for a free slot.

    Raises:
        ValueError: the function raised one. LimitError: it took too much. BusyError: no slot became free.

    >>> run(Path(__file__).with_name("engines.py"), "cut_by_tiktoken", "a+|b", ["aab"])
    [['aa', 'b']]
    """
    slots = slots or _slots
    if not slots.acquire(timeout=patience):
        raise BusyError("Others have all the places for such work here right now. Try again in a moment.")
    try:
        kind, value = _ask((str(file), function, arguments, seconds, memory), seconds)
    except TimeoutError:
        raise LimitError(too_slow) from None
    except EOFError:  # killed by the system, or past its limit where the error cannot be caught
        raise LimitError(too_large) from None
    finally:
        slots.release()
    if kind == "done":
        return value
    if kind == "memory":
        raise LimitError(too_large)
    raise ValueError(
        refused.format(value) if kind == "refused" else f"This could not be tried: {value.rstrip('.')}."
    )


def _ask(request: Any, seconds: float | None) -> tuple[str, Any]:
    """The reply of an idle worker, or of a new one."""
    while _idle:
        try:
            return _ask_worker(_idle.pop(), request, seconds)
        except (EOFError, IndexError):
            continue  # it had ended, or another thread took it
    return _ask_worker(_start(), request, seconds)


def _ask_worker(worker: subprocess.Popen[bytes], request: Any, seconds: float | None) -> tuple[str, Any]:
    """The reply of this worker, which is idle afterwards.

    Raises:
        TimeoutError: there was none in time. EOFError: the worker died. Either way, it is gone.
    """
    assert worker.stdin is not None and worker.stdout is not None
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        worker.kill()

    timer = threading.Timer(BUSY * (seconds or 0), stop)
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        marshal.dump(marshal.dumps(request), worker.stdin)
        worker.stdin.flush()
        reply: tuple[str, Any] = marshal.loads(marshal.load(worker.stdout))
    except BaseException as problem:
        _end(worker)
        if not isinstance(problem, EOFError | OSError):
            raise
        took_too_long = is_late.is_set() or -worker.returncode == _OUT_OF_TIME
        raise TimeoutError if took_too_long else EOFError from None
    finally:
        timer.cancel()
    _idle.append(worker)
    return reply


def _start() -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "MALLOC_ARENA_MAX": "1"},  # threads would reserve 64 MB each
        )
    except OSError as problem:
        raise BusyError(
            f"No process can be started here right now ({problem.strerror}). Try again in a moment."
        ) from None


def _end(worker: subprocess.Popen[bytes]) -> None:
    """Kill a worker, and wait until it is gone."""
    worker.kill()
    worker.communicate()


@atexit.register
def close_idle() -> None:
    """End the idle workers."""
    while _idle:
        _end(_idle.pop())
