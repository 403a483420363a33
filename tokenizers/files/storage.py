"""Model files: saving and loading a home-trained encoding, in one of three formats.

.tiktoken (``tiktoken_file.py``) and tokenizer.json (``tokenizer_json.py``) are for those two libraries.
Ours is .model, in minbpe's own format:

    minbpe v1
    the split pattern, or an empty line for no walls
    the number of special tokens
    a special token and its id, for each
    the two ids of a merge, for each, in rank order

(github.com/karpathy/minbpe, minbpe/base.py.) minbpe reads what is saved here, unless a special token
holds a blank, and its files are read here. Its reader strips the line of the pattern, so a pattern that
begins or ends with a blank is written with an empty group ``(?:)`` before or after it, which matches
nothing and so changes nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import limits
from ..amounts import bytes_in_words
from ..bpe.home import MAX_IDS, HomeEncoding
from ..bpe.plain import Pair
from ..bpe.special_tokens import MAX_SPECIAL_TOKENS, check_special_count
from ..checks import check_bytes, check_path, check_string
from ..split.patterns import spell_as_regex
from . import tiktoken_file, tokenizer_json
from .ranks import is_rank_file

HEADER = "minbpe v1"
MAX_BYTES = limits.FILE_MB * limits.MB
"""A file of as many tokens as are taken (``MAX_IDS``) is shorter than this, in each of the three kinds."""

MAX_LINE_BYTES = 10_000
"""Bytes of a line of a .model file: a special token and a split pattern have far fewer."""

_NUMBER = re.compile("[0-9]{1,9}")
_MERGE = re.compile("([0-9]{1,9}) ([0-9]{1,9})")


def save(encoding: HomeEncoding, path: str | os.PathLike[str]) -> Path:
    """Write an encoding that was grown here to a file, for ``load`` and others, and return the path.

    The ending says which kind: .tiktoken, .json (Hugging Face's tokenizer.json), or else minbpe's .model,
    the only one that keeps everything. ``tokenizers.formats.file_of`` gives that of any encoding, as bytes.

    Raises:
        OSError: the file cannot be written; names it.
        ValueError: that kind of file cannot hold this encoding.
        TypeError: not such an encoding, or no path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(HomeEncoding([(97, 97), (256, 98)]), Path(folder, "small.model"))
    ...     load(path).encode("aab")
    [257]
    """
    if not isinstance(encoding, HomeEncoding):
        raise TypeError(f"Give an encoding that was grown here, not {type(encoding).__name__}.")
    path = Path(check_path(path))
    data = FORMATS.get(path.suffix.lower(), FORMATS[".model"]).write(encoding)
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
        pattern: the split pattern, for a .tiktoken file, which does not hold it.
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
    (?:) ?[a-z]+
    1
    <|end|> 258
    104 105
    256 33
    """
    lines = [HEADER, _guard_blanks(encoding.pattern or ""), str(len(encoding.special_tokens))]
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
        pattern: the split pattern, if it is a .tiktoken file; the others hold it themselves.
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
    data = check_bytes(data, "data")
    check_string(name, "name")
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(
                f"The file is larger than {bytes_in_words(MAX_BYTES)}: no model file of ours is."
            )
        if is_rank_file(data):
            return tiktoken_file.from_bytes(data, name, pattern, special_tokens)
        if data[:100].lstrip().startswith(b"{"):
            encoding = tokenizer_json.from_bytes(data, name)
            if not isinstance(encoding, HomeEncoding):
                raise ValueError("It is another tokenizer.json than those that are saved here.")
            return encoding
        return parse(data, name)
    except ValueError as problem:
        raise ValueError(f"{file or name} cannot be loaded. {problem}") from None


def can_minbpe_read(encoding: HomeEncoding) -> bool:
    """Whether minbpe's own reader takes the .model file: it splits the line of a special token at blanks.

    >>> can_minbpe_read(HomeEncoding([], special_tokens=["<|end|>"]))
    True
    >>> can_minbpe_read(HomeEncoding([], special_tokens=["<|the end|>"]))
    False
    """
    return all(special.split() == [special] for special in encoding.special_tokens)


def guards_pattern(encoding: HomeEncoding) -> bool:
    """Whether the .model file has an empty group beside a blank at an end of the split pattern."""
    return _guard_blanks(encoding.pattern or "") != (encoding.pattern or "")


_EMPTY_GROUP = "(?:)"
_LEADING_BLANK = re.compile(r"(?:\(\?:\))*\s")
_TRAILING_BLANK = re.compile(r"\s(?:\(\?:\))*")


def _guard_blanks(pattern: str) -> str:
    """The pattern with an empty group before or after it, if a blank at that end would be stripped.

    A pattern that looks as if it were guarded already gets one more, so that ``_unguard_blanks`` always
    gives back what was written.

    >>> _guard_blanks(" x"), _guard_blanks("x "), _guard_blanks("x"), _guard_blanks("(?:) x")
    ('(?:) x', 'x (?:)', 'x', '(?:)(?:) x')
    """
    if _LEADING_BLANK.match(pattern):
        pattern = _EMPTY_GROUP + pattern
    if _has_trailing_blank(pattern):
        pattern += _EMPTY_GROUP
    return pattern


def _unguard_blanks(pattern: str) -> str:
    """The pattern that ``_guard_blanks`` wrote.

    >>> [_unguard_blanks(_guard_blanks(pattern)) for pattern in (" x", "x ", "x", "(?:) x")]
    [' x', 'x ', 'x', '(?:) x']
    """
    if pattern.startswith(_EMPTY_GROUP) and _LEADING_BLANK.match(pattern):
        pattern = pattern.removeprefix(_EMPTY_GROUP)
    if pattern.endswith(_EMPTY_GROUP) and _has_trailing_blank(pattern):
        pattern = pattern.removesuffix(_EMPTY_GROUP)
    return pattern


def _has_trailing_blank(pattern: str) -> bool:
    while pattern.endswith(_EMPTY_GROUP):
        pattern = pattern.removesuffix(_EMPTY_GROUP)
    return pattern[-1:].isspace()


def recognises(data: bytes) -> bool:
    """Whether a file begins as minbpe's do.

    >>> recognises(b"minbpe v1\\n"), recognises(b"{}")
    (True, False)
    """
    return data.startswith(HEADER.encode())


def parse(data: bytes, name: str) -> HomeEncoding:
    """The encoding in a .model file.

    Raises:
        ValueError: it is none, or a damaged one; names the line.
    """
    if not recognises(data):
        raise ValueError(
            "It is no model file: neither minbpe's .model, nor .tiktoken, nor tokenizer.json. Choose a file "
            "that was saved here."
        )
    if not data.endswith(b"\n"):
        raise ValueError("Its last line is not complete: the file was cut off. Save or copy it again.")
    if data.count(b"\n") > MAX_IDS + MAX_SPECIAL_TOKENS:
        raise ValueError(f"It has more lines than {MAX_IDS:,} ids need: no model file is so long.")
    lines = _iter_lines(data)

    if _next(lines, "the header")[1] != HEADER:
        raise ValueError(f"Line 1 has to be {HEADER!r}.")
    pattern = spell_as_regex(_unguard_blanks(_next(lines, "the split pattern")[1])) or None
    number, line = _next(lines, "the number of special tokens")
    n_specials = _id(line, number)
    check_special_count(n_specials)
    specials: dict[str, int] = {}
    for _ in range(n_specials):
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


def _iter_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Each line and its number, one at a time: all of them as texts need many times the file's memory."""
    start, number = 0, 0
    while start < len(data):
        number += 1
        end = data.index(b"\n", start)
        if end - start > MAX_LINE_BYTES:
            raise ValueError(
                f"Line {number:,} has {end - start:,} bytes, and no line of a model file has more than "
                f"{MAX_LINE_BYTES:,}."
            )
        try:
            yield number, data[start:end].removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as problem:
            raise ValueError(
                f"It is no text in UTF-8 (byte {start + problem.start:,}): the file is damaged."
            ) from None
        start = end + 1


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


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of model file: who reads it, for people, and how it is written."""

    read_by: str
    write: Callable[[HomeEncoding], bytes]


FORMATS = {
    ".model": Format("Token Grove and minbpe", to_bytes),
    ".tiktoken": Format("tiktoken", tiktoken_file.to_bytes),
    ".json": Format("tokenizer.json", tokenizer_json.to_bytes),
}
"""Every kind of model file, by the ending of the file's name."""
