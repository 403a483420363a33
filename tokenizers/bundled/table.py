"""The table of the encodings that come with the app; home-trained ones are a file each, in assets/models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..encoding import Encoding
from ..families.jurassic import JurassicEncoding
from ..families.listed import ByteEncoding
from ..families.sentencepieces import SentencePieceEncoding
from ..files.loading import load as load_file
from ..split.patterns import QWEN35
from ..text.chat import CHATML_ENCODING
from .learned import all_languages, load_characters, load_words, model_languages
from .published import (
    ENCODINGS_DIR,
    load_bert,
    load_chatml,
    load_clip,
    load_gemma,
    load_glm,
    load_pipeline,
    load_qwen,
    load_rwkv,
    load_sentencepiece,
    load_tekken,
    load_tiktoken,
    load_whisper,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An encoding that comes with the app.

    Attributes:
        load: loads it; called once in a process.
        models: one or two models that use it, as people write them, the best known first; "": none does.
        about: every model that uses it, newest first, or what it is; people search in it, too.
        maker: whose it is, which is its group in the choosers.
        year: when it was published; 0: that does not matter.
        hue: the number of its colour on every page and chart, from the list in ``pages/shared/colours.py``.
        sources: gives the keys of the bundled texts that it was learned from, as far as they are here.
    """

    load: Callable[[], Encoding]
    models: str
    about: str
    maker: str
    year: int
    hue: int
    sources: Callable[[], Sequence[str]] = tuple


def model_file(
    file: str,
    models: str,
    hue: int,
    *,
    about: str = "",
    maker: str = "other files",
    year: int = 0,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Entry:
    """One that is read from a model file in assets/encodings, and is named after it.

    Args:
        file: the file's name: .model, .tiktoken or .json (a tokenizer.json).
        models: one or two models that use it.
        hue: the number of its colour.
        about, maker, year: see ``Entry``.
        pattern, special_tokens: for a .tiktoken file, which does not have them: see ``load``.

    >>> model_file("none.model", "no model", 17).load()
    Traceback (most recent call last):
    ...
    OSError: ...none.model cannot be read: No such file or directory.
    """

    def load() -> Encoding:
        return load_file(ENCODINGS_DIR / file, pattern=pattern, special_tokens=special_tokens or {})

    return Entry(load, models, about or models, maker, year, hue)


def _openai(name: str, models: str, about: str, year: int, hue: int) -> Entry:
    """One that tiktoken knows by this name."""
    return Entry(functools.partial(load_tiktoken, name), models, about, "OpenAI", year, hue)


NO_MODEL = "without a model"
"""The group of encodings that are here to compare with."""

BUNDLED: dict[str, Entry] = {
    "o200k_base": _openai(
        "o200k_base",
        "GPT-4o, GPT-5",
        "GPT-5 and its successors, o4-mini, o3, o1, GPT-4.5, GPT-4.1, ChatGPT-4o, GPT-4o and GPT-4o mini.",
        2024,
        3,
    ),
    "o200k_harmony": _openai(
        "o200k_harmony",
        "gpt-oss",
        "gpt-oss-120b and gpt-oss-20b: o200k_base with the tokens of harmony, their format of chats.",
        2025,
        4,
    ),
    "cl100k_base": _openai(
        "cl100k_base",
        "GPT-4",
        "GPT-4, GPT-4 Turbo, GPT-3.5 Turbo, and the embeddings text-embedding-3 (small and large) and "
        "text-embedding-ada-002. Phi-4 and OLMo 2 have the same tokens, with other special ones.",
        2022,
        2,
    ),
    CHATML_ENCODING: Entry(
        load_chatml,
        "GPT-4 with ChatML",
        "cl100k_base with ChatML's two tokens, as tiktoken's README builds it.",
        "OpenAI",
        2023,
        8,
    ),
    "p50k_edit": _openai(
        "p50k_edit", "text-davinci-edit-001", "text-davinci-edit-001 and code-davinci-edit-001.", 2022, 7
    ),
    "p50k_base": _openai(
        "p50k_base", "Codex, text-davinci-003", "text-davinci-003 and 002, and Codex (code-davinci).", 2021, 6
    ),
    "r50k_base": _openai("r50k_base", "GPT-3", "The first GPT-3: davinci, curie, babbage and ada.", 2020, 5),
    "gpt2": _openai("gpt2", "GPT-2", "GPT-2 in every size.", 2019, 1),
    "whisper": Entry(
        load_whisper, "Whisper", "Whisper, models of speech, in many languages.", "OpenAI", 2022, 18
    ),
    "clip": Entry(
        load_clip,
        "CLIP",
        "CLIP, models of pictures and texts, and Stable Diffusion. A text is mended first (ftfy), "
        "and HTML's names of characters are read. Small letters alone; white space is dropped, and a word's "
        "last letter carries </w>, which is shown as the space that it decodes to. (Hugging Face's "
        "CLIPTokenizer mends nothing, so curly quotes are other tokens there.)",
        "OpenAI",
        2021,
        24,
    ),
    "deepseek-v3": Entry(
        functools.partial(load_pipeline, "deepseek-v3"),
        "DeepSeek V3, R1",
        "DeepSeek V3.2, V3.1, R1 and V3. V4 has the same tokens and merges, with other special tokens.",
        "DeepSeek",
        2024,
        26,
    ),
    "qwen3.5": Entry(
        functools.partial(load_qwen, "qwen3.5", "qwen3.5.tiktoken", QWEN35),
        "Qwen 3.5, Qwen 3.6",
        "Qwen 3.6 and 3.5. A text is brought to the normal form NFC first.",
        "Alibaba",
        2026,
        27,
    ),
    "qwen3": Entry(
        functools.partial(load_qwen, "qwen3"),
        "Qwen 3, Qwen 2.5",
        "Qwen 3, QwQ, Qwen 2.5 and Qwen 2. A text is brought to the normal form NFC first.",
        "Alibaba",
        2024,
        28,
    ),
    "qwen": Entry(
        functools.partial(load_qwen, "qwen"),
        "Qwen 1",
        "The first Qwen: the tokens of qwen3, with other special ones.",
        "Alibaba",
        2023,
        22,
    ),
    "glm-5": Entry(
        functools.partial(load_glm, "glm-5", 154_820),
        "GLM-5",
        "GLM-5: the tokens of glm-4.5 and 3,491 more. Its special tokens are not known here.",
        "Zhipu AI",
        2026,
        29,
    ),
    "glm-4.5": Entry(
        functools.partial(load_glm, "glm-4.5", 151_329),
        "GLM-4.5",
        "GLM-4.7, GLM-4.6, GLM-4.5 and GLM-4. 893 of its tokens arise only where they are a whole piece.",
        "Zhipu AI",
        2024,
        30,
    ),
    "gemma-4": Entry(
        load_gemma,
        "Gemma 4, Gemini SDK",
        "Gemma 4. Gemma 3 has the same merges, with other special tokens, and by these Google's own library "
        "counts Gemini's tokens on your computer. SentencePiece BPE.",
        "Google",
        2026,
        31,
    ),
    "bert-uncased": Entry(
        load_bert,
        "BERT",
        "BERT, in small letters (WordPiece); accents and white space are dropped, and a word that cannot be "
        "put together is [UNK]. Its 994 tokens [unused…] arise in no text.",
        "Google",
        2018,
        25,
    ),
    "tekken": Entry(
        load_tekken,
        "Mistral",
        "Mistral's models since NeMo: Magistral, Devstral, Mistral Small 3, Ministral, Pixtral and others.",
        "Mistral AI",
        2024,
        21,
    ),
    "mistral-v1": Entry(
        functools.partial(load_sentencepiece, SentencePieceEncoding, "mistral-v1"),
        "Mistral 7B, Mixtral",
        "The first Mistral 7B and Mixtral 8x7B; Llama 1 and 2 cut the same way, with other tokens. "
        "SentencePiece BPE, 32,000 pieces, of which 125 never arise: bytes whose characters are pieces too.",
        "Mistral AI",
        2023,
        19,
    ),
    "claude-2": Entry(
        functools.partial(load_pipeline, "claude-2"),
        "Claude 2",
        "Claude 1 and 2; the vocabularies of later Claudes are not public. A text is brought to the normal "
        "form NFKC first: ² becomes 2.",
        "Anthropic",
        2023,
        23,
    ),
    "j2": Entry(
        functools.partial(load_sentencepiece, JurassicEncoding, "j2"),
        "Jurassic-2",
        "Jurassic-2. SentencePiece Unigram, 262,144 pieces, some of several words; ² becomes 2 "
        "first (NFKC), and each line begins with a space that is put there.",
        "AI21 Labs",
        2023,
        20,
    ),
    "rwkv-world": Entry(
        load_rwkv,
        "RWKV",
        "RWKV's World models, from version 4 on: 65,529 byte strings, cut by longest match, without merges.",
        "RWKV",
        2023,
        17,
    ),
    "bytes": Entry(
        ByteEncoding,
        "",
        "Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.",
        NO_MODEL,
        0,
        13,
    ),
    "characters": Entry(
        functools.partial(load_characters, "characters", "bytes"),
        "",
        "Every character of the declaration of human rights in 532 languages is a token; the rest are bytes.",
        NO_MODEL,
        0,
        14,
        all_languages,
    ),
    "characters-unknown": Entry(
        functools.partial(load_characters, "characters-unknown", "unknown"),
        "",
        "The same characters; the rest are [UNK], and do not come back.",
        NO_MODEL,
        0,
        15,
        all_languages,
    ),
    "words": Entry(
        load_words,
        "",
        "The most frequent words of the declaration of human rights in 28 languages, 8,192 in all; "
        "the rest are [UNK], and white space is dropped.",
        NO_MODEL,
        0,
        16,
        model_languages,
    ),
}
"""In the order of choosers, within each group."""
