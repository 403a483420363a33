"""The table of the encodings that come with the app."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..data.models import FIRST_MODEL
from ..encoding import Encoding
from ..families.jurassic import JurassicEncoding
from ..families.listed import ByteEncoding
from ..text.chat import CHATML_ENCODING
from . import published
from .learned import all_languages, load_characters, load_model, load_words, model_languages

HOME_TRAINED = "Home-trained"
NO_MODEL = "without a model"
"""The group of encodings that are here to compare with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An encoding that comes with the app.

    Attributes:
        load: loads it, given its name; called once in a process.
        models: one or two models that use it, as people write them, the best known first; "": none does.
        about: every model that uses it, newest first, or what it is; people search in it, too.
        hue: the number of its colour on every page and chart, from the list in ``pages/shared/colours.py``.
        year: when it was published; 0: that does not matter.
        maker: whose it is, which is its group in the choosers.
        sources: gives the keys of the bundled texts that it was learned from, as far as they are here.
        also: more models that people look for; choosers find them, too.
    """

    load: Callable[[str], Encoding]
    models: str
    about: str
    hue: int
    year: int = 0
    maker: str = NO_MODEL
    sources: Callable[[], Sequence[str]] = tuple
    also: str = ""


_openai = functools.partial(Entry, maker="OpenAI")
_alibaba = functools.partial(Entry, maker="Alibaba")

BUNDLED: dict[str, Entry] = {
    "o200k_base": _openai(
        published.load_tiktoken,
        "GPT-4o, GPT-5",
        "GPT-5 and its successors, o4-mini, o3, o1, GPT-4.5, GPT-4.1, ChatGPT-4o, GPT-4o and GPT-4o mini.",
        3,
        2024,
        also="GPT-4.1, o3, ChatGPT",
    ),
    "o200k_harmony": _openai(
        published.load_tiktoken,
        "gpt-oss",
        "gpt-oss-120b and gpt-oss-20b: o200k_base with the tokens of harmony, their format of chats.",
        4,
        2025,
    ),
    "cl100k_base": _openai(
        published.load_tiktoken,
        "GPT-4",
        "GPT-4, GPT-4 Turbo, GPT-3.5 Turbo, and the embeddings text-embedding-3 (small and large) and "
        "text-embedding-ada-002. Phi-4 and OLMo 2 have the same tokens, with other special ones.",
        2,
        2022,
        also="GPT-3.5, embeddings",
    ),
    CHATML_ENCODING: _openai(
        published.load_chatml,
        "GPT-4 with ChatML",
        "cl100k_base with ChatML's two tokens, as tiktoken's README builds it.",
        8,
        2023,
    ),
    "p50k_edit": _openai(
        published.load_tiktoken,
        "text-davinci-edit-001",
        "text-davinci-edit-001 and code-davinci-edit-001.",
        7,
        2022,
    ),
    "p50k_base": _openai(
        published.load_tiktoken,
        "Codex, text-davinci-003",
        "text-davinci-003 and 002, and Codex (code-davinci).",
        6,
        2021,
    ),
    "r50k_base": _openai(
        published.load_tiktoken, "GPT-3", "The first GPT-3: davinci, curie, babbage and ada.", 5, 2020
    ),
    "gpt2": _openai(published.load_tiktoken, "GPT-2", "GPT-2 in every size.", 1, 2019),
    "whisper": _openai(
        published.load_whisper, "Whisper", "Whisper, models of speech, in many languages.", 18, 2022
    ),
    "clip": _openai(
        published.load_clip,
        "CLIP",
        "CLIP, models of pictures and texts, and Stable Diffusion. A text is mended first (ftfy), "
        "and HTML's names of characters are read. Small letters alone; white space is dropped, and a word's "
        "last letter carries </w>, which is shown as the space that it decodes to. (Hugging Face's "
        "CLIPTokenizer mends nothing, so curly quotes are other tokens there.)",
        24,
        2021,
    ),
    FIRST_MODEL: Entry(
        load_model,
        HOME_TRAINED,
        "8,192 tokens from 28 languages: a byte-level BPE, trained here in a second on the Universal "
        "Declaration of Human Rights in 15 scripts. A few pages of each, and no code, no numbers, no small "
        "talk.",
        0,
        maker=HOME_TRAINED,
        sources=model_languages,
    ),
    "deepseek-v3": Entry(
        published.load_pipeline,
        "DeepSeek V3, R1",
        "DeepSeek V3.2, V3.1, R1 and V3. V4 has the same tokens and merges, with other special tokens.",
        26,
        2024,
        "DeepSeek",
    ),
    "qwen3.5": _alibaba(
        published.load_qwen,
        "Qwen 3.5, Qwen 3.6",
        "Qwen 3.6 and 3.5. A text is brought to the normal form NFC first.",
        27,
        2026,
    ),
    "qwen3": _alibaba(
        published.load_qwen,
        "Qwen 3, Qwen 2.5",
        "Qwen 3, QwQ, Qwen 2.5 and Qwen 2. A text is brought to the normal form NFC first.",
        28,
        2024,
    ),
    "qwen": _alibaba(
        published.load_qwen,
        "Qwen 1",
        "The first Qwen: the tokens of qwen3, with other special ones.",
        22,
        2023,
    ),
    "glm-5": Entry(
        published.load_glm,
        "GLM-5",
        "GLM-5: the tokens of glm-4.5 and 3,491 more. Its special tokens are not known here.",
        29,
        2026,
        "Zhipu AI",
    ),
    "glm-4.5": Entry(
        published.load_glm,
        "GLM-4.5",
        "GLM-4.7, GLM-4.6, GLM-4.5 and GLM-4. 893 of its tokens arise only where they are a whole piece.",
        30,
        2024,
        "Zhipu AI",
    ),
    "gemma-4": Entry(
        published.load_gemma,
        "Gemma 4, Gemini SDK",
        "Gemma 4. Gemma 3 has the same merges, with other special tokens, and by these Google's own library "
        "counts Gemini's tokens on your computer. SentencePiece BPE.",
        31,
        2026,
        "Google",
    ),
    "bert-uncased": Entry(
        published.load_bert,
        "BERT",
        "BERT, in small letters (WordPiece); accents and white space are dropped, and a word that cannot be "
        "put together is [UNK]. Its 994 tokens [unused…] arise in no text.",
        33,
        2018,
        "Google",
    ),
    "tekken": Entry(
        published.load_tekken,
        "Mistral",
        "Mistral's models since NeMo: Magistral, Devstral, Mistral Small 3, Ministral, Pixtral and others.",
        21,
        2024,
        "Mistral AI",
    ),
    "mistral-v1": Entry(
        published.load_sentencepiece,
        "Mistral 7B, Mixtral",
        "The first Mistral 7B and Mixtral 8x7B; Llama 1 and 2 cut the same way, with other tokens. "
        "SentencePiece BPE, 32,000 pieces, of which 125 never arise: bytes whose characters are pieces too.",
        19,
        2023,
        "Mistral AI",
    ),
    "claude-2": Entry(
        published.load_pipeline,
        "Claude 2",
        "Claude 1 and 2; the vocabularies of later Claudes are not public. A text is brought to the normal "
        "form NFKC first: ² becomes 2.",
        23,
        2023,
        "Anthropic",
    ),
    "j2": Entry(
        functools.partial(published.load_sentencepiece, kind=JurassicEncoding),
        "Jurassic-2",
        "Jurassic-2. SentencePiece Unigram, 262,144 pieces, some of several words; ² becomes 2 "
        "first (NFKC), and each line begins with a space that is put there.",
        20,
        2023,
        "AI21 Labs",
    ),
    "rwkv-world": Entry(
        published.load_rwkv,
        "RWKV",
        "RWKV's World models, from version 4 on: 65,529 byte strings, cut by longest match, without merges.",
        17,
        2023,
        "RWKV",
    ),
    "bytes": Entry(
        ByteEncoding, "", "Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.", 13
    ),
    "characters": Entry(
        load_characters,
        "",
        "Every character of the declaration of human rights in 532 languages is a token; the rest are bytes.",
        14,
        sources=all_languages,
    ),
    "characters-unknown": Entry(
        functools.partial(load_characters, rest="unknown"),
        "",
        "The same characters; the rest are [UNK], and do not come back.",
        15,
        sources=all_languages,
    ),
    "words": Entry(
        load_words,
        "",
        "The most frequent words of the declaration of human rights in 28 languages, 8,192 in all; "
        "the rest are [UNK], and white space is dropped.",
        16,
        sources=model_languages,
    ),
}
"""In the order of choosers: those of one maker together, and those without a model at the end.

A new one is an entry here and its file in ``assets/encodings``, perhaps loaded by ``load`` of
``files.loading``. Then ``python -m tools.count_languages`` counts its tokens of every language, so that the
page Languages need not. Whose it is goes into THIRD_PARTY.md.
"""
