"""What a file is that holds no tokenizer which can be read: a sentence that says so, and what to do."""

from __future__ import annotations

import json
import re

from ..amounts import bytes_in_words, shorten
from ..json_types import JsonMapping
from ..steps import first_few
from ..utf8 import text_of
from . import file_pairs

MAX_JSON = 1 << 20
"""Bytes of JSON that are parsed to find what it is: parsing takes many times its memory."""

BESIDE = "The file to add is the model’s tokenizer.json or tokenizer.model."

_PACKED = {
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}

_PICKLE = "a pickle of Python (it may hold a model’s weights, and can run any program)"

_OTHER = {
    b"\x89HDF": "a model’s weights (HDF5)",
    b"\x80\2": _PICKLE,
    b"\x80\3": _PICKLE,
    b"\x80\4": _PICKLE,
    b"\x80\5": _PICKLE,
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"SQLite format 3": "a database (SQLite)",
    b"PAR1": "a table (Parquet)",
    b"\x93NUMPY": "an array of numbers (NumPy)",
    b"\x7fELF": "a program",
    b"MZ\x90\0": "a program",
}


def describe(data: bytes) -> str:
    """A sentence that says what a file is, and one that says what to do; empty: it is not known.

    Args:
        data: the file's content, without compression.

    >>> print(describe(b"<!DOCTYPE html><html>"))
    It is a web page, and not the file that the page offers. Download that file itself.
    >>> print(describe(b'{"<|im_end|>": 32001}'))
    It is an added_tokens.json, whose tokens belong to a tokenizer. The file to add is the model’s ...
    >>> print(describe(b"One line of prose."))
    It reads like a text, and no tokenizer. To see its tokens, open it in the playground; ...
    """
    if not data.strip(b"\0 \t\r\n"):
        return "It is empty, or has nothing but zeros in it. Download or copy it again."
    return _of_download(data) or _of_binary(data) or _of_json(data) or _of_text(data)


def _of_download(data: bytes) -> str:
    """What came instead of a file."""
    head = data[:1_000].lstrip()
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        size = re.search(rb"^size ([0-9]{1,15})", head, re.MULTILINE)
        of_size = f" of {bytes_in_words(int(size[1]))}" if size else ""
        return (
            f"It is a pointer of Git LFS to a file{of_size}, and not that file. Run git lfs pull, or "
            "download the file from its web page."
        )
    if re.search(rb"(?i)\A<(!doctype html|!--|html|head|body|title)", head):
        return "It is a web page, and not the file that the page offers. Download that file itself."
    if head.startswith(b"<?xml"):
        return "It is XML, such as a server’s error, and no tokenizer. Check the address it came from."
    if len(data) < 500 and _ERROR.match(head):
        said = shorten(" ".join(head.decode("utf-8", "replace").split()), 80)
        return (
            f"It is a server’s error message, “{said}”. Check the address, sign in if its page asks for it, "
            "and download the file again."
        )
    return ""


_ERROR = re.compile(
    rb'(?i)\{\s*"(error|detail)":\s*["{]|(error:? )?([0-9]{3}:? )?((entry |repository |file )?not found|'
    rb"access to (model|dataset)|invalid (user|cred)|unauthori[sz]ed|forbidden|too many requests|"
    rb"internal server error|bad gateway|we had to rate limit)"
)


def _of_binary(data: bytes) -> str:
    """What a file is by the bytes with which it begins."""
    other = next((what for magic, what in _OTHER.items() if data.startswith(magic)), "")
    if data[8:10] == b'{"' and data[5:8] == bytes(3):  # behind the length of this JSON
        other = "a model’s weights (safetensors)"
    elif data.startswith(b"PK") and b"/data.pkl" in data:
        other = "a model’s weights (PyTorch)"
    elif data[:1] == b"\x08" and data[2:3] == b"\x12":  # a version, then a producer
        other = "a model’s weights (ONNX)"
    if other:
        return f"It is {other}, and no tokenizer. {BESIDE}"
    packed = next((what for magic, what in _PACKED.items() if data.startswith(magic)), "")
    if data[257:262] == b"ustar":
        packed = "tar"
    if packed:
        return f"It is packed ({packed}). Unpack it, and add the tokenizer’s file, if one is in it."
    return ""


# JSON

_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*(\[\s*)*(["\]{0-9-]|true|false|null))')
_KERAS = re.compile(rb'\s*"?\{\s*\\?"class_name\\?":\s*\\?"Tokenizer')
_CHAT = "It is a chat, and no tokenizer. Paste it in the playground, as a chat."


def _of_json(data: bytes) -> str:
    if _KERAS.match(data[:200]):
        return (
            "It is a tokenizer.json of Keras, which numbers whole words, and not of Hugging Face’s library. "
            "To see what whole words cost, choose the tokenizer “words”."
        )
    if not _JSON.match(data[:1_000]):
        return ""
    if len(data) > MAX_JSON:
        return f"It is JSON, and no tokenizer that is known here. {BESIDE}"
    try:
        content = json.loads(data)
    except RecursionError:
        return f"It is JSON with too many lists or objects in one another, and no tokenizer. {BESIDE}"
    except ValueError:
        lines = data.splitlines()
        if len(lines) > 1 and all(line[:1] == b"{" for line in lines[:20] if line):
            return "It is JSON Lines, such as texts or chats, and no tokenizer. Choose another file."
        return "It is JSON that is damaged or was cut off. Copy it again."
    if isinstance(content, dict):
        return _of_object(content)
    if content and isinstance(content[0], dict) and "role" in content[0]:
        return _CHAT
    return f"It is a list in JSON, and a tokenizer needs more than a list. {BESIDE}"


_CONFIGURES = frozenset(
    "weight_map do_sample temperature transformers_version feature_extractor_type image_processor_type "
    "processor_class do_resize peft_type model_type architectures hidden_size bos_token eos_token unk_token "
    "additional_special_tokens".split()
)
"""Keys of the configurations that lie beside a model."""

_IN_MARKS = re.compile(r"<.+>|\[.+\]|\s+", re.DOTALL)
"""Matches what most added tokens look like."""


def _of_object(content: JsonMapping) -> str:
    if content and all(type(value) is int for value in content.values()):
        if all(map(_IN_MARKS.fullmatch, content)):
            return f"It is an added_tokens.json, whose tokens belong to a tokenizer. {BESIDE}"
        return f"It is JSON that numbers tokens or words, and does not say how a text is cut. {BESIDE}"
    if isinstance(content.get("messages", content.get("input")), list | str):
        return _CHAT
    if _CONFIGURES & content.keys():
        return (
            "It is a configuration, such as config.json, generation_config.json or special_tokens_map.json, "
            f"and does not list a model’s tokens. {BESIDE}"
        )
    keys = first_few([f"“{key[:40]}”" for key in content], 4)
    return f"It is JSON with {keys or 'nothing in it'}, and no tokenizer. {BESIDE}"


# Text


def _of_text(data: bytes) -> str:
    lines = [line for line in data[:4_000].splitlines()[:20] if line]
    if len(lines) > 1 and all(_PIECE.fullmatch(line) for line in lines[:-1]) and data[:200].count(b"<"):
        return (
            "It is the .vocab that SentencePiece writes for people to read, beside its .model. Add that "
            ".model."
        )
    if file_pairs.numbers_words(data):
        return f"It lists words or tokens with numbers, and not how a text is cut. {BESIDE}"
    words = [len(line.split()) for line in lines]
    if text_of(b"".join(lines[:1])) is not None and sum(words) > _FEW_WORDS * len(lines):
        return (
            "It reads like a text, and no tokenizer. To see its tokens, open it in the playground; to learn "
            "tokens from it, add it to your own texts on Train."
        )
    return ""


_FEW_WORDS = 3  # in a line, as in lists of tokens and of merges; prose has more
_PIECE = re.compile(rb"[^\t]+\t-?[0-9.]+(e-?[0-9]+)?")
