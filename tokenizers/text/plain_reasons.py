"""Why there is a cut in a text, for people who have not heard of merges. ``Spans.reason`` says it exactly."""

from __future__ import annotations

import contextlib

from ..utf8 import text_of
from .spans import Spans
from .spelling import quote


def explain_plainly(spans: Spans, byte_offset: int) -> str:
    """Why there is a cut at a place of a text, or none, for people who have not heard of merges.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import encode_spans
    >>> spans = encode_spans(get_encoding("cl100k_base"), "Unbelie")
    >>> explain_plainly(spans, 2), explain_plainly(spans, 3)
    ('There is no token “Unbelie”.', '“belie” is one token.')
    >>> explain_plainly(encode_spans(get_encoding("cl100k_base"), "👩"), 3)
    'No token holds both of these parts of “👩”.'
    """
    around = spans.around(byte_offset)
    if isinstance(around, str):
        return around
    joined = spans.text_map.data[spans.starts[around[0]] : spans.ends[around[1]]]
    if around[0] == around[1]:
        return f"{quote(joined)} is one token."
    if spans.special[list(around)].any() or spans.encoding.token_id(joined) is not None:
        return spans.reason(byte_offset)
    with contextlib.suppress(ValueError):  # there are no walls, or they are not known
        if spans.wall_starts[around[1]]:
            return "A new word, number or sign begins here. No token reaches over that."
    if text_of(joined) is not None:
        return f"There is no token {quote(joined)}."
    text_map = spans.text_map
    first = text_map.char_index(int(spans.starts[around[0]]))
    last = text_map.char_index(int(spans.ends[around[1]] - 1))
    return f"No token holds both of these parts of {quote(text_map.text[first : last + 1])}."
