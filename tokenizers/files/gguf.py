"""The header of a .gguf file: what is said of a model before its weights, by key.

A file begins with its version, and with pairs of a key and a value; a tokenizer's keys begin with
``tokenizer.``. What follows, the tensors, is gigabytes and is never looked at. So the beginning of a file is
enough, if all pairs are in it.

Source: github.com/ggml-org/ggml, docs/gguf.md.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import limits
from ..amounts import bytes_in_words

MAGIC = b"GGUF"
MAX_HEADER_BYTES = limits.FILE_MB * limits.MB
"""A header of 262,144 tokens with their merges has 12 MB."""

_MAX_PAIRS = 10_000
_MAX_KEY_BYTES = 1_000
_MAX_ITEMS = 4_000_000  # of an array: tokens, or merges
_KEPT = b"tokenizer."

# By number of type: how one value is packed. Types 8 and 9 are texts and arrays.
_PACKED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9


class CutOffError(ValueError):
    """The header goes on beyond the bytes that are there."""

    def __init__(self) -> None:
        super().__init__(
            "The file ends within its header, so its tokenizer is not complete. Bring more of its beginning."
        )


@dataclass(frozen=True, slots=True)
class Header:
    """The tokenizer's keys of a .gguf file.

    Attributes:
        values: by key, without "tokenizer."; texts in an array stay bytes, numbers are an array of numpy's.
        size: bytes of the header.
        saved: a file of these keys alone.
    """

    values: Mapping[str, Any]
    size: int
    saved: bytes

    def text(self, key: str) -> str | None:
        """The text under a key; None: there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, bytes):
            raise ValueError(f"Its key tokenizer.{key} is no text: the file is damaged.")
        return _decode(value)

    def number(self, key: str) -> int | None:
        """The whole number, or the bool (as 0 or 1), under a key; None: there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, int):
            raise ValueError(f"Its key tokenizer.{key} is no whole number: the file is damaged.")
        return int(value)

    def texts(self, key: str) -> list[str]:
        """The texts under a key; empty: there are none."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise ValueError(f"Its key tokenizer.{key} is no list of texts: the file is damaged.")
        whole = _decode(b"\0".join(value)).split("\0")
        if len(whole) != max(1, len(value)):
            raise ValueError(f"A text of its key tokenizer.{key} holds a NUL: the file is damaged.")
        return whole if value else []

    def numbers(self, key: str, kind: str) -> np.ndarray[Any, Any] | None:
        """The numbers under a key, shape (n,); None: there are none.

        Args:
            key: without "tokenizer.".
            kind: "i" for whole numbers, "f" for others.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, np.ndarray) or value.dtype.kind not in {"i": "iu", "f": "f"}[kind]:
            raise ValueError(f"Its key tokenizer.{key} is no list of such numbers: the file is damaged.")
        return value


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("A text in its header is not in UTF-8: the file is damaged.") from None


def read_header(data: bytes) -> Header:
    """The tokenizer's keys of a .gguf file, whose tensors may be missing.

    Raises:
        CutOffError: the header goes on beyond these bytes.
        ValueError: it is no such file, a damaged one, or beyond the limits of this module.

    >>> file = write_header({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a", "b"]})
    >>> header = read_header(file + b"tensors")
    >>> header.text("ggml.model"), header.texts("ggml.tokens"), header.size == len(file)
    ('gpt2', ['a', 'b'], True)
    >>> read_header(file[:-1])
    Traceback (most recent call last):
    ...
    tokenizers.files.gguf.CutOffError: The file ends within its header, so its tokenizer is not ...
    """
    if data[:4] != MAGIC:
        raise ValueError("It is no .gguf file: it does not begin with the letters GGUF.")
    walk = _Walk(data)
    version = walk.number("I")
    if version & 0xFFFF == 0:
        raise ValueError("It is a .gguf file for machines of another byte order, which is not read here.")
    if version not in (2, 3):
        raise ValueError(f"It is a .gguf file of version {version}; 2 and 3 are read here. Convert it anew.")
    walk.number("Q")  # tensors
    n_pairs = walk.number("Q")
    if n_pairs > _MAX_PAIRS:
        raise ValueError(f"Its header has {n_pairs:,} keys: no .gguf file has more than {_MAX_PAIRS:,}.")
    values: dict[str, Any] = {}
    kept: list[bytes] = []
    for _ in range(n_pairs):
        start = walk.at
        key = walk.text(_MAX_KEY_BYTES)
        value = walk.value(keeps=key.startswith(_KEPT))
        if key.startswith(_KEPT):
            values[_decode(key).removeprefix("tokenizer.")] = value
            kept.append(data[start : walk.at])
    return Header(values, walk.at, _begin(len(kept)) + b"".join(kept))


def read_file(path: Path) -> bytes:
    """The header of a .gguf file on the disk: only its first bytes are read, however large the file is.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file, or its header is longer than ``MAX_HEADER_BYTES``.
    """
    with path.open("rb") as file:
        data = file.read(1 << 20)
        while True:
            try:
                return data[: read_header(data).size]
            except CutOffError:
                more = file.read(min(3 * len(data), MAX_HEADER_BYTES - len(data)))
                if not more:
                    break
                data += more
    if len(data) >= MAX_HEADER_BYTES:
        raise ValueError(
            f"Its header is longer than {bytes_in_words(MAX_HEADER_BYTES)}, which is the limit here."
        )
    raise CutOffError


class _Walk:
    """Goes through a header from its beginning, within bounds."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = len(MAGIC)

    def number(self, kind: str) -> Any:
        """The next number, packed as ``struct`` says."""
        try:
            (value,) = struct.unpack_from("<" + kind, self.data, self.at)
        except struct.error:
            raise CutOffError from None
        self.at += struct.calcsize("<" + kind)
        return value

    def text(self, most: int = MAX_HEADER_BYTES) -> bytes:
        """The next text."""
        size = self.number("Q")
        if size > most:
            raise ValueError(f"A text in its header has {size:,} bytes: the file is damaged.")
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise CutOffError
        return self.data[start : self.at]

    def value(self, *, keeps: bool) -> Any:
        """The next value; an array that is not kept is only skipped."""
        kind = self.number("I")
        if kind == _TEXT:
            return self.text()
        if kind in _PACKED:
            return self.number(_PACKED[kind])
        if kind != _ARRAY:
            raise ValueError("A value in its header is of an unknown kind: the file is damaged.")
        kind, count = self.number("I"), self.number("Q")
        if count > _MAX_ITEMS:
            raise ValueError(f"A list in its header has {count:,} items: no .gguf file has so many.")
        if kind == _TEXT:
            return self._texts(count)
        if kind not in _PACKED:
            raise ValueError("A list in its header holds lists, which is not read here.")
        size = struct.calcsize("<" + _PACKED[kind]) * count
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise CutOffError
        dtype = np.dtype(_PACKED[kind]).newbyteorder("<")
        return np.frombuffer(self.data, dtype, count, start) if keeps else None

    def _texts(self, count: int) -> list[bytes]:
        data, at, end = self.data, self.at, len(self.data)
        size_of = struct.Struct("<Q").unpack_from
        texts: list[bytes] = []
        try:
            for _ in range(count):
                start = at + 8
                at = start + size_of(data, at)[0]
                if at > end:
                    raise CutOffError
                texts.append(data[start:at])
        except struct.error:
            raise CutOffError from None
        self.at = at
        return texts


def _begin(n_pairs: int) -> bytes:
    return MAGIC + struct.pack("<IQQ", 3, 0, n_pairs)


def write_header(values: Mapping[str, Any]) -> bytes:
    """A .gguf file without tensors: for each key a text, a number, a bool, a list of texts or an array.

    >>> len(write_header({"tokenizer.ggml.add_bos_token": True}))
    65
    """
    parts = [_begin(len(values))]
    for key, value in values.items():
        parts.append(_packed_text(key))
        if isinstance(value, str):
            parts += struct.pack("<I", _TEXT), _packed_text(value)
        elif isinstance(value, bool):
            parts.append(struct.pack("<I?", 7, value))
        elif isinstance(value, int):
            parts.append(struct.pack("<II", 4, value))
        elif isinstance(value, np.ndarray):
            kind = next(number for number, packed in _PACKED.items() if np.dtype(packed) == value.dtype)
            parts += struct.pack("<IIQ", _ARRAY, kind, len(value)), value.tobytes()
        else:
            parts.append(struct.pack("<IIQ", _ARRAY, _TEXT, len(value)))
            parts += map(_packed_text, value)
    return b"".join(parts)


def _packed_text(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data
