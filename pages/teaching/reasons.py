"""Why a text is cut where it is, in a lesson: a plain sentence, the exact reason, and the merges to play."""

from __future__ import annotations

import bisect
import itertools

from pages.teaching.drawn_tokens import place_starts
from tokenizers.bpe import trace
from tokenizers.json_types import JsonObject
from tokenizers.text import Spans, explain_plainly


def explain_places(spans: Spans, *, exactly: bool) -> JsonObject:
    """The reason for each place of a text where a person could have placed a cut.

    Args:
        spans: the tokens of a text.
        exactly: whether people have heard of merges and pieces.

    Returns:
        ``why``: a plain sentence for each place, by grapheme; ``more``: the exact reason, where it is
        another one; ``pieces``: what merges made of each piece (``draw_pieces``); ``near``: the indexes of
        the pieces at each place, one or two.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import encode_spans
    >>> reasons = explain_places(encode_spans(get_encoding("gpt2"), "a cat"), exactly=True)
    >>> reasons["why"][1], reasons["near"][1], reasons["near"][2]
    ('A new word begins here, with its space.', [0, 1], [1])
    >>> reasons["more"][3]
    'No cut: “·c” and “at” became “·cat” here (rank 3,797).'
    """
    starts = place_starts(spans.text_map)
    why = {place: explain_plainly(spans, start) for place, start in starts.items()}
    more = {}
    if exactly:
        exact = {place: spans.reason(start) for place, start in starts.items()}
        more = {place: reason for place, reason in exact.items() if reason not in ("", why[place])}
    edges = _piece_edges(spans)
    near = {}
    if edges:
        for place, start in starts.items():
            before = bisect.bisect_left(edges, start) - 1  # the piece that reaches up to it, or over it
            near[place] = [before, before + 1] if start == edges[before + 1] else [before]
    return {"why": why, "more": more, "pieces": draw_pieces(spans, edges), "near": near}


def _piece_edges(spans: Spans) -> list[int]:
    """Where the pieces begin, and the text's end, in bytes; empty: no merges of this text can be shown."""
    if spans.encoding.merging is None or spans.seen is not spans or not spans.covers_own_bytes:
        return []
    try:
        edges: list[int] = spans.wall_edges.tolist()
    except ValueError:  # the pieces are not known
        return []
    return edges


def draw_pieces(spans: Spans, edges: list[int]) -> list[JsonObject]:
    """The pieces of a text, and the merges in each, in their order.

    Args:
        spans: the tokens of a text, of a byte pair encoding that does not rewrite it.
        edges: where the pieces begin, and the text's end.

    Returns:
        for each piece ``blocks``: its bytes in hex, one by one, but a special token as a whole; and
        ``joins``: for each merge, the blocks that it joins to the one before.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import encode_spans
    >>> draw_pieces(encode_spans(get_encoding("gpt2"), "a cat"), [0, 1, 5])[1]
    {'blocks': ['20', '63', '61', '74'], 'joins': [[3], [1], [2]]}
    """
    if not edges:
        return []
    data = spans.text_map.data
    special_starts = spans.starts[spans.special].tolist()
    pieces: list[JsonObject] = []
    for start, end in itertools.pairwise(edges):
        piece = data[start:end]
        blocks = [piece.hex()] if start in special_starts else [f"{byte:02x}" for byte in piece]
        pieces.append({"blocks": blocks, "joins": []})
    allowed = "all" if special_starts else ()
    for merge in trace(spans.encoding, spans.text_map.text, allowed_special=allowed):
        number = bisect.bisect_right(edges, merge.start) - 1
        pieces[number]["joins"].append([edge - edges[number] for edge in merge.edges[1:-1]])
    return pieces
