"""Processes that a test watches, though it did not start them."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator

PATIENCE = 60
"""Seconds after which a test no longer waits for an end that does not come."""


@contextlib.contextmanager
def ends(pid: int) -> Iterator[None]:
    """What is done in the block ends this process, which is running before.

    Raises:
        ProcessLookupError: it is not running at the start.
        AssertionError: it goes on.
    """
    process = os.pidfd_open(pid)
    try:
        yield
        ended, _, _ = select.select([process], [], [], PATIENCE)
        assert ended, f"process {pid} still runs"
    finally:
        os.close(process)
