"""The wire format of protocol buffers, as far as SentencePiece's files need it: read and written."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ..varint import read_varint, write_varint

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # kinds of fields

Value = int | bytes

_WRONG_FIELD = "It is no SentencePiece model: a setting in it is not of the kind that it has to be."


def next_field(data: bytes, at: int) -> tuple[int, Value, int]:
    """The number of a field, its value (bytes, if it is no varint), and where it ends.

    Raises:
        IndexError: the message is cut off, or damaged.
    """
    tag, at = read_varint(data, at)
    field, wire = tag >> 3, tag & 7
    if wire == _VARINT:
        value, at = read_varint(data, at)
        return field, value, at
    if wire == _BYTES:
        length, at = read_varint(data, at)
    elif wire in (_FIXED64, _FIXED32):
        length = 8 if wire == _FIXED64 else 4
    else:
        raise IndexError
    if not field or at + length > len(data):
        raise IndexError
    return field, data[at : at + length], at + length


def fields_of(message: bytes) -> dict[int, Value]:
    """The fields of a message by their numbers; of one that comes again, the last, as the library has it.

    Raises:
        ValueError: the message is cut off, or damaged.
    """
    fields: dict[int, Value] = {}
    at = 0
    try:
        while at < len(message):
            field, value, at = next_field(message, at)
            fields[field] = value
    except IndexError:
        raise ValueError(
            "It is no complete SentencePiece model: the file was cut off, or is of another kind."
        ) from None
    return fields


def number_in(fields: Mapping[int, Value], field: int, default: int) -> int:
    """The value of a field that is a number.

    Raises:
        ValueError: it is of another kind.
    """
    value = fields.get(field, default)
    if not isinstance(value, int):
        raise ValueError(_WRONG_FIELD)
    return value


def bytes_in(fields: Mapping[int, Value], field: int) -> bytes:
    """The value of a field that holds bytes; none, if it is not there.

    Raises:
        ValueError: it is of another kind.
    """
    value = fields.get(field, b"")
    if not isinstance(value, bytes):
        raise ValueError(_WRONG_FIELD)
    return value


def text_in(fields: Mapping[int, Value], field: int, default: str) -> str:
    """The value of a field that holds a text.

    Raises:
        ValueError: it is of another kind, or no text.
    """
    if field not in fields:
        return default
    try:
        return bytes_in(fields, field).decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(_WRONG_FIELD) from None


def write_field(field: int, value: bool | int | float | bytes) -> bytes:
    """A field of a message.

    >>> write_field(3, True), write_field(1, b"ab"), write_field(2, -1.0)
    (b'\\x18\\x01', b'\\n\\x02ab', b'\\x15\\x00\\x00\\x80\\xbf')
    """
    if isinstance(value, float):
        return write_varint(field << 3 | _FIXED32) + struct.pack("<f", value)
    if isinstance(value, bytes):
        return write_varint(field << 3 | _BYTES) + write_varint(len(value)) + value
    return write_varint(field << 3) + write_varint(int(value))
