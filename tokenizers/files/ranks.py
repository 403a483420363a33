"""The lines of a rank file: a token in base64, and its rank."""

from __future__ import annotations

import base64
import binascii
import io
import re

from ..amounts import bytes_in_words
from ..bpe.home import MAX_ALL_TOKEN_BYTES, MAX_IDS

_LINE = re.compile(rb"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,9})")


def is_rank_file(data: bytes) -> bool:
    """Whether the content begins as a rank file does."""
    return _LINE.match(data) is not None


def tokens_by_rank(data: bytes) -> list[bytes]:
    r"""The tokens of a rank file: token i is the one of rank i.

    Raises:
        ValueError: a line is no token and its rank, a rank is missing or there twice, or it is too large.

    >>> tokens_by_rank(b"IQ== 1\naGk= 0\n")
    [b'hi', b'!']
    """
    ranks: dict[bytes, int] = {}
    is_taken = bytearray(MAX_IDS)  # by rank
    total = 0
    if not data.endswith(b"\n"):
        raise ValueError("Its last line is not complete: the file was cut off. Save or copy it again.")
    if data.count(b"\n") > MAX_IDS:
        raise ValueError(f"It has more lines than {MAX_IDS:,} tokens need: no vocabulary is so large.")
    # One line at a time: all of them as objects need many times the file's memory.
    for number, line in enumerate(io.BytesIO(data), start=1):
        line = line.rstrip(b"\r\n")
        match = _LINE.fullmatch(line)
        try:
            token = base64.b64decode(match[1], validate=True) if match else b""
        except binascii.Error:
            token = b""
        if not match or not token:
            raise ValueError(
                f"Line {number:,} has to be a token in base64 and its rank, not "
                f"{line[:80].decode(errors='replace')!r}."
            )
        rank = int(match[2])
        if rank >= MAX_IDS or is_taken[rank] or token in ranks:
            raise ValueError(
                f"Line {number:,}: each token and each rank may be there once, and ranks are below "
                f"{MAX_IDS:,}."
            )
        total += len(token)
        if total > MAX_ALL_TOKEN_BYTES:
            raise ValueError(
                f"Its tokens have more than {bytes_in_words(MAX_ALL_TOKEN_BYTES)} together: that is no "
                "vocabulary."
            )
        ranks[token] = rank
        is_taken[rank] = True
    gap = is_taken.find(0, 0, len(ranks))
    if gap >= 0:
        raise ValueError(f"There is no token of rank {gap:,}: only files without gaps can be loaded.")
    tokens = [b""] * len(ranks)
    for token, rank in ranks.items():
        tokens[rank] = token
    return tokens
