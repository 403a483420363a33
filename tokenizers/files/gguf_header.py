"""The header of a .gguf file: pairs of a key and a value. The tensors behind it are never read.

Source: github.com/ggml-org/ggml, docs/gguf.md.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from ..families.sentencepieces import BYTE, CONTROL, NORMAL
from ..numbered import numbered
from ..steps import Steps

MAGIC = b"GGUF"

Value = TypeVar("Value")

# By number of type: how one value is packed. Types 8 and 9 are texts and arrays.
PACKED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class Header:
    """The tokenizer's keys of a .gguf file.

    Attributes:
        values: texts, numbers, lists of texts and arrays of numbers, by key without "tokenizer.ggml.".
        size: bytes of the header.
        saved: a file of these keys alone.
    """

    values: Mapping[str, Any]
    size: int
    saved: bytes

    def text(self, key: str) -> str | None:
        """The text under a key; None: there is none."""
        return self._get(key, str, "text")

    def number(self, key: str) -> int | None:
        """The whole number, or the bool (as 0 or 1), under a key; None: there is none."""
        return self._get(key, int, "whole number")

    def texts(self, key: str) -> list[str]:
        """The texts under a key; empty: there are none."""
        return self._get(key, list, "list of texts") or []

    def numbers(self, key: str) -> np.ndarray[Any, Any] | None:
        """The numbers under a key, shape (n,); None: there are none."""
        return self._get(key, np.ndarray, "list of numbers")

    def tokens(self) -> tuple[list[str], list[int]]:
        """The tokens by id, and what kind each is: an ordinary one, if the file does not say it."""
        tokens, kinds = self.texts("tokens"), self.numbers("token_type")
        if not tokens:
            raise ValueError("It does not list its tokens (tokenizer.ggml.tokens). Convert the model again.")
        if kinds is None:
            return tokens, [NORMAL] * len(tokens)
        if len(kinds) < len(tokens):
            raise ValueError(
                "It does not say what kind each token is (tokenizer.ggml.token_type). Convert the model "
                "again."
            )
        listed = kinds[: len(tokens)].astype(int)
        return tokens, np.where((NORMAL <= listed) & (listed <= BYTE), listed, NORMAL).tolist()

    def _get(self, key: str, kind: type[Value], what: str) -> Value | None:
        value = self.values.get(key)
        if value is not None and not isinstance(value, kind):
            raise ValueError(f"Its key {key} must be a {what}, and is not. Convert the model again.")
        return value


def read_header(data: bytes) -> Header:
    """The tokenizer's keys of a .gguf file, whose tensors may be missing.

    Raises:
        ValueError: it is no such file, a damaged one, or the header goes on beyond these bytes.

    >>> file = b"GGUF" + struct.pack("<IQQQ20sIQ4s", 3, 0, 1, 20, b"tokenizer.ggml.model", 8, 4, b"gpt2")
    >>> read_header(file + b"tensors").values
    {'model': 'gpt2'}
    >>> read_header(file[:-1])
    Traceback (most recent call last):
    ...
    ValueError: The file ends inside its header, so its tokenizer is incomplete. ...
    """
    if data[:4] != MAGIC:
        raise ValueError("It is not a .gguf file: it does not begin with the letters GGUF.")
    walk = _Walk(data)
    try:
        version = walk.number("I")
        if version & 0xFFFF == 0:  # written on a machine of the other byte order
            walk = _Walk(data, ">")
            version = walk.number("I")
        _, n_pairs = walk.number("Q"), walk.number("Q")
        if version not in (2, 3):
            raise ValueError(
                f"It is a .gguf file of version {version}, and only 2 and 3 can be read. Convert it again."
            )
        values: dict[str, Any] = {}
        kept: list[bytes] = []
        for _ in range(n_pairs):
            start = walk.at
            key = walk.text()
            is_kept = key.startswith("tokenizer.")
            walk.errors = "strict" if is_kept else "replace"
            value = walk.value()
            if is_kept:
                values[key.removeprefix("tokenizer.").removeprefix("ggml.")] = value
                kept.append(data[start : walk.at])
    except struct.error:
        raise ValueError(
            "The file ends inside its header, so its tokenizer is incomplete. Add the whole file."
        ) from None
    except UnicodeDecodeError:
        raise ValueError("A text in its tokenizer is not UTF-8: the file is damaged.") from None
    size = struct.pack(walk.order + "IQQ", 3, 0, len(kept))
    return Header(values, walk.at, MAGIC + size + b"".join(kept))


def say_repeated(tokens: Sequence[str]) -> Steps:
    """A step that says which tokens are listed more than once; empty: there are none.

    >>> say_repeated(["a", "b"]), say_repeated(["a", "b", "a"])[0][1][:36]
    ([], '1 token is listed twice: a is 2, not')
    """
    last = numbered(tokens)
    earlier = [token_id for token_id, token in enumerate(tokens) if token and last[token] != token_id]
    if not earlier:
        return []
    first, count = tokens[earlier[0]], len(earlier)
    many = "1 token is listed twice" if count == 1 else f"{count:,} tokens are listed twice"
    which = f"{first[:40]} is {last[first]}, not {earlier[0]}"
    return [("Ids", f"{many}: {which}. The last id counts; llama.cpp itself refuses such files")]


# llama.cpp, src/llama-vocab.cpp: what ends a turn or a text.
_ENDS = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> "
    "<|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> "
    "<｜end▁of▁sentence｜> [e~[".split()
)


def say_otherwise(header: Header, *otherwise: str) -> Steps:
    """Steps that say that a file does not list kinds, and what llama.cpp itself does in another way.

    Args:
        header: of the file.
        otherwise: each to follow its name in a sentence, or empty.
    """
    parts = [*filter(None, otherwise)]
    tokens, kinds = header.tokens()
    ends = [token for token, kind in zip(tokens, kinds, strict=True) if kind != CONTROL and token in _ENDS]
    if ends:
        parts.append(
            f"treats {' and '.join(ends)} as special because of the name, which the file does not say"
        )
    said = [("In llama.cpp", f"counts can differ: it {'; it '.join(parts)}")] if parts else []
    if "token_type" not in header.values:
        said.append(("Kinds", "the file does not say which of its tokens are special: here, none are"))
    return said


class _Walk:
    """Goes through a header from its beginning. Its methods raise a struct.error where the data end."""

    errors = "replace"
    """What is done about a text that is not in UTF-8, as ``bytes.decode`` names it."""

    def __init__(self, data: bytes, order: Literal["<", ">"] = "<") -> None:
        self.data = data
        self.order = order
        self.at = len(MAGIC)

    def number(self, kind: str) -> Any:
        """The next number, packed as ``struct`` says."""
        (value,) = struct.unpack_from(self.order + kind, self.data, self.at)
        self.at += struct.calcsize(self.order + kind)
        return value

    def bytes(self, size: int) -> bytes:
        """The next bytes."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise struct.error
        return self.data[start : self.at]

    def text(self) -> str:
        """The next text."""
        return self.bytes(self.number("Q")).decode("utf-8", self.errors)

    def value(self) -> Any:
        """The next value."""
        kind = self.number("I")
        if kind == TEXT:
            return self.text()
        if kind in PACKED:
            return self.number(PACKED[kind])
        if kind != ARRAY:
            raise ValueError("A value in its header has an unknown type: the file is damaged.")
        kind, count = self.number("I"), self.number("Q")
        if kind == TEXT:
            return [self.text() for _ in range(count)]
        if kind not in PACKED:
            raise ValueError("A list in its header holds lists, which cannot be read here.")
        dtype = np.dtype(PACKED[kind]).newbyteorder(self.order)
        return np.frombuffer(self.bytes(count * dtype.itemsize), dtype)
