"""Where a text's walls (pre-token boundaries) are: found by the compiled scanner or by ``regex``.

The scanner of ``kernels/`` cuts some 250 MB a second, ``regex`` 4 MB. But Numba has to be loaded for it,
which takes a second and 80 MB of memory in each process. So it is used where it is loaded already,
and for texts so long that loading it takes less time than ``regex`` would. It is never compiled here:
nobody in front of a page waits ten seconds for that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import kernels
from ..encoding import Splitting
from ..split.patterns import known_pattern

WORTH_LOADING = 4_000_000
"""For a text of at least so many bytes, the scanner is loaded."""

_BATCH = 1 << 16
"""Pieces that the scanner writes down at a time, so that it needs no array of the text's size."""


def find_walls(
    splitting: Splitting, text: str, data: bytes, specials: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Whether there is a wall before each byte, and at the end, shape (bytes + 1,).

    The text's beginning and end count as walls, and so do both ends of a special token.

    Args:
        splitting: whose walls.
        text: the text.
        data: the same in UTF-8.
        specials: the special tokens in it, as (start, end) in bytes, in order, shape (n, 2).

    Raises:
        ValueError: a pattern of one's own that takes too long on this text.

    >>> from tokenizers import get_encoding
    >>> none = np.zeros((0, 2), dtype=np.int64)
    >>> np.flatnonzero(find_walls(get_encoding("gpt2"), "the cat!", b"the cat!", none)).tolist()
    [0, 3, 7, 8]
    """
    walls = np.zeros(len(data) + 1, dtype=np.bool_)
    edges = np.concatenate(([0], specials.ravel(), [len(data)])).astype(np.int64)
    known = known_pattern(splitting.exact_pattern)
    scanner = known.scanner if known else None
    is_quick = kernels.scanner_is_loaded() or len(data) >= WORTH_LOADING
    if scanner is not None and is_quick and kernels.scanner_ready():
        _scan(scanner, data, edges[1:], walls)
        for start, end in specials.tolist():
            walls[start + 1 : end] = False  # a special token is not split, so it has no walls inside
    else:
        _split(splitting, text, data, edges, walls)
    walls[edges] = True
    return walls


def _scan(scanner: int, data: bytes, text_ends: npt.NDArray[np.int64], walls: npt.NDArray[np.bool_]) -> None:
    """Mark the end of each piece; ``text_ends`` says where a text ends and the next one begins."""
    from ..kernels.scanning import character_classes, scan

    array, classes = np.frombuffer(data, dtype=np.uint8), character_classes()
    ends = np.empty(_BATCH, dtype=np.int64)
    start = 0
    while start < len(data):
        n_pieces = scan(array, text_ends, start, scanner, classes, ends)
        walls[ends[:n_pieces]] = True
        start = int(ends[n_pieces - 1])


def _split(
    splitting: Splitting,
    text: str,
    data: bytes,
    edges: npt.NDArray[np.int64],
    walls: npt.NDArray[np.bool_],
) -> None:
    """Mark the end of each piece; a text is between every other two of ``edges``."""
    for start, end in edges.reshape(-1, 2).tolist():
        stretch = text if end - start == len(data) else data[start:end].decode("utf-8")
        lengths = [len(piece.encode("utf-8")) for piece in splitting.pieces(stretch)]
        walls[start + np.cumsum(lengths, dtype=np.int64)] = True
