"""A vocabulary, looked over as a whole and token by token.

An encoding knows one token at a time; a ``Vocabulary`` knows all of them: their lengths, scripts and
kinds as arrays indexed by id (``token_arrays.py``), a search over them (``token_search.py``), and the
biography of each one (``biography.py``): its parents in the merge tree, its children, the tokens that
contain it, its variants, and whether it encodes to itself.

>>> from tokenizers import get_encoding
>>> gpt2 = vocabulary_of(get_encoding("gpt2"))
>>> [gpt2.token_bytes[i] for i in gpt2.search("Magikarp").tolist()]
[b'Magikarp', b'GoldMagikarp', b' SolidGoldMagikarp']
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..checks import check_encoding, check_list, check_whole_number
from ..encoding import Encoding
from ..text.scripts import TOKEN_SCRIPTS
from . import biography, token_search
from .biography import Biography
from .token_arrays import SEARCH_TIMEOUT, TokenArrays, TokenIds
from .token_search import Filters, SearchBy


@dataclass(frozen=True, slots=True)
class Row:
    """A token in a table. ``text`` shows U+FFFD for bytes that are not a whole character.

    ``unknown``: it stands for whatever is not in the vocabulary; it is no special token.
    """

    token_id: int
    token_bytes: bytes
    text: str
    n_bytes: int
    n_chars: int
    script: str
    special: bool
    unknown: bool


class Vocabulary(TokenArrays):
    """All tokens of an encoding, to search and to look at.

    Use ``vocabulary_of``, so that there is one for each encoding.

    Raises:
        ValueError: an encoding whose tokens are too long to spell out all of them.
    """

    def count_scripts(self) -> dict[str, int]:
        """How many tokens each script has, most first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> list(vocabulary_of(get_encoding("gpt2")).count_scripts())[:3]
        ['Latin', 'Common', 'part of a character']
        """
        counts = np.bincount(self.scripts[self.ordinary], minlength=len(TOKEN_SCRIPTS))
        order = np.argsort(-counts, kind="stable")
        return {TOKEN_SCRIPTS[index]: int(counts[index]) for index in order.tolist() if counts[index]}

    def count_lengths(self) -> npt.NDArray[np.int64]:
        """How many tokens have 0, 1, 2, … bytes; special tokens aside."""
        return np.bincount(self.byte_lengths[self.ordinary])

    def longest(self, count: int) -> list[int]:
        """The ids of the longest tokens in bytes, the longest first; special tokens aside.

        >>> from tokenizers import get_encoding
        >>> [len(get_encoding("gpt2").token_bytes(i)) for i in vocabulary_of(get_encoding("gpt2")).longest(3)]
        [128, 66, 65]
        """
        check_whole_number(count, "count")
        ids = self.ordinary
        order = np.argsort(-self.byte_lengths[ids], kind="stable")
        longest: list[int] = ids[order[: max(0, count)]].tolist()
        return longest

    def rows(self, token_ids: Iterable[int]) -> list[Row]:
        """These tokens for a table: one page of what a search found, say.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        token_ids = check_list(token_ids, "token_ids", "a list of token ids")
        for token_id in token_ids:
            self.encoding.token_bytes(token_id)  # raises if there is no such id
        return [
            Row(
                token_id,
                self.token_bytes[token_id],
                self.texts[token_id],
                int(self.byte_lengths[token_id]),
                int(self.char_lengths[token_id]),
                TOKEN_SCRIPTS[self.scripts[token_id]],
                self.encoding.is_special(token_id),
                token_id == self.encoding.unknown_id,
            )
            for token_id in token_ids
        ]

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
            query: a part of the token's text; a regular expression for it (bytes that are not a
                whole character are U+FFFD in that text); some of its bytes in hex; or ids such as
                "5, 10-20". Empty: all.
            by: what the query is.
            filters: which of the tokens to keep.
            ignore_case: for text and regex.
            timeout: seconds after which a slow regular expression is given up.

        Raises:
            ValueError: a query that is not what ``by`` says or is longer than ``LONGEST_QUERY``, an id that
                no token has, a regular expression that takes too long, or a filter that cannot be.
            TypeError: an argument of a wrong type; names it.

        >>> from tokenizers import get_encoding
        >>> gpt2 = vocabulary_of(get_encoding("gpt2"))
        >>> gpt2.search("f0 9f 98", "bytes").tolist()
        [30325, 47249]
        >>> gpt2.search(r"^ [A-Z]+$", "regex", Filters(min_bytes=11)).tolist()
        [38044, 46222]
        """
        return token_search.search(self, query, by, filters, ignore_case, timeout)

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
        """
        return biography.biography(self, token_id, others)

    def example(self, token_id: int) -> str | None:
        """A short text in which an ordinary token arises: its own text, or that with a few characters more.

        None: none was found, though there may be one.

        >>> from tokenizers import get_encoding
        >>> vocabulary_of(get_encoding("o200k_base")).example(3413)
        " I'VE"
        """
        return biography.example(self, token_id)


def vocabulary_of(enc: Encoding) -> Vocabulary:
    """The vocabulary of an encoding: always the same one, which keeps what it has worked out.

    >>> from tokenizers import get_encoding
    >>> len(vocabulary_of(get_encoding("cl100k_base")))
    100261
    """
    check_encoding(enc, "enc")
    return enc.kept(Vocabulary)


def count_tokens(encoding: Encoding) -> int:
    """How many tokens an encoding has, special ones included: some of its ids may stand for none.

    >>> from tokenizers import get_encoding
    >>> encoding = get_encoding("cl100k_base")
    >>> count_tokens(encoding), encoding.n_vocab
    (100261, 100277)
    """
    return encoding.kept(_count_tokens)


def _count_tokens(encoding: Encoding) -> int:
    """For ``Encoding.kept``, since all ids are looked at."""
    known = 0
    for token_id in range(encoding.n_vocab):
        with contextlib.suppress(ValueError):  # one of the unused ids
            encoding.token_bytes(token_id)
            known += 1
    return known
