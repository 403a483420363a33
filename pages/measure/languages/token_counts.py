"""The tokens of all languages, counted in the background: once for each encoding, for all sessions together.

The work is done in a thread: the engine works outside Python's lock, so those who type elsewhere hardly
feel it. Two encodings are counted at a time.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from tokenizers import limits
from tokenizers.data import ParallelText, list_parallel
from tokenizers.encoding import Encoding
from tokenizers.measure import fingerprint, iter_counts, shipped_counts

MAX_SECONDS = float(limits.COUNTING_SECONDS.value)
"""Seconds that counting all languages in one encoding may take; then it stops, and the page asks whether to
go on. Only a person's own slow pattern needs longer."""

_KEPT = 64  # countings that are kept: those used last

State = Literal["waiting", "counting", "done", "stopped", "failed"]

_pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="count languages")
_lock = threading.Lock()
_countings: OrderedDict[str, Counting] = OrderedDict()


class Counting:
    """The counting of all languages in one encoding.

    Attributes:
        counts: tokens by code, so far.
        total: texts in all.
        state: how it stands.
        problem: why it failed, or was stopped by itself, for people.
    """

    def __init__(self, encoding: Encoding, texts: Sequence[ParallelText]) -> None:
        self.counts: Mapping[str, int] = {}
        self.total = len(texts)
        self.state: State = "waiting"
        self.problem = ""
        self._texts = texts
        self._stop = threading.Event()
        self._over = threading.Event()
        shipped = shipped_counts(encoding)
        if shipped is not None and texts is list_parallel():
            self.counts, self.state = shipped, "done"
            self._over.set()
        else:
            self.go_on(encoding)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come, unless it goes on."""
        return self._over.is_set()

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return len(self.counts) / max(1, self.total)

    def go_on(self, encoding: Encoding) -> None:
        """Start, or take up again where it was stopped."""
        self._stop.clear()
        self._over.clear()
        self.state, self.problem = "waiting", ""
        _pool.submit(self._count, encoding)

    def stop(self) -> None:
        """End it soon; what is counted stays."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, so long at most; whether it has come."""
        return self._over.wait(seconds)

    def _count(self, encoding: Encoding) -> None:
        try:
            if self.state == "waiting" and not self._stop.is_set():
                self.state = "counting"
            give_up = time.monotonic() + MAX_SECONDS
            for progress in iter_counts(encoding, self._texts, dict(self.counts)):
                if progress.done > len(self.counts):  # no less than before it was stopped
                    self.counts = dict(progress.counts)
                if self._stop.is_set():
                    break
                if time.monotonic() > give_up:
                    self.problem = f"it has taken {MAX_SECONDS:.0f} seconds"
                    break
            self.state = "done" if len(self.counts) == self.total else "stopped"
        except (ValueError, OSError) as problem:
            self.problem, self.state = str(problem), "failed"
        except Exception as problem:  # an encoding from a file may fail in a way that nobody foresaw
            self.problem = f"{encoding.name} could not be counted ({type(problem).__name__}). Choose another."
            self.state = "failed"
        finally:
            self._over.set()


def counting_of(encoding: Encoding) -> Counting:
    """The counting of this encoding, begun at the first call; later calls, of any session, share it."""
    key, texts = fingerprint(encoding), list_parallel()
    with _lock:
        counting = _countings.get(key)
        if counting is None:
            counting = _countings[key] = Counting(encoding, texts)
            while len(_countings) > _KEPT:
                _countings.popitem(last=False)[1].stop()
        _countings.move_to_end(key)
        return counting


def forget(encoding: Encoding) -> None:
    """Forget a counting, so that the next call begins it anew."""
    with _lock:
        counting = _countings.pop(fingerprint(encoding), None)
    if counting is not None:
        counting.stop()
