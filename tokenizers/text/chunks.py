"""A text in chunks of N tokens, as context windows and embeddings need, or in pages to show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import regex

from ..utf8 import utf8_length
from .spans import Spans

MAX_CHUNKS = 100_000


@dataclass(frozen=True)
class Chunk:
    """So many tokens of a text, bytes [start, end).

    ``text`` are the characters of these bytes. Where a chunk begins or ends inside a character,
    that character is in the chunk in which it begins, and ``splits_character`` says so.
    """

    number: int
    tokens: int
    start: int
    end: int
    text: str
    splits_character: bool


def cut_chunks(spans: Spans, size: int) -> list[Chunk]:
    """Cut a text after every ``size`` tokens; the chunks' texts join to the text. No tokens, no chunks.

    Raises:
        ValueError: ``size`` is less than 1, or so small that there were more than ``MAX_CHUNKS``.

    >>> from tokenizers import encode_spans, get_encoding
    >>> spans = encode_spans(get_encoding("gpt2"), "one two three four five")
    >>> [(chunk.text, chunk.tokens) for chunk in cut_chunks(spans, 2)]
    [('one two', 2), (' three four', 2), (' five', 1)]
    """
    if size < 1:
        raise ValueError("A chunk needs at least 1 token. Choose a larger number.")
    if len(spans) > size * MAX_CHUNKS:
        raise ValueError(
            f"That would be {-(-len(spans) // size):,} chunks. Choose at least "
            f"{-(-len(spans) // MAX_CHUNKS)} tokens for each."
        )
    # What belongs to no token goes to the chunk after it, and at the end to the last one.
    text_map, n_tokens = spans.text_map, len(spans)
    edges = np.array([0, *spans.ends[size - 1 : n_tokens - 1 : size], text_map.n_bytes])
    chars = text_map.begun_before(edges).tolist()  # a character belongs to the chunk of its first byte
    is_lead, ends = text_map.lead_bytes[edges].tolist(), edges.tolist()
    chunks: list[Chunk] = []
    for i, first in enumerate(range(0, n_tokens, size)):
        n_own, text = min(size, n_tokens - first), text_map.text[chars[i] : chars[i + 1]]
        splits = not (is_lead[i] and is_lead[i + 1])
        chunks.append(Chunk(i + 1, n_own, ends[i], ends[i + 1], text, splits))
    return chunks


# Pages: counts are always those of the whole text

PAGE_CHARS = 16_000
"""About how long a page is, in characters."""

_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True)
class Page:
    """One page: characters [start, end) and the byte at which it begins."""

    start: int
    end: int
    start_byte: int
    end_byte: int


def paginate(text: str, page_chars: int = PAGE_CHARS) -> list[Page]:
    """Cut a text into pages at line ends, or between graphemes where a line is too long.

    The pages join to the text; an empty text has one empty page.

    >>> [(page.start, page.end) for page in paginate("one\\ntwo\\nthree", page_chars=5)]
    [(0, 4), (4, 8), (8, 13)]
    >>> [(page.start, page.end) for page in paginate("e\\u0301e\\u0301aa", page_chars=3)]
    [(0, 2), (2, 5), (5, 6)]
    """
    pages: list[Page] = []
    start = start_byte = 0
    while True:
        end = min(start + page_chars, len(text))
        if end < len(text):
            line_end = text.rfind("\n", start + page_chars // 2, end)
            end = line_end + 1 if line_end >= 0 else _grapheme_edge(text, start, end)
        end_byte = start_byte + utf8_length(text[start:end])
        pages.append(Page(start, end, start_byte, end_byte))
        if end >= len(text):
            return pages
        start, start_byte = end, end_byte


def _grapheme_edge(text: str, start: int, end: int) -> int:
    """The last grapheme edge at or before ``end``, or ``end`` itself inside an endless grapheme."""
    edge = end
    # A cluster seldom is longer than a few dozen characters: look back that far, in a slice.
    begin = max(start, end - 100)
    for cluster in _GRAPHEME.finditer(text[begin : end + 100]):
        if begin + cluster.end() > end:
            edge = begin + cluster.start()
            break
    return edge if edge > start else end
