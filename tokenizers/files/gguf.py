"""The tokenizer in a .gguf file, llama.cpp's format of models; only the file's header is read.

The header names the kind of tokenizer (``tokenizer.ggml.model``) and lists its tokens. It does not hold the
rest of the publisher's pipeline:

llama       SentencePiece BPE by scores: the same engine as for a .model file; a normaliser is not listed
t5          SentencePiece Unigram, with its normaliser's table
bert        WordPiece, as BERT's in small letters cuts: whether capitals are kept is not listed
rwkv        longest match
gpt2        byte-level BPE; its pre-tokeniser is a name (``gguf_pairs.py`` knows what each stands for)

A name that is not known here is refused, never guessed.

Source: llama.cpp, src/llama-vocab.cpp and convert_hf_to_gguf.py.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..encoding import Encoding
from ..families.characters import UNKNOWN as UNKNOWN_WORD
from ..families.listed import ListedEncoding
from ..families.longest_match import LongestMatchEncoding
from ..families.sentencepieces import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    SPACE,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    SentencePieceEncoding,
    UnigramEncoding,
)
from ..families.wordpiece import GOES_ON, describe_word_pieces
from .gguf_header import MAGIC, Header, read_header
from .gguf_pairs import adds_first, read_pairs
from .sentencepiece import check_model, make_model
from .tokenizer_json import from_content


def recognises(data: bytes) -> bool:
    """Whether the first bytes are those of a .gguf file.

    >>> recognises(b"GGUF\\x03\\0\\0\\0"), recognises(b"minbpe v1")
    (True, False)
    """
    return data[:4] == MAGIC


def trim(data: bytes) -> bytes:
    """The header of a .gguf file, without what follows it.

    Raises:
        ValueError: the header is damaged, or longer than these bytes.
    """
    return data[: read_header(data).size]


def from_bytes(data: bytes, name: str) -> Encoding:
    """The encoding that the header of a .gguf file describes; the rest of the file may be missing.

    Args:
        data: the file's beginning, with all of its header.
        name: what to call the encoding.

    Raises:
        ValueError: no .gguf file, a damaged one, or one whose ids could not be exact here; says why.
        OSError: a library that it needs is not installed.
    """
    header = read_header(data)
    kind = header.text("model")
    if kind is None:
        raise ValueError(
            "It holds no tokenizer (no key tokenizer.ggml.model): perhaps it is a part of a model in several "
            "files. Bring the first one."
        )
    if kind not in ("gpt2", "bert", *_READ):
        raise ValueError(
            f"Its tokenizer is of the kind {kind[:40]!r}. Of .gguf files, those of the kinds gpt2, "
            f"bert, {', '.join(_READ)} are read here."
        )
    tokens = header.texts("tokens")
    frame = _frame(header, kind, len(tokens))
    around = _in_words([[tokens[token_id] for token_id in ids] for ids in frame])
    encoding: Encoding
    if kind == "gpt2":
        encoding = read_pairs(header, name, around)
    elif kind == "bert":
        notes = [("Declares", _declared(header, kind)), ("Added on request", around)]
        encoding = from_content(_bert(header), header.saved, name, notes)
    else:
        encoding = of_gguf = _READ[kind](header, name)
        of_gguf.declared, of_gguf.around = _declared(header, kind), around
        of_gguf.file = header.saved
    encoding.frame = frame
    encoding.chat_template = header.text("chat_template")
    encoding.chat_names = _chat_names(header)
    return encoding


class _OfGguf(ListedEncoding):
    """What the steps of an encoding from a .gguf file say besides those of its family."""

    declared = around = ""

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What it does to a text, step by step, and what its file says."""
        added = "Added on request"
        steps = [step for step in super().steps if step[0] != added]
        return [("Declares", self.declared), *steps, (added, self.around)]


@functools.cache
def _of_gguf(family: type[ListedEncoding]) -> Callable[..., Any]:
    return type(f"Gguf{family.__name__}", (_OfGguf, family), {})


def _in_words(ends: Sequence[Sequence[str]]) -> str:
    """The tokens in front of a text and behind it.

    >>> _in_words([["<s>"], []]), _in_words([[], []])
    ('<s> in front', 'nothing')
    """
    front, behind = map(" ".join, ends)
    parts = [f"{front} in front"] * bool(front) + [f"{behind} behind"] * bool(behind)
    return ", ".join(parts) or "nothing"


def _declared(header: Header, kind: str) -> str:
    """What the file says of its tokenizer."""
    pre = header.text("pre")
    return f"a tokenizer of the kind {kind}" + (f", with the pre-tokeniser {pre}" if pre else "")


def _tokens(header: Header) -> tuple[list[str], list[int]]:
    """The tokens by id, and their kinds."""
    tokens, kinds = header.tokens()
    if not NORMAL <= min(kinds) <= max(kinds) <= BYTE:
        raise ValueError("A token in it is of a kind that is not known here: the file is damaged.")
    return tokens, kinds


def _sentencepiece(header: Header, model_type: int, **more: Any) -> Any:
    """The SentencePiece model of a header."""
    names, kinds = _tokens(header)
    scores = header.numbers("scores", "f")
    if scores is None or len(scores) != len(names):
        raise ValueError(
            "It has no score for each token (tokenizer.ggml.scores), by which its pieces are joined."
        )
    # The first of several unknown tokens is the one that the file means; the others fill up its ids.
    unknown = kinds.index(UNKNOWN) if UNKNOWN in kinds else header.number("unknown_token_id") or 0
    if not 0 <= unknown < len(names):
        raise ValueError("Its unknown token has an id beyond its tokens: the file is damaged.")
    kinds = [UNUSED if kind == UNKNOWN else kind for kind in kinds]
    kinds[unknown] = UNKNOWN
    # llama.cpp's converter writes the spaces of user-defined symbols as spaces.
    names = [
        name.replace(" ", SPACE) if kind == USER_DEFINED else name
        for name, kind in zip(names, kinds, strict=True)
    ]
    adds_space = header.number("add_space_prefix")
    model = make_model(
        zip(names, scores.tolist(), kinds, strict=True),
        model_type=model_type,
        byte_fallback=BYTE in kinds,
        adds_space=adds_space is None or bool(adds_space),
        **more,
    )
    check_model(model)
    return model


def _llama(header: Header, name: str) -> Any:
    return _of_gguf(SentencePieceEncoding)(_sentencepiece(header, BPE), name=name)


def _t5(header: Header, name: str) -> Any:
    table = header.numbers("precompiled_charsmap", "iu")
    charsmap = b"" if table is None else table.astype(np.uint8).tobytes()
    model = _sentencepiece(
        header,
        UNIGRAM,
        charsmap=charsmap,
        rule="" if charsmap else "identity",
        removes_spaces=bool(header.number("remove_extra_whitespaces")),
    )
    return _of_gguf(UnigramEncoding)(model, name=name)


def _bert(header: Header) -> dict[str, Any]:
    """The content of a tokenizer.json that says what the file does."""
    tokens, kinds = _tokens(header)
    # The converter took ## off what goes on within a word, and put ▁ before what begins one.
    names = [
        token if kind in (CONTROL, UNKNOWN) else token[1:] if token.startswith(SPACE) else f"{GOES_ON}{token}"
        for token, kind in zip(tokens, kinds, strict=True)
    ]
    if UNKNOWN_WORD not in names:
        raise ValueError(f"Its tokens lack {UNKNOWN_WORD}, which WordPiece needs.")
    if len(set(names)) < len(names) or "" in names:
        raise ValueError("A token is empty or comes twice, so that its vocabulary is not clear.")
    ordinary = (word for word, kind in zip(names, kinds, strict=True) if kind == NORMAL)
    if any(word != word.lower() and not _IN_BRACKETS.fullmatch(word) for word in ordinary):
        raise ValueError(
            "Its tokens have capitals, so its model keeps them, and a .gguf file does not say how it cleans "
            "a text. Bring its tokenizer.json instead."
        )
    special = [
        word
        for word, kind in zip(names, kinds, strict=True)
        if kind in (CONTROL, UNKNOWN) and word != UNKNOWN_WORD
    ]
    return describe_word_pieces({word: token_id for token_id, word in enumerate(names)}, special)


_IN_BRACKETS = re.compile(r"\[.*\]")


def _rwkv(header: Header, name: str) -> Any:
    tokens, kinds = _tokens(header)
    listed = [_unescape(token) if kind == NORMAL else b"" for token, kind in zip(tokens, kinds, strict=True)]
    return _of_gguf(LongestMatchEncoding)(listed, name=name)


_READ: dict[str, Callable[[Header, str], Any]] = {"llama": _llama, "t5": _t5, "rwkv": _rwkv}
"""By the kind of tokenizer that a header names."""


def _unescape(token: str) -> bytes:
    """The bytes of a token that is spelt as in Python's source.

    >>> _unescape("a\\\\n\\\\xe2\\\\'")
    b"a\\n\\xe2'"
    """
    try:
        return token.encode("utf-8").decode("unicode_escape").encode("latin-1")
    except ValueError:
        raise ValueError(f"Its token {token[:40]!r} is spelt in a way that is not known here.") from None


# llama.cpp's own defaults, where a file does not say whether a token is put in front, and behind.
_ADDED = {"llama": (True, False), "t5": (False, True), "bert": (True, True), "rwkv": (False, False)}


def _frame(header: Header, kind: str, n_vocab: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a model of this file puts in front of a text, and behind it."""
    is_bert = kind == "bert"
    keys = (
        ("add_bos_token", ("bos_token_id", "cls_token_id")),
        # The format's own spelling; what is put behind BERT's texts is [SEP].
        (
            "add_sep_token" if is_bert else "add_eos_token",
            ("seperator_token_id" if is_bert else "eos_token_id",),
        ),
    )
    ends: list[tuple[int, ...]] = []
    by_default = (adds_first(header), False) if kind == "gpt2" else _ADDED[kind]
    for (adds, ids), adds_by_default in zip(keys, by_default, strict=True):
        declared = header.number(adds)
        listed = (header.number(key) for key in ids)
        token_id = next((token_id for token_id in listed if token_id is not None), -1)
        is_added = (adds_by_default if declared is None else bool(declared)) and 0 <= token_id < n_vocab
        ends.append((token_id,) if is_added else ())
    return ends[0], ends[1]


def _chat_names(header: Header) -> dict[str, str]:
    """The special tokens by the names that a chat template uses."""
    tokens: Sequence[str] = header.texts("tokens")
    keys = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    ids = {name: header.number(f"{key}_token_id") for name, key in keys.items()}
    return {name: tokens[at] for name, at in ids.items() if at is not None and 0 <= at < len(tokens)}
