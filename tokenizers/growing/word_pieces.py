"""Hugging Face's own trainer of WordPiece: BPE's way of learning, of words that are cleaned as BERT's are.

Its vocabulary is used by longest match, not by its merges: see ``families/wordpiece.py``.

Source: https://huggingface.co/docs/tokenizers/api/trainers; Devlin et al. 2018, BERT, arXiv:1810.04805.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..split.engine_tasks import load_huggingface
from ..utf8 import well_formed

UNKNOWN = "[UNK]"
GOES_ON = "##"

LONGEST_PART = 8_000
"""Characters that the library gets at a time: it takes more than a hundred times their memory."""

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

    >>> import json
    >>> data = learn_word_pieces(["Rose is a rose is a rose."], 14)
    >>> list(json.loads(data)["model"]["vocab"])[:6]
    ['[UNK]', '##e', '##o', '##s', '.', 'a']
    """
    specials = list(special_tokens)
    if UNKNOWN in specials:
        raise ValueError(f"{UNKNOWN} is there anyway: leave it out of the special tokens.")
    try:
        library = load_huggingface()
    except ImportError as problem:
        raise OSError(
            f"This is learned by Hugging Face's library, and {problem}. Install it: pip install tokenizers"
        ) from None
    texts = list(texts)
    learner = _tokenizer(library, {UNKNOWN: 0}, small_letters)
    characters, inside = _letters(learner, _parts(texts))
    if not characters:
        raise ValueError(
            "There is nothing to learn from: the text holds nothing but white space. Choose more text."
        )
    given = [UNKNOWN, *specials, *(GOES_ON + character for character in inside)]
    needed = len(set(given) | set(characters))
    if needed > vocab_size:
        raise ValueError(
            "The vocabulary has to hold every character, as a word’s beginning and as what a word goes on "
            f"with: with the special tokens, that is {needed:,}, and {vocab_size:,} are asked for. Choose "
            f"{needed + 1:,} or more, or a text with fewer scripts."
        )
    trainer = library.trainers.WordPieceTrainer(
        vocab_size=vocab_size, show_progress=False, special_tokens=given, continuing_subword_prefix=GOES_ON
    )
    learner.train_from_iterator(_parts(texts), trainer)
    ids: dict[str, int] = learner.get_vocab(with_added_tokens=True)
    learned = _tokenizer(library, ids, small_letters)
    learned.add_special_tokens([UNKNOWN, *specials])
    return str(learned.to_str()).encode("utf-8")


def _tokenizer(library: Any, ids: dict[str, int], small_letters: bool) -> Any:
    tokenizer = library.Tokenizer(library.models.WordPiece(ids, unk_token=UNKNOWN))
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=small_letters)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = library.decoders.WordPiece(prefix=GOES_ON, cleanup=False)
    return tokenizer


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """Texts in parts that the library takes at a time, cut at white space, which ends a word anyway."""
    for text in map(well_formed, texts):
        at = 0
        while len(text) - at > LONGEST_PART:
            end = max(text.rfind(space, at + 1, at + LONGEST_PART) for space in " \n")
            end = end if end > at else at + LONGEST_PART
            yield text[at:end]
            at = end
        yield text[at:]


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
    return _characters(is_seen & (kinds > 0)), _characters(is_inside)


def _characters(which: npt.NDArray[np.bool_]) -> list[str]:
    return [chr(point) for point in np.flatnonzero(which).tolist()]
