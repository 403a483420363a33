"""The library of Token Grove: text to tokens and back, to the byte."""

from __future__ import annotations

from .encodings import Encoding, well_formed
from .patterns import PATTERNS
from .registry import get_encoding, list_encodings
from .spans import Spans, TextMap, encode_spans, only_here

__all__ = [
    "PATTERNS",
    "Encoding",
    "Spans",
    "TextMap",
    "encode_spans",
    "get_encoding",
    "list_encodings",
    "only_here",
    "well_formed",
]
