"""Bytes: every byte of UTF-8 is a token, and its value is its id.

Nothing is learned, and nothing is ever lost or unknown. What it costs is length: one token for an English
letter, two for a Cyrillic one, three for a Hindi one, four for an emoji. ByT5 reads text so.

Source: Xue et al. 2022, ByT5: Towards a token-free future with pre-trained byte-to-byte models,
arXiv:2105.13626. There the ids are shifted by 3, for its special tokens.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import numpy as np

from ..checks import check_string, check_whole_number, check_whole_numbers
from ..encoding import AllowedSpecial, Encoding, Ids, Placement, well_formed
from ..entry import Entry
from ..text.spans import Spans
from .reasons import at_edge, check_place


class ByteEncoding(Encoding):
    """Every byte is a token.

    >>> enc = ByteEncoding()
    >>> enc.encode("né"), enc.decode([110, 195, 169])
    ([110, 195, 169], 'né')
    """

    family = "bytes"

    def __init__(self, name: str = "bytes") -> None:
        super().__init__(check_string(name, "name"))

    @property
    def n_vocab(self) -> int:
        """The 256 bytes."""
        return 256

    @functools.cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """Every byte, and its value."""
        return {bytes([value]): value for value in range(256)}

    def token_bytes(self, token_id: int) -> bytes:
        """The byte of this value.

        Raises:
            ValueError: no byte has it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < 256:
            return bytes([token_id])
        raise self.no_such_token(token_id)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The bytes of ``text``, one after the other."""
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        data = np.frombuffer(well_formed(text).encode("utf-8"), dtype=np.uint8)
        edges = np.arange(len(data) + 1)
        return Placement(data.astype(np.uint32), edges[:-1], edges[1:])

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of these values.

        Raises:
            ValueError: an id that is no byte's; names it.
        """
        ids = check_whole_numbers(ids, "ids")
        try:
            return bytes(ids)
        except ValueError:
            return b"".join(map(self.token_bytes, ids))  # names the id that is at fault

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, of ids that this encoding gave."""
        return ids.astype(np.uint8).tobytes()

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import encode_spans
        >>> enc = ByteEncoding()
        >>> enc.reason(encode_spans(enc, "né"), 2)
        'Every byte is a token of its own, so a cut stands here, inside of a character.'
        """
        check_place(spans, byte_offset)
        edge = at_edge(spans, byte_offset)
        if edge:
            return edge
        inside = "" if spans.text_map.begins_character(byte_offset) else ", inside of a character"
        return f"Every byte is a token of its own, so a cut stands here{inside}."


BUNDLED = {
    "bytes": Entry(
        ByteEncoding, "Every byte of UTF-8 is a token: nothing is learned, and nothing is ever lost.", hue=13
    )
}
"""The encodings of this family that come with the app."""
