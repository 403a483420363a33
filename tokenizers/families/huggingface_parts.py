"""A long text in parts, whose tokens are those of the whole text, and whose memory is that of a part.

Hugging Face's engine takes some 150 times a text's memory. So a long text is read in parts that overlap.
Where two parts have the same tokens and the same words around a place of their overlap, the text is cut
there: what comes before is the first part's, and what comes after the second's. If they do not agree (in a
word of a megabyte, or where words are counted off from the start), the first part is made longer, up to the
whole text.

Why the tokens are those of the whole text. Steps go from left to right. Normalisers and the cutting into
words look around a place no farther than to the end of a run (of blanks, digits, marks, …), and remember no
more than where the last word ended. What the edge of a part changes is therefore in the run that it cuts. A
run that reaches from there to the middle of the overlap looks different to the other part, which sees it
whole or cut elsewhere; so the parts do not agree. Where a word ends in both parts, the same follows in
both.

Within a word, that holds for merges alone: tokens are those of a text if any two neighbours merge to these
two (a merge over a border would be the same in the two alone, since nothing crossed their edges before). If
the parts have one token in common, then the first part's up to it, and the second's from it on, are such a
text's.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import I64, Flags
from ..progress import report

PART = 1 << 17
"""Characters of a part; a power of two, so that parts of one repeated character agree."""

OVERLAP = 1 << 12
"""Characters that a part has in common with the one before it."""

_LARGE = 1 << 21
"""Characters of a part of which one is encoded at a time, on behalf of memory."""

_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Encoded:
    """The tokens of a text.

    Attributes:
        ids: of the tokens.
        offsets: shape (n, 2): where each token begins and ends in the text, in characters.
        begins: shape (n,): whether it is in another word than the token before it.
    """

    ids: list[int]
    offsets: I64
    begins: Flags

    @classmethod
    def of(cls, encoding: Any) -> Encoded:
        """What the library found."""
        words = encoding.word_ids
        begins = np.ones(len(words), bool)
        begins[1:] = list(map(operator.ne, words, words[1:]))
        offsets = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        return cls(encoding.ids, offsets, begins)

    def taken_apart(self, apart: Mapping[int, Sequence[int]]) -> Encoded:
        """The same, with other tokens, all over the same characters, for those with these ids.

        >>> whole = Encoded([5, 9], np.array([[0, 1], [1, 3]]), np.array([True, True]))
        >>> whole.taken_apart({9: (2, 3)}).begins.tolist()
        [True, True, False]
        """
        parts = [apart.get(token_id, (token_id,)) for token_id in self.ids]
        counts = list(map(len, parts))
        firsts = np.cumsum([0, *counts])[:-1]
        begins = np.zeros(sum(counts), bool)
        begins[firsts] = self.begins
        ids = list(itertools.chain(*parts))
        return Encoded(ids, np.repeat(self.offsets, counts, axis=0), begins)

    def part(self, start: int, stop: int | None, by: int) -> Encoded:
        """The tokens from ``start`` to ``stop``, in a text that begins ``by`` characters earlier."""
        return Encoded(self.ids[start:stop], self.offsets[start:stop] + by, self.begins[start:stop])

    def between(self, places: list[int]) -> _Between:
        """The tokens that begin between two places of the text, in characters."""
        starts = np.maximum.accumulate(self.offsets[:, 0])
        first, stop = np.searchsorted(starts, places).tolist()
        return _Between(first, self.part(first, stop, 0))


class _Between(NamedTuple):
    """Some tokens of a part, and the index of the first one."""

    first: int
    tokens: Encoded


class Piece(NamedTuple):
    """A token of a word: bytes [start, stop) of the word became it."""

    token_id: int
    start: int
    stop: int


def cut_words(words: Encoded, added: Mapping[int, int], cut: Callable[[bytes], Iterable[Piece]]) -> Encoded:
    """The tokens of a text whose words are given as their bytes.

    Args:
        words: each byte, as its value, and each added token.
        added: the ids of added tokens, by those in ``words``.
        cut: the tokens of a word.

    >>> a_bc = Encoded([97, 98, 99], np.array([[0, 1], [2, 3], [3, 4]]), np.array([True, True, False]))
    >>> cut_words(a_bc, {}, lambda word: [Piece(len(word), 0, len(word))]).offsets.tolist()
    [[0, 1], [2, 4]]
    """
    ids: list[int] = []
    edges: list[tuple[int, int]] = []
    begins: list[bool] = []
    word_edges = [*np.flatnonzero(words.begins).tolist(), len(words.ids)]
    for start, stop in itertools.pairwise(word_edges):
        word = words.ids[start:stop]
        if word[0] in added:
            pieces: Iterable[Piece] = [Piece(added[word[0]], 0, len(word))]
        else:
            pieces = cut(bytes(word))
        for number, piece in enumerate(pieces):
            ids.append(piece.token_id)
            edges.append((start + piece.start, start + piece.stop - 1))
            begins.append(number == 0)
    first, last = np.array(edges, np.int64).reshape(-1, 2).T
    offsets = np.stack([words.offsets[first, 0], words.offsets[last, 1]], axis=1)
    return Encoded(ids, offsets, np.array(begins, bool))


def encode_in_parts(
    run: Callable[[str], Encoded],
    text: str,
    *,
    can_cut: bool = True,
    can_cut_words: bool = False,
    part: int = PART,
    overlap: int = OVERLAP,
) -> Encoded:
    """The tokens of a text, however long.

    Args:
        run: encodes a part.
        text: any.
        can_cut: whether no step looks farther than to the end of a run.
        can_cut_words: whether the model makes tokens of a word by merges, so that parts can meet within one.
        part, overlap: characters.
    """
    parts = list(
        _encode_parts(
            run,
            text,
            can_cut_words=can_cut_words,
            part=part if can_cut else len(text),
            overlap=overlap,
        )
    )
    return Encoded(
        [token_id for each in parts for token_id in each.ids],
        np.concatenate([each.offsets for each in parts]),
        np.concatenate([each.begins for each in parts]),
    )


def _encode_parts(
    run: Callable[[str], Encoded], text: str, *, can_cut_words: bool, part: int, overlap: int
) -> Iterator[Encoded]:
    begin = 0
    end = part
    done = 0  # the part is text[begin:end], and its first ``done`` tokens were given
    left = _run(run, text[:end])
    while end < len(text):
        next_begin = end - overlap
        right = _run(run, text[next_begin : next_begin + part])
        middle = [next_begin + overlap // 4, end - overlap // 4]
        meeting = _meet(
            left.between([place - begin for place in middle]),
            right.between([place - next_begin for place in middle]),
            shift=next_begin - begin,
            can_cut_words=can_cut_words,
        )
        if meeting is None:
            end += end - begin
            left = _run(run, text[begin:end])
            continue
        report(next_begin / len(text))
        in_left, in_right = meeting
        yield left.part(done, in_left, begin)
        begin = next_begin
        end = next_begin + part
        left = right
        done = in_right
    yield left.part(done, None, begin)


def _run(run: Callable[[str], Encoded], text: str) -> Encoded:
    with _one_at_a_time if len(text) > _LARGE else contextlib.nullcontext():
        return run(text)


def _meet(left: _Between, right: _Between, *, shift: int, can_cut_words: bool) -> tuple[int, int] | None:
    """The tokens of two parts from which on the second one is taken; None: they do not agree.

    Args:
        left, right: what is in the parts where they have to agree.
        shift: where the second begins in the first.
        can_cut_words: see ``encode_in_parts``.
    """
    tokens = left.tokens
    agree = (
        tokens.ids == right.tokens.ids
        and np.array_equal(tokens.offsets, right.tokens.offsets + shift)
        and np.array_equal(tokens.begins, right.tokens.begins)
    )
    if not agree or len(tokens.ids) < 2:
        return None
    places = 1 + np.flatnonzero(tokens.begins[1:])
    if len(places):
        place = int(places[len(places) // 2])
    elif can_cut_words:
        place = len(tokens.ids) // 2
    else:
        return None
    return left.first + place, right.first + place
