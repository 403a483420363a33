"""A corpus by its unique pieces: read in batches, split and counted by several threads at once.

Each thread counts into a table of its own, and in the end the tables are added up. Neither the order of the
threads nor the batches change the result: a text is cut only where the pattern would cut it anyway, whatever
is on the other side (``patterns.SAFE_CUT``).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from ..split.patterns import SAFE_CUT
from ..utf8 import well_formed
from .piece_counts import PieceCounts
from .scanning import SCANNERS, character_classes, scan

BATCH = 1 << 18
"""Characters that a thread gets at a time."""

MAX_THREADS = 4
"""Beyond these, reading the texts takes longer than counting them."""


def count_pieces(
    texts: Iterable[str], name: str, cancel: Callable[[], bool] | None = None, threads: int | None = None
) -> PieceCounts:
    """The unique pieces of the texts under a named pattern; in no order when there are several threads.

    Args:
        texts: the corpus; no piece reaches over two texts.
        name: of the pattern: gpt2, gpt4, gpt4o.
        cancel: asked before each batch; when it says True, the rest is not counted.
        threads: how many; None: as many as the machine has cores for us, up to ``MAX_THREADS``.

    >>> count_pieces(["the cat", "the hat"], "gpt4").as_dict()
    {b'the': 2, b' cat': 1, b' hat': 1}
    """
    n_threads = threads or min(MAX_THREADS, os.cpu_count() or 1)
    counters = [_Counter(name) for _ in range(n_threads)]
    idle = deque(counters)
    running: deque[Future[None]] = deque()

    def count(number: int, batch: list[str]) -> None:
        counter = idle.popleft()
        counter.count(number, batch)
        idle.append(counter)

    with ThreadPoolExecutor(n_threads) as pool:
        for number, batch in enumerate(iter_batches(texts)):
            if cancel and cancel():
                break
            running.append(pool.submit(count, number, batch))
            if len(running) > n_threads:
                running.popleft().result()
        for future in running:
            future.result()
    total, *others = (counter.pieces for counter in counters)
    for other in others:
        total.absorb(other)
    return total


def iter_batches(texts: Iterable[str], size: int = BATCH) -> Iterator[list[str]]:
    """The texts, some at a time, with long ones cut at safe places: about ``size`` characters each.

    >>> list(iter_batches(["one two three", "four"], 5))
    [['one two'], [' three'], ['four']]
    """
    batch: list[str] = []
    room = size
    for text in texts:
        start = 0
        while len(text) - start > room:
            safe_place = SAFE_CUT.search(text, start + max(room, 1))
            end = safe_place.start() if safe_place else len(text)
            yield [*batch, text[start:end]]
            batch, room, start = [], size, end
        if start < len(text):
            batch.append(text[start:])
            room -= len(text) - start
    if batch:
        yield batch


class _Counter:
    """One thread's part: its table and its scratch space."""

    def __init__(self, name: str) -> None:
        self.pieces = PieceCounts()
        self._scanner = SCANNERS[name]
        self._ends = np.empty(1 << 16, dtype=np.int64)

    def count(self, number: int, batch: list[str]) -> None:
        """Count the pieces of the batch of that number."""
        encoded = [_encode(text) for text in batch]
        data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        text_ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        del encoded
        offset = number << 40  # so that offsets follow the order of the batches
        start = 0
        while start < len(data):
            n_pieces = scan(data, text_ends, start, self._scanner, character_classes(), self._ends)
            self.pieces.add(data, start, self._ends[:n_pieces], offset)
            start = int(self._ends[n_pieces - 1])


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return well_formed(text).encode("utf-8")
