"""WordPiece: each word is cut by longest match, from the left.

As ``longest_match.py``, but word by word, and a token that goes on within a word is another one than the same
letters at its beginning: it is written with ## before it. If no token fits at some place, the whole word is
[UNK]. The engine is Hugging Face's, as of any tokenizer.json (``huggingface.py``).

BERT cleans a text first (control characters are dropped, capitals become small, accents are taken off) and
cuts it into words at white space, and around each punctuation mark and Chinese character.

Schuster and Nakajima 2012; Devlin et al. 2018, BERT (arXiv:1810.04805).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..cached import cached_property
from ..json_types import JsonObject
from ..text.spans import Spans
from ..text.spelling import quote
from .counted import UNKNOWN
from .huggingface import HuggingFaceEncoding
from .huggingface_engine import NO_UNKNOWN, Pipeline, describe_added
from .huggingface_parts import Encoded, Piece
from .longest_match import LongestMatch
from .sentencepieces import SPACE

GOES_ON = "##"
"""What is written before a token that goes on within a word."""

USUAL_WORD = 200
"""Characters of the longest word of most WordPieces."""

MAX_WORK = 10**10
"""The most that the library does for a text, its characters times the square of a word's length: it tries all
beginnings of what is left of a word. This takes it a fifth of a second. Longer words are cut here, in linear
time."""

IN_BRACKETS = re.compile(r"\[.*\]")
"""Matches tokens such as [UNK] and [unused7], which no text becomes."""


def as_word_piece(token: str) -> str:
    """A token of a list in which ▁ is before what begins a word, as BERT's own list has it, with ##.

    >>> list(map(as_word_piece, ["▁the", "ing", "[UNK]"]))
    ['the', '##ing', '[UNK]']
    """
    if not token or IN_BRACKETS.fullmatch(token):
        return token
    return token[1:] if token.startswith(SPACE) else GOES_ON + token


def describe_word_pieces(
    ids: Mapping[str, int], special: Iterable[str] = (), *, small_letters: bool = True
) -> JsonObject:
    """The content of a tokenizer.json with BERT's steps.

    Args:
        ids: of the tokens; those that go on within a word begin with ##. [UNK] is among them.
        special: which of them are special.
        small_letters: whether capitals become small, and accents are taken off.
    """
    return {
        "added_tokens": [describe_added(ids[token], token) for token in special],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": small_letters,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": GOES_ON, "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": GOES_ON,
            "max_input_chars_per_word": 100,
            "vocab": dict(ids),
        },
    }


def describe_ends(ids: Mapping[str, int]) -> JsonObject:
    """The post-processor that puts [CLS] in front of a text, and [SEP] behind it."""
    return {"type": "BertProcessing", "cls": ["[CLS]", ids["[CLS]"]], "sep": ["[SEP]", ids["[SEP]"]]}


class WordPieceEncoding(HuggingFaceEncoding):
    """A tokenizer.json with a WordPiece.

    >>> from tokenizers.files.tokenizer_json import from_content
    >>> content = describe_word_pieces({"[UNK]": 0, "un": 1, "##able": 2, "!": 3})
    >>> enc = from_content(content, b"", "small")
    >>> enc.encode("Ünable! un"), enc.decode([1, 2, 3])
    ([1, 2, 3, 1], 'unable !')
    """

    family = "word pieces"

    def __init__(self, pipeline: Pipeline, *, name: str) -> None:
        model = pipeline.content["model"]
        self._ids: Mapping[str, int] = model["vocab"]
        self._longest_word: int = model["max_input_chars_per_word"]
        self._goes_on: str = model["continuing_subword_prefix"]
        super().__init__(pipeline, name=name)
        self.inside_words = frozenset(
            token_id
            for token, token_id in self._ids.items()
            if self._goes_on and token.startswith(self._goes_on) and token != self._goes_on
        )
        if self._longest_word > USUAL_WORD:
            self._matches  # noqa: B018  made now, while the file is on trial

    # Long words

    @cached_property
    def _matches(self) -> tuple[LongestMatch, LongestMatch]:
        """The tokens with which a word begins, and those with which it goes on, without their mark."""
        whole = {token.encode(): token_id for token, token_id in self._ids.items()}
        mark = self._goes_on.encode()
        rest = {token[len(mark) :]: token_id for token, token_id in whole.items() if token.startswith(mark)}
        return LongestMatch(whole), LongestMatch(rest)

    def _match(self, word: bytes) -> list[Piece]:
        """The longest tokens of a word, one after the other, up to where none fits."""
        pieces: list[Piece] = []
        match, inside = self._matches
        at = 0
        while at < len(word):
            length, token_id = match.find(word, at)
            if not length:
                break
            pieces.append(Piece(token_id, at, at + length))
            match = inside
            at += length
        return pieces

    def _cut_word(self, word: bytes) -> list[Piece]:
        """The tokens of a word.

        Raises:
            ValueError: it is unknown, and there is no token for that.
        """
        n_chars = len(word.decode())
        pieces = self._match(word) if n_chars <= self._longest_word else []
        if pieces and pieces[-1].stop == len(word):
            return pieces
        if self.unknown_id is None:
            raise ValueError(f"{self.name} cannot encode this text: {NO_UNKNOWN}.")
        return [Piece(self.unknown_id, 0, len(word))]

    def _is_much(self, text: str) -> bool:
        return len(text) * min(len(text), self._longest_word) ** 2 > MAX_WORK

    def _run_part(self, engine: Any, part: str) -> Encoded:
        return self._run_words(engine, part) if self._is_much(part) else super()._run_part(engine, part)

    def _encode_batch(self, engine: Any, texts: list[str]) -> Iterable[list[int]]:
        if not any(map(self._is_much, texts)):
            return super()._encode_batch(engine, texts)
        return [self._run_part(engine, text).ids for text in texts]

    # Why

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """The longest match, and what was tried before it.

        >>> from tokenizers import encode_spans
        >>> from tokenizers.files.tokenizer_json import from_content
        >>> ids = {"[UNK]": 0, "un": 1, "##able": 2, "##ab": 3, "!": 4}
        >>> enc = from_content(describe_word_pieces(ids), b"", "small")
        >>> print(encode_spans(enc, "unable").reason(2))
        “un” is the longest beginning of “unable” in the vocabulary.
        >>> print(encode_spans(enc, "unabc").reason(3))
        No cut: “unabc” is [UNK], all of it. It could begin with “un”, “ab”, but with “c” it cannot go on.
        """
        ids, words = spans.ids.tolist(), self._words_of(spans)
        stop = before
        while stop < len(ids) and words[stop] == words[before]:
            stop += 1
        tokens = [self.engine.id_to_token(token_id) for token_id in ids[before:stop]]
        pieces = [
            token[len(self._goes_on) :] if token_id in self.inside_words else token
            for token, token_id in zip(tokens, ids[before:stop], strict=True)
        ]
        piece, rest = pieces[0], "".join(pieces)
        is_inside = before > 0 and words[before - 1] == words[before]
        no_cut = "No cut: " if before == after else ""
        if piece == rest:
            end = "the end of the word" if is_inside else "a whole word"
            return f"{no_cut}{quote(piece)} is {end}, and in the vocabulary."
        what = "with which a word goes on" if is_inside else "in the vocabulary"
        return f"{no_cut}{quote(piece)} is the longest beginning of {quote(rest)} {what}."

    def _why_unknown(self, typed: str) -> str:
        word = self.read(typed).strip()
        whole = f"No cut: {quote(typed)} is {self.engine.id_to_token(self.unknown_id)}, all of it."
        if len(word) > self._longest_word:
            return f"{whole} A word of more than {self._longest_word} characters is not cut."
        data = word.encode()
        pieces = self._match(data)
        if not pieces:
            return f"{whole} No token begins with {quote(word[:1])}."
        begun = ", ".join(quote(data[piece.start : piece.stop]) for piece in pieces)
        rest = data[pieces[-1].stop :].decode()
        return f"{whole} It could begin with {begun}, but with {quote(rest[:1])} it cannot go on."
