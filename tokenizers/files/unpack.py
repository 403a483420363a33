"""A file as all formats read it: without compression, and without a byte order mark."""

from __future__ import annotations

import bz2
import codecs
import lzma
import zlib
from collections.abc import Callable
from typing import Any

from ..text.files import read_marked
from . import gguf

_XZ_MEMORY = 128 << 20
"""Bytes that xz may take for what it has seen: its highest level takes 65 MB."""

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
            than once, or in several parts.

    >>> import gzip
    >>> unpack(gzip.compress(b"minbpe v1"), 100), unpack(gzip.compress(bytes(1000)), 4), unpack(b"IQ== 0", 1)
    (b'minbpe v1', b'\x00\x00\x00\x00\x00', b'IQ== 0')
    """
    make = next((make for magic, make in COMPRESSED.items() if data.startswith(magic)), None)
    if make is None:
        return data
    unpacking = make()
    try:
        unpacked: bytes = unpacking.decompress(data, most + 1)
    except (zlib.error, lzma.LZMAError, OSError):
        raise ValueError(_DAMAGED) from None
    if unpacked.startswith(tuple(COMPRESSED)) or unpacking.unused_data.strip(b"\0"):
        raise ValueError("It is compressed more than once, or in several parts. Unpack it first.")
    if not unpacking.eof and len(unpacked) <= most and not gguf.recognises(unpacked):
        raise ValueError(_DAMAGED)
    return unpacked


_DAMAGED = "It is compressed, and damaged or cut off. Copy it again, or unpack it first."


def unmark(data: bytes) -> bytes:
    r"""A file with a byte order mark in UTF-8 without it; another file as it is.

    >>> unmark(b"\xef\xbb\xbf{}"), unmark('{"a": 0}'.encode("utf-16")), unmark(b"GGUF\x00")
    (b'{}', b'{"a": 0}', b'GGUF\x00')
    """
    if data.startswith(codecs.BOM_UTF8):  # also of a file that was cut off within a character
        return data.removeprefix(codecs.BOM_UTF8)
    marked = read_marked(data)
    if marked is not None:
        return marked.text.removeprefix("\ufeff").encode()
    return data
