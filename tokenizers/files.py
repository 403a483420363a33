"""Files that people bring, read as text: which character set it was is found and said."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

MAX_BYTES = 10 * 1024 * 1024
"""The longest text that is taken, in bytes of UTF-8; and the largest file."""

_MAX_SAID = "10 MB"


@dataclass(frozen=True)
class DecodedFile:
    """A file's text, and the character set it was written in, in words."""

    text: str
    charset: str


def check_size(n_bytes: int, what: str) -> None:
    """Refuse what is too large, before any work starts.

    Raises:
        ValueError: more than ``MAX_BYTES``.
    """
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"{what} has {n_bytes / 1024 / 1024:.1f} MB, and Token Grove takes up to {_MAX_SAID} at a time. "
            "Choose a part of it."
        )


def decode_file(data: bytes, name: str = "The file") -> DecodedFile:
    """Read a file as UTF-8, UTF-16 or Latin-1, told apart by byte order mark, validity and zeros.

    A UTF-8 byte order mark stays in the text, as U+FEFF: it costs tokens.

    Raises:
        ValueError: too large, or not a text; says so in one sentence.

    >>> decode_file("na\\u00efve".encode("utf-8"))
    DecodedFile(text='naïve', charset='UTF-8')
    >>> decode_file("na\\u00efve".encode("latin-1")).charset
    'Latin-1'
    >>> decode_file("hi".encode("utf-16")).charset
    'UTF-16 (little endian)'
    >>> decode_file(b"\\x89PNG\\r\\n\\x1a\\n\\x00\\x00", "cat.png")
    Traceback (most recent call last):
    ...
    ValueError: cat.png is not a text file: it holds bytes that no text has. ...
    """
    check_size(len(data), name)
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) and len(data) % 4 == 0:
        decoded = _try(data, "utf-32", "UTF-32")
        if decoded:
            return decoded
    if data.startswith(codecs.BOM_UTF16_LE):
        decoded = _try(data, "utf-16", "UTF-16 (little endian)")
    elif data.startswith(codecs.BOM_UTF16_BE):
        decoded = _try(data, "utf-16", "UTF-16 (big endian)")
    else:
        with_mark = " with a byte order mark" if data.startswith(codecs.BOM_UTF8) else ""
        decoded = _guess_utf16(data) or _try(data, "utf-8", "UTF-8" + with_mark) or _try_latin1(data)
    if decoded is None or _is_binary(decoded.text):
        raise ValueError(
            f"{name} is not a text file: it holds bytes that no text has. "
            "Save it as plain text (UTF-8 is best) and try again."
        )
    check_size(len(decoded.text.encode("utf-8")), f"{name}, as UTF-8,")
    return decoded


def _try(data: bytes, codec: str, charset: str) -> DecodedFile | None:
    try:
        return DecodedFile(data.decode(codec), charset)
    except UnicodeDecodeError:
        return None


def _guess_utf16(data: bytes) -> DecodedFile | None:
    """UTF-16 without a mark: much of any text is ASCII, so every other byte is often zero."""
    if len(data) < 2 or len(data) % 2 or b"\x00" not in data[:4096]:
        return None
    sample = data[:4096]
    zeros_low, zeros_high = sample[0::2].count(0), sample[1::2].count(0)
    if zeros_high > 4 * zeros_low and zeros_high * 5 > len(sample) // 2:
        return _try(data, "utf-16-le", "UTF-16 (little endian)")
    if zeros_low > 4 * zeros_high and zeros_low * 5 > len(sample) // 2:
        return _try(data, "utf-16-be", "UTF-16 (big endian)")
    return None


def _try_latin1(data: bytes) -> DecodedFile | None:
    """Latin-1 takes any bytes; as Windows-1252 if it has that set's quotes and dashes."""
    if any(0x80 <= byte < 0xA0 for byte in data):
        return _try(data, "cp1252", "Windows-1252 (Latin-1 with curly quotes)")
    return DecodedFile(data.decode("latin-1"), "Latin-1")


_BINARY = {chr(code) for code in range(32)} - set("\t\n\r\f\v\b\x1b")


def _is_binary(text: str) -> bool:
    """Whether more than one character in a thousand is a control character that texts do not use."""
    control = sum(text.count(char) for char in _BINARY)
    return control * 1000 > len(text)
