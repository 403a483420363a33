"""A person's own regular expression: check it, search texts, cut texts with it here and in other libraries.

``bounded.py`` calls these functions in a process with limits, because a pattern may make an engine panic or
run for hours. So this module imports nothing of the package.

Each may raise MemoryError (a pattern that is too large, or calls itself) and, with a sentence of its library,
ValueError.
"""

from __future__ import annotations

import contextlib
import functools
from array import array
from collections.abc import Iterator
from typing import Any

import regex

BACKWARDS = "it searches backwards, by (?r), and pieces are cut forwards. Take (?r) out"


@functools.lru_cache(maxsize=64)
def compile_regex(pattern: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a regular expression.

    Raises:
        ValueError: it is not valid; says where. MemoryError: it is too large or nested too deeply.

    >>> compile_regex("[a-")
    Traceback (most recent call last):
    ...
    ValueError: unterminated character set at position 3
    """
    try:
        return regex.compile(pattern, flags, cache_pattern=False)  # otherwise it would be kept twice
    except regex.error as problem:
        raise ValueError(str(problem)) from None
    except (RecursionError, OverflowError):
        raise MemoryError from None


def check_regex(pattern: str) -> None:
    """Raise what compiling the pattern raises, or a ValueError where it cannot cut a text into pieces."""
    if compile_regex(pattern).flags & regex.REVERSE:
        raise ValueError(BACKWARDS)


def piece_lengths(pattern: str, text: str) -> bytes:
    """The lengths in characters of the pieces into which a pattern cuts a text, as an ``array("I")``'s bytes.

    Text that the pattern does not match becomes pieces of its own, so the lengths add up to the text's.

    Raises:
        ValueError: the matches overlap (``\\K`` can do that).

    >>> array("I", piece_lengths("[a-z]+", "one, two")).tolist()
    [3, 2, 3]
    """
    check_regex(pattern)
    lengths = array("I")
    end = 0
    for match in compile_regex(pattern).finditer(text):
        start, stop = match.span()
        if start < end or stop < start:
            raise ValueError("its matches overlap, as \\K can make them. Take \\K out")
        if start > end:
            lengths.append(start - end)
        if stop > start:
            lengths.append(stop - start)
        end = stop
    if end < len(text):
        lengths.append(len(text) - end)
    return lengths.tobytes()


def lengths_of_all(pattern: str, texts: list[str]) -> list[bytes]:
    """The lengths of the pieces of each of many texts.

    >>> [len(lengths) // 4 for lengths in lengths_of_all("a+", ["aab", ""])]
    [2, 0]
    """
    return [piece_lengths(pattern, text) for text in texts]


def which_texts(pattern: str, flags: int, texts: list[str]) -> list[int]:
    """The texts in which a pattern matches somewhere: their places in the list, in order.

    >>> which_texts("^A.$", int(regex.IGNORECASE), ["ab", "xab", "ac"])
    [0, 2]
    """
    compiled = compile_regex(pattern, flags)
    return [place for place, text in enumerate(texts) if compiled.search(text)]


# The engines of other libraries


def cut_by_tiktoken(pattern: str, texts: list[str]) -> list[list[str]]:
    """The pieces into which tiktoken cuts short texts.

    tiktoken gives ids and no pieces. But it looks up a piece that is a token. Here, every part of the texts
    is a token, so each token of a text is a piece.

    Raises:
        ValueError: what tiktoken says of the pattern.

    >>> cut_by_tiktoken("a+|b", ["aab"])
    [['aa', 'b']]
    """
    import tiktoken

    parts = {bytes([byte]) for byte in range(256)}
    for text in texts:
        data = text.encode()
        parts.update(data[i:j] for i in range(len(data)) for j in range(i + 1, len(data) + 1))
    ranks = {part: rank for rank, part in enumerate(sorted(parts, key=lambda part: (len(part), part)))}
    with _in_short():
        engine = tiktoken.Encoding("trial", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        pieces = [engine.decode_tokens_bytes(engine.encode_ordinary(text)) for text in texts]
        return [[piece.decode("utf-8", "backslashreplace") for piece in each] for each in pieces]


def cut_by_huggingface(pattern: str, texts: list[str]) -> list[list[str]]:
    """The same for Hugging Face's tokenizers, with the step that its tokenizer.json describes.

    Raises:
        ValueError: what the library says of the pattern. ImportError: it is not installed.
    """
    library = load_huggingface()
    with _in_short():
        splits = library.pre_tokenizers.Split(library.Regex(pattern), "isolated")
        return [[piece for piece, _ in splits.pre_tokenize_str(text)] for text in texts]


@functools.lru_cache(maxsize=4)
def _steps_engine(content: str) -> Any:
    engine = load_huggingface().Tokenizer.from_str(content)
    engine.encode_special_tokens = True
    return engine


def take_steps(content: str, texts: list[str], decodes: bool = False) -> None:
    """Do to texts what the steps of a tokenizer.json do to them; or decode the texts as tokens.

    Raises:
        ValueError: what the library says.

    >>> take_steps('{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}', ["a b"])
    """
    with _in_short():
        engine = _steps_engine(content)
        if decodes:
            engine.decoder.decode(texts)
            return
        for text in texts:
            engine.encode(text, add_special_tokens=False)


@functools.cache
def load_huggingface() -> Any:
    """The engine of the Hugging Face package: its compiled module alone.

    Our own folder has the package's name, and its Python files import each other by that name, so they
    cannot be used here.

    Raises:
        ImportError: the package is not installed.
    """
    from importlib import metadata, util  # 20 ms, which no other function here needs

    try:
        files = metadata.files("tokenizers") or []
    except metadata.PackageNotFoundError:
        raise ImportError("the Hugging Face package tokenizers is not installed") from None
    compiled = next((file.locate() for file in files if str(file).endswith((".so", ".pyd"))), None)
    if compiled is None:
        raise ImportError("the Hugging Face package tokenizers has no compiled module")
    spec = util.spec_from_file_location("huggingface.tokenizers", str(compiled))
    assert spec is not None and spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def last_line(problem: BaseException) -> str:
    """The last line of what a library says, or the name of its error, if that says nothing."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[-1] if lines else type(problem).__name__)[:200]


@contextlib.contextmanager
def _in_short() -> Iterator[None]:
    """Make a ValueError of whatever a library raises, with the last line of what it says."""
    try:
        yield
    except MemoryError:
        raise
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        said = last_line(problem)
        if type(problem).__name__ == "PanicException":
            said = "it breaks down, as it does where a pattern matches nothing"
        raise ValueError(said) from None
