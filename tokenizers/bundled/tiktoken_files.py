"""tiktoken's encodings, read from rank files that come with the app; never from the network."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import tiktoken

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..encoding import ASSETS
from ..shipped import damaged, missing
from ..split.patterns import GPT2, GPT4, GPT4O
from ..text.chat import CHATML_ENCODING

ENCODINGS_DIR = ASSETS / "encodings"

_GPT2_VOCAB = "6d1cbeee0f20b3d9449abfede4726ed8212e3aee"
_GPT2_ENCODER = "6c7ea1a7e38e3a7f062df639a5b80947f075ffe6"
_R50K = "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4"
_P50K = "ec7223a39ce59f226a68acc30dc1af2788490e15"
_CL100K = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"

# Each rank file, named as tiktoken's cache names it, with the SHA-256 that tiktoken expects.
RANK_FILES: dict[str, str] = {
    _GPT2_VOCAB: "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    _GPT2_ENCODER: "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    _R50K: "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    _P50K: "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    _CL100K: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    _O200K: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

# name: (split pattern, rank files)
TIKTOKEN_ENCODINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "gpt2": (GPT2, (_GPT2_VOCAB, _GPT2_ENCODER)),
    "r50k_base": (GPT2, (_R50K,)),
    "p50k_base": (GPT2, (_P50K,)),
    "p50k_edit": (GPT2, (_P50K,)),
    "cl100k_base": (GPT4, (_CL100K,)),
    "o200k_base": (GPT4O, (_O200K,)),
    "o200k_harmony": (GPT4O, (_O200K,)),
}


def load_tiktoken(name: str, folder: Path = ENCODINGS_DIR) -> BytePairEncoding:
    """One of tiktoken's encodings, from the rank files in ``folder``; never from the network.

    The folder is tiktoken's cache. Each file is checked here, by its hash, since tiktoken would download one
    that is missing or damaged.

    Raises:
        ValueError: no such encoding, or a rank file is damaged; names the file.
        OSError: a rank file is missing or unreadable; names it.
    """
    if name not in TIKTOKEN_ENCODINGS:
        raise ValueError(f"tiktoken has no encoding {name!r} here; it has {', '.join(TIKTOKEN_ENCODINGS)}.")
    pattern, files = TIKTOKEN_ENCODINGS[name]
    for file in files:
        _check_rank_file(folder / file, name)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return BytePairEncoding(name, engine=tiktoken.get_encoding(name), pattern=pattern)


def _check_rank_file(path: Path, name: str) -> None:
    """Raise unless the file is there and its bytes are the ones that tiktoken expects."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise missing(path, f"{name} cannot be loaded: its rank file", problem) from None
    if hashlib.sha256(data).hexdigest() != RANK_FILES[path.name]:
        raise damaged(path, f"{name} cannot be loaded: its rank file", "its SHA-256 is not the published one")


def load_chatml() -> BytePairEncoding:
    """cl100k_base with ChatML's two tokens, as tiktoken's README builds it."""
    base = load_tiktoken("cl100k_base")
    special = {**base.special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265}
    pattern = TIKTOKEN_ENCODINGS["cl100k_base"][0]
    engine = engine_from_ranks(CHATML_ENCODING, base.ordinary, special, base.engine_pattern)
    return BytePairEncoding(CHATML_ENCODING, engine=engine, pattern=pattern)
