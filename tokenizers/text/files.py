"""Reads a file that a person uploaded as text: finds its character set, and names it."""

from __future__ import annotations

import codecs
import contextlib
from dataclasses import dataclass, field

from .. import limits
from ..amounts import bytes_in_words
from .charsets import CHARSETS, guess_charset

MAX_TEXT_BYTES = limits.TEXT_MB * limits.MB
"""The longest text that is taken, in bytes of UTF-8; and the largest file."""


@dataclass(frozen=True)
class DecodedFile:
    """A file's text, and how its bytes were read.

    Attributes:
        text: the text.
        charset: the character set, in words.
        codec: Python's name of it, a key of ``charsets.CHARSETS`` where it was guessed or asked for.
        is_guess: whether nothing in the file says so: another character set may be the right one.
    """

    text: str
    charset: str
    codec: str = field(default="utf-8", repr=False)
    is_guess: bool = field(default=False, repr=False)

    @property
    def how(self) -> str:
        """What to say of how it was read.

        >>> decode_file("na\u00efve".encode("latin-1")).how
        'read as Latin-1, which is a guess'
        """
        return f"read as {self.charset}{', which is a guess' if self.is_guess else ''}"


def check_size(n_bytes: int, what: str) -> None:
    """Refuse what is too large, before any work starts.

    Raises:
        ValueError: more than ``MAX_TEXT_BYTES``.
    """
    if n_bytes > MAX_TEXT_BYTES:
        raise ValueError(
            f"{what} has {bytes_in_words(n_bytes)}, and Token Grove takes up to "
            f"{bytes_in_words(MAX_TEXT_BYTES)} at a time. Choose a part of it."
        )


def decode_file(data: bytes, name: str = "The file", charset: str | None = None) -> DecodedFile:
    """Read a file as text.

    A byte order mark or valid UTF-8 says how. Without these the character set is guessed
    (``charsets.py`` says how), and the result says so.

    A UTF-8 byte order mark stays in the text, as U+FEFF: it costs tokens.

    Args:
        data: the file's bytes.
        name: what to call it where it cannot be read.
        charset: a key of ``charsets.CHARSETS`` to read it in, whatever it looks like.

    Raises:
        ValueError: too large, not a text, or not in that character set; says so in one sentence.

    >>> decode_file("na\\u00efve".encode())
    DecodedFile(text='naïve', charset='UTF-8')
    >>> decode_file("na\\u00efve".encode("latin-1")).charset
    'Latin-1'
    >>> decode_file("hi".encode("utf-16")).charset
    'UTF-16 (little endian)'
    >>> decode_file("Все люди рождаются".encode("cp1251"))
    DecodedFile(text='Все люди рождаются', charset='Windows-1251 (Cyrillic)')
    >>> decode_file(b"\\xc2\\xf1\\xe5", charset="cp1251").text
    'Все'
    >>> decode_file(b"\\x89PNG\\r\\n\\x1a\\n\\x00\\x00", "cat.png")
    Traceback (most recent call last):
    ...
    ValueError: cat.png is not a text file: it holds bytes that no text has. ...
    """
    check_size(len(data), name)
    decoded = _read(data) if charset is None else _read_as(data, name, charset)
    utf8 = data if decoded is None or decoded.codec == "utf-8" else decoded.text.encode()
    if decoded is None or _is_binary(utf8, len(decoded.text)):
        raise ValueError(
            f"{name} is not a text file: it holds bytes that no text has. "
            "Save it as plain text (UTF-8 is best) and try again."
        )
    check_size(len(utf8), f"{name}, as UTF-8,")
    return decoded


def read_marked(data: bytes) -> DecodedFile | None:
    """The text of a file that begins with a byte order mark; None: it has none, or is no such text.

    >>> read_marked("hi".encode("utf-8-sig")).text, read_marked(b"hi")
    ('\\ufeffhi', None)
    """
    for mark, codec, charset in _MARKS:
        if data.startswith(mark):
            with contextlib.suppress(UnicodeDecodeError):
                return DecodedFile(data.decode(codec), charset, codec)
    return None


def _read(data: bytes) -> DecodedFile | None:
    """The text, as a mark says or as it is most likely; None: it is none."""
    if marked := read_marked(data):
        return marked
    with contextlib.suppress(UnicodeDecodeError):
        return DecodedFile(data.decode(), "UTF-8")
    guess = None if _is_binary(data, len(data)) else guess_charset(data)
    return DecodedFile(data.decode(guess), CHARSETS[guess], guess, is_guess=True) if guess else None


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 (little endian)"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 (big endian)"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with a byte order mark"),
)
"""Byte order marks. That of UTF-16 is the beginning of one of UTF-32, which comes first."""


def _read_as(data: bytes, name: str, codec: str) -> DecodedFile:
    """The text in the character set that a person chose."""
    if codec not in CHARSETS:
        raise ValueError(f"There is no character set {codec[:40]!r} here. Choose one of the list.")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as problem:
        raise ValueError(
            f"{name} is not in {CHARSETS[codec]}: its byte {problem.start:,} stands for nothing there. "
            "Choose another character set."
        ) from None
    if codec.startswith(("utf-16", "utf-32")):
        text = text.removeprefix("\ufeff")
    return DecodedFile(text, CHARSETS[codec], codec)


_BINARY = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b"))


def _is_binary(data: bytes, n_chars: int) -> bool:
    """Whether more than one character in a thousand is a control character that texts do not use."""
    return (len(data) - len(data.translate(None, _BINARY))) * 1000 > n_chars
