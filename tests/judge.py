"""tiktoken itself, by which our encodings and pages are judged."""

from __future__ import annotations

import itertools

import numpy as np
import tiktoken

import tokenizers as tk
from tokenizers.bpe import cuts_by_size
from tokenizers.bpe.byte_pairs import BytePairEncoding
from tokenizers.bundled import TIKTOKEN_ENCODINGS
from tokenizers.data import FIRST_MODEL
from tokenizers.text.chat import CHATML_ENCODING
from tokenizers.utf8 import well_formed

REWRITING = ("qwen", "claude-2", "clip")
"""Byte pairs of a text that each rewrites first."""


def judge(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding of this name, without the network."""
    tk.get_encoding(name)  # loads the engine into tiktoken's own registry
    return tiktoken.get_encoding(name)


def byte_pairs(name: str) -> BytePairEncoding:
    """Our own encoding of this name, which must be a byte pair encoding."""
    encoding = tk.get_encoding(name)
    assert isinstance(encoding, BytePairEncoding)
    return encoding


def ids_at_size(encoding: BytePairEncoding, text: str, size: int) -> list[int]:
    """The ids of a text with a vocabulary of that size, by the cuts that are left then."""
    data, ranks = well_formed(text).encode(), encoding.merging.ranks
    edges = np.flatnonzero(cuts_by_size(encoding, text) > size).tolist()
    return [ranks[data[start:end]] for start, end in itertools.pairwise(sorted({0, *edges}))]


def byte_pair_names() -> list[str]:
    """Every encoding that comes with the app and merges a text's own bytes. None is loaded for it."""
    return [*TIKTOKEN_ENCODINGS, CHATML_ENCODING, "tekken", "whisper", FIRST_MODEL]
