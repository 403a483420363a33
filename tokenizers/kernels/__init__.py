"""The trainer's inner loops, compiled by Numba: scanning, counting, merging.

``training.py`` is the way in. Where there is no Numba, it trains in pure Python, with the same
result. Numba takes some ten seconds to compile these loops, once: ``python -m tools.compile_kernels``
has it done at set-up, and each process takes them from the cache on disk.

compiling     the decorator
scanning      text to pieces, for the named split patterns
piece_counts  equal pieces, counted: over a corpus of any size, in several threads
merging       pieces to merges
"""

from __future__ import annotations

import functools
import warnings

__all__ = ["ready"]


@functools.cache
def ready() -> bool:
    """Compile all kernels, or load them from the cache; returns whether that worked.

    Takes a fraction of a second with the cache, and some ten seconds without, once in a process.
    """
    from .compiling import COMPILED

    if not COMPILED:
        return False
    try:
        _run_each()
    except Exception as problem:  # a damaged cache, say: whatever it is, there is another way
        warnings.warn(f"The compiled trainer cannot be used ({problem!r}); the slower one is.", stacklevel=2)
        return False
    return True


def _run_each() -> None:
    """Run every kernel once, on very little."""
    from . import merging, scanning
    from .piece_counts import PieceCounts, count_pieces

    pieces = PieceCounts(room=1)
    for name in scanning.SCANNERS:
        pieces.absorb(count_pieces(["the cat, the hat"], name, threads=1))
    list(merging.iter_learned(pieces, 9, tie_rule=0))
