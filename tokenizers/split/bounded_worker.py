"""The other side of ``bounded.py``: does one task at a time, within a limit of memory.

It is run as a file, by its path, and imports nothing of this package: so it starts in a twentieth of a
second and is small. Both sides speak ``marshal``, each message after its length in four bytes.

    request    (file of the task's module, function, arguments, bytes of memory it may take)
    reply      (kind, value)

    kind       "done"       the result
               "refused"    a sentence: the task raised a ValueError, which is for a person
               "slow"       it ran out of the time that it had set itself
               "memory"     it needed more memory than it may take
               "failed"     a description: anything else is a fault of ours

A thread waits for requests. So the process notices even in the middle of a task that the other side has gone,
and ends.
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

MAX_GROWTH = 96 << 20
"""Bytes of address space that a process may keep between two tasks: for what it has imported, mostly."""

_modules: dict[str, Any] = {}


def read_message(stream: BinaryIO) -> Any:
    """The next message; EOFError when the other side has gone."""
    head = stream.read(4)
    size = int.from_bytes(head, "little")
    body = stream.read(size)
    if len(head) < 4 or len(body) < size:
        raise EOFError
    return marshal.loads(body)


def write_message(stream: BinaryIO, message: Any) -> None:
    """Send a message.

    Raises:
        ValueError: it has 4 GB or more.
    """
    body = marshal.dumps(message)
    if len(body) >> 32:
        raise ValueError("The message is too long to be sent.")
    stream.write(len(body).to_bytes(4, "little"))
    stream.write(body)
    stream.flush()


def main() -> None:
    """Answer requests until the other side has gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the replies
    _give_way()
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    size = _size()
    while True:
        file, function, arguments, memory = requests.get()
        reply = _do(file, function, arguments, None if size is None else size + memory)
        del arguments
        write_message(replies, reply)
        if size is not None and (_size() or 0) > size + MAX_GROWTH:
            os._exit(0)


def _listen(stream: BinaryIO, requests: queue.SimpleQueue[Any]) -> None:
    while True:
        try:
            requests.put(read_message(stream))
        except EOFError:
            os._exit(0)


def _do(file: str, function: str, arguments: tuple[Any, ...], limit: int | None) -> tuple[str, Any]:
    try:
        task = _find(file, function)
        _limit_memory(limit)
        return "done", task(*arguments)
    except TimeoutError:
        return "slow", ""
    except (MemoryError, RecursionError):
        return "memory", ""
    except ValueError as problem:
        return "refused", str(problem)
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        return "failed", f"{type(problem).__name__}: {problem}"[:500]
    finally:
        _limit_memory(None)


def _find(file: str, function: str) -> Callable[..., Any]:
    if file not in _modules:
        spec = importlib.util.spec_from_file_location(f"task_{len(_modules)}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look a class's module up there
        spec.loader.exec_module(module)
        _modules[file] = module
    task: Callable[..., Any] = getattr(_modules[file], function)
    return task


def _limit_memory(limit: int | None) -> None:
    """Let the process have so large an address space; None: as large as it likes."""
    if resource is None:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if limit is None or (most != resource.RLIM_INFINITY and most < limit):
        limit = most
    with contextlib.suppress(ValueError, OSError):  # macOS may refuse: then time is the only limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _size() -> int | None:
    """The process's address space in bytes; None: it is not known here."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return None


def _give_way() -> None:
    """Let others go first: on a busy processor, and when the machine's memory runs out."""
    if hasattr(os, "nice"):
        os.nice(5)
    with contextlib.suppress(OSError):
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("800")


if __name__ == "__main__":
    main()
