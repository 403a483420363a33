"""Model files: a home-trained encoding as text, in minbpe's own format.

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
from collections.abc import Iterator
from pathlib import Path

from .bpe import Pair
from .home import MAX_IDS, HomeEncoding

HEADER = "minbpe v1"
MAX_BYTES = 1 << 26
"""A model file of 4 million merges is shorter than this."""

_NUMBER = re.compile("[0-9]{1,9}")
_MERGE = re.compile("([0-9]{1,9}) ([0-9]{1,9})")


def save(encoding: HomeEncoding, path: str | os.PathLike[str]) -> Path:
    """Write ``encoding`` as a .model file and return its path.

    Raises:
        OSError: the file cannot be written; names it.
    """
    path = Path(path)
    try:
        path.write_bytes(to_bytes(encoding))
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL in it
        raise OSError(f"{path} cannot be written: {_reason(problem)}. Choose another place.") from None
    return path


def load(path: str | os.PathLike[str]) -> HomeEncoding:
    """Read a .model file that was saved here or by minbpe; the encoding is named after the file.

    Raises:
        OSError: the file cannot be read; names it.
        ValueError: it is no model file, or a damaged one; names the line.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise OSError(f"{path} cannot be read: {_reason(problem)}.") from None
    return from_bytes(data, path.stem)


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


def from_bytes(data: bytes, name: str = "grove") -> HomeEncoding:
    """The encoding that the content of a .model file describes.

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
        return _parse(data, name)
    except ValueError as problem:
        raise ValueError(f"{name} cannot be loaded. {problem}") from None


def _parse(data: bytes, name: str) -> HomeEncoding:
    if len(data) > MAX_BYTES:
        raise ValueError(f"The file is larger than {MAX_BYTES >> 20} MB: no model file of ours is.")
    if not data.startswith(HEADER.encode()):
        raise ValueError(
            f"It is no model file of this kind: those begin with the line {HEADER!r}. Choose a file that was "
            "saved here or by minbpe."
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
