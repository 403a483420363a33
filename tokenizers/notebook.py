"""Shows a text in several encodings, side by side, in a Jupyter notebook."""

from __future__ import annotations

from dataclasses import dataclass

from .encoding import Encoding
from .registry import encoding_title, get_encoding
from .text.html import draw_spans
from .text.spans import Spans, encode_spans


@dataclass(frozen=True, slots=True)
class Shown:
    """The tokens of one text in several encodings, which a notebook draws in colour."""

    rows: tuple[Spans, ...]

    def _repr_html_(self) -> str:
        drawn = [draw_spans(spans, encoding_title(spans.encoding.name)) for spans in self.rows]
        return f'<div style="display:flex;flex-wrap:wrap;gap:0 2em">{"".join(drawn)}</div>'


def show(text: str, *encodings: str | Encoding) -> Shown:
    """The tokens of a text in encodings, to be the last line of a notebook's cell.

    Args:
        text: the text.
        encodings: their names, or the encodings themselves; without any, gpt2 and o200k_base.

    Raises:
        ValueError, OSError: there is no such encoding, or it does not take the text.

    >>> [len(spans) for spans in show("Tokenization, unbelievably!", "gpt2", "cl100k_base").rows]
    [5, 6]
    """
    chosen = encodings or ("gpt2", "o200k_base")
    loaded = [each if isinstance(each, Encoding) else get_encoding(each) for each in chosen]
    return Shown(tuple(encode_spans(encoding, text) for encoding in loaded))
