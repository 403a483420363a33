"""Random .gguf files of every kind, and texts that meet them: to compare with llama.cpp in ``fuzz.py``."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.gguf_cases import (
    CHARACTERS,
    PIECES,
    TABLE,
    UNIGRAM,
    gguf_of,
    numbers,
    with_dna,
    without_walls,
)
from tokenizers.files.known import named_ways

LETTERS = "aab thé日\n 1▁한😀\t\u3000,.<|>"
WORDS_AND_MARKS = ("the ", "  ", "aaaa", "\n\n", "<|end|>", "[USER]", "<dna>ACGTACgt</dna>", "<|plamo:bos|>")
PARTS = (*LETTERS, *WORDS_AND_MARKS, "\uee00")


def any_text(choose: random.Random) -> str:
    """A text that a random file has tokens of."""
    return "".join(choose.choices(PARTS, k=choose.randint(0, 25)))


def any_gguf(choose: random.Random) -> bytes:
    """One of the tests' files, with more tokens, other scores, and other merges.

    None is of the kind bert, where llama.cpp's ids may always differ.
    """
    kind, values = _any_file(choose)
    listed = values["tokens"]
    space = "▁" if "▁" in listed else " "
    words = {"".join(choose.choices(LETTERS.replace(" ", space), k=choose.randint(1, 4))) for _ in range(40)}
    if kind == "rwkv":
        words = {_written(word.encode()) for word in words}
    tokens = [*listed, *sorted(words - set(listed))]
    values["tokens"] = tokens
    values["token_type"] = np.append(values["token_type"], numbers([1] * (len(tokens) - len(listed))))
    if "scores" in values:  # some of which are the same
        values["scores"] = numbers([-choose.randrange(30) / 2 for _ in tokens], np.float32)
    if "merges" in values:
        merges = list(values["merges"])
        if space == "▁":
            merges = _merges_of(tokens)
        values["merges"] = choose.sample(merges, len(merges))
    return gguf_of(kind, **values)


def _any_file(choose: random.Random) -> tuple[str, dict[str, Any]]:
    """A kind, and the keys of a file of the tests."""
    pre = choose.choice([name for name, way in named_ways().items() if not way.of_characters])
    byte_tokens = [_written(bytes([byte])) for byte in range(256)]
    files = [
        ("llama", {**PIECES, "add_space_prefix": choose.random() < 0.5}),
        ("t5", {**UNIGRAM, "remove_extra_whitespaces": choose.random() < 0.5}),
        ("plamo2", TABLE),
        ("plamo3", TABLE),
        ("gpt2", {**without_walls(), "pre": pre}),
        ("hybriddna", {**with_dna(), "pre": pre}),
        ("whitespace", {**without_walls(), "pre": pre}),
        ("gpt2", {**CHARACTERS, "pre": "mmbert"}),
        ("gemma4", {**CHARACTERS, "pre": "gemma4"}),
        ("whitespace", {**CHARACTERS, "pre": "whitespace"}),
        ("rwkv", {"tokens": ["<s>", *byte_tokens], "token_type": numbers([3] + [1] * 256)}),
    ]
    kind, values = choose.choice(files)
    return kind, dict(values)


def _written(token: bytes) -> str:
    """A token as a file of the kind rwkv has it."""
    return repr(token)[2:-1]


def _merges_of(tokens: list[str]) -> list[str]:
    """All pairs of tokens that make a token.

    llama.cpp cuts at line ends first, and Gemma's own tokenizer does not: none has a line end and others.
    """
    listed = set(tokens)
    return [
        f"{token[:at]} {token[at:]}"
        for token in tokens
        if "\n" not in token or not token.strip("\n")
        for at in range(1, len(token))
        if {token[:at], token[at:]} <= listed
    ]
