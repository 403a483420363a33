"""The decorator that makes a kernel of a function: compiled by Numba where there is one.

A kernel is a plain function over arrays, with no Python objects in it. Without Numba it runs as plain Python,
a hundred times slower. That is enough for its doctest; ``training.py`` then takes the trainer in pure Python
instead.

Each module of kernels calls only kernels of its own file: Numba's cache on disk is renewed when
that file changes, and knows of no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    import numba
except ImportError:  # no Numba for this Python yet, or none that fits this NumPy
    numba = None  # type: ignore[assignment]

COMPILED = numba is not None
"""Whether kernels are compiled here."""

Function = TypeVar("Function", bound=Callable[..., Any])


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
            return compiled
        except (RuntimeError, KeyError, TypeError):
            continue  # no folder to keep the cache in, or a Numba that has dropped the option
    return function
