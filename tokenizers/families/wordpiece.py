"""WordPiece: words in small letters without accents, each cut by longest match from the left.

A text is cleaned (control characters are dropped, accents too, capitals become small, Hangul falls into its
letters) and cut into words: at white space, and around each punctuation mark and Chinese character. A word
becomes the longest token with which it begins, then the longest one with which its rest goes on, and so
forth. Tokens that go on within a word are written with ## before them. If no token fits at some place, the
whole word is [UNK].

Schuster and Nakajima 2012; Devlin et al. 2018, BERT (arXiv:1810.04805), whose vocabulary this is. The engine
is Hugging Face's library, loaded when it is needed.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..encoding import AllowedSpecial, Ids
from ..placement import Placement
from ..text.rewriting import cut_at_spaces
from ..text.spans import Spans
from ..text.spelling import quote, spell_change
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .characters import UNKNOWN
from .huggingface import huggingface_engine
from .listed import ListedEncoding

GOES_ON = "##"
LONGEST_WORD = 100
"""Characters of a word, above which it is [UNK]."""


class WordPieceEncoding(ListedEncoding):
    """A vocabulary of words and of parts that continue words, as in BERT.

    Args:
        tokens: by id; those that go on within a word begin with ##. [UNK] is among them.
        name: what people call it.
        special: which of them are special.

    Raises:
        OSError: Hugging Face's library is not installed.

    >>> enc = WordPieceEncoding(["[UNK]", "un", "##able", "!"], name="small")
    >>> enc.encode("Ünable! un"), enc.decode([1, 2, 3])
    ([1, 2, 3, 1], 'unable !')
    """

    family = "word pieces"
    is_lossless = False
    drops_text = True
    longest_text = 2 << 20  # about 150 times the text's memory, and 2 s a MB

    def __init__(self, tokens: Sequence[str], *, name: str, special: Iterable[str] = ()) -> None:
        super().__init__(name, [token.encode("utf-8") for token in tokens])
        self._ids_of = {token: token_id for token_id, token in enumerate(tokens)}
        self.special_tokens = {token: self._ids_of[token] for token in special}
        self.unknown_id = self._ids_of[UNKNOWN]
        self._texts = list(tokens)
        self.inside_words = frozenset(
            token_id for token_id, token in enumerate(tokens) if token.startswith(GOES_ON) and len(token) > 2
        )
        library = huggingface_engine()
        model = library.models.WordPiece(
            self._ids_of, unk_token=UNKNOWN, max_input_chars_per_word=LONGEST_WORD
        )
        self._engine = library.Tokenizer(model)
        self._cleaning = library.normalizers.BertNormalizer()
        self._engine.normalizer = self._cleaning
        self._engine.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()

    @functools.cached_property
    def ordinary(self) -> dict[bytes, int]:
        """The tokens that a text can become, [UNK] and special ones aside: their bytes, and their ids."""
        apart = {self.unknown_id, *self.special_tokens.values()}
        return {data: token_id for token_id, data in enumerate(self._tokens) if token_id not in apart}

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, each over the characters that it came from."""
        text_map = TextMap(text)
        ids: list[int] = []
        offsets: list[npt.NDArray[np.int64]] = []
        begin = 0
        for stretch, special_id in self.cut_at_specials(text_map.text, self._allowed(allowed_special)):
            if special_id is not None:
                ids.append(special_id)
                offsets.append(np.array([[begin, begin + len(stretch)]]))
            else:
                for at, part in cut_at_spaces(stretch):
                    encoded = self._engine.encode(part, add_special_tokens=False)
                    ids += encoded.ids
                    offsets.append(np.array(encoded.offsets, dtype=np.int64).reshape(-1, 2) + begin + at)
            begin += len(stretch)
        places = np.concatenate([np.zeros((0, 2), dtype=np.int64), *offsets])
        ends = places[:, 1] if text_map.is_ascii else _with_accents(text_map.text, places)
        edges = text_map.byte_of_char
        return Placement(np.array(ids, dtype=np.uint32), edges[places[:, 0]], edges[ends])

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        if self._allowed(allowed_special):
            return self.place(text, allowed_special=allowed_special).ids
        ids: list[int] = []
        for _, part in cut_at_spaces(well_formed(text)):
            ids += self._engine.encode(part, add_special_tokens=False).ids
        return np.array(ids, dtype=np.uint32)

    # Ids to text

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """The tokens of these ids, each but the first with a space before it, except where a word goes on.

        That is how Hugging Face's library decodes without its clean-up, which guesses at spaces before
        punctuation.

        >>> enc = WordPieceEncoding(["[UNK]", "un", "##able", "!"], name="small")
        >>> [(loss.start, loss.end, loss.became) for loss in enc.loses("Unable! 日")]
        [(0, 1, 'u'), (6, 6, ' '), (8, 11, '[UNK]')]
        """
        tokens = list(map(self.token_bytes, ids))
        return tokens[:1] + [
            token[2:] if token_id in self.inside_words else b" " + token
            for token_id, token in zip(ids[1:], tokens[1:], strict=True)
        ]

    # Why here

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> enc = WordPieceEncoding(["[UNK]", "un", "##able", "##ab", "!"], name="small")
        >>> print(enc.reason(encode_spans(enc, "unable"), 2))
        “un” is the longest beginning of “unable” in the vocabulary: of “una” to “unable”, none is in it.
        >>> print(enc.reason(encode_spans(enc, "unable!"), 6))
        Two words meet here: “unable” and “!”. White space, punctuation and Chinese characters end a word.
        >>> print(enc.reason(encode_spans(enc, "unabc"), 3))
        No cut: “unabc” is [UNK], all of it. It could begin with “un”, “ab”, but with “c” it cannot go on.
        """
        if before != after or int(spans.ends[before]) == byte_offset:
            if int(spans.ids[after]) not in self.inside_words:
                left, right = (self._word_at(spans, at) for at in (before, after))
                return (
                    f"Two words meet here: {_quoted(left)} and {_quoted(right)}. White space, punctuation "
                    "and Chinese characters end a word."
                )
            return self._longest(spans, after - 1)
        if int(spans.ids[before]) == self.unknown_id:
            return self._why_unknown(spans.bytes_of(before).decode("utf-8"))
        was = spans.bytes_of(before).decode("utf-8", "replace")
        became = self._texts[int(spans.ids[before])].removeprefix(GOES_ON)
        changed = f" It comes of {_quoted(spell_change(was[:80], became)[0])}." if was != became else ""
        return f"No cut: {self._longest(spans, before)}{changed}"

    def _word_at(self, spans: Spans, index: int) -> str:
        """The whole word that a token is in, as it is cut; of an unknown one, as it is typed."""
        if int(spans.ids[index]) == self.unknown_id:
            return spans.bytes_of(index).decode("utf-8", "replace")
        first, after = self._bounds(spans, index)
        return "".join(self._piece(spans, at) for at in range(first, after))

    def _bounds(self, spans: Spans, index: int) -> tuple[int, int]:
        """The tokens of the word that a token is in: the first, and one past the last."""
        first, after = index, index + 1
        while first and int(spans.ids[first]) in self.inside_words:
            first -= 1
        while after < len(spans) and int(spans.ids[after]) in self.inside_words:
            after += 1
        return first, after

    def _piece(self, spans: Spans, index: int) -> str:
        token_id = int(spans.ids[index])
        text = self._texts[token_id]
        return text[2:] if token_id in self.inside_words else text

    def _longest(self, spans: Spans, index: int) -> str:
        """Why a token is no longer than it is."""
        _, after = self._bounds(spans, index)
        piece = self._piece(spans, index)
        rest = "".join(self._piece(spans, at) for at in range(index, after))
        goes_on = int(spans.ids[index]) in self.inside_words
        what = "with which a word goes on" if goes_on else "in the vocabulary"
        if piece == rest:
            end = "to the end of the word" if goes_on else "a whole word"
            return (
                f"{_quoted(piece)} is {end}, and in the vocabulary{' as what a word goes on with' * goes_on}."
            )
        shortest = rest[: len(piece) + 1]
        tried = (
            f"of {_quoted(shortest)} to {_quoted(rest)}, none is"
            if shortest != rest
            else f"{_quoted(rest)} is not"
        )
        return f"{_quoted(piece)} is the longest beginning of {_quoted(rest)} {what}: {tried} in it."

    def _why_unknown(self, typed: str) -> str:
        """Why a word is unknown."""
        word = str(self._cleaning.normalize_str(typed)).strip()
        whole = f"No cut: {_quoted(typed)} is {UNKNOWN}, all of it."
        if len(word) > LONGEST_WORD:
            return f"{whole} A word of more than {LONGEST_WORD} characters is not cut."
        parts: list[str] = []
        at = 0
        while at < len(word):
            mark = GOES_ON if at else ""
            end = next((end for end in range(len(word), at, -1) if mark + word[at:end] in self._ids_of), at)
            if end == at:
                break
            parts.append(word[at:end])
            at = end
        if not parts:
            return f"{whole} No token begins with {_quoted(word[:1])}."
        begun = ", ".join(map(_quoted, parts))
        return f"{whole} It could begin with {begun}, but with {_quoted(word[at : at + 1])} it cannot go on."


def _with_accents(text: str, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where tokens end, in characters: after the accents that were taken off their last letter.

    The library gives these places where letter and accent are one character. Where they are two, it leaves
    out the accent, which would be there alone.
    """
    is_other = np.array([unicodedata.category(char) != "Mn" for char in text] + [True])
    others = np.flatnonzero(is_other)
    ends: npt.NDArray[np.int64] = others[np.searchsorted(others, places[:, 1])]
    # Not beyond the next token; of tokens that share a letter, each has all of it.
    nexts = np.append(places[1:, 0], len(text))
    return np.maximum(places[:, 1], np.minimum(ends, np.maximum.accumulate(nexts)))


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8"))
