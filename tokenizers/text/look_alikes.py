"""Characters that look like ASCII ones, and words that mix scripts: how a false “pаypal” is recognised.

What looks like what is from Unicode's own list (UTS #39, confusables.txt), of which ``assets/unicode``
holds the part that ends at ASCII. A look-alike by itself is nothing odd: Russian is full of а, е and о. It is
odd in a word that has letters of another script too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ..encoding import ASSETS
from ..shipped import SHIPPED_FILE_ERRORS, reading
from .scripts import COMMON, SCRIPTS, find_scripts

LOOK_ALIKES_FILE = ASSETS / "unicode" / "looks_like_ascii.txt"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# Japanese, Korean and Chinese write several scripts in one word (UTS #39, section 5.1).
_TOGETHER = (
    {"Han", "Hiragana", "Katakana"},
    {"Han", "Bopomofo"},
    {"Han", "Hangul"},
)


def look_alikes_problem() -> str:
    """Why no character is known to look like another one; empty: the list is here."""
    try:
        _read()
    except SHIPPED_FILE_ERRORS as problem:
        return str(problem)
    return ""


@functools.cache
def _read() -> dict[str, str]:
    """The ASCII characters that each character looks like."""
    with reading(LOOK_ALIKES_FILE, "The list of look-alikes"):
        rows = [
            line.split()
            for line in LOOK_ALIKES_FILE.read_text("utf-8").splitlines()
            if not line.startswith("#")
        ]
        return {chr(int(code, 16)): "".join(chr(int(each, 16)) for each in like) for code, *like in rows}


def looks_like(char: str) -> str:
    """The ASCII characters that this one looks like, by Unicode's list; empty: none, or it is ASCII itself.

    Without the list, it is empty for all: ``look_alikes_problem`` says so.

    >>> looks_like("а"), looks_like("О"), looks_like("a"), looks_like("я")
    ('a', '0O', '', '')
    """
    return "" if look_alikes_problem() else _read().get(char, "")


@dataclass(frozen=True)
class MixedWord:
    """A word with letters of several scripts that are not written together.

    Attributes:
        text: the word.
        start: its first character's index in the text.
        scripts: in the order in which they come.
        look_alikes: the indices, in the text, of its characters that look like ASCII ones.
    """

    text: str
    start: int
    scripts: tuple[str, ...]
    look_alikes: tuple[int, ...]


def mixed_words(text: str) -> Iterator[MixedWord]:
    """The words of a text that mix scripts.

    >>> [(word.text, word.scripts, word.look_alikes) for word in mixed_words("Pay with pаypal, Анна 日本の")]
    [('pаypal', ('Latin', 'Cyrillic'), (10,))]
    """
    if text.isascii():
        return
    indices = find_scripts(text)
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii():
            continue
        of_letters = (SCRIPTS[index] for index in indices[match.start() : match.end()].tolist())
        scripts = tuple(dict.fromkeys(script for script in of_letters if script != COMMON))
        if len(scripts) < 2 or any(set(scripts) <= together for together in _TOGETHER):
            continue
        marked = tuple(match.start() + at for at, char in enumerate(word) if looks_like(char))
        yield MixedWord(word, match.start(), scripts, marked)
