"""Token Grove's own file of a vocabulary of characters or of words, for which there is no other format.

JSON with one object: ``token_grove``, the format's version, comes first; then the family, and the tokens in
order without those that the family puts first ([UNK], the bytes).

    {"token_grove": 1, "family": "characters", "rest": "bytes", "tokens": "etaoin"}
    {"token_grove": 1, "family": "words", "tokens": ["the", "of", "and"]}
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..families.characters import CharacterEncoding
from ..families.words import WordEncoding
from .tokenizer_json import read_json

_VERSION = 1
_HEAD = re.compile(rb'\s*\{\s*"token_grove"\s*:')

Listed = CharacterEncoding | WordEncoding


def recognises(data: bytes) -> bool:
    """Whether a file begins as these do.

    >>> recognises(to_bytes(CharacterEncoding("ab"))), recognises(b'{"version": "1.0"}')
    (True, False)
    """
    return _HEAD.match(data[:100]) is not None


def to_bytes(encoding: Listed) -> bytes:
    """The file's content.

    >>> print(to_bytes(WordEncoding(["naïve", "art"])).decode())
    {"token_grove": 1, "family": "words", "tokens": ["naïve", "art"]}
    """
    content: dict[str, Any] = {"token_grove": _VERSION, "family": encoding.family}
    if isinstance(encoding, CharacterEncoding):
        content |= {"rest": encoding.rest, "tokens": encoding.characters}
    else:
        content["tokens"] = encoding.vocabulary
    return json.dumps(content, ensure_ascii=False).encode("utf-8")


def from_bytes(data: bytes, name: str) -> Listed:
    """The encoding that a file's content describes.

    Raises:
        ValueError: it is damaged, of a later version, or holds no vocabulary.

    >>> from_bytes(to_bytes(CharacterEncoding("né", "unknown")), "mine").encode("née")
    [1, 2, 0]
    """
    content = read_json(data)
    if content.get("token_grove") != _VERSION:
        raise ValueError("Another version of Token Grove saved it.")
    encoding: Listed
    match content:
        case {"family": "characters", "tokens": str(tokens), "rest": "bytes" | "unknown" as rest}:
            encoding = CharacterEncoding(tokens, rest, name=name)
        case {"family": "words", "tokens": [*tokens]} if all(isinstance(token, str) for token in tokens):
            encoding = WordEncoding(tokens, name=name)
        case _:
            raise ValueError("It holds no list of characters or words.")
    encoding.file = to_bytes(encoding)
    return encoding
