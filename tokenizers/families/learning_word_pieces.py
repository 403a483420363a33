"""Hugging Face's own trainer of WordPiece: BPE's way of learning, of words that are cleaned as BERT's are.

Its vocabulary is used by longest match, not by its merges: see ``wordpiece.py``.

Source: https://huggingface.co/docs/tokenizers/api/trainers; Devlin et al. 2018, BERT, arXiv:1810.04805.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..utf8 import well_formed
from .characters import UNKNOWN
from .huggingface import huggingface_engine
from .wordpiece import GOES_ON, describe_word_pieces

LONGEST_PART = 8_000
"""Characters that the library gets at a time: it takes more than a hundred times their memory."""

_PART = re.compile(rf".{{1,{LONGEST_PART - 1}}}(?:[ \n]|$)|.{{1,{LONGEST_PART}}}", re.DOTALL)
_WORD, _PUNCTUATION = 1, 2


def learn_word_pieces(
    texts: Iterable[str],
    vocab_size: int,
    *,
    small_letters: bool = True,
    special_tokens: Sequence[str] = (),
) -> bytes:
    """The content of a tokenizer.json with a WordPiece that was learned from some texts.

    The library alone numbers the characters that words go on with in the order of a hash table, another one
    in each process, and so learns another vocabulary each time. Here they are given to it in order: the same
    texts and settings give the same vocabulary.

    Args:
        texts: what to learn from, read twice. A word of more than 8,000 characters is cut.
        vocab_size: tokens in all: [UNK], the special tokens, all characters, and parts of words.
        small_letters: whether capitals become small, and accents are taken off.
        special_tokens: they follow [UNK].

    Raises:
        ValueError: the vocabulary is too small for the characters of these texts; says what to do.
        OSError: the library is not installed.

    >>> data = learn_word_pieces(["Rose is a rose is a rose."], 14)
    >>> list(json.loads(data)["model"]["vocab"])[:6]
    ['[UNK]', '##e', '##o', '##s', '.', 'a']
    """
    if UNKNOWN in special_tokens:
        raise ValueError(f"{UNKNOWN} is there anyway: leave it out of the special tokens.")
    texts = list(texts)
    specials = [UNKNOWN, *special_tokens]

    def tokenizer_of(ids: dict[str, int], special: Iterable[str] = ()) -> Any:
        content = describe_word_pieces(ids, special, small_letters=small_letters)
        return huggingface_engine().Tokenizer.from_str(json.dumps(content))

    learner = tokenizer_of({UNKNOWN: 0})
    characters, inside = _letters(learner, _parts(texts))
    if not characters:
        raise ValueError(
            "There is nothing to learn from: the text holds nothing but white space. Choose more text."
        )
    given = [*specials, *(GOES_ON + character for character in inside)]
    needed = len({*given, *characters})
    if needed > vocab_size:
        raise ValueError(
            "The vocabulary has to hold every character, as a word’s beginning and as what a word goes on "
            f"with: with the special tokens, that is {needed:,}, and {vocab_size:,} are asked for. Choose "
            f"{needed + 1:,} or more, or a text with fewer scripts."
        )
    trainer = huggingface_engine().trainers.WordPieceTrainer(
        vocab_size=vocab_size, show_progress=False, special_tokens=given, continuing_subword_prefix=GOES_ON
    )
    learner.train_from_iterator(_parts(texts), trainer)
    ids: dict[str, int] = learner.get_vocab(with_added_tokens=True)
    return str(tokenizer_of(ids, specials).to_str()).encode("utf-8")


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """Texts in parts that the library takes at a time, cut at white space, which ends a word anyway."""
    for text in map(well_formed, texts):
        yield from (part[0] for part in _PART.finditer(text))


def _letters(tokenizer: Any, parts: Iterable[str]) -> tuple[list[str], list[str]]:
    """The characters of words, and those that a word goes on with; in order of code points."""
    kinds = np.zeros(0x110000, dtype=np.uint8)  # by code point: 0 is white space
    is_seen = np.zeros(0x110000, dtype=np.bool_)
    is_inside = np.zeros(0x110000, dtype=np.bool_)
    for part in parts:
        points = np.frombuffer(tokenizer.normalizer.normalize_str(part).encode("utf-32-le"), dtype=np.uint32)
        for point in np.unique(points[~is_seen[points]]).tolist():
            n_words = len(tokenizer.pre_tokenizer.pre_tokenize_str("a" + chr(point) + "a"))
            kinds[point] = {1: _WORD, 3: _PUNCTUATION}.get(n_words, 0)
        is_seen[points] = True
        is_letter = kinds[points] == _WORD
        is_inside[points[1:][is_letter[1:] & is_letter[:-1]]] = True
    characters, inside = (
        list(map(chr, np.flatnonzero(which))) for which in (is_seen & (kinds > 0), is_inside)
    )
    return characters, inside
