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


def write_header(values: Mapping[str, Any]) -> bytes:
    """A .gguf file without tensors: for each key a text, a number, a bool, a list of texts or an array."""
    parts = [MAGIC + struct.pack("<IQQ", 3, 0, len(values))]
    for key, value in values.items():
        parts.append(_packed_text(key))
        if isinstance(value, str):
            parts += struct.pack("<I", TEXT), _packed_text(value)
        elif isinstance(value, bool):
            parts.append(struct.pack("<I?", 7, value))
        elif isinstance(value, int):
            parts.append(struct.pack("<II", 4, value))
        elif isinstance(value, np.ndarray):
            kind = next(number for number, packed in PACKED.items() if np.dtype(packed) == value.dtype)
            parts += struct.pack("<IIQ", ARRAY, kind, len(value)), value.tobytes()
        else:
            parts.append(struct.pack("<IIQ", ARRAY, TEXT, len(value)))
            parts += map(_packed_text, value)
    return b"".join(parts)


def _packed_text(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data
