"""The worker process of ``bounded.py``: runs one function at a time within a memory limit.

It runs as a script and imports nothing of this package, so it starts in 50 ms. Both sides write messages
with ``marshal``:

    request    (file of the function's module, its name, its arguments, seconds or None, bytes of memory)
    reply      (kind, value)

    kind       "done"       the function's result
               "refused"    the sentence of the ValueError that it raised
               "memory"     it needed more memory than its limit
               "failed"     a description of any other error
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import marshal
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

MAX_GROWTH = 96 << 20
"""Bytes by which the process may have grown after a task; if it has grown more, it ends."""


def main() -> None:
    """Answer requests until the other side has gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the replies
    if hasattr(os, "nice"):
        os.nice(5)
    size_at_start = _size()
    while True:
        try:
            file, function, arguments, seconds, memory = marshal.loads(marshal.load(sys.stdin.buffer))
        except EOFError:
            return
        reply = _call(file, function, arguments, seconds, size_at_start and size_at_start + memory)
        del arguments
        marshal.dump(marshal.dumps(reply), replies)
        replies.flush()
        if size_at_start and _size() > size_at_start + MAX_GROWTH:
            return


def _call(
    file: str, function: str, arguments: tuple[Any, ...], seconds: float | None, limit: int
) -> tuple[str, Any]:
    try:
        task = _find(file, function)
        _limit_memory(limit)
        _limit_time(seconds or 0)
        return "done", task(*arguments)
    except (MemoryError, RecursionError):
        return "memory", ""
    except ValueError as problem:
        return "refused", str(problem)
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        return "failed", f"{type(problem).__name__}: {problem}"[:500]
    finally:
        _limit_time(0)
        _limit_memory(0)


def _limit_time(seconds: float) -> None:
    """Let SIGPROF end this process after so many seconds of processor time; 0: no limit.

    Neither the start of the process nor others on a busy machine count.
    """
    if hasattr(signal, "setitimer"):  # Windows has none
        signal.setitimer(signal.ITIMER_PROF, seconds)


@functools.cache
def _find(file: str, function: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location(f"task_{len(sys.modules)}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look a class's module up there
    spec.loader.exec_module(module)
    task: Callable[..., Any] = getattr(module, function)
    return task


def _limit_memory(limit: int) -> None:
    """Limit the address space to so many bytes; 0: no limit but the system's."""
    if resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if not limit or (most != resource.RLIM_INFINITY and most < limit):
        limit = most
    with contextlib.suppress(ValueError, OSError):  # macOS may refuse: then time is the only limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _size() -> int:
    """Bytes of the process's address space; 0: not known here."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    main()
