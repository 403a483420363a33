"""What trees, traces and curves over vocabulary sizes consist of. These values know no encoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import I64
from ..placement import FewIds

Sizes = I64
"""Vocabulary sizes, or token counts, one for each of something."""


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """A token and the two that merged into it, down to the bytes. Offsets in bytes.

    Attributes:
        token_id: its id.
        rank: its rank; None for a byte and for a special token, which no merge makes.
        token_bytes: what it stands for.
        start, end: where it is in the text; if the tree is not that of a text, from 0.
        children: what it is made of, from left to right: the two tokens that merged into it; none for a leaf;
            three or more for a token that merges alone would not reach: those at which they stop.
    """

    token_id: int
    rank: int | None
    token_bytes: bytes
    start: int
    end: int
    children: tuple[Node, ...] = ()

    def __repr__(self) -> str:
        return f"<Node {self.token_id} {self.token_bytes!r} [{self.start}, {self.end})>"

    def iter_nodes(self) -> Iterator[Node]:
        """This node and all below it: each before its parts, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def height(self) -> int:
        """The most merges one above the other; 0 for a leaf."""
        heights: dict[tuple[int, int], int] = {}
        for node in reversed(list(self.iter_nodes())):
            below = [heights[child.start, child.end] + 1 for child in node.children]
            heights[node.start, node.end] = max(below, default=0)
        return heights[self.start, self.end]


class Merge(NamedTuple):
    """One step of a trace: the parts that were joined, and what they became. Offsets in bytes.

    Attributes:
        step: 1 for the first.
        rank: the new token's rank.
        new_id: the new token's id.
        parts: the ids that were joined: two, or more if the token was looked up.
        edges: where the parts begin, and where the last one ends.
    """

    step: int
    rank: int
    new_id: int
    parts: FewIds
    edges: tuple[int, ...]

    @property
    def start(self) -> int:
        """Where the new token begins."""
        return self.edges[0]

    @property
    def end(self) -> int:
        """Where the new token ends."""
        return self.edges[-1]

    @property
    def is_lookup(self) -> bool:
        """Whether no merge makes this token: it is a whole piece that tiktoken looks up."""
        return len(self.parts) > 2


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """How many tokens a text has at each vocabulary size, in a compact form.

    Attributes:
        n_bytes: bytes of UTF-8 of the text.
        full: the size of the whole vocabulary, in tokens.
        sizes: the sizes at which the count changes, rising, shape (n,); [0] is the smallest
            vocabulary: the 256 bytes, and the single characters where pieces merge.
        counts: tokens from that size on, falling, shape (n,).
    """

    n_bytes: int
    full: int
    sizes: Sizes
    counts: Sizes

    def __add__(self, other: SizeCurve) -> SizeCurve:
        """The curve of two texts together, each encoded by itself in the same encoding.

        >>> from tokenizers import counts_by_size, get_encoding
        >>> the, cat = (counts_by_size(get_encoding("gpt2"), text) for text in ("the", "cat"))
        >>> (the + cat).sizes.tolist(), (the + cat).counts.tolist()
        ([256, 259, 266, 1170, 9247], [6, 5, 4, 3, 2])
        """
        sizes = np.union1d(self.sizes, other.sizes)
        counts = self.at_sizes(sizes) + other.at_sizes(sizes)
        return SizeCurve(self.n_bytes + other.n_bytes, self.full, sizes, counts)

    @property
    def smallest(self) -> int:
        """The smallest vocabulary: the bytes alone."""
        return int(self.sizes[0])

    def at(self, size: int) -> int:
        """Tokens of the text with a vocabulary of that size; beyond the full size, its count.

        Raises:
            ValueError: fewer tokens than the bytes.

        >>> from tokenizers import counts_by_size, get_encoding
        >>> curve = counts_by_size(get_encoding("gpt2"), "the cat")
        >>> [curve.at(size) for size in (256, 258, 259, 50_256)]
        [7, 7, 6, 2]
        """
        return int(self.at_sizes([size])[0])

    def at_sizes(self, sizes: Sequence[int] | Sizes) -> Sizes:
        """As ``at``, for many sizes at once, shape (len(sizes),).

        Raises:
            ValueError: fewer tokens than the bytes.

        >>> from tokenizers import counts_by_size, get_encoding
        >>> counts_by_size(get_encoding("gpt2"), "the cat").at_sizes([256, 259, 99_999]).tolist()
        [7, 6, 2]
        """
        least = min(sizes, default=self.smallest)
        if least < self.smallest:
            raise ValueError(
                f"There is no vocabulary of {least:,} tokens here: the smallest has {self.smallest:,}."
            )
        return self.counts[np.searchsorted(self.sizes, sizes, side="right") - 1]

    def bytes_per_token(self, size: int) -> float:
        """The compression at that size; 0 for an empty text.

        Raises:
            ValueError: fewer tokens than the bytes.

        >>> from tokenizers import counts_by_size, get_encoding
        >>> counts_by_size(get_encoding("gpt2"), "the cat").bytes_per_token(50_256)
        3.5
        """
        return self.n_bytes / max(1, self.at(size))
