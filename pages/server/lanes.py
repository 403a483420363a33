"""Where keys are answered, in threads or in the event loop. Whoever has taken least of late is next.

Who comes first would be served first in an ordinary pool: forty sessions of one stranger, each with a long
text, held everybody else's long texts up for seconds.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from pages.server.taken import Taken


@dataclass(eq=False)
class _Job:
    work: Callable[[], Any]
    session: str
    address: str
    result: Future[Any] | asyncio.Future[Any]
    may_begin: Callable[[], bool]  # whether nobody has cancelled it

    def do(self, taken: Taken) -> None:
        """Do the work in this thread, tell whoever waits for it, and note what it took."""
        if not self.may_begin():
            return
        began = time.thread_time()
        try:
            result = self.work()
        except BaseException as problem:  # whoever waits for it meets it
            self.result.set_exception(problem)
        else:
            self.result.set_result(result)
        finally:
            taken.add(time.thread_time() - began, self.session, self.address)


def _take_next(waiting: list[_Job], taken: Taken) -> _Job:
    """Take the job whose address, and then whose session, has taken least; of equals, the first that came."""
    if len(waiting) == 1:
        return waiting.pop()

    def order(job: _Job) -> tuple[int, int]:
        return taken.steps_of(job.address or job.session), taken.steps_of(job.session)

    job = min(waiting, key=order)
    waiting.remove(job)
    return job


class Lane:
    """Threads of its own, and who waits for them.

    Args:
        n_threads: how many.
        name: of the threads, for whoever looks at the process.
        taken: by whom how much was taken; it is noted there, too.

    >>> lane = Lane(1, "an example", Taken())
    >>> lane.submit(lambda: 2 + 2, "a session").result()
    4
    """

    def __init__(self, n_threads: int, name: str, taken: Taken) -> None:
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix=name)
        self._taken = taken
        self._waiting: list[_Job] = []
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], Any], session: str, address: str = "") -> Future[Any]:
        """Have this done in one of the threads, and return its future.

        Args:
            work: what is done.
            session: for whom.
            address: that the session counts for; empty: nobody knows it, so the session stands alone.

        Raises:
            RuntimeError: the machine has no thread left.
        """
        result: Future[Any] = Future()
        job = _Job(work, session, address, result, result.set_running_or_notify_cancel)
        with self._lock:
            self._waiting.append(job)
        try:
            self._threads.submit(self._do_next)  # not this one: the next one, once a thread is free
        except RuntimeError:
            with self._lock:
                if job in self._waiting:  # else another thread has begun it
                    self._waiting.remove(job)
                    raise
        return result

    def _do_next(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            job = _take_next(self._waiting, self._taken)
        job.do(self._taken)


class LoopLane:
    """The event loop's own thread, for work of a few milliseconds.

    Handing that to another thread takes longer than doing it: both want Python, and so does every page that
    is drawn meanwhile. In a room of thirty who type, most of the time of a key was such waiting.

    One job is done at each round of the loop, so what the network brings in between is heard.

    Args:
        taken: as a ``Lane`` has it.

    >>> async def example():
    ...     return await LoopLane(Taken()).submit(lambda: 2 + 2, "a session")
    >>> with ThreadPoolExecutor(1) as thread:  # in which no loop runs yet
    ...     thread.submit(asyncio.run, example()).result()
    4
    """

    def __init__(self, taken: Taken) -> None:
        self._taken = taken
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[_Job] = []

    def submit(self, work: Callable[[], Any], session: str, address: str = "") -> asyncio.Future[Any]:
        """Have this done at one of the loop's next rounds.

        Args:
            work, session, address: as ``Lane.submit`` has them.

        Returns:
            the future of this loop, where ``Lane.submit`` returns one of threads.

        Raises:
            RuntimeError: no loop runs in this thread.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # with a loop that has ended, what waited in it is over
            self._loop, self._waiting = loop, []
        result: asyncio.Future[Any] = loop.create_future()
        self._waiting.append(_Job(work, session, address, result, lambda: not result.cancelled()))
        if len(self._waiting) == 1:
            loop.call_soon(self._do_next, loop)
        return result

    def _do_next(self, loop: asyncio.AbstractEventLoop) -> None:
        job = _take_next(self._waiting, self._taken)
        try:
            job.do(self._taken)
        finally:
            if self._waiting:  # after the result is set: its request goes on before the next job begins
                loop.call_soon(self._do_next, loop)
