"""Encodings that are not plain byte pairs, one module each.

Each module has ``BUNDLED``, its encodings that come with the app; ``FAMILIES`` lists the modules.

raw_bytes       every byte is a token
characters      every character of a learned vocabulary is a token; the rest are bytes, or unknown
words           every word of a learned vocabulary is a token; the rest are unknown, white space is dropped
longest_match   the longest token that fits, at each place
sentencepieces  pieces joined by their scores; ▁ stands for a space
unigram         the most probable of all ways to cut a text into pieces
piece_merges    the merges behind the pieces of a SentencePiece BPE
lattice         the ways through all pieces of a Unigram that fit a text
rewriting       byte pairs of a text that is rewritten first: normal forms, small letters
wordpiece       words in small letters, each cut by longest match from the left
huggingface     whatever a tokenizer.json describes, on Hugging Face's engine
huggingface_models  of those, what each kind of model can show
huggingface_merges  of those, merges that can be drawn: trees, ranks and walls
corpus          the texts that the vocabularies of this room learned from
listed          what these families have in common: tokens in a list
"""

from __future__ import annotations

from . import characters, longest_match, raw_bytes, rewriting, sentencepieces, unigram, wordpiece, words
from .characters import UNKNOWN, CharacterEncoding, learn_characters
from .lattice import Lattice, LatticePiece, Path, lattice_of
from .longest_match import LongestMatchEncoding
from .raw_bytes import ByteEncoding
from .sentencepieces import SentencePieceEncoding
from .unigram import JurassicEncoding
from .wordpiece import WordPieceEncoding
from .words import WordEncoding, learn_words

__all__ = [
    "FAMILIES",
    "UNKNOWN",
    "ByteEncoding",
    "CharacterEncoding",
    "JurassicEncoding",
    "Lattice",
    "LongestMatchEncoding",
    "Path",
    "LatticePiece",
    "SentencePieceEncoding",
    "WordEncoding",
    "WordPieceEncoding",
    "lattice_of",
    "learn_characters",
    "learn_words",
]

FAMILIES = (raw_bytes, characters, words, longest_match, rewriting, sentencepieces, unigram, wordpiece)
"""The families in the order of choosers."""
