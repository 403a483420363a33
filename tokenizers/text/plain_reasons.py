"""Why there is a cut in a text, for people who have not heard of merges. ``Spans.reason`` says it exactly."""

from __future__ import annotations

import contextlib
import unicodedata

import numpy as np

from ..utf8 import text_of
from .spans import Spans
from .spelling import name_token, quote

_APOSTROPHES = "'’"


def explain_plainly(spans: Spans, byte_offset: int) -> str:
    """Why there is a cut at a place of a text, or none, for people who have not heard of merges.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import encode_spans
    >>> spans = encode_spans(get_encoding("cl100k_base"), "Unbelie me")
    >>> for place in (2, 3, 7):
    ...     print(explain_plainly(spans, place))
    There is no token “Unbelie”.
    “belie” is one token.
    A new word begins here, with its space.
    >>> explain_plainly(spans, 8)
    'The space belongs to the word: “·me” is one token.'
    >>> explain_plainly(encode_spans(get_encoding("cl100k_base"), "👩"), 3)
    'No token holds both of these parts of “👩”.'
    """
    around = spans.around(byte_offset)
    if isinstance(around, str):
        return around
    joined = spans.text_map.data[spans.starts[around[0]] : spans.ends[around[1]]]
    if around[0] == around[1]:
        text = text_of(joined)
        if text is None:
            return f"A token of parts of characters reaches over this place: {quote(joined)}."
        one = f"{quote(joined)} is one token."
        follows = _kind_of(text[1:2])
        if text[:1] == " " and byte_offset == spans.starts[around[0]] + 1 and follows in ("word", "number"):
            return f"The space belongs to the {follows}: {one}"
        return one
    for index in around:
        if spans.special[index]:
            return f"{quote(spans.bytes_of(index))} is a special token, and stays by itself."
    with contextlib.suppress(ValueError):  # there are no walls, or they are not known
        if spans.wall_starts[around[1]]:
            return _say_wall(spans, byte_offset)
    if spans.encoding.token_id(joined) is not None:
        return f"There is a {name_token(joined)}, too, but the tokenizer does not come to it here."
    if text_of(joined) is not None:
        return f"There is no token {quote(joined)}."
    text_map = spans.text_map
    first = text_map.char_index(int(spans.starts[around[0]]))
    last = text_map.char_index(int(spans.ends[around[1]] - 1))
    return f"No token holds both of these parts of {quote(text_map.text[first : last + 1])}."


def _say_wall(spans: Spans, byte_offset: int) -> str:
    """What begins at a wall of the split pattern."""
    data = spans.text_map.data
    walls = spans.wall_edges
    end = walls[np.searchsorted(walls, byte_offset, "right")]
    piece = data[byte_offset:end].decode("utf-8", "ignore")
    # A character has up to four bytes.
    before = _kind_of(data[max(0, byte_offset - 4) : byte_offset].decode("utf-8", "ignore")[-1:])
    first = _kind_of(piece[:1])
    second = _kind_of(piece[1:2])
    if first == "space":
        if piece[:1] != " " or second == "space":
            return "Space that belongs to no word begins here."
        return f"A new {second} begins here, with its space."
    if first == "sign" and second == "word":
        if piece[:1] in _APOSTROPHES and before == "word":
            return "An ending begins here, with its apostrophe."
        return "A new word begins here, with the sign before it."
    if first == before == "word":
        return "A new group of letters begins here."
    if first == before == "number":
        return "A new group of digits begins here."
    return f"A new {first} begins here."


def _kind_of(character: str) -> str:
    """What begins with a character: "space", "word", "number" or "sign"."""
    if character.isspace():
        return "space"
    category = unicodedata.category(character or " ")
    return {"L": "word", "N": "number", "Z": "space"}.get(category[0], "sign")
