"""SentencePiece's .model files, of all four kinds, as its own library reads them.

What a file asks for is done: its normaliser, the space in front or none, its unknown piece or its bytes, its
user-defined symbols. What the library could not show exactly is refused with the reason.
"""

from __future__ import annotations

from typing import Any

from ..families.sentencepieces import (
    SentencePieceCharacters,
    SentencePieceEncoding,
    SentencePieces,
    SentencePieceWords,
    sentencepiece_library,
)
from ..families.unigram import UnigramEncoding
from .sentencepiece_proto import BPE, CHAR, UNIGRAM, WORD, read_model

_KINDS: dict[int, type[SentencePieces]] = {
    BPE: SentencePieceEncoding,
    UNIGRAM: UnigramEncoding,
    CHAR: SentencePieceCharacters,
    WORD: SentencePieceWords,
}


def recognises(data: bytes) -> bool:
    """Whether the first bytes are those of a SentencePiece model: a piece that begins with its name.

    >>> recognises(b"\\x0a\\x0e\\x0a\\x05<unk>\\x15\\0\\0\\0\\0\\x18\\x02"), recognises(b"minbpe v1\\n")
    (True, False)
    """
    if len(data) < 5 or data[0] != 0x0A:
        return False
    at = 2 + (data[1] >= 0x80)  # a longer piece has its length in two bytes
    return data[at] == 0x0A and 0 < data[at + 1] <= data[1] + 0x80 * 0x7F * (data[1] >= 0x80)


def from_bytes(data: bytes, name: str) -> SentencePieces:
    """The encoding that the content of a .model file describes.

    Args:
        data: the content.
        name: what to call the encoding.

    Raises:
        ValueError: no SentencePiece model, a damaged one, or one that cannot be shown exactly; says why.
        OSError: SentencePiece's library is not installed.

    >>> from tokenizers.files.sentencepiece_proto import CONTROL, NORMAL, UNKNOWN, write_model
    >>> names, scores = ["<unk>", "<s>", "▁", "a", "b", "ab"], [0, 0, -1, -2, -3, -4]
    >>> model = write_model(names, scores, [UNKNOWN, CONTROL, *[NORMAL] * 4], kind=BPE)
    >>> enc = from_bytes(model, "small")
    >>> enc.encode("ab cab"), enc.decode([2, 5, 2, 0, 5])
    ([2, 5, 2, 0, 5], 'ab  ⁇ ab')
    >>> from_bytes(b"{}", "other")
    Traceback (most recent call last):
    ...
    ValueError: It is no complete SentencePiece model: the file was cut off, or is of another kind.
    """
    file = read_model(data)
    encoding = _KINDS[file.kind](parse_model(data), name=name)
    encoding.file = data
    return encoding


def parse_model(data: bytes) -> Any:
    """The content of a .model file that was checked, in the library's own format.

    Raises:
        OSError: SentencePiece's library is not installed.
    """
    return sentencepiece_library().sentencepiece_model_pb2.ModelProto.FromString(data)
