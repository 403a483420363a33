"""Words: every word of a learned vocabulary is a token, and all others are unknown.

This is how texts were tokenized before subwords. A text is cut into runs of letters, marks, digits and
underscores, and runs of other characters; white space is dropped. A run that is in the vocabulary becomes its
token, any other becomes [UNK]. To decode, the words are joined by single spaces. So a text rarely comes back
as it was: unknown words are gone, and so is the difference between "end." and "end .".

The rule is that of Hugging Face's ``Whitespace`` pre-tokenizer with its ``WordLevel`` model,
https://huggingface.co/docs/tokenizers/api/pre-tokenizers and api/models.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import regex

from ..encoding import AllowedSpecial
from ..placement import Placement
from ..text.spans import Spans
from ..text.spelling import quote
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .characters import UNKNOWN
from .listed import ListedEncoding

_WORD_CHARACTERS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"


@functools.cache
def _class_table() -> npt.NDArray[np.uint8]:
    """What each character is, by code point: 0 white space, 1 part of a word, 2 another character."""
    table = np.full(0x110000, 2, dtype=np.uint8)
    everything = "".join(map(chr, range(len(table))))
    for kind, characters in ((1, _WORD_CHARACTERS), (0, r"\p{White_Space}")):
        for match in regex.finditer(f"[{characters}]+", everything):
            table[match.start() : match.end()] = kind
    return table


def _find_words(text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the words and runs of other characters start and end, in characters; the text is well formed."""
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    kinds = _class_table()[points]
    edges = np.flatnonzero(np.diff(kinds, prepend=np.uint8(255), append=np.uint8(255)))
    is_word = kinds[edges[:-1]] > 0
    return edges[:-1][is_word], edges[1:][is_word]


class WordEncoding(ListedEncoding):
    """Every word of a vocabulary is a token.

    Args:
        vocabulary: the words, the most frequent first; a run of symbols such as "..." counts as a word.
        name: what people call it.

    Raises:
        ValueError: something in the vocabulary is not one word, or is there twice.

    >>> enc = WordEncoding(["the", "cat", "."])
    >>> enc.encode("the  cat purrs."), enc.decode([1, 2, 0, 3])
    ([1, 2, 0, 3], 'the cat [UNK] .')
    """

    family = "words"
    unknown_id = 0
    is_lossless = False
    drops_text = True

    def __init__(self, vocabulary: Iterable[str], *, name: str = "words") -> None:
        self.vocabulary: list[str] = _check_words(vocabulary)
        self._ids = {word: token_id for token_id, word in enumerate(self.vocabulary, start=1)}
        super().__init__(name, [UNKNOWN.encode(), *(word.encode("utf-8") for word in self.vocabulary)])
        self._check_distinct()

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The words of ``text``; between them, white space that belongs to no token.

        >>> placed = WordEncoding(["the", "cat"]).place("the  cat!")
        >>> placed.ids.tolist(), placed.starts.tolist(), placed.ends.tolist()
        ([1, 2, 0], [0, 5, 8], [3, 8, 9])
        """
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        text_map = TextMap(text)
        text = text_map.text
        starts, ends = _find_words(text)
        look_up = self._ids.get
        words = (text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        ids = np.fromiter((look_up(word, 0) for word in words), dtype=np.uint32, count=len(starts))
        edges = text_map.byte_of_char
        return Placement(ids, edges[starts], edges[ends])

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """The words of these ids, each but the first with a space before it.

        >>> for loss in WordEncoding(["the", "cat", "!"]).loses("the  fat cat!"):
        ...     print(loss)
        Loss(start=3, end=5, became=' ')
        Loss(start=5, end=8, became='[UNK]')
        Loss(start=12, end=12, became=' ')
        """
        return [b" " * (number > 0) + self.token_bytes(token_id) for number, token_id in enumerate(ids)]

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> enc = WordEncoding(["don", "t"])
        >>> print(enc.reason(encode_spans(enc, "don't"), 3))
        Letters and symbols are never in one word, so there is a cut between “don” and “'”.
        >>> enc.reason(encode_spans(enc, "so don"), 1)
        'No cut: “so” is one word. It is not in the vocabulary of words, so all of it is [UNK].'
        >>> enc.reason(encode_spans(enc, "don so"), 3)
        'What stands here belongs to no token: words drops it.'
        """
        left, right = (quote(spans.bytes_of(at)) for at in (before, after))
        if before != after:
            return f"Letters and symbols are never in one word, so there is a cut between {left} and {right}."
        if spans.ids[before]:
            return f"No cut: {left} is one word, and in the vocabulary of {self.name}."
        unknown = f"It is not in the vocabulary of {self.name}, so all of it is {UNKNOWN}."
        return f"No cut: {left} is one word. {unknown}"


def cut_words(text: str) -> Iterator[str]:
    """The words and runs of symbols of a text, as this family cuts it.

    >>> list(cut_words("It's 3.14…"))
    ['It', "'", 's', '3', '.', '14', '…']
    """
    text = well_formed(text)
    starts, ends = _find_words(text)
    return (text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))


def learn_words(texts: Iterable[str], vocab_size: int | None = None, *, name: str = "words") -> WordEncoding:
    """An encoding of the most frequent words of some texts; on ties, the word that came first.

    Args:
        texts: what to learn from.
        vocab_size: tokens in all, [UNK] included; None: as many as there are words.
        name: what people call it.

    Raises:
        ValueError: no token at all.

    >>> learn_words(["a rose is a rose"], 3).vocabulary
    ['a', 'rose']
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(cut_words(text))
    by_frequency = sorted(counts, key=counts.__getitem__, reverse=True)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"{vocab_size:,} tokens are too few: choose 1 or more.")
    return WordEncoding(by_frequency[: None if vocab_size is None else vocab_size - 1], name=name)


def _check_words(vocabulary: Iterable[str]) -> list[str]:
    words = list(vocabulary)
    if list(cut_words("\n".join(words))) != words:  # all at once: ten times quicker
        odd = next(word for word in words if list(cut_words(word)) != [word])
        raise ValueError(f"The vocabulary holds {odd[:40]!r}, which is not one word or run of symbols.")
    return words
