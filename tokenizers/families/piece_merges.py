"""The merges behind the pieces of a SentencePiece BPE: a forest for a text, a tree for a piece.

As in ``bpe/trees.py``, but of characters, not of bytes, and by score: of all neighbours whose joined text is
a piece, those with the best score are joined first, the leftmost on ties. A rank is a score's place: 0 is the
best. A character that is no piece becomes its bytes, which nothing is joined with, or is unknown. A
user-defined symbol is taken whole, and never joined.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..alternation import any_of
from ..arrays import Flags, Floats
from ..bpe.merge_rule import RawMerge, run_merges
from ..bpe.results import Merge, Node
from ..placement import FewIds
from ..utf8 import utf8_length

MAX_GROWN_BYTES = 20_000
"""Bytes of a text whose forest is grown: each has a node or two."""


@dataclass(frozen=True, slots=True)
class PieceForest:
    """The forest of a text, and the merges that made it.

    Attributes:
        data: the text as it is read, with the space in front; all places are in it.
        roots: the tree of each token.
        merges: in the order in which they happen.
    """

    data: bytes
    roots: list[Node]
    merges: list[Merge]


class PieceMerges:
    """The merges of a SentencePiece BPE.

    Args:
        pieces: the bytes of each piece, by id, with spaces for ▁.
        scores: of each piece, by id.
        is_piece: which ids are pieces that a text can hold: neither control pieces nor those of single bytes.
        byte_ids: the ids of the pieces of single bytes, by byte; empty: none.
        read: what a text is before it is cut: with the space in front, and spaces for ▁.
        whole: ids of the pieces that are taken whole, before anything is joined.
        unknown: the id of a run of characters that are no pieces, unless those become their bytes.
        added: tokens beside the pieces, which are found in a text before anything is joined.

    >>> from tokenizers import get_encoding
    >>> merges = get_encoding("mistral-v1").joining
    >>> forest = merges.grow("the cat")
    >>> for merge in forest.merges:
    ...     print(merge.step, merge.rank, forest.data[merge.start : merge.end].decode())
    1 0  t
    2 4 he
    3 9 at
    4 11  the
    5 15  c
    6 4984  cat
    """

    def __init__(
        self,
        pieces: Sequence[bytes],
        scores: Floats,
        is_piece: Flags,
        byte_ids: Mapping[int, int],
        read: Callable[[str], str],
        *,
        whole: Collection[int] = (),
        unknown: int = 0,
        added: Sequence[str] = (),
    ) -> None:
        self._added = added
        self._read = read
        self._unknown = unknown
        self._bytes = pieces
        self._byte_ids = byte_ids
        self._whole = frozenset(pieces[token_id].decode() for token_id in whole)
        self._symbol = re.compile(f"{any_of(self._whole).pattern}|.", re.DOTALL)
        all_ids = np.flatnonzero(is_piece).tolist()
        self._ids = {pieces[token_id]: token_id for token_id in all_ids}
        made = [token_id for token_id in all_ids if self._is_made(pieces[token_id].decode())]
        _, places = np.unique(-scores[made], return_inverse=True)  # one rank for each score
        self._ranks = dict(zip((pieces[token_id] for token_id in made), places.tolist(), strict=True))
        self.full = len(all_ids) + len(byte_ids)
        self.smallest = self.full - len(self._ranks)
        # Vocabulary size at which each rank appears; pieces with equal scores appear together.
        self._sizes = self.smallest + np.cumsum(np.bincount(places))

    def _is_made(self, piece: str) -> bool:
        """Whether merges make a piece: it has several characters, and no user-defined symbol in it."""
        return len(piece) > 1 and self._whole.isdisjoint(self._symbol.findall(piece) if self._whole else ())

    def _edges(self, data: bytes) -> list[int]:
        """The places between the symbols with which merging begins: characters, and user-defined symbols."""
        symbols = self._symbol.findall(data.decode())
        return list(itertools.accumulate(map(utf8_length, symbols), initial=0))

    def rank(self, token_id: int) -> int | None:
        """The place of a piece's score among all; None: no merge makes it."""
        data = self._bytes[token_id]
        return self._ranks.get(data) if self._ids.get(data) == token_id else None

    def parts(self, token_id: int) -> FewIds:
        """The two pieces that are joined to this one; () for a character and a byte.

        Three or more: the merges of its text stop at these, so that it never arises.
        """
        return tuple(node.token_id for node in self.tree(token_id).children)

    def tree(self, token_id: int, start: int = 0) -> Node:
        """The tree of a piece, down to its characters, from this place on."""
        data, rank = self._bytes[token_id], self.rank(token_id)
        roots = [] if rank is None else self._grow(data, start).roots
        if len(roots) == 1:
            return roots[0]
        return Node(token_id, rank, data, start, start + len(data), tuple(roots))

    def grow(self, text: str) -> PieceForest:
        """The forest of a text, with the space in front. The roots are the tokens that encoding gives.

        Raises:
            ValueError: the text is too long, or contains an added token.
        """
        added = next((name for name in self._added if name in text), None)
        if added is not None:
            raise ValueError(
                f"{added!r:.80} is an added token here, which is found before pieces are "
                "joined, so no forest is drawn of a text with it. Take a part without it."
            )
        data = self._read(text).encode()
        if len(data) > MAX_GROWN_BYTES:
            raise ValueError(
                f"The text has {len(data):,} bytes, and a forest is grown of up to {MAX_GROWN_BYTES:,}. "
                "Take a shorter text."
            )
        return self._grow(data)

    def sizes_inside(self, token_id: int) -> tuple[int, ...]:
        """The vocabulary sizes from which on the places between the characters of a token are no cuts.

        The smallest vocabulary has all bytes and single characters, and larger ones the pieces of the best
        scores. A merge never has a better score than those that made its parts, so with fewer pieces the same
        merges happen, up to the worst one that is left.

        Raises:
            ValueError: a merge has a better score than one that made its parts, which training never does.
        """
        if self.rank(token_id) is None:
            return ()
        data = self._bytes[token_id]
        ranks = [rank for rank, *_ in self._run(data)]
        if ranks != sorted(ranks) or any(char.encode() not in self._ids for char in data.decode()):
            raise ValueError(
                f"The piece {data.decode('utf-8')!r:.80} has a better score than a part that it is joined "
                "from, or a part that is no piece. So fewer of its pieces are no smaller model, and there is "
                "no curve."
            )
        return tuple(self._sizes[ranks].tolist())

    def _run(self, data: bytes) -> list[RawMerge]:
        return run_merges(data, self._ranks, self._edges(data))

    def _grow(self, data: bytes, begin: int = 0) -> PieceForest:
        """The forest of a text as it is read, which begins at ``begin``."""
        nodes: dict[int, Node] = {}  # by where they begin
        merges: list[Merge] = []
        for start, end in itertools.pairwise(self._edges(data)):
            token = data[start:end]
            nodes[start] = Node(self._ids.get(token, self._unknown), None, token, begin + start, begin + end)
        for step, (rank, start, middle, end) in enumerate(self._run(data), start=1):
            token = data[start:end]
            children = (nodes[start], nodes.pop(middle))
            nodes[start] = Node(self._ids[token], rank, token, begin + start, begin + end, children)
            parts = tuple(child.token_id for child in children)
            merges.append(Merge(step, rank, self._ids[token], parts, (start, middle, end)))
        roots: list[Node] = []
        for is_piece, group in itertools.groupby(nodes.values(), lambda node: node.token_bytes in self._ids):
            run = list(group)  # of pieces, or of characters that are none
            token = b"".join(node.token_bytes for node in run)
            if is_piece:
                roots += run
            elif self._byte_ids:
                roots += (
                    Node(self._byte_ids[byte], None, bytes([byte]), at, at + 1)
                    for at, byte in enumerate(token, start=run[0].start)
                )
            else:
                roots.append(Node(self._unknown, None, token, run[0].start, run[-1].end))
        return PieceForest(data, roots, merges)
