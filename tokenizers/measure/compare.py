"""What differs between two encodings: their steps, their vocabularies, their merges, and hard texts.

>>> from tokenizers import get_encoding
>>> comparison = Comparison(get_encoding("r50k_base"), get_encoding("p50k_base"))
>>> comparison.relation
'p50k_base extends r50k_base: 24 ordinary tokens added, none moved, none removed'
>>> comparison.ordinary.counts
(0, 24, 50256, 0)
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..amounts import plural, share_in_words
from ..arrays import I64
from ..bpe.trees import parts_of
from ..cached import cached_property
from ..data.hard_texts import hard_texts
from ..description import steps_in_words
from ..encoding import Encoding
from ..limits import PATTERN_SECONDS
from ..split.bounded import LimitError
from ..steps import ADDED_ON_REQUEST, DECLARES, MODEL, PRE_TOKENISER
from ..text.scripts import COMMON, TOKEN_SCRIPTS
from ..text.spelling import quote
from .vocabulary import TokenIds, vocabulary_of

NO_SCRIPT = "emoji, symbols, digits, spaces"
"""What ``count_by`` calls the tokens whose characters belong to no script."""

TOKEN_KINDS = ("part of a character", "white space", "digits", "begins with a space", "other")

Key = TypeVar("Key", bound=Hashable)


Pairs = I64
"""Tokens, each as its id in A and that in B, shape (n, 2); -1: that one does not have it."""


class Aligned(NamedTuple):
    """The tokens of A beside those of B.

    Attributes:
        only_a, only_b: tokens that the other one does not have.
        same, moved: tokens of both, under the same id and under another one.
    """

    only_a: Pairs
    only_b: Pairs
    same: Pairs
    moved: Pairs

    @property
    def counts(self) -> tuple[int, ...]:
        """How many there are of each."""
        return tuple(map(len, self))

    @property
    def is_equal(self) -> bool:
        """Whether both have the same tokens under the same ids."""
        return sum(self.counts) == len(self.same)


def align(ids_a: Mapping[Key, int], ids_b: Mapping[Key, int]) -> Aligned:
    """Two vocabularies, token by token: ids by what the token stands for.

    >>> aligned = align({"a": 0, "b": 1, "c": 2}, {"a": 0, "c": 1, "d": 2})
    >>> aligned.counts, aligned.moved.tolist()
    ((1, 1, 1, 1), [[2, 1]])
    """
    in_a = np.fromiter(ids_a.values(), np.int64, len(ids_a))
    in_b = np.fromiter((ids_b.get(key, -1) for key in ids_a), np.int64, len(ids_a))
    pairs = np.column_stack((in_a, in_b))[np.argsort(in_a, kind="stable")]
    is_shared = pairs[:, 1] >= 0
    is_same = pairs[:, 0] == pairs[:, 1]
    added = np.array(sorted(i for key, i in ids_b.items() if key not in ids_a), np.int64)
    return Aligned(
        only_a=pairs[~is_shared],
        only_b=np.column_stack((np.full_like(added, -1), added)),
        same=pairs[is_same],
        moved=pairs[is_shared & ~is_same],
    )


class Side(NamedTuple):
    """One row of the two encodings side by side; empty: this one has no such step."""

    name: str
    a: str
    b: str
    differs: bool


class HardText(NamedTuple):
    """A text that A and B do not encode alike.

    Attributes:
        text: the text.
        ids_a, ids_b: its ids; None: this encoding refuses it.
        with_special: whether the special tokens that both have were tokens in it, and not plain text.
    """

    text: str
    ids_a: list[int] | None
    ids_b: list[int] | None
    with_special: bool


class Comparison:
    """Two encodings, compared. Each part is computed when it is first read.

    Args:
        a, b: the encodings: B is what A became, or what stands beside it.
        called: what the sentences call them, if not by their names.
    """

    def __init__(self, a: Encoding, b: Encoding, *, called: tuple[str, str] | None = None) -> None:
        self.a, self.b = self.encodings = a, b
        self.called = called or (a.name, b.name)

    # Vocabularies

    @cached_property
    def ordinary(self) -> Aligned:
        """The tokens that a text can become."""
        return align(self.a.ordinary, self.b.ordinary)

    @cached_property
    def special(self) -> Aligned:
        """The special tokens, by their names; none where those of A or of B are not known."""
        if self._unknown:
            return align({}, {})
        return align(self.a.special_tokens, self.b.special_tokens)

    @property
    def _unknown(self) -> list[str]:
        """Those of the two whose special tokens are not known, as the sentences call them."""
        sides = zip(self.called, self.encodings, strict=True)
        return [name for name, enc in sides if not enc.knows_special_tokens]

    @cached_property
    def other(self) -> Aligned:
        """Neither ordinary nor special: the unknown token, placeholders, bytes whose character is a token."""
        return align(_other(self.a), _other(self.b))

    @cached_property
    def to_b(self) -> TokenIds:
        """By id of A, the id of the same token in B, or -1: shape (n_vocab of A,)."""
        table = np.full(self.a.n_vocab, -1, dtype=np.int64)
        for group in (self.other, self.special, self.ordinary):
            for pairs in (group.same, group.moved):
                table[pairs[:, 0]] = pairs[:, 1]
        return table

    def count_by(self, by: str) -> dict[str, tuple[int, ...]]:
        """The ordinary tokens by "script" (as of ``script_of_token``), "length" in bytes or "kind".

        Returns:
            as ``Aligned.counts``, by label; scripts and kinds with the most tokens come first.

        >>> from tokenizers import get_encoding
        >>> comparison = Comparison(get_encoding("r50k_base"), get_encoding("p50k_base"))
        >>> comparison.count_by("kind")["white space"], next(iter(comparison.count_by("script")))
        ((0, 24, 19, 0), 'Latin')
        >>> Comparison(get_encoding("p50k_base"), get_encoding("r50k_base")).count_by("length")["2"]
        (1, 0, 1916, 0)
        """
        a, b = (_labels(enc, by) for enc in self.encodings)
        groups = (
            a[self.ordinary.only_a[:, 0]],
            b[self.ordinary.only_b[:, 1]],
            a[self.ordinary.same[:, 0]],
            a[self.ordinary.moved[:, 0]],
        )
        counts = [Counter(labels.tolist()) for labels in groups]
        rows = {}
        for label in sorted(set().union(*counts)):
            rows[str(label)] = tuple(count[label] for count in counts)
        if by != "length":
            rows = dict(sorted(rows.items(), key=lambda row: sum(row[1]), reverse=True))
        return rows

    # Steps and merges

    @cached_property
    def sides(self) -> list[Side]:
        """What the two are and do, step by step.

        >>> from tokenizers import get_encoding
        >>> for side in Comparison(get_encoding("gpt2"), get_encoding("cl100k_base")).sides[:2]:
        ...     print(side)
        Side(name='Kind', a='byte pairs', b='byte pairs', differs=False)
        Side(name='Ordinary tokens', a='50,256', b='100,256', differs=True)
        """
        a, b = map(_describe, self.encodings)
        is_equal = {
            _ORDINARY_TOKENS: self.ordinary.is_equal,
            _SPECIAL_TOKENS: self.special.is_equal and not self._unknown,
        }
        sides = []
        for name in a | b:
            in_a = a.get(name, "")
            in_b = b.get(name, "")
            if in_a or in_b:
                are_none = in_a.startswith("none:") and in_b.startswith("none:")  # for whatever reason
                is_same = is_equal.get(name, in_a == in_b or are_none)
                sides.append(Side(name, a=in_a, b=in_b, differs=not is_same))
        return sides

    @cached_property
    def merges_sentence(self) -> str:
        """Which tokens both lists of merges make first, and where they part; empty: one has no merges.

        >>> from tokenizers import get_encoding
        >>> both = get_encoding("gpt2"), get_encoding("cl100k_base")
        >>> print(Comparison(*both).merges_sentence)
        The order of merges differs from number 1 on: gpt2 makes “·t” from “·” + “t”, cl100k_base ...
        """
        a, b = self.called
        made_a, made_b = (enc.cached(_merged_tokens) for enc in self.encodings)
        if not made_a or not made_b:
            return ""
        n_equal = len(os.path.commonprefix([made_a, made_b]))
        if n_equal in (len(made_a), len(made_b)):
            return f"Both lists of merges begin with the same {n_equal:,} tokens, in the same order."
        merge_a = _merge_in_words(self.a, made_a[n_equal])
        merge_b = _merge_in_words(self.b, made_b[n_equal])
        differs = f"The order of merges differs from number {n_equal + 1:,} on"
        return f"{differs}: {a} makes {merge_a}, {b} {merge_b}."

    # What they do to texts, and all of it in words

    @cached_property
    def hard(self) -> tuple[int, list[HardText]]:
        """Some thousands of texts: how many were tried, and those with other tokens, the shortest first.

        A token of A counts as that of B with the same bytes, whatever its id.

        Raises:
            ValueError: a person's own pattern takes too long on them, or could not be tried right now.

        >>> from tokenizers import get_encoding
        >>> tried, differing = Comparison(get_encoding("gpt2"), get_encoding("r50k_base")).hard
        >>> tried > 2000, differing
        (True, [])
        """
        texts = hard_texts([*self.a.special_tokens, *self.b.special_tokens])
        in_both = frozenset(self.a.special_tokens).intersection(self.b.special_tokens)
        with_special = [text for text in texts if in_both and self.a.special_pattern.search(text)]
        differing = [
            *self._differing_texts(texts, frozenset()),
            *self._differing_texts(with_special, in_both),
        ]
        differing.sort(key=lambda hard: len(hard.text))
        return len(texts) + len(with_special), differing

    def _differing_texts(self, texts: list[str], allowed: frozenset[str]) -> Iterator[HardText]:
        """The texts that get other tokens if these special tokens are allowed."""
        all_a, all_b = (_encode_all(enc, texts, allowed) for enc in self.encodings)
        for text, ids_a, ids_b in zip(texts, all_a, all_b, strict=True):
            as_b = None if ids_a is None else self.to_b[ids_a].tolist()
            if ids_b != as_b:
                yield HardText(text, ids_a=ids_a, ids_b=ids_b, with_special=bool(allowed))

    @property
    def sentence(self) -> str:
        """What B is to A, in a few sentences.

        >>> from tokenizers import get_encoding
        >>> print(Comparison(get_encoding("gpt2"), get_encoding("bert-uncased")).sentence)
        Different families, byte pairs and word pieces (compared with their spaces and ##): gpt2 and ...
        """
        return f"{self.relation}. {self.details}".strip()

    @property
    def is_related(self) -> bool:
        """Whether all tokens of one of the two are tokens of the other, under the same ids or all of them."""
        only_a, only_b, _, moved = self.ordinary.counts
        return not (only_a and only_b) and not (moved and (only_a or only_b))

    @cached_property
    def relation(self) -> str:
        """Whether the ordinary tokens are the same, some more, or others; without a full stop."""
        a, b = self.called
        only_a, only_b, same, moved = self.ordinary.counts
        if self.ordinary.is_equal:
            return self._equal_in_words()
        if not self.is_related:
            return self._relation_by_shares()
        if moved:
            return f"The same {same + moved:,} tokens, {moved:,} of them under other ids"
        if only_a:
            extends = f"{a} extends {b}"
            special_before = self.b.special_tokens
            added = self.ordinary.only_a[:, 0]
        else:
            extends = f"{b} extends {a}"
            special_before = self.a.special_tokens
            added = self.ordinary.only_b[:, 1]
        reused = int(np.isin(added, [*special_before.values()]).sum())
        where = f" ({reused:,} of them under ids of special tokens)" if reused else ""
        return (
            f"{extends}: {plural(only_a or only_b, 'ordinary token')} added{where}, none moved, none removed"
        )

    def _equal_in_words(self) -> str:
        """As ``relation``, of equal ordinary tokens."""
        tried, differing = self.hard
        if differing:
            example = quote(differing[0].text.encode())
            some = f"{len(differing):,} of {tried:,} hard texts get other tokens, such as {example}"
            return f"Same ordinary tokens; {some}"
        is_all = self.special.is_equal and self.other.is_equal and not self._unknown
        if not is_all:
            equal = "Same ordinary tokens"
        elif self._differing_steps:
            equal = "Equal tokens"
        else:
            equal = "Same tokenizer: equal tokens"
        return f"{equal}, and equal ids on {tried:,} hard texts"

    def _relation_by_shares(self) -> str:
        """The relation of two encodings that both have tokens of their own."""
        a, b = self.called
        different = "Different vocabularies"
        if self.a.family != self.b.family:
            families = f"{self.a.family} and {self.b.family}"
            different = f"Different families, {families} (compared with their spaces and ##)"
        n_same = len(self.ordinary.same)
        n_shared = n_same + len(self.ordinary.moved)
        of_a, of_b = (share_in_words(n_shared / len(enc.ordinary)) for enc in self.encodings)
        shares = f"{of_a} of {a}, {of_b} of {b}"
        return f"{different}: {a} and {b} share {n_shared:,} tokens ({shares}), {n_same:,} under the same id"

    @property
    def _differing_steps(self) -> str:
        aside = set(_TOKENS)
        for enc in self.encodings:
            aside.update(name for name, _ in enc.notes)
        differing = (side.name.lower() for side in self.sides if side.differs and side.name not in aside)
        return ", ".join(differing)

    @cached_property
    def details(self) -> str:
        """Sentences on differing steps, special tokens, and tokens that no text becomes."""
        sentences = []
        if self._differing_steps:
            sentences.append(f"They differ in: {self._differing_steps}.")
        if any(side.name == _SPLIT_PATTERN and not side.differs for side in self.sides):
            sentences.append("The split pattern is the same.")
        a, b = self.called
        for what, group in (("Special", self.special), ("Placeholders and other", self.other)):
            if group.is_equal:
                continue
            counts = (
                (len(group.only_a), f"only in {a}"),
                (len(group.only_b), f"only in {b}"),
                (len(group.moved), "under other ids"),
            )
            listed = ", ".join(f"{n:,} {where}" for n, where in counts if n)
            sentences.append(f"{what} tokens: {listed}.")
        sentences += [f"The special tokens of {name} are not known here." for name in self._unknown]
        return " ".join(sentences)


def reading_order(enc: Encoding, ids: TokenIds) -> TokenIds:
    """The order of a list that people read: words, then other letters; parts of characters come last.

    >>> from tokenizers import get_encoding
    >>> gpt2, ids = get_encoding("gpt2"), np.array([127, 11, 64, 262])
    >>> [gpt2.token_bytes(i) for i in ids[reading_order(gpt2, ids)].tolist()]
    [b' the', b'a', b',', b'\\xc3']
    """
    vocabulary = vocabulary_of(enc)
    words = [vocabulary.texts[token_id].strip(" #") for token_id in ids.tolist()]
    is_short = np.array([len(word) < 3 for word in words])
    is_no_word = np.array([not word.isalpha() for word in words])
    return np.lexsort((is_short, is_no_word, vocabulary.not_utf8[ids]))


def _encode_all(enc: Encoding, texts: list[str], allowed: frozenset[str]) -> Sequence[list[int] | None]:
    """The ids of some texts; None: this encoding has no token for a part of it, or takes no such text.

    A person's own pattern has ``PATTERN_SECONDS`` for all of them together if no special token is allowed.
    """
    try:
        if allowed:
            return [enc.encode(text, allowed_special=allowed) for text in texts]
        return list(enc.encode_each(texts, timeout=PATTERN_SECONDS))
    except LimitError:  # which says nothing of the encoding's tokens
        raise
    except ValueError:
        each_alone = (_encode_all(enc, [text], allowed) for text in texts)
        return [ids for [ids] in each_alone] if len(texts) > 1 else [None]


def _other(enc: Encoding) -> dict[bytes, int]:
    """The ids of tokens that are neither ordinary nor special."""
    is_other = enc.byte_lengths > 0
    is_other[[*enc.ordinary.values(), *enc.special_tokens.values()]] = False
    return {enc.token_bytes(token_id): token_id for token_id in np.flatnonzero(is_other).tolist()}


def _labels(enc: Encoding, by: str) -> npt.NDArray[Any]:
    """The script, length or kind of each token, by id."""
    vocabulary = vocabulary_of(enc)
    if by == "script":
        names = [NO_SCRIPT if name == COMMON else name for name in TOKEN_SCRIPTS]
        return np.array(names, object)[vocabulary.scripts]
    if by == "length":
        return vocabulary.byte_lengths
    flags = (vocabulary.not_utf8, vocabulary.whitespace, vocabulary.digits, vocabulary.leading_space)
    return np.array(TOKEN_KINDS, object).take(np.select(flags, range(4), 4))


def _merged_tokens(enc: Encoding) -> list[bytes]:
    """The tokens that merges make, in their order; none: it has no merges that are known here."""
    if enc.merging is not None:
        ranks = enc.merging.ranks
        return sorted(ranks, key=ranks.__getitem__)[enc.merging.n_letters :]
    if enc.joining is None:
        return []
    made = []
    for data, token_id in enc.ordinary.items():
        rank = enc.joining.rank(token_id)
        if rank is not None:
            made.append((rank, data))
    return [data for _, data in sorted(made)]


def _merge_in_words(enc: Encoding, made: bytes) -> str:
    """A token, and the parts that a merge makes it of."""
    parts = parts_of(enc, enc.ordinary[made])
    return f"{quote(made)} from {' + '.join(quote(enc.token_bytes(part)) for part in parts)}"


def _describe(enc: Encoding) -> dict[str, str]:
    """What an encoding is and does, by the names of rows.

    Where two encodings differ in a row, the headline names it, unless it is one of ``_TOKENS``.
    """
    steps = dict(steps_in_words(enc))
    pattern = enc.splitting.pattern if enc.splitting else None
    if pattern:
        del steps[PRE_TOKENISER]  # the same in other words
    if enc.merging:
        del steps[MODEL]  # the other rows say it
        steps = _BYTE_PAIRS | steps
    steps.pop(DECLARES, None)  # what a file says of itself
    added_on_request = steps.pop(ADDED_ON_REQUEST, "nothing")
    of_what = "" if enc.knows_special_tokens else " (ordinary tokens)"
    first = {
        "Kind": enc.family,
        _ORDINARY_TOKENS: f"{len(enc.ordinary):,}",
        _SPECIAL_TOKENS: "none",
        "Largest id": f"{enc.n_vocab - 1:,}{of_what}",
        _SPLIT_PATTERN: pattern or "",
    }
    last = {
        ADDED_ON_REQUEST: added_on_request,
        "Chat template": enc.chat_templates.default or "",
    }
    return first | steps | last


_ORDINARY_TOKENS = "Ordinary tokens"
_SPECIAL_TOKENS = "Special tokens"
_SPLIT_PATTERN = "Split pattern"

_TOKENS = ("Kind", _ORDINARY_TOKENS, _SPECIAL_TOKENS, "Added tokens", "Largest id", MODEL)
"""Rows whose differences sentences name in another way."""

_BYTE_PAIRS = {"Normaliser": "none: the text stays as it is", "Decoder": "characters become bytes again"}
"""What byte pairs do whose files do not say so."""
