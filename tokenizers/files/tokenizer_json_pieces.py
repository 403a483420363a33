"""A SentencePiece model as a tokenizer.json, for Hugging Face's library.

**BPE.** SentencePiece joins the two neighbours whose joined piece has the best score; the library merges by
the place of a pair in a list. A piece that merges make is always made of the same two: those that are the
last two if its own text is cut. So a list of these pairs, by score, gives the same ids.

**Unigram.** Both take the most probable way, but SentencePiece sums scores in single precision, and the
library in double. So of two ways that are about equally probable, it can take the other one. And it takes the
name of the piece of a byte, such as <0x41>, for that piece.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..encoding import Encoding
from ..families import sentencepieces as sp
from ..families.huggingface_engine import (
    SPACE_IN_FRONT,
    SPACES_TO_MARKS,
    describe_added,
    describe_decoder,
)
from ..json_types import JsonObject, json_bytes
from ..numbered import numbered
from .sentencepiece import parse_model, recognises
from .tokenizer_json import describe_pairs


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
        "and where it spells a special token or the name of a byte’s token, such as <0x41>."
    )


def to_bytes(encoding: Encoding) -> bytes:
    """The content of a tokenizer.json of a SentencePiece model of the kind BPE or Unigram.

    Raises:
        ValueError: the format cannot say the same; says why.

    >>> import json
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
    unknown_id = encoding.kinds.tolist().index(sp.UNKNOWN)
    special = [
        describe_added(token_id, piece)
        for token_id, piece in enumerate(encoding.pieces)
        if encoding.kinds[token_id] in (sp.CONTROL, sp.UNKNOWN)
    ]
    content = describe_pairs({}, [], special, [])
    if isinstance(encoding, sp.SentencePieceEncoding):
        ids = numbered(encoding.pieces)
        content["model"] |= {"vocab": ids, "merges": _list_merges(encoding)}
        content["model"] |= {"unk_token": encoding.pieces[unknown_id], "fuse_unk": True}
    else:
        vocabulary = list(zip(encoding.pieces, encoding.scores.tolist(), strict=True))
        content["model"] = {"type": "Unigram", "unk_id": unknown_id, "vocab": vocabulary}
    content["model"]["byte_fallback"] = trainer.byte_fallback
    marks = [SPACE_IN_FRONT, SPACES_TO_MARKS] if spec.add_dummy_prefix else [SPACES_TO_MARKS]
    content["normalizer"] = {"type": "Sequence", "normalizers": marks}
    content["pre_tokenizer"] = None
    content["post_processor"] = _describe_frame(encoding)
    content["decoder"] = describe_decoder(has_marks=True, strips_space=spec.add_dummy_prefix)
    return json_bytes(content)


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
        rank, parts = joining.rank(token_id), joining.parts(token_id)
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


def _describe_frame(encoding: Encoding) -> JsonObject | None:
    """The post-processor that puts special tokens around a text; None: none does."""
    front, behind = encoding.frame
    if not front and not behind:
        return None
    names = {token_id: encoding.token_bytes(token_id).decode() for token_id in (*front, *behind)}

    def around(text: str, type_id: int) -> list[JsonObject]:
        return [
            *({"SpecialToken": {"id": names[token_id], "type_id": type_id}} for token_id in front),
            {"Sequence": {"id": text, "type_id": type_id}},
            *({"SpecialToken": {"id": names[token_id], "type_id": type_id}} for token_id in behind),
        ]

    return {
        "type": "TemplateProcessing",
        "single": around("A", 0),
        "pair": [*around("A", 0), *around("B", 1)],
        "special_tokens": {
            name: {"id": name, "ids": [token_id], "tokens": [name]} for token_id, name in names.items()
        },
    }
