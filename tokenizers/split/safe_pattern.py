r"""Which regular expressions of a tokenizer.json may run in this process, by Oniguruma, the library's engine.

Oniguruma cannot be stopped: a pattern that takes for ever would take the server with it. So a pattern runs
only if it is one that a published tokenizer has, or if its time surely grows no faster than the text. Such a
pattern is made of alternatives; each of them is a row of characters and classes, repeated at most a few
times, and after one that repeats without a bound comes only what may be left out. Then nothing is ever tried
twice.

>>> is_safe(r" {2,}"), is_safe(r"[0-9][0-9][0-9]"), is_safe(r"\p{N}{1,3}"), is_safe(r"(a+)+b"), is_safe("a+b")
(True, True, True, False, False)
"""

from __future__ import annotations

import regex

from .patterns import GPT2, GPT4, GPT4O, QWEN, TEKKEN

MAX_LENGTH = 1_000
"""The most characters of a pattern that is not a published one."""

MAX_WAYS = 256
"""In how many ways the bounded repeats of all alternatives can go: all may be tried at each place."""

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_ASCII_PUNCTUATION = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""

LLAMA3 = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_LINES}"
)
QWEN3_5 = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_LINES}"
)
DEEPSEEK = (
    rf"{_ASCII_PUNCTUATION}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
    rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_LINES}"
)
_POSSESSIVE = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}"
# tiktoken's spellings of cl100k_base, the older one first, and of r50k_base.
CL100K_SPELLINGS = (
    rf"{_POSSESSIVE}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    rf"{_POSSESSIVE}++|\p{{N}}{{1,3}}+| ?[^\s\p{{L}}\p{{N}}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
)
R50K_SPELLING = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
OLMO2 = LLAMA3.replace(r"\s*[\r\n]+", r"\s*[\r\n]")
CLIP_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
GPT2_AS_PUBLISHED = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"

PUBLISHED: dict[str, str | None] = {
    GPT2: GPT2,
    GPT2_AS_PUBLISHED: GPT2,
    GPT4: GPT4,
    LLAMA3: GPT4,
    GPT4O: GPT4O,
    QWEN: QWEN,
    TEKKEN: TEKKEN,
    **dict.fromkeys(CL100K_SPELLINGS),
    R50K_SPELLING: None,
    QWEN3_5: None,
    DEEPSEEK: None,
    OLMO2: None,
    CLIP_WORDS: None,
    BLOOM: None,
}
"""Patterns of published tokenizers: as their files spell them, and the pattern of ours that cuts alike."""


def as_file(pattern: str) -> str:
    r"""A pattern with its line ends escaped, as PUBLISHED has it: files hold either spelling.

    >>> as_file("[\r\n]+")
    '[\\r\\n]+'
    """
    return pattern.replace("\r", "\\r").replace("\n", "\\n")


_CLASS = (
    r"(?:\[\^?(?:\\(?:[dswhDSWrntfv]|[pP]\{\^?[A-Za-z_]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^\w\s])|[^\]\[\\&])+\]"
    r"|\\(?:[dswDSWrntfv]|[pP]\{\^?[A-Za-z_]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^\w\s])"
    r"|[^\\\[\](){}*+?|.^$])"
)
_ITEM = regex.compile(
    rf"(?P<what>{_CLASS})(?P<repeat>[*+?]|\{{(?P<least>[0-9]{{1,2}})(?P<comma>,)?(?P<most>[0-9]{{1,2}})?\}})?"
)
_BLANKS_LAST = (r"\s+(?!\S)", r"\s*[\r\n]+", r"\s*[\r\n]")
"""Alternatives that may be tried in vain over a whole run of white space; then ``\\s+`` takes all of it."""


def is_safe(pattern: str) -> bool:
    """Whether a pattern's time and memory surely grow no faster than the text it is run on."""
    pattern = as_file(pattern)
    if pattern in PUBLISHED:
        return True
    if not pattern or len(pattern) > MAX_LENGTH:
        return False
    alternatives = _alternatives(pattern)
    first = next((place for place, each in enumerate(alternatives) if each in _BLANKS_LAST), None)
    if first is not None:
        # Otherwise another alternative could match part of the white space and cause backtracking.
        if alternatives[-1] != r"\s+" or any(each not in _BLANKS_LAST for each in alternatives[first:-1]):
            return False
        alternatives = [*alternatives[:first], alternatives[-1]]
    ways = [1 if each == _CONTRACTIONS else _ways(each) for each in alternatives]
    return 0 not in ways and sum(ways) <= MAX_WAYS


def may_be_empty(pattern: str) -> bool:
    """Whether a safe pattern can match nothing, so that a replacement makes a text grow.

    >>> may_be_empty("a*"), may_be_empty(" {2,}"), may_be_empty("a|b?")
    (True, False, True)
    """
    pattern = as_file(pattern)
    return pattern not in PUBLISHED and regex.match(f"(?:{pattern})", "") is not None


def _alternatives(pattern: str) -> list[str]:
    """The pattern cut at each | outside of classes and of the one known group."""
    pattern = pattern.replace(_CONTRACTIONS, "\0")
    parts, at, begin = [], 0, 0
    while at < len(pattern):
        item = regex.compile(_CLASS).match(pattern, at)
        if item:
            at = item.end()
            continue
        if pattern[at] == "|":
            parts.append(pattern[begin:at])
            begin = at + 1
        at += 1
    return [part.replace("\0", _CONTRACTIONS) for part in (*parts, pattern[begin:])]


def _ways(alternative: str) -> int:
    """In how many ways an alternative can go, a row of characters and classes; 0: perhaps in too many."""
    at, ways, has_unbounded = 0, 1, False
    while at < len(alternative):
        item = _ITEM.match(alternative, at)
        if item is None:
            return 0
        at = item.end()
        repeat = item["repeat"]
        if at < len(alternative) and repeat and alternative[at] in "*+?{":
            return 0  # possessive, lazy, or repeated again
        may_be_left_out = repeat in ("*", "?") or (repeat is not None and item["least"] in ("0", "00"))
        if has_unbounded and not may_be_left_out:
            return 0
        if repeat in ("*", "+") or (item["comma"] and item["most"] is None):
            has_unbounded = True
        elif repeat == "?":
            ways *= 2
        elif repeat:
            least, most = int(item["least"]), int(item["most"] or item["least"])
            ways *= max(1, most - least + 1)
            if most < least or most > 64:
                return 0
        if ways > MAX_WAYS:
            return 0
    return ways if alternative else 0
