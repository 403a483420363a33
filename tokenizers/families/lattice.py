"""The lattice of a Unigram: all pieces that fit a text, and the paths through them, from beginning to end.

A path is a cutting of the text; its log-probability is the sum of its pieces' scores. Viterbi's algorithm
finds the best one without trying all: the best path to a place is the best path to an earlier place and one
more piece.

Source: Kudo 2018, Subword Regularization, arXiv:1804.10959.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from ..cached import cached_property
from ..encoding import Encoding
from ..numbered import numbered
from ..text.spans import Spans
from ..text.spelling import quote, spell_alone
from ..text.text_map import common_prefix, common_suffix

Score = Callable[[bytes], float | None]
"""The score of a piece, by its bytes; None: there is no such piece."""

UNKNOWN_PRICE = 10.0
"""How much worse than the worst piece an unknown character is: a rule of SentencePiece and Hugging Face."""

WINDOW = 12
"""How many tokens on either side of a cut are taken into account when other ways are looked for."""

MAX_LATTICE_BYTES = 1_000
"""The longest text, in bytes, that a lattice is made for: the work grows with it, times the longest piece."""


@dataclass(frozen=True, slots=True)
class LatticePiece:
    """A piece that fits, over bytes [start, end) of the text.

    Attributes:
        score: its log-probability.
        is_unknown: a character that is no piece; it is let through at a high price, and becomes its bytes.
    """

    start: int
    end: int
    score: float
    is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A cutting of the text: its pieces in order, and the sum of their scores."""

    pieces: tuple[LatticePiece, ...]
    score: float


class Bar(NamedTuple):
    """A piece in a drawing: a bar under the characters that it covers.

    Attributes:
        token: what it stands for, as a token is written.
        start, end: the characters.
        score: its log-probability.
        path: 0: it is on the best path; 1: on the next best, where that differs; 2: on neither.
        row: bars of different paths share no row, and bars in a row do not overlap.
    """

    token: str
    start: int
    end: int
    score: float
    path: int
    row: int


class _Way(NamedTuple):
    """A path to a place: its score, its last piece, and which of the ways to that piece goes before."""

    score: float
    piece: LatticePiece | None
    number: int


class Lattice:
    """All pieces that fit a text.

    Args:
        text: the text as it is cut, normalised, with spaces.
        score: of each piece.
        longest: bytes of the longest piece.
        unknown: the score of a character that is no piece.

    Raises:
        ValueError: the text is too long.

    >>> scores = {b"a": -2.0, b"b": -2.0, b"c": -2.0, b"ab": -3.0, b"bc": -2.5}
    >>> lattice = Lattice("abc", scores.get, 2, -10.0)
    >>> [(path.score, [(piece.start, piece.end) for piece in path.pieces]) for path in lattice.best(9)]
    [(-4.5, [(0, 1), (1, 3)]), (-5.0, [(0, 2), (2, 3)]), (-6.0, [(0, 1), (1, 2), (2, 3)])]
    """

    def __init__(self, text: str, score: Score, longest: int, unknown: float) -> None:
        self.text = text
        self.data = data = text.encode()
        if len(data) > MAX_LATTICE_BYTES:
            raise ValueError(
                f"The text has {len(data):,} bytes, and a lattice is drawn of up to {MAX_LATTICE_BYTES:,}. "
                "Take a shorter text."
            )
        self.edges = [at for at, byte in enumerate(data) if byte & 0xC0 != 0x80]
        self.edges.append(len(data))
        self.pieces: list[LatticePiece] = []
        self.ending_at: dict[int, list[LatticePiece]] = {at: [] for at in self.edges}
        for start, next_edge in itertools.pairwise(self.edges):
            last_end = min(max(start + longest, next_edge), len(data))
            for end in range(next_edge, last_end + 1):
                own = score(data[start:end])
                if own is not None:
                    self._add(LatticePiece(start, end, own))
                elif end == next_edge:
                    self._add(LatticePiece(start, end, unknown, is_unknown=True))

    def _add(self, piece: LatticePiece) -> None:
        self.pieces.append(piece)
        self.ending_at[piece.end].append(piece)

    def best(self, count: int = 1, allows: Callable[[LatticePiece], bool] = lambda piece: True) -> list[Path]:
        """The best paths, the best one first: at most ``count``.

        Args:
            count: how many.
            allows: which pieces a path may have.
        """
        ways = {0: [_Way(0.0, None, 0)]}
        for at in self.edges[1:]:
            longer = []
            for piece in filter(allows, self.ending_at[at]):
                for number, before in enumerate(ways[piece.start]):
                    longer.append(_Way(before.score + piece.score, piece, number))
            ways[at] = heapq.nlargest(count, longer, key=operator.attrgetter("score"))
        paths = []
        for way in ways[self.edges[-1]]:
            pieces: list[LatticePiece] = []
            step = way
            while step.piece is not None:
                pieces.append(step.piece)
                step = ways[step.piece.start][step.number]
            paths.append(Path(tuple(reversed(pieces)), way.score))
        return paths

    def without_cut(self, at: int) -> Path | None:
        """The best path that has no cut at this byte; None: no piece crosses it."""
        return next(iter(self.best(1, lambda piece: at not in (piece.start, piece.end))), None)

    def with_cut(self, at: int) -> Path | None:
        """The best path that has a cut at this byte; None: it is inside of a character."""
        return next(iter(self.best(1, lambda piece: not piece.start < at < piece.end)), None)

    def compare(self, other: Path, *, is_cut: bool) -> str | None:
        """How the best path compares with one that decides otherwise at a place, as a sentence or two.

        Args:
            other: of ``without_cut`` or ``with_cut``.
            is_cut: whether the best path has a cut at that place.

        Returns:
            None: the other one is as probable.
        """
        [best] = self.best()
        if other.score >= best.score:
            return None
        ours, theirs = map(self._in_words, where_they_differ(best, other))
        if is_cut:
            return f"{ours}. Without a cut here, the best would be {theirs}."
        return f"No cut: {ours}. With a cut here, the best would be {theirs}."

    def _in_words(self, pieces: Sequence[LatticePiece]) -> str:
        """Some pieces of a path, and the sum of their scores."""
        total = sum(piece.score for piece in pieces)
        return f"{' + '.join(map(quote, self.texts(pieces)))}, of log-probability {total:.2f}"

    def bars(self) -> list[Bar]:
        """All pieces as bars: the best path first, then where the next best differs, then the others.

        >>> scores = {b"a": -2.041, b"b": -2.0, b"ab": -3.0}
        >>> [tuple(bar) for bar in Lattice("ab", scores.get, 2, -10.0).bars()]
        [('ab', 0, 2, -3.0, 0, 0), ('a', 0, 1, -2.04, 1, 1), ('b', 1, 2, -2.0, 1, 1)]
        """
        best, *others = (set(path.pieces) for path in self.best(2))
        following = others[0] - best if others else set()
        rest = set(self.pieces) - best - following
        char_at = numbered(self.edges)
        row_ends: list[int] = []  # of each row: the byte up to which it is filled
        bars = []
        for path, pieces in enumerate((best, following, rest)):
            first_row = len(row_ends)
            for piece in sorted(pieces, key=operator.attrgetter("start", "end")):
                rows = range(first_row, len(row_ends))
                free = (row for row in rows if row_ends[row] <= piece.start)
                row = next(free, len(row_ends))
                row_ends[row : row + 1] = [piece.end]
                text = self.data[piece.start : piece.end].decode()
                bars.append(
                    Bar(
                        token=spell_alone(text),
                        start=char_at[piece.start],
                        end=char_at[piece.end],
                        score=round(piece.score, 2),
                        path=path,
                        row=row,
                    )
                )
        return bars

    def count_paths(self, allows: Callable[[LatticePiece], bool] = lambda piece: True) -> int:
        """How many paths there are.

        Args:
            allows: which pieces a path may have.
        """
        ways = {0: 1}
        for at in self.edges[1:]:
            ways[at] = sum(ways[piece.start] for piece in self.ending_at[at] if allows(piece))
        return ways[self.edges[-1]]

    @cached_property
    def log_total(self) -> float:
        """The logarithm of the probability of all paths together."""
        totals = {0: 0.0}  # for each place, of all paths to it
        for at in self.edges[1:]:
            terms = [totals[piece.start] + piece.score for piece in self.ending_at[at]]
            top = max(terms)
            share_of_top = math.fsum(math.exp(term - top) for term in terms)
            totals[at] = top + math.log(share_of_top)
        return totals[self.edges[-1]]

    def texts(self, pieces: Sequence[LatticePiece]) -> list[bytes]:
        """What these pieces stand for."""
        return [self.data[piece.start : piece.end] for piece in pieces]


def lattice_maker(scores: Mapping[bytes, float], unknown: float) -> Callable[[str], Lattice]:
    """A function that makes the lattice of a text.

    Args:
        scores: of each piece.
        unknown: the score of a character that is no piece.
    """
    longest = max(map(len, scores), default=1)
    return functools.partial(Lattice, score=scores.get, longest=longest, unknown=unknown)


def where_they_differ(one: Path, other: Path) -> tuple[tuple[LatticePiece, ...], tuple[LatticePiece, ...]]:
    """The pieces of two paths without those that they share at the beginning and at the end.

    >>> a, b, c = (LatticePiece(at, at + 1, -1) for at in range(3))
    >>> ab = LatticePiece(0, 2, -3)
    >>> where_they_differ(Path((a, b, c), -3), Path((ab, c), -4)) == ((a, b), (ab,))
    True
    """
    n_front = common_prefix(one.pieces, other.pieces)
    shorter = min(len(one.pieces), len(other.pieces))
    n_back = common_suffix(one.pieces, other.pieces, shorter - n_front)

    def differing(path: Path) -> tuple[LatticePiece, ...]:
        return path.pieces[n_front : len(path.pieces) - n_back]

    return differing(one), differing(other)


@runtime_checkable
class WeighsPaths(Protocol):
    """The capability of encodings that take the most probable of all paths."""

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit the first line of a text.

        Raises:
            ValueError: the text is too long.
        """


def lattice_of(encoding: Encoding, text: str) -> Lattice | None:
    """All pieces that fit the first line of a text; None: this encoding weighs no paths.

    Raises:
        ValueError: the text is too long.

    >>> from tokenizers import get_encoding
    >>> lattice_of(get_encoding("gpt2"), "the") is None
    True
    """
    return encoding.lattice(text) if isinstance(encoding, WeighsPaths) else None


def explain_by_paths(
    spans: Spans,
    before: int,
    after: int,
    byte_offset: int,
    ends_part: Callable[[int], bool],
    make_lattice: Callable[[str], Lattice],
) -> str:
    """Why a Unigram cuts between two tokens, or does not inside of one: the best path that does otherwise.

    Args:
        spans: the tokens of a text.
        before, after: the tokens beside the place, by index; inside of a token, both are that one.
        byte_offset: the place.
        ends_part: whether a part that is cut by itself ends before the token of this index.
        make_lattice: the lattice of a text.
    """
    tokens = list(map(spans.encoding.token_bytes, spans.ids.tolist()))
    is_cut = before != after
    first, last = before, after
    while first and before - first < WINDOW and not ends_part(first):
        first -= 1
    while last + 1 < len(tokens) and last - after < WINDOW and not ends_part(last + 1):
        last += 1
    left, right = tokens[before], tokens[after]
    names = f"{quote(left)} and {quote(right)}"
    plain = f"{names} are pieces of the best path." if is_cut else f"No cut: {quote(left)} is one piece."
    data = b"".join(tokens[first : last + 1])
    place = sum(map(len, tokens[first : before + 1]))
    if not is_cut:
        place += byte_offset - int(spans.ends[before])
        if left.removeprefix(b" ") != spans.bytes_of(before).removeprefix(b" "):
            return plain  # its text was rewritten
    if len(data) > MAX_LATTICE_BYTES:
        return plain
    lattice = make_lattice(data.decode("utf-8", "replace"))
    if lattice.data != data:
        return plain  # not whole characters
    other = lattice.without_cut(place) if is_cut else lattice.with_cut(place)
    if other is None and is_cut:
        return f"No piece of {spans.encoding.name} reaches over this place, between {names}."
    if other is None:
        return plain  # inside of a character
    return lattice.compare(other, is_cut=is_cut) or plain
