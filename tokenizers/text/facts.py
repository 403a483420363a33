"""What is known about one token in its text."""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass

from ..utf8 import text_of
from .spans import Spans


def utf8_state(token_bytes: bytes) -> str:
    """In words: whether the bytes are whole characters, and if not, what is missing.

    >>> utf8_state(b"abc")
    'whole characters'
    >>> utf8_state("\\u00e9".encode()[:1])
    'ends inside a character: 1 byte is missing after it'
    >>> utf8_state("\\u00e9".encode()[1:])
    'begins inside a character that an earlier token started'
    >>> utf8_state(b"\\xff")
    'not UTF-8: no text has these bytes'
    """
    if text_of(token_bytes) is not None:
        return "whole characters"
    body = token_bytes.lstrip(INSIDE_CHARACTERS)
    problems = ["begins inside a character that an earlier token started"] if body != token_bytes else []
    try:
        body.decode()
    except UnicodeDecodeError as problem:
        if problem.reason != "unexpected end of data":
            return "not UTF-8: no text has these bytes"
        # A character of three bytes begins with a byte that begins with three ones.
        size = f"{body[problem.start]:b}".index("0")
        missing = size - (len(body) - problem.start)
        many = "1 byte is" if missing == 1 else f"{missing} bytes are"
        problems.append(f"ends inside a character: {many} missing after it")
    return "; ".join(problems)


INSIDE_CHARACTERS = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that do not begin a character."""


@dataclass(frozen=True)
class Elsewhere:
    """The same bytes in another encoding: one id for exactly these bytes (or None), and the
    tokens that cover them in this text."""

    encoding: str
    token_id: int | None
    covering: tuple[int, ...]
    aligned: bool
    """Whether the covering tokens begin and end exactly where the bytes do."""


MAX_LISTED = 1_000
"""Bytes of a token whose characters are listed. Without walls, a token can be a whole text."""


@dataclass(frozen=True)
class TokenFacts:
    """One token of a text. Offsets in bytes; ``characters`` are (character, its bytes in hex).

    ``unknown``: it stands for something that is not in the vocabulary, and ``token_bytes`` are those of the
    text. If it is very long, ``characters`` are those of its first ``MAX_LISTED`` bytes; ``unlisted`` bytes
    follow.
    ``shared_bytes``: how many of its bytes in the text are covered by earlier tokens, too.
    """

    encoding: str
    token_id: int
    token_bytes: bytes
    start: int
    end: int
    rank: int | None
    special: bool
    unknown: bool
    utf8: str
    piece: str | None
    characters: tuple[tuple[str, str], ...]
    elsewhere: tuple[Elsewhere, ...]
    unlisted: int
    shared_bytes: int


def token_facts(spans: Spans, index: int, others: list[Spans], *, with_piece: bool = True) -> TokenFacts:
    """The facts of token ``index``, and how the other encodings cut the same bytes.

    Args:
        spans: the tokens of the text.
        index: which of them.
        others: the same text in other encodings.
        with_piece: whether to find its piece, which needs the whole text to be split.

    >>> from tokenizers import encode_spans, get_encoding
    >>> both = [encode_spans(get_encoding(name), "Unbelievably") for name in ("cl100k_base", "gpt2")]
    >>> facts = token_facts(both[0], 1, both[1:])
    >>> facts.token_bytes, facts.rank, facts.piece, facts.elsewhere[0].covering
    (b'belie', 32898, 'Unbelievably', (6667, 11203))
    """
    encoding = spans.encoding
    token_id = spans.id_at(index)
    start = int(spans.starts[index])
    end = int(spans.ends[index])
    data = spans.bytes_of(index)
    elsewhere = []
    for other in others:
        first, after = other.overlapping(start, end)
        aligned = first < after and int(other.starts[first]) == start and int(other.ends[after - 1]) == end
        covering = tuple(other.ids[first:after].tolist())
        same = other.encoding.token_id(data)
        elsewhere.append(Elsewhere(other.encoding.name, same, covering, aligned))
    special = encoding.is_special(token_id)
    unknown = token_id == encoding.unknown_id
    token_bytes = data if special or unknown else encoding.token_bytes(token_id)
    return TokenFacts(
        encoding=encoding.name,
        token_id=token_id,
        token_bytes=token_bytes,
        start=start,
        end=end,
        rank=encoding.rank(token_id),
        special=special,
        unknown=unknown,
        utf8=utf8_state(token_bytes),
        piece=_piece_at(spans.seen, int(spans.seen.starts[index])) if with_piece and not special else None,
        characters=tuple(_characters(spans, start, min(end, start + MAX_LISTED))),
        elsewhere=tuple(elsewhere),
        unlisted=max(0, end - start - MAX_LISTED),
        shared_bytes=int(spans.shared[index]),
    )


def _piece_at(spans: Spans, offset: int) -> str | None:
    """The piece that holds this byte, or None where the walls are not known."""
    try:
        walls = spans.wall_edges
    except ValueError:
        return None
    after = bisect.bisect_right(walls, offset)
    begin = int(walls[after - 1])
    end = int(walls[after])
    return spans.text_map.data[begin:end].decode()


def _characters(spans: Spans, start: int, end: int) -> list[tuple[str, str]]:
    """The characters that have bytes in [start, end), each with those of its bytes in hex."""
    text_map = spans.text_map
    by_character = itertools.groupby(range(start, end), key=text_map.char_index)
    return [
        (text_map.text[index], bytes(text_map.data[offset] for offset in offsets).hex(" "))
        for index, offsets in by_character
    ]
