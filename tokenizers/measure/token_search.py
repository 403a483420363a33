"""A search over all tokens of an encoding: by text, regular expression, bytes or ids, and by filters.

What ``Vocabulary.search`` promises is done here.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import regex

from ..checks import check_string, check_whole_number, wrong_type
from ..split import bounded
from ..split.own_pattern import read_pattern, too_much
from ..split.patterns import COMPILE_SECONDS
from ..text.scripts import TOKEN_SCRIPTS
from . import regex_search
from .token_arrays import Flags, TokenArrays, TokenIds

SearchBy = Literal["text", "regex", "bytes", "id"]

LONGEST_QUERY = 100_000
"""Characters that a search takes: some ten thousand ids."""

_SHORT = 8
"""Bytes of a needle up to which all tokens are compared at once, one byte of the needle at a time."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which tokens to keep. None: all. A flag: True keeps the tokens that have it, False the others.

    Attributes:
        script: the script of most of its letters, as in ``TOKEN_SCRIPTS``.
        min_bytes, max_bytes: its length in bytes.
        min_chars, max_chars: how many characters begin in it.
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
    min_chars: int | None = None
    max_chars: int | None = None
    leading_space: bool | None = None
    whitespace: bool | None = None
    digits: bool | None = None
    not_utf8: bool | None = None
    special: bool | None = None
    unreachable: bool | None = None


def search(
    arrays: TokenArrays, query: str, by: SearchBy, filters: Filters | None, ignore_case: bool, timeout: float
) -> TokenIds:
    """See ``Vocabulary.search``."""
    check_string(query, "query")
    if by not in get_args(SearchBy):
        raise ValueError(f"There is no search by {by!r}: choose text, regex, bytes or id.")
    if filters is not None and not isinstance(filters, Filters):
        raise wrong_type("filters", "Filters", filters)
    if not isinstance(timeout, (int, float)):
        raise wrong_type("timeout", "seconds", timeout)
    if len(query) > LONGEST_QUERY:
        raise ValueError(
            f"What to search for has {len(query):,} characters, and the search takes up to "
            f"{LONGEST_QUERY:,}. Shorten it, or search in several parts."
        )
    keep = _mask(arrays, filters or Filters())
    if not query.strip() if by in ("bytes", "id") else not query:
        return np.flatnonzero(keep)
    if by == "id":
        token_ids = _by_ids(arrays, query)
    elif by == "bytes":
        token_ids = find_containing(arrays, _bytes_from_hex(query))
    elif by == "regex":
        return _by_regex(arrays, query, np.flatnonzero(keep), ignore_case, timeout)
    elif ignore_case:
        needle = query.casefold()
        token_ids = np.array(
            [i for i, text in enumerate(arrays.folded_texts) if needle in text], dtype=np.int64
        )
    else:
        try:
            token_ids = find_containing(arrays, query.encode("utf-8"))
        except UnicodeEncodeError:
            raise ValueError(
                "The text to search for holds half a character (a lone surrogate). Type it again."
            ) from None
    return token_ids[keep[token_ids]]


def find_containing(arrays: TokenArrays, needle: bytes) -> TokenIds:
    """The tokens whose bytes contain these: at least one."""
    size = len(needle)
    if size > arrays.longest_token:
        return np.zeros(0, dtype=np.int64)
    if size > _SHORT:
        return _containing_long(arrays, needle)
    hits = np.flatnonzero(arrays.byte_array[: len(arrays.byte_array) - size + 1] == needle[0])
    for i in range(1, size):
        hits = hits[arrays.byte_array[hits + i] == needle[i]]
    owners = np.searchsorted(arrays.ends, hits, side="right")
    return np.unique(owners[hits + size <= arrays.ends[owners]])


def _containing_long(arrays: TokenArrays, needle: bytes) -> TokenIds:
    """As ``find_containing``; the work grows only with the bytes of all tokens, however long the needle is.

    Python finds bytes in linear time. Each find goes on behind the token in which the last one began, in
    the next one that is long enough; so no byte is passed twice, and a long token has one find at most.
    """
    size = len(needle)
    matching: list[int] = []
    long_enough = np.flatnonzero(arrays.byte_lengths >= size)
    begins = (arrays.ends[long_enough] - arrays.byte_lengths[long_enough]).tolist()
    number = 0
    while number < len(begins):
        hit = arrays.all_bytes.find(needle, begins[number])
        if hit < 0:
            break
        number = bisect.bisect_right(begins, hit, number) - 1
        token_id = int(long_enough[number])
        if hit + size <= arrays.ends[token_id]:
            matching.append(token_id)
        number += 1
    return np.array(matching, dtype=np.int64)


def _by_ids(arrays: TokenArrays, query: str) -> TokenIds:
    n_vocab = arrays.encoding.n_vocab
    # How many of the ranges begin at an id, less those that ended before it: repeated and
    # overlapping ranges take no more work than others.
    changes = np.zeros(n_vocab + 1, dtype=np.int64)
    for part in re.split(r"[\s,;]+", query.strip(" \t\r\n,;")):
        match = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", part)
        if match is None:
            raise ValueError(f"{_shorten(part)!r} is no id. Write ids as 5, 17 or 100-200.")
        first, last = int(match[1]), int(match[2] or match[1])
        if match[2] is None:
            arrays.encoding.token_bytes(first)  # raises if there is no such id
        if last < first:
            raise ValueError(f"{part} runs backwards: write {last}-{first}.")
        changes[min(first, n_vocab)] += 1
        changes[min(last + 1, n_vocab)] -= 1
    return np.flatnonzero((np.cumsum(changes[:-1]) > 0) & (arrays.byte_lengths > 0))


def _by_regex(arrays: TokenArrays, query: str, ids: TokenIds, ignore_case: bool, timeout: float) -> TokenIds:
    excess = too_much(query)
    if excess:
        raise ValueError(f"The regular expression is too large: {excess}. Write smaller numbers in {{…}}.")
    texts = arrays.texts if len(ids) == len(arrays.texts) else [arrays.texts[i] for i in ids.tolist()]
    flags = regex.IGNORECASE if ignore_case else 0
    arguments = (query, int(flags), texts, timeout, _harmless_length(query))
    try:
        if read_pattern(query).is_plain:  # a token is a short text
            places = regex_search.search(*arguments)
        else:
            places = bounded.run(
                Path(regex_search.__file__), "search", *arguments, seconds=COMPILE_SECONDS + timeout
            )
    except ValueError as problem:
        raise ValueError(f"This is not a valid regular expression: {problem}. Correct it there.") from None
    except (TimeoutError, bounded.TooSlowError):
        raise ValueError(
            f"The regular expression took longer than {timeout:g} seconds on this vocabulary. Simplify "
            "it: nested repeats such as (a+)+ are the usual cause."
        ) from None
    except (MemoryError, bounded.TooMuchMemoryError):
        raise ValueError(
            "The regular expression is too deeply nested or too large, or took too much memory. Simplify it."
        ) from None
    return ids[np.array(places, dtype=np.int64)]


def _mask(arrays: TokenArrays, filters: Filters) -> Flags:
    keep: Flags = arrays.byte_lengths > 0
    for name in ("min_bytes", "max_bytes", "min_chars", "max_chars"):
        if getattr(filters, name) is not None:
            check_whole_number(getattr(filters, name), name)
    if filters.script is not None:
        if filters.script not in TOKEN_SCRIPTS:
            raise ValueError(f"There is no script {filters.script!r}. Choose one such as Latin or Common.")
        keep &= arrays.scripts == TOKEN_SCRIPTS.index(filters.script)
    for least, most, lengths in (
        (filters.min_bytes, filters.max_bytes, "byte_lengths"),
        (filters.min_chars, filters.max_chars, "char_lengths"),
    ):
        if least is not None and most is not None and least > most:
            raise ValueError(f"No length is at least {least} and at most {most}. Change one of the two.")
        if least is not None:
            keep &= getattr(arrays, lengths) >= max(0, least)
        if most is not None:
            keep &= getattr(arrays, lengths) <= max(0, most)
    for name in ("leading_space", "whitespace", "digits", "not_utf8", "special"):
        wanted = getattr(filters, name)
        if wanted is not None:
            keep &= getattr(arrays, name) == wanted
    if filters.unreachable is not None:
        flags = np.zeros(len(keep), dtype=np.bool_)
        flags[list(arrays.unreachable)] = True
        keep &= flags == filters.unreachable
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


def _harmless_length(query: str) -> int:
    """Up to which length of a text a regular expression surely ends in well under a second.

    A time-out for each of 200,000 tokens costs more than most searches themselves. A few repeats in a
    row take a power of the text's length; repeats of a group, which may hold repeats or alternatives, take
    a power with the length in its exponent; back references, recursion and the like are not judged: 0.

    >>> _harmless_length("^[A-Z]+$"), _harmless_length("(a|b)+"), _harmless_length(r"(.+)\\1")
    (200, 12, 0)
    """
    if regex.search(r"\(\?[RP&\d<|+-]|\(\?[^):]*x|\\[\dgKL]|\(\*", query):
        return 0
    repeats = len(regex.findall(r"[*+{]|\)\s*\?", query))
    optional = len(regex.findall(r"(?<![*+?}(])\?", query))
    if optional > 6 or (query.count("|") > 6 and query.count("(") > 2):
        return 0  # choices one after the other multiply
    if repeats <= 2 and not regex.search(r"\)\s*[*+{?]", query):
        return 200
    return 12 if repeats + optional + query.count("|") <= 3 and "{" not in query else 0
