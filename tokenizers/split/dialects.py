r"""Whether the engines of tiktoken and Hugging Face cut a sample as a person's own split pattern does here.

``regex`` runs a pattern here, fancy-regex in tiktoken, and Oniguruma in Hugging Face's tokenizers. Each has a
dialect of its own. So the pattern runs in the other engine on a sample of characters that engines
disagree on, and on the pattern's own characters. A difference on other texts may remain.

>>> find_difference(r"\p{L}+|\s+", "tiktoken")
>>> difference = find_difference("[a&&b]", "tiktoken")
>>> difference.ours, difference.theirs
(('&', '\n'), ('&\n',))
>>> find_difference("ŋ$", "tiktoken").theirs  # a line end may follow
('ŋ\n',)
>>> find_difference(r"a|\X", "tiktoken").problem
'Parsing error at position 2: Invalid escape: \\X'
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import regex

from . import bounded, engines
from .patterns import spell_for_engine, split_all, usual_spelling

SECONDS = 8.0
"""How long an engine may take, on a busy machine too."""

MEMORY = 280 << 20
"""Bytes of memory that an engine may take; its libraries alone need more than half of them."""

_TOO_MUCH = "it takes too long, or too much memory"

MAX_CHARACTERS = 48
"""How many of a pattern's own characters are in the sample."""

_TASKS = Path(engines.__file__)

Engine = Literal["tiktoken", "huggingface"]


@dataclass(frozen=True, slots=True)
class Difference:
    """How another engine differs on a pattern: it refuses it, or cuts a text in another way.

    Attributes:
        problem: what the engine says of the pattern, or that it needs too much; empty: it takes the pattern.
        ours: pieces of a text here.
        theirs: its pieces there; text that is missing is dropped.
    """

    problem: str
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()


def spell_for_tiktoken(pattern: str | None) -> str:
    r"""A pattern as tiktoken is given it.

    tiktoken drops text that a pattern does not match, so one's own gets an alternative for the rest.

    >>> from tokenizers.split.patterns import GPT2
    >>> spell_for_tiktoken(GPT2) == GPT2
    True
    >>> print(spell_for_tiktoken("[a-z]+"), spell_for_tiktoken(None))
    [a-z]+|(?:(?![a-z]+)[\s\S])+ (?s:.+)
    """
    if pattern is None:
        return r"(?s:.+)"
    if spell_for_engine(pattern) is not None:
        return pattern
    own = f"(?:{pattern}\n)" if "(?x" in pattern else pattern  # a comment at its end ends there
    return rf"{own}|(?:(?!{own})[\s\S])+"


def unspell_for_tiktoken(spelled: str) -> str | None:
    r"""The pattern of a file for tiktoken: the usual spelling, and without what ``spell_for_tiktoken`` adds.

    >>> unspell_for_tiktoken(spell_for_tiktoken("[a-z]+")), unspell_for_tiktoken(spell_for_tiktoken(None))
    ('[a-z]+', None)
    """
    if spelled == spell_for_tiktoken(None):
        return None
    own = spelled[: (len(spelled) - len(spell_for_tiktoken(""))) // 2]
    is_ours = bool(own) and spell_for_tiktoken(own) == spelled
    return own if is_ours else usual_spelling(spelled)


def check_as_tiktoken(pattern: str | None, spelled: str) -> None:
    """Refuse a file's pattern by which tiktoken would cut in another way, or drop what it does not match.

    Args:
        pattern: as it is used here.
        spelled: as tiktoken is given it.

    Raises:
        ValueError: the two differ.
    """
    if find_difference(pattern, "tiktoken", spelled) is not None:
        raise ValueError(
            f"It splits by the pattern “{(pattern or '')[:300]}”. tiktoken’s engine reads this pattern "
            "differently from the engine that can run it safely here."
        )


@functools.lru_cache(maxsize=128)
def find_difference(pattern: str | None, engine: Engine, spelled: str | None = None) -> Difference | None:
    """The first difference between an engine's pieces of the sample and ours; None: there is none.

    Named patterns, and none at all, are read alike everywhere; tests make sure of that.

    Args:
        pattern: a name, a regular expression, or None for no walls.
        engine: the other engine.
        spelled: as the other engine is given it; None: as this app writes it for that engine.

    Raises:
        ValueError: the pattern is no valid one, or takes too long on the sample here already.
    """
    if pattern is None or spell_for_engine(pattern) is not None:
        return None
    # A short one shows a difference best.
    texts = sorted(_sample(pattern), key=lambda text: (len(text), text))
    ours = split_all(texts, pattern, timeout=SECONDS)
    if spelled is None:
        spelled = spell_for_tiktoken(pattern) if engine == "tiktoken" else pattern
    try:
        every = bounded.run(
            *(_TASKS, f"cut_by_{engine}", spelled, texts),
            seconds=SECONDS,
            memory=MEMORY,
            too_slow=_TOO_MUCH,
            too_large=_TOO_MUCH,
        )
    except bounded.BusyError:
        raise
    except ValueError as problem:
        return Difference(str(problem))
    for expected, theirs in zip(ours, every, strict=True):
        if theirs != expected:
            return Difference("", tuple(expected), tuple(theirs))
    return None


# Every kind of character, and those that engines are known to disagree on: the long s, the Kelvin sign,
# dotted and dotless i, sharp s, joiners, odd digits, letters, line ends and blanks.
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


def _sample(pattern: str) -> set[str]:
    """Short texts on which engines may disagree about a pattern."""
    own = [c for c in dict.fromkeys(pattern) if not "\ud800" <= c <= "\udfff"][:MAX_CHARACTERS]
    texts = {*_LINES, *map(str.swapcase, _LINES)}
    for c in {*_CHARACTERS, *own, *map(str.upper, own), *map(str.lower, own)}:
        texts |= {c, f"a{c}b", f" {c}{c} 1{c}", f"{c}\n", f"{c}a{c}1{c} {c}\n", f"x{c * 3}y{c * 5}"}
    texts |= {first + second for first in own[:12] for second in own[:12]}
    for word in regex.findall(r"[\p{L}\p{N}]{2,}", pattern)[:12]:
        texts |= {word, word.upper(), f"a{word}{word} {word}s", f"{word[0]} {word[:-1]} {word}\n{word}"}
    return texts
