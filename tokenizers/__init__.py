"""The library of Token Grove: text to tokens and back, to the byte."""

from __future__ import annotations

from .encodings import Encoding, well_formed
from .patterns import PATTERNS
from .registry import get_encoding, list_encodings

__all__ = ["PATTERNS", "Encoding", "get_encoding", "list_encodings", "well_formed"]
