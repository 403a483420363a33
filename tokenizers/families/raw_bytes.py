"""Bytes: every byte of UTF-8 is a token, and its value is its id.

Nothing is learned, and nothing is ever lost or unknown. What it costs is length: one token for an English
letter, two for a Cyrillic one, three for a Hindi one, four for an emoji. ByT5 reads text so.

Source: Xue et al. 2022, ByT5: Towards a token-free future with pre-trained byte-to-byte models,
arXiv:2105.13626. There the ids are shifted by 3, for its special tokens.
"""

from __future__ import annotations

import numpy as np

from ..encoding import AllowedSpecial
from ..placement import Placement
from ..text.spans import Spans
from ..utf8 import well_formed
from .listed import ListedEncoding


class ByteEncoding(ListedEncoding):
    """Every byte is a token.

    >>> enc = ByteEncoding()
    >>> enc.encode("né"), enc.decode([110, 195, 169])
    ([110, 195, 169], 'né')
    """

    family = "bytes"

    def __init__(self, name: str = "bytes") -> None:
        super().__init__(name, [bytes([value]) for value in range(256)])

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The bytes of ``text``, one after the other."""
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        data = np.frombuffer(well_formed(text).encode("utf-8"), dtype=np.uint8)
        edges = np.arange(len(data) + 1)
        return Placement(data.astype(np.uint32), edges[:-1], edges[1:])

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut at this place.

        >>> from tokenizers import encode_spans
        >>> enc = ByteEncoding()
        >>> enc.reason(encode_spans(enc, "né"), 2)
        'Every byte is a token of its own, so there is a cut here, inside of a character.'
        """
        inside = "" if spans.text_map.begins_character(byte_offset) else ", inside of a character"
        return f"Every byte is a token of its own, so there is a cut here{inside}."
