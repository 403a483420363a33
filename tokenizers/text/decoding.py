"""From ids that a person typed back to text, with nothing hidden."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..amounts import bytes_in_words
from ..checks import check_encoding, check_string, check_whole_numbers
from ..encoding import Encoding
from ..limits import MB

MAX_IDS = 200_000
"""How many ids are taken at a time."""

MAX_BYTES = 4 * MB
"""Bytes that the ids may stand for together: a few ids of a hostile model file could ask for gigabytes."""

MAX_REPLACED = 500_000
"""Stretches of broken bytes that are listed, each with its tokens."""

_WINDOW = 512


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
    entries = re.findall(r"[^\s,;\[\](){}]+", check_string(text, "text"))
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
    check_encoding(encoding, "encoding")
    ids = check_whole_numbers(ids, "ids")
    _check_length(encoding, ids)
    by_id = {token_id: encoding.token_bytes(token_id) for token_id in set(ids)}
    tokens = tuple(by_id[token_id] for token_id in ids)
    data = b"".join(tokens)
    ends = list(itertools.accumulate(map(len, tokens)))
    parts: list[str] = []
    replaced: list[Replaced] = []
    length = at = 0
    while at < len(data):
        window = data[at : at + _WINDOW]  # short: each error copies what it was found in
        try:
            good, broken = window.decode("utf-8"), 0
        except UnicodeDecodeError as problem:
            good, broken = window[: problem.start].decode("utf-8"), problem.end - problem.start
            if problem.end == len(window) and at + len(window) < len(data) and problem.start:
                broken = 0  # perhaps only the window ends here: look again from this character on
        parts.append(good)
        length += len(good)
        at += len(good.encode("utf-8"))
        if broken:
            parts.append("\ufffd")
            if len(replaced) == MAX_REPLACED:
                raise ValueError(
                    f"In more than {MAX_REPLACED:,} places, these ids stand for bytes that are no valid "
                    "UTF-8: too many to list. Take fewer ids."
                )
            first, last = (bisect.bisect_right(ends, byte) for byte in (at, at + broken - 1))
            replaced.append(Replaced(length, data[at : at + broken], tuple(range(first, last + 1))))
            length += 1
            at += broken
    return DecodedIds("".join(parts), tokens, tuple(replaced))


def _check_length(encoding: Encoding, ids: Sequence[int]) -> None:
    """Refuse ids that do not exist, and ids that stand for too many bytes, before anything is spelled out."""
    lengths = encoding.byte_lengths
    n_bytes = 0
    for token_id in ids:
        length = int(lengths[token_id]) if 0 <= token_id < len(lengths) else 0
        n_bytes += length or len(encoding.token_bytes(token_id))  # raises if there is no such id
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"These {len(ids):,} ids stand for {bytes_in_words(n_bytes)} of text, and up to "
            f"{bytes_in_words(MAX_BYTES)} are decoded at a time. Take fewer ids."
        )
