"""Decodes ids that a person typed, and says what each U+FFFD of the text stands for."""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass

from ..amounts import bytes_in_words
from ..encoding import Encoding
from ..limits import MB

MAX_IDS = 200_000
"""How many ids are taken at a time."""

MAX_BYTES = 4 * MB
"""Bytes that the ids may stand for together: a few ids of a hostile model file could ask for gigabytes."""

MAX_REPLACED = 500_000
"""Stretches of broken bytes that are listed, each with its tokens."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Bytes that are not valid UTF-8, which the text shows as one U+FFFD.

    ``position`` counts characters of the text; ``data`` are the bytes; ``tokens`` the indices of
    the tokens that hold them.
    """

    position: int
    data: bytes
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class DecodedIds:
    """The text of some ids, each token's bytes, and what U+FFFD stands for."""

    text: str
    tokens: tuple[bytes, ...]
    replaced: tuple[Replaced, ...]


def parse_ids(text: str) -> list[int]:
    """Read ids as people paste them: separated by commas, spaces or lines, in brackets or not.

    Raises:
        ValueError: something is not a number; says which, and where.

    >>> parse_ids("[31373, 995]")
    [31373, 995]
    >>> parse_ids("12 x3")
    Traceback (most recent call last):
    ...
    ValueError: “x3” (the 2nd entry) is not a number. Token ids are whole numbers such as 995.
    """
    entries = re.findall(r"[^\s,;\[\](){}]+", text)
    if len(entries) > MAX_IDS:
        raise ValueError(f"These are {len(entries):,} ids, and up to {MAX_IDS:,} are taken at a time.")
    ids: list[int] = []
    for place, entry in enumerate(entries, start=1):
        if not re.fullmatch(r"[+-]?[0-9]{1,100}", entry):
            short = entry if len(entry) <= 20 else entry[:20] + "…"
            raise ValueError(
                f"“{short}” (the {_ordinal(place)} entry) is not a number. "
                "Token ids are whole numbers such as 995."
            )
        ids.append(int(entry))
    return ids


def _ordinal(place: int) -> str:
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"


def decode_ids(encoding: Encoding, ids: list[int]) -> DecodedIds:
    """The text of ``ids``, and for every U+FFFD that stands for broken bytes: which.

    Raises:
        ValueError: an id that the encoding does not have; names it. Or ids that stand for more than
            ``MAX_BYTES`` together, or for more than ``MAX_REPLACED`` stretches of broken bytes.

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("gpt2")
    >>> decode_ids(enc, enc.encode("\\uc548")[:2]).replaced
    (Replaced(position=0, data=b'\\xec\\x95', tokens=(0, 1)),)
    """
    by_id = {token_id: encoding.token_bytes(token_id) for token_id in set(ids)}
    tokens = tuple(by_id[token_id] for token_id in ids)
    ends = list(itertools.accumulate(map(len, tokens)))
    if ends and ends[-1] > MAX_BYTES:
        raise ValueError(
            f"These {len(ids):,} ids stand for {bytes_in_words(ends[-1])} of text, and up to "
            f"{bytes_in_words(MAX_BYTES)} are decoded at a time. Take fewer ids."
        )
    data = b"".join(tokens)
    text = data.decode("utf-8", "replace")
    if text.count("\ufffd") > MAX_REPLACED:
        raise ValueError(
            f"In more than {MAX_REPLACED:,} places, these ids stand for bytes that are no valid "
            "UTF-8: too many to list. Take fewer ids."
        )
    replaced: list[Replaced] = []
    at = position = 0  # in bytes, and in characters
    for part in text.split("\ufffd")[:-1]:
        at += len(part.encode("utf-8"))
        position += len(part)
        if data.startswith("\ufffd".encode(), at):  # in a token, not in place of others
            width = 3
        else:
            width = _broken_bytes(data[at : at + 4])
            first, last = (bisect.bisect_right(ends, byte) for byte in (at, at + width - 1))
            replaced.append(Replaced(position, data[at : at + width], tuple(range(first, last + 1))))
        at += width
        position += 1
    return DecodedIds(text, tokens, tuple(replaced))


def _broken_bytes(data: bytes) -> int:
    """How many bytes Python replaces by one U+FFFD at the start of bytes that begin with broken ones."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        return problem.end
    return 0
