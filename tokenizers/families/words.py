"""Words: every word of a learned vocabulary is a token, and all others are unknown.

This is how texts were tokenized before subwords. A text is cut into runs of letters, marks, digits and
underscores, and runs of other signs; white space is dropped. A run that is in the vocabulary becomes its
token, any other becomes [UNK]. To decode, the words are joined by single spaces. So a text rarely comes back
as it was: unknown words are gone, and so is the difference between "end." and "end .".

The rule is that of Hugging Face's ``Whitespace`` pre-tokenizer with its ``WordLevel`` model,
https://huggingface.co/docs/tokenizers/api/pre-tokenizers and api/models.
"""

from __future__ import annotations

import functools
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import regex

from ..checks import check_list, check_string, check_whole_number, check_whole_numbers
from ..encoding import AllowedSpecial, Encoding, Losses, Placement, well_formed
from ..entry import Entry
from ..text.spans import Spans, TextMap
from ..text.spelling import quote
from .characters import UNKNOWN
from .corpus import model_languages, model_size
from .reasons import at_edge, check_place

_WORD_SIGNS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
_WORD = regex.compile(rf"[{_WORD_SIGNS}]+|[^{_WORD_SIGNS}\p{{White_Space}}]+")


class WordEncoding(Encoding):
    """Every word of a vocabulary is a token.

    Args:
        vocabulary: the words, the most frequent first; a run of signs such as "..." counts as a word.
        name: what people call it.

    Raises:
        ValueError: something in the vocabulary is not one word, or stands there twice.

    >>> enc = WordEncoding(["the", "cat", "."])
    >>> enc.encode("the  cat purrs."), enc.decode([1, 2, 0, 3])
    ([1, 2, 0, 3], 'the cat [UNK] .')
    """

    family = "words"
    unknown_id = 0
    is_lossless = False

    def __init__(self, vocabulary: Iterable[str], *, name: str = "words") -> None:
        super().__init__(check_string(name, "name"))
        self.vocabulary: list[str] = _check_words(vocabulary)
        self._ids = {word: token_id for token_id, word in enumerate(self.vocabulary, start=1)}
        self._tokens = [UNKNOWN.encode(), *(word.encode("utf-8") for word in self.vocabulary)]

    @property
    def n_vocab(self) -> int:
        """One more than the largest id: the words, and [UNK]."""
        return len(self._tokens)

    @functools.cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The words, as bytes, and their ids."""
        return {data: token_id for token_id, data in enumerate(self._tokens) if token_id}

    def token_bytes(self, token_id: int) -> bytes:
        """A word; for the unknown token, its name.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < len(self._tokens):
            return self._tokens[token_id]
        raise self.no_such_token(token_id)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The words of ``text``; between them, white space that belongs to no token.

        >>> placed = WordEncoding(["the", "cat"]).place("the  cat!")
        >>> placed.ids.tolist(), placed.starts.tolist(), placed.ends.tolist()
        ([1, 2, 0], [0, 5, 8], [3, 8, 9])
        """
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        text_map = TextMap(well_formed(text))
        ids, starts, ends = array("I"), array("q"), array("q")
        look_up = self._ids.get
        for match in _WORD.finditer(text_map.text):
            ids.append(look_up(match.group(), 0))
            starts.append(match.start())
            ends.append(match.end())
        edges = text_map.byte_of_char
        return Placement(
            np.array(ids, dtype=np.uint32),
            edges[np.array(starts, dtype=np.int64)],
            edges[np.array(ends, dtype=np.int64)],
        )

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The words of these ids, joined by single spaces.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        return b" ".join(map(self.token_bytes, check_whole_numbers(ids, "ids")))

    def loses(self, text: str) -> Losses:
        """The places that do not come back: unknown words, and white space other than single spaces.

        >>> for loss in WordEncoding(["the", "cat", "!"]).loses("the  fat cat!"):
        ...     print(loss)
        Loss(start=3, end=5, became=' ')
        Loss(start=5, end=8, became='[UNK]')
        Loss(start=12, end=12, became=' ')
        """
        check_string(text, "text")
        data = well_formed(text).encode("utf-8")
        placed = self.place(text)
        starts, ends = array("q"), array("q")
        became: list[str] = []
        end_before = 0
        tokens = zip(placed.ids.tolist(), placed.starts.tolist(), placed.ends.tolist(), strict=True)
        for token_id, start, end in tokens:
            comes_back = " " if end_before else ""  # before each word but the first
            if data[end_before:start] != comes_back.encode():
                starts.append(end_before)
                ends.append(start)
                became.append(comes_back)
            if not token_id:
                starts.append(start)
                ends.append(end)
                became.append(UNKNOWN)
            end_before = end
        if end_before < len(data):
            starts.append(end_before)
            ends.append(len(data))
            became.append("")
        return Losses(starts, ends, became)

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import encode_spans
        >>> enc = WordEncoding(["don", "t"])
        >>> print(enc.reason(encode_spans(enc, "don't"), 3))
        Letters and signs are never in one word, so a cut stands between “don” and “'”.
        >>> enc.reason(encode_spans(enc, "so don"), 1)
        'No cut: “so” is one word. It is not in the vocabulary of words, so all of it is [UNK].'
        >>> enc.reason(encode_spans(enc, "don so"), 3)
        'White space stands here. It ends a word, and belongs to no token.'
        """
        check_place(spans, byte_offset)
        edge = at_edge(spans, byte_offset)
        if edge:
            return edge
        before, after = spans.covering(byte_offset - 1), spans.covering(byte_offset)
        if before is None or after is None:
            return "White space stands here. It ends a word, and belongs to no token."
        left, right = (
            quote(spans.text_map.data[int(spans.starts[at]) : int(spans.ends[at])]) for at in (before, after)
        )
        if before != after:
            return f"Letters and signs are never in one word, so a cut stands between {left} and {right}."
        if spans.ids[before]:
            return f"No cut: {left} is one word, and in the vocabulary of {self.name}."
        unknown = f"It is not in the vocabulary of {self.name}, so all of it is {UNKNOWN}."
        return f"No cut: {left} is one word. {unknown}"


def cut_words(text: str) -> Iterator[str]:
    """The words and runs of signs of a text, as this family cuts it.

    >>> list(cut_words("It's 3.14…"))
    ['It', "'", 's', '3', '.', '14', '…']
    """
    return (match.group() for match in _WORD.finditer(check_string(text, "text")))


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
    for text in check_list(texts, "texts", "a list of texts"):
        counts.update(cut_words(well_formed(text)))
    by_frequency = sorted(counts, key=counts.__getitem__, reverse=True)
    if vocab_size is not None and check_whole_number(vocab_size, "vocab_size") < 1:
        raise ValueError(f"{vocab_size:,} tokens are too few: choose 1 or more.")
    return WordEncoding(by_frequency[: None if vocab_size is None else vocab_size - 1], name=name)


def _check_words(vocabulary: Iterable[str]) -> list[str]:
    words = check_list(vocabulary, "vocabulary", "a list of words")
    seen: set[str] = set()
    for word in words:
        if not _WORD.fullmatch(check_string(word, "each of vocabulary")) or well_formed(word) != word:
            raise ValueError(f"The vocabulary holds {word[:40]!r}, which is not one word or run of signs.")
        if word in seen:
            raise ValueError(f"The vocabulary holds {word[:40]!r} twice. Give each word once.")
        seen.add(word)
    return words


def _bundled() -> WordEncoding:
    return learn_words(model_languages(), model_size())


BUNDLED = {
    "words": Entry(
        _bundled,
        "The most frequent words of the declaration of human rights in 28 languages, 8,192 in all; "
        "the rest are [UNK], and white space is dropped.",
        hue=16,
    )
}
"""The encodings of this family that come with the app."""
