"""Work whose cost cannot be known beforehand, done in a process with limits, which can be ended.

A regular expression of a few characters can take gigabytes to compile or hours to run, and Python cannot
end it: it holds the interpreter, and a thread cannot be killed. A process can. It gets a limit of memory
from the system, and a deadline from here.

    run(file of a module, name of a function in it, arguments)

A process is kept for the next task, since starting one costs a twentieth of a second. The module with the
function must be importable alone, by its file (no relative imports), and arguments and results are
what ``marshal`` can write: numbers, strings, bytes, tuples, lists, dicts.

Where the system has no limit of memory for a process (Windows, and macOS in part), the deadline is
the only limit.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ..askers import LOOK, Asker, BusyError, NobodyWaitsError, Places, current_asker
from .bounded_worker import read_message, write_message

MAX_PROCESSES = 2
"""How many tasks run at a time, no more than one for each asker; others wait for their turn. As many
processes are kept, some 15 MB each."""

MEMORY = 120 << 20
"""Bytes of memory that a task may take, its arguments aside: all tasks together stay below 300 MB."""

GRACE = 0.5
"""Seconds that a task may take beyond its limit, to end by itself and say so."""

PATIENCE = 8.0
"""Seconds that a task waits for its turn."""

_WORKER = Path(__file__).with_name("bounded_worker.py")


class TooMuchMemoryError(Exception):
    """The task needed more memory than it may take, and was ended."""


class TooSlowError(Exception):
    """The task took longer than it may, and was ended."""


class _Process:
    """A process that does one task at a time."""

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
        self._is_late = self._is_deserted = False

    def ask(self, request: Any, seconds: float | None, asker: Asker | None = None) -> Any:
        """The reply to a request.

        Raises:
            TooSlowError: there was none in time. NobodyWaitsError: the asker has gone. EOFError: the process
                died. After each of these, it is gone.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._is_late = self._is_deserted = False
        over = threading.Event()
        watcher = None
        if seconds is not None or asker is not None:
            watcher = threading.Thread(target=self._watch, args=(over, seconds, asker), daemon=True)
            watcher.start()
        try:
            write_message(self._process.stdin, request)  # type: ignore[arg-type]
            return read_message(self._process.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError):
            self.end()
            if self._is_late:
                raise TooSlowError from None
            if self._is_deserted:
                raise NobodyWaitsError from None
            raise EOFError from None
        except BaseException:  # it is in the middle of something that nobody waits for any more
            self.end()
            raise
        finally:
            over.set()
            if watcher is not None:
                watcher.join()  # it must not end the next task

    def _watch(self, over: threading.Event, seconds: float | None, asker: Asker | None) -> None:
        """End the process when its task takes too long, or nobody waits for it any more."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            left = LOOK if until is None else until - time.monotonic()
            if over.wait(max(0.0, min(left, LOOK) if asker is not None else left)):
                return
            if until is not None and time.monotonic() >= until:
                self._is_late = True
            elif asker is not None and not asker.is_here():
                self._is_deserted = True
            else:
                continue
            self.end()
            return

    def end(self) -> None:
        """Kill it."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """Kill it, and wait until the system has let go of it."""
        self.end()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


_places = Places(MAX_PROCESSES)
_idle: list[_Process] = []
_parents: list[_Process] = []
_lock = threading.Lock()


def run(
    file: Path,
    function: str,
    *arguments: Any,
    seconds: float | None = None,
    memory: int = MEMORY,
    places: Places | None = None,
) -> Any:
    """Call a function of a module in a process of its own, and return what it returns.

    Args:
        file: the module's file.
        function: the function's name.
        arguments: what it is called with.
        seconds: how long it may take; None: as long as it likes. It is killed ``GRACE`` later.
        memory: how many bytes it may take.
        places: for tasks of another kind than patterns, which wait for their like alone; None: the patterns'.

    Raises:
        ValueError: the function raised one; its sentence. BusyError, if others have all places.
        TooSlowError: it took longer.
        TooMuchMemoryError: it needed more, or died of it.
        NobodyWaitsError: whoever asked for it has gone, so it was ended.

    >>> run(Path(__file__).with_name("regex_tasks.py"), "split_lengths", "a+", "aab", None)
    (2, 1)
    """
    places, asker = places or _places, current_asker()
    if not places.acquire(asker, timeout=PATIENCE):
        raise BusyError("Others have all the places for such work here right now. Try again in a moment.")
    try:
        request = (str(file), function, arguments, memory)
        kind, value = _ask(request, None if seconds is None else seconds + GRACE, asker)
    except EOFError:  # killed by the system, or past its limit where the error cannot be caught
        raise TooMuchMemoryError from None
    finally:
        places.release(asker)
    if kind == "done":
        return value
    if kind == "refused":
        raise ValueError(value)
    if kind == "slow":
        raise TooSlowError
    if kind == "memory":
        raise TooMuchMemoryError
    raise ValueError(f"This could not be tried: {value.rstrip('.')}.")


def _ask(request: Any, seconds: float | None, asker: Asker | None) -> tuple[str, Any]:
    """The reply of some process; of a new one, if an idle one turns out to have died."""
    while True:
        with _lock:
            process = _idle.pop() if _idle else None
        is_new = process is None
        process = process or _Process()
        try:
            kind, value, has_grown = process.ask(request, seconds, asker)
        except BaseException as problem:
            process.close()
            if is_new or not isinstance(problem, EOFError):
                raise
            continue
        if has_grown:
            process.close()
        else:
            with _lock:
                _idle.append(process)  # never more than there are places
        return kind, value


def _forget() -> None:
    """In a forked process: the workers belong to its parent, which goes on talking to them."""
    global _lock, _places
    _lock = threading.Lock()
    _places = Places(MAX_PROCESSES)
    _parents.extend(_idle)  # keep references: closing these pipes here would disturb the parent's workers
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@atexit.register
def close_idle() -> None:
    """End the processes that are kept for the next task."""
    with _lock:
        while _idle:
            _idle.pop().close()
