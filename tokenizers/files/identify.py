"""What a file is that holds no tokenizer which can be read: a sentence that says so, and what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping

from ..amounts import bytes_in_words, shorten
from ..json_types import JsonMapping
from ..steps import first_few
from ..utf8 import text_of
from . import file_pairs

MAX_JSON = 1 << 20
"""Bytes of JSON that are parsed to find what it is: parsing takes many times its memory."""

BESIDE = "The file to add is the model’s tokenizer.json or tokenizer.model."

_WEIGHTS = {
    b"\x89HDF\r\n\x1a\n": "HDF5",
    b"lmgg": "GGML, of before .gguf",
    b"fmgg": "GGML, of before .gguf",
    b"tjgg": "GGML, of before .gguf",
    b"algg": "a LoRA of llama.cpp",
}

_PACKED = {
    b"PK\3\4": "zip",
    b"PK\5\6": "zip",
    b"7z\xbc\xaf": "7-Zip",
    b"Rar!": "RAR",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"\x04\x22\x4d\x18": "LZ4",
}

_OTHER = {
    b"%PDF": "a PDF",
    b"RIFF": "a picture or a sound (RIFF)",
    b"OggS": "a sound (Ogg)",
    b"ID3": "a sound (MP3)",
    b"II*\0": "a picture (TIFF)",
    b"{\\rtf": "a document (RTF)",
    b"\0\5\x16\7": "what macOS keeps beside a file",
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"SQLite format 3": "a database (SQLite)",
    b"PAR1": "a table (Parquet)",
    b"ARROW1": "a table (Arrow)",
    b"\x93NUMPY": "an array of numbers (NumPy)",
    b"\x7fELF": "a program",
    b"MZ\x90\0": "a program",
    b"\xd0\xcf\x11\xe0": "a document of Office",
}

_NAMES = ("tokenizer.json", "tokenizer.model", "tekken.json", "spiece.model", "vocab.txt", "merges.txt")
"""Files of tokenizers, whose names stand in an archive as they are."""


def describe(data: bytes) -> str:
    """A sentence that says what a file is, and one that says what to do; empty: it is not known.

    Args:
        data: the file's content, without compression.

    >>> print(describe(b"<!DOCTYPE html><html>"))
    It is a web page, and not the file that the page offers. Download that file itself.
    >>> print(describe(b'{"<|im_end|>": 32001}'))
    It is an added_tokens.json, with 1 token that belongs to a tokenizer. The file to add ...
    >>> print(describe(b"One line of prose."))
    It reads like a text, and no tokenizer. To see its tokens, open it in the playground; ...
    """
    if not data.strip(b"\0 \t\r\n"):
        return "It is empty, or has nothing but zeros in it. Download or copy it again."
    return _of_pointer(data) or _of_binary(data) or _of_json(data) or _of_text(data)


def _of_pointer(data: bytes) -> str:
    """What stands for a file, or came instead of it."""
    head = _BEFORE_TAGS.sub(b"", data[:1_000], count=1)
    if head.startswith(b"version https://git-lfs.github.com/spec/"):
        size = re.search(rb"^size ([0-9]{1,15})", head, re.MULTILINE)
        of_size = f" of {bytes_in_words(int(size[1]))}" if size else ""
        return (
            f"It is a pointer of Git LFS to a file{of_size}, and not that file. Run git lfs pull, or "
            "download the file from its web page."
        )
    if b"/annex/objects/" in head:
        return "It is a pointer of git-annex, and not the file itself. Run git annex get."
    if link := re.fullmatch(rb"(\.\./[^\r\n]{1,500})\s*", data):  # as Git writes it where there are none
        path = shorten(link[1].decode("utf-8", "replace"), 80)
        return f"It is a symbolic link to {path}, and not that file. Add the file itself."
    if re.match(rb"(?i)<!doctype html|<(html|head|body|title)\b", head):
        return "It is a web page, and not the file that the page offers. Download that file itself."
    if re.match(rb"(?i)<(!doctype )?svg\b", head):
        return "It is a picture (SVG), and no tokenizer. Choose another file."
    if data.lstrip().startswith((b"<?xml", b"<Error>")):
        return "It is XML, such as a server’s error, and no tokenizer. Check the address it came from."
    if len(data) < 500 and _ERROR.match(head):
        return _say_error(head.decode("utf-8", "replace"))
    return ""


def _say_error(message: str) -> str:
    said = shorten(" ".join(message.split()), 80)
    again = "Check the address, sign in if its page asks for it, and download the file again."
    return f"It is a server’s error message, “{said}”. {again}"


_ERROR = re.compile(
    rb"(?i)(error:? )?([0-9]{3}:? )?((entry |repository |file )?not found|access to (model|dataset)|"
    rb"invalid (user|cred)|bad credentials|unauthori[sz]ed|forbidden|api rate limit|too many requests|"
    rb"(internal server|gateway) error|bad gateway|service (temporarily )?unavailable|we had to rate limit)"
)

_BEFORE_TAGS = re.compile(rb"\s*(<\?xml.*?\?>\s*)?(<!--.*?-->\s*)*", re.DOTALL)
"""Matches what may stand before the first tag of a page."""


_PRINTED = re.compile(rb"[\t\r\n -~]+")


def _of_binary(data: bytes) -> str:
    """What a file is by the bytes with which it begins."""
    head = data[:1_000]
    weights = next((what for magic, what in _WEIGHTS.items() if data.startswith(magic)), "")
    if data[8:10] == b'{"' and 0 < int.from_bytes(data[:8], "little") < 1 << 40:
        weights = "safetensors"
    elif data[4:8] == b"TFL3":
        weights = "TensorFlow Lite"
    elif data[:1] == b"\x08" and data[2:3] in (b"\x12", b"\x3a"):  # the version, then a producer or graph
        weights = "ONNX or TensorFlow"
    elif data.startswith(b"PK") and b"/data.pkl" in data:
        weights = "PyTorch"
    if weights:
        return f"It is a model’s weights ({weights}), which hold no tokenizer. {BESIDE}"
    if data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        return (
            "It is a pickle of Python, such as a model’s weights, and is not opened because it can run any "
            f"program. {BESIDE}"
        )
    if data.startswith(b"PK") and b"[Content_Types].xml" in data:
        return "It is a document of Office, and no tokenizer. Choose another file."
    if data.startswith(b"PK") and b".npyPK" in data:  # the table at its end names each array
        return "It holds arrays of numbers (NumPy), and no tokenizer. Choose another file."
    packed = next((what for magic, what in _PACKED.items() if data.startswith(magic)), "")
    if data[257:262] == b"ustar":
        packed = "tar"
    if packed:
        name = next((name for name in _NAMES if name.encode() in data), "")
        inside = f"the {name} in it" if name else "the tokenizer’s file, if one is in it"
        return f"It is packed ({packed}). Unpack it, and add {inside}."
    other = next((what for magic, what in _OTHER.items() if head.lstrip().startswith(magic)), "")
    if other:
        return f"It is {other}, and no tokenizer. Choose another file."
    letters = head.replace(b"\0", b"")
    if _PRINTED.fullmatch(letters) and len(letters) * 2 == len(head):
        return "It is text in UTF-16 without a byte order mark. Save it as UTF-8."
    return ""


# JSON

_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*(\[\s*)*(["\]{0-9-]|true|false|null))')
_CHAT = "It is a chat, and no tokenizer. Paste it in the playground, as a chat."


def _of_json(data: bytes) -> str:
    if re.match(rb'\s*"?\{\s*\\?"class_name\\?":\s*\\?"Tokenizer', data[:200]):
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
    if isinstance(content, list):
        if content and isinstance(content[0], dict) and "role" in content[0]:
            return _CHAT
        return f"It is a list in JSON, and a tokenizer needs more than a list. {BESIDE}"
    return _of_object(content)


_SEES = "a preprocessor_config.json or processor_config.json, which says how a model reads pictures or sound"
_HOLDS_SIZES = "a model’s config.json, which holds its sizes and no tokens"
_NAMES_TOKENS = "a special_tokens_map.json or the like, which only names special tokens"
_WRITES = "a generation_config.json, which says how a model writes"


def _of_object(content: JsonMapping) -> str:
    values = list(content.values())
    if content and all(type(value) is int for value in values) and not _SIZES & content.keys():
        return _of_numbered(content)
    if isinstance(content.get("messages", content.get("input")), list | str):
        return _CHAT
    is_dictionary = len(content) > _MOST_KEYS
    for keys, what in _CONFIGS.items() if not is_dictionary else ():
        if any(key in content for key in keys.split()):
            return f"It is {what}. {BESIDE}"
    for key in ("error", "message", "detail"):
        said = content.get(key)
        said = said.get("message") if isinstance(said, dict) else said
        is_error = key == "error" and not is_dictionary
        if isinstance(said, str) and (is_error or _ERROR.match(said.encode())):
            return _say_error(said[:1_000])
    keys = first_few([f"“{key[:40]}”" for key in content], 4)
    return f"It is JSON with {keys or 'nothing in it'}, and no tokenizer. {BESIDE}"


_MOST_KEYS = 200
"""Keys of a configuration. An object with more may list words, such as “scripts”."""

_CONFIGS = {
    "weight_map": "the index of a model’s weights",
    "do_sample num_beams max_new_tokens top_p temperature _from_model_config": _WRITES,
    "feature_extractor_type image_processor_type processor_class image_mean do_resize": _SEES,
    "peft_type": "the adapter_config.json of a model",
    "model_type architectures hidden_size d_model n_layers": _HOLDS_SIZES,
    "transformers_version": _WRITES,
    "dependencies devDependencies scripts": "the package.json of a JavaScript package",
    "bos_token eos_token unk_token pad_token cls_token additional_special_tokens": _NAMES_TOKENS,
    "lockfileVersion": "the package-lock.json of a JavaScript package",
    "nbformat": "a notebook of Jupyter",
}
"""What an object of JSON is if it has one of these keys; the first that fits."""

_LETTERS = "To see a text as letters, choose the tokenizer “characters”."


_SIZES = {"hidden_size", "d_model", "n_layers"}
"""Keys of a model's config.json, whose values may all be numbers."""

_IN_MARKS = re.compile(r"<.+>|\[.+\]|\s+", re.DOTALL)
"""Matches what most added tokens look like."""


def _is_of_letters(tokens: Collection[str]) -> bool:
    """Whether tokens are those of a speech model: letters, with | for a space, and special ones.

    >>> _is_of_letters(["<pad>", "|", "E", "T"]), _is_of_letters(["|", "E", "in"])
    (True, False)
    """
    return "|" in tokens and all(len(token) == 1 or _IN_MARKS.fullmatch(token) for token in tokens)


def _of_numbered(content: Mapping[str, int]) -> str:
    """What texts with numbers are."""
    numbers = sorted(content.values())
    follow = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if all(map(_IN_MARKS.fullmatch, content)) or (follow and len(numbers) > 1 and numbers[0] >= 256):
        tokens = f"{len(content):,} tokens that belong" if len(content) > 1 else "1 token that belongs"
        return f"It is an added_tokens.json, with {tokens} to a tokenizer. {BESIDE}"
    if all(key.endswith("_id") for key in content):
        return f"It is {_WRITES}. {BESIDE}"
    if _is_of_letters(content):
        return f"It is the vocab.json of a speech model such as wav2vec 2.0, which lists letters. {_LETTERS}"
    if follow and numbers[0] in (0, 1):
        return f"It is JSON that numbers tokens or words, and does not say how a text is cut. {BESIDE}"
    return (
        "It is JSON that gives texts numbers, and not the ids of a tokenizer: those begin at 0 and are all "
        f"different. {BESIDE}"
    )


# Text


def _of_text(data: bytes) -> str:
    lines = [line for line in data[:4_000].splitlines()[:20] if line]
    if len(lines) > 1 and all(_PIECE.fullmatch(line) for line in lines[:-1]) and data[:200].count(b"<"):
        return (
            "It is the .vocab that SentencePiece writes for people to read, beside its .model. Add that "
            ".model."
        )
    if file_pairs.is_symbol_table(data):
        return f"It lists tokens or words with their numbers, and not how a text is cut. {BESIDE}"
    if file_pairs.numbers_of_lines(data):
        what = "texts with numbers, such as word counts, and not a tokenizer’s ids"
        return f"It lists {what}. Choose another file."
    words = [len(line.split()) for line in lines]
    if text_of(b"".join(lines[:1])) is not None and sum(words) > _FEW_WORDS * len(lines):
        return (
            "It reads like a text, and no tokenizer. To see its tokens, open it in the playground; to learn "
            "tokens from it, add it to your own texts on Train."
        )
    return ""


_FEW_WORDS = 3  # in a line, as in lists of tokens and of merges; prose has more
_PIECE = re.compile(rb"[^\t]+\t-?[0-9.]+(e-?[0-9]+)?")
