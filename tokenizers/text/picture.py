"""Tokens in colour to take along: as a picture (SVG), or as text (HTML) that can be selected."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from ..amounts import plural
from .html import count_undrawn, draw_spans, drawn_stretches
from .spans import Spans
from .spelling import spell_token
from .text_map import TextMap

COLUMNS = 80
"""Letters in a line. A wide one, as of Chinese, takes two columns."""

_CELL = 9.6  # pixels of a column, for letters of 16 pixels
_LINE = 30  # pixels from line to line
_EDGE = 20  # pixels around all


class Look(NamedTuple):
    """The colours of a picture. Those of the tokens are ``--t0`` to ``--t7`` of theme.css, in sRGB."""

    paper: str
    ink: str
    soft: str
    tokens: tuple[str, ...]


LIGHT = Look(
    paper="#fcfcf9",
    ink="#1c211e",
    soft="#5b655f",
    tokens=("#ffcdc7", "#bfecff", "#c4f2cc", "#f7e8af", "#e7d5ff", "#bbf1f0", "#ffd7b9", "#fccfe7"),
)
DARK = Look(
    paper="#121614",
    ink="#e9ede9",
    soft="#9aa59f",
    tokens=("#6c3531", "#244b6b", "#265331", "#594c1a", "#523b6c", "#185454", "#693e1f", "#663551"),
)


class Piece(NamedTuple):
    """A token in a picture, or a part of one that is longer than a line.

    Attributes:
        words: what it says.
        width: in columns.
        colour: its place in ``Look.tokens``; None: it is no token.
    """

    words: str
    width: int
    colour: int | None


def draw_picture(many: Sequence[tuple[str, Spans]], look: Look = LIGHT) -> str:
    """The tokens of a text in several encodings, one below the other, as SVG.

    Each token is stretched to its place, so that every font of equal widths will do.

    Args:
        many: the encodings, as people call them, and the tokens.
        look: ``LIGHT`` or ``DARK``.

    >>> import re
    >>> from tokenizers import encode_spans, get_encoding
    >>> picture = draw_picture([("GPT-2", encode_spans(get_encoding("gpt2"), "a <b>"))])
    >>> picture[:4], picture.count("<rect"), "·&lt;" in picture
    ('<svg', 5, True)
    >>> two_lines = draw_picture([("GPT-2", encode_spans(get_encoding("gpt2"), "a <b>\\nc"))])
    >>> re.findall('<rect x=".+?" y="(.+?)"', two_lines)
    ['50', '50', '50', '50', '50', '80']
    """
    drawn: list[str] = []
    y = _EDGE
    for title, spans in many:
        y += _LINE
        count = plural(len(spans), "token")
        drawn.append(
            f'<text x="{_EDGE}" y="{y - 10}" font-family="sans-serif"><tspan font-weight="bold">'
            f'{escape(title)}</tspan><tspan fill="{look.soft}" dx="10">{count}</tspan></text>'
        )
        from_right = _begins_right_to_left(spans.text_map.text)
        for line in _lines_of(spans):
            drawn += _draw_line(line, y, look, from_right=from_right)
            y += _LINE
        y += _LINE // 2
    width = round(2 * _EDGE + COLUMNS * _CELL)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" '
        f'font-size="16" font-family="ui-monospace, Menlo, Consolas, monospace" fill="{look.ink}">'
        f'<rect width="{width}" height="{y}" fill="{look.paper}"/>{"".join(drawn)}</svg>\n'
    )


def draw_coloured_text(many: Sequence[tuple[str, Spans]], look: Look = LIGHT) -> str:
    """The tokens of a text in several encodings, one below the other, as a page of HTML.

    Args:
        many: the encodings, as people call them, and the tokens.
        look: ``LIGHT`` or ``DARK``.

    >>> from tokenizers import encode_spans, get_encoding
    >>> page = draw_coloured_text([("GPT-2", encode_spans(get_encoding("gpt2"), "a <b>"))])
    >>> page.count("<span"), "·&lt;</span>" in page
    (4, True)
    """
    drawn = "\n".join(draw_spans(spans, title) for title, spans in many)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Tokens</title>\n'
        f"<style>body {{ background: {look.paper}; color: {look.ink}; font-family: sans-serif; }}</style>\n"
        f"{drawn}\n"
    )


def _begins_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is written from right to left, as browsers decide it.

    >>> _begins_right_to_left("1. \\u05d0 a"), _begins_right_to_left("a \\u05d0")
    (True, False)
    """
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def _draw_line(line: Sequence[Piece], y: int, look: Look, *, from_right: bool) -> Iterator[str]:
    at = 0
    for words, width, colour in line:
        left = _EDGE + _CELL * (COLUMNS - at - width if from_right else at)
        at += width
        box = f'x="{left:.1f}" y="{y}" width="{width * _CELL - 1:.1f}"'
        if colour is not None:
            yield f'<rect {box} height="{_LINE - 6}" rx="3" fill="{look.tokens[colour]}"/>'
        stretched = f'textLength="{width * _CELL - 1:.1f}" lengthAdjust="spacingAndGlyphs"'
        yield f'<text x="{left:.1f}" y="{y + 17}" {stretched}>{escape(words)}</text>'


def _lines_of(spans: Spans) -> Iterator[list[Piece]]:
    """The tokens, in lines of up to ``COLUMNS``; a line of the text ends a line, too."""
    line: list[Piece] = []
    room = COLUMNS
    for piece, ends_line in _pieces_of(spans):
        if piece.width > room:
            yield line
            line = []
            room = COLUMNS
        line.append(piece)
        room -= piece.width
        if ends_line:
            yield line
            line = []
            room = COLUMNS
    if line:
        yield line


def _pieces_of(spans: Spans) -> Iterator[tuple[Piece, bool]]:
    """The pieces, and whether a line of the text ends after each."""
    colour: int | None = None
    for index, data in drawn_stretches(spans):
        colour = _colour_of(spans.id_at(index), colour) if index >= 0 else None
        parts = list(_cut(spell_token(data)))
        for number, (words, width) in enumerate(parts, 1):
            yield Piece(words, width, colour), number == len(parts) and data.endswith(b"\n")
    if left := count_undrawn(spans):
        yield Piece(left, len(left), None), False


def _colour_of(token_id: int, neighbour: int | None) -> int:
    """As ``colourBeside`` in the app's colours.js: by the id, and other than the neighbour's."""
    colour = ((token_id + 1) * 0x9E3779B1 & 0xFFFFFFFF) >> 29
    return (colour + 3) % 8 if colour == neighbour else colour


def _cut(words: str) -> Iterator[tuple[str, int]]:
    """Words in parts of up to a line, with their widths in columns.

    >>> list(_cut("a日")), [width for _, width in _cut("x" * 100)]
    ([('a日', 3)], [80, 20])
    """
    text_map = TextMap(words)
    part = ""
    width = 0
    for start, end in text_map.cells(0, text_map.n_bytes):
        grapheme = text_map.data[start:end].decode()
        columns = 2 if unicodedata.east_asian_width(grapheme[0]) in "WF" else 1
        if width + columns > COLUMNS:
            yield part, width
            part = ""
            width = 0
        part += grapheme
        width += columns
    yield part, max(1, width)
