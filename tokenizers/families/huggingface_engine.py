"""Hugging Face's engine: how it is loaded and asked, the steps of its files, and what a token stands for."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..amounts import shorten
from ..json_types import JsonMapping, JsonObject
from ..limits import MB, PATTERN_SECONDS
from ..numbered import numbered
from ..split import bounded, engines
from ..split.engines import last_line, load_huggingface
from ..split.patterns import is_linear
from ..text.spelling import byte_characters
from .sentencepieces import SPACE

PipelineStep = JsonMapping


@functools.cache
def huggingface_engine() -> Any:
    """The library's compiled module, loaded with the first encoding that needs it.

    Raises:
        OSError: it is not installed.

    >>> hasattr(huggingface_engine(), "Tokenizer")
    True
    """
    try:
        return load_huggingface()
    except ImportError as problem:
        raise OSError(
            f"This tokenizer needs Hugging Face’s library, and {problem}. Install it: pip install tokenizers"
        ) from None


NO_UNKNOWN = "a part of it is no token, and the file's unknown token is none either"


@contextlib.contextmanager
def engine_errors(sentence: str) -> Iterator[None]:
    """Raise the engine's errors and panics as a ValueError: ``sentence``, a colon, and what it says."""
    try:
        yield
    except (MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        said = last_line(problem).rstrip(".").partition(" at line ")[0]  # of the library's copy of the file
        if any(words in said for words in ("Unk token", "Missing", "`unk_id` is missing")):
            said = NO_UNKNOWN
        raise ValueError(f"{sentence}: {said}.") from None


def build_engine(content: JsonMapping) -> Any:
    """The library's tokenizer for the content of a tokenizer.json. Special tokens are plain text for it.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the content; says why.
    """
    library = huggingface_engine()
    with engine_errors("Hugging Face's library cannot read it"):
        engine = library.Tokenizer.from_str(json.dumps(content, ensure_ascii=False))
    engine.encode_special_tokens = True
    return engine


NO_MODEL = {"type": "BPE", "vocab": {}, "merges": []}


_SECONDS_PER_MB = 2
"""Seconds that a pattern may take for each MB of a text, for each second that it may take on a short one."""

_MEMORY_PER_CHARACTER = 400
"""Bytes that the steps before the model may take for each character of a text."""


class Trial:
    """Does a tokenizer.json's steps before its model, or its decoder's, in a process with limits first.

    What ends there in time ends here in the same time, and other threads run meanwhile. A file without a
    pattern that may take long is not tried.

    Args:
        content: of the tokenizer.json, but for its model.

    Attributes:
        patterns: those that may take long.
    """

    def __init__(self, content: JsonMapping) -> None:
        self.patterns = [pattern for pattern in patterns_of(content) if not is_linear(pattern)]
        self._steps = json.dumps({"version": "1.0", "model": NO_MODEL, **content}) if self.patterns else ""

    def __call__(self, texts: Sequence[str], *, decodes: bool = False) -> None:
        """Try the steps on these texts, or the decoder on these tokens.

        Raises:
            ValueError: they take too long, or too much memory; says which pattern.
        """
        if not self.patterns:
            return
        n_chars = sum(map(len, texts))
        seconds = PATTERN_SECONDS * (1 + _SECONDS_PER_MB * n_chars / MB)
        memory = bounded.MEMORY + _MEMORY_PER_CHARACTER * n_chars
        one = f"A pattern of this tokenizer, “{shorten(self.patterns[0], 60)}”, takes"
        instead = "on this text. Take a shorter one, or one without long runs of one kind of character."
        try:
            bounded.run(
                *(Path(engines.__file__), "take_steps", self._steps, list(texts), decodes),
                seconds=seconds,
                memory=memory,
                too_slow=f"{one} more than {seconds:.1f} seconds {instead}",
                too_large=f"{one} too much memory {instead}",
            )
        except bounded.LimitError:
            raise
        except ValueError:  # the library says so here, too
            return


def build_byte_engine(engine: Any) -> Any:
    """An engine with the steps and the added tokens of another one, whose model gives each byte as its value.

    Its added tokens have other ids.
    """
    library = huggingface_engine()
    ids = numbered(BYTE_NAMES)
    of_bytes = library.Tokenizer(library.models.BPE(vocab=ids, merges=[], byte_fallback=True))
    for part in ("normalizer", "pre_tokenizer"):
        if getattr(engine, part) is not None:
            setattr(of_bytes, part, getattr(engine, part))
    of_bytes.add_tokens(list(engine.get_added_tokens_decoder().values()))
    of_bytes.encode_special_tokens = True
    return of_bytes


def build_normaliser(step: PipelineStep) -> Any:
    """The library's normaliser of one step."""
    return build_engine({"normalizer": step, "added_tokens": [], "model": NO_MODEL}).normalizer


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What a file says of a tokenizer.

    Attributes:
        content: that of a tokenizer.json which cuts no text off and fills none up, as the engine reads it.
        original: the file's own content, of a tokenizer.json or of another file that says the same.
        steps: what is done to a text: pairs of the step's name and what it does.
        is_published: whether it comes with the app, so that a test has checked that its merges can be drawn.
        apart: by the id of a token that its publisher does not list, and that merges make: the ids that it
            becomes. It has a higher id than all tokens that are listed.
    """

    content: JsonObject
    original: bytes
    steps: tuple[tuple[str, str], ...]
    is_published: bool
    apart: Mapping[int, Sequence[int]]


def steps_of(step: PipelineStep | None) -> list[PipelineStep]:
    """The steps of a normaliser, a pre-tokeniser or a decoder, without the sequences around them.

    >>> [step["type"] for step in steps_of({"type": "Sequence", "decoders": [{"type": "Fuse"}]})]
    ['Fuse']
    >>> len(steps_of({"type": "Lowercase", "normalizers": []}))  # the library reads no list of another type
    1
    """
    if step is None:
        return []
    lists = [step[key] for key in ("normalizers", "pretokenizers", "decoders") if key in step]
    if step.get("type", "Sequence") != "Sequence" or not lists:
        return [step]
    return [each for parts in lists for part in parts for each in steps_of(part)]


def patterns_of(content: JsonMapping) -> list[str]:
    """The regular expressions by which a text is changed, cut, and decoded.

    >>> patterns_of({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a+"}}})
    ['a+']
    """
    parts = map(content.get, ("normalizer", "pre_tokenizer", "decoder"))
    steps = [step for part in parts for step in steps_of(part)]
    return [step["pattern"]["Regex"] for step in steps if "Regex" in step.get("pattern", ())]


def describe_added(token_id: int, content: str, **unusual: bool) -> JsonObject:
    """An added token as a tokenizer.json lists it.

    Args:
        token_id, content: its id, and what spells it.
        unusual: where it differs from the usual: whether it is found only where special tokens are asked for
            (``special``), whether it takes the white space in front of it (``lstrip``) and behind it
            (``rstrip``), whether it is found only between characters that are in no word (``single_word``),
            and in the text as it is normalised (``normalized``).
    """
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": token_id, "content": content, **usual, **unusual}


def describe_decoder(*, has_marks: bool = False, strips_space: bool = False) -> JsonObject:
    """The decoder of tokens that are characters, or bytes such as <0xE2>.

    Args:
        has_marks: whether ▁ stands for a space in them.
        strips_space: whether the space in front of a text is taken off.
    """
    marks = [{"type": "Replace", "pattern": {"String": SPACE}, "content": " "}] if has_marks else []
    strip = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] if strips_space else []
    return {"type": "Sequence", "decoders": [*marks, {"type": "ByteFallback"}, {"type": "Fuse"}, *strip]}


SPACE_IN_FRONT = {"type": "Prepend", "prepend": SPACE}
SPACES_TO_MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
"""The steps of a normaliser that write ▁ for a space, as Llama 2's files have them."""


# What a token stands for


BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
"""How a vocabulary of characters spells each byte."""

_BYTE_OF = numbered(byte_characters())


def spell_bytes(token: str) -> bytes:
    """The bytes that a token's characters stand for; one with other characters is plain text.

    >>> spell_bytes("Ġhi"), spell_bytes("日")
    (b' hi', b'\\xe6\\x97\\xa5')
    """
    try:
        return bytes(map(_BYTE_OF.__getitem__, token))
    except KeyError:
        return token.encode()


def fallback_byte(token: str) -> int | None:
    """The byte that a token such as <0xE2> stands for; None: it is another token.

    >>> fallback_byte("<0xE2>"), fallback_byte("<0xZZ>"), fallback_byte("<0x+2>")
    (226, None, None)
    """
    match = re.fullmatch("<0x([0-9a-fA-F]{2})>", token)
    return int(match[1], 16) if match else None


def is_of_bytes(content: JsonMapping) -> bool:
    """Whether a vocabulary is of bytes, written as characters; it is so whatever the decoder makes of it."""
    cutting = [step for part in ("normalizer", "pre_tokenizer") for step in steps_of(content.get(part))]
    return any(step["type"] == "ByteLevel" for step in cutting)


def find_bytes(content: JsonMapping) -> list[str]:
    """The added tokens that are bytes of the model, which a text becomes whatever a file lists them as.

    >>> model = {"vocab": {"a": 0, "<0xCE>": 1}}
    >>> added = [{"content": "<0xCE>"}, {"content": "<0xA8>"}, {"content": "<s>"}]
    >>> find_bytes({"model": model, "added_tokens": added, "decoder": {"type": "ByteFallback"}})
    ['<0xCE>']
    """
    names = [token["content"] for token in content.get("added_tokens") or []]
    if is_of_bytes(content):
        names = [name for name in names if name in _BYTE_OF]
    elif any(step["type"] == "ByteFallback" for step in steps_of(content.get("decoder"))):
        names = [name for name in names if fallback_byte(name) is not None]
    else:
        return []
    vocabulary = content["model"]["vocab"]
    tokens = vocabulary if isinstance(vocabulary, dict) else {piece for piece, _ in vocabulary}
    return [name for name in names if name in tokens]


def token_speller(decoder: PipelineStep | None) -> Callable[[str], bytes]:
    """A function that says which bytes a token stands for within a text, by the steps of a decoder.

    >>> token_speller({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"})("▁the")
    b' the'
    """
    steps = steps_of(decoder)
    kinds = [step["type"] for step in steps]
    if "ByteLevel" in kinds:
        return spell_bytes
    changes: list[tuple[str, str]] = []
    for step in steps if "WordPiece" not in kinds else ():
        if step["type"] in ("Metaspace", "BPEDecoder"):
            changes.append((step["replacement" if step["type"] == "Metaspace" else "suffix"], " "))
        elif step["type"] == "Replace" and "String" in step["pattern"]:
            changes.append((step["pattern"]["String"], step["content"]))
    has_bytes = "ByteFallback" in kinds

    def spell(token: str) -> bytes:
        byte = fallback_byte(token) if has_bytes else None
        if byte is not None:
            return bytes([byte])
        for old, new in changes:
            token = token.replace(old, new)
        return token.encode()

    return spell
