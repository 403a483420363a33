"""The compiled table of a SentencePiece normaliser: which characters become which others.

The table (``precompiled_charsmap``) is a double array, a trie in an array of numbers, and the texts that
the characters become, each ended by a NUL. SentencePiece follows its numbers wherever they lead. So they are
followed here first, all of them at once, and a table that leads anywhere outside is refused.

Layout: the array's bytes as a number of four bytes, the array, the texts. A unit of the array holds a label,
an offset to its children, and whether it has a text. Source: SentencePiece's ``src/normalizer.cc``, and
Yata's darts-clone.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from ..amounts import bytes_in_words

MAX_GROWTH = 12
"""How many times longer a text may become. Of NFKC it is 11: three bytes, ﷺ, become 33."""

MAX_CHARSMAP_BYTES = 4 << 20
"""The largest of those that come with SentencePiece has 0.25 MB."""

_MAX_DEPTH = 200  # bytes of the longest run of characters that has a rule
_MAX_NODES = 2_000_000
_AT_ONCE = 4096
_DAMAGED = "The table of its normaliser is damaged, so that it cannot be used."

Units = npt.NDArray[np.uint32]

_LABELS = np.arange(256)
# How many bytes follow a first byte of UTF-8; -1: no character begins so.
_NEEDS = np.select(
    [_LABELS < 0x80, _LABELS < 0xC2, _LABELS < 0xE0, _LABELS < 0xF0, _LABELS < 0xF5], [0, -1, 1, 2, 3], -1
)


def check_charsmap(charsmap: bytes) -> None:
    """Refuse a table that SentencePiece could not follow.

    Raises:
        ValueError: it leads outside of itself, or is no table at all.

    >>> check_charsmap(b"abc")
    Traceback (most recent call last):
    ...
    ValueError: The table of its normaliser is damaged, so that it cannot be used.
    """
    count_rules(charsmap)


@functools.lru_cache(maxsize=8)
def count_rules(charsmap: bytes) -> int:
    """How many characters, and runs of characters, the table changes.

    Raises:
        ValueError: it is damaged.
    """
    size = int.from_bytes(charsmap[:4], "little")
    if len(charsmap) > MAX_CHARSMAP_BYTES:
        raise ValueError(
            f"The table of its normaliser is larger than {bytes_in_words(MAX_CHARSMAP_BYTES)}, the limit "
            "here."
        )
    if len(charsmap) < 5 or size % 1024 or not 0 < size <= len(charsmap) - 5:
        raise ValueError(_DAMAGED)
    units = np.frombuffer(charsmap, dtype="<u4", count=size // 4, offset=4)
    texts = charsmap[4 + size :]
    if texts[-1:] != b"\0":
        raise ValueError(_DAMAGED)
    try:
        texts.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(_DAMAGED) from None
    return _walk(units, np.frombuffer(texts, np.uint8))


def _walk(units: Units, texts: npt.NDArray[np.uint8]) -> int:
    """Follow the trie from its root, level by level, a byte at a time.

    Args:
        units: the array.
        texts: those that characters become, one after the other, each ended by a NUL.

    Returns:
        how many texts it contains.
    """
    begins = (texts & 0xC0) != 0x80  # not inside of a character
    ends = np.flatnonzero(texts == 0)
    # The nodes of a level: where the children of each are, and how many bytes its last character still needs.
    # Nodes are shared, so each is followed once, and counted as often as ways lead to it.
    bases, missing = _children(units, np.zeros(1, dtype=np.int64)), np.zeros(1, dtype=np.int64)
    ways: npt.NDArray[np.float64] = np.ones(1)
    n_rules = 0.0
    n_nodes = 0
    for depth in range(1, _MAX_DEPTH + 1):
        if not len(bases):
            return int(n_rules)
        n_nodes += len(bases)
        if (bases | 0xFF).max() >= len(units) or n_nodes > _MAX_NODES:
            raise ValueError(_DAMAGED)
        rows, labels = _edges(units, bases)
        # The bytes have to be UTF-8: a character's first byte, or one that goes on with it.
        within = missing[rows] > 0
        if (np.where(within, labels & 0xC0 != 0x80, _NEEDS[labels] < 0)).any():
            raise ValueError(_DAMAGED)
        left = np.where(within, missing[rows] - 1, _NEEDS[labels])
        places = bases[rows] ^ labels
        bases, ways = _children(units, places), ways[rows]
        has_text = (units[places] >> 8) & 1 == 1
        if has_text.any():
            if (bases[has_text] >= len(units)).any() or left[has_text].any():
                raise ValueError(_DAMAGED)
            values = (units[bases[has_text]] & 0x7FFF_FFFF).astype(np.int64)
            if (values >= len(begins)).any() or not begins[values].all():
                raise ValueError(_DAMAGED)
            growth = float((ends[np.searchsorted(ends, values)] - values).max()) / depth
            if growth > MAX_GROWTH:
                raise ValueError(
                    f"What its normaliser replaces can make a text {growth:.0f} times longer, and "
                    f"{MAX_GROWTH} times is the limit here."
                )
            n_rules += ways[has_text].sum()
        nodes, which = np.unique(bases * 4 + left, return_inverse=True)
        ways = np.bincount(which, weights=ways, minlength=len(nodes)).astype(np.float64)
        bases, missing = nodes >> 2, nodes & 3
    raise ValueError(_DAMAGED)


def _edges(units: Units, bases: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Which nodes have children, by their place in ``bases``, and the byte that leads to each."""
    rows: list[npt.NDArray[np.int64]] = []
    labels: list[npt.NDArray[np.int64]] = []
    for first in range(0, len(bases), _AT_ONCE):
        places = bases[first : first + _AT_ONCE, None] ^ _LABELS[None, :]
        row, label = np.nonzero((units[places] & 0x8000_00FF) == _LABELS)
        rows.append(row + first)
        labels.append(label)
    return np.concatenate(rows), np.concatenate(labels)


def _children(units: Units, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where the children of these units are."""
    here = units[places].astype(np.int64)
    return places ^ ((here >> 10) << ((here & (1 << 9)) >> 6))
