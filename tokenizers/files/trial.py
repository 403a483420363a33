"""The trial of an untrusted file, in a process with limits: load it, and encode and decode texts with it.

That an encoding cannot encode or decode one of the texts is no reason against it: who tries that is told.

The process loads this module alone, by its file, so it imports the package itself.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Mapping
from typing import Any

TEXTS = (
    "",
    "The naïve ½ don't 1234 <s>\r\n\t x  y",
    "안녕하세요 日本語、नमस्ते e\u0301\u0323 \U0001f469\u200d\U0001f680 \ufeff\x00\u2028\U0010ffff",
    "a" * 500 + " " * 500 + "\u0301" * 500 + "1!" * 500,
    *("".join(map(chr, range(first, first + 0x800))) for first in range(0, 0xD800, 0x800)),
    *("".join(map(chr, range(first, first + 0x800))) for first in range(0xE000, 0x10000, 0x800)),
)
"""Usual and unusual texts, and every character up to U+FFFF: a damaged table may fail for one alone."""

SMALL = b'{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Whitespace"}}'
"""A file whose loading imports what others need, too: libraries take memory once."""


def load(path: list[str], data: bytes, name: str, beside: bytes, told: Mapping[str, Any]) -> int:
    """Load a file, and use it; returns the bytes of memory that this took, 0 where that is not known.

    Args:
        path: where to import from; the root of the project comes first.
        data, name, beside: as of ``tokenizers.load``.
        told: its other arguments.

    Raises:
        ValueError: what ``tokenizers.load`` raises.
    """
    sys.path[:0] = path
    library, memory = (importlib.import_module(name) for name in ("tokenizers", "tokenizers.memory"))
    with contextlib.suppress(OSError):
        library.load(SMALL)
    before = memory.taken()
    try:
        encoding = library.load(data, name, beside=beside, **told)
    except OSError:  # a library is not installed: loading says so again
        return 0
    for text in TEXTS:
        with contextlib.suppress(ValueError):
            encoding.decode(encoding.encode(text, allowed_special="all"))
    with contextlib.suppress(ValueError):  # engines remember many words, which takes memory
        list(encoding.encode_each(f" word{number}" for number in range(20_000)))
    return max(0, int(memory.taken() - before))
