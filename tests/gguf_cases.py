"""Small .gguf files of all kinds, and texts, of which llama.cpp's ids are kept (tools/known_llama_cpp.py)."""

from __future__ import annotations

import functools
import itertools
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import tokenizers as tk
from tests.model_files import write_header
from tokenizers.files.known import named_ways
from tokenizers.text.spelling import byte_characters

TEXTS = (
    "Hello, world! I'm here; DON'T we'LL it’s CAN'T",
    "HelloWorld fooBar ABCdef lM Ünïçödé straßE mΑ eǅ",
    "12345678 1,234 12 3 a1234b 3.14 1234567890123",
    "१२३४५ ٣٤٥٦٧ ½ ⅷ ² 9ก",
    "a    b  c \n\n  d\r\n\r\ne \t f",
    "ends in blanks   ",
    "\n",
    " \n \n\n",
    "日本語のテキスト、한국어。中文 ไทย देवनागरी",
    "กé한ก中กខ្មែរ",
    "e\u0301 का x\u200by 한",
    "a\u3000b\u2028c\u00a0d 　😀",
    "!!!...??? -- __init__(self) a+b==c // {'x': [1]} $5 <b>…</b>",
    "😀👩‍👩‍👧 ✅!",
    "<sentinel:1> IMGIMGABCZ",
    "the the  the",
    "日ǅ",
    "x" * 120,
)
DNA = ("<dna>ACGTACgta</dna> the <dna>NNNNNNA", "the</dna>a <dna> ACGTAC</dna>")
MARKED = ("<s>a</s> b", "[UNK] a [MASK]", "a<|end|> [PAD9]b [USER]", "İ", "a▁▁▁b", *DNA)


def numbers(values: Any, kind: type = np.int32) -> Any:
    return np.array(values, dtype=kind)


def gguf_of(kind: str, **values: Any) -> bytes:
    """A .gguf file without tensors, of these keys of its tokenizer."""
    keys = {f"tokenizer.{'ggml.' * (not key.startswith('chat'))}{key}": values[key] for key in values}
    return write_header({"general.architecture": "llama", "tokenizer.ggml.model": kind} | keys)


@functools.cache
def without_walls() -> dict[str, Any]:
    """Tokens and merges of bytes that were learned without walls: each cut shows in the ids."""
    trained = tk.train([*TEXTS, *TEXTS], 1_200, pattern=None)
    names = list(byte_characters())
    for left, right in trained.merges:
        names.append(names[left] + names[right])
    merges = [f"{names[left]} {names[right]}" for left, right in trained.merges]
    kinds = numbers([1] * len(names) + [3, 4])
    return {
        "tokens": [*names, "<|end|>", "[USER]"],
        "token_type": kinds,
        "merges": merges,
        "bos_token_id": len(names),
    }


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
_WRITTEN = tomllib.loads(Path(__file__).with_name("gguf_pieces.toml").read_text("utf-8"))


def pieces(name: str) -> dict[str, Any]:
    """Pieces of gguf_pieces.toml, with their scores and kinds, and the bytes."""
    written = _WRITTEN[name]
    rows = [*written["first"], *([byte, 0, 6] for byte in BYTES), *written["last"]]
    tokens, scores, kinds = zip(*rows, strict=True)
    return {"tokens": list(tokens), "scores": numbers(scores, np.float32), "token_type": numbers(kinds)}


PIECES = pieces("pieces")
WORDS: Mapping[str, Any] = {
    "tokens": (
        "[PAD] [UNK] [CLS] [SEP] [MASK] ▁the ▁Hello ▁hello ▁é ▁x ▁un ▁a ▁B ▁b ▁! ▁, ▁日 ▁한국어 "
        "x d é e ï ello c"
    ).split(),
    "token_type": numbers([3] * 5 + [1] * 20),
    "unknown_token_id": 1,
    "bos_token_id": 2,
    "seperator_token_id": 3,
}
CHARACTERS: Mapping[str, Any] = {
    "tokens": "<pad> </s> <s> <unk>".split()
    + [*BYTES, "▁", *"abtheél\n", "\n\n", *"th ▁th he ▁▁ the".split()],
    "token_type": numbers([3] * 4 + [6] * 256 + [1] * 15),
    "merges": ["\n \n", "t h", "▁ th", "h e", "▁ ▁", "th e"],
    "bos_token_id": 2,
    "unknown_token_id": 3,
}


TABLE = {**pieces("table"), "bos_token_id": 1}
UNIGRAM: Mapping[str, Any] = {
    **PIECES,
    "unknown_token_id": 0,
    "eos_token_id": 2,
    "add_space_prefix": True,
}
KMERS = [f"{''.join(letters)}\ue000" for letters in itertools.product("ATCG", repeat=6)]


def with_dna() -> dict[str, Any]:
    """Tokens of bytes, and k-mers."""
    walls = without_walls()
    return {
        "tokens": [*walls["tokens"], "<dna>", "</dna>", "<oov>", *KMERS],
        "token_type": np.append(walls["token_type"], numbers([1] * (3 + len(KMERS)))),
        "merges": walls["merges"],
        "bos_token_id": walls["bos_token_id"],
    }


def of_strange_kinds() -> dict[str, Any]:
    """Tokens of bytes, of which the last letters have kinds that no other tokenizer gives them."""
    walls = without_walls()
    kinds = walls["token_type"].copy()
    kinds[-6:-2] = [6, 9, 0, 5]
    return {**walls, "token_type": kinds}


VOCABULARIES: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "without walls": without_walls,
    "without walls, of strange kinds": of_strange_kinds,
    "pieces": lambda: PIECES,
    "words": lambda: WORDS,
    "characters": lambda: CHARACTERS,
    "table": lambda: TABLE,
    "DNA": with_dna,
    "Unigram": lambda: UNIGRAM,
}


def gguf_of_case(kind: str, vocabulary: str, lacks: str = "", **keys: Any) -> bytes:
    """The .gguf file of a case: its keys, and those of its vocabulary but the one that it lacks."""
    listed = VOCABULARIES[vocabulary]()
    others = {key: listed[key] for key in listed if key not in keys and key != lacks}
    return gguf_of(kind, **keys, **others)


@functools.cache
def cases() -> dict[str, bytes]:
    """The files, by what is special in them."""
    walls = without_walls()
    of_bytes = [pre for pre, way in named_ways().items() if not way.of_characters]
    written = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        **{f"pre {pre}": gguf_of("gpt2", pre=pre, **walls) for pre in of_bytes},
        **{name: gguf_of_case(**case) for name, case in written.items()},
    }
