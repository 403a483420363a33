"""Encodings of other families than byte pairs, one module each; ``registry.py`` lists them.

raw_bytes       every byte is a token
characters      every character of a learned vocabulary is a token; the rest are bytes, or unknown
words           every word of a learned vocabulary is a token; the rest are unknown, white space is dropped
corpus          the texts that the vocabularies of this room learned from
reasons         what the families' reasons for a cut have in common
"""

from __future__ import annotations

from .characters import CharacterEncoding, learn_characters
from .raw_bytes import ByteEncoding
from .words import WordEncoding, learn_words

__all__ = ["ByteEncoding", "CharacterEncoding", "WordEncoding", "learn_characters", "learn_words"]
