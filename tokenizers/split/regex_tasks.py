"""What is done with a regular expression that a person typed: compile it, cut a text, look for a match.

These functions run here for patterns that surely need little (``own_pattern.py``), and in a process with
limits for all others (``bounded.py``). For that, this module imports nothing of the package.

Each may raise TimeoutError, MemoryError, RecursionError (a pattern that calls itself) and, with a
sentence of the regex library, ValueError.
"""

from __future__ import annotations

import functools
from array import array

import regex

BACKWARDS = "it searches backwards, by (?r), and pieces are cut forwards. Take (?r) out"


class OverlapError(ValueError):
    """Matches overlap, or come in another order than the text, so they are not its pieces."""


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


def split_lengths(pattern: str, text: str, timeout: float | None) -> tuple[int, ...] | bytes:
    """How many characters each piece has into which a pattern cuts a text; they add up to the text's.

    Text that the pattern does not match becomes pieces of its own.

    Returns:
        the lengths, as a tuple or, where they are many, as the bytes of an ``array("I")``.

    Raises:
        OverlapError: the matches are no pieces of the text (``\\K`` can do that).

    >>> split_lengths("[a-z]+", "one, two", None)
    (3, 2, 3)
    """
    check_regex(pattern)
    lengths = array("I")
    end = 0
    for match in compile_regex(pattern).finditer(text, timeout=timeout):
        start, stop = match.span()
        if start < end or stop < start:
            raise OverlapError("its matches overlap, as \\K can make them. Take \\K out")
        if start > end:
            lengths.append(start - end)
        if stop > start:
            lengths.append(stop - start)
        end = stop
    if end < len(text):
        lengths.append(len(text) - end)
    return tuple(lengths) if len(lengths) < 1000 else lengths.tobytes()


def which_matches(
    pattern: str, alternatives: tuple[str, ...], text: str, start: int, timeout: float
) -> int | None:
    """Which alternative of a pattern matches the piece that begins at ``start``.

    Returns:
        its place among the alternatives; -1: the pattern as a whole does not match there; None: not known.

    >>> which_matches("a|b+", ("a", "b+"), "abb", 1, 1.0)
    1
    """
    whole = compile_regex(pattern).match(text, start, timeout=timeout)
    if whole is None or whole.end() == start:
        return -1
    for place, alternative in enumerate(alternatives):
        try:
            match = compile_regex(alternative).match(text, start, timeout=timeout)
        except ValueError:
            return None  # alone, it does not compile: the alternatives were not separated correctly
        if match:
            return place if match.span() == whole.span() else None
    return None


def split_all(pattern: str, texts: list[str], timeout: float | None) -> list[tuple[int, ...] | bytes]:
    """As ``split_lengths``, for many short texts: one call of a process for all of them.

    >>> split_all("a+", ["aab", ""], None)
    [(2, 1), ()]
    """
    return [split_lengths(pattern, text, timeout) for text in texts]


def which_texts(pattern: str, flags: int, texts: list[str]) -> list[int]:
    """The texts in which a pattern matches somewhere: their places in the list, in order.

    >>> which_texts("^A.$", int(regex.IGNORECASE), ["ab", "xab", "ac"])
    [0, 2]
    """
    compiled = compile_regex(pattern, flags)
    return [place for place, text in enumerate(texts) if compiled.search(text)]
