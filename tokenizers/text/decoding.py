"""Decodes ids that a person typed."""

from __future__ import annotations

import re

from ..amounts import bytes_in_words, shorten
from ..encoding import Encoding
from ..limits import MB

MAX_IDS = 200_000
"""How many ids are taken at a time."""

MAX_DECODED_BYTES = 4 * MB
"""Bytes that the ids may stand for together: a few ids of a hostile model file could ask for gigabytes."""


def parse_ids(text: str) -> list[int]:
    """Read ids as people paste them: separated by commas, spaces or lines, in brackets or not.

    Raises:
        ValueError: something is not a number; says which.

    >>> parse_ids("[31373, 995]")
    [31373, 995]
    >>> parse_ids("12 x3")
    Traceback (most recent call last):
    ...
    ValueError: “x3” is not a number. Ids are whole numbers such as 995.
    """
    entries = re.findall(r"[^\s,;\[\](){}]+", text)
    if len(entries) > MAX_IDS:
        raise ValueError(f"These are {len(entries):,} ids, and up to {MAX_IDS:,} are taken at a time.")
    for entry in entries:
        if not re.fullmatch(r"[+-]?[0-9]{1,100}", entry):
            raise ValueError(f"“{shorten(entry, 20)}” is not a number. Ids are whole numbers such as 995.")
    return list(map(int, entries))


def decode_ids(encoding: Encoding, ids: list[int]) -> tuple[bytes, list[bytes]]:
    """What some ids are decoded to, which may not be whole characters, and the bytes of each id.

    Raises:
        ValueError: an id that the encoding does not have; names it. Or ids that stand for more than
            ``MAX_DECODED_BYTES`` together.

    >>> from tokenizers import get_encoding
    >>> decode_ids(get_encoding("gpt2"), [995, 168])
    (b' world\xec', [b' world', b'\xec'])
    >>> decode_ids(get_encoding("bert-uncased"), [14477, 20961])[0]
    b'unaffa'
    """
    by_id = {token_id: encoding.token_bytes(token_id) for token_id in set(ids)}
    tokens = [by_id[token_id] for token_id in ids]
    n_bytes = sum(map(len, tokens))
    if n_bytes > MAX_DECODED_BYTES:
        raise ValueError(
            f"These {len(ids):,} ids stand for {bytes_in_words(n_bytes)} of text, and up to "
            f"{bytes_in_words(MAX_DECODED_BYTES)} are decoded at a time. Take fewer ids."
        )
    return encoding.decode_bytes(ids), tokens
