"""Any file that holds a tokenizer: recognised by its content, never by its name.

``READERS`` has one reader for each kind of file, and ``read_any`` asks them in turn. What was read stays at
hand in the encoding (``Encoding.saved``), so that it can be kept and read again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..amounts import bytes_in_words
from ..bpe.merging import no_garbage_collection
from ..checks import check_bytes, check_string
from ..encoding import Encoding
from . import (
    chat_template,
    gguf_file,
    listed_file,
    sentencepiece_file,
    storage,
    tekken_file,
    tokenizer_json,
    walled_ranks_file,
)
from .ranks import is_rank_file

MAX_BYTES = storage.MAX_BYTES
"""No file of a tokenizer is longer; of a longer one, nothing is read."""

USUAL_MEMORY = 25.0
"""Bytes of memory that an encoding takes for each byte of its file, where its kind says nothing else."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of file.

    Attributes:
        label: what people call it.
        ending: of the names of such files.
        recognises: whether a file's content is of this kind, by a look at its beginning.
        read: the encoding in it, under this name; a ValueError says in a sentence what is wrong with it.
        memory: how many bytes of memory its encoding takes for each byte of the file, at most as far as
            ``benchmarks.uploaded_files`` measured it; ``estimate_room`` looks closer at a tokenizer.json.
    """

    label: str
    ending: str
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes, str], Encoding]
    memory: float = USUAL_MEMORY


READERS = (
    Reader("minbpe’s .model", ".model", storage.recognises, storage.parse, 70),
    Reader("SentencePiece’s .model", ".model", sentencepiece_file.recognises, sentencepiece_file.from_bytes),
    Reader(".gguf", ".gguf", gguf_file.recognises, gguf_file.from_bytes, 45),
    Reader("Token Grove’s own .json", ".json", listed_file.recognises, listed_file.from_bytes),
    Reader("tekken.json", ".json", tekken_file.recognises, tekken_file.from_bytes),
    Reader("tokenizer.json", ".json", tokenizer_json.recognises, tokenizer_json.from_bytes),
    Reader("Token Grove’s own .ranks", ".ranks", walled_ranks_file.recognises, walled_ranks_file.from_bytes),
)
"""Every kind of file that holds all of its encoding. The first that recognises a file reads it.

A .tiktoken file is not among them: it does not hold its split pattern (``ranks.is_rank_file``).
"""


def read_any(data: bytes, name: str, *, file: str = "") -> Encoding:
    """The encoding in a file of any kind.

    Args:
        data: the file's content.
        name: what to call the encoding.
        file: what to call the file where it cannot be read; by default as the encoding.

    Raises:
        ValueError: it is no file of a tokenizer, a damaged one, or one whose ids could not be exact here.
        OSError: the library that reads such files is not installed.

    >>> read_any(b"minbpe v1\\n\\n0\\n104 105\\n", "sapling").encode("hi")
    [256]
    >>> read_any(b"GIF89a", "picture")
    Traceback (most recent call last):
    ...
    ValueError: picture cannot be loaded. It is none of the files that are read here: minbpe’s .model, ...
    """
    check_bytes(data, "data")
    check_string(name, "name")
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(
                f"The file is larger than {bytes_in_words(MAX_BYTES)}: no tokenizer here takes so much."
            )
        reader = _reader_of(data)
        with no_garbage_collection():  # a third of the time, for millions of texts and pairs without a cycle
            return reader.read(data, name)
    except ValueError as problem:
        raise ValueError(f"{file or name} cannot be loaded. {problem}") from None


def _reader_of(data: bytes) -> Reader:
    if is_rank_file(data):
        raise ValueError(
            "A .tiktoken file does not tell its split pattern: bring it on the page Bring, which asks for it."
        )
    for reader in READERS:
        if reader.recognises(data):
            return reader
    kinds = ", ".join(reader.label for reader in READERS)
    raise ValueError(f"It is none of the files that are read here: {kinds}, .tiktoken.")


def estimate_room(data: bytes) -> int:
    """Bytes of memory that the encoding of a file takes as long as it is here, before the file is read.

    An upper estimate, by the file's kind and size, or by the values in its JSON.

    >>> estimate_room(b"minbpe v1\\n\\n0\\n104 105\\n")
    1470
    """
    if tokenizer_json.recognises(data):
        # A token has an id, or is in a list with its score; but a list may be a merge, too.
        of_list = _JSON_MERGE if b'"merges"' in data else _JSON_TOKEN
        values = _JSON_VALUE * data.count(b",")
        return _JSON_TOKEN * data.count(b":") + of_list * data.count(b"[") + values
    reader = next((reader for reader in READERS if reader.recognises(data)), None)
    return int((USUAL_MEMORY if reader is None else reader.memory) * len(data))


_JSON_TOKEN, _JSON_MERGE, _JSON_VALUE = 1_600, 500, 280  # bytes for each


def has_header(data: bytes) -> bool:
    """Whether a file's header alone holds its tokenizer, by the file's first bytes: it is a .gguf."""
    return gguf_file.recognises(data)


def trim_to_header(data: bytes) -> bytes:
    """What ``read_any`` needs of a file: of a .gguf its header, of another one all.

    Raises:
        ValueError: the header is damaged, or longer than these bytes.
    """
    return gguf_file.trim(data) if has_header(data) else data


def file_of(encoding: Encoding) -> bytes:
    """The content of a file from which ``read_any`` reads this encoding again.

    Raises:
        ValueError: it comes with the app, and in no file.

    >>> from tokenizers import get_encoding
    >>> read_any(file_of(get_encoding("grove-udhr-8k")), "again").encode("hello") == (
    ...     get_encoding("grove-udhr-8k").encode("hello"))
    True
    """
    if encoding.saved is not None:
        return encoding.saved
    if encoding.training is not None and encoding.chat_template is not None:  # which a .model cannot hold
        template = tokenizer_json.ChatTemplate(encoding.chat_template, encoding.chat_names)
        return chat_template.put_template(tokenizer_json.to_bytes(encoding.training), template)
    if encoding.training is not None:
        return storage.to_bytes(encoding.training)
    raise ValueError(f"{encoding.name} comes with the app: there is no file to save it as.")


def reader_of_saved(encoding: Encoding) -> Reader:
    """The kind of file that ``file_of`` gives of an encoding.

    Raises:
        ValueError: it comes with the app, and in no file.
    """
    return _reader_of(file_of(encoding))
