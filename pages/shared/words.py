"""A token in a table cell."""

from __future__ import annotations


def word_of(token: bytes) -> str:
    """The token's text, or its bytes in hex where they are no whole characters.

    >>> word_of(b" the"), word_of(b"\\xec\\x95")
    (' the', 'ec 95')
    """
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return token.hex(" ")
