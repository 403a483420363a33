"""Reads a file that a person uploaded as text: finds its character set, and names it."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import limits
from ..amounts import bytes_in_words
from .charsets import CHARSETS, guess_charset, guess_wide

MAX_BYTES = limits.TEXT_MB * limits.MB
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
        ValueError: more than ``MAX_BYTES``.
    """
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"{what} has {bytes_in_words(n_bytes)}, and Token Grove takes up to {bytes_in_words(MAX_BYTES)} "
            "at a time. Choose a part of it."
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

    >>> decode_file("na\\u00efve".encode("utf-8"))
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
    for decoded in _readings(data) if charset is None else [_read_as(data, name, charset)]:
        utf8 = decoded.text.encode("utf-8")
        if not _is_binary(utf8, len(decoded.text)):
            check_size(len(utf8), f"{name}, as UTF-8,")
            return decoded
    raise ValueError(
        f"{name} is not a text file: it holds bytes that no text has. "
        "Save it as plain text (UTF-8 is best) and try again."
    )


def _readings(data: bytes) -> Iterator[DecodedFile]:
    """How the bytes can be read: as a mark says, and otherwise in order of how likely it is."""
    for mark, marked_codec, charset in _MARKS:
        if data.startswith(mark) and (marked := _try(data, marked_codec, charset)):
            yield marked
            return
    utf8 = _try(data, "utf-8", "UTF-8")
    if utf8:
        yield utf8
    codec = guess_wide(data)  # UTF-16 of ASCII letters is valid UTF-8, too: its zeros are characters there
    if codec is None and utf8 is None and not _is_binary(data, len(data)):
        codec = guess_charset(data)
    guessed = _try(data, codec, CHARSETS[codec], is_guess=True) if codec else None
    if guessed and (utf8 is None or _is_likely_wide(guessed.text)):
        yield guessed


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16 (little endian)"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16 (big endian)"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with a byte order mark"),
)
"""Byte order marks. That of UTF-16 is the beginning of one of UTF-32, which comes first."""


def _is_likely_wide(text: str) -> bool:
    """Whether this is what UTF-16 or UTF-32 holds, as far as its first 10,000 characters tell.

    Words of ASCII with zeros between them can be read as UTF-16, too: two letters are one Chinese character,
    and a letter before a zero is that letter. So most characters must be below U+3000, where those of Chinese
    begin, or all that is ASCII must be white space.

    >>> [_is_likely_wide(each.decode("utf-16-le")) for each in (b"Title\\0Author", b"get\\0set\\0")]
    [False, False]
    >>> _is_likely_wide("one 世界"), _is_likely_wide("世界\\n")
    (True, True)
    """
    sample = text[:10_000]
    ascii_part = "".join(character for character in sample if character < "\x80")
    n_below = sum(character < "\u3000" for character in sample)
    return 2 * n_below > len(sample) or ascii_part.isspace()


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


def _try(data: bytes, codec: str, charset: str, *, is_guess: bool = False) -> DecodedFile | None:
    try:
        return DecodedFile(data.decode(codec), charset, codec, is_guess)
    except UnicodeDecodeError:
        return None


_BINARY = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b"))


def _is_binary(data: bytes, n_chars: int) -> bool:
    """Whether more than one character in a thousand is a control character that texts do not use."""
    return (len(data) - len(data.translate(None, _BINARY))) * 1000 > n_chars
