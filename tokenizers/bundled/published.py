"""Vocabularies that others published, each read from its file as its publisher's own code reads it.

tiktoken's encodings come from its rank files, in assets/encodings; the others from assets/vocabularies.
Nothing is read from the network.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
from pathlib import Path

from ..bpe.byte_pairs import BytePairEncoding, Engine
from ..data.models import read_vocabulary
from ..encoding import ASSETS, Encoding
from ..families.longest_match import LongestMatchEncoding
from ..families.rewriting import RewritingEncoding
from ..families.sentencepieces import SentencePieceEncoding, SentencePieces
from ..families.wordpiece import as_word_piece, describe_ends, describe_word_pieces
from ..files import clip, rwkv, tekken, tokenizer_json
from ..files.ranks import read_ranks
from ..files.sentencepiece import parse_model
from ..files.tokenizer_json import from_content
from ..shipped import read_published
from ..split.patterns import GPT2, GPT4, GPT4O, QWEN, QWEN35
from ..text.rewriting import normalise

ENCODINGS_DIR = ASSETS / "encodings"

_STORE = "https://openaipublic.blob.core.windows.net"

# Each rank file in OpenAI's store, with the SHA-256 that tiktoken expects.
RANK_FILES: dict[str, str] = {
    "gpt-2/encodings/main/vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "gpt-2/encodings/main/encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "encodings/r50k_base.tiktoken": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "encodings/p50k_base.tiktoken": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "encodings/cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "encodings/o200k_base.tiktoken": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}

# name: (split pattern, rank files)
TIKTOKEN_ENCODINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "gpt2": (GPT2, ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json")),
    "r50k_base": (GPT2, ("encodings/r50k_base.tiktoken",)),
    "p50k_base": (GPT2, ("encodings/p50k_base.tiktoken",)),
    "p50k_edit": (GPT2, ("encodings/p50k_base.tiktoken",)),
    "cl100k_base": (GPT4, ("encodings/cl100k_base.tiktoken",)),
    "o200k_base": (GPT4O, ("encodings/o200k_base.tiktoken",)),
    "o200k_harmony": (GPT4O, ("encodings/o200k_base.tiktoken",)),
}


def name_in_cache(file: str) -> str:
    """What tiktoken's cache calls a rank file of OpenAI's store.

    >>> name_in_cache("encodings/o200k_base.tiktoken")
    'fb374d419588a4632f3f557e76b4b70aebbca790'
    """
    return hashlib.sha1(f"{_STORE}/{file}".encode()).hexdigest()


def load_tiktoken(name: str, folder: Path = ENCODINGS_DIR) -> BytePairEncoding:
    """One of tiktoken's encodings, from the rank files in ``folder``; never from the network.

    The folder is tiktoken's cache. Each file is checked here, by its hash, since tiktoken would download one
    that is missing or damaged.

    Raises:
        ValueError: a rank file is damaged; names it.
        OSError: a rank file is missing or unreadable; names it.
    """
    pattern, files = TIKTOKEN_ENCODINGS[name]
    for file in files:
        path = folder / name_in_cache(file)
        read_published(path, RANK_FILES[file], f"{name} cannot be loaded: its rank file")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return BytePairEncoding(name, engine=Engine.of_tiktoken(name), pattern=pattern)


def load_chatml(name: str) -> BytePairEncoding:
    """cl100k_base with ChatML's two tokens, as tiktoken's README builds it."""
    base = load_tiktoken("cl100k_base")
    special = {**base.special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265}
    engine = Engine(name, base.ordinary, special, base.engine_pattern)
    return BytePairEncoding(name, engine=engine, pattern=base.pattern)


_WHISPER_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur "
    "hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si "
    "km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln "
    "ha ba jw su"
).split()
_WHISPER_TASKS = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")

_NO_BYTES = b"= 50256\n"
"""The last line of Whisper's file: a token of no bytes, which no text has."""


def load_whisper(name: str) -> BytePairEncoding:
    """The vocabulary of Whisper's multilingual models: GPT-2's algorithm and pattern, learned anew.

    Source: OpenAI's openai-whisper 20250625, whisper/tokenizer.py and assets/multilingual.tiktoken.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    data = read_vocabulary("whisper-multilingual.tiktoken", name).removesuffix(_NO_BYTES)
    ranks = read_ranks(data)
    times = (f"{number * 0.02:.2f}" for number in range(1501))  # every 0.02 seconds
    names = ("endoftext", "startoftranscript", *_WHISPER_LANGUAGES, *_WHISPER_TASKS, *times)
    # After the token of no bytes.
    special = {f"<|{special}|>": number for number, special in enumerate(names, start=len(ranks) + 1)}
    return BytePairEncoding(name, engine=Engine(name, ranks, special, GPT2), pattern=GPT2)


def load_tekken(name: str) -> BytePairEncoding:
    """Mistral AI's vocabulary since NeMo."""
    return tekken.from_bytes(read_vocabulary("tekken-240911.json", name), name)


def load_pipeline(name: str) -> Encoding:
    """A vocabulary on Hugging Face's engine, as its publisher's tokenizer.json has it.

    deepseek-v3, DeepSeek's since V3, or claude-2, of Claude 1 and 2 (Anthropic's anthropic 0.38.0).
    """
    data = read_vocabulary(f"{name}.tokenizer.json", name)
    return tokenizer_json.from_bytes(data, name, is_published=True)


def _read_added(name: str) -> dict[str, int]:
    """The added tokens of a vocabulary whose file has none, with their ids."""
    added: dict[str, int] = json.loads(read_vocabulary(f"{name}.added-tokens.json", name))
    return added


_GLM45_RANKS = 151_329


def load_glm(name: str) -> BytePairEncoding:
    """A vocabulary of GLM, glm-4.5 or glm-5. The older one's ranks are the first of the newer one's file.

    GLM-5's added tokens are not known here.

    Raises:
        OSError: a file is missing. ValueError: it is damaged.
    """
    is_older = name == "glm-4.5"
    ranks = read_ranks(read_vocabulary("glm-5.tiktoken", name))
    if is_older:
        ranks = dict(itertools.islice(ranks.items(), _GLM45_RANKS))
    special = _read_added(name) if is_older else {}
    enc = BytePairEncoding(name, engine=Engine(name, ranks, special, GPT4), pattern=GPT4)
    enc.knows_special_tokens = is_older
    return enc


QWEN_SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{i}|>" for i in range(205)))
"""The first Qwen's special tokens, in the order of their ids after the ranks."""


def load_qwen(name: str) -> RewritingEncoding:
    """A vocabulary of Qwen: qwen, qwen3 or qwen3.5. tiktoken's algorithm on a text in the normal form NFC.

    Source: Alibaba's dashscope 2.0.2, tokenizers/qwen_tokenizer.py.

    Raises:
        OSError: a file is missing. ValueError: it is damaged.
    """
    file, pattern = ("qwen3.5.tiktoken", QWEN35) if name == "qwen3.5" else ("qwen.tiktoken", QWEN)
    ranks = read_ranks(read_vocabulary(file, name))
    special = dict(zip(QWEN_SPECIALS, itertools.count(len(ranks)), strict=False))
    return RewritingEncoding(
        name,
        engine=Engine(name, ranks, special if name == "qwen" else _read_added(name), pattern),
        pattern=pattern,
        rewriting=functools.partial(normalise, form="NFC"),
        called="the normal form NFC",
    )


def load_clip(name: str) -> RewritingEncoding:
    """CLIP's vocabulary.

    Raises:
        OSError: its file is missing, or ftfy is not installed. ValueError: the file is damaged.
    """
    return clip.from_bytes(read_vocabulary("clip-bpe.txt", name), name)


def load_rwkv(name: str) -> LongestMatchEncoding:
    """RWKV's vocabulary."""
    return rwkv.from_bytes(read_vocabulary("rwkv-world.txt", name), name)


def load_sentencepiece(name: str, kind: type[SentencePieces] = SentencePieceEncoding) -> SentencePieces:
    """A SentencePiece model, of a kind: mistral-v1, j2 or gemma-4."""
    return kind(parse_model(read_vocabulary(f"{name}.model", name)), name=name)


_GEMMA_CONTROLS = 3  # <pad>, <eos> and <bos>, which come first


def load_gemma(name: str) -> SentencePieces:
    """Gemma's vocabulary. In our file alone, pieces that no merge makes, as <unused0>, are control pieces."""
    encoding = load_sentencepiece(name)
    encoding.is_silent[_GEMMA_CONTROLS:] = False
    specials = encoding.special_tokens.items()
    encoding.special_tokens = {token: i for token, i in specials if i < 5 or "|" in token}
    return encoding


def load_bert(name: str) -> Encoding:
    """BERT's vocabulary. Its file is a list of the tokens."""
    listed: list[str] = json.loads(read_vocabulary("bert-uncased.vocab.json", name))
    listed[1] = "[unused0]"
    ids = {as_word_piece(token): token_id for token_id, token in enumerate(listed)}
    content = describe_word_pieces(ids, ("[PAD]", "[CLS]", "[SEP]", "[MASK]"))
    content["post_processor"] = describe_ends(ids)
    return from_content(content, json.dumps(content).encode(), name)
