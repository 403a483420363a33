"""The data of the component: a part of the text as graphemes, code points, units and tokens, in bytes."""

from __future__ import annotations

from typing import Any

from tokenizers.text import CATEGORIES, KINDS, Spans, TextMap, code_point, looks_like, mixed_words

MAX_GRAPHEMES = 60
"""Graphemes of a part of the text."""

MAX_BYTES = 240
"""Bytes of a part of the text, each of which is a column."""


def find_parts(text_map: TextMap) -> list[tuple[int, int]]:
    """The parts of a text, as bytes [start, end); each of whole graphemes. An empty text has one, empty.

    >>> find_parts(TextMap("ab" * 40))
    [(0, 60), (60, 80)]
    """
    parts = []
    begin = n_graphemes = 0
    for start, end in text_map.cells(0, text_map.n_bytes):
        if n_graphemes == MAX_GRAPHEMES or (end - begin > MAX_BYTES and start > begin):
            parts.append((begin, start))
            begin, n_graphemes = start, 0
        n_graphemes += 1
    return [*parts, (begin, text_map.n_bytes)]


def describe_text(text_map: TextMap, start: int, end: int) -> dict[str, Any]:
    """The counts of a text, and the graphemes and code points of its bytes [start, end)."""
    mixed = {at: " and ".join(word.scripts) for word in mixed_words(text_map.text) for at in word.look_alikes}
    points: list[dict[str, Any]] = []
    offset = start
    for at in range(text_map.char_index(start), text_map.char_index(end)):
        fact = code_point(text_map.text[at])
        points.append(
            {
                **vars(fact),
                "code": fact.number,
                "start": offset,
                "end": offset + len(fact.utf8),
                "category_words": CATEGORIES[fact.category],
                "like": looks_like(fact.char),
                "mixed": mixed.get(at, ""),
                "utf8": fact.utf8,
                "utf16": fact.utf16,
                "utf32": [fact.utf32],
            }
        )
        offset += len(fact.utf8)
    return {
        "start": start,
        "end": end,
        "counts": count_units(text_map),
        "graphemes": [
            {"start": begin, "end": stop, "text": text_map.data[begin:stop].decode("utf-8")}
            for begin, stop in text_map.cells(start, end)
        ],
        "points": points,
        "kinds": {point["kind"]: KINDS[point["kind"]] for point in points if point["kind"]},
    }


def count_units(text_map: TextMap) -> dict[str, int]:
    """A text in the five ways of counting.

    >>> count_units(TextMap("👩‍🚀"))
    {'graphemes': 1, 'code_points': 3, 'utf8': 11, 'utf16': 5, 'utf32': 3}
    """
    return {
        "graphemes": text_map.n_graphemes,
        "code_points": text_map.n_chars,
        "utf8": text_map.n_bytes,
        "utf16": int(text_map.utf16_at[text_map.n_bytes]),
        "utf32": text_map.n_chars,
    }


def describe_tokens(spans: Spans, start: int, end: int) -> list[dict[str, Any]]:
    """The tokens that overlap the bytes [start, end), and the gaps between them, in order.

    A token that has nothing left of the bytes that it shares is listed with the one before it, as ``more``.
    """
    tokens: list[dict[str, Any]] = []
    for owner, begin, stop in zip(*(edges.tolist() for edges in spans.stretches), strict=True):
        if begin == stop:
            if tokens and owner >= 0 and start < begin <= end:
                tokens[-1]["more"].append(int(spans.ids[owner]))
        elif begin < end and stop > start:
            token: dict[str, Any] = {"start": begin, "end": stop, "id": None}
            if owner >= 0:
                token |= {"id": int(spans.ids[owner]), "bytes": spans.bytes_of(owner).hex()}
                token |= {"unknown": bool(spans.unknown[owner])}
            tokens.append({**token, "more": []})
    return tokens
