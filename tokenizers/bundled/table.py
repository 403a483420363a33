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
from ..text.chat import CHATML_ENCODING
from .learned import all_languages, load_characters, load_words, model_languages
from .published import (
    ENCODINGS_DIR,
    load_bert,
    load_chatml,
    load_claude,
    load_clip,
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
        about: what it is, or which models use it, for people.
        hue: the number of its colour on every page and chart, from the list in ``pages/shared/colours.py``.
        group: where it comes from, as choosers say it.
        sources: gives the keys of the bundled texts that it was learned from, as far as they are here.
    """

    load: Callable[[], Encoding]
    about: str
    hue: int
    group: str = "other families"
    sources: Callable[[], Sequence[str]] = tuple


def _tiktoken(name: str, about: str, hue: int) -> Entry:
    """One that tiktoken knows by this name."""
    return Entry(functools.partial(load_tiktoken, name), about, hue, "tiktoken")


def model_file(
    file: str,
    about: str,
    hue: int,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    group: str = "model file",
) -> Entry:
    """One that is read from a model file in assets/encodings, and is named after it.

    Args:
        file: the file's name: .model, .tiktoken or .json (a tokenizer.json).
        about: which models use it.
        hue: the number of its colour.
        pattern, special_tokens: for a .tiktoken file, which does not have them: see ``load``.
        group: where it comes from, as choosers say it.

    >>> model_file("none.model", "nothing", 17).load()
    Traceback (most recent call last):
    ...
    OSError: ...none.model cannot be read: No such file or directory.
    """

    def load() -> Encoding:
        return load_file(ENCODINGS_DIR / file, pattern=pattern, special_tokens=special_tokens or {})

    return Entry(load, about, hue, group)


BUNDLED: dict[str, Entry] = {
    "gpt2": _tiktoken("gpt2", "GPT-2", 1),
    "r50k_base": _tiktoken("r50k_base", "the first GPT-3 models", 5),
    "p50k_base": _tiktoken("p50k_base", "Codex, text-davinci-002 and 003", 6),
    "p50k_edit": _tiktoken("p50k_edit", "the edit models", 7),
    "cl100k_base": _tiktoken("cl100k_base", "GPT-3.5 and GPT-4", 2),
    "o200k_base": _tiktoken("o200k_base", "GPT-4o and later", 3),
    "o200k_harmony": _tiktoken("o200k_harmony", "gpt-oss, with the harmony chat tokens", 4),
    CHATML_ENCODING: Entry(
        load_chatml, "cl100k_base with ChatML's two tokens, as tiktoken's README builds it", 8, "tiktoken"
    ),
    "tekken": Entry(
        load_tekken,
        "Mistral AI's models since NeMo: Pixtral and others, from July 2024",
        21,
        "byte pairs",
    ),
    "whisper": Entry(load_whisper, "Whisper, OpenAI's models of speech, in many languages", 18, "byte pairs"),
    "bytes": Entry(
        ByteEncoding, "Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.", hue=13
    ),
    "characters": Entry(
        functools.partial(load_characters, "characters", "bytes"),
        "Every character of the declaration of human rights in 532 languages is a token; the rest are bytes.",
        hue=14,
        sources=all_languages,
    ),
    "characters-unknown": Entry(
        functools.partial(load_characters, "characters-unknown", "unknown"),
        "The same characters; the rest are [UNK], and do not come back.",
        hue=15,
        sources=all_languages,
    ),
    "words": Entry(
        load_words,
        "The most frequent words of the declaration of human rights in 28 languages, 8,192 in all; "
        "the rest are [UNK], and white space is dropped.",
        hue=16,
        sources=model_languages,
    ),
    "rwkv-world": Entry(
        load_rwkv,
        "RWKV's World models, from version 4 on: 65,529 byte strings, cut by longest match, without merges.",
        hue=17,
        group="longest match",
    ),
    "qwen": Entry(
        load_qwen,
        "Qwen 1 to 2.5 by Alibaba. A text is brought to the normal form NFC first.",
        hue=22,
        group="byte pairs",
    ),
    "claude-2": Entry(
        load_claude,
        "Claude 1 and 2; the vocabularies of later Claudes are not public. A text is brought to the normal "
        "form NFKC first: ² becomes 2.",
        hue=23,
        group="byte pairs",
    ),
    "clip": Entry(
        load_clip,
        "CLIP, OpenAI's models of pictures and texts, and Stable Diffusion. A text is mended first (ftfy), "
        "and HTML's names of characters are read. Small letters alone; white space is dropped, and a word's "
        "last letter carries </w>, which is shown as the space that it decodes to. (Hugging Face's "
        "CLIPTokenizer mends nothing, so curly quotes are other tokens there.)",
        hue=24,
        group="byte pairs",
    ),
    "mistral-v1": Entry(
        functools.partial(load_sentencepiece, SentencePieceEncoding, "mistral-v1"),
        "Mistral 7B and Mixtral, of 2023; Llama 1 and 2 cut the same way. SentencePiece BPE, 32,000 pieces, "
        "of which 125 never arise: bytes whose characters are pieces too.",
        hue=19,
        group="SentencePiece",
    ),
    "j2": Entry(
        functools.partial(load_sentencepiece, JurassicEncoding, "j2"),
        "Jurassic-2 of AI21, of 2023. Unigram, 262,144 pieces, some of several words; ² becomes 2 "
        "first (NFKC), and each line begins with a space that is put there.",
        hue=20,
        group="SentencePiece",
    ),
    "bert-uncased": Entry(
        load_bert,
        "BERT, Google's model of 2018, in small letters; accents and white space are dropped, and a word "
        "that cannot be put together is [UNK]. Its 994 tokens [unused…] arise in no text.",
        hue=25,
        group="WordPiece",
    ),
}
"""In the order of choosers, within each group."""
