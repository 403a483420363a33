"""A few threads that answer keys, where whoever has taken least of late is next.

Who comes first would be served first in an ordinary pool: forty sessions of one stranger, each with a long
text, held everybody else's long texts up for seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pages.server.taken import Taken


@dataclass(eq=False)
class _Job:
    work: Callable[[], Any]
    session: str
    address: str
    result: Future[Any] = field(default_factory=Future)


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
        """Have this done in one of the threads.

        Args:
            work: what is done.
            session: for whom.
            address: that the session counts for; empty: nobody knows it, so the session stands alone.

        Raises:
            RuntimeError: the machine has no thread left.
        """
        job = _Job(work, session, address)
        with self._lock:
            self._waiting.append(job)
        try:
            self._threads.submit(self._do_next)  # not this one: the next one, once a thread is free
        except RuntimeError:
            with self._lock:
                if job in self._waiting:  # else another thread has begun it
                    self._waiting.remove(job)
                    raise
        return job.result

    def _do_next(self) -> None:
        with self._lock:
            if not self._waiting:
                return
            job = min(self._waiting, key=self._order)
            self._waiting.remove(job)
        if not job.result.set_running_or_notify_cancel():
            return
        began = time.thread_time()
        try:
            result = job.work()
        except BaseException as problem:  # whoever waits for it meets it
            job.result.set_exception(problem)
        else:
            job.result.set_result(result)
        finally:
            self._taken.add(time.thread_time() - began, job.session, job.address)

    def _order(self, job: _Job) -> tuple[int, int]:
        return self._taken.steps_of(job.address or job.session), self._taken.steps_of(job.session)
