"""tiktoken itself, by which our encodings and pages are judged."""

from __future__ import annotations

import tiktoken

import tokenizers as tk


def judge(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding of this name, without the network."""
    tk.get_encoding(name)  # loads the engine into tiktoken's own registry
    return tiktoken.get_encoding(name)
