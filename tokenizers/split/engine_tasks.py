"""The regular expression engines of tiktoken and Hugging Face's tokenizers, for a person's own pattern.

``bounded.py`` calls these functions in a process with limits, because a person's pattern may make an engine
panic or run for hours. So this module imports nothing of the package.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any


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
        data = text.encode("utf-8")
        parts.update(data[i:j] for i in range(len(data)) for j in range(i + 1, len(data) + 1))
    ranks = {part: rank for rank, part in enumerate(sorted(parts, key=lambda part: (len(part), part)))}
    try:
        engine = tiktoken.Encoding("trial", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        return [
            [
                piece.decode("utf-8", "backslashreplace")
                for piece in engine.decode_tokens_bytes(engine.encode_ordinary(text))
            ]
            for text in texts
        ]
    except MemoryError:
        raise
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        raise ValueError(_in_short(problem)) from None


def cut_by_huggingface(pattern: str, texts: list[str]) -> list[list[str]]:
    """The same for Hugging Face's tokenizers, with the step that its tokenizer.json describes.

    Raises:
        ValueError: what the library says of the pattern. ImportError: it is not installed.
    """
    library = load_huggingface()
    try:
        splits = library.pre_tokenizers.Split(library.Regex(pattern), "isolated")
        return [[piece for piece, _ in splits.pre_tokenize_str(text)] for text in texts]
    except MemoryError:
        raise
    except BaseException as problem:
        raise ValueError(_in_short(problem)) from None


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
        return "it breaks down, as it does where a pattern matches nothing"
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[-1] if lines else type(problem).__name__)[:200]
