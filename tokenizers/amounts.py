"""Amounts, sizes in bytes, shares, and the beginnings of long texts: how all pages write them.

The browser writes sizes the same way, in ``assets/components/common/dom.js``; ``tests/sizes.json`` holds both
to it.
"""

from __future__ import annotations

from .limits import KB, MB

_UNITS = ((KB, "KB"), (MB, "MB"), (1 << 30, "GB"))


def plural(count: int, thing: str) -> str:
    """How many of a thing there are.

    >>> plural(1, "token"), plural(0, "token"), plural(1234, "token")
    ('1 token', '0 tokens', '1,234 tokens')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def bytes_in_words(n_bytes: int) -> str:
    """A size in bytes, KB, MB or GB, each of which is 1,024 times the one before.

    A whole number has no decimals, so a limit of 10 MB reads differently from a text that is a byte longer.

    >>> bytes_in_words(1), bytes_in_words(1000), bytes_in_words(23_456)
    ('1 byte', '1,000 bytes', '22.9 KB')
    >>> bytes_in_words(10 * MB), bytes_in_words(10 * MB + 1), bytes_in_words(3 << 30)
    ('10 MB', '10.0 MB', '3 GB')
    """
    if n_bytes < KB:
        return plural(n_bytes, "byte")
    unit, name = next(each for each in _UNITS if _tenths(n_bytes, each[0]) < 10 * 1024 or each is _UNITS[-1])
    return f"{_tenths(n_bytes, unit) / 10:,.1f} {name}" if n_bytes % unit else f"{n_bytes // unit:,} {name}"


def _tenths(n_bytes: int, unit: int) -> int:
    return (10 * n_bytes + unit // 2) // unit


def shorten(text: str, most: int) -> str:
    """The beginning of a text that is longer than so many characters.

    >>> shorten("abcdef", 6), shorten("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def share_in_words(share: float) -> str:
    """A share in per cent: with a decimal below 10%, and never rounded to nothing or to all.

    >>> share_in_words(0.874), share_in_words(0.0312), share_in_words(0.00001), share_in_words(0)
    ('87%', '3.1%', 'less than 0.1%', '0%')
    >>> share_in_words(0.00099), share_in_words(0.001), share_in_words(0.09949), share_in_words(0.0995)
    ('less than 0.1%', '0.1%', '9.9%', '10%')
    >>> share_in_words(0.9949), share_in_words(0.995), share_in_words(1), share_in_words(2.5)
    ('99%', 'more than 99%', '100%', '250%')
    """
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.995 <= share < 1:
        return "more than 99%"
    return f"{share:.1%}" if 0 < share < 0.0995 else f"{share:.0%}"
