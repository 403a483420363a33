"""The named split patterns, each with its source; and cutting a text by any pattern.

A split pattern cuts a text into pieces (pre-tokens) before any merge happens. Between two pieces is a
wall (a pre-token boundary), and no token reaches across a wall.

The patterns are written in the classic spelling of their authors. tiktoken ships possessive spellings of
them, which are faster in Rust and slower in Python's ``regex``; the tests hold the pieces and the ids equal
on every Unicode character and on random text. One spelling is no longer equal: tiktoken's newer cl100k_base
takes the white space at the end of a text as one piece, although it may hold line ends, after which the
classic pattern has a wall. ``CL100K`` is that pattern. Its ids are the same: no token reaches from a line end
to a blank.

>>> split("Hello, world 1234", PATTERNS["gpt4"])
['Hello', ',', ' world', ' ', '123', '4']
>>> split("Hello, world 1234", None)
['Hello, world 1234']
"""

from __future__ import annotations

import functools
import itertools
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import regex

from . import bounded, engines


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the alternatives of a split pattern, and what it matches, for people."""

    regex: str
    meaning: str


_BLANKS = (
    Alternative(r"\s+(?!\S)", "a run of white space, but for its last character if text follows"),
    Alternative(r"\s+", "one character of white space before other text"),
)

# GPT-2 (Radford et al. 2019), github.com/openai/gpt-2, src/encoder.py.
_GPT2 = (
    Alternative(r"'(?:[sdmt]|ll|ve|re)", "an English contraction such as 's or 'll"),
    Alternative(r" ?\p{L}+", "letters, with at most one space before them"),
    Alternative(r" ?\p{N}+", "digits, with at most one space before them"),
    Alternative(r" ?[^\s\p{L}\p{N}]+", "symbols, with at most one space before them"),
    *_BLANKS,
)

# cl100k_base: github.com/openai/tiktoken, tiktoken_ext/openai_public.py.
_GPT4 = (
    Alternative(r"'(?i:[sdmt]|ll|ve|re)", "an English contraction such as 's or 'LL"),
    Alternative(r"[^\r\n\p{L}\p{N}]?\p{L}+", "letters, with at most one space or symbol before them"),
    Alternative(r"\p{N}{1,3}", "up to three digits"),
    Alternative(
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        "symbols, with at most one space before them and the line ends after them",
    ),
    Alternative(r"\s*[\r\n]+", "white space up to its last line end"),
    *_BLANKS,
)

# cl100k_base as tiktoken spells it since 0.8: white space at the end of a text is never cut.
_CL100K = (*_GPT4[:-3], Alternative(r"\s++\Z", "white space up to the end of the text"), *_GPT4[-3:])

# o200k_base: the same file. The letters' case matters here, and contractions stay attached.
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_GPT4O = (
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        "a word, any capitals first, with at most one space or symbol before it and a contraction after it",
    ),
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        "a word in capitals, with at most one space or symbol before it and a contraction after it",
    ),
    Alternative(r"\p{N}{1,3}", "up to three digits"),
    Alternative(
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        "symbols, with at most one space before them and the line ends and slashes after them",
    ),
    Alternative(r"\s*[\r\n]+", "white space up to its last line end"),
    *_BLANKS,
)

# Mistral's (mistral-common, data/tekken_240911.json): o200k_base's words without their contractions, and
# single digits.
_TEKKEN = (
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+",
        "a word, any capitals first, with at most one space or symbol before it",
    ),
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*",
        "a word in capitals, with at most one space or symbol before it",
    ),
    Alternative(r"\p{N}", "one digit"),
    *_GPT4O[3:],
)

# Qwen's (Alibaba's dashscope, tokenizers/qwen_tokenizer.py): cl100k_base's, but single digits.
_QWEN = (
    Alternative(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", "an English contraction such as 's or 'LL"),
    _GPT4[1],
    Alternative(r"\p{N}", "one digit"),
    *_GPT4[3:],
)

# Qwen 3.5's (its tokenizer.json): the same, but a letter's marks stay with it.
_QWEN35 = (
    _QWEN[0],
    Alternative(
        r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+", "letters and their marks, with one space or symbol before"
    ),
    _QWEN[2],
    Alternative(
        r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
        "symbols, with at most one space before them and the line ends after them",
    ),
    *_GPT4[4:],
)

# CLIP's (github.com/openai/CLIP, clip/simple_tokenizer.py), in a text where a space, its </w>, follows each
# word and is nowhere else.
_CLIP = (
    Alternative(r"(?i:'s|'t|'re|'ve|'m|'ll|'d) ", "an English contraction such as 's or 'll, and its end"),
    Alternative(r"\p{L}+ ", "letters, and the end of the word"),
    Alternative(r"\p{N} ", "one digit, and its end"),
    Alternative(r"[^\s\p{L}\p{N}]+ ", "symbols, and their end"),
    # Words are found by newer Unicode tables than the engine has: this keeps characters that are new to it.
    Alternative(r"[^ ]+ ", "characters that the engine does not know as letters or symbols, and their end"),
)


def _join(alternatives: tuple[Alternative, ...]) -> str:
    return "|".join(alternative.regex for alternative in alternatives)


@dataclass(frozen=True)
class SplitPattern:
    """A split pattern that is known here by name, and what has been proven of it.

    To add one, add an entry to ``KNOWN``. It works with the defaults, only slower. A test goes over all
    patterns that have a scanner.

    Attributes:
        name: its name on the pages.
        alternatives: in the order in which the engine tries them.
        used_by: the encoding or the models that people know it from, if that is not its name.
        scanner: the number of its scanner in ``kernels/scanning.py``. It also says that ``SAFE_CUT`` is right
            for the pattern, and that tiktoken's engine splits by it as ``regex`` does, where
            ``engines_agree``. None: it has no scanner, and nothing is proven of it.
        is_offered: whether people can choose it; otherwise, it is there to explain an encoding.
    """

    name: str
    alternatives: tuple[Alternative, ...]
    used_by: str = ""
    scanner: int | None = None
    is_offered: bool = True

    @functools.cached_property
    def regex(self) -> str:
        """The whole regular expression."""
        return _join(self.alternatives)


KNOWN = (
    SplitPattern("gpt2", _GPT2, scanner=0),
    SplitPattern("gpt4", _GPT4, used_by="cl100k_base", scanner=1),
    SplitPattern("gpt4o", _GPT4O, used_by="o200k_base", scanner=2),
    SplitPattern("qwen", _QWEN, scanner=3),
    SplitPattern("qwen3.5", _QWEN35, scanner=4, is_offered=False),
    SplitPattern("tekken", _TEKKEN, used_by="Mistral", scanner=5),
    SplitPattern("clip", _CLIP, is_offered=False),
    SplitPattern("cl100k_base", _CL100K, is_offered=False),
)
"""The patterns that have a name. A new one is its alternatives above and an entry here. Without a
``scanner`` it works everywhere, if slower; with one, tests hold the kernels to it."""

_regexes = {pattern.name: pattern.regex for pattern in KNOWN}
GPT2, GPT4, GPT4O, CL100K = (_regexes[name] for name in ("gpt2", "gpt4", "gpt4o", "cl100k_base"))
QWEN, QWEN35, TEKKEN, CLIP = (_regexes[name] for name in ("qwen", "qwen3.5", "tekken", "clip"))

LLAMA3 = _join((_QWEN[0], *_GPT4[1:]))
"""The gpt4 pattern as Llama 3's tokenizer.json spells it."""

_SPELLINGS = {"'s|'t|'re|'ve|'m|'ll|'d|" + _join(_GPT2[1:]): _join(_GPT2), LLAMA3: _join(_GPT4)}


def usual_spelling(pattern: str) -> str:
    r"""The pattern of a file with its line ends escaped, spelled as the named pattern that cuts alike.

    >>> usual_spelling(LLAMA3) == GPT4, usual_spelling("[\r\n]+")
    (True, '[\\r\\n]+')
    """
    escaped = pattern.replace("\r", "\\r").replace("\n", "\\n")
    return _SPELLINGS.get(escaped, escaped)


PATTERNS: dict[str, str] = {pattern.name: pattern.regex for pattern in KNOWN if pattern.is_offered}
"""The named patterns: what ``train(pattern=...)`` accepts besides a regular expression of one's own."""

PATTERN_LABELS: dict[str, str] = {
    pattern.name: f"{pattern.name} ({pattern.used_by})" if pattern.used_by else pattern.name
    for pattern in KNOWN
    if pattern.is_offered
}
"""The label of each in choosers."""


def pattern_name(pattern: str | None) -> str | None:
    """The name of a regular expression in ``PATTERNS``; None: it has none there.

    >>> pattern_name(PATTERNS["gpt4"]), pattern_name("[a-z]+"), pattern_name(None)
    ('gpt4', None, None)
    """
    known = known_pattern(pattern)
    return known.name if known and known.is_offered else None


_BY_REGEX = {pattern.regex: pattern for pattern in KNOWN}


def known_pattern(pattern: str | None) -> SplitPattern | None:
    """What is known of a regular expression; None: it is a person's own.

    >>> known_pattern(PATTERNS["gpt4"]).name, known_pattern("[a-z]+")
    ('gpt4', None)
    """
    return _BY_REGEX.get(pattern) if pattern else None


def scanner_of(pattern: str | None) -> int | None:
    """The number of a pattern's scanner, as in ``SplitPattern``; None: nothing is proven of the pattern.

    >>> scanner_of(GPT4), scanner_of("[a-z]+"), scanner_of(None)
    (1, None, None)
    """
    known = known_pattern(pattern)
    return known.scanner if known else None


_CLASS = r"(?:\\[pP]\{\w+\}|\\[dswDSWrnth]|\\\W|\[\^?(?:[^\[\]\\&]|&(?!&)|\\.)+\]|[^\\\[\](){}|*+?.^$])"
_PLAIN = regex.compile(
    rf"(?:{_CLASS}\?\+?)?(?:{_CLASS}(?:\{{\d\d?\}})?)*"  # of one length, or of two
    rf"{_CLASS}(?:\+\+?(?:{_CLASS}[*?]\+?)?|\{{\d\d?(?:,\d?\d?)?\}}\+?)?"
)
"""An alternative that tells by a few characters whether it matches, and never gives back what it takes."""

_TRIED = _GPT2 + _GPT4 + _CL100K + _GPT4O + _QWEN + _QWEN35 + _TEKKEN  # by name: another one is not tried
_GUARDED = {each.regex for each in _TRIED} | {
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
    r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*)+",
    r"\s++$",
    r"\s*[\r\n]",
}
"""Linear only if another alternative matches any white space: otherwise each would rescan a run of it."""

_GUARDS = (r"|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s", r"|\s+(?!\S)")

_BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"

_LINE_START = r"(?<![^\n])(?=[^\n▁])"
"""The start of a line, where a mark is put: it looks at one character on either side."""

_SLOW = {r"\s+$", r"(?=(\d{3})+(?!\d))", r"\d{1,3}(?=(?:\d{3})*\b)"}
"""Published patterns that go over a run again for each of its characters."""


@functools.lru_cache(maxsize=256)
def is_linear(pattern: str) -> bool:
    r"""Whether a pattern is known to take time in proportion to the text. False means unknown, not slow.

    >>> is_linear(GPT4), is_linear(r"\p{N}{1,3}"), is_linear(r"\s+$"), is_linear("(a+)+")
    (True, True, False, False)
    """
    rest = usual_spelling(pattern)
    if rest in (_BLOOM, _LINE_START):
        return True
    guard = next((last for last in _GUARDS if rest.endswith(last)), "")
    rest = f"{rest.removesuffix(guard)}|"
    while rest:
        plain = _PLAIN.match(rest)
        fits = [each for each in _GUARDED if guard and rest.startswith(f"{each}|")]
        longest = max([*fits, plain[0] if plain else ""], key=len)
        if not longest or not rest.startswith(f"{longest}|"):
            return False
        rest = rest[len(longest) + 1 :]
    return True


def stays_in_runs(pattern: str) -> bool:
    r"""Whether a pattern is known to look no farther than to the end of a run of blanks, letters, digits, ….

    >>> stays_in_runs(r"\s+$"), stays_in_runs("(?s)a(?=.*b)")
    (True, False)
    """
    return pattern in _SLOW or is_linear(pattern)


def spell_for_engine(pattern: str | None) -> str | None:
    """A named pattern, spelled for tiktoken's engine; None: that engine might split by it in another way.

    The engine splits by this spelling a quarter faster.

    The engine tries the alternatives one by one, because the last two look ahead or are beside one that
    does. Those before them, in a group of their own, are a plain regular expression, and it runs them as
    one automaton. Which alternative comes first stays as it was, so every text is split as before.

    >>> spell_for_engine(GPT2).endswith("|\\\\s+(?!\\\\S)|\\\\s+")
    True
    """
    known = known_pattern(pattern)
    if known is None or known.scanner is None:
        return None
    plain = known.alternatives[: -len(_BLANKS)]  # each proven pattern ends with these
    return f"(?:{_join(plain)})|{_join(_BLANKS)}"


SAFE_CUT = regex.compile(
    r"(?<=\S)(?= )"  # a blank after something visible
    r"|(?<=\S\n)(?=[\p{L}\p{N}])"  # the start of a line of words, after a single line end
    r"|(?<=\p{Lo})(?=[\u3001\u3002\uff0c])"  # Chinese and Japanese commas and full stops: no blanks there
)
"""Where every proven pattern has a wall, and would have it if the text ended or began there.

No alternative reaches across such a place: a blank, and one of these commas and full stops, is only where a
piece begins or in a run of its own kind that begins here; a letter or number never follows a line end within
a piece. None looks back. The only one that looks ahead does so from a run of white space. Here such a run
ends only before the start of a line; then it is one line end, which is a piece (or the end of one) either
way.
"""


def cut_safely(text: str, size: int, place: regex.Pattern[str] = SAFE_CUT) -> Iterator[str]:
    """The text in parts of about ``size`` characters; each proven pattern splits them as it splits the whole.

    If there is no such place nearby, a part is as long as necessary.

    Args:
        text: any.
        size: characters.
        place: where a part may begin.

    >>> list(cut_safely("one two three four", 5))
    ['one two', ' three', ' four']
    """
    start = 0
    while len(text) - start > size:
        safe_place = place.search(text, start + max(1, size))
        if safe_place is None:
            break
        yield text[start : safe_place.start()]
        start = safe_place.start()
    yield text[start:]


# tiktoken's engine and ``regex`` follow different versions of Unicode. In these blocks they agree on
# every character (a test asks them); elsewhere one of them may not know a new letter yet.
_NOT_SETTLED = re.compile(
    "[^"
    "\u0000-\u0294\u0296-\u052f"  # Latin, IPA but for one letter, Greek, Cyrillic
    "\u05d0-\u05ea\u0600-\u06ff"  # Hebrew, Arabic
    "\u0900-\u09fe\u0b80-\u0bff\u0c00-\u0c5b\u0e00-\u0e7f"  # Devanagari, Bengali, Tamil, Telugu, Thai
    "\u10a0-\u137f\u1e00-\u206f\u20a0-\u20bf\u2100-\u27bf"  # Georgian to Ethiopic; punctuation, symbols
    "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\ufe00-\ufe0f\uff00-\uffef"  # Chinese, Japanese, Korean
    "\U0001f000-\U0001faff\U000e0020-\U000e007f"  # emoji and their tags
    "]"
)


def engines_agree(text: str) -> bool:
    """Whether tiktoken's engine surely splits ``text`` as ``split`` does; False: it might not.

    >>> engines_agree("नमस्ते, 안녕!"), engines_agree("\\U000323b0")
    (True, False)
    """
    return text.isascii() or _NOT_SETTLED.search(text) is None


@functools.lru_cache(maxsize=64)
def check_pattern(pattern: str) -> None:
    """Raise unless a pattern can be compiled, and can cut a text into pieces.

    Raises:
        ValueError: it is no valid regular expression (says where it breaks), or it needs too much.

    >>> check_pattern("[a-")
    Traceback (most recent call last):
    ...
    ValueError: The split pattern is not a valid regular expression: ... at position 3. ...
    >>> check_pattern("a{99999999}")
    Traceback (most recent call last):
    ...
    tokenizers.split.bounded.LimitError: The split pattern is too large or too deeply nested. ...
    """
    if known_pattern(pattern) is not None:
        return
    names = ", ".join(PATTERNS)
    too_much = f"The split pattern is too large or too deeply nested. Simplify it, or choose one of {names}."
    bounded.run(
        *(_TASKS, "check_regex", pattern),
        seconds=COMPILE_SECONDS,
        refused="The split pattern is not a valid regular expression: {}. Correct it there, or choose one of "
        f"{names}.",
        too_slow=too_much,
        too_large=too_much,
    )


COMPILE_SECONDS = 2.0
"""Seconds that a person's own pattern may take to compile."""

MEMORY_PER_CHARACTER = 12
"""Bytes that a pattern may take for each character of the text, besides ``bounded.MEMORY``."""

_TASKS = Path(engines.__file__)

_LIKE_A_NAME = regex.compile(r"(?i)gpt\w*")


def find_pattern(name_or_regex: str | None) -> str | None:
    """The regular expression that a person means: a name of ours, their own, or None for no walls.

    The empty pattern splits nothing, so it is None.

    Raises:
        ValueError: a name that we do not have, a broken regular expression, or one of several lines.

    >>> find_pattern("gpt2") == PATTERNS["gpt2"], find_pattern("[a-z]+"), find_pattern("")
    (True, '[a-z]+', None)
    >>> find_pattern("gpt5")
    Traceback (most recent call last):
    ...
    ValueError: There is no split pattern named 'gpt5'. There are: gpt2, gpt4, gpt4o, qwen, tekken.
    """
    if not name_or_regex:
        return None
    if name_or_regex in PATTERNS:
        return PATTERNS[name_or_regex]
    if _LIKE_A_NAME.fullmatch(name_or_regex):
        raise ValueError(
            f"There is no split pattern named {name_or_regex!r}. There are: {', '.join(PATTERNS)}."
        )
    if "\n" in name_or_regex or "\r" in name_or_regex:
        raise ValueError(
            "The split pattern holds a line break, which a model file cannot keep. Put the pattern on one "
            "line, with \\n where it should match a line break."
        )
    if any("\ud800" <= character <= "\udfff" for character in name_or_regex):
        raise ValueError("The split pattern holds half a character (a lone surrogate). Type it again.")
    check_pattern(name_or_regex)
    return name_or_regex


def spell_as_regex(pattern: str) -> str:
    """The regular expression of a file, spelled so that ``find_pattern`` does not take it for a name.

    Only people call patterns by name. A file of minbpe's or Hugging Face's holds a regular expression: there
    ``gpt2`` matches those four letters.

    >>> spell_as_regex("gpt2"), spell_as_regex("[a-z]+")
    ('(?:gpt2)', '[a-z]+')
    """
    is_name = pattern in PATTERNS or _LIKE_A_NAME.fullmatch(pattern)
    return f"(?:{pattern})" if is_name else pattern


def find_alternative(text: str, start: int, pattern: str | None) -> Alternative | None:
    """The alternative of a named pattern that matches the piece that begins at ``start``.

    Args:
        text: the text, as it is split.
        start: where a piece begins, in characters.
        pattern: the split pattern. If it has no name here, the answer is None.

    >>> find_alternative("Hello, world 1234", 12, GPT4).meaning
    'one character of white space before other text'
    >>> find_alternative("Hello, world 1234", 13, GPT4).meaning
    'up to three digits'
    """
    known = known_pattern(pattern)
    for alternative in known.alternatives if known is not None else ():
        if engines.compile_regex(alternative.regex).match(text, start):
            return alternative
    return None


def split(text: str, pattern: str | None, *, timeout: float | None = None) -> list[str]:
    """Cut ``text`` into pieces; ``"".join(pieces) == text``, always.

    Text that the pattern does not match becomes pieces of its own: it is never dropped.

    Args:
        text: any text.
        pattern: a regular expression, or None for no walls (one piece).
        timeout: seconds after which a slow pattern is given up; None: never.

    Raises:
        ValueError: the pattern is broken, or took longer than ``timeout``.

    >>> split("one, two", "[a-z]+"), split("no space", CLIP)
    (['one', ', ', 'two'], ['no ', 'space'])
    """
    return split_all([text], pattern, timeout=timeout)[0]


def split_all(texts: Sequence[str], pattern: str | None, *, timeout: float | None = None) -> list[list[str]]:
    """As ``split``, for many texts, such as all tokens; ``timeout`` is for all of them together.

    A named pattern runs here, and any other one in a process with limits on time and memory.

    >>> split_all(["ab", "a b"], "[a-z]+")
    [['ab'], ['a', ' ', 'b']]
    """
    if pattern is None:
        return [[text] if text else [] for text in texts]
    if known_pattern(pattern) is not None:
        return [_split_here(text, pattern) for text in texts]
    check_pattern(pattern)
    memory = bounded.MEMORY + MEMORY_PER_CHARACTER * sum(map(len, texts))
    every = bounded.run(
        *(_TASKS, "lengths_of_all", pattern, list(texts)),
        seconds=timeout,
        memory=memory,
        refused="The split pattern cannot be used: {}.",
        too_slow=f"The split pattern took longer than {timeout or 0:g} seconds on this text. Simplify it: "
        "nested repeats such as (a+)+ are the usual cause.",
        too_large="The split pattern needs too much memory on this text. Simplify it: a repeated group, or a "
        "pattern that calls itself without an end, is the usual cause.",
    )
    return [_cut(text, lengths) for text, lengths in zip(texts, every, strict=True)]


def _split_here(text: str, pattern: str) -> list[str]:
    pieces: list[str] = engines.compile_regex(pattern).findall(text)
    if sum(map(len, pieces)) != len(text):  # some of the text is not matched
        return _cut(text, engines.piece_lengths(pattern, text))
    return pieces


def _cut(text: str, lengths: bytes) -> list[str]:
    """The text in pieces of these lengths."""
    ends = itertools.accumulate(array("I", lengths), initial=0)
    return [text[start:end] for start, end in itertools.pairwise(ends)]
