"""A token in a table cell."""

from __future__ import annotations

from tokenizers.text import text_of

_GLYPHS = {" ": "·", "\n": "⏎", "\t": "→"}


def word_of(token: bytes) -> str:
    """The token's text, or its bytes in hex where they are no whole characters.

    >>> word_of(b" the"), word_of(b"\\xec\\x95")
    (' the', 'ec 95')
    """
    text = text_of(token)
    return token.hex(" ") if text is None else text


def shown_of(token: bytes) -> str:
    """As ``word_of``, for the eye: spaces and what draws nothing are seen.

    >>> print(shown_of(b" the\\n"), shown_of(b"\\xec\\x95"), shown_of(b"\\x00"))
    ·the⏎ ec 95 \\x00
    """
    text = text_of(token)
    return token.hex(" ") if text is None else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in _GLYPHS:
        return _GLYPHS[character]
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
