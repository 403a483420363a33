"""The methods that an encoding can be grown by: what each is, what it asks for, and what it can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["byte-pairs", "sp-bpe", "sp-unigram", "wordpiece", "characters", "words"]

Setting = Literal[
    "pattern",
    "ties",
    "special_tokens",
    "coverage",
    "byte_fallback",
    "normalisation",
    "split_digits",
    "small_letters",
]
"""A field of a recipe that not every method has."""

_SENTENCEPIECE: tuple[Setting, ...] = (
    "special_tokens",
    "coverage",
    "byte_fallback",
    "normalisation",
    "split_digits",
)


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """A method.

    Attributes:
        label: what people call it.
        short: in the name of what it grows; empty: nothing.
        idea: how it learns, in a sentence.
        keeps: what becomes of a text that it does not know, in a sentence.
        settings: what it asks for, besides texts and a size.
        most_bytes: of the text that it learns from; what is held out does not count.
        learned_by: whose work it is.
    """

    label: str
    short: str
    idea: str
    keeps: str
    settings: tuple[Setting, ...]
    most_bytes: int
    learned_by: str


METHODS: dict[Method, MethodFacts] = {
    "byte-pairs": MethodFacts(
        "Byte-level BPE",
        "",
        "Begins with the 256 bytes, and joins the two neighbours that stand side by side most often, again "
        "and again. GPT’s way.",
        "Every text comes back, byte for byte.",
        ("pattern", "ties", "special_tokens"),
        100_000_000,
        "Token Grove",
    ),
    "sp-bpe": MethodFacts(
        "SentencePiece BPE",
        "sp-bpe",
        "Joins neighbours too, but begins with characters, and spaces are written as ▁. Llama 1 and 2’s and "
        "the first Mistral’s way.",
        "With byte fallback, an unknown character becomes its bytes; without, it is lost.",
        _SENTENCEPIECE,
        50_000_000,
        "Google’s SentencePiece",
    ),
    "sp-unigram": MethodFacts(
        "Unigram",
        "unigram",
        "Begins with very many pieces, and lets go of those that it can best do without. Nothing is merged: "
        "of all ways to cut a text, the most probable is taken. T5’s and XLNet’s way.",
        "With byte fallback, an unknown character becomes its bytes; without, it is lost.",
        _SENTENCEPIECE,
        20_000_000,
        "Google’s SentencePiece",
    ),
    "wordpiece": MethodFacts(
        "WordPiece",
        "wordpiece",
        "Cuts words into the longest parts that it knows, from the left. BERT’s way.",
        "White space is dropped, and a word that cannot be put together is [UNK], all of it.",
        ("small_letters", "special_tokens"),
        50_000_000,
        "Hugging Face’s tokenizers",
    ),
    "characters": MethodFacts(
        "Characters",
        "characters",
        "Every character is a token, the most frequent ones first.",
        "With byte fallback, an unknown character becomes its bytes; without, it is lost.",
        ("byte_fallback",),
        100_000_000,
        "Token Grove",
    ),
    "words": MethodFacts(
        "Words",
        "words",
        "Every word is a token, the most frequent ones first: how texts were tokenized before subwords.",
        "White space is dropped, and every word that is not among them is [UNK].",
        (),
        100_000_000,
        "Token Grove",
    ),
}
"""Every method, in the order of choosers."""

PIECE_KINDS: dict[Method, Literal["bpe", "unigram"]] = {"sp-bpe": "bpe", "sp-unigram": "unigram"}
"""Which kind of model SentencePiece learns by a method."""
