"""SentencePiece: pieces of text in which ▁ stands for a space, read by Google's own library.

A space is put in front of the text, spaces become ▁, and then the text is cut, words and spaces alike: there
are no walls. **BPE** starts with single characters and joins, again and again, the two neighbours whose
joined piece has the best score. A character that is not in the vocabulary becomes its bytes, such as <0xE2>.

Source: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; https://github.com/google/sentencepiece.
"""

from __future__ import annotations

import abc
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checks import check_whole_number, check_whole_numbers
from ..data.vocabulary_files import read_vocabulary
from ..encoding import AllowedSpecial, Encoding, Ids, Losses, Placement, well_formed
from ..entry import Entry
from ..text.alignment import Normalised, align, losses_between
from ..text.spelling import quote
from .piece_merges import PieceMerges

if TYPE_CHECKING:
    from ..text.spans import Spans

SPACE = "▁"
"""What stands for a space in a piece: U+2581, the lower one eighth block."""

_NO_DUMMY_PREFIX = b"\x1a\x02\x18\x00"
"""Appended to a model's file: normalizer_spec (field 3) with add_dummy_prefix (field 3) false.

In protocol buffers, what comes later in a file overrides what came before. The space in front is put there by
us, so that a piece can also be looked at as it would stand inside of a text.
"""


class SentencePieces(Encoding):
    """What SentencePiece's kinds of models have in common.

    Two tokens may stand for the same bytes: a character and its byte, such as A and <0x41>. Encoding gives
    the character's; ``ordinary`` has that one, and ``token_bytes`` and the pages know both.

    Args:
        model: the content of a .model file.
        name: what people call it.
        newline: a control piece that stands for a line's end; None: there is none.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.
    """

    is_lossless = False  # a ▁ in the text comes back as a space
    puts_space_in_front = True

    def __init__(self, model: bytes, *, name: str, newline: str | None = None) -> None:
        try:
            import sentencepiece  # takes a tenth of a second, and few need it
        except ImportError:
            raise OSError(
                f"{name} needs the library sentencepiece, which is not installed: pip install sentencepiece"
            ) from None
        self._digest = hashlib.sha256(model).digest()
        self._processor: Any = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.load_from_serialized_proto(model + _NO_DUMMY_PREFIX)
        except RuntimeError as problem:
            raise ValueError(f"{name} is no SentencePiece model: {problem}") from None
        processor = self._processor
        self._n_vocab: int = processor.vocab_size()
        ids = list(range(self._n_vocab))
        self._pieces: list[str] = processor.id_to_piece(ids)
        self._is_byte = np.array(processor.is_byte(ids))
        self._is_control = np.array(processor.is_control(ids)) | np.array(processor.is_unknown(ids))
        # All at once, which takes a tenth of the time. No piece holds a NUL: it ends a text in SentencePiece.
        self._bytes = "\0".join(self._pieces).replace(SPACE, " ").encode("utf-8").split(b"\0")
        if len(self._bytes) != self._n_vocab:
            raise ValueError(f"A piece of {name} holds a NUL, which no SentencePiece model has.")
        for token_id in np.flatnonzero(self._is_byte).tolist():
            self._bytes[token_id] = bytes([int(self._pieces[token_id][3:-1], 16)])
        if newline is not None:
            token_id = self._pieces.index(newline)
            self._bytes[token_id] = b"\n"
            self._is_control[token_id] = False
        special = {self._pieces[token_id]: token_id for token_id in np.flatnonzero(self._is_control).tolist()}
        super().__init__(name, special)
        self._lengths = np.fromiter(map(len, self._bytes), np.int64, self._n_vocab)

    @abc.abstractmethod
    def _encode(self, text: str, in_front: bool) -> list[int]:
        """The ids of a text without special tokens, with or without the space in front."""

    @abc.abstractmethod
    def _normalise(self, text: str) -> Normalised:
        """A text without special tokens, as it is read with the space in front."""

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self._n_vocab

    @functools.cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: their bytes, and their ids. Of tokens that stand for the same
        bytes, the one that encoding gives: a character's, not its byte's."""
        in_order = [*np.flatnonzero(self._is_byte).tolist(), *np.flatnonzero(~self._is_byte).tolist()]
        is_control = self._is_control.tolist()
        return {self._bytes[token_id]: token_id for token_id in in_order if not is_control[token_id]}

    @functools.cached_property
    def byte_lengths(self) -> npt.NDArray[np.uint32]:
        """Bytes in each token, shape (n_vocab,), indexed by id: of every one, also if it never arises."""
        return self._lengths.astype(np.uint32)

    @functools.cached_property
    def scores(self) -> npt.NDArray[np.float64]:
        """The score of each piece, as its file has it, shape (n_vocab,). The best one is the highest."""
        return np.array(self._processor.get_score(list(range(self._n_vocab))))

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for, with a space for ▁.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < self._n_vocab:
            return self._bytes[token_id]
        raise self.no_such_token(token_id)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one stands; a space in front covers nothing."""
        ids: list[Ids] = []
        starts: list[npt.NDArray[np.int64]] = []
        ends: list[npt.NDArray[np.int64]] = []
        begin = 0
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            size = len(stretch.encode("utf-8"))
            if special_id is not None:
                ids.append(np.array([special_id], dtype=np.uint32))
                starts.append(np.array([begin]))
                ends.append(np.array([begin + size]))
            elif stretch:
                those = np.array(self._encode(stretch, True), dtype=np.uint32)
                places = align(self._normalise(stretch), self._lengths[those], self._is_dropped)
                ids.append(those)
                starts.append(begin + places[0])
                ends.append(begin + places[1])
            begin += size
        if not ids:
            none = np.zeros(0, dtype=np.int64)
            return Placement(np.zeros(0, dtype=np.uint32), none, none)
        return Placement(np.concatenate(ids), np.concatenate(starts), np.concatenate(ends))

    def _is_dropped(self, character: str) -> bool:
        """Whether a character alone becomes nothing."""
        return not self._processor.normalize(character)

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        return np.array(self.encode(text, allowed_special=allowed_special), dtype=np.uint32)

    def encode(self, text: str, *, allowed_special: AllowedSpecial = ()) -> list[int]:
        """The ids of ``text``; special tokens in it are plain text unless allowed."""
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            ids += self._encode(stretch, True) if special_id is None else [special_id]
        return ids

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, of texts as they would stand inside of a text: without the space in front."""
        return (self._encode(well_formed(text), False) for text in texts)

    def _strips(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """Which of these tokens are given back without the space that they begin with, shape (n,)."""
        strips = np.zeros(len(ids), dtype=np.bool_)
        plain = ~self._is_control[ids]
        first = int(plain.argmax()) if len(ids) else 0
        if first < len(ids) and plain[first]:
            strips[first] = self._bytes[int(ids[first])][:1] == b" "
        return strips

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The text of these ids in UTF-8, without what was put in front.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        checked = check_whole_numbers(ids, "ids")
        for token_id in checked:
            self.token_bytes(token_id)  # raises if there is no such id
        return self.decode_array(np.array(checked, dtype=np.uint32))

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, of ids that this encoding gave."""
        tokens = [self._bytes[token_id] for token_id in ids.tolist()]
        for index in np.flatnonzero(self._strips(ids)).tolist():
            tokens[index] = tokens[index][1:]
        return b"".join(tokens)

    def losses_in(self, text: str, placed: Placement) -> Losses:
        """The places that do not come back, such as each ▁ of the text, which becomes a space."""
        lengths = self._lengths[placed.ids] - self._strips(placed.ids)
        starts, ends = (np.asarray(places, dtype=np.int64) for places in (placed.starts, placed.ends))
        return losses_between(text.encode("utf-8"), self.decode_array(placed.ids), starts, ends, lengths)

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the family, and the model."""
        yield f"{self.family}\n".encode()
        yield self._digest

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        edge = spans.edge_in_words(byte_offset)
        if edge:
            return edge
        before, after = spans.covering(byte_offset - 1), spans.covering(byte_offset)
        if before is None or after is None:
            return f"What stands here belongs to no token: {self.name} drops it."
        ids = int(spans.ids[before]), int(spans.ids[after])
        if any(map(self.is_special, ids)):
            return "A special token is never joined with its neighbours."
        if before != after and self._is_byte[list(ids)].any():
            return (
                "A character that is not in the vocabulary stands here as its bytes, which are never joined."
            )
        return self._reason_inside(spans, before, after, byte_offset)

    @abc.abstractmethod
    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, between two tokens that are neither special nor bytes, or inside of one."""


class SentencePieceEncoding(SentencePieces):
    """A SentencePiece model of the kind BPE, with a space in front of a text.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.

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

    @functools.cached_property
    def _words(self) -> re.Pattern[str] | None:
        """Stretches that no piece reaches over, so that each is cut as it would be alone; None: no such.

        A model that was learned within words has no piece with a space after anything else, and none with a
        line's end. The engine takes a word in an instant, but a megabyte at once takes a second.
        """
        pieces = "\n".join(
            piece
            for piece, is_control in zip(self._pieces, self._is_control.tolist(), strict=True)
            if not is_control
        )
        if pieces.count("\n") != int((~self._is_control).sum()) - 1 or re.search(
            f"[^{SPACE}\n]{SPACE}", pieces
        ):
            return None
        return re.compile(r"\n| *[^ \n]+| +")

    @functools.cached_property
    def joining(self) -> PieceMerges:
        """The merges of its pieces, by score."""
        byte_ids = {self._bytes[token_id][0]: token_id for token_id in np.flatnonzero(self._is_byte).tolist()}
        is_piece = ~self._is_byte & ~self._is_control
        return PieceMerges(self._bytes, self.scores, is_piece, byte_ids, _read)

    def rank(self, token_id: int) -> int | None:
        """The place of a piece's score among all, 0 the best; None: no merge makes it."""
        self.token_bytes(token_id)  # raises if there is no such id
        return self.joining.rank(token_id)

    def _encode(self, text: str, in_front: bool) -> list[int]:
        if not text:
            return []
        source = (" " + text if in_front else text).replace(SPACE, " ")
        engine = self._processor.encode
        if self._words is None:
            whole: list[int] = engine(source)
            return whole
        ids: list[int] = []
        known: dict[str, list[int]] = {}
        for word in self._words.findall(source):
            if word not in known:
                known[word] = engine(word)
            ids += known[word]
        return ids

    def _normalise(self, text: str) -> Normalised:
        return Normalised(" " + text, [0], _read(text))

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> print(enc.reason(encode_spans(enc, "hello world"), 5))
        “o” and “·world” stay apart: “o·world” is not in the vocabulary.
        >>> print(enc.reason(encode_spans(enc, "hello world"), 8))
        No cut: “·world” is one piece, of score -1267.
        """
        left, right = int(spans.ids[before]), int(spans.ids[after])
        if before == after:
            return f"No cut: {quote(self._bytes[left])} is one piece, of score {self.scores[left]:g}."
        joined = self._bytes[left] + self._bytes[right]
        names = f"{quote(self._bytes[left])} and {quote(self._bytes[right])}"
        token_id = self.ordinary.get(joined)
        if token_id is None:
            return f"{names} stay apart: {quote(joined)} is not in the vocabulary."
        return (
            f"{quote(joined)} is in the vocabulary, with score {self.scores[token_id]:g}, but pieces of "
            f"better scores were joined before, so that {names} came to stand here."
        )


def _read(text: str) -> str:
    """A text as it is cut: with the space in front, and a space for each ▁."""
    return (" " + well_formed(text)).replace(SPACE, " ") if text else ""


def _mistral() -> SentencePieceEncoding:
    encoding = SentencePieceEncoding(read_vocabulary("mistral-v1.model", "mistral-v1"), name="mistral-v1")
    encoding.frame = (encoding.special_tokens["<s>"],), ()
    return encoding


BUNDLED = {
    "mistral-v1": Entry(
        _mistral,
        "Mistral 7B and Mixtral, of 2023; Llama 1 and 2 cut the same way. SentencePiece BPE, 32,000 pieces, "
        "of which 125 never arise: bytes whose characters are pieces too.",
        hue=19,
        group="SentencePiece",
    )
}
"""The encodings of this family that come with the app."""
