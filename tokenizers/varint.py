"""Numbers as protocol buffers have them, in the model files of SentencePiece and in a browser's messages."""

from __future__ import annotations

_MAX_SHIFT = 63  # of the tenth and last byte


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and the place behind it.

    Raises:
        IndexError: the data end within the number, or it is longer than ten bytes.

    >>> read_varint(b"\\x96\\x01", 0)
    (150, 2)
    """
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > _MAX_SHIFT:
            raise IndexError


def write_varint(value: int) -> bytes:
    """A number that is not negative, as bytes.

    >>> write_varint(150)
    b'\\x96\\x01'
    """
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
