"""All tokens of an encoding as arrays indexed by id: bytes, lengths, scripts and kinds.

Each array is made when it is first asked for, and kept. ``vocabulary.py`` puts questions to them.
"""

from __future__ import annotations

import time
from typing import Literal

import numpy as np
import numpy.typing as npt
import regex

from ..bpe.trees import unreached_by_merges
from ..encoding import Encoding
from ..lazily import once
from ..text.scripts import find_token_scripts

TokenIds = npt.NDArray[np.int64]
"""Token ids in increasing order, shape (number of tokens,)."""

Flags = npt.NDArray[np.bool_]
"""One flag for each id, shape (n_vocab,)."""

SEARCH_TIMEOUT = 2.0
"""Seconds that a person's regular expression may take on a whole vocabulary."""

REMEDY = "Grow it with a split pattern to look at all of its tokens."
"""What to do about an encoding whose tokens are too long to spell out all of them."""

_FOR_SEARCH = dict.fromkeys(
    "token_bytes ids byte_lengths special all_bytes byte_array longest_token ends texts not_utf8 "
    "char_lengths leading_space _characters scripts whitespace digits folded_texts ordinary".split()
)
_PREPARED = {"search": _FOR_SEARCH.keys(), "trees": {**_FOR_SEARCH, "unreachable": None}.keys()}


class TokenArrays:
    """All tokens of an encoding, by id.

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """

    def __init__(self, encoding: Encoding) -> None:
        encoding.check_spelled_out(REMEDY)
        self.encoding = encoding

    def is_prepared(self, until: Literal["search", "trees"] = "search") -> bool:
        """Whether ``prepare`` has nothing left to do."""
        return _PREPARED[until] <= self.__dict__.keys()

    def prepare(self, until: Literal["search", "trees"] = "search", *, pause: float = 0.0) -> None:
        """Work out what a first search needs, or each token's parents and reach too; nothing the second time.

        Args:
            until: how much. A large vocabulary takes half a second for the one, a few for the other.
            pause: seconds to leave to others between two arrays, if nobody is waiting for them.
        """
        for name in _PREPARED[until]:
            if name not in self.__dict__:
                getattr(self, name)
                time.sleep(pause)

    def __len__(self) -> int:
        return len(self.ids)

    @once
    def token_bytes(self) -> list[bytes]:
        """By id; empty where there is no such token."""
        enc = self.encoding
        tokens = [b""] * enc.n_vocab
        for data, token_id in enc.ordinary.items():
            tokens[token_id] = data
        for token_id in np.flatnonzero(enc.byte_lengths).tolist():
            if not tokens[token_id]:  # special, or out of reach
                tokens[token_id] = enc.token_bytes(token_id)
        return tokens

    @once
    def ids(self) -> TokenIds:
        """The ids that have a token."""
        return np.flatnonzero(self.byte_lengths)

    @once
    def byte_lengths(self) -> npt.NDArray[np.int64]:
        """Shape (n_vocab,): 0 where there is no such token."""
        return np.fromiter(map(len, self.token_bytes), np.int64, len(self.token_bytes))

    @once
    def special(self) -> Flags:
        """Special tokens, and the unknown token: no text becomes them by being spelt so."""
        flags = np.zeros(self.encoding.n_vocab, dtype=np.bool_)
        flags[list(self.encoding.special_tokens.values())] = True
        if self.encoding.unknown_id is not None:
            flags[self.encoding.unknown_id] = True
        return flags

    @once
    def all_bytes(self) -> bytes:
        """All tokens' bytes, one after the other in the order of their ids."""
        return b"".join(self.token_bytes)

    @once
    def byte_array(self) -> npt.NDArray[np.uint8]:
        """The same as an array."""
        return np.frombuffer(self.all_bytes, dtype=np.uint8)

    @once
    def longest_token(self) -> int:
        """Bytes of the longest token."""
        return int(self.byte_lengths.max(initial=0))

    @once
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each token ends in ``byte_array``, shape (n_vocab,)."""
        return np.cumsum(self.byte_lengths)

    @once
    def texts(self) -> list[str]:
        """By id, with U+FFFD for bytes that are not a whole character."""
        return [data.decode("utf-8", "replace") for data in self.token_bytes]

    @once
    def not_utf8(self) -> Flags:
        """Tokens whose bytes alone are not whole characters."""
        flags = np.zeros(self.encoding.n_vocab, dtype=np.bool_)
        flags[[i for i, text in enumerate(self.texts) if "\ufffd" in text]] = True
        for token_id in np.flatnonzero(flags).tolist():  # U+FFFD itself may be in a token
            try:
                self.token_bytes[token_id].decode("utf-8")
                flags[token_id] = False
            except UnicodeDecodeError:
                pass
        return flags

    @once
    def char_lengths(self) -> npt.NDArray[np.int64]:
        """How many characters begin in each token, shape (n_vocab,)."""
        begins = (self.byte_array & 0xC0) != 0x80
        return self._per_token(begins, self.ends)

    @once
    def leading_space(self) -> Flags:
        """Tokens that begin with a space."""
        return np.array([data[:1] == b" " for data in self.token_bytes], dtype=np.bool_)

    @once
    def _characters(
        self,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], str]:
        """The whole characters of all tokens, one after the other.

        Returns:
            where each token's end, shape (n_vocab,); the place of each character among the different ones,
            shape (number of characters,); the different ones.
        """
        texts = list(self.texts)
        for token_id in np.flatnonzero(self.not_utf8).tolist():
            texts[token_id] = self.token_bytes[token_id].decode("utf-8", "ignore")
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
        different, places = np.unique(points, return_inverse=True)
        return np.cumsum(lengths), places, "".join(map(chr, different.tolist()))

    def _of_kind(self, kind: str) -> npt.NDArray[np.int64]:
        """How many whole characters of each token match a class of characters, shape (n_vocab,)."""
        ends, places, different = self._characters
        matches = np.zeros(len(different), dtype=np.bool_)
        for match in regex.finditer(f"{kind}+", different):
            matches[match.start() : match.end()] = True
        return self._per_token(matches[places], ends)

    @staticmethod
    def _per_token(flags: Flags, ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.diff(np.concatenate(([0], np.cumsum(flags)))[ends], prepend=0)

    @once
    def whitespace(self) -> Flags:
        """Tokens of nothing but white space."""
        whole = ~self.not_utf8 & (self.byte_lengths > 0)
        flags: Flags = whole & (self._of_kind(r"\s") == self.char_lengths)
        return flags

    @once
    def digits(self) -> Flags:
        """Tokens of nothing but digits, of any script, one leading space aside."""
        digits = self._of_kind(r"\p{Nd}")
        only: Flags = digits + self.leading_space == self.char_lengths
        return only & (digits > 0) & ~self.not_utf8

    @once
    def scripts(self) -> npt.NDArray[np.uint8]:
        """The script of each token, shape (n_vocab,), as indices into ``TOKEN_SCRIPTS``."""
        return find_token_scripts(self.token_bytes)

    @once
    def unreachable(self) -> dict[int, tuple[int, ...]]:
        """The ordinary tokens whose text, alone, does not encode to them, with what it encodes to instead.

        If a family puts a space in front of a text, the token's text is encoded as a part of a longer one.

        Some of them still arise inside of a longer piece (``Vocabulary.example`` finds one): the pattern
        of o200k_base cuts " I'" in two, but leaves " I'VE" whole, which then becomes " I'" and "VE".

        A token whose bytes alone are no text is here only if merges alone do not reach it. The others of that
        kind are not judged, nor are those that occur only within a word.

        >>> from tokenizers import get_encoding, vocabulary_of
        >>> vocabulary_of(get_encoding("cl100k_base")).unreachable
        {}
        >>> len(vocabulary_of(get_encoding("o200k_base")).unreachable)
        12
        """
        enc = self.encoding
        judged = ~self.not_utf8 & ~self.special & (self.byte_lengths > 0)
        judged[list(enc.inside_words)] = False
        token_ids = np.flatnonzero(judged).tolist()
        texts = [self.texts[token_id] for token_id in token_ids]
        encoded = enc.encode_inside(texts, timeout=SEARCH_TIMEOUT)
        encodes_to: dict[int, tuple[int, ...]] = {}
        for token_id, ids in zip(token_ids, encoded, strict=True):
            if len(ids) != 1 or ids[0] != token_id:
                encodes_to[token_id] = tuple(ids)
        for token_id, stops in self.unreached.items():
            if self.not_utf8[token_id]:
                encodes_to[token_id] = stops
        return dict(sorted(encodes_to.items()))

    @once
    def unreached(self) -> dict[int, tuple[int, ...]]:
        """The ordinary tokens that merges alone do not reach, with those at which the merges stop.

        tiktoken takes such a token by look-up, where a piece is exactly its bytes; a home-trained encoding
        never uses it. No encoding that comes with the app has one.

        >>> from tokenizers import get_encoding, vocabulary_of
        >>> vocabulary_of(get_encoding("gpt2")).unreached
        {}
        """
        return unreached_by_merges(self.encoding) if self.encoding.merging else {}

    @once
    def ordinary(self) -> TokenIds:
        """The ids of all tokens but the special ones."""
        return np.flatnonzero((self.byte_lengths > 0) & ~self.special)

    @once
    def folded_texts(self) -> list[str]:
        """``texts`` for a search that ignores case."""
        return [text.casefold() for text in self.texts]
