"""Model files: saving and loading a home-trained encoding, in one of three formats.

.tiktoken (``tiktoken_file.py``) and tokenizer.json (``huggingface_file.py``) are for those two libraries.
Ours is .model, in minbpe's own format:

    minbpe v1
    the split pattern, or an empty line for no walls
    the number of special tokens
    a special token and its id, for each
    the two ids of a merge, for each, in rank order

(github.com/karpathy/minbpe, minbpe/base.py.) minbpe reads what is saved here, unless a special token
holds a space, and its files are read here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from . import huggingface_file, tiktoken_file
from .bpe import Pair
from .checks import check_path, check_string
from .home import MAX_IDS, HomeEncoding

HEADER = "minbpe v1"
MAX_BYTES = 1 << 26
"""A model file of 4 million merges is shorter than this."""

_NUMBER = re.compile("[0-9]{1,9}")
_MERGE = re.compile("([0-9]{1,9}) ([0-9]{1,9})")


def save(encoding: HomeEncoding, path: str | os.PathLike[str]) -> Path:
    """Write ``encoding`` to a file and return its path; the ending says which kind: .tiktoken,
    .json (tokenizer.json), or else .model.

    Raises:
        OSError: the file cannot be written; names it.
        ValueError: that kind of file cannot hold this encoding.
    """
    path = Path(check_path(path))
    writers = {".tiktoken": tiktoken_file.to_bytes, ".json": huggingface_file.to_bytes}
    data = writers.get(path.suffix.lower(), to_bytes)(encoding)
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL in it
        raise OSError(f"{path} cannot be written: {_reason(problem)}. Choose another place.") from None
    return path


def load(
    path: str | os.PathLike[str],
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (),
) -> HomeEncoding:
    """Read a file of one of the three kinds; the encoding is named after the file.

    Args:
        path: a .model file saved here or by minbpe, a .tiktoken file, or a tokenizer.json.
        pattern: the split pattern, for a .tiktoken file, which does not tell it.
        special_tokens: the special tokens, for a .tiktoken file too.

    Raises:
        OSError: the file cannot be read; names it.
        ValueError: it is no model file, a damaged one, or one that does what no encoding here does.
    """
    path = Path(check_path(path))
    if pattern is not None:
        check_string(pattern, "pattern")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise OSError(f"{path} cannot be read: {_reason(problem)}.") from None
    return from_bytes(data, path.stem, pattern, special_tokens, file=path.name)


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of the .model file for ``encoding``.

    >>> print(to_bytes(HomeEncoding([(104, 105), (256, 33)], " ?[a-z]+", ["<|end|>"])).decode())
    minbpe v1
     ?[a-z]+
    1
    <|end|> 258
    104 105
    256 33
    """
    lines = [HEADER, encoding.pattern or "", str(len(encoding.special_tokens))]
    lines += [f"{special} {token_id}" for special, token_id in encoding.special_tokens.items()]
    lines += [f"{left} {right}" for left, right in encoding.merges]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def from_bytes(
    data: bytes,
    name: str = "grove",
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (),
    *,
    file: str = "",
) -> HomeEncoding:
    """The encoding that the content of a file of any of the three kinds describes.

    Args:
        data: the content.
        name: what to call the encoding.
        pattern: the split pattern, if it is a .tiktoken file; the others tell it themselves.
        special_tokens: the special tokens, if it is a .tiktoken file.
        file: what to call the file where it cannot be loaded; by default as the encoding.

    Raises:
        ValueError: no model file, or a damaged one; names the line.

    >>> from_bytes(b"minbpe v1\\n\\n0\\n104 105\\n").encode("hi")
    [256]
    >>> from_bytes(b"minbpe v1\\n\\n0\\n104 256\\n", "sapling")
    Traceback (most recent call last):
    ...
    ValueError: sapling cannot be loaded. Merge 1 joins the tokens 104 and 256, but only 0 to 255 ...
    """
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"The file is larger than {MAX_BYTES >> 20} MB: no model file of ours is.")
        if tiktoken_file.is_rank_file(data):
            return tiktoken_file.from_bytes(data, name, pattern, special_tokens)
        if data[:100].lstrip().startswith(b"{"):
            return huggingface_file.from_bytes(data, name)
        return _parse(data, name)
    except ValueError as problem:
        raise ValueError(f"{file or name} cannot be loaded. {problem}") from None


def _parse(data: bytes, name: str) -> HomeEncoding:
    if not data.startswith(HEADER.encode()):
        raise ValueError(
            "It is no model file: neither minbpe's .model, nor .tiktoken, nor tokenizer.json. Choose a file "
            "that was saved here."
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"It is no text in UTF-8 (byte {problem.start:,}): the file is damaged.") from None
    if not text.endswith("\n"):
        raise ValueError("Its last line is not complete: the file was cut off. Save or copy it again.")
    lines = enumerate(text.replace("\r\n", "\n").removesuffix("\n").split("\n"), start=1)

    if _next(lines, "the header")[1] != HEADER:
        raise ValueError(f"Line 1 has to be {HEADER!r}.")
    pattern = _next(lines, "the split pattern")[1] or None
    number, line = _next(lines, "the number of special tokens")
    num_specials = _id(line, number)
    specials: dict[str, int] = {}
    for _ in range(num_specials):
        number, line = _next(lines, "a special token")
        special, space, token_id = line.rpartition(" ")
        if not space or special in specials:
            raise ValueError(
                f"Line {number:,} has to be a special token of its own and its id, not {line[:80]!r}."
            )
        specials[special] = _id(token_id, number)
    merges: list[Pair] = []
    for number, line in lines:
        match = _MERGE.fullmatch(line)
        if not match:
            raise ValueError(f"Line {number:,} has to be the two ids of a merge, not {line[:80]!r}.")
        merges.append((int(match[1]), int(match[2])))
    return HomeEncoding(merges, pattern, specials, name=name)


def _next(lines: Iterator[tuple[int, str]], what: str) -> tuple[int, str]:
    line = next(lines, None)
    if line is None:
        raise ValueError(f"It ends before {what}: the file was cut off. Save or copy it again.")
    return line


def _id(text: str, number: int) -> int:
    """A number as minbpe writes it: int() would take signs, underscores and other scripts' digits."""
    if not _NUMBER.fullmatch(text) or int(text) >= MAX_IDS:
        raise ValueError(f"Line {number:,} has to hold a number below {MAX_IDS:,}, not {text[:80]!r}.")
    return int(text)


def _reason(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
