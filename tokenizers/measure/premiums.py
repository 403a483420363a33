"""Tokens that each language takes in an encoding: counted, or as the app ships them.

The premium of a language is tokens(language) ÷ tokens(base) on the same parallel text (the tokenization
premium of Petrov et al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages",
https://arxiv.org/abs/2305.15425). Ahia et al. 2023 ("Do All Languages Cost the Same?",
https://arxiv.org/abs/2305.13707) show what it costs where tokens are paid for. The same ratio of bytes and of
characters shows how much of it comes from the script alone: an encoding whose tokens are bytes has exactly
the premium of the bytes.

The app ships the counts of its encodings (assets/premiums, made by ``python -m tools.count_languages``). They
are stored under fingerprints of the encoding and of the texts, so that they can never be another's.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from ..data.parallel import ParallelText, fingerprint_of_texts, list_parallel
from ..encoding import ASSETS, Encoding
from ..split import BusyError

COUNTS_FILE = ASSETS / "premiums" / "counts.json"


def count_text(encoding: Encoding, text: ParallelText) -> int:
    """Tokens of a text in one language; special tokens in it are plain text.

    Raises:
        ValueError: a split pattern of a person's own that is too slow; names the text.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.data.parallel import own_text
    >>> count_text(get_encoding("gpt2"), own_text("Burmese", "ငြိမ်းချမ်းရေး"))
    42
    """
    try:
        return len(encoding.encode_array(text.text))
    except BusyError:
        raise
    except ValueError as problem:
        raise ValueError(f"{encoding.name} cannot encode the text in {text.name}: {problem}") from None


# Counts that come with the app


def fingerprint(encoding: Encoding) -> str:
    """Sixteen hex digits of what decides an encoding's counts: its ranks, and how it splits.

    The name and the special tokens decide nothing: in a text they are plain text.

    >>> from tokenizers import get_encoding
    >>> fingerprint(get_encoding("cl100k_im")) == fingerprint(get_encoding("cl100k_base"))
    True
    >>> fingerprint(get_encoding("gpt2")) == fingerprint(get_encoding("cl100k_base"))
    False
    """
    return encoding.cached(_fingerprint)


def _fingerprint(encoding: Encoding) -> str:
    return hashlib.sha256(b"".join(encoding.fingerprint_data())).hexdigest()[:16]


def shipped_counts(encoding: Encoding) -> Mapping[str, int] | None:
    """The counts that come with the app for exactly this encoding and these texts, or None.

    A file that is missing or damaged costs only time: the counts are made again.

    >>> from tokenizers import get_encoding
    >>> sorted(shipped_counts(get_encoding("o200k_base")).values())[0]
    2017
    """
    return _read(COUNTS_FILE).get(fingerprint(encoding))


@functools.cache
def _read(path: Path) -> dict[str, dict[str, int]]:
    """Counts by code, by the encoding's fingerprint; empty if the texts are others than these."""
    texts = list_parallel()
    codes = [text.code for text in texts]
    try:
        content = json.loads(path.read_text("utf-8"))
        if (content["texts"], content["codes"]) != (fingerprint_of_texts(texts), codes):
            return {}
        return {
            entry["fingerprint"]: dict(zip(codes, map(int, entry["tokens"]), strict=True))
            for entry in content["encodings"].values()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def to_json(counted: Mapping[str, tuple[Encoding, Mapping[str, int]]]) -> str:
    """The content of the file of counts, byte for byte the same for the same counts.

    Args:
        counted: name: (the encoding, its tokens by code).
    """
    texts = list_parallel()
    codes = [text.code for text in texts]
    entries = [
        f"{json.dumps(name)}: "
        + json.dumps({"fingerprint": fingerprint(encoding), "tokens": [counts[code] for code in codes]})
        for name, (encoding, counts) in counted.items()
    ]
    head = f'{{"texts": "{fingerprint_of_texts(texts)}",\n"codes": {json.dumps(codes)},\n"encodings": {{\n'
    return head + ",\n".join(entries) + "\n}}\n"
