"""Panels that take long are counted beside the others, which do not wait for them.

An answer waits a moment for such panels. Those that are not ready by then say that they are being counted,
and the browser asks again. One thread works for a session at a time; the newest text comes next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait

from tokenizers import askers
from tokenizers.text import Spans

PATIENCE = 0.15
"""Seconds that an answer waits for slow panels: nearly all are done by then, and no key seems late."""

SLOW = 0.1
"""Seconds from which on an encoding counts as slow."""

Key = tuple[str, bool, int]
"""Of a panel: its encoding's name, whether special texts are tokens, and which of this name it is."""

Job = Callable[[], Spans]
Done = dict[Key, Spans | BaseException]

# What is a session's own can be slow at each key: it waits for its like alone.
_own_threads = ThreadPoolExecutor(8, thread_name_prefix="counting")
_shipped_threads = ThreadPoolExecutor(4, thread_name_prefix="counting shipped")


class SlowPanels:
    """What is counted for one session beside its answers.

    Args:
        own: whether the encodings are the session's own; their threads are others than those of all.

    >>> from tokenizers import encode_spans, get_encoding
    >>> key = ("gpt2", False, 0)
    >>> jobs = {key: lambda: encode_spans(get_encoding("gpt2"), "a b")}
    >>> len(SlowPanels().count(object(), jobs, patience=60)[key])
    2
    """

    def __init__(self, *, own: bool = False) -> None:
        self._threads = _own_threads if own else _shipped_threads
        self._text: object = None
        self._done: Done = {}
        self._work: Future[None] | None = None

    def count(self, text: object, jobs: Mapping[Key, Job], patience: float) -> Done:
        """Go on with these jobs in another thread; returns what each finished one gave or raised.

        Args:
            text: what is counted; another object is another text.
            jobs: by a key for each. One that was done is not done again before it is asked for again.
            patience: seconds that are waited for them.
        """
        if not jobs:
            self._text, self._done = None, {}  # a text that nobody counts is not held here
            return {}
        until = time.monotonic() + patience
        if text is not self._text:
            self._text, self._done = text, {}
        while left := {key: job for key, job in jobs.items() if key not in self._done}:
            if self._work is None or self._work.done():
                self._work = self._threads.submit(self._do, left, self._done, askers.current_asker())
            wait([self._work], max(0.0, until - time.monotonic()))
            if not self._work.done():
                break
        return {key: self._done.pop(key) for key in jobs if key in self._done}

    def _do(self, jobs: Mapping[Key, Job], done: Done, asker: askers.Asker | None) -> None:
        with askers.asked_by(asker):
            for key, job in jobs.items():
                if self._done is not done:  # there is a newer text
                    return
                try:
                    askers.check_wanted()
                    done[key] = job()
                except BaseException as problem:  # also an engine's panic: whoever asked meets it
                    done[key] = problem
