"""minbpe's .model files, in which a home-trained BPE is saved.

    minbpe v1
    the split pattern, or an empty line for no walls
    the number of special tokens
    a special token and its id, for each
    the two ids of a merge, for each, in rank order

minbpe reads what is saved here, unless a special token holds a blank, and its files are read here. Its reader
strips the line of the pattern. So a pattern that begins or ends with a blank is written with an empty group
``(?:)`` before or after it, which matches nothing.

Source: github.com/karpathy/minbpe, minbpe/base.py.
"""

from __future__ import annotations

import itertools
import re

from ..bpe.home import MAX_IDS, MAX_SPECIAL_TOKENS, HomeEncoding, check_special_count
from ..bpe.plain import Pair
from ..split.patterns import spell_as_regex

HEADER = "minbpe v1"
_HEAD = 3  # lines before the special tokens
_CUT_OFF = "Its end is missing: the file was cut off. Save or copy it again."

_NUMBER = re.compile("[0-9]{1,9}")
_MERGE = re.compile("([0-9]{1,9}) ([0-9]{1,9})")


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
    specials = encoding.special_tokens
    lines = [HEADER, _guard_blanks(encoding.pattern or ""), str(len(specials))]
    lines += [f"{special} {token_id}" for special, token_id in specials.items()]
    lines += [f"{left} {right}" for left, right in encoding.merges]
    return "".join(f"{line}\n" for line in lines).encode()


_EMPTY = "(?:)"


def _guard_blanks(pattern: str) -> str:
    """The pattern with an empty group before or after it, if a blank at that end would be stripped."""
    if pattern[:1].isspace():
        pattern = _EMPTY + pattern
    if pattern[-1:].isspace():
        pattern += _EMPTY
    return pattern


def _unguard_blanks(pattern: str) -> str:
    """The pattern that ``_guard_blanks`` wrote, or one that means the same.

    >>> [_unguard_blanks(_guard_blanks(pattern)) for pattern in (" x", "x ", "x", "(?:)x")]
    [' x', 'x ', 'x', '(?:)x']
    """
    without_first = pattern.removeprefix(_EMPTY)
    if without_first[:1].isspace():
        pattern = without_first
    without_last = pattern.removesuffix(_EMPTY)
    if without_last[-1:].isspace():
        pattern = without_last
    return pattern


def recognises(data: bytes) -> bool:
    """Whether a file begins as a .model file of minbpe does.

    >>> recognises(b"minbpe v1\\n"), recognises(b"{}")
    (True, False)
    """
    return data.startswith(HEADER.encode())


def from_bytes(data: bytes, name: str = "grove") -> HomeEncoding:
    """The encoding in a .model file.

    Raises:
        ValueError: the file is damaged; names the line.

    >>> from_bytes(b"minbpe v1\\n\\n0\\n104 105\\n", "small").encode("hi")
    [256]
    """
    if data.count(b"\n") > MAX_IDS + MAX_SPECIAL_TOKENS:
        raise ValueError(f"It has more lines than {MAX_IDS:,} ids need, so it is not a model file.")
    try:
        *lines, last = data.decode().split("\n")
    except UnicodeDecodeError:
        raise ValueError("It is not UTF-8 text: the file is damaged.") from None
    if last or len(lines) < _HEAD:
        raise ValueError(_CUT_OFF)
    header, pattern, n_specials, *rest = (line.removesuffix("\r") for line in lines)
    if header != HEADER:
        raise ValueError(f"Line 1 must be {HEADER!r}.")
    count = _id(n_specials, _HEAD)
    check_special_count(count)
    if len(rest) < count:
        raise ValueError(_CUT_OFF)
    numbered_lines = enumerate(rest, start=_HEAD + 1)
    specials: dict[str, int] = {}
    for number, line in itertools.islice(numbered_lines, count):
        special, space, token_id = line.rpartition(" ")
        if not space or special in specials:
            raise ValueError(f"Line {number:,} must be a new special token and its id, not {line[:80]!r}.")
        specials[special] = _id(token_id, number)
    merges: list[Pair] = []
    for number, line in numbered_lines:
        match = _MERGE.fullmatch(line)
        if not match:
            raise ValueError(f"Line {number:,} must be the two ids of a merge, not {line[:80]!r}.")
        merges.append((int(match[1]), int(match[2])))
    pattern = spell_as_regex(_unguard_blanks(pattern))
    return HomeEncoding(merges, pattern or None, specials, name=name)


def _id(text: str, number: int) -> int:
    """A number as minbpe writes it: int() would take signs, underscores and other scripts' digits."""
    if not _NUMBER.fullmatch(text) or int(text) >= MAX_IDS:
        raise ValueError(f"Line {number:,} must hold a number below {MAX_IDS:,}, not {text[:80]!r}.")
    return int(text)
