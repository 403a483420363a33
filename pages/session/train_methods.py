"""The methods of training: their descriptions, settings and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokenizers.limits import MB

MAX_CORPUS_BYTES = 100 * MB
"""The most bytes to train on, by any method."""

Method = Literal["byte-pairs", "fair", "sp-bpe", "sp-unigram", "wordpiece", "characters", "words"]

Setting = Literal[
    "pattern",
    "ties",
    "special_tokens",
    "skip_specials",
    "coverage",
    "byte_fallback",
    "normalisation",
    "split_digits",
    "small_letters",
]
"""A field of a recipe that not every method has."""

_SENTENCEPIECE: tuple[Setting, ...] = (
    "normalisation",
    "coverage",
    "byte_fallback",
    "split_digits",
    "special_tokens",
)
_SENTENCEPIECE_HOLDS = (
    "<unk>, <s> and </s>, the special tokens, with byte fallback the 256 bytes; then every covered character "
    "and "
)


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """The facts about a method.

    Attributes:
        label: its name.
        short: its part of a trained encoding's name; empty: none.
        idea: how it learns, in a sentence.
        keeps: what happens to unknown text, in a sentence.
        holds: the tokens of the vocabulary, in order.
        settings: its settings, besides texts and a size, the most important one first.
        n_given: tokens that exist before training, without special tokens: with byte fallback, and without.
        most_bytes: the most bytes to learn from, without held-out text.
        learned_by: the library that trains.
        slowness: its duration relative to byte pairs, roughly, as measured on source code.
        pieces: the kind of model of SentencePiece; None: the method is not SentencePiece's.
        least_texts: to learn from.
    """

    label: str
    short: str
    idea: str
    keeps: str
    holds: str
    settings: tuple[Setting, ...]
    n_given: tuple[int, int]
    most_bytes: int
    learned_by: str
    slowness: int = 1
    pieces: Literal["bpe", "unigram"] | None = None
    least_texts: int = 1


_BYTES_OR_LOST = "With byte fallback, an unknown character becomes its bytes; without it, it is lost."

METHODS: dict[Method, MethodFacts] = {
    "byte-pairs": MethodFacts(
        "Byte-level BPE",
        "",
        "Starts with the 256 bytes and joins the two neighbours that stand side by side most often, again "
        "and again. The GPT models use it.",
        "Every text can be restored exactly.",
        "The 256 bytes, the merges and the special tokens.",
        ("pattern", "special_tokens", "skip_specials", "ties"),
        (256, 256),
        MAX_CORPUS_BYTES,
        "Token Grove",
    ),
    "fair": MethodFacts(
        "Fair BPE",
        "fair",
        "As byte-level BPE, but each merge is learned from the language that has the most tokens so far, so "
        "that none is worse off than another. Choose languages, which are translations of one text.",
        "Every text can be restored exactly.",
        "The 256 bytes, the merges and the special tokens.",
        ("pattern", "special_tokens", "skip_specials"),
        (256, 256),
        20 * MB,
        "Hugging Face’s tokenizers",
        slowness=8,
        least_texts=2,
    ),
    "sp-bpe": MethodFacts(
        "SentencePiece BPE",
        "sp-bpe",
        "Joins neighbours, too, but starts with characters, and writes a space as ▁. Llama 1 and 2 and the "
        "first Mistral use it.",
        _BYTES_OR_LOST,
        _SENTENCEPIECE_HOLDS + "what was joined.",
        _SENTENCEPIECE,
        (259, 3),
        50 * MB,
        "Google’s SentencePiece",
        pieces="bpe",
    ),
    "sp-unigram": MethodFacts(
        "Unigram",
        "unigram",
        "Starts with very many tokens and drops those that matter least. It merges nothing: of all ways to "
        "cut a text, it takes the most probable one. T5 and XLNet use it.",
        _BYTES_OR_LOST,
        _SENTENCEPIECE_HOLDS + "longer tokens.",
        _SENTENCEPIECE,
        (259, 3),
        20 * MB,
        "Google’s SentencePiece",
        slowness=8,
        pieces="unigram",
    ),
    "wordpiece": MethodFacts(
        "WordPiece",
        "wordpiece",
        "Cuts a word into the longest parts that it knows, from the left. BERT uses it.",
        "White space is lost. A word that its parts cannot spell becomes one [UNK].",
        "[UNK], the special tokens, each character twice (at the start of a word and inside it), and longer "
        "parts of words.",
        ("small_letters", "special_tokens", "skip_specials"),
        (1, 1),
        50 * MB,
        "Hugging Face’s tokenizers",
        slowness=3,
    ),
    "characters": MethodFacts(
        "Characters",
        "characters",
        "Every character is a token, the most frequent ones first.",
        _BYTES_OR_LOST,
        "The 256 bytes, or without byte fallback [UNK]; then characters, the most frequent first.",
        ("byte_fallback",),
        (256, 1),
        MAX_CORPUS_BYTES,
        "Token Grove",
    ),
    "words": MethodFacts(
        "Words",
        "words",
        "Every word is a token, the most frequent ones first. This was usual before subwords.",
        "White space is lost. Every other word is [UNK].",
        "[UNK], and the most frequent words.",
        (),
        (1, 1),
        MAX_CORPUS_BYTES,
        "Token Grove",
    ),
}
"""Every method, in the order of choosers.

A new one is an entry here and its name in ``Method``; how it learns is a module of ``tokenizers/families``,
called in ``_learn`` of ``train_worker.py``. It learns a file that ``tokenizers.load`` reads, so it can be
saved and added again. A setting of a new kind is a field of ``Recipe`` and of ``TrainState``, drawn in
``pages/grow/train/form.py``; and ``tests/test_methods.py`` has a line for each method.
"""
