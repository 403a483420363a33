"""Small files of models, made for tests: SentencePiece's .model and .gguf."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tokenizers.files.gguf_header import ARRAY, MAGIC, PACKED, TEXT
from tokenizers.files.sentencepiece import make_model


def write_model(
    names: Iterable[str], scores: Iterable[float], kinds: Iterable[int], *, kind: int, **more: Any
) -> bytes:
    """A SentencePiece model; ``more`` as of ``make_model``."""
    return bytes(
        make_model(zip(names, scores, kinds, strict=True), model_type=kind, **more).SerializeToString()
    )


def write_header(values: Mapping[str, Any], order: str = "<") -> bytes:
    """A .gguf file without tensors: for each key a text, a number, a bool, a list of texts or an array.

    Args:
        values: by key; bytes that are no UTF-8 as lone surrogates, as of "surrogateescape".
        order: of the bytes of numbers: < or >.
    """

    def pack(form: str, *numbers: Any) -> bytes:
        return struct.pack(order + form, *numbers)

    def pack_text(text: str) -> bytes:
        data = text.encode("utf-8", "surrogateescape")
        return pack("Q", len(data)) + data

    parts = [MAGIC + pack("IQQ", 3, 0, len(values))]
    for key, value in values.items():
        parts.append(pack_text(key))
        if isinstance(value, str):
            parts += pack("I", TEXT), pack_text(value)
        elif isinstance(value, bool):
            parts.append(pack("I?", 7, value))
        elif isinstance(value, int):
            parts.append(pack("II", 4, value))
        elif isinstance(value, np.ndarray):
            kind = next(number for number, packed in PACKED.items() if np.dtype(packed) == value.dtype)
            data = value.astype(value.dtype.newbyteorder(order)).tobytes()
            parts += pack("IIQ", ARRAY, kind, len(value)), data
        else:
            parts.append(pack("IIQ", ARRAY, TEXT, len(value)))
            parts += map(pack_text, value)
    return b"".join(parts)
