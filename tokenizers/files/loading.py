"""The table of file formats. ``load`` reads any file, recognised by its content; ``save`` writes one."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .. import limits
from ..amounts import bytes_in_words
from ..bpe.home import HomeEncoding, home_trained
from ..bpe.merging import no_garbage_collection
from ..encoding import Encoding
from ..families.sentencepieces import SentencePieces
from ..memory import give_back
from ..split import bounded
from ..split.patterns import PATTERNS
from ..text.rewriting import FORMS
from . import (
    clip,
    file_pairs,
    gguf,
    identify,
    known,
    minbpe,
    npm_tiktoken,
    ranks,
    rwkv,
    sentencepiece,
    tekken,
    tokenizer_json,
    tokenizer_json_pieces,
)
from .ranks import SpecialTokens
from .unpack import unmark, unpack

MAX_FILE_BYTES = limits.FILE_MB * limits.MB
"""The longest file of a tokenizer; of a .gguf file, its first bytes up to here are read."""

RANKS, WORD_LIST = ".tiktoken", "vocab.txt"
VOCABULARY = "vocab.json"
MERGES = "merges.txt"
CONFIG = "tokenizer_config.json"


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes:
        label: what people call it.
        ending: of the names of such files.
        recognises: whether a file's content is of this format, by its beginning.
        read: the encoding in it, under this name; a ValueError says in a sentence what is wrong. None: the
            file holds no vocabulary by itself, or leaves a question open (``load``).
        is_tried: whether an untrusted file is first loaded in a process with limits; not necessary where
            Python alone reads it.
    """

    label: str
    ending: str
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes, str], Encoding] | None = None
    is_tried: bool = True


FORMATS = (
    Format(RANKS, ".tiktoken", ranks.recognises),
    Format("minbpe’s .model", ".model", minbpe.recognises, minbpe.from_bytes, is_tried=False),
    Format("SentencePiece’s .model", ".model", sentencepiece.recognises, sentencepiece.from_bytes),
    Format(".gguf", ".gguf", gguf.recognises, gguf.from_bytes),
    Format("tekken.json", ".json", tekken.recognises, tekken.from_bytes),
    Format("tiktoken’s .json for JavaScript", ".json", npm_tiktoken.recognises, npm_tiktoken.from_bytes),
    Format("tokenizer.json", ".json", tokenizer_json.recognises, tokenizer_json.from_bytes),
    Format(
        "Token Grove’s own .ranks", ".ranks", ranks.recognises_with_pattern, ranks.with_pattern_from_bytes
    ),
    Format("RWKV’s vocabulary", ".txt", rwkv.recognises, rwkv.from_bytes),
    Format("CLIP’s vocabulary", ".txt", clip.recognises, clip.from_bytes, is_tried=False),
    Format(CONFIG, ".json", file_pairs.is_config),
    Format(VOCABULARY, ".json", file_pairs.is_vocab_json),
    Format(WORD_LIST, ".txt", file_pairs.is_vocab_txt),
    Format(MERGES, ".txt", file_pairs.is_merges_txt),
)
"""All formats. The first that recognises a file reads it.

A new one is a module beside this one with ``recognises`` and ``from_bytes``, and an entry here. It checks
what would make ids wrong; a file that could crash or bloat a library is stopped by ``trial``. The encoding
keeps the file (``keep_file``), so that it can be saved. What a file does not say is a parameter of
``load``, and a ``Question`` in ``pages/session/pending_tokenizers.py``. If a BPE that was trained here can
be saved in it: ``to_bytes``, and an entry in ``WRITERS``.
"""

LABELS = [
    *(each.label for each in FORMATS if each.label not in (CONFIG, VOCABULARY, MERGES)),
    f"{VOCABULARY} and {MERGES}",
]
"""The names of the formats that hold a tokenizer."""

WRITERS: dict[str, Callable[[HomeEncoding], bytes]] = {
    ".sentencepiece.model": sentencepiece.to_bytes,
    ".model": minbpe.to_bytes,
    ".tiktoken": ranks.to_bytes,
    ".tiktoken.json": npm_tiktoken.to_bytes,
    ".json": tokenizer_json.to_bytes,
}
"""The formats of a home-trained BPE, by the ending of the file's name: the first that fits. Only .model keeps
everything."""


def format_of(data: bytes) -> Format | None:
    """The format of a file that is not compressed, by its beginning; None: unknown.

    >>> format_of(b"IQ== 0\\n").label, format_of('{"!": 0, "Ġ": 1}'.encode()).label, format_of(b"GIF89a")
    ('.tiktoken', 'vocab.json', None)
    """
    data = unmark(data)
    return next((each for each in FORMATS if each.recognises(data)), None)


class Told(NamedTuple):
    """What a person says of a file that does not say it: arguments of ``load``."""

    pattern: str | None
    normalizer: str | None
    special_tokens: SpecialTokens
    lowercase: bool | None


def load(
    source: str | os.PathLike[str] | bytes,
    name: str | None = None,
    *,
    beside: bytes = b"",
    pattern: str | None = "",
    normalizer: str | None = "",
    special_tokens: SpecialTokens = (),
    lowercase: bool | None = None,
    is_trusted: bool = True,
) -> Encoding:
    """The encoding in a tokenizer file of any format, recognised by its content.

    Args:
        source: the file's path, or its content, which gzip, xz or bzip2 may have compressed.
        name: what to call the encoding; by default as the file.
        beside: the content of the file that belongs to it: merges.txt beside a vocab.json, or
            tokenizer_config.json beside a tokenizer.json.
        pattern: the split pattern (None: no walls) for a .tiktoken file, and for a vocab.json with its
            merges.txt, which do not hold it: a name in ``PATTERNS``, a regular expression, or a name that
            llama.cpp has for the way in which a model cuts a text, such as command-r. Those of published
            models are recognised.
        normalizer: the normal form of Unicode for a vocab.json with its merges.txt, such as NFC; None: none.
        special_tokens: of the same files, which do not hold them either.
        lowercase: for a vocab.txt, which does not say it: whether capitals and accents are dropped.
        is_trusted: False: the file is first loaded in a process with limits of memory and time, since a file
            that was made by hand could end this one.

    Raises:
        OSError: the file cannot be read, or the library that reads such files is not installed.
        ValueError: it is no tokenizer file, it is damaged, its ids could not be exact here, or it leaves a
            question open that an argument has to answer.

    >>> load(b"minbpe v1\\n\\n0\\n104 105\\n").encode("hi")
    [256]
    >>> load(b"IQ== 0\\n")
    Traceback (most recent call last):
    ...
    ValueError: It does not hold its split pattern: pass, for example, load(…, pattern="gpt4"), or in ...
    >>> load(b"GIF89a")
    Traceback (most recent call last):
    ...
    ValueError: It is a picture (GIF), and no tokenizer. The file to add is the model’s tokenizer.json or ...
    """

    beside = plain(beside)
    told = Told(pattern, normalizer, special_tokens, lowercase)

    def read(data: bytes, name: str) -> Encoding:
        data = plain(data)
        form = format_of(data)
        memory = 0
        if form is not None and form.is_tried and not is_trusted:
            memory = _try(data, name, beside, told)
        with no_garbage_collection():  # a third of the time, for millions of texts and pairs without a cycle
            encoding = _read(form, data, name, beside, told)
        encoding.memory = memory
        if len(data) > _LARGE:
            give_back()
        return encoding

    if isinstance(source, bytes):
        return read(source, name or "tokenizer")
    path = Path(source)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL in it
        raise OSError(f"{path} cannot be read: {_reason(problem)}.") from None
    try:
        return read(data, name or path.stem)
    except ValueError as problem:
        raise ValueError(f"{path} cannot be loaded. {problem}") from None


# A file that was made by hand can crash the libraries that read it, or make them take all memory. So a file
# that a person uploads, links or fetches is loaded here only after a process with limits has loaded it.

TRIAL_SECONDS = 60.0
TRIAL_MEMORY = 2 << 30
"""Limits of a trial. The largest files in use take 0.4 GB and 5 s."""

PATIENCE = 60.0
"""Seconds that a trial waits for others."""

_PARTS = {
    VOCABULARY: (VOCABULARY, MERGES),
    MERGES: (MERGES, VOCABULARY),
    CONFIG: (f"{CONFIG} or a chat template", "tokenizer.json"),
}
"""Of each format that holds a part: what it is, and what belongs to it."""

_ROOT = Path(__file__).resolve().parents[2]
_TRIAL = Path(__file__).with_name("trial.py")
_slots = threading.BoundedSemaphore(2)
_passed: dict[bytes, int] = {}  # bytes that the encoding of a file takes, by a digest
_LARGE = 100_000  # bytes of a file after which memory is given back


def _try(data: bytes, name: str, beside: bytes, told: Told) -> int:
    """Load a file in a process with limits, unless that went well before; returns the bytes that it took.

    Raises:
        ValueError: what ``load`` raises of it, or that it takes too much. BusyError: others wait, too.
    """
    digest = hashlib.sha256(b"\0".join((hashlib.sha256(data).digest(), beside))).digest()
    if digest not in _passed:
        most = bytes_in_words(TRIAL_MEMORY)
        _passed[digest] = bounded.run(
            *(_TRIAL, "load", [str(_ROOT), *sys.path], data, name, beside, told._asdict()),
            seconds=TRIAL_SECONDS,
            memory=TRIAL_MEMORY,
            too_slow=f"It takes longer than {TRIAL_SECONDS:.0f} seconds to load.",
            too_large=f"The library that reads it crashes, or needs more than {most} of memory.",
            slots=_slots,
            patience=PATIENCE,
        )
    return _passed[digest]


def _read(form: Format | None, data: bytes, name: str, beside: bytes, told: Told) -> Encoding:
    if form is None and (what := identify.describe(data)):
        raise ValueError(what)
    if len(data) > MAX_FILE_BYTES and not gguf.recognises(data):
        raise ValueError(
            f"The file is larger than {bytes_in_words(MAX_FILE_BYTES)}, the limit for a tokenizer."
        )
    if form is None:
        labels = ", ".join(LABELS)
        raise ValueError(f"It is not one of the files that can be read here. Choose one of these: {labels}.")
    if form.label == RANKS:
        way, pattern = _way(data, b"", told.pattern, None), told.pattern
        if pattern is not None and way.pattern is None:
            raise ValueError(f"tiktoken splits by one pattern, and {pattern} has several steps.")
        if told.normalizer:
            raise ValueError(f"A {RANKS} file has no normaliser, so {told.normalizer} cannot be applied.")
        pattern = pattern if pattern in PATTERNS else way.pattern
        return ranks.from_bytes(data, name, pattern, told.special_tokens)
    if form.label == WORD_LIST:
        if told.lowercase is None:
            raise ValueError(
                "It does not say whether text is lowercased: pass load(…, lowercase=True), or in a terminal "
                "--lowercase yes before the command."
            )
        return tokenizer_json.from_bytes(file_pairs.from_vocab_txt(data, told.lowercase), name)
    if form.label == VOCABULARY and beside:
        way = _way(data, beside, told.pattern, told.normalizer)
        joined = file_pairs.join_vocab_and_merges(data, beside, way, told.special_tokens)
        return tokenizer_json.from_bytes(joined, name)
    if form.read is None:
        what, other = _PARTS[form.label]
        raise ValueError(f"It is a {what}, which is only part of a tokenizer. Add its {other}, too.")
    if beside:
        data = file_pairs.join_template(data, beside)
    return form.read(data, name)


def recognise(data: bytes, beside: bytes = b"") -> known.Known | None:
    """The published vocabulary in a .tiktoken file, or in a vocab.json with its merges.txt; None: not known.

    Raises:
        ValueError: a line of the file is damaged.
    """
    if beside:
        merges = file_pairs.read_merges(unmark(beside))
        return known.recognise("".join(f"{merge}\n" for merge in merges).encode("utf-8", "replace"))
    return known.recognise(ranks.write_ranks(ranks.read_ranks(unmark(data))))


def _way(data: bytes, beside: bytes, pattern: str | None, normalizer: str | None) -> known.Way:
    """How a text is cut, as it was told, or as it is known of a recognised vocabulary.

    Raises:
        ValueError: a part was not told and is not known, or cannot be.
    """
    found = recognise(data, beside) if pattern == "" else None
    if found is not None and len(found.ways) == 1:
        pattern, normalizer = found.ways[0], normalizer if normalizer != "" else found.form or ""
    if pattern != "":
        way = known.way_of(pattern)
        form = way.form if normalizer == "" else normalizer
        if form in (None, *FORMS) or not beside:
            return dataclasses.replace(way, form=form)
    more = (" and its normaliser", ', normalizer="NFC"', " --normalizer NFC")
    what, such, options = more if beside else ("", "", "")
    is_of = f" Its vocabulary is that of {found.label}: {' or '.join(found.ways)}." if found else ""
    raise ValueError(
        f'It does not hold its split pattern{what}: pass, for example, load(…, pattern="gpt4"{such}), or in '
        f"a terminal --pattern gpt4{options} before the command.{is_of}"
    )


def plain(data: bytes) -> bytes:
    """A file as it was before it was compressed (once, by gzip, xz or bzip2), in UTF-8 without a mark.

    Raises:
        ValueError: it is damaged, or was cut off.
    """
    return unmark(unpack(data, MAX_FILE_BYTES))


def trim(data: bytes) -> bytes:
    """What ``load`` needs of a file that is not compressed: of a .gguf the header, of a text all, in UTF-8.

    Raises:
        ValueError: the header is damaged, or longer than these bytes.
    """
    return gguf.trim(data) if gguf.recognises(data) else unmark(data)


def file_of(encoding: Encoding) -> bytes:
    """The content of a file from which ``load`` reads this encoding again.

    Raises:
        ValueError: it comes with the app, and in no file.

    >>> from tokenizers import get_encoding
    >>> load(file_of(get_encoding("grove-udhr-8k"))).encode("hello") == (
    ...     get_encoding("grove-udhr-8k").encode("hello"))
    True
    """
    if encoding.saved is not None:
        return encoding.saved
    trained = home_trained(encoding)
    if trained is not None:
        return minbpe.to_bytes(trained)
    raise ValueError(f"{encoding.name} comes with the app and has no file of its own.")


def save(encoding: Encoding, path: str | os.PathLike[str]) -> Path:
    """Write an encoding to a file from which ``load`` reads it again, and return the path.

    The ending of a home-trained BPE's path chooses the format: .tiktoken, .tiktoken.json (tiktoken in
    JavaScript), .json (tokenizer.json), .sentencepiece.model, or else minbpe's .model, the only one that
    keeps everything. A SentencePiece model is written as a tokenizer.json if the path ends with .json. Other
    encodings are written as ``file_of`` has them.

    Raises:
        OSError: the file cannot be written; names it.
        ValueError: the format cannot hold this encoding, or it comes with the app, and in no file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(HomeEncoding([(97, 97), (256, 98)]), Path(folder, "small.model"))
    ...     load(path).encode("aab")
    [257]
    """
    path = Path(path)
    trained = home_trained(encoding)
    ending = next((each for each in WRITERS if path.name.lower().endswith(each)), ".model")
    if trained is not None:
        data = WRITERS[ending](trained)
    elif ending == ".json" and isinstance(encoding, SentencePieces):
        data = tokenizer_json_pieces.to_bytes(encoding)
    else:
        data = file_of(encoding)
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as problem:
        raise OSError(f"{path} cannot be written: {_reason(problem)}. Choose another place.") from None
    return path


def _reason(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
