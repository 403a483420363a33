"""A text as UTF-8 can hold it.

A Python string can hold half of a UTF-16 pair, a lone surrogate; UTF-8 cannot.
"""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text as UTF-8 can hold it: surrogate pairs joined, each lone surrogate made U+FFFD.

    A Python string can hold half of a UTF-16 pair; UTF-8 cannot. The rule is tiktoken's own.
    The number of UTF-16 units stays the same, so positions in a browser stay true.

    >>> well_formed("a\\ud83d") == "a\\ufffd"
    True
    >>> well_formed("\\ud83d\\ude00") == "\\U0001f600"
    True
    """
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def utf8_of(text: str) -> bytes:
    """The bytes of the well-formed text, and no second pass over one that is so already.

    >>> utf8_of("h\\ud83d") == b"h\\xef\\xbf\\xbd"
    True
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return well_formed(text).encode()


def utf8_length(text: str) -> int:
    """How many bytes of UTF-8 a text has; a lone surrogate counts as U+FFFD.

    >>> utf8_length("né")
    3
    """
    return len(text) if text.isascii() else len(utf8_of(text))


def first_bytes(text: str, most: int) -> str:
    """The beginning of a text, well-formed and up to ``most`` bytes long. It ends with a whole character.

    >>> first_bytes("héllo", 3), first_bytes("héllo", 2), first_bytes("h", 9)
    ('hé', 'h', 'h')
    """
    return well_formed(text[:most]).encode()[:most].decode("utf-8", "ignore")


def count_lone_surrogates(text: str) -> int:
    """How many characters ``well_formed`` has to replace.

    >>> count_lone_surrogates("\\ud83d\\ude00 \\ud83d")
    1
    """
    return well_formed(text).count("\ufffd") - text.count("\ufffd")


def text_of(token_bytes: bytes) -> str | None:
    """The token's text, or None if its bytes alone are not whole characters.

    >>> text_of(b" the"), text_of(b"\\xec\\x95")
    (' the', None)
    """
    try:
        return token_bytes.decode()
    except UnicodeDecodeError:
        return None
