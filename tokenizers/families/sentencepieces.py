"""SentencePiece: pieces of text in which ▁ stands for a space, read by Google's own library.

A ▁ is put in front of the text, spaces become ▁, and then the text is cut, words and spaces alike: there are
no walls. **BPE** starts with single characters and joins, again and again, the two neighbours whose joined
piece has the best score. A character that is not in the vocabulary becomes its bytes, <0xE2> and so on.

Source: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; https://github.com/google/sentencepiece.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bundled.vocabulary_files import read_vocabulary
from ..checks import check_whole_number, check_whole_numbers
from ..encoding import AllowedSpecial, Encoding, Ids, Losses, Placement, well_formed
from ..entry import Entry
from ..text.spelling import quote

if TYPE_CHECKING:
    from ..text.spans import Spans

SPACE = "▁"
"""What stands for a space in a piece: U+2581, the lower one eighth block."""


class SentencePieceEncoding(Encoding):
    """A SentencePiece model, of the kind BPE.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        ValueError: the model is damaged.

    A space that is put in front is a token's beginning that covers nothing of the text:

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("mistral-v1")
    >>> placed = enc.place("hello world")
    >>> [enc.token_bytes(token_id) for token_id in placed.ids], placed.ends.tolist()
    ([b' hell', b'o', b' world'], [4, 5, 11])
    >>> enc.decode(placed.ids.tolist())
    'hello world'
    """

    family = "SentencePiece BPE"
    is_lossless = False  # a ▁ in the text comes back as a space

    def __init__(self, model: bytes, *, name: str) -> None:
        import sentencepiece  # takes a tenth of a second, and few need it

        self._processor: Any = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.load_from_serialized_proto(model)
        except RuntimeError as problem:
            raise ValueError(f"{name} is no SentencePiece model: {problem}") from None
        processor = self._processor
        self._n_vocab: int = processor.vocab_size()
        ids = range(self._n_vocab)
        self._pieces: list[str] = processor.id_to_piece(list(ids))
        special = {self._pieces[i]: i for i in ids if processor.is_control(i) or processor.is_unknown(i)}
        super().__init__(name, special)
        self._is_byte = np.array([processor.is_byte(i) for i in ids])
        self._bytes = [
            bytes([int(piece[3:-1], 16)]) if is_byte else piece.replace(SPACE, " ").encode("utf-8")
            for piece, is_byte in zip(self._pieces, self._is_byte.tolist(), strict=True)
        ]

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self._n_vocab

    @functools.cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: their bytes, and their ids. Of a character and its byte, which
        stand for the same, the character."""
        special = set(self.special_tokens.values())
        in_order = [*np.flatnonzero(self._is_byte).tolist(), *np.flatnonzero(~self._is_byte).tolist()]
        return {self._bytes[token_id]: token_id for token_id in in_order if token_id not in special}

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for, with a space for ▁.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < self._n_vocab:
            return self._bytes[token_id]
        raise self.no_such_token(token_id)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one stands; the space in front covers nothing."""
        ids: list[int] = []
        edges: list[tuple[int, int]] = []
        begin = 0
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            data = stretch.encode("utf-8")
            if special_id is not None:
                ids.append(special_id)
                edges.append((begin, begin + len(data)))
            elif data:
                for token_id, start, end in self._pieces_of(stretch, data):
                    ids.append(token_id)
                    edges.append((begin + start, begin + end))
            begin += len(data)
        places = np.array(edges, dtype=np.int64).reshape(-1, 2)
        return Placement(np.array(ids, dtype=np.uint32), places[:, 0], places[:, 1])

    def _pieces_of(self, text: str, data: bytes) -> Iterator[tuple[int, int, int]]:
        """The pieces of a text without special tokens: the id, and the bytes that it covers."""
        pieces = self._processor.encode(text, return_type="proto").pieces
        group: list[int] = []  # byte pieces of one character: the library lets the last cover all of it
        for piece in pieces:
            if not self._is_byte[piece.id]:
                yield piece.id, piece.begin, piece.end
                continue
            group.append(piece.id)
            if piece.end > piece.begin:
                exact = b"".join(map(self._bytes.__getitem__, group)) == data[piece.begin : piece.end]
                for number, token_id in enumerate(group):
                    start = piece.begin + number if exact else piece.begin
                    yield token_id, start, start + 1 if exact else piece.end
                group = []

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            ids += [special_id] if special_id is not None else self._processor.encode(stretch)
        return np.array(ids, dtype=np.uint32)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The text of these ids in UTF-8, without the space in front.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        joined = b"".join(map(self.token_bytes, check_whole_numbers(ids, "ids")))
        return joined.removeprefix(b" ")

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, of ids that this encoding gave."""
        return b"".join(map(self._bytes.__getitem__, ids.tolist())).removeprefix(b" ")

    def losses_in(self, text: str, placed: Placement) -> Losses:
        """The places that do not come back: each ▁ of the text, which becomes a space."""
        starts = [len(text[:at].encode("utf-8")) for at, char in enumerate(text) if char == SPACE]
        size = len(SPACE.encode("utf-8"))
        return Losses(starts, [start + size for start in starts], [0] * len(starts), (" ",))

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> print(enc.reason(encode_spans(enc, "hello world"), 5))
        “o” and “·world” stay apart: “o·world” is not in the vocabulary.
        >>> print(enc.reason(encode_spans(enc, "hello world"), 8))
        No cut: “·world” is one piece, of score -1267.
        """
        spans.check_place(byte_offset)
        n_bytes = spans.text_map.n_bytes
        if not n_bytes:
            return "The text is empty."
        if byte_offset in (0, n_bytes):
            return f"The text {'ends' if byte_offset else 'begins'} here."
        before, after = spans.covering(byte_offset - 1), spans.covering(byte_offset)
        if before is None or after is None:
            return "What stands here belongs to no token."
        left, right = int(spans.ids[before]), int(spans.ids[after])
        if before == after:
            return f"No cut: {quote(self._bytes[left])} is one piece, of score {self._score(left)}."
        if self.is_special(left) or self.is_special(right):
            return "A special token is never joined with its neighbours."
        if self._is_byte[left] or self._is_byte[right]:
            return (
                "A character that is not in the vocabulary stands here as its bytes, which are never joined."
            )
        joined = self._bytes[left] + self._bytes[right]
        names = f"{quote(self._bytes[left])} and {quote(self._bytes[right])}"
        token_id = self.ordinary.get(joined)
        if token_id is None:
            return f"{names} stay apart: {quote(joined)} is not in the vocabulary."
        return (
            f"{quote(joined)} is in the vocabulary, with score {self._score(token_id)}, but pieces of better "
            f"scores were joined before, so that {names} came to stand here."
        )

    def _score(self, token_id: int) -> str:
        """A piece's score, as its file has it: the higher, the sooner it is made."""
        return f"{self._processor.get_score(token_id):g}"


def _mistral() -> SentencePieceEncoding:
    return SentencePieceEncoding(read_vocabulary("mistral-v1.model", "mistral-v1"), name="mistral-v1")


BUNDLED = {
    "mistral-v1": Entry(
        _mistral,
        "Mistral 7B and Mixtral, of 2023; Llama 1 and 2 cut the same way. SentencePiece BPE, 32,000 pieces, of "
        "which 125 never arise: bytes whose characters are pieces too.",
        hue=19,
        group="SentencePiece",
    )
}
"""The encodings of this family that come with the app."""
