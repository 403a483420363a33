"""All tokens of an encoding: their lengths, scripts and kinds as arrays by id, and their biographies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex

from ..arrays import I64, U8, Flags
from ..bpe.trees import children_of, parts_of, unreached_by_merges
from ..cached import cached_property
from ..encoding import Encoding
from ..placement import FewIds
from ..text.export import spellings_of
from ..text.facts import INSIDE_CHARACTERS, utf8_state
from ..text.scripts import TOKEN_SCRIPTS, find_token_scripts, script_of_token
from ..utf8 import text_of

TokenIds = I64
"""Token ids in increasing order, shape (number of tokens,)."""


ENCODE_SECONDS = 2.0
"""Seconds that a person's own split pattern may take on all tokens."""

_WHITE_SPACE = regex.compile(r"\s+")
_DIGITS = regex.compile(r" ?\p{Nd}+")
# What to put around a token, so that the split pattern leaves it whole.
_BEFORE = ("", "a", " ", ".", "\u2603")
_AFTER = ("", "a", ".", "/", "\n", "VE", "RE", "LL", "M", "S", "T", "D")


@dataclass(frozen=True, slots=True)
class Variant:
    """The same word in another case, or with and without the leading space; its id, if it is a token."""

    text: str
    token_id: int | None


@dataclass(frozen=True, slots=True)
class Biography:
    """All that is known of a token, independent of any text.

    Attributes:
        token_id, token_bytes, rank, special: as the encoding says.
        unknown: whether it is the unknown token.
        utf8: in words, whether they are.
        script: that of most of its letters, as ``script_of_token`` says it.
        parents: the two tokens whose merge makes it; none for a byte and a special token; three or more if
            merges alone stop before they reach it.
        children: the tokens whose last merge uses it.
        containing: the other ordinary tokens whose bytes contain its bytes.
        variants: of a word that can stand alone, other cases, with and without a leading space.
        elsewhere: for other encodings, (name, the id of the token with the same bytes, or None).
        encodes_to: the ids that its text, inside of another, encodes to; () if it has none, or is a special
            token.
        encodes_to_itself: whether that is the token itself; None if its bytes alone are no text, if it occurs
            only within a word, and for a special token, which only arises where special tokens are allowed.
    """

    token_id: int
    token_bytes: bytes
    rank: int | None
    special: bool
    unknown: bool
    utf8: str
    script: str
    parents: FewIds
    children: FewIds
    containing: FewIds
    variants: tuple[Variant, ...]
    elsewhere: tuple[tuple[str, int | None], ...]
    encodes_to: FewIds
    encodes_to_itself: bool | None


class Vocabulary:
    """All tokens of an encoding. ``vocabulary_of`` returns one for each encoding.

    Each array is computed when it is first read. A large vocabulary takes half a second for all of them, and
    a few seconds for ``unreachable``.
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """By id; empty where there is no such token."""
        enc = self.encoding
        tokens = [b""] * enc.n_vocab
        for data, token_id in enc.ordinary.items():
            tokens[token_id] = data
        for token_id in np.flatnonzero(enc.byte_lengths).tolist():
            tokens[token_id] = tokens[token_id] or enc.token_bytes(token_id)  # special, or out of reach
        return tokens

    @cached_property
    def ids(self) -> TokenIds:
        """The ids that have a token."""
        return np.flatnonzero(self.byte_lengths)

    @cached_property
    def ordinary(self) -> TokenIds:
        """The ids of all tokens but the special ones."""
        return np.flatnonzero((self.byte_lengths > 0) & ~self.special)

    @cached_property
    def texts(self) -> list[str]:
        """By id, with U+FFFD for bytes that are not a whole character."""
        return [data.decode("utf-8", "replace") for data in self.token_bytes]

    # Arrays of shape (n_vocab,)

    @cached_property
    def byte_lengths(self) -> I64:
        """Bytes of each token: 0 where there is no such token."""
        return np.array([len(data) for data in self.token_bytes], np.int64)

    @cached_property
    def char_lengths(self) -> I64:
        """How many characters begin in each token."""
        return np.array([len(data.translate(None, INSIDE_CHARACTERS)) for data in self.token_bytes], np.int64)

    @cached_property
    def special(self) -> Flags:
        """Special tokens, and the unknown token: no text becomes them by being spelt so."""
        flags = self.encoding.is_special_id.copy()
        if self.encoding.unknown_id is not None:
            flags[self.encoding.unknown_id] = True
        return flags

    @cached_property
    def not_utf8(self) -> Flags:
        """Tokens whose bytes alone are not whole characters."""
        pairs = zip(self.texts, self.token_bytes, strict=True)
        return np.array(["\ufffd" in text and text_of(data) is None for text, data in pairs], bool)

    @cached_property
    def leading_space(self) -> Flags:
        """Tokens that begin with a space."""
        return np.array([data.startswith(b" ") for data in self.token_bytes], bool)

    @cached_property
    def whitespace(self) -> Flags:
        """Tokens of nothing but white space."""
        return self._which_match(_WHITE_SPACE)

    @cached_property
    def digits(self) -> Flags:
        """Tokens of nothing but digits, of any script, one leading space aside."""
        return self._which_match(_DIGITS)

    def _which_match(self, pattern: regex.Pattern[str]) -> Flags:
        """Tokens whose whole text a pattern matches that does not match U+FFFD."""
        return np.array([pattern.fullmatch(text) is not None for text in self.texts], bool)

    @cached_property
    def scripts(self) -> U8:
        """The script of each token, as indices into ``TOKEN_SCRIPTS``."""
        return find_token_scripts(self.token_bytes)

    @cached_property
    def long_chinese(self) -> Flags:
        """Tokens whose script is Chinese, of three or more characters, a leading space aside."""
        is_long = self.char_lengths - self.leading_space >= 3
        flags: Flags = is_long & (self.scripts == TOKEN_SCRIPTS.index("Han"))
        return flags

    # Tokens that do not arise

    @cached_property
    def unreachable(self) -> dict[int, FewIds]:
        """The ordinary tokens whose text, alone, does not encode to them, with what it encodes to instead.

        If a family puts a space in front of a text, the token's text is encoded as a part of a longer one.

        Some of them still arise inside of a longer piece (``example`` finds one): the pattern of o200k_base
        cuts " I'" in two, but leaves " I'VE" whole, which then becomes " I'" and "VE".

        A token whose bytes alone are no text is here only if merges alone do not reach it. The others of that
        kind are not judged, nor are those that occur only within a word.

        >>> from tokenizers import get_encoding
        >>> len(vocabulary_of(get_encoding("o200k_base")).unreachable)
        12
        """
        enc = self.encoding
        judged = ~self.not_utf8 & ~self.special & (self.byte_lengths > 0)
        judged[list(enc.inside_words)] = False
        token_ids = np.flatnonzero(judged).tolist()
        encoded = enc.encode_inside([self.texts[i] for i in token_ids], timeout=ENCODE_SECONDS)
        encodes_to = {i: ids for i, ids in self.unreached.items() if self.not_utf8[i]}
        for token_id, ids in zip(token_ids, encoded, strict=True):
            if ids != [token_id]:
                encodes_to[token_id] = tuple(ids)
        return dict(sorted(encodes_to.items()))

    @cached_property
    def unreached(self) -> dict[int, FewIds]:
        """The ordinary tokens that merges alone do not reach, with those at which the merges stop.

        tiktoken takes such a token by look-up, where a piece is exactly its bytes; a home-trained encoding
        never uses it. GLM's encodings have 893, Qwen 3.5's 201.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("gpt2")).unreached
        {}
        """
        return unreached_by_merges(self.encoding) if self.encoding.merging else {}

    # As a whole

    def script_of(self, token_id: int) -> str:
        """The script of a token, as in ``TOKEN_SCRIPTS``; "special" or "unknown" if it stands for no text."""
        if self.special[token_id]:
            return "unknown" if token_id == self.encoding.unknown_id else "special"
        return TOKEN_SCRIPTS[int(self.scripts[token_id])]

    def count_scripts(self) -> dict[str, int]:
        """How many tokens each script has, most first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> list(vocabulary_of(get_encoding("gpt2")).count_scripts())[:3]
        ['Latin', 'Common', 'part of a character']
        """
        counts = np.bincount(self.scripts[self.ordinary], minlength=len(TOKEN_SCRIPTS))
        order = np.argsort(-counts, kind="stable")
        return {TOKEN_SCRIPTS[index]: int(counts[index]) for index in order.tolist() if counts[index]}

    def count_lengths(self) -> I64:
        """How many tokens have 0, 1, 2, … bytes; special tokens aside."""
        return np.bincount(self.byte_lengths[self.ordinary])

    def longest(self, count: int) -> list[int]:
        """The ids of the longest tokens in bytes, the longest first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> [len(get_encoding("gpt2").token_bytes(i)) for i in vocabulary_of(get_encoding("gpt2")).longest(3)]
        [128, 66, 65]
        """
        order = np.argsort(-self.byte_lengths[self.ordinary], kind="stable")
        longest: list[int] = self.ordinary[order[:count]].tolist()
        return longest

    # One token

    def containing(self, needle: bytes) -> TokenIds:
        """The tokens whose bytes contain these: at least one."""
        return np.array([i for i, data in enumerate(self.token_bytes) if needle in data], np.int64)

    def biography(self, token_id: int, others: Sequence[Encoding] = ()) -> Biography:
        """All that is known of a token, independent of any text.

        Args:
            token_id: the token.
            others: encodings in which to look for the same bytes.

        Raises:
            ValueError: an id that this encoding does not have; names it.

        >>> from tokenizers import get_encoding
        >>> gpt2 = get_encoding("gpt2")
        >>> the = vocabulary_of(gpt2).biography(1169, [get_encoding("cl100k_base")])
        >>> [gpt2.token_bytes(parent) for parent in the.parents], the.elsewhere
        ([b't', b'he'], (('cl100k_base', 1820),))
        >>> [(variant.text, variant.token_id) for variant in the.variants][:3]
        [(' the', 262), ('The', 464), (' The', 383)]
        >>> endo = vocabulary_of(gpt2).biography(31110)  # <|endoftext|> has its bytes, too, but is special
        >>> [gpt2.token_bytes(each) for each in endo.containing[-2:]]
        [b' endot', b' endogenous']
        """
        enc = self.encoding
        data = enc.token_bytes(token_id)
        special, unknown = enc.is_special(token_id), token_id == enc.unknown_id
        is_own_text = not special and not unknown  # its bytes are a text that can become it
        is_alone = is_own_text and token_id not in enc.inside_words
        text = text_of(data)
        encodes_to: FewIds = ()
        itself: bool | None = None
        if text is not None and is_alone:
            (inside,) = enc.encode_inside([text])
            encodes_to = tuple(inside)
            itself = encodes_to == (token_id,)
        elif is_own_text and enc.merging and enc.token_id(data) != token_id:
            # A home-trained token that never arises.
            encodes_to = tuple(enc.merging.merge_alone(data))
            itself = False
        containing: list[int] = self.containing(data).tolist() if is_own_text else []
        return Biography(
            token_id=token_id,
            token_bytes=data,
            rank=enc.rank(token_id),
            special=special,
            unknown=unknown,
            utf8=utf8_state(data),
            script=script_of_token(data),
            parents=parts_of(enc, token_id) if enc.has_merges else (),
            children=children_of(enc, token_id, containing) if enc.has_merges else (),
            containing=tuple(i for i in containing if i != token_id and not self.special[i]),
            variants=_variants(enc, text) if text is not None and is_alone else (),
            elsewhere=tuple((other.name, _same_token(enc, other, token_id)) for other in others),
            encodes_to=encodes_to,
            encodes_to_itself=itself,
        )

    def example(self, token_id: int) -> str | None:
        """A short text in which an ordinary token arises: its own text, or that with a few characters more.

        None: none was found, though there may be one.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("o200k_base")).example(3413)
        " I'VE"
        """
        data = self.encoding.token_bytes(token_id)  # raises if there is no such id
        text = None if self.special[token_id] else text_of(data)
        if text:
            for before, after in itertools.product(_BEFORE, _AFTER):
                if token_id in self.encoding.encode(before + text + after):
                    return before + text + after
        return None


def _variants(encoding: Encoding, text: str) -> tuple[Variant, ...]:
    word = text.removeprefix(" ")
    forms = spellings_of(word) if word else []
    return tuple(Variant(form, encoding.token_id(form.encode())) for form in forms if form != text)


def _same_token(enc: Encoding, other: Encoding, token_id: int) -> int | None:
    """The token of another encoding that is what this one is here; None: it has none."""
    if token_id == enc.unknown_id:
        return other.unknown_id
    data = enc.token_bytes(token_id)
    return other.special_tokens.get(data.decode()) if enc.is_special(token_id) else other.token_id(data)


def vocabulary_of(enc: Encoding) -> Vocabulary:
    """The vocabulary of an encoding: always the same object, which keeps what it has computed.

    >>> from tokenizers import get_encoding
    >>> len(vocabulary_of(get_encoding("cl100k_base")))
    100261
    """
    return enc.cached(Vocabulary)
