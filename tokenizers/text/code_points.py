"""What Unicode says about a character: its name, category, script and block, its units, and what hides it.

Names and categories are those of this Python's own data (``unicodedata.unidata_version``), scripts those of
the ``regex`` package and blocks those of assets/unicode, which may know a newer Unicode. A character is a
code point.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ..encoding import ASSETS
from ..shipped import reading
from .scripts import SCRIPTS, find_scripts
from .spelling import SHORT_NAMES

BLOCKS_FILE = ASSETS / "unicode" / "blocks.txt"

UNICODE_VERSION: str = unicodedata.unidata_version
"""The version of Unicode whose names, categories and normal forms are used here."""

CATEGORIES = {
    "Lu": "letter, uppercase",
    "Ll": "letter, lowercase",
    "Lt": "letter, titlecase",
    "Lm": "letter, modifier",
    "Lo": "letter, other",
    "Mn": "mark, nonspacing",
    "Mc": "mark, spacing",
    "Me": "mark, enclosing",
    "Nd": "number, decimal digit",
    "Nl": "number, letter",
    "No": "number, other",
    "Pc": "punctuation, connector",
    "Pd": "punctuation, dash",
    "Ps": "punctuation, open",
    "Pe": "punctuation, close",
    "Pi": "punctuation, initial quote",
    "Pf": "punctuation, final quote",
    "Po": "punctuation, other",
    "Sm": "symbol, math",
    "Sc": "symbol, currency",
    "Sk": "symbol, modifier",
    "So": "symbol, other",
    "Zs": "separator, space",
    "Zl": "separator, line",
    "Zp": "separator, paragraph",
    "Cc": "control",
    "Cf": "format",
    "Cs": "surrogate",
    "Co": "private use",
    "Cn": "unassigned",
}
"""The general categories (Unicode Standard, table 4-4), in words."""

_KINDS = {
    "byte order mark": (
        "\ufeff",
        "At the start of a file it says how the bytes are ordered; elsewhere it is only in the way.",
    ),
    "soft hyphen": ("\xad", "Seen only where a line breaks at it."),
    "non-joiner": ("\u200c", "Draws nothing. It keeps its neighbours apart: Persian needs it."),
    "joiner": ("[\u200d\u2060\u034f]", "Draws nothing. It joins its neighbours: emoji and Hindi need it."),
    "direction mark": (
        r"\p{Bidi_Control}",
        "Draws nothing. It turns the order in which the text around it is shown.",
    ),
    "variation selector": (
        r"\p{Variation_Selector}",
        "Draws nothing. It chooses how the character before it looks.",
    ),
    "tag": (
        "[\U000e0000-\U000e007f]",
        "Draws nothing. Tags spell the flags of England, Scotland and Wales, and can hide a text in a text.",
    ),
    "no-break space": ("[\xa0\u2007\u202f]", "Looks as a space does, and is another character."),
    "invisible": (
        r"\p{Default_Ignorable_Code_Point}|[\u200b\u2800\ufff9-\ufffb]",
        "Draws nothing, or nothing but an empty place.",
    ),
    "other space": (
        r"(?! )[\p{Zs}\p{Zl}\p{Zp}]",
        "Looks as a space or a line end does, and is another character.",
    ),
    "control": (r"(?![\t\n])\p{Cc}", "A command for a terminal or a printer, not something to see."),
    "picture of a control": (
        "[\u2400-\u2426]",
        "A picture that stands for a control. It is not that control.",
    ),
    "replacement character": (
        "\ufffd",
        "Takes the place of bytes that could not be read: what they meant is lost.",
    ),
    "noncharacter": (
        r"\p{Noncharacter_Code_Point}",
        "Set aside for programs’ own use; Unicode will never give it a meaning.",
    ),
    "private use": (r"\p{Co}", "Means what two parties agree on. Unicode gives it no meaning."),
}
"""By kind: a pattern, and what such a character does. The first that fits counts."""

_ANY_KIND = regex.compile("|".join(f"({pattern})" for pattern, _ in _KINDS.values()))

KINDS = {kind: meaning for kind, (_, meaning) in _KINDS.items()}
"""Kinds of characters that cannot be seen, or look like others, and what each does."""


@dataclass(frozen=True)
class CodePoint:
    """What is known of one character.

    Attributes:
        char: the character.
        name: Unicode's name; of a control, which has none, its abbreviation; or else the category in words.
        category: the general category, two letters.
        script: the writing system; "Common" for what many share, "Inherited" for marks on any letter.
        block: the range of the code chart that it is in.
        kind: which of ``KINDS`` it is; empty: none.
    """

    char: str
    name: str
    category: str
    script: str
    block: str
    kind: str

    @property
    def number(self) -> str:
        """As Unicode writes it.

        >>> code_point("é").number, code_point("👩").number
        ('U+00E9', 'U+1F469')
        """
        return f"U+{ord(self.char):04X}"

    @property
    def utf8(self) -> tuple[str, ...]:
        """Its bytes of UTF-8, in hex.

        >>> code_point("é").utf8
        ('c3', 'a9')
        """
        return tuple(f"{byte:02x}" for byte in self.char.encode())

    @property
    def utf16(self) -> tuple[str, ...]:
        """Its units of UTF-16, in hex; two of them are a surrogate pair.

        >>> code_point("é").utf16, code_point("👩").utf16
        (('00e9',), ('d83d', 'dc69'))
        """
        digits = self.char.encode("utf-16-be").hex()
        return tuple(digits[at : at + 4] for at in range(0, len(digits), 4))

    @property
    def utf32(self) -> str:
        """Its only unit of UTF-32, in hex.

        >>> code_point("👩").utf32
        '0001f469'
        """
        return f"{ord(self.char):08x}"


@functools.lru_cache(maxsize=20_000)
def code_point(char: str) -> CodePoint:
    """What is known of a character.

    Raises:
        ValueError: it is not one character, or half of a surrogate pair, which no text of UTF-8 has.

    >>> fact = code_point("\\u0301")
    >>> fact.name, fact.category, fact.script, fact.block
    ('COMBINING ACUTE ACCENT', 'Mn', 'Inherited', 'Combining Diacritical Marks')
    """
    if len(char) != 1 or 0xD800 <= ord(char) < 0xE000:
        raise ValueError(f"{char!r:.40} is not one character.")
    category = unicodedata.category(char)
    match = _ANY_KIND.match(char)
    kind = list(_KINDS)[match.lastindex - 1] if match and match.lastindex else ""
    return CodePoint(char, _name(char, category), category, _script(char), _block(char), kind)


def find_kinds(text: str) -> Iterator[int]:
    """Where characters of ``KINDS`` are in a text, in characters.

    >>> list(find_kinds("a\\u200db\\xa0"))
    [1, 3]
    """
    return (match.start() for match in _ANY_KIND.finditer(text))


def _name(char: str, category: str) -> str:
    name = unicodedata.name(char, "") or SHORT_NAMES.get(ord(char), "")
    return name or f"({CATEGORIES[category]})"


def _script(char: str) -> str:
    for of_no_script in ("Inherited", "Unknown"):
        if regex.match(rf"\p{{Script={of_no_script}}}", char):
            return of_no_script
    return SCRIPTS[int(find_scripts(char)[0])]


@functools.cache
def _blocks() -> list[tuple[int, int, str]]:
    """Every block: its first number, its last, its name."""
    with reading(BLOCKS_FILE, "The list of Unicode’s blocks"):
        rows = re.findall(r"^(\w+)\.\.(\w+); (.+)$", BLOCKS_FILE.read_text("utf-8"), re.MULTILINE)
        return [(int(first, 16), int(last, 16), name) for first, last, name in rows]


def _block(char: str) -> str:
    code = ord(char)
    return next((name for first, last, name in _blocks() if first <= code <= last), "(no block)")


def is_assigned(char: str) -> bool:
    """Whether this Python's Unicode has the character: not one for private use, or newer."""
    return unicodedata.category(char) not in ("Cn", "Co", "Cs")


@functools.cache
def count_assigned() -> int:
    """How many characters this Python's Unicode has, those for private use aside."""
    return sum(map(is_assigned, map(chr, range(0x110000))))
