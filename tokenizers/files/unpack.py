"""A file as all formats read it: without compression, and without a byte order mark."""

from __future__ import annotations

import bz2
import codecs
import json
import lzma
import zlib
from collections.abc import Callable
from typing import Any

from ..text.files import read_marked
from . import gguf

_XZ_MEMORY = 128 << 20
"""Bytes that xz may take for what it has seen: its highest level takes 65 MB."""

_MOST_PARTS = 100
"""Compressed parts, one behind the other, that are read of a file: each is a copy of the rest."""

COMPRESSED: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
    b"BZh": bz2.BZ2Decompressor,
}
"""gzip, xz and bzip2: what undoes them, by how a file begins."""


def unpack(data: bytes, most: int) -> bytes:
    r"""A file without compression, of gzip, xz or bzip2: one level of it, and up to a number of bytes.

    Args:
        data: the file's content.
        most: bytes after which no more is read; a longer file has one byte more.

    Raises:
        ValueError: it is damaged or was cut off (of a .gguf, the beginning is enough), or is compressed more
            than once, or in too many parts.

    >>> import gzip
    >>> unpack(gzip.compress(b"minbpe v1"), 100), unpack(gzip.compress(bytes(1000)), 4), unpack(b"IQ== 0", 1)
    (b'minbpe v1', b'\x00\x00\x00\x00\x00', b'IQ== 0')
    """
    make = next((make for magic, make in COMPRESSED.items() if data.startswith(magic)), None)
    if make is None:
        return data
    parts: list[bytes] = []
    room = most + 1
    is_whole = True
    try:
        while data and room and is_whole:
            if len(parts) == _MOST_PARTS:
                raise ValueError(f"It is compressed in more than {_MOST_PARTS} parts. Unpack it first.")
            unpacking = make()
            parts.append(unpacking.decompress(data, room))
            room -= len(parts[-1])
            is_whole = unpacking.eof
            data = unpacking.unused_data.lstrip(b"\0")
    except (zlib.error, lzma.LZMAError, OSError, EOFError):
        is_whole = False
    unpacked = b"".join(parts)
    if unpacked.startswith(tuple(COMPRESSED)):
        raise ValueError("It is compressed more than once. Unpack it first.")
    if is_whole or not room or gguf.recognises(unpacked):
        return unpacked
    raise ValueError("It is compressed, and damaged or cut off. Copy it again, or unpack it first.")


def unmark(data: bytes) -> bytes:
    r"""A file in UTF-16 or UTF-32, or with a byte order mark, in UTF-8 without it; another file as it is.

    >>> unmark(b"\xef\xbb\xbf{}"), unmark('{"a": 0}'.encode("utf-16-le")), unmark(b"GGUF\x00")
    (b'{}', b'{"a": 0}', b'GGUF\x00')
    """
    if data.startswith(codecs.BOM_UTF8):  # also of a file that was cut off within a character
        return data.removeprefix(codecs.BOM_UTF8)
    marked = read_marked(data)
    if marked is not None:
        return marked.text.removeprefix("\ufeff").encode()
    if b"\0" in data[:4] and data[:4].strip(b"\0")[:1] in (b"{", b"["):  # JSON tells its character set
        try:
            return data.decode(json.detect_encoding(data)).encode()
        except UnicodeDecodeError:
            return data
    return data
