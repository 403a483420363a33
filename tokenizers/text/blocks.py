"""A text as it is drawn under its tokens: this is the specification.

To draw text truthfully it is cut into *blocks* at the places where a token's edge and a
grapheme's edge coincide. A block of one token is drawn as a chip. In a block of several tokens
some grapheme is split: each of its graphemes is drawn once, with its tokens as *lanes* under it.
A block of no token is a *gap*: text that the encoding drops, such as white space between words.

The component draws the same blocks from the tokens' flags, and the browser tests hold it to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .spans import Spans


@dataclass(frozen=True)
class Lane:
    """The part of one token in one grapheme: the token's index, and bytes [start, end)."""

    token: int
    start: int
    end: int


@dataclass(frozen=True)
class Cell:
    """One grapheme of a split block: its text, and its tokens as lanes (at least one)."""

    text: str
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class Block:
    """Tokens [first, last] that together cover whole graphemes; ``cells`` is empty for one token.

    In a gap, which no token covers, ``last`` is ``first - 1``.
    """

    text: str
    first: int
    last: int
    cells: tuple[Cell, ...]


def blocks_of(spans: Spans) -> Iterator[Block]:
    """The text as it is drawn; the blocks' texts join to the text.

    >>> from tokenizers import encode_spans, get_encoding
    >>> [block] = blocks_of(encode_spans(get_encoding("gpt2"), "\\u0939"))
    >>> block.first, block.last, [len(cell.lanes) for cell in block.cells]
    (0, 1, [2])
    """
    owners, starts, ends = (column.tolist() for column in spans.stretches)
    edge, clean = spans.text_map.is_grapheme_edge, spans.clean_starts
    begin = 0  # the first stretch of the block
    for at in range(1, len(owners) + 1):
        if at < len(owners):
            owner = owners[at]
            if not (clean[owner] if owner >= 0 else edge[starts[at]]):
                continue
        yield _block(spans, owners[begin:at], starts[begin:at], ends[begin:at])
        begin = at


def _block(spans: Spans, owners: list[int], starts: list[int], ends: list[int]) -> Block:
    """The block of some stretches that follow one another."""
    text = spans.text_map.data[starts[0] : ends[-1]].decode("utf-8")
    tokens = [owner for owner in owners if owner >= 0]
    if not tokens:  # a gap, before the token that comes next
        first = int(np.searchsorted(spans.starts, ends[-1]))
        return Block(text, first, first - 1, ())
    cells = _cells(spans, tokens[0], tokens[-1] + 1, starts[0], ends[-1]) if len(tokens) > 1 else ()
    return Block(text, tokens[0], tokens[-1], cells)


def _cells(spans: Spans, first: int, after: int, begin: int, stop: int) -> tuple[Cell, ...]:
    """The graphemes of bytes [begin, stop), each with its lanes, of the tokens [first, after)."""
    edges = zip(spans.starts[first:after].tolist(), spans.ends[first:after].tolist(), strict=True)
    tokens = [(index, start, end) for index, (start, end) in enumerate(edges, start=first)]
    cells: list[Cell] = []
    passed = 0  # tokens that end before the cell begins
    for cell_start, cell_end in spans.text_map.cells(begin, stop):
        while passed < len(tokens) and tokens[passed][2] <= cell_start:
            passed += 1
        lanes: list[Lane] = []
        for at in range(passed, len(tokens)):
            index, start, end = tokens[at]
            if start >= cell_end:
                break
            lanes.append(Lane(index, max(cell_start, start), min(cell_end, end)))
        cells.append(Cell(spans.text_map.data[cell_start:cell_end].decode("utf-8"), tuple(lanes)))
    return tuple(cells)
