"""A search over all tokens of an encoding: by text, by regular expression, by bytes, by ids."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import numpy as np
import regex

from ..amounts import shorten
from ..arrays import Flags
from ..split import bounded, engines
from ..text.scripts import TOKEN_SCRIPTS
from ..utf8 import well_formed
from .vocabulary import TokenIds, Vocabulary

SearchBy = Literal["text", "regex", "bytes", "id"]

LONGEST_QUERY = 100_000
"""Characters that a search takes: some ten thousand ids."""

SEARCH_TIMEOUT = 2.0
"""Seconds that a person's regular expression may take on a whole vocabulary."""

Kept = Literal["leading_space", "whitespace", "digits", "not_utf8", "special", "unreachable"]
"""What a search can keep to: tokens of which this is true in ``Vocabulary``."""


def search_tokens(
    vocabulary: Vocabulary,
    query: str = "",
    by: SearchBy = "text",
    only: Collection[Kept] = (),
    script: str | None = None,
    *,
    ignore_case: bool = False,
    timeout: float = SEARCH_TIMEOUT,
) -> TokenIds:
    """The tokens that a query finds, in the order of their ids.

    Args:
        vocabulary: of ``vocabulary_of``.
        query: a part of the token's text; a regular expression for it (bytes that are not a
            whole character are U+FFFD in that text); some of its bytes in hex; or ids such as
            "5, 10-20". Empty: all.
        by: what the query is.
        only: what must be true of them.
        script: the script of most of their letters, as in ``TOKEN_SCRIPTS``; None: any.
        ignore_case: for text and regex.
        timeout: seconds after which a slow regular expression is given up.

    Raises:
        ValueError: a query that is not what ``by`` says or is longer than ``LONGEST_QUERY``, an id that
            no token has, a regular expression that takes too long, or no such script.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.measure import vocabulary_of
    >>> gpt2 = vocabulary_of(get_encoding("gpt2"))
    >>> [gpt2.token_bytes[token_id] for token_id in search_tokens(gpt2, "Magikarp").tolist()]
    [b'Magikarp', b'GoldMagikarp', b' SolidGoldMagikarp']
    >>> search_tokens(gpt2, "f0 9f 98", "bytes").tolist()
    [30325, 47249]
    >>> search_tokens(gpt2, r"[A-Z]{10}", "regex", ["leading_space"]).tolist()
    [38044, 46222]
    """
    if len(query) > LONGEST_QUERY:
        raise ValueError(
            f"What to search for has {len(query):,} characters, and the search takes up to "
            f"{LONGEST_QUERY:,}. Shorten it, or search in several parts."
        )
    keep: Flags = vocabulary.byte_lengths > 0
    if script is not None:
        if script not in TOKEN_SCRIPTS:
            raise ValueError(f"There is no script {script!r}. Write it as Unicode does, such as Old Italic.")
        keep &= vocabulary.scripts == TOKEN_SCRIPTS.index(script)
    for kept in only:
        if kept == "unreachable":
            keep &= np.isin(np.arange(len(keep)), list(vocabulary.unreachable))
        else:
            keep &= getattr(vocabulary, kept)
    if not query.strip() if by in ("bytes", "id") else not query:
        return np.flatnonzero(keep)
    if by == "id":
        return np.flatnonzero(keep & _in_ranges(vocabulary, query))
    if by == "regex":
        return _find_by_regex(vocabulary.texts, query, np.flatnonzero(keep), ignore_case, timeout)
    if by == "text" and ignore_case:
        folded = query.casefold()
        matches = (i for i, text in enumerate(vocabulary.texts) if folded in text.casefold())
        token_ids = np.fromiter(matches, np.int64)
    else:
        needle = well_formed(query).encode() if by == "text" else _bytes_from_hex(query)
        token_ids = vocabulary.containing(needle)
    return token_ids[keep[token_ids]]


def _in_ranges(vocabulary: Vocabulary, query: str) -> Flags:
    """Which ids the query lists, as single ids or ranges."""
    flags = np.zeros(vocabulary.encoding.n_vocab, bool)
    for part in re.split(r"[\s,;]+", query.strip(" \t\r\n,;")):
        match = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", part)
        if match is None:
            raise ValueError(f"{shorten(part, 60)!r} is no id. Write ids as 5, 17 or 100-200.")
        first = int(match[1])
        last = int(match[2] or match[1])
        if match[2] is None:
            vocabulary.encoding.token_bytes(first)  # raises if there is no such id
        if last < first:
            raise ValueError(f"{part} runs backwards: write {last}-{first}.")
        flags[first : last + 1] = True
    return flags & (vocabulary.byte_lengths > 0)


def _find_by_regex(
    texts: list[str], query: str, ids: TokenIds, ignore_case: bool, timeout: float
) -> TokenIds:
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
    return ids[np.array(places, np.int64)]


def _bytes_from_hex(query: str) -> bytes:
    """Bytes as people write them: e0 a4, E0A4, 0xe0 0xa4, \\\\xe0\\\\xa4."""
    digits = re.sub(r"0x|\\x|[\s,;:_-]", "", query, flags=re.IGNORECASE)
    if not digits or len(digits) % 2 or re.search(r"[^0-9a-fA-F]", digits):
        raise ValueError(
            f"{shorten(query, 60)!r} is not bytes in hex. Write two digits for each byte, such as e0 a4."
        )
    return bytes.fromhex(digits)
