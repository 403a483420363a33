"""A split pattern, tried in the regular expression engines of tiktoken and of the Hugging Face package.

These functions run in a process with limits (``bounded.py``), because a person's pattern may make any of the
engines panic or run for hours. So this module imports nothing of the package.

tiktoken shows ids and no pieces. But it looks up a piece that is a token, and that can be used: give it
a vocabulary of the pieces that are expected and of every two neighbours joined, and it answers with the
expected pieces only if it cut the text there and nowhere else. A cut of its own shows as
smaller tokens, and where it has none, the joined neighbours show.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

BREAKS_DOWN = "it breaks down, as it does where a pattern matches nothing"
"""What is said of an engine that panics."""

Answer = tuple[str, int, tuple[str, ...] | str]
"""("alike", 0, ""), ("unlike", number of the first text that it cuts in another way, its pieces), or
("refused", 0, what the engine says of the pattern)."""


def try_tiktoken(pattern: str, texts: list[str], pieces: list[list[str]]) -> Answer:
    """Whether tiktoken cuts the texts into these pieces.

    >>> try_tiktoken("a+|b", ["aab"], [["aa", "b"]])
    ('alike', 0, '')
    >>> try_tiktoken("a+|b", ["aab"], [["a", "a", "b"]])
    ('unlike', 0, ('aa', 'b'))
    """
    tokens = {bytes([byte]) for byte in range(256)}
    for expected in pieces:
        encoded = [piece.encode("utf-8") for piece in expected]
        tokens.update(encoded)
        tokens.update(left + right for left, right in zip(encoded, encoded[1:], strict=False))
    try:
        engine = _tiktoken(pattern, tokens)
        for number, (text, expected) in enumerate(zip(texts, pieces, strict=True)):
            if engine.decode_tokens_bytes(engine.encode_ordinary(text)) != [
                piece.encode("utf-8") for piece in expected
            ]:
                return "unlike", number, _pieces_of_tiktoken(pattern, text)
    except MemoryError:
        raise
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        return "refused", 0, _in_short(problem)
    return "alike", 0, ""


def _tiktoken(pattern: str, tokens: set[bytes]) -> Any:
    import tiktoken

    shortest_first = sorted(tokens, key=lambda token: (len(token), token))
    ranks = {token: rank for rank, token in enumerate(shortest_first)}
    return tiktoken.Encoding("trial", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def _pieces_of_tiktoken(pattern: str, text: str) -> tuple[str, ...]:
    """The pieces themselves: with every part of a short text as a token, each piece is looked up whole."""
    data = text.encode("utf-8")
    parts = {data[i:j] for i in range(len(data)) for j in range(i + 1, len(data) + 1)}
    engine = _tiktoken(pattern, parts | {bytes([byte]) for byte in range(256)})
    return tuple(
        token.decode("utf-8", "backslashreplace")
        for token in engine.decode_tokens_bytes(engine.encode_ordinary(text))
    )


def try_huggingface(pattern: str, texts: list[str], pieces: list[list[str]]) -> Answer:
    """The same for the Hugging Face package, with the step that its tokenizer.json describes.

    Raises:
        ImportError: the package is not installed.
    """
    engine = load_huggingface()
    try:
        split = engine.pre_tokenizers.Split(engine.Regex(pattern), "isolated")
        for number, (text, expected) in enumerate(zip(texts, pieces, strict=True)):
            theirs = [piece for piece, _ in split.pre_tokenize_str(text)]
            if theirs != expected:
                return "unlike", number, tuple(theirs)
    except MemoryError:
        raise
    except BaseException as problem:
        return "refused", 0, _in_short(problem)
    return "alike", 0, ""


def try_tokenizer(described: str, texts: list[str]) -> None:
    """Have Hugging Face's engine read a tokenizer.json, and encode texts and decode them again.

    Raises:
        ValueError: what the engine says of the file. (What it says of a text is no matter here.)
        ImportError: the package is not installed.
    """
    library = load_huggingface()
    try:
        engine = library.Tokenizer.from_str(described)
    except MemoryError:
        raise
    except BaseException as problem:
        panics = type(problem).__name__ == "PanicException"
        raise ValueError("it breaks down on its content" if panics else _in_short(problem)) from None
    for text in texts:
        try:
            ids = engine.encode(text, add_special_tokens=False).ids
            engine.decode(ids, skip_special_tokens=False)
        except MemoryError:
            raise
        except BaseException:
            continue


def load_huggingface() -> Any:
    """The engine of the Hugging Face package: its compiled module alone.

    Our own folder has the package's name, and its Python files import each other by that name, so they
    cannot be used here.

    Raises:
        ImportError: the package is not installed.
    """
    try:
        files = importlib.metadata.files("tokenizers") or []
    except importlib.metadata.PackageNotFoundError:
        raise ImportError("the Hugging Face package tokenizers is not installed") from None
    compiled = next((file.locate() for file in files if str(file).endswith((".so", ".pyd"))), None)
    if compiled is None:
        raise ImportError("the Hugging Face package tokenizers has no compiled module")
    spec = importlib.util.spec_from_file_location("huggingface.tokenizers", str(compiled))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def has_huggingface() -> bool:
    """Whether the Hugging Face package is installed here."""
    try:
        importlib.metadata.distribution("tokenizers")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _in_short(problem: BaseException) -> str:
    if type(problem).__name__ == "PanicException":
        return BREAKS_DOWN
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[-1] if lines else type(problem).__name__)[:200]
