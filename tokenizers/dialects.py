r"""Where other regular expression engines read a split pattern of one's own in another way.

Here ``regex`` reads it. tiktoken has fancy-regex, and the Hugging Face package has Oniguruma; each has a
dialect of its own. ``\p{L}+``, classes, groups, repeats, and looking around mean the same everywhere. This
module knows of what does not, as far as the tests have tried it with both.

>>> differences(r"\p{L}+|\s+")
[]
>>> [(found.construct, found.tiktoken, found.huggingface) for found in differences(r"a*|[a&&b]")]
[('&& in a class', True, True), ('a match of nothing', True, False)]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from .patterns import PATTERNS
from .regex_tasks import compile_regex as compile_pattern


@dataclass(frozen=True, slots=True)
class Difference:
    """A construct, and who reads it in another way than ``regex``, or not at all."""

    construct: str
    tiktoken: bool = True
    huggingface: bool = True


# What stands outside and inside of a class such as [a-z]. The first that fits is taken; the rest is plain.
_ESCAPE = r"(?P<escape>\\(?:[pPN]\{[^}]*\}|g<[^>]*>|0[0-7]{0,2}|[1-9][0-9]*|.))"
_OUTSIDE = regex.compile(
    rf"(?s){_ESCAPE}|(?P<group>\(\?(?:P?<(?![=!])|P[=>&]|<?[=!]|>|[a-zA-Z0-9-]*[:)]|.))"
    r"|(?P<repeat>\{[0-9]*,?[0-9]*\}\+?)|(?P<fuzzy>\{[^}]*[a-z][^}]*\})|(?P<anchor>[$^])|(?P<open>\[\^?\]?)|."
)
_INSIDE = regex.compile(
    rf"(?s){_ESCAPE}|(?P<set>&&|--|~~|\|\|)|(?P<posix>\[:\^?[a-z]+:\])|(?P<nested>\[)|(?P<close>\])|."
)

_PLAIN_ESCAPES = frozenset("dDsSAzGRnrtfvaxuU")  # any sign, too
_PLAIN_GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?<", "(?i:")

# Something of everything, to see whether a pattern matches the empty string somewhere.
_PROBE = "Ab cd  1234\n\n e'll [x] naïve, Ωμέγα नमस्ते 안녕 日本、\r\n\t😀!? a_b-c/d. "
_PROBE_SECONDS = 0.2


def differences(pattern: str | None) -> list[Difference]:
    """What in a split pattern is known to be read in another way elsewhere; nothing for a named one."""
    if pattern is None or pattern in PATTERNS.values():
        return []
    found = list(_iter_constructs(pattern))
    if _matches_nothing(pattern):
        found.append(Difference("a match of nothing", huggingface=False))
    return list(dict.fromkeys(found))


def _iter_constructs(pattern: str) -> Iterator[Difference]:
    at, in_class = 0, False
    while match := (_INSIDE if in_class else _OUTSIDE).match(pattern, at):
        text, kind, start, at = match.group(), match.lastgroup, at, match.end()
        if kind == "escape":
            yield from _of_escape(text)
        elif kind == "group":
            if regex.fullmatch(r"\(\?\w*x\w*[-:)].*", text):
                yield Difference("(?x)")
                return  # the rest is spelled by other rules
            yield from _of_group(text, start)
        elif kind == "repeat" and text.endswith("+"):
            yield Difference("a possessive {…}+", tiktoken=False)
        elif kind == "fuzzy":
            yield Difference("fuzzy matching {…}")
        elif kind == "anchor":
            # Oniguruma's stand at every line; fancy-regex's $ does not stand before a last line end.
            yield Difference(text, tiktoken=text == "$" and not pattern.startswith("(?m)"))
        elif kind == "set":
            yield Difference(f"{text} in a class", huggingface=text == "&&")
        elif kind == "posix":
            yield Difference("[:…:]", huggingface=False)
        elif kind == "nested":
            yield Difference("[ in a class")
        elif kind in ("open", "close"):
            in_class = kind == "open"


def _of_escape(text: str) -> Iterator[Difference]:
    letter = text[1]
    if letter in "wWbB":
        # Oniguruma's words are without the two signs that join or part letters.
        yield Difference(f"\\{letter} at a zero-width joiner", tiktoken=False)
    elif letter in "pP":
        name = text[3:-1].removeprefix("^") if len(text) > 2 else ""
        if not name:
            yield Difference(f"\\{letter} without {{}}", tiktoken=False)
        elif not regex.fullmatch("[A-Za-z_]+", name) or name.lower().startswith("in"):
            yield Difference(text)
        elif name.lower().startswith("is"):
            yield Difference(text, tiktoken=False)
    elif letter == "Z":
        yield Difference(text)  # elsewhere it stands before a last line end, too
    elif letter in "123456789" or text.startswith("\\g"):
        yield Difference("a back reference", huggingface=False)
    elif letter == "0":
        yield Difference("an octal number", huggingface=False)
    elif letter.isalnum() and letter.isascii() and letter not in _PLAIN_ESCAPES:
        yield Difference(text)


def _of_group(text: str, start: int) -> Iterator[Difference]:
    if text == "(?P<":
        yield Difference("(?P<…>", tiktoken=False)
    elif text == "(?i)":
        if start:
            yield Difference("(?i) inside the pattern")  # here it counts for all of it, wherever it stands
    elif text in ("(?s)", "(?s:", "(?m)", "(?m:"):
        yield Difference(text.rstrip(":)") + ")", tiktoken=text.endswith(")") and start > 0)
    elif text not in _PLAIN_GROUPS:
        yield Difference(f"{text}…")


def _matches_nothing(pattern: str) -> bool:
    """Whether the pattern matches the empty string somewhere in a text that has something of everything."""
    compiled = compile_pattern(pattern)
    try:
        return any(
            match.start() == match.end()
            for text in ("", _PROBE)
            for match in compiled.finditer(text, timeout=_PROBE_SECONDS)
        )
    except (TimeoutError, MemoryError):
        return True  # nobody knows: a pattern to be careful with
