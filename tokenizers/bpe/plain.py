"""Byte pair encoding at its plainest: count the pairs, merge the best one, repeat.

A merge is what papers call a merge rule, its rank the merge priority, and a piece a pre-token.

This is the algorithm as a lecture shows it, in the order in which it reads. ``training.py``
learns the same merges fast, ``home.py`` encodes the same ids fast; the tests hold both against
this module, which stays slow and obvious for that reason.

To add a tie rule: its name in ``Ties``, a ``TieRule`` in ``TIE_RULES``, and its order over arrays in
``key_of`` of ``kernels/merging.py``.

The algorithm is Gage's (1994), brought to tokens by Sennrich et al. (2016); on bytes it is
GPT-2's (Radford et al. 2019).

>>> for step in iter_merges("aaabdaaabac", 3):
...     print(step.pair, step.count, step.new_id, step.ids)
(97, 97) 4 256 [256, 97, 98, 100, 256, 97, 98, 97, 99]
(97, 98) 2 257 [256, 257, 100, 256, 257, 97, 99]
(256, 257) 2 258 [258, 100, 258, 97, 99]
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..amounts import bytes_in_words
from ..numbered import numbered
from ..split.patterns import find_pattern, split
from ..utf8 import utf8_length, well_formed

Ties = Literal["smallest", "first"]
"""The names of the tie rules, as ``train`` takes them."""


@dataclass(frozen=True)
class TieRule:
    """A tie rule.

    Attributes:
        label: what the pages call it, to follow "the".
        says_winner: what the page By hand says of the pair that wins; ``{pair}`` becomes its ids.
        order: a sort key of a pair and of where it occurs first: of equally frequent pairs the one with the
            smallest is merged. It may only rise as the first occurrence moves on.
        number: by which the kernels know it.
    """

    label: str
    says_winner: str
    order: Callable[[tuple[int, int], int], Any]
    number: int


TIE_RULES: dict[Ties, TieRule] = {
    "smallest": TieRule(
        "smallest ids", "the smallest ids, {pair}, win and become", lambda pair, _: pair, number=0
    ),
    "first": TieRule(
        "first in the text",
        "the pair that comes first in the text wins and becomes",
        lambda _, place: place,
        number=1,
    ),
}


def find_tie_rule(ties: Ties) -> TieRule:
    """The tie rule of this name.

    Raises:
        ValueError: there is none.

    >>> find_tie_rule("smallest").order((104, 105), 7), find_tie_rule("first").order((104, 105), 7)
    ((104, 105), 7)
    """
    if ties not in TIE_RULES:
        raise ValueError(f"There is no tie rule {ties!r}: choose {' or '.join(map(repr, TIE_RULES))}.")
    return TIE_RULES[ties]


Pair = tuple[int, int]
"""A left and a right token id, side by side."""

MAX_TOKEN_BYTES = 1 << 16
"""Bytes in one token. Training stops before a longer one."""

MAX_ALL_TOKEN_BYTES = 1 << 25
"""The most bytes of all tokens together. Without walls, a token can grow by a byte with each merge."""


def why_too_long(length: int, total: int) -> str:
    """Why there is no token of this length, given the bytes of all tokens with it; empty: there can be.

    >>> why_too_long(70_000, 80_000)
    'a token would have more than 64 KB'
    """
    if length > MAX_TOKEN_BYTES:
        return f"a token would have more than {bytes_in_words(MAX_TOKEN_BYTES)}"
    if total > MAX_ALL_TOKEN_BYTES:
        return f"all tokens together would have more than {bytes_in_words(MAX_ALL_TOKEN_BYTES)}"
    return ""


@dataclass(frozen=True, slots=True)
class Step:
    """One merge of a training, and the text after it.

    Attributes:
        pair: the left and the right id that were merged.
        count: how often the pair occurred in the text before the merge, overlaps included.
        new_id: the id of the new token: 256 for the first merge, then 257, …
        pieces: the token ids of each piece, after the merge.
    """

    pair: Pair
    count: int
    new_id: int
    pieces: list[list[int]]

    @property
    def ids(self) -> list[int]:
        """The token ids of the whole text, after the merge."""
        return [token_id for piece in self.pieces for token_id in piece]


def text_to_pieces(texts: str | Iterable[str], pattern: str | None = None) -> list[list[int]]:
    """Where every training starts: the bytes of each piece; no piece reaches over two texts.

    >>> text_to_pieces("hi you", " ?[a-z]+")
    [[104, 105], [32, 121, 111, 117]]
    """
    texts = [texts] if isinstance(texts, str) else texts
    return [list(piece.encode()) for text in texts for piece in split(well_formed(text), pattern)]


def count_pairs(pieces: Iterable[Sequence[int]]) -> dict[Pair, int]:
    """How often each pair occurs side by side, in the order of first occurrence.

    Overlaps count: three equal tokens in a row hold two pairs.

    >>> count_pairs([[1, 1, 1, 2], [1, 2]])
    {(1, 1): 2, (1, 2): 2}
    """
    return dict(Counter(pair for ids in pieces for pair in itertools.pairwise(ids)))


def ranked_pairs(counts: dict[Pair, int], ties: Ties = "smallest") -> list[Pair]:
    """The pairs, the most frequent first; ``ties`` decides between equally frequent ones.

    >>> ranked_pairs({(7, 8): 2, (1, 2): 2, (3, 4): 9}), ranked_pairs({(7, 8): 2, (1, 2): 2}, "first")
    ([(3, 4), (1, 2), (7, 8)], [(7, 8), (1, 2)])
    """
    order = find_tie_rule(ties).order
    places = numbered(counts)  # counts are in order of first occurrence
    return sorted(counts, key=lambda pair: (-counts[pair], order(pair, places[pair])))


def merge_pair(ids: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace every occurrence of ``pair`` by ``new_id``, from left to right.

    >>> merge_pair([1, 2, 3, 1, 2], (1, 2), 4)
    [4, 3, 4]
    >>> merge_pair([1, 1, 1], (1, 1), 2)
    [2, 1]
    """
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def iter_merges(
    text: str | Iterable[str], n_merges: int, ties: Ties = "smallest", pattern: str | None = None
) -> Iterator[Step]:
    """Learn merges from ``text``, one step at a time.

    Ends early when no pair is left, or before a token of more than ``MAX_TOKEN_BYTES``.

    Args:
        text: one text or several.
        n_merges: how many merges to learn at most.
        ties: which of several equally frequent pairs is merged first.
        pattern: gpt2, gpt4, gpt4o or a regular expression; a pair never reaches across the pieces
            that it yields. None: no walls.

    Raises:
        ValueError: a negative number of merges, an unknown ``ties``, a broken pattern.

    >>> [step.pair for step in iter_merges("aaabdaaabac", 3, ties="first")]
    [(97, 97), (256, 97), (257, 98)]
    >>> len(list(iter_merges("aaaa", 100)))
    2
    """
    find_tie_rule(ties)  # raises if there is none
    if n_merges < 0:
        raise ValueError(f"The number of merges is {n_merges}; choose 0 or more.")
    return _iter_merges(text_to_pieces(text, find_pattern(pattern)), n_merges, ties, {})


def _iter_merges(
    pieces: list[list[int]], n_merges: int, ties: Ties, picks: Mapping[int, Pair]
) -> Iterator[Step]:
    lengths = [1] * 256  # of each token, in bytes
    for new_id in range(256, 256 + n_merges):
        counts = count_pairs(pieces)
        if not counts:
            return
        pair = picks.get(new_id)  # what a person chose
        if pair is None or pair not in counts:
            pair = ranked_pairs(counts, ties)[0]
        lengths.append(lengths[pair[0]] + lengths[pair[1]])
        if lengths[new_id] > MAX_TOKEN_BYTES:
            return
        pieces = [merge_pair(ids, pair, new_id) for ids in pieces]
        yield Step(pair, counts[pair], new_id, pieces)


def encode(text: str, merges: Sequence[Pair], pattern: str | None = None) -> list[int]:
    """The ids of ``text``: in each piece, the merges that were learned first happen first.

    >>> encode("aaabdaaabac", [(97, 97), (97, 98), (256, 257)])
    [258, 100, 258, 97, 99]
    """
    new_ids: dict[Pair, int] = {}
    for i, pair in enumerate(merges):
        new_ids.setdefault(pair, 256 + i)
    encoded: list[int] = []
    for ids in text_to_pieces(text, pattern):
        while pairs := [pair for pair in count_pairs([ids]) if pair in new_ids]:
            pair = min(pairs, key=new_ids.__getitem__)
            ids = merge_pair(ids, pair, new_ids[pair])
        encoded.extend(ids)
    return encoded


MAX_STEPPED_BYTES = 2_000
MAX_STEPS = 200


@dataclass(frozen=True)
class State:
    """The text between two merges.

    Attributes:
        pieces: the token ids of each piece.
        pairs: the pairs in the order in which they would be merged, the winner first:
            ((left id, right id), count). All of them.
        tied: how many pairs share the winner's count, the winner included.
        winner: the pair that is merged next, picked or the first of ``pairs``; None: no pair is left, or
            ``MAX_STEPS`` were merged.
        new_id: the id that the next merge makes.
    """

    pieces: Sequence[Sequence[int]]
    pairs: Sequence[tuple[Pair, int]]
    tied: int
    winner: Pair | None
    new_id: int


@dataclass(frozen=True)
class Stepping:
    """All states of a training; state k is the text after k merges.

    ``tokens`` are the bytes of every id that occurs.
    """

    states: Sequence[State]
    tokens: dict[int, bytes]
    n_bytes: int


def step_through(
    text: str, ties: Ties = "smallest", pattern: str | None = None, picks: Sequence[Pair] = ()
) -> Stepping:
    """Train on ``text``, with up to ``MAX_STEPS`` merges, and keep every state.

    Args:
        text: up to ``MAX_STEPPED_BYTES`` bytes.
        ties: which of equally frequent pairs is merged, as in ``iter_merges``.
        pattern: a pattern's name, a regex, or None for no walls.
        picks: the pairs that a person merges first, instead of the best ones; one that does not occur is left
            to the algorithm.

    Raises:
        ValueError: the text is too long.

    >>> stepping = step_through("aaabdaaabac")
    >>> [state.winner for state in stepping.states[:3]]
    [(97, 97), (97, 98), (256, 257)]
    >>> stepping.states[0].pairs[:2], stepping.states[1].tied, stepping.tokens[258]
    ([((97, 97), 4), ((97, 98), 2)], 2, b'aaab')
    >>> [state.winner for state in step_through("aaabdaaabac", picks=[(98, 100)]).states[:2]]
    [(98, 100), (97, 97)]
    """
    text = well_formed(text)
    n_bytes = utf8_length(text)
    if n_bytes > MAX_STEPPED_BYTES:
        raise ValueError(
            f"This text has {n_bytes:,} bytes, and By hand takes up to {MAX_STEPPED_BYTES:,}. Shorten it, or "
            "use Train for it."
        )
    pieces = text_to_pieces(text, find_pattern(pattern))
    tokens = {byte: bytes([byte]) for byte in set(text.encode())}
    states: list[State] = []
    steps = _iter_merges(pieces, MAX_STEPS, ties, dict(enumerate(picks, start=256)))
    for step in [*steps, None]:
        counts = count_pairs(pieces)
        ranked = [(pair, counts[pair]) for pair in ranked_pairs(counts, ties)]
        tied = sum(count == ranked[0][1] for _, count in ranked)
        states.append(State(pieces, ranked, tied, step.pair if step else None, 256 + len(states)))
        if step:
            tokens[step.new_id] = b"".join(tokens[token_id] for token_id in step.pair)
            pieces = step.pieces
    return Stepping(states, tokens, n_bytes)
