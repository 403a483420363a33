r"""Whether other regular expression engines read a split pattern of one's own in another way: by trying.

Here ``regex`` reads a pattern. tiktoken has fancy-regex, and the Hugging Face package has Oniguruma; each has
a dialect of its own. A table of their differences is never complete. So the very pattern is run in them, on
texts that are made to tell engines apart: characters of every kind, alone and side by side, and what
the pattern itself is about: its characters, once to five times, in either case, with other ones around.

That shows every difference on these texts, and proves nothing about others.

>>> try_pattern(r"\p{L}+|\s+").tiktoken.state
'alike'
>>> trial = try_pattern("[a&&b]").tiktoken
>>> trial.state, trial.text, trial.ours, trial.theirs
('unlike', 'a\n', ('a', '\n'), ('a\n',))
>>> print(try_pattern(r"a|\X").tiktoken.message)
Parsing error at position 2: Invalid escape: \X
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import regex

from . import bounded, engine_tasks
from .own_pattern import read_pattern
from .patterns import known_pattern, split_all

SECONDS = 2.0
"""How long one engine may take."""

MEMORY = 280 << 20
"""Bytes of address space that an engine may take; its libraries alone need more than half of them."""

MAX_LITERALS = 48
"""Different characters of a pattern that are tried."""

_SPLIT_SECONDS = 0.2

State = Literal["alike", "unlike", "refused", "too much", "not installed"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one engine made of a pattern.

    Attributes:
        state: alike: it cut every text as ``regex`` does; unlike: it cut one in another way; refused: it
            does not take the pattern; too much: it took too long or too much memory; not installed: it
            was not tried.
        text: of unlike, the text.
        ours, theirs: its pieces, here and there. What is missing there is dropped.
        message: of refused, what the engine says.
    """

    state: State
    text: str = ""
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Trials:
    """What the two engines made of a pattern."""

    tiktoken: Trial
    huggingface: Trial


_ALIKE = Trial("alike")


def spell_for_tiktoken(pattern: str | None) -> str:
    r"""A pattern as tiktoken is given it.

    tiktoken drops text that a pattern does not match, so one's own gets an alternative for the rest.

    >>> print(spell_for_tiktoken("[a-z]+"), spell_for_tiktoken(None))
    [a-z]+|(?:(?![a-z]+)[\s\S])+ (?s:.+)
    """
    if pattern is None:
        return r"(?s:.+)"
    known = known_pattern(pattern)
    if known is not None and known.in_engine:
        return pattern
    own = f"(?:{pattern}\n)" if "(?x" in pattern else pattern  # a comment at its end ends there
    return rf"{own}|(?:(?!{own})[\s\S])+"


@functools.lru_cache(maxsize=128)
def try_pattern(pattern: str | None) -> Trials:
    """Run a split pattern in the other engines.

    Named patterns, and none at all, are read alike everywhere; the tests make sure of that.

    Raises:
        ValueError: the pattern is no valid one, or takes too long on short texts here already.
    """
    known = known_pattern(pattern)
    if pattern is None or (known is not None and known.in_engine):
        return Trials(_ALIKE, _ALIKE)
    texts = sorted(dict.fromkeys(_iter_texts(pattern)), key=len)  # a short one shows a difference best
    pieces = split_all(texts, pattern, timeout=_SPLIT_SECONDS)
    tiktoken = _try("try_tiktoken", spell_for_tiktoken(pattern), texts, pieces)
    if tiktoken.state == "alike" and not read_pattern(pattern).least:
        # It can match the empty string, though it does not in these texts: tiktoken would break down there.
        tiktoken = Trial("refused", message=engine_tasks.BREAKS_DOWN)
    return Trials(
        tiktoken,
        _try("try_huggingface", pattern, texts, pieces)
        if engine_tasks.has_huggingface()
        else Trial("not installed"),
    )


def _try(task: str, pattern: str, texts: list[str], pieces: list[list[str]]) -> Trial:
    file = Path(engine_tasks.__file__)
    try:
        state, number, answer = bounded.run(
            file, task, pattern, texts, pieces, seconds=SECONDS, memory=MEMORY
        )
    except (bounded.TooSlowError, bounded.TooMuchMemoryError):
        return Trial("too much")
    if state == "unlike":
        return Trial("unlike", texts[number], tuple(pieces[number]), tuple(answer))
    return Trial("refused", message=answer) if state == "refused" else _ALIKE


# Texts that tell engines apart

# One or two of every kind of character, and those that engines are known to disagree on: the long s, the
# Kelvin sign, dotted and dotless i, sharp s, joiners, odd digits, letters, line ends and blanks.
_CHARACTERS = (
    "aAzZ09_-+.,;:!?'\"()[]{}<>|&~#@/\\^$*=%`"
    " \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028\u2029\u3000\u200b"
    "éßſKİıΩσςЖ֐אبनि्กあ漢한ʼnǅﬁªⓐⅷ½²٣൦௧𝟘\u0301\u20dd\u200c\u200d\ufe0f\u00ad\u0378\ue000\U000e0041€©→😀🇩\x00\x7f"
)
_LINES = (
    "Don't stop: they'LL've 1234567 x²\r\n\r\n  \tTHE end.  ",
    "naïve Ωμέγα नमस्ते 안녕하세요 日本語、ไทย עברית العربية",
    "snake_case camelCase 3.14 -1e-9 a+b==c && d||e",
    "ab\nab\r\nab\n\n ab \n",
    "aaa bbb  ccc   ddd\t\teee\n",
    "x\u0301e\u0301\u0323 👩\u200d🚀 🇩🇪🇫🇷 क\u094d\u200dष",
    "Straße STRASSE strasse ﬁne ſtop KELVIN K k İI ıi",
)
_NUMBERED = regex.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x\{([0-9A-Fa-f]{1,6})\})"
)
_RUN = regex.compile(r"[\p{L}\p{N}]{2,}")


def _iter_texts(pattern: str) -> Iterator[str]:
    """Short texts on which engines may disagree about this pattern."""
    yield from _LINES
    for line in _LINES:
        yield from (line.upper(), line.swapcase())
    for character in _CHARACTERS:
        yield from (character, f"a{character}b", f" {character}{character} 1{character}", f"{character}\n")
    for first, second in zip(_CHARACTERS, _CHARACTERS[1:], strict=False):
        yield f"{first}{second}{first}"
    literals = list(dict.fromkeys(_iter_literals(pattern)))[:MAX_LITERALS]
    for character in literals:
        for form in dict.fromkeys((character, character.upper(), character.lower(), character.title())):
            for count in range(1, 6):
                yield form * count
                yield f"x{form * count}y"
            yield from (
                f"{form}\n",
                f" {form} ",
                f"\n{form}\n{form}",
                f"{form}a{form}1{form} {form}\n",
                f"1{form}",
            )
    for first in literals[:12]:
        for second in literals[:12]:
            yield from (first + second, f"{first}{first}{second}{first}")
    for run in list(dict.fromkeys(_RUN.findall(pattern)))[:12]:
        yield from (run, run.upper(), f"a{run}{run} {run}s", f"{run[0]} {run[:-1]} {run}\n{run}")


def _iter_literals(pattern: str) -> Iterator[str]:
    """The characters that a pattern holds, by themselves or by their number."""
    for match in _NUMBERED.finditer(pattern):
        number = int(next(group for group in match.groups() if group), 16)
        if number < 0x110000 and not 0xD800 <= number < 0xE000:
            yield chr(number)
    yield from (character for character in pattern if not "\ud800" <= character <= "\udfff")
