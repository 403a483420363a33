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

from ..text.spans import Spans
from ..text.spelling import quote
from .counted import UNKNOWN
from .huggingface import HuggingFaceEncoding
from .huggingface_engine import Pipeline, describe_added
from .sentencepieces import SPACE

GOES_ON = "##"
"""What is written before a token that goes on within a word."""

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
) -> dict[str, Any]:
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
        super().__init__(pipeline, name=name)
        model = pipeline.content["model"]
        self._ids: Mapping[str, int] = model["vocab"]
        self._longest_word: int = model["max_input_chars_per_word"]
        self._goes_on: str = model["continuing_subword_prefix"]
        self.inside_words = frozenset(
            token_id
            for token, token_id in self._ids.items()
            if self._goes_on and token.startswith(self._goes_on) and token != self._goes_on
        )

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """The longest match, and what was tried before it.

        >>> from tokenizers import encode_spans
        >>> from tokenizers.files.tokenizer_json import from_content
        >>> ids = {"[UNK]": 0, "un": 1, "##able": 2, "##ab": 3, "!": 4}
        >>> enc = from_content(describe_word_pieces(ids), b"", "small")
        >>> print(encode_spans(enc, "unable").reason(2))
        “un” is the longest beginning of “unable” in the vocabulary: of “una” to “unable”, none is in it.
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
        no_cut = "No cut: " * (before == after)
        if piece == rest:
            end = "the end of the word" if is_inside else "a whole word"
            return f"{no_cut}{quote(piece)} is {end}, and in the vocabulary."
        shortest = rest[: len(piece) + 1]
        several = f"of {quote(shortest)} to {quote(rest)}, none is"
        tried = f"{quote(rest)} is not" if shortest == rest else several
        what = "with which a word goes on" if is_inside else "in the vocabulary"
        return f"{no_cut}{quote(piece)} is the longest beginning of {quote(rest)} {what}: {tried} in it."

    def _why_unknown(self, typed: str) -> str:
        word = self.read(typed).strip()
        whole = f"No cut: {quote(typed)} is {self.engine.id_to_token(self.unknown_id)}, all of it."
        if len(word) > self._longest_word:
            return f"{whole} A word of more than {self._longest_word} characters is not cut."
        parts: list[str] = []
        at = 0
        while at < len(word):
            mark = self._goes_on if at else ""
            end = next((end for end in range(len(word), at, -1) if mark + word[at:end] in self._ids), at)
            if end == at:
                break
            parts.append(word[at:end])
            at = end
        if not parts:
            return f"{whole} No token begins with {quote(word[:1])}."
        begun = ", ".join(map(quote, parts))
        return f"{whole} It could begin with {begun}, but with {quote(word[at : at + 1])} it cannot go on."
