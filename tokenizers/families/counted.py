"""Characters, and words: the most frequent ones of some texts, each of which is a token.

A **character** (code point) that is not in the vocabulary becomes its bytes of UTF-8, so that nothing is lost
("byte fallback"), or [UNK]. With bytes, ids 0 to 255 are theirs, and an ASCII character is its byte.

**Words** are how texts were tokenized before subwords. A text is cut into runs of letters, marks, digits and
underscores, and runs of other characters; white space is dropped. A run that is not in the vocabulary becomes
[UNK]. To decode, words are joined by single spaces, so a text rarely comes back as it was.

A vocabulary is the tokenizer.json that says the same: a BPE without merges, or a WordLevel behind the step
Whitespace. Source: https://huggingface.co/docs/tokenizers/api/pre-tokenizers and api/models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import regex

from ..json_types import JsonObject, json_bytes
from ..numbered import numbered
from ..utf8 import well_formed
from .huggingface_engine import describe_decoder

Rest = Literal["bytes", "unknown"]
"""What becomes of a character that is not in the vocabulary."""

UNKNOWN = "[UNK]"
"""What the unknown token decodes to."""

_BYTES = [chr(byte) if byte < 0x80 else f"<0x{byte:02X}>" for byte in range(256)]
_IN_WORDS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
_WORD = regex.compile(rf"[{_IN_WORDS}]+|[^{_IN_WORDS}\p{{White_Space}}]+")


def describe_characters(characters: Iterable[str], rest: Rest = "bytes") -> JsonObject:
    """The content of the tokenizer.json of these characters.

    >>> from tokenizers.files.tokenizer_json import from_content
    >>> from_content(describe_characters("aé"), b"", "small").encode("aéü")
    [97, 256, 195, 188]
    >>> unknown = from_content(describe_characters("aé", "unknown"), b"", "small")
    >>> unknown.encode("aéü"), unknown.decode([1, 2, 0])
    ([1, 2, 0], 'aé[UNK]')
    """
    has_bytes = rest == "bytes"
    first = _BYTES if has_bytes else [UNKNOWN]
    model: JsonObject = {
        "type": "BPE",
        "merges": [],
        "byte_fallback": has_bytes,
        "unk_token": None if has_bytes else UNKNOWN,
        "vocab": numbered(dict.fromkeys([*first, *characters])),
    }
    return {"version": "1.0", "decoder": describe_decoder(), "model": model}


def describe_words(words: Iterable[str]) -> JsonObject:
    """The content of the tokenizer.json of these words; a run of symbols such as "..." counts as one.

    >>> from tokenizers.files.tokenizer_json import from_content
    >>> enc = from_content(describe_words(["the", "cat", "."]), b"", "small")
    >>> enc.encode("the  cat purrs."), enc.decode([1, 2, 0, 3])
    ([1, 2, 0, 3], 'the cat [UNK] .')
    """
    vocabulary = numbered([UNKNOWN, *words])
    return {
        "version": "1.0",
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": UNKNOWN},
    }


def learn_characters(texts: Iterable[str], vocab_size: int | None = None, rest: Rest = "bytes") -> bytes:
    """The tokenizer.json of the most frequent characters of some texts; on ties, the lower code point first.

    Args:
        texts: what to learn from.
        vocab_size: tokens in all, the bytes or [UNK] included; None: as many as there are characters.
        rest: what becomes of all other characters.

    Raises:
        ValueError: fewer tokens than bytes or [UNK] need.

    >>> import json
    >>> list(json.loads(learn_characters(["naïve", "naïf"], 258))["model"]["vocab"])[254:]
    ['<0xFE>', '<0xFF>', 'ï']
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(well_formed(text))
    characters = sorted(counts)
    n_given = 1
    if rest == "bytes":
        characters = [character for character in characters if not character.isascii()]
        n_given = len(_BYTES)
    characters.sort(key=counts.__getitem__, reverse=True)
    most = _room(vocab_size, n_given)
    return json_bytes(describe_characters(characters[:most], rest))


def learn_words(texts: Iterable[str], vocab_size: int | None = None) -> bytes:
    """The tokenizer.json of the most frequent words of some texts; on ties, the word that came first.

    Args:
        texts: what to learn from.
        vocab_size: tokens in all, [UNK] included; None: as many as there are words.

    Raises:
        ValueError: no token at all.

    >>> import json
    >>> list(json.loads(learn_words(["a rose, it's a rose"], 4))["model"]["vocab"])
    ['[UNK]', 'a', 'rose', ',']
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(well_formed(text)))
    by_frequency = sorted(counts, key=counts.__getitem__, reverse=True)
    most = _room(vocab_size, 1)
    return json_bytes(describe_words(by_frequency[:most]))


def _room(vocab_size: int | None, given: int) -> int | None:
    """How many tokens there are beside those that are always there."""
    if vocab_size is None:
        return None
    if vocab_size < given:
        raise ValueError(f"{vocab_size:,} tokens are too few: choose {given:,} or more.")
    return vocab_size - given
