"""The inner loops of training and encoding, compiled by Numba: scanning, counting, merging, looking up.

``bpe/training.py`` and ``bpe/byte_pairs.py`` are the ways in. Where there is no Numba, they train in pure
Python and encode on tiktoken's engine, with the same results. Numba takes some ten seconds to compile these
loops, once: ``python -m tools.compile_kernels`` has it done at set-up, and each process takes them from the
cache on disk.

A kernel is a plain function over arrays, with no Python objects in it; ``kernel`` compiles it. Every array is
writable, since Numba compiles a kernel again for arrays that are not. Each module calls only kernels of its
own file: Numba's cache on disk is renewed when that file changes, and knows of no other.

scanning      text to pieces, for the named split patterns
piece_counts  equal pieces, counted: over a corpus of any size, in several threads
merging       pieces to merges
piece_ids     pieces to token ids
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["expect", "kernel", "ready_by_now", "ready_to_encode", "ready_to_train"]

WORTH_LOADING = 1_000_000
"""Characters to encode; tiktoken's engine takes as long for eight times as many as the kernels do to load."""

WORTH_A_SECOND = 5_000_000
"""Characters to encode for which one waits a second until the kernels are loaded. tiktoken's engine encodes
four times as many in a second, but on a busy machine it needs several times as long, as loading does."""

_work: list[int] = []
"""What was expected before the kernels were loaded."""

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile ``function`` when it is first called, or take it from the cache on disk.

    It runs without Python's global lock, so that other threads run meanwhile. Without Numba it runs as plain
    Python, a hundred times slower. That is enough for its doctest.

    >>> @kernel
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> double(21)
    42
    """
    try:
        import numba
    except ImportError:  # no Numba for this Python yet, or none that fits this NumPy
        return function
    # ``_nrt`` is private to Numba, and used for a reason that was measured (10 MB, Numba 0.68). Kernels
    # create no arrays. With the runtime for that, arrays are counted in and out of each small function:
    # scanning takes 2.5 to 3.4 times the processor time, and training 2.2 to 2.6 times. A Numba without the
    # option is dealt with below. A kernel becomes a part of what calls it: handing over all arrays would take
    # longer than most of them work.
    njit: Any = numba.njit
    for options in ({"cache": True, "_nrt": False}, {"cache": True}, {"_nrt": False}, {}):
        try:
            compiled: Function = njit(nogil=True, forceinline=True, **options)(function)
            return compiled
        except (RuntimeError, KeyError, TypeError):
            continue  # no folder to keep the cache in, or a Numba that has dropped the option
    return function


@functools.cache
def ready_to_train() -> bool:
    """Compile the kernels that train, or load them from the cache; returns whether that worked.

    Takes a fraction of a second with the cache, and some ten seconds without, once in a process.
    """
    from . import merging
    from .piece_counts import PieceCounter, PieceCounts

    def train() -> None:
        pieces, counter = PieceCounts(room=1), PieceCounter("gpt4", room=1)  # too little room: it grows
        counter.count(0, ["the cat, the hat"])  # in this thread: others cannot start while the process ends
        pieces.absorb(counter.pieces)
        list(merging.iter_learned(pieces, 9, tie_rule=0))

    return _works(merging.learn, train)


@functools.cache
def ready_to_encode() -> bool:
    """As ``ready_to_train``, for the kernels that encode."""
    from .piece_ids import PieceEncoder, encode
    from .scanning import engine_classes

    return _works(encode, lambda: PieceEncoder({b"cat": 0}, 0, engine_classes()).encode("the cat"))


def _works(function: Callable[..., Any], run: Callable[[], object]) -> bool:
    """Whether this kernel is compiled and all that ``run`` calls work; it calls each once, on very little."""
    if not hasattr(function, "py_func"):
        return False
    try:
        run()
    except Exception as problem:  # a damaged cache, say: whatever it is, there is another way
        warnings.warn(f"The compiled kernels cannot be used ({problem!r}); slower code is.", stacklevel=3)
        return False
    return True


_loading = threading.Thread(target=ready_to_encode)
_starting = threading.Lock()


def expect(work: int) -> bool:
    """Begin to load the kernels that encode in the background, once all work that was expected is worth it.

    A process cannot end until they are loaded, so a short one does without.

    Args:
        work: how many characters there are to encode.

    Returns:
        Whether loading has begun.
    """
    with _starting:
        if _loading.ident is None:
            _work.append(work)
            if sum(_work) >= WORTH_LOADING:
                _loading.start()
        return _loading.ident is not None


def ready_by_now(work: int) -> bool:
    """Whether the kernels that encode can be used, for work that can be done in another way meanwhile.

    While they are loaded, this waits a little, the longer the more work there is.

    Args:
        work: how many characters there are to encode.
    """
    if ready_to_encode.cache_info().currsize == 0 and expect(work):
        _loading.join(work / WORTH_A_SECOND)
    return ready_to_encode.cache_info().currsize > 0 and ready_to_encode()
