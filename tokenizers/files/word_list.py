"""Token Grove's former file of a vocabulary of characters or of words, which is a tokenizer.json now.

{"token_grove": 1, "family": "characters", "rest": "bytes", "tokens": "etaoin"}
{"token_grove": 1, "family": "words", "tokens": ["the", "of", "and"]}
"""

from __future__ import annotations

import re

from ..encoding import Encoding
from ..families.counted import describe_characters, describe_words
from .tokenizer_json import from_content, read_json

_HEAD = re.compile(rb'\s*\{\s*"token_grove"\s*:')


def recognises(data: bytes) -> bool:
    """Whether a file begins as these do.

    >>> recognises(b'{"token_grove": 1'), recognises(b'{"version": "1.0"}')
    (True, False)
    """
    return _HEAD.match(data[:100]) is not None


def from_bytes(data: bytes, name: str) -> Encoding:
    """The encoding that a file's content describes.

    Raises:
        ValueError: it is damaged, or holds no vocabulary.

    >>> data = '{"token_grove": 1, "family": "characters", "rest": "unknown", "tokens": "né"}'
    >>> from_bytes(data.encode(), "mine").encode("née")
    [1, 2, 0]
    """
    match read_json(data):
        case {"family": "characters", "tokens": str(tokens), "rest": "bytes" | "unknown" as rest}:
            content = describe_characters(tokens, rest)
        case {"family": "words", "tokens": [*tokens]} if all(isinstance(token, str) for token in tokens):
            content = describe_words(tokens)
        case _:
            raise ValueError("It holds no list of characters or words.")
    return from_content(content, data, name)
