"""The memory of this process: how much it is, and giving back what is free of it.

The system's allocator keeps what was freed, for itself: after a tokenizer.json was read, up to three times
what the encoding takes.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")


def give_back() -> None:
    """Give memory that nothing uses back to the system, where its allocator can: that of Linux with glibc."""
    gc.collect()
    trim()


def trim() -> None:
    """As ``give_back``, without collecting garbage: a millisecond, or 0.1 s if many small blocks are free."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def taken() -> int:
    """Bytes that this process takes, without what is free of it; 0 where the system does not say.

    >>> taken() >= 0
    True
    """
    give_back()
    try:
        status = _STATUS.read_text("ascii")
    except (OSError, ValueError):  # not Linux
        return 0
    return int(status.partition("VmRSS:")[2].split()[0]) << 10
