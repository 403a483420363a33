"""The tokenizer in a .gguf file, llama.cpp's format of models; only the file's header is read.

The header names the kind of tokenizer (``tokenizer.ggml.model``) and lists its tokens. It does not hold the
rest of the publisher's pipeline:

llama       SentencePiece BPE by scores: the same engine as for a .model file; a normaliser is not listed
t5          SentencePiece Unigram, with its normaliser's table
bert        WordPiece, cut as BERT cuts
rwkv        longest match
gpt2        byte-level BPE; its pre-tokeniser is a name (``gguf_pairs.py`` knows what each stands for)
gemma4      the same with characters for bytes, and ▁ for a space
whitespace  as gpt2, without white space
hybriddna   as gpt2, but DNA by six letters
plamo2      Unigram of PLaMo 2, with special rules; and plamo3 of PLaMo 3

A name that is not known here is refused, never guessed. What the file does not say is said among the steps,
and where llama.cpp itself counts otherwise than the publisher's library. A header may also hold a whole
tokenizer.json (tokenizer.huggingface.json), which llama.cpp does not read: then that is read.

Source: llama.cpp, src/llama-vocab.cpp and convert_hf_to_gguf.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..encoding import ChatTemplates, Encoding
from ..families import sentencepieces as sp
from ..families.counted import UNKNOWN
from ..families.huggingface_engine import BYTE_NAMES, fallback_byte
from ..families.hybrid_dna import DNA_BEGIN, DNA_END, DNA_TAGS, DNA_UNKNOWN, HybridDnaEncoding
from ..families.listed import ListedEncoding
from ..families.longest_match import LongestMatchEncoding
from ..families.plamo import PlamoEncoding, PlamoToken
from ..families.wordpiece import IN_BRACKETS, as_word_piece, describe_word_pieces
from ..numbered import numbered
from ..placement import FewIds, Frame
from ..steps import DECLARES, Steps
from .gguf_header import MAGIC, Header, read_header, say_otherwise, say_repeated
from .gguf_pairs import pre_name, read_pairs
from .known import named_ways
from .sentencepiece import check_model, make_model
from .tokenizer_json import from_content, read_json


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
    if whole := header.text("huggingface.json"):
        encoding = from_content(read_json(whole.encode()), header.saved, name)
        encoding.declared = [(DECLARES, _WHOLE)]
    elif kind is None:
        raise ValueError(
            "It holds no tokenizer (no key tokenizer.ggml.model). If the model is in several files, add the "
            "first one."
        )
    elif kind not in _READ:
        raise ValueError(
            f"Its tokenizer is of the kind {kind[:40]!r}, and only these kinds can be read from a .gguf "
            f"file: {', '.join(_READ)}. Add the model's tokenizer.json instead."
        )
    else:
        encoding = _READ[kind](header, name)
        encoding.declared = encoding.declared or [(DECLARES, _declared(header))]
        encoding.frame = _frame(header, kind)
    encoding.chat_templates = ChatTemplates(
        default=header.text("chat_template"),
        tool_use=header.text("chat_template.tool_use"),
        names=_chat_names(header),
    )
    return encoding


_WHOLE = "a whole tokenizer.json in its header, which is read here; llama.cpp reads the other keys"


def _finish(encoding: ListedEncoding, header: Header, otherwise: str = "") -> Encoding:
    """Name the tokens that are listed again later, which the library knows by other names; say what is so.

    Args:
        encoding: of the file.
        header: its header.
        otherwise: what llama.cpp does in another way with these pieces, to follow its name; or empty.
    """
    names = header.texts("tokens")
    last = numbered(names)
    for token_id, name in enumerate(names):
        if last[name] != token_id or not name:
            encoding.rename(token_id, name.replace(sp.SPACE, " ").encode())
    encoding.keep_file(header.saved)
    encoding.notes = _say_of_pieces(header, otherwise)
    return encoding


def _declared(header: Header) -> str:
    """What the file says of its tokenizer."""
    pre = header.text("pre")
    more = f", with the pre-tokeniser {pre}" if pre else ""
    return f"a tokenizer of the kind {header.text('model')}{more}"


def _sentencepiece(header: Header, model_type: int, **more: Any) -> Any:
    """The SentencePiece model of a header."""
    names, kinds = header.tokens()
    scores = _scores_of(header, len(names))
    if header.numbers("token_type") is None:
        kinds = [sp.BYTE if fallback_byte(name) is not None else sp.NORMAL for name in names]
    elif model_type == sp.BPE:  # bytes are found by their names, whatever their kinds
        places = numbered(names)
        whole = [places[name] for name in BYTE_NAMES if name in places]
        if len(whole) == len(BYTE_NAMES):
            for token_id in whole:
                kinds[token_id] = sp.BYTE
    unknown = _unknown_id(header, kinds, model_type)
    # llama.cpp's converter writes the spaces of user-defined symbols as spaces.
    names = [
        name.replace(" ", sp.SPACE) if kind == sp.USER_DEFINED else name
        for name, kind in zip(names, kinds, strict=True)
    ]
    last = numbered(names)
    repeated = {name for token_id, name in enumerate(names) if last[name] != token_id}
    for token_id, name in enumerate(names):
        if last[name] != token_id or not name:
            # The library takes no name twice, and no empty one. No text can hold a piece with a space.
            names[token_id], kinds[token_id] = f"{name} {token_id}", sp.UNUSED
        elif name in repeated and kinds[token_id] == sp.UNUSED:
            kinds[token_id] = sp.NORMAL
        elif kinds[token_id] == sp.UNKNOWN:  # only one can be that: the others fill up the ids
            kinds[token_id] = sp.UNUSED
    kinds[unknown] = sp.UNKNOWN
    adds_space = header.number("add_space_prefix")
    model = make_model(
        zip(names, scores, kinds, strict=True),
        model_type=model_type,
        byte_fallback=sp.BYTE in kinds,
        adds_space=adds_space is None or bool(adds_space),
        **more,
    )
    check_model(model)
    return model


def _scores_of(header: Header, n_tokens: int) -> list[float]:
    """The score of each token."""
    scores = header.numbers("scores")
    if scores is None or len(scores) < n_tokens:
        raise ValueError(
            "Some tokens have no score (tokenizer.ggml.scores), and scores decide which tokens a text "
            "becomes. Convert the model again."
        )
    listed: list[float] = scores[:n_tokens].tolist()
    return listed


def _say_of_pieces(header: Header, otherwise: str) -> Steps:
    """Steps that say which tokens are repeated, and what llama.cpp does in another way."""
    tokens, kinds = header.tokens()
    unknown = _unknown_id(header, kinds, sp.UNIGRAM)
    fillers = [token for i, token in enumerate(tokens) if kinds[i] == sp.UNKNOWN and i != unknown]
    found = f"finds {len(fillers):,} more tokens of the kind “unknown”, such as {''.join(fillers[:1])[:40]}"
    again = "puts another space after each user-defined symbol"
    adds_space = header.number("add_space_prefix") in (None, 1) and header.text("model") != "rwkv"
    has_spaces = any(kinds[i] == sp.USER_DEFINED and " " in token for i, token in enumerate(tokens))
    return say_repeated(tokens) + say_otherwise(
        header,
        otherwise,
        again if adds_space and sp.USER_DEFINED in kinds else "",
        f"takes a {sp.SPACE} that stands in a text for no space of a user-defined symbol"
        if has_spaces
        else "",
        *_say_of_unigram(header, kinds),
        f"{found}, when you ask for special tokens: here they only fill gaps between ids" if fillers else "",
    )


def _say_of_unigram(header: Header, kinds: list[int]) -> Iterator[str]:
    """What llama.cpp does in another way with a Unigram, each to follow its name in a sentence."""
    if header.text("model") != "t5":
        return
    if sp.BYTE in kinds:
        yield "never uses the tokens of bytes: what is unknown stays unknown"
    if sp.USER_DEFINED in kinds:
        yield "looks for user-defined symbols before all else"
    if sp.UNUSED in kinds:
        yield "uses tokens that the file calls unused"
    adds_space = header.number("add_space_prefix")
    if header.number("remove_extra_whitespaces"):
        yield f"keeps each {sp.SPACE} that stands in a text, also beside spaces and at its ends"
        if adds_space == 0:
            yield "puts a space in front of a text, although the file says not to"
    elif adds_space is None:
        yield "puts no space in front of a text, because the file does not ask for it"
    elif adds_space:
        yield "puts no space in front of white space alone"
    yield "can take another one of several ways of equal scores"


def _unknown_id(header: Header, kinds: list[int], model_type: int) -> int:
    """The id of the unknown token: that of its key, the first of this kind, or llama.cpp's default."""
    default = 2 if model_type == sp.UNIGRAM else 0
    unknown = header.number("unknown_token_id")
    if unknown is None or not 0 <= unknown < len(kinds):
        unknown = kinds.index(sp.UNKNOWN) if sp.UNKNOWN in kinds else default
    if unknown >= len(kinds):
        raise ValueError("It does not say which token is the unknown one. Convert the model again.")
    return unknown


def _llama(header: Header, name: str) -> Encoding:
    encoding = sp.SentencePieceEncoding(_sentencepiece(header, sp.BPE), name=name)
    unused = "gives tokens that the file calls unused, and SentencePiece never does"
    return _finish(encoding, header, unused if encoding.comes_to_unused else "")


def _t5(header: Header, name: str) -> Encoding:
    table = header.numbers("precompiled_charsmap")
    charsmap = b"" if table is None else table.astype(np.uint8).tobytes()
    model = _sentencepiece(
        header,
        sp.UNIGRAM,
        charsmap=charsmap,
        rule="" if charsmap else "identity",
        removes_spaces=bool(header.number("remove_extra_whitespaces")),
    )
    return _finish(sp.UnigramEncoding(model, name=name), header)


def _bert(header: Header, name: str) -> Encoding:
    tokens, kinds = header.tokens()
    names = [
        token if kind in (sp.CONTROL, sp.UNKNOWN) else as_word_piece(token)
        for token, kind in zip(tokens, kinds, strict=True)
    ]
    unknown = header.number("unknown_token_id")
    unknown_name = names[unknown] if unknown is not None and 0 <= unknown < len(names) else UNKNOWN
    ids = {name: token_id for token_id, name in enumerate(names) if name}
    if unknown_name not in ids:
        raise ValueError(f"It has no token {UNKNOWN}, which WordPiece needs. Convert the model again.")
    notes = say_repeated(names)
    lowercase, accents = header.number("normalizer.lowercase"), header.number("normalizer.strip_accents")
    if lowercase is None:
        ordinary = (word for word, kind in zip(names, kinds, strict=True) if kind == sp.NORMAL)
        has_capitals = any(word != word.lower() and not IN_BRACKETS.fullmatch(word) for word in ordinary)
        lowercase = not has_capitals
        if has_capitals:
            notes.append(("Capitals", _CAPITALS))
    special = [word for word, token_id in ids.items() if kinds[token_id] in (sp.CONTROL, sp.UNKNOWN)]
    content = describe_word_pieces(ids, special, small_letters=bool(lowercase))
    content["model"]["unk_token"] = unknown_name
    if accents is not None:
        content["normalizer"]["strip_accents"] = bool(accents)
    drops = lowercase if accents is None else accents
    notes += say_otherwise(header, _LONG_WORDS, _MARKS_IN_TEXT, _DROPPED if drops else "")
    encoding = from_content(content, header.saved, name)
    encoding.notes = notes
    return encoding


_CAPITALS = (
    "kept, because its tokens have some: the file does not say. llama.cpp lowercases text, and drops "
    "accents unless the file keeps them"
)
_LONG_WORDS = "splits words of more than 100 characters, which are unknown here"
_MARKS_IN_TEXT = "takes a ▁ that stands in a text for the beginning of a word"
_DROPPED = "drops vowel signs along with accents, as in Devanagari, and all but the initials of Korean"


def _plamo(header: Header, name: str) -> Encoding:
    listed, kinds = header.tokens()
    scores = _scores_of(header, len(listed))
    tokens = [
        PlamoToken(
            text,
            score,
            byte=fallback_byte(text) if kind == sp.BYTE else None,
            is_special=kind in (sp.CONTROL, sp.UNKNOWN),
            is_used=kind not in (sp.BYTE, sp.UNUSED),
        )
        for text, score, kind in zip(listed, scores, kinds, strict=True)
    ]
    encoding = PlamoEncoding(tokens, cuts_first=header.text("model") == "plamo3", name=name)
    encoding.keep_file(header.saved)
    fillers = [token.text for token, kind in zip(tokens, kinds, strict=True) if kind == sp.UNUSED]
    found = f"finds unused tokens, such as {''.join(fillers[:1])[:40]}, in a text" if fillers else ""
    encoding.notes = say_repeated(listed) + say_otherwise(header, found)
    return encoding


def _hybrid_dna(header: Header, name: str) -> Encoding:
    listed, kinds = header.tokens()
    ids = numbered(listed)
    if not {DNA_BEGIN, DNA_END, DNA_UNKNOWN} <= ids.keys():
        return read_pairs(header, name)
    kmers = {token[:-1]: token_id for token, token_id in ids.items() if token.endswith(_KMER_MARK)}
    apart = {ids[DNA_BEGIN], ids[DNA_END], ids[DNA_UNKNOWN], *kmers.values()}
    kinds = [sp.UNUSED if token_id in apart else kind for token_id, kind in enumerate(kinds)]
    values = {**header.values, "token_type": np.array(kinds, np.int32)}
    base = read_pairs(replace(header, values=values), name, _DNA_OTHERWISE)
    declared, notes = base.declared, base.notes
    base.declared = base.notes = ()
    encoding = HybridDnaEncoding(base, {token: ids[token] for token in DNA_TAGS}, kmers, name=name)
    encoding.declared, encoding.notes = declared, notes
    encoding.keep_file(header.saved)
    return encoding


_KMER_MARK = "\ue000"
"""What the converter puts behind each k-mer, which can be spelt as another token is."""

_DNA_OTHERWISE = (
    f"takes {DNA_END} without {DNA_BEGIN} as text; in DNA, it counts bytes, keeps white space at the ends, "
    "and finds special tokens"
)


def _rwkv(header: Header, name: str) -> Encoding:
    rows = zip(*header.tokens(), strict=True)
    listed = [_unescape(token) if kind == sp.NORMAL else b"" for token, kind in rows]
    return _finish(LongestMatchEncoding(listed, name=name), header)


_READ: dict[str, Callable[[Header, str], Encoding]] = {
    "gpt2": read_pairs,
    "gemma4": read_pairs,
    "whitespace": read_pairs,
    "bert": _bert,
    "llama": _llama,
    "t5": _t5,
    "plamo2": _plamo,
    "plamo3": _plamo,
    "hybriddna": _hybrid_dna,
    "rwkv": _rwkv,
}
"""By the kind that a header names: what reads it, under a name."""


def _unescape(token: str) -> bytes:
    """The bytes of a token that is spelt as in Python's source.

    >>> _unescape("a\\\\n\\\\xe2\\\\'")
    b"a\\n\\xe2'"
    """
    try:
        return token.encode().decode("unicode_escape").encode("latin-1")
    except ValueError:
        raise ValueError(f"Its token {token[:40]!r} has an unknown escape sequence.") from None


class _End(NamedTuple):
    """What llama.cpp puts at an end of a text.

    Attributes:
        is_added: whether there is a token if the file does not say so.
        token_id: its id if the file does not say it; -1: none.
        adds_key: where the file says whether; empty: nowhere.
        id_keys: where it says which; the first that is there counts.
    """

    is_added: bool = False
    token_id: int = -1
    adds_key: str = "add_eos_token"
    id_keys: Sequence[str] = ("eos_token_id",)


_FRONT = partial(_End, adds_key="add_bos_token", id_keys=("bos_token_id", "cls_token_id"))
_ENDS = {
    "llama": (_FRONT(True, 1), _End(False, 2)),
    "t5": (_FRONT(), _End(True, 1)),
    # What is put behind BERT's texts is [SEP], in the format's own spelling.
    "bert": (_FRONT(True, 101), _End(True, 102, "add_sep_token", ["seperator_token_id"])),
    "rwkv": (_FRONT(), _End()),
    "gemma4": (_FRONT(True, adds_key=""), _End()),  # whatever the file says
}
"""In front of a text and behind it, by the kind. For other kinds, the pre-tokeniser says what is in front."""


def _frame(header: Header, kind: str) -> Frame:
    """What a model of this file puts in front of a text, and behind it."""
    front, behind = _ENDS.get(kind) or (_FRONT(named_ways()[pre_name(header)].adds_first), _End())
    return _tokens_at(header, front), _tokens_at(header, behind)


def _tokens_at(header: Header, end: _End) -> FewIds:
    """The id at an end of a text, if there is a token."""
    ids = (header.number(key) for key in end.id_keys)
    token_id = next((token_id for token_id in ids if token_id is not None), end.token_id)
    said = header.number(end.adds_key)
    is_added = end.is_added if said is None else said
    return (token_id,) if is_added and 0 <= token_id < len(header.texts("tokens")) else ()


def _chat_names(header: Header) -> dict[str, str]:
    """The special tokens by the names that a chat template uses."""
    tokens: Sequence[str] = header.texts("tokens")
    keys = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    ids = {name: header.number(f"{key}_token_id") for name, key in keys.items()}
    return {name: tokens[at] for name, at in ids.items() if at is not None and 0 <= at < len(tokens)}
