"""What the families of this room have in common: their tokens are in a list, by id."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence

from ..checks import check_string, check_whole_number
from ..encoding import Encoding
from ..lazily import once
from ..text.spans import Spans


class ListedEncoding(Encoding):
    """An encoding whose tokens are a list: token i is tokens[i].

    Args:
        name: what people call it.
        tokens: the bytes of each token; for the unknown token, its name.

    Attributes:
        file: the content of the file that it was read from; None: it came from none.
    """

    file: bytes | None = None

    def __init__(self, name: str, tokens: Sequence[bytes]) -> None:
        super().__init__(check_string(name, "name"))
        self._tokens = tokens

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return len(self._tokens)

    @property
    def saved(self) -> bytes | None:
        """The content of the file that it was read from; None: it came from none."""
        return self.file

    @once
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become, [UNK] aside: their bytes, and their ids."""
        return {data: token_id for token_id, data in enumerate(self._tokens) if token_id != self.unknown_id}

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for; for the unknown token, its name.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < len(self._tokens):
            return self._tokens[token_id]
        raise self.no_such_token(token_id)

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        return spans.edge_in_words(byte_offset) or self._reason_inside(spans, byte_offset)

    @abc.abstractmethod
    def _reason_inside(self, spans: Spans, byte_offset: int) -> str:
        """As ``reason``, of a place with text on either side."""
