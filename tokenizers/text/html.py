"""Tokens in colour where HTML is drawn: in a Jupyter notebook, and in Streamlit's ``st.html``."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ..amounts import plural
from .spelling import spell_token

if TYPE_CHECKING:
    from .spans import Spans

MOST_DRAWN = 2_000
"""The most tokens of a text that are drawn: nobody can read more, and a notebook stores what it drew."""

_HUES = (140, 30, 265, 200, 340)
_LINE = "font-family:monospace;line-height:2;margin:0;overflow-wrap:anywhere"


def draw_spans(spans: Spans, title: str) -> str:
    """The tokens of a text as HTML: spelled as everywhere, with id and bytes in a tooltip.

    The colours are half transparent, and letters have the colour of their surroundings. So tokens can be read
    on light and on dark. What no token covers is struck through.

    Args:
        spans: the tokens.
        title: the encoding, as people call it.

    >>> from tokenizers import encode_spans, get_encoding
    >>> print(draw_spans(encode_spans(get_encoding("gpt2"), "a<b"), "gpt2"))
    <div style="flex:1 1 18em;margin-bottom:1em"><b>gpt2</b>: 3 tokens<p dir="auto" style="...">...</p></div>
    """
    drawn = []
    for index, data in drawn_stretches(spans):
        if index < 0:
            drawn.append(f'<s title="This belongs to no token.">{escape(spell_token(data))}</s>')
        else:
            drawn.append(_draw_token(spans, index, data))
        if data.endswith(b"\n"):
            drawn.append("<br>")
    drawn.append(count_undrawn(spans))
    head = f"<b>{escape(title)}</b>: {plural(len(spans), 'token')}"
    line = f'<p dir="auto" style="{_LINE}">{"".join(drawn)}</p>'
    return f'<div style="flex:1 1 18em;margin-bottom:1em">{head}{line}</div>'


def drawn_stretches(spans: Spans) -> Iterator[tuple[int, bytes]]:
    """What is drawn of a text: the index of a token, or -1, and bytes of the text.

    A token whose bytes all belong to tokens before it is drawn with its own.
    """
    owners, starts, ends = (each[:MOST_DRAWN].tolist() for each in spans.stretches)
    for owner, start, end in zip(owners, starts, ends, strict=True):
        data = spans.text_map.data[start:end]
        if owner >= 0 and not data:
            data = spans.encoding.token_bytes(spans.id_at(owner))
        yield owner, data


def count_undrawn(spans: Spans) -> str:
    """How many tokens are not drawn, in words; empty: all are."""
    n_left = len(spans) - 1 - int(spans.stretches[0][:MOST_DRAWN].max(initial=-1))
    return f" … and {plural(n_left, 'token')} more" if n_left else ""


def _draw_token(spans: Spans, index: int, data: bytes) -> str:
    token_id = spans.id_at(index)
    token = spans.encoding.token_bytes(token_id)
    hue = _HUES[index % len(_HUES)]
    style = f"background:hsl({hue} 75% 50% / 0.28);border-radius:3px;padding:2px 0"
    title = f"id {token_id:,}, bytes {token.hex(' ')}"
    return f'<span title="{title}" style="{style}">{escape(spell_token(data))}</span>'
