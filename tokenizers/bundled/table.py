"""The table of the byte pair encodings that come with the app from elsewhere, in the order of choosers."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ..data.vocabulary_files import read_vocabulary
from ..encoding import Encoding
from ..entry import Entry
from ..files import tekken
from ..files.loading import load as load_file
from ..text.chat import CHATML_ENCODING
from .tiktoken_files import ENCODINGS_DIR, load_chatml, load_tiktoken
from .whisper import load_whisper


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
        lambda: tekken.from_bytes(read_vocabulary("tekken-240911.json", "tekken"), "tekken"),
        "Mistral AI's models since NeMo: Pixtral and others, from July 2024",
        21,
        "byte pairs",
    ),
    "whisper": Entry(load_whisper, "Whisper, OpenAI's models of speech, in many languages", 18, "byte pairs"),
}
