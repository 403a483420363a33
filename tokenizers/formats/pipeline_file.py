"""tokenizer.json of any pipeline, and the older pairs of files that say the same: vocab.json with merges.txt,
and BERT's vocab.txt.

What our own encoding can represent is read by ``huggingface_file.py``; all the rest runs on Hugging Face's
own engine (``families/huggingface.py``).
"""

from __future__ import annotations

from typing import Any

from ..encoding import Encoding
from ..families.huggingface import PairEncoding, from_pipeline
from ..families.merging_pairs import MergingEncoding, NotDrawnError
from . import huggingface_file
from .pipeline import read_json, read_pipeline


def recognises(data: bytes) -> bool:
    """Whether this may be a tokenizer.json, by its first bytes.

    >>> recognises(b'{"version": "1.0", "truncation": null'), recognises(b'{"!": 0, "a": 1}')
    (True, False)
    """
    head = data[:4_000]
    return head.lstrip().startswith(b"{") and any(
        key in head for key in (b'"added_tokens"', b'"truncation"', b'"pre_tokenizer"', b'"model"')
    )


def from_bytes(data: bytes, name: str) -> Encoding:
    """The encoding that a tokenizer.json describes.

    Raises:
        ValueError: it is damaged, holds something that is not known here, or asks for too much.
        OSError: Hugging Face's library is not installed.
    """
    content = read_json(data)
    if _finds_only_specials(content):
        try:
            return huggingface_file.parse(content, name)  # one that can be grown here, with all that it can
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            pass
    encoding = from_pipeline(read_pipeline(content), data, name)
    if isinstance(encoding, PairEncoding):
        try:
            return MergingEncoding(encoding)
        except NotDrawnError as problem:
            encoding.not_drawn = str(problem)
    return encoding


def _finds_only_specials(content: Any) -> bool:
    """Whether all added tokens are special: our own encoding has no tokens that are found in every text."""
    added = content.get("added_tokens") if isinstance(content, dict) else None
    return isinstance(added, list) and all(
        isinstance(token, dict) and token.get("special") is True for token in added
    )
