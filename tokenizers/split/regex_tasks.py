"""What a person's own regular expression is used for: check it, cut texts with it, search texts for it.

``bounded.py`` calls these functions in a process with limits, so this module imports nothing of the package.

Each may raise MemoryError (a pattern that is too large, or calls itself) and, with a sentence of the regex
library, ValueError.
"""

from __future__ import annotations

import functools
from array import array

import regex

BACKWARDS = "it searches backwards, by (?r), and pieces are cut forwards. Take (?r) out"


@functools.lru_cache(maxsize=64)
def compile_regex(pattern: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a regular expression.

    Raises:
        ValueError: it is not valid; says where. MemoryError: it is too large or nested too deeply.

    >>> compile_regex("[a-")
    Traceback (most recent call last):
    ...
    ValueError: unterminated character set at position 3
    """
    try:
        return regex.compile(pattern, flags, cache_pattern=False)  # otherwise it would be kept twice
    except regex.error as problem:
        raise ValueError(str(problem)) from None
    except (RecursionError, OverflowError):
        raise MemoryError from None


def check_regex(pattern: str) -> None:
    """Raise what compiling the pattern raises, or a ValueError where it cannot cut a text into pieces."""
    if compile_regex(pattern).flags & regex.REVERSE:
        raise ValueError(BACKWARDS)


def piece_lengths(pattern: str, text: str) -> bytes:
    """The lengths in characters of the pieces into which a pattern cuts a text, as an ``array("I")``'s bytes.

    Text that the pattern does not match becomes pieces of its own, so the lengths add up to the text's.

    Raises:
        ValueError: the matches overlap (``\\K`` can do that).

    >>> array("I", piece_lengths("[a-z]+", "one, two")).tolist()
    [3, 2, 3]
    """
    check_regex(pattern)
    lengths = array("I")
    end = 0
    for match in compile_regex(pattern).finditer(text):
        start, stop = match.span()
        if start < end or stop < start:
            raise ValueError("its matches overlap, as \\K can make them. Take \\K out")
        if start > end:
            lengths.append(start - end)
        if stop > start:
            lengths.append(stop - start)
        end = stop
    if end < len(text):
        lengths.append(len(text) - end)
    return lengths.tobytes()


def lengths_of_all(pattern: str, texts: list[str]) -> list[bytes]:
    """The lengths of the pieces of each of many texts.

    >>> [len(lengths) // 4 for lengths in lengths_of_all("a+", ["aab", ""])]
    [2, 0]
    """
    return [piece_lengths(pattern, text) for text in texts]


def which_texts(pattern: str, flags: int, texts: list[str]) -> list[int]:
    """The texts in which a pattern matches somewhere: their places in the list, in order.

    >>> which_texts("^A.$", int(regex.IGNORECASE), ["ab", "xab", "ac"])
    [0, 2]
    """
    compiled = compile_regex(pattern, flags)
    return [place for place, text in enumerate(texts) if compiled.search(text)]
