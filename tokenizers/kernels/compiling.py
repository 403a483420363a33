"""The decorator that makes a kernel of a function: compiled by Numba where there is one.

A kernel is a plain function over arrays, with no Python objects in it. Without Numba it runs as plain Python,
a hundred times slower. That is enough for its doctest; ``training.py`` then takes the trainer in pure Python
instead.

Each module of kernels calls only kernels of its own file: Numba's cache on disk is renewed when
that file changes, and knows of no other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

try:
    import numba
except ImportError:  # no Numba for this Python yet, or none that fits this NumPy
    numba = None  # type: ignore[assignment]

COMPILED = numba is not None
"""Whether kernels are compiled here."""

Function = TypeVar("Function", bound=Callable[..., Any])

_options_in_use: list[dict[str, bool]] = []


def is_cached_without_runtime() -> bool:
    """Whether all kernels so far are kept on disk, and made such that they can do without the runtime."""
    return all(options == {"cache": True, "_nrt": False} for options in _options_in_use)


def kernel(function: Function) -> Function:
    """Compile ``function`` when it is first called, or take it from the cache on disk.

    It runs without Python's global lock, so that other threads run meanwhile.

    >>> @kernel
    ... def double(x: int) -> int:
    ...     return 2 * x
    >>> double(21)
    42
    """
    if numba is None:
        return function
    # ``_nrt`` is private to Numba, and used for a reason that was measured (10 MB, Numba 0.68). Kernels
    # create no arrays. With the runtime for that, arrays are counted in and out of each small function:
    # scanning takes 2.5 to 3.4 times the processor time, and training 2.2 to 2.6 times. A Numba without the
    # option is dealt with below.
    njit: Any = numba.njit
    for options in ({"cache": True, "_nrt": False}, {"cache": True}, {"_nrt": False}, {}):
        try:
            compiled: Function = njit(nogil=True, **options)(function)
            _options_in_use.append(options)
            return compiled
        except (RuntimeError, KeyError, TypeError):
            continue  # no folder to keep the cache in, or a Numba that has dropped the option
    return function


@contextlib.contextmanager
def without_runtime() -> Iterator[None]:
    """Have Numba load kernels from the cache without its runtime, which looks after arrays that they create.

    Ours create none. Numba would still compile it anew in each process, and that wakes so much of LLVM that
    it takes 20 MB: 1.12 to 1.14 times the peak memory of training from 10 MB and 1 MB. That is why a function
    that is private to Numba is replaced here. Compiling does need it: where a kernel is not in the cache, it
    fails in here, and where Numba has no such function any more, ``ready`` loads them with the runtime.
    """
    from numba.core.runtime.nrt import rtsys

    initialize = rtsys.initialize
    rtsys.initialize = lambda context: None
    try:
        yield
    finally:
        rtsys.initialize = initialize
