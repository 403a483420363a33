"""What most families have in common: their tokens are in a list, by id. And the simplest of them: bytes.

Every byte of UTF-8 is a token, and its value is its id. Nothing is learned, and nothing is ever lost or
unknown. What it costs is length: one token for an English letter, two for a Cyrillic one, three for a Hindi
one, four for an emoji. ByT5 reads text so.

Source: Xue et al. 2022, ByT5: Towards a token-free future with pre-trained byte-to-byte models,
arXiv:2105.13626. There the ids are shifted by 3, for its special tokens.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping

import numpy as np

from ..arrays import U32
from ..cached import cached_property
from ..encoding import AllowedSpecial, Encoding
from ..placement import Placement
from ..text.spans import Spans
from ..utf8 import well_formed


class ListedEncoding(Encoding):
    """An encoding whose tokens are a list: token i is tokens[i].

    Args:
        name: what people call it.
        tokens: the bytes of each token, by id; for the unknown token, its name; empty: no such id.
        special_tokens: text: id.
    """

    def __init__(
        self, name: str, tokens: list[bytes], special_tokens: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(name, special_tokens)
        self._tokens = tokens

    def rename(self, token_id: int, data: bytes) -> None:
        """Let a token stand for other bytes than its name."""
        self._tokens[token_id] = data

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return len(self._tokens)

    @cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become, special and unknown ones aside: id by bytes."""
        apart = {self.unknown_id, *self.special_tokens.values()}
        return {data: number for number, data in enumerate(self._tokens) if data and number not in apart}

    @cached_property
    def byte_lengths(self) -> U32:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token."""
        return np.fromiter(map(len, self._tokens), np.uint32, len(self._tokens))

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for; for the unknown token, its name.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= token_id < len(self._tokens) and self._tokens[token_id]:
            return self._tokens[token_id]
        raise self.no_such_token(token_id)

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        around = spans.around(byte_offset)
        if isinstance(around, str):
            return around
        if spans.special[list(around)].any():
            return "Here is a special token, which is taken whole."
        return self._reason_between(spans, *around, byte_offset)

    @abc.abstractmethod
    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, between these two tokens, by index, or inside of one, if both are the same."""


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
        data = np.frombuffer(well_formed(text).encode(), np.uint8)
        return Placement.of_lengths(data, np.ones_like(data))

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut at this place.

        >>> from tokenizers import encode_spans
        >>> enc = ByteEncoding()
        >>> enc.reason(encode_spans(enc, "né"), 2)
        'Every byte is a token of its own, so there is a cut here, inside of a character.'
        """
        inside = "" if spans.text_map.lead_bytes[byte_offset] else ", inside of a character"
        return f"Every byte is a token of its own, so there is a cut here{inside}."
