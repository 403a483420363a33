"""From ids that a person typed back to text, with nothing hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .encodings import Encoding

MAX_IDS = 200_000
"""How many ids are taken at a time."""

_WINDOW = 512


@dataclass(frozen=True)
class Replaced:
    """Bytes that are no valid UTF-8, for which the text has one U+FFFD each time.

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
    words = re.findall(r"[^\s,;\[\](){}]+", text)
    if len(words) > MAX_IDS:
        raise ValueError(f"These are {len(words):,} ids, and up to {MAX_IDS:,} are taken at a time.")
    ids: list[int] = []
    for place, word in enumerate(words, start=1):
        if not re.fullmatch(r"[+-]?[0-9]{1,100}", word):
            shown = word if len(word) <= 20 else word[:20] + "…"
            raise ValueError(
                f"“{shown}” (the {_ordinal(place)} entry) is not a number. "
                "Token ids are whole numbers such as 995."
            )
        ids.append(int(word))
    return ids


def _ordinal(place: int) -> str:
    if place % 100 in (11, 12, 13):
        return f"{place}th"
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th') }"


def decode_ids(encoding: Encoding, ids: list[int]) -> DecodedIds:
    """The text of ``ids``, and for every U+FFFD that stands for broken bytes: which.

    Raises:
        ValueError: an id that the encoding does not have; names it.

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("gpt2")
    >>> decode_ids(enc, enc.encode("\\uc548")[:2]).replaced
    (Replaced(position=0, data=b'\\xec\\x95', tokens=(0, 1)),)
    """
    tokens = tuple(encoding.token_bytes(token_id) for token_id in ids)
    data = b"".join(tokens)
    owner = [index for index, token in enumerate(tokens) for _ in token]
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
            tokens_here = tuple(dict.fromkeys(owner[at : at + broken]))
            replaced.append(Replaced(length, data[at : at + broken], tokens_here))
            length += 1
            at += broken
    return DecodedIds("".join(parts), tokens, tuple(replaced))
