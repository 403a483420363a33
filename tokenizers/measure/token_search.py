"""A search over all tokens of an encoding: by text, regular expression, bytes or ids, and by filters.

``Vocabulary.search`` calls it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import regex

from ..split import bounded, engines
from ..text.scripts import TOKEN_SCRIPTS
from ..utf8 import well_formed

if TYPE_CHECKING:
    from .vocabulary import Vocabulary

SearchBy = Literal["text", "regex", "bytes", "id"]

TokenIds = npt.NDArray[np.int64]
"""Token ids in increasing order, shape (number of tokens,)."""

Flags = npt.NDArray[np.bool_]
"""One flag for each id, shape (n_vocab,)."""

LONGEST_QUERY = 100_000
"""Characters that a search takes: some ten thousand ids."""

SEARCH_TIMEOUT = 2.0
"""Seconds that a person's regular expression may take on a whole vocabulary."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which tokens to keep. None: all. A flag: True keeps the tokens that have it, False the others.

    Attributes:
        script: the script of most of its letters, as in ``TOKEN_SCRIPTS``.
        min_bytes, max_bytes: its length in bytes.
        leading_space: begins with a space.
        whitespace: nothing but white space.
        digits: nothing but digits, one leading space aside.
        not_utf8: its bytes alone are not whole characters.
        special: a special token, or the unknown token.
        unreachable: does not encode to itself (see ``Vocabulary.unreachable``).
    """

    script: str | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    leading_space: bool | None = None
    whitespace: bool | None = None
    digits: bool | None = None
    not_utf8: bool | None = None
    special: bool | None = None
    unreachable: bool | None = None


def search(
    vocabulary: Vocabulary, query: str, by: SearchBy, filters: Filters, ignore_case: bool, timeout: float
) -> TokenIds:
    """See ``Vocabulary.search``."""
    if len(query) > LONGEST_QUERY:
        raise ValueError(
            f"What to search for has {len(query):,} characters, and the search takes up to "
            f"{LONGEST_QUERY:,}. Shorten it, or search in several parts."
        )
    keep = _mask(vocabulary, filters)
    if not query.strip() if by in ("bytes", "id") else not query:
        return np.flatnonzero(keep)
    if by == "id":
        return np.flatnonzero(keep & _in_ranges(vocabulary, query))
    if by == "regex":
        return _by_regex(vocabulary.texts, query, np.flatnonzero(keep), ignore_case, timeout)
    if by == "text" and ignore_case:
        folded = query.casefold()
        matches = (i for i, text in enumerate(vocabulary.texts) if folded in text.casefold())
        token_ids: TokenIds = np.fromiter(matches, dtype=np.int64)
    else:
        needle = well_formed(query).encode("utf-8") if by == "text" else _bytes_from_hex(query)
        token_ids = find_containing(vocabulary, needle)
    found: TokenIds = token_ids[keep[token_ids]]
    return found


def find_containing(vocabulary: Vocabulary, needle: bytes) -> TokenIds:
    """The tokens whose bytes contain these: at least one."""
    return np.array([i for i, data in enumerate(vocabulary.token_bytes) if needle in data], dtype=np.int64)


def _in_ranges(vocabulary: Vocabulary, query: str) -> Flags:
    """Which ids the query lists, as single ids or ranges."""
    flags = np.zeros(vocabulary.encoding.n_vocab, dtype=np.bool_)
    for part in re.split(r"[\s,;]+", query.strip(" \t\r\n,;")):
        match = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", part)
        if match is None:
            raise ValueError(f"{_shorten(part)!r} is no id. Write ids as 5, 17 or 100-200.")
        first, last = int(match[1]), int(match[2] or match[1])
        if match[2] is None:
            vocabulary.encoding.token_bytes(first)  # raises if there is no such id
        if last < first:
            raise ValueError(f"{part} runs backwards: write {last}-{first}.")
        flags[first : last + 1] = True
    return flags & (vocabulary.byte_lengths > 0)


def _by_regex(texts: list[str], query: str, ids: TokenIds, ignore_case: bool, timeout: float) -> TokenIds:
    """Which of the tokens match, found in a process with limits: a pattern can take any time and memory."""
    flags = int(regex.IGNORECASE) if ignore_case else 0
    places = bounded.run(
        *(Path(engines.__file__), "which_texts", query, flags, [texts[i] for i in ids.tolist()]),
        seconds=timeout,
        refused="This is not a valid regular expression: {}. Correct it there.",
        too_slow=f"The regular expression took longer than {timeout:g} seconds on this vocabulary. Simplify "
        "it: nested repeats such as (a+)+ are the usual cause.",
        too_large="The regular expression is too deeply nested or too large, or took too much memory. "
        "Simplify it.",
    )
    return ids[np.array(places, dtype=np.int64)]


def _mask(vocabulary: Vocabulary, filters: Filters) -> Flags:
    """Which ids have a token that the filters keep."""
    keep: Flags = vocabulary.byte_lengths > 0
    if filters.script is not None:
        if filters.script not in TOKEN_SCRIPTS:
            raise ValueError(f"There is no script {filters.script!r}. Choose one such as Latin or Common.")
        keep &= vocabulary.scripts == TOKEN_SCRIPTS.index(filters.script)
    if filters.min_bytes is not None:
        keep &= vocabulary.byte_lengths >= filters.min_bytes
    if filters.max_bytes is not None:
        keep &= vocabulary.byte_lengths <= filters.max_bytes
    for name in ("leading_space", "whitespace", "digits", "not_utf8", "special"):
        wanted = getattr(filters, name)
        if wanted is not None:
            keep &= getattr(vocabulary, name) == wanted
    if filters.unreachable is not None:
        keep &= np.isin(np.arange(len(keep)), list(vocabulary.unreachable)) == filters.unreachable
    return keep


def _shorten(query: str) -> str:
    """A part of a query, short enough for a sentence."""
    return query if len(query) <= 60 else query[:59] + "…"


def _bytes_from_hex(query: str) -> bytes:
    """Bytes as people write them: e0 a4, E0A4, 0xe0 0xa4, \\\\xe0\\\\xa4."""
    digits = re.sub(r"0x|\\x|[\s,;:_-]", "", query, flags=re.IGNORECASE)
    if not digits or len(digits) % 2 or re.search(r"[^0-9a-fA-F]", digits):
        raise ValueError(
            f"{_shorten(query)!r} is not bytes in hex. Write two digits for each byte, such as e0 a4."
        )
    return bytes.fromhex(digits)
