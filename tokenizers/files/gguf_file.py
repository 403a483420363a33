"""The tokenizer in a .gguf file, llama.cpp's format of models; only its header is read.

A header names the kind of tokenizer (``tokenizer.ggml.model``), and lists its tokens. What it does not hold
is the rest of the publisher's pipeline:

llama       SentencePiece BPE by scores: the same engine as for a .model file; a normaliser is not listed
t5          SentencePiece Unigram, with its normaliser's table
bert        WordPiece, as BERT's in small letters cuts: whether capitals are kept is not listed
rwkv        longest match
gpt2        byte-level BPE; its pre-tokeniser is a name (``gguf_pairs.py`` knows what each stands for)

What a name stands for and is not known here is refused, never guessed.

Source: llama.cpp, src/llama-vocab.cpp and convert_hf_to_gguf.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..encoding import Encoding
from ..families.characters import UNKNOWN as UNKNOWN_WORD
from ..families.longest_match import LongestMatchEncoding
from ..families.sentencepieces import SPACE, SentencePieceEncoding
from ..families.unigram import UnigramEncoding
from ..families.wordpiece import GOES_ON, describe_word_pieces
from . import gguf
from .gguf import MAGIC, Header
from .gguf_pairs import adds_first, read_pairs
from .sentencepiece_file import parse_model
from .sentencepiece_proto import (
    BPE,
    BYTE,
    CONTROL,
    MAX_SCORE,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    USER_DEFINED,
    check_special_count,
    read_model,
    write_model,
)
from .tokenizer_json import from_content

MAX_TOKENS = 1_000_000

_Frame = tuple[tuple[int, ...], tuple[int, ...]]


class _OfFile(Encoding):
    """Mixin: the file's content and declarations, for encodings read from .gguf."""

    _content = b""
    _declared = _around = ""

    @property
    def saved(self) -> bytes:
        """A .gguf file of the tokenizer's keys alone, which reads back to this encoding."""
        return self._content

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What it does to a text, step by step, and what its file says."""
        added = "Added on request"
        steps = [step for step in super().steps if step[0] != added]
        return [("Declares", self._declared), *steps, (added, self._around)]

    def keep(self, content: bytes, declared: str, around: str) -> None:
        """Keep a file that reads back to this, what it says of itself, and what is put around a text."""
        self._content, self._declared, self._around = content, declared, around


class GgufPieces(_OfFile, SentencePieceEncoding):
    """SentencePiece BPE of a .gguf file."""


class GgufUnigram(_OfFile, UnigramEncoding):
    """A Unigram of a .gguf file."""


class GgufLongestMatch(_OfFile, LongestMatchEncoding):
    """A vocabulary of a .gguf file that is cut by longest match."""


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

    >>> file = gguf.write_header({"general.name": "x"})
    >>> trim(file + b"tensors") == file
    True
    """
    return data[: gguf.read_header(data).size]


def read_header(path: Path) -> bytes:
    """The beginning of a .gguf file on the disk, as far as its header goes, for ``from_bytes``.

    At most 64 MB are read, and never a tensor.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no .gguf file, or its header is damaged or too long.
    """
    return gguf.read_file(path)


def from_bytes(data: bytes, name: str) -> Encoding:
    """The encoding that the header of a .gguf file describes; the rest of the file may be missing.

    Args:
        data: the file's beginning, with all of its header.
        name: what to call the encoding.

    Raises:
        ValueError: no .gguf file, a damaged one, or one whose ids could not be exact here; says why.
        OSError: a library that it needs is not installed.

    >>> tokens, kinds = ["<unk>", "▁", "a", "b", "ab"], np.array([2, 1, 1, 1, 1], dtype=np.int32)
    >>> scores = -np.arange(5, dtype=np.float32)
    >>> enc = from_bytes(gguf.write_header({"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens,
    ...     "tokenizer.ggml.scores": scores, "tokenizer.ggml.token_type": kinds,
    ...     "tokenizer.ggml.add_bos_token": False}), "small")
    >>> enc.encode("ab a"), from_bytes(enc.saved, "again").encode("ab a")
    ([1, 4, 1, 2], [1, 4, 1, 2])
    """
    header = gguf.read_header(data)
    kind = header.text("ggml.model")
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
    tokens = header.texts("ggml.tokens")
    frame = _frame(header, kind, len(tokens))
    around = _in_words([[tokens[token_id] for token_id in ids] for ids in frame])
    encoding: Encoding
    if kind == "gpt2":
        encoding = read_pairs(header, name, around)
    elif kind == "bert":
        notes = [("Declares", _declared(header, kind)), ("Added on request", around)]
        encoding = from_content(_bert(header), header.saved, name, notes)
    else:
        encoding = of_file = _READ[kind](header, name)
        of_file.keep(header.saved, _declared(header, kind), around)
    encoding.frame = frame
    encoding.chat_template = header.text("chat_template")
    encoding.chat_names = _chat_names(header)
    return encoding


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
    pre = header.text("ggml.pre")
    return f"a tokenizer of the kind {kind}" + (f", with the pre-tokeniser {pre}" if pre else "")


def _tokens(header: Header) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The tokens by id, and their kinds."""
    tokens = header.texts("ggml.tokens")
    if not tokens:
        raise ValueError("It lists no tokens (no key tokenizer.ggml.tokens).")
    if len(tokens) > MAX_TOKENS:
        raise ValueError(f"It has {len(tokens):,} tokens, and the limit here is {MAX_TOKENS:,}.")
    kinds = header.numbers("ggml.token_type", "i")
    if kinds is None or len(kinds) != len(tokens):
        raise ValueError(
            "It does not say of each token what kind it is (tokenizer.ggml.token_type): an old or damaged "
            "file. Convert the model again."
        )
    if kinds.dtype.kind not in "iu" or not ((kinds >= NORMAL) & (kinds <= BYTE)).all():
        raise ValueError("A token in it is of a kind that is not known here: the file is damaged.")
    check_special_count(kinds)
    return tokens, kinds


def _scores(header: Header, count: int) -> np.ndarray[Any, Any]:
    scores = header.numbers("ggml.scores", "f")
    if scores is None or len(scores) != count:
        raise ValueError(
            "It has no score for each token (tokenizer.ggml.scores), by which its pieces are joined."
        )
    # A cast of what is no number can warn, so that is looked for first.
    if not np.isfinite(scores).all() or not (np.abs(scores.astype(np.float64)) <= MAX_SCORE).all():
        raise ValueError("A token has a score that is no number within reason: the file is damaged.")
    return scores


def _pieces_of(header: Header) -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The pieces of a SentencePiece model: names, scores, kinds."""
    names, kinds = _tokens(header)
    kinds = kinds.copy()
    if not (kinds == UNKNOWN).any():
        unknown = header.number("ggml.unknown_token_id") or 0
        if not 0 <= unknown < len(names):
            raise ValueError("Its unknown token has an id beyond its tokens: the file is damaged.")
        kinds[unknown] = UNKNOWN
    # llama.cpp's converter writes the spaces of user-defined symbols as spaces.
    for token_id in np.flatnonzero(kinds == USER_DEFINED).tolist():
        names[token_id] = names[token_id].replace(" ", SPACE)
    return names, _scores(header, len(names)), kinds


def _llama(header: Header, name: str) -> GgufPieces:
    names, scores, kinds = _pieces_of(header)
    adds_space = header.number("ggml.add_space_prefix")
    model = write_model(
        names,
        scores.tolist(),
        kinds.tolist(),
        kind=BPE,
        byte_fallback=bool((kinds == BYTE).any()),
        adds_space=adds_space is None or bool(adds_space),
    )
    read_model(model)
    return GgufPieces(parse_model(model), name=name)


def _t5(header: Header, name: str) -> GgufUnigram:
    names, scores, kinds = _pieces_of(header)
    table = header.numbers("ggml.precompiled_charsmap", "i")
    if table is not None and table.dtype.itemsize != 1:
        raise ValueError("The table of its normaliser is no list of bytes: the file is damaged.")
    charsmap = b"" if table is None else table.astype(np.uint8).tobytes()
    adds_space, removes_spaces = (
        header.number(f"ggml.{key}") for key in ("add_space_prefix", "remove_extra_whitespaces")
    )
    model = write_model(
        names,
        scores.tolist(),
        kinds.tolist(),
        kind=UNIGRAM,
        byte_fallback=bool((kinds == BYTE).any()),
        charsmap=charsmap,
        rule="" if charsmap else "identity",
        adds_space=adds_space is None or bool(adds_space),
        removes_spaces=bool(removes_spaces),
    )
    read_model(model)
    return GgufUnigram(parse_model(model), name=name)


def _bert(header: Header) -> dict[str, Any]:
    """The content of a tokenizer.json that says what the file does."""
    tokens, kinds = _tokens(header)
    # The converter took ## off what goes on within a word, and put ▁ before what begins one.
    names = [
        token if kind in (CONTROL, UNKNOWN) else token[1:] if token.startswith(SPACE) else f"{GOES_ON}{token}"
        for token, kind in zip(tokens, kinds.tolist(), strict=True)
    ]
    if UNKNOWN_WORD not in names:
        raise ValueError(f"Its tokens lack {UNKNOWN_WORD}, which WordPiece needs.")
    if len(set(names)) < len(names) or "" in names:
        raise ValueError("A token is empty or comes twice, so that its vocabulary is not clear.")
    ordinary = (word for word, kind in zip(names, kinds.tolist(), strict=True) if kind == NORMAL)
    if any(word != word.lower() and not _IN_BRACKETS.fullmatch(word) for word in ordinary):
        raise ValueError(
            "Its tokens have capitals, so its model keeps them, and a .gguf file does not say how it cleans "
            "a text. Bring its tokenizer.json instead."
        )
    special = [
        word
        for word, kind in zip(names, kinds.tolist(), strict=True)
        if kind == CONTROL or (kind == UNKNOWN and word != UNKNOWN_WORD)
    ]
    ids = {word: token_id for token_id, word in enumerate(names)}
    return describe_word_pieces(ids, [word for word in special if word != UNKNOWN_WORD])


_IN_BRACKETS = re.compile(r"\[.*\]")


def _rwkv(header: Header, name: str) -> GgufLongestMatch:
    tokens, kinds = _tokens(header)
    listed = [
        _unescape(token) if kind == NORMAL else b""
        for token, kind in zip(tokens, kinds.tolist(), strict=True)
    ]
    return GgufLongestMatch(listed, name=name)


_READ: dict[str, Callable[[Header, str], _OfFile]] = {
    "llama": _llama,
    "t5": _t5,
    "rwkv": _rwkv,
}
"""By the kind of tokenizer that a header names."""

_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\", b"'": b"'", b'"': b'"'}


def _unescape(token: str) -> bytes:
    """The bytes of a token that is spelt as in Python's source.

    >>> _unescape("a\\\\n\\\\xe2\\\\'")
    b"a\\n\\xe2'"
    """

    def became(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        if len(escape) == 3:
            return bytes([int(escape[1:], 16)])
        if escape not in _ESCAPED:
            raise ValueError(f"Its token {token[:40]!r} is spelt in a way that is not known here.")
        return _ESCAPED[escape]

    return _ESCAPE.sub(became, token.encode("utf-8"))


# llama.cpp's own defaults, where a file does not say whether a token is put in front, and behind.
_ADDED = {"llama": (True, False), "t5": (False, True), "bert": (True, True), "rwkv": (False, False)}


def _frame(header: Header, kind: str, n_vocab: int) -> _Frame:
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
        declared = header.number(f"ggml.{adds}")
        listed = (header.number(f"ggml.{key}") for key in ids)
        token_id = next((token_id for token_id in listed if token_id is not None), -1)
        is_added = (adds_by_default if declared is None else bool(declared)) and 0 <= token_id < n_vocab
        ends.append((token_id,) if is_added else ())
    return ends[0], ends[1]


def _chat_names(header: Header) -> dict[str, str]:
    """The special tokens by the names that a chat template uses."""
    tokens: Sequence[str] = header.texts("ggml.tokens")
    names: dict[str, str] = {}
    for name, key in (
        ("bos_token", "bos"),
        ("eos_token", "eos"),
        ("unk_token", "unknown"),
        ("pad_token", "padding"),
    ):
        token_id = header.number(f"ggml.{key}_token_id")
        if token_id is not None and 0 <= token_id < len(tokens):
            names[name] = tokens[token_id]
    return names
