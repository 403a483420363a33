"""The tokens that vocabularies share, by their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..checks import check_encoding, check_list
from ..encoding import Encoding
from .token_arrays import REMEDY, TokenIds


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """The ordinary tokens that two vocabularies share, by their bytes.

    Attributes:
        left, right: the names of the encodings.
        left_ids, right_ids: the ids of the shared tokens in each, in the order of ``left_ids``.
        only_left, only_right: how many ordinary tokens only one of them has.
    """

    left: str
    right: str
    left_ids: TokenIds
    right_ids: TokenIds
    only_left: int
    only_right: int

    @property
    def shared(self) -> int:
        """How many tokens both have."""
        return len(self.left_ids)


def overlap(left: Encoding, right: Encoding) -> Overlap:
    """The tokens that two encodings share; special tokens, and those that never arise, aside.

    >>> from tokenizers import get_encoding
    >>> both = overlap(get_encoding("gpt2"), get_encoding("cl100k_base"))
    >>> both.shared, both.only_left, both.only_right
    (43066, 7190, 57190)

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """
    check_encoding(left, "left")
    check_encoding(right, "right")
    for enc in (left, right):
        enc.check_spelled_out(REMEDY)
    one, other = left.ordinary, right.ordinary
    shared = sorted((one[data], other[data]) for data in one.keys() & other.keys())
    pairs = np.array(shared, dtype=np.int64).reshape(-1, 2)
    return Overlap(
        left.name, right.name, pairs[:, 0], pairs[:, 1], len(one) - len(shared), len(other) - len(shared)
    )


def count_shared(encodings: Sequence[Encoding]) -> npt.NDArray[np.int64]:
    """How many tokens each two encodings share, shape (n, n); on the diagonal, how many each one has.

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """
    for encoding in check_list(encodings, "encodings", "a list of encodings"):
        check_encoding(encoding, "each of encodings")
        encoding.check_spelled_out(REMEDY)
    counts = np.zeros((len(encodings), len(encodings)), dtype=np.int64)
    for i, one in enumerate(encodings):
        for j, other in enumerate(encodings[: i + 1]):
            common = len(one.ordinary.keys() & other.ordinary.keys())
            counts[i, j] = counts[j, i] = common
    return counts
