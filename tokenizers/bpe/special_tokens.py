"""The special tokens of a home-trained encoding: which are allowed, and which clash."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

MAX_SPECIAL_TOKENS = 10_000
"""Special tokens of one encoding."""

MAX_SPECIAL_BYTES = 1_000
"""Bytes of one special token, in UTF-8."""

MAX_ALL_SPECIAL_BYTES = 120_000
"""Bytes of all special tokens together. tiktoken's engine makes one regular expression of them, and at about
160,000 that is more than it can hold."""


def check_special_tokens(special_tokens: Iterable[str]) -> list[str]:
    """The special tokens as a list.

    The bounds are within what tiktoken's engine can take, and far above the 1,000 or so special tokens
    of some ten bytes that the files of large models hold.

    Raises:
        ValueError: too many, too long, empty, twice the same, or one string instead of a list; says which.

    >>> check_special_tokens(("<|user|>", "<|end|>"))
    ['<|user|>', '<|end|>']
    """
    if isinstance(special_tokens, str):
        raise ValueError(f"Give special tokens as a list: [{shorten(special_tokens)}].")
    special_tokens = list(special_tokens)
    check_special_count(len(special_tokens))
    seen: set[str] = set()
    total = 0
    for special in special_tokens:
        n_bytes = len(special.encode("utf-8", "surrogatepass"))
        problems = {
            "is empty. Give it a text such as <|endoftext|>.": not special,
            "is a single byte, which is already a token. Make it longer.": n_bytes == 1,
            f"is too long: up to {MAX_SPECIAL_BYTES:,} bytes are taken. Give it a shorter text.": (
                n_bytes > MAX_SPECIAL_BYTES
            ),
            "holds a line break, which a model file cannot keep. Take it out.": (
                "\n" in special or "\r" in special
            ),
            "holds half a character (a lone surrogate). Type it again.": (
                len(special.encode("utf-8", "ignore")) < n_bytes
            ),
            "is given twice. Give each one once.": special in seen,
        }
        for problem, is_there in problems.items():
            if is_there:
                raise ValueError(f"The special token {shorten(special)} {problem}")
        seen.add(special)
        total += n_bytes
    if total > MAX_ALL_SPECIAL_BYTES:
        raise ValueError(
            f"The special tokens have {total:,} bytes together, and up to {MAX_ALL_SPECIAL_BYTES:,} are "
            "taken. Give fewer, or shorter ones."
        )
    return special_tokens


def check_special_count(number: int) -> None:
    """Refuse more special tokens than are taken, also before they are read from a file.

    Raises:
        ValueError: more than ``MAX_SPECIAL_TOKENS``.
    """
    if number > MAX_SPECIAL_TOKENS:
        raise ValueError(
            f"{number:,} special tokens are too many: up to {MAX_SPECIAL_TOKENS:,} are taken. Leave some out."
        )


def find_nested_specials(special_tokens: Iterable[str]) -> tuple[str, str] | None:
    """Two special tokens, the second of which begins with the first; None: there are none.

    In a text that spells the longer one, both fit. The longer one counts here and in Hugging Face's
    tokenizers; in minbpe the one that comes first in its file; in tiktoken the one that comes first in
    a hash table, which can be either.

    >>> find_nested_specials(["<|x|>", "<|end|>", "<|x"]), find_nested_specials(["<|x|>", "<|end|>"])
    (('<|x', '<|x|>'), None)
    """
    pairs = itertools.pairwise(sorted(special_tokens))  # sorted, what begins with a text follows it at once
    return next(((short, long) for short, long in pairs if long.startswith(short)), None)


def shorten(special: str) -> str:
    """A special token as a sentence quotes it.

    >>> shorten("<|end|>"), len(shorten("x" * 1_000_000))
    ("'<|end|>'", 83)
    """
    return repr(special if len(special) <= 80 else special[:80] + "…")
