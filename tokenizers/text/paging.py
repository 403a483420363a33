"""A long text in pages: what is drawn at once. Counts are always those of the whole text."""

from __future__ import annotations

from dataclasses import dataclass

import regex

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
    """
    pages: list[Page] = []
    start = start_byte = 0
    while True:
        end = min(start + page_chars, len(text))
        if end < len(text):
            line_end = text.rfind("\n", start + page_chars // 2, end)
            end = line_end + 1 if line_end >= 0 else _grapheme_edge(text, start, end)
        end_byte = start_byte + len(text[start:end].encode("utf-8"))
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
