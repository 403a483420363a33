"""A vocabulary, looked over as a whole and token by token.

An encoding knows one token at a time; this module knows all of them: their lengths, scripts and
kinds as arrays indexed by id, a search over them, and the biography of each one: its parents in the
merge tree, its children, the tokens that contain it, its variants, and whether it encodes to itself.

>>> from tokenizers import get_encoding
>>> words = vocabulary_of(get_encoding("gpt2"))
>>> [words.token_bytes[i] for i in words.search("Magikarp").tolist()]
[b'Magikarp', b'GoldMagikarp', b' SolidGoldMagikarp']
"""

from __future__ import annotations

import bisect
import functools
import itertools
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import regex

from ..bpe.trees import children_of, parts_of, stops_at, unreached_by_merges
from ..checks import check_encoding, check_list, check_string, check_whole_number, wrong_type
from ..encoding import Encoding
from ..split import bounded
from ..split.own_pattern import read_pattern, too_much
from ..split.patterns import COMPILE_SECONDS
from ..text.facts import text_of, utf8_state
from ..text.scripts import SCRIPTS, find_scripts
from . import regex_search

TokenIds = npt.NDArray[np.int64]
"""Token ids in increasing order, shape (number of tokens,)."""

Flags = npt.NDArray[np.bool_]
"""One flag for each id, shape (n_vocab,)."""

SearchBy = Literal["text", "regex", "bytes", "id"]

# What to put around a token, so that the split pattern leaves it whole.
_BEFORE = ("", "a", " ", ".", "\u2603")
_AFTER = ("", "a", ".", "/", "\n", "VE", "RE", "LL", "M", "S", "T", "D")

SEARCH_TIMEOUT = 2.0
"""Seconds that a person's regular expression may take on a whole vocabulary."""


LONGEST_QUERY = 100_000
"""Characters that a search takes: some ten thousand ids."""

_SHORT = 8  # bytes, up to which a search for them goes over all tokens at once, a byte at a time


@dataclass(frozen=True, slots=True)
class Filters:
    """Which tokens to keep. None: whichever. The flags: True keeps those, False keeps the others.

    Attributes:
        script: the script of most of its letters, as in ``SCRIPTS``.
        min_bytes, max_bytes: its length in bytes.
        min_chars, max_chars: how many characters begin in it.
        leading_space: begins with a space.
        whitespace: nothing but white space.
        digits: nothing but digits, one leading space aside.
        not_utf8: its bytes alone are not whole characters.
        special: a special token.
        unreachable: does not encode to itself (see ``Vocabulary.unreachable``).
    """

    script: str | None = None
    min_bytes: int | None = None
    max_bytes: int | None = None
    min_chars: int | None = None
    max_chars: int | None = None
    leading_space: bool | None = None
    whitespace: bool | None = None
    digits: bool | None = None
    not_utf8: bool | None = None
    special: bool | None = None
    unreachable: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A token in a table. ``text`` shows U+FFFD for bytes that are no whole character."""

    token_id: int
    token_bytes: bytes
    text: str
    n_bytes: int
    n_chars: int
    script: str
    special: bool


@dataclass(frozen=True, slots=True)
class Variant:
    """The same word in another case, or with and without the leading space; its id, if it is a token."""

    text: str
    token_id: int | None


@dataclass(frozen=True, slots=True)
class Biography:
    """What there is to say of a token, wherever it stands.

    Attributes:
        encoding: the encoding's name.
        token_id, token_bytes, rank, special: as the encoding says.
        unknown: whether it is the token that stands for whatever is not in the vocabulary.
        text: its characters; None if its bytes alone are no whole characters.
        utf8: in words, whether they are.
        script: that of most of its letters; Common if it has none.
        parents: the two tokens whose merge makes it; none for a byte and a special token; three or more
            where merges alone stop before.
        children: the tokens whose last merge uses it.
        containing: the other ordinary tokens whose bytes contain its bytes.
        variants: of a word, other cases, with and without a leading space.
        elsewhere: for other encodings, (name, the id of the token with the same bytes, or None).
        encodes_to: the ids that its text encodes to; () if it has none, or is a special token.
        encodes_to_itself: whether that is the token itself; None if its bytes alone are no text, and for
            a special token, which only arises where special tokens are allowed.
    """

    encoding: str
    token_id: int
    token_bytes: bytes
    text: str | None
    rank: int | None
    special: bool
    unknown: bool
    utf8: str
    script: str
    parents: tuple[int, ...]
    children: tuple[int, ...]
    containing: tuple[int, ...]
    variants: tuple[Variant, ...]
    elsewhere: tuple[tuple[str, int | None], ...]
    encodes_to: tuple[int, ...]
    encodes_to_itself: bool | None


_FOR_SEARCH = dict.fromkeys(
    "token_bytes ids byte_lengths special _all_bytes _joined _longest _ends texts not_utf8 char_lengths "
    "leading_space _characters scripts whitespace digits _folded _ordinary".split()
)
_PREPARED = {"search": _FOR_SEARCH.keys(), "trees": {**_FOR_SEARCH, "unreachable": None}.keys()}


class Vocabulary:
    """All tokens of an encoding. Each array is made when it is first asked for, and kept.

    Use ``vocabulary_of``, so that there is one for each encoding.

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """

    def __init__(self, encoding: Encoding) -> None:
        encoding.check_spelled_out(_REMEDY)
        self.encoding = encoding
        self._lock = threading.Lock()

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
                with self._lock:  # one array at a time, so that who waits for one need not wait for all
                    getattr(self, name)
                time.sleep(pause)

    def __len__(self) -> int:
        return len(self.ids)

    # What there is of each token, by id

    @functools.cached_property
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

    @functools.cached_property
    def ids(self) -> TokenIds:
        """The ids that have a token."""
        return np.flatnonzero(self.byte_lengths)

    @functools.cached_property
    def byte_lengths(self) -> npt.NDArray[np.int64]:
        """Shape (n_vocab,): 0 where there is no such token."""
        return np.fromiter(map(len, self.token_bytes), np.int64, len(self.token_bytes))

    @functools.cached_property
    def special(self) -> Flags:
        """Special tokens, and the unknown token: no text becomes them by being spelt so."""
        flags = np.zeros(self.encoding.n_vocab, dtype=np.bool_)
        flags[list(self.encoding.special_tokens.values())] = True
        if self.encoding.unknown_id is not None:
            flags[self.encoding.unknown_id] = True
        return flags

    @functools.cached_property
    def _all_bytes(self) -> bytes:
        """All tokens' bytes, one after the other in the order of their ids."""
        return b"".join(self.token_bytes)

    @functools.cached_property
    def _joined(self) -> npt.NDArray[np.uint8]:
        """The same as an array."""
        return np.frombuffer(self._all_bytes, dtype=np.uint8)

    @functools.cached_property
    def _longest(self) -> int:
        """Bytes of the longest token."""
        return int(self.byte_lengths.max(initial=0))

    @functools.cached_property
    def _ends(self) -> npt.NDArray[np.int64]:
        """Where each token ends in ``_joined``, shape (n_vocab,)."""
        return np.cumsum(self.byte_lengths)

    @functools.cached_property
    def texts(self) -> list[str]:
        """By id, with U+FFFD for bytes that are no whole character."""
        return [data.decode("utf-8", "replace") for data in self.token_bytes]

    @functools.cached_property
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

    @functools.cached_property
    def char_lengths(self) -> npt.NDArray[np.int64]:
        """How many characters begin in each token, shape (n_vocab,)."""
        begins = (self._joined & 0xC0) != 0x80
        return self._per_token(begins, self._ends)

    @functools.cached_property
    def leading_space(self) -> Flags:
        """Tokens that begin with a space."""
        return np.array([data[:1] == b" " for data in self.token_bytes], dtype=np.bool_)

    @functools.cached_property
    def _characters(
        self,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], str]:
        """The whole characters of all tokens, one after the other.

        Returns:
            where each token's end, shape (n_vocab,); the token of each, and its place among the
            different ones, both of shape (number of characters,); the different ones.
        """
        texts = list(self.texts)
        for token_id in np.flatnonzero(self.not_utf8).tolist():
            texts[token_id] = self.token_bytes[token_id].decode("utf-8", "ignore")
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
        different, places = np.unique(points, return_inverse=True)
        owners = np.repeat(np.arange(len(texts)), lengths)
        return np.cumsum(lengths), owners, places, "".join(map(chr, different.tolist()))

    def _of_kind(self, kind: str) -> npt.NDArray[np.int64]:
        """How many whole characters of each token match a class of characters, shape (n_vocab,)."""
        ends, _, places, different = self._characters
        matches = np.zeros(len(different), dtype=np.bool_)
        for match in regex.finditer(f"{kind}+", different):
            matches[match.start() : match.end()] = True
        return self._per_token(matches[places], ends)

    @staticmethod
    def _per_token(flags: Flags, ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.diff(np.concatenate(([0], np.cumsum(flags)))[ends], prepend=0)

    @functools.cached_property
    def whitespace(self) -> Flags:
        """Tokens of nothing but white space."""
        whole = ~self.not_utf8 & (self.byte_lengths > 0)
        flags: Flags = whole & (self._of_kind(r"\s") == self.char_lengths)
        return flags

    @functools.cached_property
    def digits(self) -> Flags:
        """Tokens of nothing but digits, of any script, one leading space aside."""
        digits = self._of_kind(r"\p{Nd}")
        only: Flags = digits + self.leading_space == self.char_lengths
        return only & (digits > 0) & ~self.not_utf8

    @functools.cached_property
    def scripts(self) -> npt.NDArray[np.uint8]:
        """The script of most letters of each token, shape (n_vocab,), as indices into ``SCRIPTS``.

        Letters and all other characters that belong to a script count; of equals, the one that
        comes first in the token. 0 (Common): there are none.
        """
        _, owners, places, different = self._characters
        of_character = find_scripts(different)[places].astype(np.int64)
        belongs = np.flatnonzero(of_character)
        # Each (token, script), how often, and where it is first; the best of each token comes last.
        pairs, first, count = np.unique(
            owners[belongs] * 256 + of_character[belongs], return_index=True, return_counts=True
        )
        order = np.lexsort((-first, count, pairs // 256))
        scripts = np.zeros(self.encoding.n_vocab, dtype=np.uint8)
        scripts[pairs[order] // 256] = pairs[order] % 256
        return scripts

    @functools.cached_property
    def unreachable(self) -> dict[int, tuple[int, ...]]:
        """The ordinary tokens whose text, alone, does not encode to them, with what it encodes to instead.

        Some of them still arise inside of a longer piece (``example`` finds one): the pattern of o200k_base
        cuts " I'" in two, but leaves " I'VE" whole, which then becomes " I'" and "VE".

        A token whose bytes alone are no text is here only if merges alone do not reach it. The others
        of that kind are not judged.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("cl100k_base")).unreachable
        {}
        >>> len(vocabulary_of(get_encoding("o200k_base")).unreachable)
        12
        """
        enc = self.encoding
        token_ids = np.flatnonzero(~self.not_utf8 & ~self.special & (self.byte_lengths > 0)).tolist()
        texts = [self.texts[token_id] for token_id in token_ids]
        encoded = enc.encode_each(texts, timeout=SEARCH_TIMEOUT)
        found: dict[int, tuple[int, ...]] = {}
        for token_id, ids in zip(token_ids, encoded, strict=True):
            if len(ids) != 1 or ids[0] != token_id:
                found[token_id] = tuple(ids)
        for token_id, stops in self.unreached.items():
            if self.not_utf8[token_id]:
                found[token_id] = stops
        return dict(sorted(found.items()))

    @functools.cached_property
    def unreached(self) -> dict[int, tuple[int, ...]]:
        """The ordinary tokens that merges alone do not reach, with those at which the merges stop.

        tiktoken takes such a token by look-up, where a piece is exactly its bytes; a home-trained encoding
        never uses it. No encoding that comes with the app has one.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("gpt2")).unreached
        {}
        """
        return unreached_by_merges(self.encoding) if self.encoding.merging else {}

    def example(self, token_id: int) -> str | None:
        """A short text in which an ordinary token arises: its own text, or that with a few characters more.

        None: none was found, which does not say that there is none.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("o200k_base")).example(3413)
        " I'VE"
        """
        data = self.encoding.token_bytes(token_id)  # says what is wrong
        text = None if self.special[token_id] else text_of(data)
        if text:
            for before, after in itertools.product(_BEFORE, _AFTER):
                if token_id in self.encoding.encode(before + text + after):
                    return before + text + after
        return None

    # All of them

    def count_scripts(self) -> dict[str, int]:
        """How many tokens each script has, most first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> list(vocabulary_of(get_encoding("gpt2")).count_scripts())[:3]
        ['Latin', 'Common', 'Katakana']
        """
        counts = np.bincount(self.scripts[self._ordinary], minlength=len(SCRIPTS))
        order = np.argsort(-counts, kind="stable")
        return {SCRIPTS[index]: int(counts[index]) for index in order.tolist() if counts[index]}

    def count_lengths(self) -> npt.NDArray[np.int64]:
        """How many tokens have 0, 1, 2, … bytes; special tokens aside."""
        return np.bincount(self.byte_lengths[self._ordinary])

    def longest(self, count: int) -> list[int]:
        """The ids of the longest tokens in bytes, the longest first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> [len(get_encoding("gpt2").token_bytes(i)) for i in vocabulary_of(get_encoding("gpt2")).longest(3)]
        [128, 66, 65]
        """
        check_whole_number(count, "count")
        ids = self._ordinary
        order = np.argsort(-self.byte_lengths[ids], kind="stable")
        longest: list[int] = ids[order[: max(0, count)]].tolist()
        return longest

    @functools.cached_property
    def _ordinary(self) -> TokenIds:
        return np.flatnonzero((self.byte_lengths > 0) & ~self.special)

    def rows(self, token_ids: Iterable[int]) -> list[Row]:
        """These tokens for a table: one page of what a search found, say.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        token_ids = check_list(token_ids, "token_ids", "a list of token ids")
        for token_id in token_ids:
            self.encoding.token_bytes(token_id)  # says what is wrong
        return [
            Row(
                token_id,
                self.token_bytes[token_id],
                self.texts[token_id],
                int(self.byte_lengths[token_id]),
                int(self.char_lengths[token_id]),
                SCRIPTS[self.scripts[token_id]],
                bool(self.special[token_id]),
            )
            for token_id in token_ids
        ]

    # Search

    def search(
        self,
        query: str = "",
        by: SearchBy = "text",
        filters: Filters | None = None,
        *,
        ignore_case: bool = False,
        timeout: float = SEARCH_TIMEOUT,
    ) -> TokenIds:
        """The tokens that a query finds and the filters keep, in the order of their ids.

        Args:
            query: a part of the token's text; a regular expression for it (bytes that are no whole
                character are U+FFFD in that text); some of its bytes in hex; or ids such as
                "5, 10-20". Empty: all.
            by: what the query is.
            filters: which of the tokens to keep.
            ignore_case: for text and regex.
            timeout: seconds after which a slow regular expression is given up.

        Raises:
            ValueError: the query is none of what ``by`` says or longer than ``LONGEST_QUERY``, an id that is
                no token's, a regular expression that takes too long, or a filter that cannot be.
            TypeError: an argument of a wrong type; names it.

        >>> from tokenizers import get_encoding
        >>> gpt2 = vocabulary_of(get_encoding("gpt2"))
        >>> gpt2.search("f0 9f 98", "bytes").tolist()
        [30325, 47249]
        >>> gpt2.search(r"^ [A-Z]+$", "regex", Filters(min_bytes=11)).tolist()
        [38044, 46222]
        """
        check_string(query, "query")
        if by not in get_args(SearchBy):
            raise ValueError(f"There is no search by {by!r}: choose text, regex, bytes or id.")
        if filters is not None and not isinstance(filters, Filters):
            raise wrong_type("filters", "Filters", filters)
        if not isinstance(timeout, (int, float)):
            raise wrong_type("timeout", "seconds", timeout)
        if len(query) > LONGEST_QUERY:
            raise ValueError(
                f"What to search for has {len(query):,} characters, and the search takes up to "
                f"{LONGEST_QUERY:,}. Shorten it, or search in several parts."
            )
        keep = self._mask(filters or Filters())
        if not query.strip() if by in ("bytes", "id") else not query:
            return np.flatnonzero(keep)
        if by == "id":
            found = self._by_ids(query)
        elif by == "bytes":
            found = self._containing(_bytes_from_hex(query))
        elif by == "regex":
            return self._by_regex(query, np.flatnonzero(keep), ignore_case, timeout)
        elif ignore_case:
            needle = query.casefold()
            found = np.array([i for i, text in enumerate(self._folded) if needle in text], dtype=np.int64)
        else:
            try:
                found = self._containing(query.encode("utf-8"))
            except UnicodeEncodeError:
                raise ValueError(
                    "The text to search for holds half a character (a lone surrogate). Type it again."
                ) from None
        return found[keep[found]]

    @functools.cached_property
    def _folded(self) -> list[str]:
        return [text.casefold() for text in self.texts]

    def _containing(self, needle: bytes) -> TokenIds:
        """The tokens whose bytes contain these: at least one."""
        size = len(needle)
        if size > self._longest:
            return np.zeros(0, dtype=np.int64)
        if size > _SHORT:
            return self._containing_long(needle)
        hits = np.flatnonzero(self._joined[: len(self._joined) - size + 1] == needle[0])
        for i in range(1, size):
            hits = hits[self._joined[hits + i] == needle[i]]
        owners = np.searchsorted(self._ends, hits, side="right")
        return np.unique(owners[hits + size <= self._ends[owners]])

    def _containing_long(self, needle: bytes) -> TokenIds:
        """As ``_containing``; the work grows with all tokens' bytes alone, however long the needle is.

        Python finds bytes in linear time. Each find goes on behind the token in which the last one began, in
        the next one that is long enough; so no byte is passed twice, and a long token has one find at most.
        """
        size = len(needle)
        found: list[int] = []
        long_enough = np.flatnonzero(self.byte_lengths >= size)
        begins = (self._ends[long_enough] - self.byte_lengths[long_enough]).tolist()
        number = 0
        while number < len(begins):
            hit = self._all_bytes.find(needle, begins[number])
            if hit < 0:
                break
            number = bisect.bisect_right(begins, hit, number) - 1
            token_id = int(long_enough[number])
            if hit + size <= self._ends[token_id]:
                found.append(token_id)
            number += 1
        return np.array(found, dtype=np.int64)

    def _by_ids(self, query: str) -> TokenIds:
        n_vocab = self.encoding.n_vocab
        # How many of the ranges begin at an id, less those that ended before it: repeated and
        # overlapping ranges take no more work than others.
        changes = np.zeros(n_vocab + 1, dtype=np.int64)
        for part in re.split(r"[\s,;]+", query.strip(" \t\r\n,;")):
            match = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", part)
            if match is None:
                raise ValueError(f"{_shorten(part)!r} is no id. Write ids as 5, 17 or 100-200.")
            first, last = int(match[1]), int(match[2] or match[1])
            if match[2] is None:
                self.encoding.token_bytes(first)  # says what is wrong
            if last < first:
                raise ValueError(f"{part} runs backwards: write {last}-{first}.")
            changes[min(first, n_vocab)] += 1
            changes[min(last + 1, n_vocab)] -= 1
        return np.flatnonzero((np.cumsum(changes[:-1]) > 0) & (self.byte_lengths > 0))

    def _by_regex(self, query: str, ids: TokenIds, ignore_case: bool, timeout: float) -> TokenIds:
        excess = too_much(query)
        if excess:
            raise ValueError(
                f"The regular expression is too large: {excess}. Write smaller numbers in {{…}}."
            )
        texts = self.texts if len(ids) == len(self.texts) else [self.texts[i] for i in ids.tolist()]
        flags = regex.IGNORECASE if ignore_case else 0
        arguments = (query, int(flags), texts, timeout, _harmless_length(query))
        try:
            if read_pattern(query).is_plain:  # a token is a short text
                places = regex_search.search(*arguments)
            else:
                places = bounded.run(
                    Path(regex_search.__file__), "search", *arguments, seconds=COMPILE_SECONDS + timeout
                )
        except ValueError as problem:
            raise ValueError(
                f"This is not a valid regular expression: {problem}. Correct it there."
            ) from None
        except (TimeoutError, bounded.TooSlowError):
            raise ValueError(
                f"The regular expression took longer than {timeout:g} seconds on this vocabulary. Simplify "
                "it: nested repeats such as (a+)+ are the usual cause."
            ) from None
        except (MemoryError, bounded.TooMuchMemoryError):
            raise ValueError(
                "The regular expression is too deeply nested or too large, or took too much memory. "
                "Simplify it."
            ) from None
        return ids[np.array(places, dtype=np.int64)]

    def _mask(self, filters: Filters) -> Flags:
        keep: Flags = self.byte_lengths > 0
        for name in ("min_bytes", "max_bytes", "min_chars", "max_chars"):
            if getattr(filters, name) is not None:
                check_whole_number(getattr(filters, name), name)
        if filters.script is not None:
            if filters.script not in SCRIPTS:
                raise ValueError(
                    f"There is no script {filters.script!r}. Choose one such as Latin or Common."
                )
            keep &= self.scripts == SCRIPTS.index(filters.script)
        for least, most, lengths in (
            (filters.min_bytes, filters.max_bytes, "byte_lengths"),
            (filters.min_chars, filters.max_chars, "char_lengths"),
        ):
            if least is not None and most is not None and least > most:
                raise ValueError(f"No length is at least {least} and at most {most}. Change one of the two.")
            if least is not None:
                keep &= getattr(self, lengths) >= max(0, least)
            if most is not None:
                keep &= getattr(self, lengths) <= max(0, most)
        for name in ("leading_space", "whitespace", "digits", "not_utf8", "special"):
            wanted = getattr(filters, name)
            if wanted is not None:
                keep &= getattr(self, name) == wanted
        if filters.unreachable is not None:
            flags = np.zeros(len(keep), dtype=np.bool_)
            flags[list(self.unreachable)] = True
            keep &= flags == filters.unreachable
        return keep

    # One token

    def biography(self, token_id: int, others: Sequence[Encoding] = ()) -> Biography:
        """What there is to say of a token, wherever it stands.

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
        """
        for other in check_list(others, "others", "a list of encodings"):
            check_encoding(other, "each of others")
        enc = self.encoding
        data = enc.token_bytes(token_id)
        special, unknown = enc.is_special(token_id), token_id == enc.unknown_id
        is_own_text = not special and not unknown  # its bytes are a text that can become it
        text = text_of(data)
        encodes_to: tuple[int, ...] = ()
        itself: bool | None = None
        if text is not None and is_own_text:
            encodes_to = tuple(enc.encode(text))
            itself = encodes_to == (token_id,)
        elif is_own_text and enc.merging and enc.token_id(data) != token_id:
            encodes_to, itself = stops_at(enc, data), False  # a home-trained token that never arises
        containing: list[int] = self._containing(data).tolist() if is_own_text else []
        return Biography(
            encoding=enc.name,
            token_id=token_id,
            token_bytes=data,
            text=text,
            rank=enc.rank(token_id),
            special=special,
            unknown=unknown,
            utf8=utf8_state(data),
            script=SCRIPTS[_script_of(data)],
            parents=parts_of(enc, token_id) if enc.merging else (),
            children=children_of(enc, token_id, (self.token_bytes[i] for i in containing))
            if enc.merging
            else (),
            containing=tuple(i for i in containing if i != token_id and not self.special[i]),
            variants=self._variants(text) if text is not None and is_own_text else (),
            elsewhere=tuple((other.name, _same_token(enc, other, token_id)) for other in others),
            encodes_to=encodes_to,
            encodes_to_itself=itself,
        )

    def _variants(self, text: str) -> tuple[Variant, ...]:
        word = text.removeprefix(" ")
        cases = [word, word.capitalize(), word.lower(), word.upper()]
        spaced = [space + case for case in cases for space in ("", " ")] if word else []
        return tuple(
            Variant(form, self.encoding.token_id(form.encode("utf-8")))
            for form in dict.fromkeys(spaced)
            if form != text
        )


def vocabulary_of(enc: Encoding) -> Vocabulary:
    """The vocabulary of an encoding: always the same one, which keeps what it has worked out.

    >>> from tokenizers import get_encoding
    >>> len(vocabulary_of(get_encoding("cl100k_base")))
    100261
    """
    check_encoding(enc, "enc")
    return enc.kept(Vocabulary)


_REMEDY = "Grow it with a split pattern to look at all of its tokens."


def _script_of(data: bytes) -> int:
    """As ``Vocabulary.scripts``, for one token: that need not wait until all are known."""
    found = find_scripts(data.decode("utf-8", "ignore")).tolist()
    counts = Counter(script for script in found if script)
    return max(counts, key=counts.__getitem__, default=0)  # of equals, the first one met


def _same_token(enc: Encoding, other: Encoding, token_id: int) -> int | None:
    """The token of another encoding that is what this one is here; None: it has none."""
    if token_id == enc.unknown_id:
        return other.unknown_id
    data = enc.token_bytes(token_id)
    return (
        other.special_tokens.get(data.decode("utf-8")) if enc.is_special(token_id) else other.token_id(data)
    )


def _shorten(query: str) -> str:
    """A part of a query, short enough for a sentence."""
    return query if len(query) <= 60 else query[:59] + "…"


def _bytes_from_hex(query: str) -> bytes:
    """Bytes as people write them: e0 a4, E0A4, 0xe0 0xa4, \\\\xe0\\\\xa4."""
    digits = re.sub(r"0x|\\x|[\s,;:_-]", "", query, flags=re.IGNORECASE)
    if not digits or len(digits) % 2 or re.search(r"[^0-9a-fA-F]", digits):
        raise ValueError(
            f"{_shorten(query)!r} is not bytes in hex. Write two digits for each byte, such as e0 a4."
        )
    return bytes.fromhex(digits)


def _harmless_length(query: str) -> int:
    """Up to which length of a text a regular expression surely ends in well under a second.

    A time-out for each of 200,000 tokens costs more than most searches themselves. A few repeats in a
    row take a power of the text's length; repeats of a group, which may hold repeats or alternatives, take
    a power with the length in its exponent; and of back references, recursion and the like nothing is said.

    >>> _harmless_length("^[A-Z]+$"), _harmless_length("(a|b)+"), _harmless_length(r"(.+)\\1")
    (200, 12, 0)
    """
    if regex.search(r"\(\?[RP&\d<|+-]|\(\?[^):]*x|\\[\dgKL]|\(\*", query):
        return 0
    repeats = len(regex.findall(r"[*+{]|\)\s*\?", query))
    optional = len(regex.findall(r"(?<![*+?}(])\?", query))
    if optional > 6 or (query.count("|") > 6 and query.count("(") > 2):
        return 0  # choices one after the other multiply
    if repeats <= 2 and not regex.search(r"\)\s*[*+{?]", query):
        return 200
    return 12 if repeats + optional + query.count("|") <= 3 and "{" not in query else 0


# Several vocabularies


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """The ordinary tokens that two vocabularies share, by their bytes.

    Attributes:
        left, right: the names of the encodings.
        left_ids, right_ids: the ids of the shared tokens in each, in the order of ``left_ids``.
        only_left, only_right: how many ordinary tokens only one of them has.
    """

    left: str
    right: str
    left_ids: TokenIds
    right_ids: TokenIds
    only_left: int
    only_right: int

    @property
    def shared(self) -> int:
        """How many tokens both have."""
        return len(self.left_ids)


def overlap(left: Encoding, right: Encoding) -> Overlap:
    """The tokens that two encodings share; special tokens, and those that never arise, aside.

    >>> from tokenizers import get_encoding
    >>> both = overlap(get_encoding("gpt2"), get_encoding("cl100k_base"))
    >>> both.shared, both.only_left, both.only_right
    (43066, 7190, 57190)

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """
    check_encoding(left, "left")
    check_encoding(right, "right")
    for enc in (left, right):
        enc.check_spelled_out(_REMEDY)
    one, other = left.ordinary, right.ordinary
    shared = sorted((one[data], other[data]) for data in one.keys() & other.keys())
    pairs = np.array(shared, dtype=np.int64).reshape(-1, 2)
    return Overlap(
        left.name, right.name, pairs[:, 0], pairs[:, 1], len(one) - len(shared), len(other) - len(shared)
    )


def count_shared(encodings: Sequence[Encoding]) -> npt.NDArray[np.int64]:
    """How many tokens each two of them share, shape (n, n); on the diagonal, how many each one has.

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """
    for encoding in check_list(encodings, "encodings", "a list of encodings"):
        check_encoding(encoding, "each of encodings")
        encoding.check_spelled_out(_REMEDY)
    counts = np.zeros((len(encodings), len(encodings)), dtype=np.int64)
    for i, one in enumerate(encodings):
        for j, other in enumerate(encodings[: i + 1]):
            common = len(one.ordinary.keys() & other.ordinary.keys())
            counts[i, j] = counts[j, i] = common
    return counts
