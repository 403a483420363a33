"""tokenizer.json of any pipeline, and the older pairs of files that say the same: vocab.json with merges.txt,
and BERT's vocab.txt.

What our own encoding can represent is read by ``huggingface_file.py``; all the rest runs on Hugging Face's own
engine (``families/huggingface.py``).
"""

from __future__ import annotations

from ..encoding import Encoding
from ..families.huggingface import PairEncoding, from_pipeline
from ..families.merging_pairs import MergingEncoding, NotDrawnError
from .pipeline import read_pipeline


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
    encoding = from_pipeline(read_pipeline(data), data, name)
    if isinstance(encoding, PairEncoding):
        try:
            return MergingEncoding(encoding)
        except NotDrawnError as problem:
            encoding.not_drawn = str(problem)
    return encoding
