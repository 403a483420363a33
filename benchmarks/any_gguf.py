"""Random .gguf files of every kind, and texts that meet them: to compare with llama.cpp in ``fuzz.py``."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.gguf_cases import BYTES, gguf_of, numbers, with_dna, without_walls
from tokenizers.files.known import named_ways

LETTERS = "aab thé日\n 1▁한😀\t\u3000,.<|>"
PARTS = (
    *LETTERS,
    "the ",
    "  ",
    "aaaa",
    "\n\n",
    "<|end|>",
    "[USER]",
    "<dna>ACGTACgt</dna>",
    "<|plamo:x|>",
    "\uee00",
)


def any_text(choose: random.Random) -> str:
    """A text that a random file has tokens of."""
    return "".join(choose.choices(PARTS, k=choose.randint(0, 25)))


def any_gguf(choose: random.Random) -> bytes:
    """A file of any kind."""
    makers: list[Callable[[random.Random], bytes]] = [_pieces, _table, _pairs, _characters, _words, _longest]
    return choose.choice(makers)(choose)


def _tokens(choose: random.Random, first: list[str], space: str, most: int = 40) -> list[str]:
    """The first tokens, and random ones, none of which is there twice."""
    letters = LETTERS.replace(" ", space)
    more = ("".join(choose.choices(letters, k=choose.choice([1, 1, 2, 2, 3, 4]))) for _ in range(most))
    return list(dict.fromkeys([*first, space, *more]))


def _scores(choose: random.Random, count: int) -> Any:
    """Scores, of which some are the same."""
    return numbers(
        [-choose.choice([choose.randrange(9), round(choose.random() * 9, 2)]) for _ in range(count)],
        np.float32,
    )


def _pieces(choose: random.Random) -> bytes:
    """The kinds llama and t5."""
    kind, first = choose.choice(["llama", "t5"]), ["<unk>", "<s>", "</s>", *BYTES]
    tokens = _tokens(choose, first, "▁")
    kinds = [2, 3, 3] + [6] * 256 + [1]  # of ▁
    kinds += choose.choices([1, 4, 5], [30, 1, kind == "t5"], k=len(tokens) - len(kinds))
    # llama.cpp's converter writes the spaces of user-defined symbols as spaces.
    tokens = [token.replace("▁", " ") if kinds[i] == 4 else token for i, token in enumerate(tokens)]
    keys = {"add_space_prefix": choose.choice([True, False])}
    if kind == "t5":
        keys |= {"remove_extra_whitespaces": choose.choice([True, False])}
    scores = _scores(choose, len(tokens))
    return gguf_of(kind, tokens=tokens, scores=scores, token_type=numbers(kinds), unknown_token_id=0, **keys)


def _table(choose: random.Random) -> bytes:
    """The kinds plamo2 and plamo3."""
    tokens = _tokens(choose, ["<unk>", "<|plamo:x|>", *BYTES], " ")
    kinds = numbers([2, 3] + [6] * 256 + [1] * (len(tokens) - 258))
    kind = choose.choice(["plamo2", "plamo3"])
    return gguf_of(kind, tokens=tokens, scores=_scores(choose, len(tokens)), token_type=kinds)


def _pairs(choose: random.Random) -> bytes:
    """The kinds gpt2, hybriddna and whitespace, whose tokens are bytes."""
    pre = choose.choice([name for name, way in named_ways().items() if not way.of_characters])
    kind = choose.choice(["gpt2", "gpt2", "hybriddna", "whitespace"])
    values = dict(with_dna() if kind == "hybriddna" else without_walls())
    merges = list(values["merges"])
    if choose.random() < 0.5:
        choose.shuffle(merges)
    return gguf_of(kind, pre=pre, **{**values, "merges": merges})


def _characters(choose: random.Random) -> bytes:
    """The kinds gpt2, gemma4 and whitespace, whose tokens are characters."""
    kind, pre = choose.choice([("gpt2", "mmbert"), ("gemma4", "gemma4"), ("whitespace", "whitespace")])
    pool = [letter for letter in dict.fromkeys(LETTERS) if letter != " "]
    tokens = ["<pad>", "</s>", "<s>", "<unk>", *BYTES, *pool]
    merges = []
    for _ in range(choose.randint(1, 40)):
        left, right = choose.choices(pool, k=2)
        # llama.cpp cuts at line ends first, and Gemma's own tokenizer does not.
        if left + right not in pool and ("\n" in left + right) == (not (left + right).strip("\n")):
            merges.append(f"{left} {right}")
            pool.append(left + right)
            tokens.append(left + right)
    kinds = numbers([3] * 4 + [6] * 256 + [1] * (len(tokens) - 260))
    values = {"tokens": tokens, "token_type": kinds, "merges": merges or ["a b"], "unknown_token_id": 3}
    if not merges:
        tokens.append("ab")
        values["token_type"] = np.append(kinds, numbers([1]))
    return gguf_of(kind, pre=pre, bos_token_id=2, **values)


def _words(choose: random.Random) -> bytes:
    """The kind bert."""
    words = _tokens(choose, [], "x")
    starts = [f"▁{word}" for word in words if choose.random() < 0.7]
    tokens = list(dict.fromkeys(["[UNK]", "[CLS]", "[SEP]", *starts, *words]))
    kinds = numbers([3] * 3 + [1] * (len(tokens) - 3))
    ids = {"unknown_token_id": 0, "bos_token_id": 1, "seperator_token_id": 2}
    return gguf_of("bert", tokens=tokens, token_type=kinds, **ids)


def _longest(choose: random.Random) -> bytes:
    """The kind rwkv."""
    listed = {bytes([byte]) for byte in range(256)} | {token.encode() for token in _tokens(choose, [], " ")}
    tokens = [repr(token)[2:-1] for token in sorted(listed)]
    choose.shuffle(tokens)
    return gguf_of("rwkv", tokens=["<s>", *tokens], token_type=numbers([3] + [1] * len(tokens)))
