"""A SentencePiece model as a tokenizer.json, for Hugging Face's library.

**BPE.** SentencePiece joins the two neighbours whose joined piece has the best score; the library merges by
the place of a pair in a list. A piece that merges make is always made of the same two: those that are the
last two if its own text is cut. So a list of these pairs, by score, gives the same ids.

**Unigram.** Both take the most probable way, but SentencePiece sums scores in single precision, and the
library in double. So of two ways that are about equally probable, it can take the other one. And it takes the
name of the piece of a byte, such as <0x41>, for that piece.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..encoding import Encoding
from ..families import sentencepieces as sp
from ..families.huggingface_engine import describe_added
from .sentencepiece import parse_model, recognises

_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": sp.SPACE}
_BACK = {"type": "Replace", "pattern": {"String": sp.SPACE}, "content": " "}


def why_other_ids(encoding: Encoding) -> str:
    """A sentence that says which texts can get other ids from the tokenizer.json; empty: none.

    >>> from tokenizers import get_encoding
    >>> why_other_ids(get_encoding("mistral-v1")), why_other_ids(get_encoding("j2"))[:42]
    ('', 'Hugging Face’s library sums the scores of ')
    """
    if not isinstance(encoding, sp.UnigramEncoding):
        return ""
    return (
        "Hugging Face’s library sums the scores of a Unigram more precisely than SentencePiece does. So with "
        "the tokenizer.json, a text can get other ids where two ways to cut it are about equally probable, "
        "and where it spells the name of a byte’s token, such as <0x41>."
    )


def to_bytes(encoding: Encoding) -> bytes:
    """The content of a tokenizer.json of a SentencePiece model of the kind BPE or Unigram.

    Raises:
        ValueError: the format cannot say the same; says why.

    >>> from tokenizers.files.sentencepiece import from_bytes, make_model
    >>> pieces = [("<unk>", 0, sp.UNKNOWN)]
    >>> pieces += [(piece, -score, sp.NORMAL) for score, piece in enumerate(["▁", "a", "b", "ab", "▁ab"])]
    >>> model = from_bytes(make_model(pieces, model_type=sp.BPE).SerializeToString(), "small")
    >>> json.loads(to_bytes(model))["model"]["merges"]
    [['a', 'b'], ['▁', 'ab']]
    """
    saved = encoding.saved or b""
    if not isinstance(encoding, sp.SentencePieceEncoding | sp.UnigramEncoding) or not recognises(saved):
        raise ValueError("Only a SentencePiece model of the kind BPE or Unigram can be written so.")
    model = parse_model(saved)
    spec, trainer = model.normalizer_spec, model.trainer_spec
    if spec.precompiled_charsmap or spec.remove_extra_whitespaces or trainer.treat_whitespace_as_suffix:
        raise ValueError(
            "Hugging Face’s library applies this normalisation in another way, so some texts would get other "
            "ids. Train with the text as typed for one."
        )
    if set(encoding.kinds.tolist()) & {sp.USER_DEFINED, sp.UNUSED} or not spec.escape_whitespaces:
        raise ValueError(
            "It has pieces that Hugging Face’s library treats in another way: user-defined or unused ones."
        )
    unknown = encoding.pieces[encoding.kinds.tolist().index(sp.UNKNOWN)]
    content = _describe_model(encoding, unknown, has_bytes=trainer.byte_fallback)
    front: list[dict[str, Any]] = [{"type": "Prepend", "prepend": sp.SPACE}] if spec.add_dummy_prefix else []
    strip = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if spec.add_dummy_prefix else []
    decoders = [_BACK, {"type": "ByteFallback"}, {"type": "Fuse"}, *strip]
    special = [
        describe_added(token_id, piece)
        for token_id, piece in enumerate(encoding.pieces)
        if encoding.kinds[token_id] in (sp.CONTROL, sp.UNKNOWN)
    ]
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": {"type": "Sequence", "normalizers": [*front, _SPACES]},
        "pre_tokenizer": None,
        "post_processor": _describe_frame(encoding),
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": content,
    }
    return json.dumps(whole, ensure_ascii=False).encode("utf-8")


def _describe_model(encoding: sp.SentencePieces, unknown: str, *, has_bytes: bool) -> dict[str, Any]:
    """The model of a tokenizer.json.

    Args:
        encoding: of the kind BPE or Unigram.
        unknown: the name of the unknown piece.
        has_bytes: whether a character that is no piece becomes its bytes.
    """
    if isinstance(encoding, sp.SentencePieceEncoding):
        return {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": has_bytes,
            "ignore_merges": False,
            "vocab": {piece: token_id for token_id, piece in enumerate(encoding.pieces)},
            "merges": _list_merges(encoding),
        }
    vocabulary = list(zip(encoding.pieces, encoding.scores.tolist(), strict=True))
    unknown_id = encoding.pieces.index(unknown)
    return {"type": "Unigram", "unk_id": unknown_id, "vocab": vocabulary, "byte_fallback": has_bytes}


def _list_merges(encoding: sp.SentencePieceEncoding) -> list[Sequence[str]]:
    """The pairs of pieces that merge, in order.

    Raises:
        ValueError: pieces of one score, whose order is that of their places in a text; or a piece is made of
            a character that is none.
    """
    joining, pieces = encoding.joining, encoding.pieces
    if joining is None:
        raise ValueError(f"Its merges cannot be listed: {encoding.not_drawn}.")
    merges: dict[int, Sequence[str]] = {}
    for token_id, piece in enumerate(pieces):
        rank = joining.rank(token_id)
        parts = () if rank is None else joining.parts(token_id)
        if rank is None or len(parts) != 2:
            continue  # a single character, or one that merges never come to
        pair = [pieces[part] for part in parts]
        if "".join(pair) != piece:
            raise ValueError("A piece is made of a character that is no piece itself.")
        if rank in merges:
            raise ValueError(
                "Two pieces have one score: SentencePiece joins the leftmost first, and a tokenizer.json the "
                "same piece always."
            )
        merges[rank] = pair
    return [merges[rank] for rank in sorted(merges)]


def _describe_frame(encoding: Encoding) -> dict[str, Any] | None:
    """The post-processor that puts special tokens around a text; None: none does."""
    front, behind = ([encoding.token_bytes(i).decode("utf-8") for i in side] for side in encoding.frame)
    if not front and not behind:
        return None
    ids = {encoding.token_bytes(i).decode("utf-8"): i for side in encoding.frame for i in side}

    def around(text: str, type_id: int) -> list[dict[str, Any]]:
        sequence = {"Sequence": {"id": text, "type_id": type_id}}
        before, after = (
            [{"SpecialToken": {"id": token, "type_id": type_id}} for token in side]
            for side in (front, behind)
        )
        return [*before, sequence, *after]

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": [*around("A", 0), *around("B", 1)],
        "special_tokens": {
            token: {"id": token, "ids": [token_id], "tokens": [token]} for token, token_id in ids.items()
        },
    }
