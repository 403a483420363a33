"""The trial of an untrusted file: a process with limits loads it first, and encodes and decodes texts.

A tokenizer file that was made by hand can crash the libraries that read it, or make them take all memory.
So a file that a person uploads, links or fetches is loaded here only after this has gone well.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from pathlib import Path

from ..amounts import bytes_in_words
from ..split import bounded

SECONDS = 60.0
MEMORY = 2 << 30
"""Limits of a trial. The largest files in use take 0.4 GB and 5 s."""

PATIENCE = 60.0
"""Seconds that a trial waits for others."""

_ROOT = Path(__file__).resolve().parents[2]
_TASK = Path(__file__).with_name("trial_task.py")
_slots = threading.BoundedSemaphore(2)
_passed: set[bytes] = set()  # digests


def try_file(data: bytes, beside: bytes, pattern: str | None, lowercase: bool | None) -> None:
    """Try a file, unless it was tried before. Arguments as of ``loading.load``.

    Raises:
        ValueError: what ``load`` raises of it, or that it takes too much. BusyError: others wait, too.
    """
    digest = hashlib.sha256(b"\0".join((hashlib.sha256(data).digest(), beside))).digest()
    if digest in _passed:
        return
    try:
        path = [str(_ROOT), *sys.path]
        bounded.run(
            _TASK,
            "load",
            path,
            data,
            beside,
            pattern,
            lowercase,
            seconds=SECONDS,
            memory=MEMORY,
            slots=_slots,
            patience=PATIENCE,
        )
    except bounded.TooSlowError:
        raise ValueError(f"It takes more than {SECONDS:.0f} seconds to load.") from None
    except bounded.TooMuchMemoryError:
        raise ValueError(
            f"The library that reads it crashes, or needs more than {bytes_in_words(MEMORY)} of memory."
        ) from None
    _passed.add(digest)
