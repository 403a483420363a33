"""Where the last merge of each of tiktoken's tokens joins its two parents, worked out beforehand.

To work it out takes seconds for a large vocabulary, at every start of a server, and it never changes.
"""

from __future__ import annotations

import functools
import hashlib
import io
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..encoding import ASSETS

FILE = ASSETS / "encodings" / "last_merges.npz"
SHA256 = "0128cb1f4d3bd85778cae79294ed3d0d85e612df5dfa6aeff1f714208c940c11"

Middles = npt.NDArray[np.uint8]
"""As of ``find_middles`` in ``bpe/merge_rule.py``, shape (largest rank + 1,).

No token of tiktoken's has over 255 bytes.
"""


def to_npz(middles: Mapping[str, Middles]) -> bytes:
    """The file's bytes, the same each time. Keys: rank files, as tiktoken's cache names them."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **dict(sorted(middles.items())))  # type: ignore[arg-type]
    return buffer.getvalue()


@functools.cache
def shipped_middles() -> dict[str, Middles]:
    """What the file holds, by rank file. Nothing, if it is missing or is not the one that was checked.

    All of it is worked out again then: slower, and the same.
    """
    try:
        data = FILE.read_bytes()
    except OSError:
        return {}
    if hashlib.sha256(data).hexdigest() != SHA256:
        return {}
    with np.load(io.BytesIO(data)) as arrays:
        return {name: arrays[name] for name in arrays.files}
