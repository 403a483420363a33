"""How many tokens a text has after each merge, from one encode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..encoding import Encoding
from .plain import Pair


def counts_by_merges(encoding: Encoding, merges: Sequence[Pair], text: str) -> npt.NDArray[np.int64]:
    """Tokens of ``text`` when only the first k merges are known, for every k.

    An encoding with fewer merges does the same merges up to its last. So count how often each merge happens,
    and take away as many tokens from the bytes.

    Args:
        encoding: a byte pair encoding in which token 256 + i is merges[i].
        merges: all of its merges, in rank order.
        text: any text; special tokens in it are plain text.

    Returns:
        shape (number of merges + 1,): [0] counts bytes, [-1] is len(encode(text)).
    """
    ids = encoding.encode_array(text)
    uses = np.bincount(ids, minlength=encoding.n_vocab).tolist()
    for token_id in range(255 + len(merges), 255, -1):  # a token's parts were made for it
        left, right = merges[token_id - 256]
        uses[left] += uses[token_id]
        uses[right] += uses[token_id]
    n_bytes = int(encoding.byte_lengths[ids].sum(dtype=np.int64))
    return n_bytes - np.cumsum([0, *uses[256 : 256 + len(merges)]], dtype=np.int64)
