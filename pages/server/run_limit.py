"""A limit on the number of pages that run at a time; other runs wait.

Streamlit gives each run a thread of its own. If sixty of them want to go on, the thread that answers keys
waits for sixty others whenever it has to wait at all.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

RUNS = 2
"""So many pages run at a time."""

_runs = threading.BoundedSemaphore(RUNS)
_this_thread = threading.local()


@contextmanager
def limited_run() -> Iterator[None]:
    """Around the run of a page; ``@limited_run()`` below ``@st.fragment``, since fragments also run alone."""
    if getattr(_this_thread, "runs", False):  # a fragment, while its page runs
        yield
        return
    with _runs:
        _this_thread.runs = True
        try:
            yield
        finally:
            _this_thread.runs = False


@contextmanager
def let_others_run() -> Iterator[None]:
    """Around a long wait in the run of a page, as for another server: other pages run meanwhile."""
    if not getattr(_this_thread, "runs", False):
        yield
        return
    _runs.release()
    try:
        yield
    finally:
        _runs.acquire()
