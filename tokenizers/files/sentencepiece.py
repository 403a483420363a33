"""SentencePiece's .model files, of all four kinds, as its own library reads them.

``to_bytes`` writes a byte-level BPE as such a file, if SentencePiece gives each text the same ids.

What a file asks for is done: its normaliser, the space in front or none, its unknown piece or its bytes, its
user-defined symbols. What could not be shown exactly is refused with the reason.

A file is a message of protocol buffers; the package sentencepiece ships its format as
``sentencepiece_model_pb2``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..bpe.home import HomeEncoding
from ..families import sentencepieces as sp
from ..shipped import require
from ..text.spelling import quote
from ..utf8 import text_of

_KINDS: dict[int, type[sp.SentencePieces]] = {
    sp.BPE: sp.SentencePieceEncoding,
    sp.UNIGRAM: sp.UnigramEncoding,
    sp.CHAR: sp.SentencePieceCharacters,
    sp.WORD: sp.SentencePieceWords,
}


def recognises(data: bytes) -> bool:
    """Whether the first bytes are those of a SentencePiece model: a piece that begins with its name.

    >>> recognises(b"\\x0a\\x0e\\x0a\\x05<unk>\\x15\\0\\0\\0\\0\\x18\\x02"), recognises(b"minbpe v1\\n")
    (True, False)
    """
    if len(data) < 5 or data[0] != 0x0A:
        return False
    at = 2 + (data[1] >= 0x80)  # a longer piece has its length in two bytes
    longest = data[1] - 2 + 0x80 * 0x7F * (data[1] >= 0x80)  # of its name
    return data[at] == 0x0A and 0 < data[at + 1] <= longest


def from_bytes(data: bytes, name: str) -> sp.SentencePieces:
    """The encoding that the content of a .model file describes.

    Args:
        data: the content.
        name: what to call the encoding.

    Raises:
        ValueError: no SentencePiece model, a damaged one, or one that cannot be shown exactly; says why.
        OSError: SentencePiece's library is not installed.

    >>> pieces = [("<unk>", 0, sp.UNKNOWN), ("<s>", 0, sp.CONTROL)]
    >>> pieces += [(piece, -score, 1) for score, piece in enumerate(["▁", "a", "b", "ab"])]
    >>> enc = from_bytes(make_model(pieces, model_type=sp.BPE).SerializeToString(), "small")
    >>> enc.encode("ab cab"), enc.decode([2, 5, 2, 0, 5])
    ([2, 5, 2, 0, 5], 'ab  ⁇ ab')
    >>> from_bytes(b"{}", "other")
    Traceback (most recent call last):
    ...
    ValueError: It is not a complete SentencePiece model: the file was cut off, or is of another kind.
    """
    model = parse_model(data)
    check_model(model)
    encoding = _KINDS[model.trainer_spec.model_type](model, name=name)
    encoding.keep_file(data)
    return encoding


def parse_model(data: bytes) -> Any:
    """The content of a .model file, as the library's ``ModelProto``.

    Raises:
        OSError: SentencePiece's library is not installed.
        ValueError: it is no SentencePiece model, or was cut off.
    """
    proto = require("sentencepiece.sentencepiece_model_pb2")
    try:
        return proto.ModelProto.FromString(data)
    except Exception:  # google.protobuf.message.DecodeError
        raise ValueError(
            "It is not a complete SentencePiece model: the file was cut off, or is of another kind."
        ) from None


def check_model(model: Any) -> None:
    """Refuse a model that its library takes, and whose ids or places could not be shown exactly.

    Raises:
        ValueError: says why.
    """
    if model.denormalizer_spec.precompiled_charsmap:
        raise ValueError(
            "It rewrites text when it decodes (denormalizer_spec), which is not supported here. Train or "
            "save it without denormalization_rule_tsv."
        )
    has_ordinary = any(piece.type not in (sp.UNKNOWN, sp.CONTROL) for piece in model.pieces)
    for piece in model.pieces:
        if not isinstance(piece.piece, str):  # bytes
            raise ValueError("A piece is not UTF-8 text: the file is damaged.")
        if not math.isfinite(piece.score):
            raise ValueError(
                f"Its piece {piece.piece!r:.80} has a score that is not a number. Save it again."
            )
    if not has_ordinary:
        raise ValueError("It has no pieces that occur in text.")


def make_model(
    pieces: Iterable[tuple[str, float, int]],
    *,
    model_type: int,
    byte_fallback: bool = False,
    charsmap: bytes = b"",
    rule: str = "identity",
    adds_space: bool = True,
    removes_spaces: bool = False,
) -> Any:
    """A ``ModelProto``.

    Args:
        pieces: of each piece its name, score and kind, by id.
        model_type: the kind of model.
        byte_fallback: whether a character that is no piece becomes its bytes.
        charsmap: the normaliser's compiled table; empty: none.
        rule: what to call the normaliser's rules.
        adds_space: whether a space is put in front of a text.
        removes_spaces: whether white space is trimmed, and several spaces become one.
    """
    model = require("sentencepiece.sentencepiece_model_pb2").ModelProto()
    for name, score, kind in pieces:
        model.pieces.add(piece=name, score=score, type=kind)
    model.trainer_spec.model_type, model.trainer_spec.byte_fallback = model_type, byte_fallback
    normaliser = model.normalizer_spec
    normaliser.name, normaliser.precompiled_charsmap = rule, charsmap
    normaliser.add_dummy_prefix, normaliser.remove_extra_whitespaces = adds_space, removes_spaces
    return model


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of a SentencePiece .model of a byte-level BPE.

    SentencePiece joins characters by the score of the joined piece, without walls. A character without a
    piece becomes its bytes, whose pieces have the ids of the bytes here. So merges give the same ids if no
    pattern splits a text, each token is whole characters, and each is made of its own text.

    Raises:
        ValueError: some text would get other ids; says why.
        OSError: SentencePiece's library is not installed.

    >>> len(parse_model(to_bytes(HomeEncoding([(104, 105)], pattern=None))).pieces)
    258
    >>> to_bytes(HomeEncoding([(104, 105)], "gpt4"))
    Traceback (most recent call last):
    ...
    ValueError: SentencePiece has no split pattern: it would also join tokens across the walls of this one.
    """
    if encoding.pattern is not None:
        raise ValueError(
            "SentencePiece has no split pattern: it would also join tokens across the walls of this one."
        )
    learned = [encoding.token_bytes(token_id) for token_id in range(256, 256 + len(encoding.merges))]
    texts = list(map(text_of, learned))
    if parts := [token for token, text in zip(learned, texts, strict=True) if text is None]:
        raise ValueError(
            f"SentencePiece joins whole characters, and {len(parts):,} of these tokens end inside of one, "
            f"such as {quote(parts[0])}."
        )
    made = encoding.encode_each(text or "" for text in texts)
    if any(ids != [token_id] for token_id, ids in enumerate(made, 256)):
        raise ValueError("SentencePiece would make a token that merges alone do not make here.")
    rows = [(f"<0x{byte:02X}>", 0.0, sp.BYTE) for byte in range(256)]
    rows += [(text or "", -float(rank), sp.NORMAL) for rank, text in enumerate(texts)]
    special = {token_id: name for name, token_id in encoding.special_tokens.items()}
    for token_id in range(len(rows), encoding.n_vocab):
        name = special.get(token_id, f"<unused_{token_id}>")
        rows.append((name, 0.0, sp.UNKNOWN if name == _UNKNOWN else sp.CONTROL))
    if _UNKNOWN not in special.values():
        rows.append((_UNKNOWN, 0.0, sp.UNKNOWN))  # each model has one; no text becomes it
    if any("\0" in name for name, _, _ in rows):
        raise ValueError("SentencePiece takes no token with the character U+0000 in it.")
    if len({name for name, _, _ in rows}) < len(rows):
        raise ValueError("Two of its tokens have one name in SentencePiece. Rename the special token.")
    model = make_model(rows, model_type=sp.BPE, byte_fallback=True, adds_space=False)
    model.normalizer_spec.escape_whitespaces = False
    data: bytes = model.SerializeToString()
    return data


_UNKNOWN = "<unk>"
