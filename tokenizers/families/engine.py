"""Hugging Face's engine, for the families that use it: loaded once, with the first of them."""

from __future__ import annotations

import functools
from typing import Any

from ..split.engine_tasks import load_huggingface


@functools.cache
def huggingface_engine() -> Any:
    """The library's compiled module.

    Raises:
        OSError: it is not installed.

    >>> hasattr(huggingface_engine(), "Tokenizer")
    True
    """
    try:
        return load_huggingface()
    except ImportError as problem:
        raise OSError(
            f"Hugging Face's library cuts this encoding, and {problem}. Install it: pip install tokenizers"
        ) from None
