"""What Unicode says about a character: its name, category, script and block, its units, and what hides it.

Names and categories are those of this Python's own data (``unicodedata.unidata_version``), scripts and
blocks those of the ``regex`` package, which may know a newer Unicode. A character is a code point.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from .scripts import COMMON, SCRIPTS, find_scripts

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

# Controls have no name in Unicode, but aliases (NameAliases.txt, after ISO 6429).
_CONTROLS = dict(
    zip(
        (*range(0x20), *range(0x7F, 0xA0)),
        "NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|ALERT|"
        "BACKSPACE|CHARACTER TABULATION|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT "
        "IN|"
        "DATA LINK ESCAPE|DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|DEVICE CONTROL FOUR|"
        "NEGATIVE ACKNOWLEDGE|SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|END OF "
        "MEDIUM|SUBSTITUTE|ESCAPE|"
        "INFORMATION SEPARATOR FOUR|INFORMATION SEPARATOR THREE|INFORMATION SEPARATOR TWO|"
        "INFORMATION SEPARATOR ONE|DELETE|PADDING CHARACTER|HIGH OCTET PRESET|BREAK PERMITTED HERE|"
        "NO BREAK HERE|INDEX|NEXT LINE|START OF SELECTED AREA|END OF SELECTED AREA|"
        "CHARACTER TABULATION SET|CHARACTER TABULATION WITH JUSTIFICATION|LINE TABULATION SET|"
        "PARTIAL LINE FORWARD|PARTIAL LINE BACKWARD|REVERSE LINE FEED|SINGLE SHIFT TWO|SINGLE SHIFT THREE|"
        "DEVICE CONTROL STRING|PRIVATE USE ONE|PRIVATE USE TWO|SET TRANSMIT STATE|CANCEL CHARACTER|"
        "MESSAGE WAITING|START OF GUARDED AREA|END OF GUARDED AREA|START OF STRING|"
        "SINGLE GRAPHIC CHARACTER INTRODUCER|SINGLE CHARACTER INTRODUCER|CONTROL SEQUENCE INTRODUCER|"
        "STRING TERMINATOR|OPERATING SYSTEM COMMAND|PRIVACY MESSAGE|APPLICATION PROGRAM COMMAND".split("|"),
        strict=True,
    )
)

# Names that follow from the number (Unicode Standard, table 4-8), as far as Python leaves them out.
_NUMBERED = (
    (range(0x17000, 0x187F8), "TANGUT IDEOGRAPH"),
    (range(0x18D00, 0x18D09), "TANGUT IDEOGRAPH"),
    (range(0x18B00, 0x18CD6), "KHITAN SMALL SCRIPT CHARACTER"),
    (range(0x1B170, 0x1B2FC), "NUSHU CHARACTER"),
)


# Kinds of characters that cannot be seen, or look like others; the first that fits.
_KINDS: tuple[tuple[str, regex.Pattern[str]], ...] = (
    ("byte order mark", regex.compile("\ufeff")),
    ("soft hyphen", regex.compile("\xad")),
    ("non-joiner", regex.compile("\u200c")),
    ("joiner", regex.compile("[\u200d\u2060\u034f]")),
    ("direction mark", regex.compile(r"\p{Bidi_Control}")),
    ("variation selector", regex.compile(r"\p{Variation_Selector}")),
    ("tag", regex.compile("[\U000e0000-\U000e007f]")),
    ("no-break space", regex.compile("[\xa0\u2007\u202f]")),
    ("invisible", regex.compile(r"\p{Default_Ignorable_Code_Point}|[\u200b\u2800\ufff9-\ufffb]")),
    ("other space", regex.compile(r"(?! )[\p{Zs}\p{Zl}\p{Zp}]")),
    ("control", regex.compile(r"(?![\t\n])\p{Cc}")),
    ("picture of a control", regex.compile("[\u2400-\u2426]")),
    ("replacement character", regex.compile("\ufffd")),
    ("noncharacter", regex.compile(r"\p{Noncharacter_Code_Point}")),
    ("private use", regex.compile(r"\p{Co}")),
)

_ANY_KIND = regex.compile("|".join(pattern.pattern for _, pattern in _KINDS))

KINDS = {
    "byte order mark": (
        "At the start of a file it says how the bytes are ordered; elsewhere it is only in the way."
    ),
    "soft hyphen": "Seen only where a line breaks at it.",
    "non-joiner": "Draws nothing. It keeps its neighbours apart: Persian needs it.",
    "joiner": "Draws nothing. It joins its neighbours: emoji and Hindi need it.",
    "direction mark": "Draws nothing. It turns the order in which the text around it is shown.",
    "variation selector": "Draws nothing. It chooses how the character before it looks.",
    "tag": (
        "Draws nothing. Tags spell the flags of England, Scotland and Wales, and can hide a text in a text."
    ),
    "no-break space": "Looks as a space does, and is another character.",
    "invisible": "Draws nothing, or nothing but an empty place.",
    "other space": "Looks as a space or a line end does, and is another character.",
    "control": "A command for a terminal or a printer, not something to see.",
    "picture of a control": "A picture that stands for a control. It is not that control.",
    "replacement character": "Takes the place of bytes that could not be read: what they meant is lost.",
    "noncharacter": "Set aside for programs’ own use; Unicode will never give it a meaning.",
    "private use": "Means what two parties agree on. Unicode gives it no meaning.",
}
"""Kinds of characters that cannot be seen, or look like others, and what each does."""


@dataclass(frozen=True)
class CodePoint:
    """What is known of one character.

    Attributes:
        char: the character.
        name: Unicode's name; of a control, its alias.
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
        return tuple(f"{byte:02x}" for byte in self.char.encode("utf-8"))

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
    kind = next((kind for kind, pattern in _KINDS if pattern.match(char)), "")
    return CodePoint(char, _name(char, category), category, _script(char), _block(char), kind)


def find_kinds(text: str) -> Iterator[int]:
    """Where characters of ``KINDS`` are in a text, in characters.

    >>> list(find_kinds("a\\u200db\\xa0"))
    [1, 3]
    """
    return (match.start() for match in _ANY_KIND.finditer(text))


def _name(char: str, category: str) -> str:
    code = ord(char)
    name = unicodedata.name(char, "") or _CONTROLS.get(code, "")
    if name:
        return name
    for numbers, prefix in _NUMBERED:
        if code in numbers and category != "Cn":
            return f"{prefix}-{code:04X}"
    if category == "Co":
        return "(private use)"
    if _NONCHARACTER.match(char):
        return "(noncharacter)"
    return f"(no name in Unicode {UNICODE_VERSION})"


_NONCHARACTER = regex.compile(r"\p{Noncharacter_Code_Point}")
_INHERITED = regex.compile(r"\p{Script=Inherited}")
_UNKNOWN = regex.compile(r"\p{Script=Unknown}")


def _script(char: str) -> str:
    script = SCRIPTS[int(find_scripts(char)[0])]
    if script != COMMON:
        return script
    return "Inherited" if _INHERITED.match(char) else "Unknown" if _UNKNOWN.match(char) else COMMON


# The names in Unicode's Blocks.txt, 18.0. Their ranges are those of the ``regex`` package.
_BLOCKS = """
Adlam Aegean_Numbers Ahom Alchemical_Symbols Alphabetic_Presentation_Forms Anatolian_Hieroglyphs
Ancient_Greek_Musical_Notation Ancient_Greek_Numbers Ancient_Symbols Arabic Arabic_Extended-A
Arabic_Extended-B Arabic_Extended-C Arabic_Mathematical_Alphabetic_Symbols Arabic_Presentation_Forms-A
Arabic_Presentation_Forms-B Arabic_Supplement Archaic_Cuneiform_Numerals Armenian Arrows Avestan Balinese
Bamum Bamum_Supplement Basic_Latin Bassa_Vah Batak Bengali Bengali_Supplement Beria_Erfe Bhaiksuki
Block_Elements Bopomofo Bopomofo_Extended Box_Drawing Brahmi Braille_Patterns Buginese Buhid
Byzantine_Musical_Symbols CJK_Compatibility CJK_Compatibility_Forms CJK_Compatibility_Ideographs
CJK_Compatibility_Ideographs_Supplement CJK_Radicals_Supplement CJK_Strokes CJK_Symbols_and_Punctuation
CJK_Unified_Ideographs CJK_Unified_Ideographs_Extension_A CJK_Unified_Ideographs_Extension_B
CJK_Unified_Ideographs_Extension_C CJK_Unified_Ideographs_Extension_D CJK_Unified_Ideographs_Extension_E
CJK_Unified_Ideographs_Extension_F CJK_Unified_Ideographs_Extension_G CJK_Unified_Ideographs_Extension_H
CJK_Unified_Ideographs_Extension_I CJK_Unified_Ideographs_Extension_J Carian Caucasian_Albanian Chakma Cham
Cherokee Cherokee_Supplement Chess_Symbols Chorasmian Combining_Diacritical_Marks
Combining_Diacritical_Marks_Extended Combining_Diacritical_Marks_Supplement
Combining_Diacritical_Marks_for_Symbols Combining_Half_Marks Common_Indic_Number_Forms Control_Pictures Coptic
Coptic_Epact_Numbers Counting_Rod_Numerals Cuneiform Cuneiform_Numbers_and_Punctuation Currency_Symbols
Cypriot_Syllabary Cypro-Minoan Cyrillic Cyrillic_Extended-A Cyrillic_Extended-B Cyrillic_Extended-C
Cyrillic_Extended-D Cyrillic_Supplement Deseret Devanagari Devanagari_Extended Devanagari_Extended-A Dingbats
Dives_Akuru Dogra Domino_Tiles Duployan Early_Dynastic_Cuneiform Egyptian_Hieroglyph_Format_Controls
Egyptian_Hieroglyphs Egyptian_Hieroglyphs_Extended-A Elbasan Elymaic Emoticons
Enclosed_Alphanumeric_Supplement Enclosed_Alphanumerics Enclosed_CJK_Letters_and_Months
Enclosed_Ideographic_Supplement Ethiopic Ethiopic_Extended Ethiopic_Extended-A Ethiopic_Extended-B
Ethiopic_Supplement Garay General_Punctuation Geometric_Shapes Geometric_Shapes_Extended Georgian
Georgian_Extended Georgian_Supplement Glagolitic Glagolitic_Supplement Gothic Grantha Greek_Extended
Greek_and_Coptic Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Halfwidth_and_Fullwidth_Forms
Hangul_Compatibility_Jamo Hangul_Jamo Hangul_Jamo_Extended-A Hangul_Jamo_Extended-B Hangul_Syllables
Hanifi_Rohingya Hanunoo Hatran Hebrew High_Private_Use_Surrogates High_Surrogates Hiragana IPA_Extensions
Ideographic_Description_Characters Ideographic_Symbols_and_Punctuation Imperial_Aramaic Indic_Siyaq_Numbers
Inscriptional_Pahlavi Inscriptional_Parthian Javanese Jurchen Jurchen_Radicals Kaithi Kaktovik_Numerals
Kana_Extended-A Kana_Extended-B Kana_Supplement Kanbun Kangxi_Radicals Kannada Katakana
Katakana_Phonetic_Extensions Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khmer_Symbols Khojki Khudawadi
Kirat_Rai Lao Latin-1_Supplement Latin_Extended-A Latin_Extended-B Latin_Extended-C Latin_Extended-D
Latin_Extended-E Latin_Extended-F Latin_Extended-G Latin_Extended_Additional Lepcha Letterlike_Symbols Limbu
Linear_A Linear_B_Ideograms Linear_B_Syllabary Lisu Lisu_Supplement Low_Surrogates Lycian Lydian Mahajani
Mahjong_Tiles Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Mathematical_Alphanumeric_Symbols
Mathematical_Operators Mayan_Numerals Medefaidrin Meetei_Mayek Meetei_Mayek_Extensions Mende_Kikakui
Meroitic_Cursive Meroitic_Hieroglyphs Miao Miscellaneous_Mathematical_Symbols-A
Miscellaneous_Mathematical_Symbols-B Miscellaneous_Symbols Miscellaneous_Symbols_Supplement
Miscellaneous_Symbols_and_Arrows Miscellaneous_Symbols_and_Arrows_Extended
Miscellaneous_Symbols_and_Pictographs Miscellaneous_Technical Modi Modifier_Tone_Letters Mongolian
Mongolian_Supplement Mro Multani Musical_Symbols Musical_Symbols_Supplement Myanmar Myanmar_Extended-A
Myanmar_Extended-B Myanmar_Extended-C NKo Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Number_Forms
Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic
Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Optical_Character_Recognition Oriya
Ornamental_Dingbats Osage Osmanya Ottoman_Siyaq_Numbers Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags-pa
Phaistos_Disc Phoenician Phonetic_Extensions Phonetic_Extensions_Supplement Playing_Cards Private_Use_Area
Psalter_Pahlavi Rejang Rumi_Numeral_Symbols Runic Samaritan Saurashtra Seal Sharada Sharada_Supplement Shavian
Shorthand_Format_Controls Siddham Sidetic Sinhala Sinhala_Archaic_Numbers Small_Form_Variants
Small_Kana_Extension Sogdian Sora_Sompeng Soyombo Spacing_Modifier_Letters Specials Sundanese
Sundanese_Supplement Sunuwar Superscripts_and_Subscripts Supplemental_Arrows-A Supplemental_Arrows-B
Supplemental_Arrows-C Supplemental_Mathematical_Operators Supplemental_Punctuation
Supplemental_Symbols_and_Pictographs Supplementary_Private_Use_Area-A Supplementary_Private_Use_Area-B
Sutton_SignWriting Syloti_Nagri Symbols_and_Pictographs_Extended-A Symbols_for_Legacy_Computing
Symbols_for_Legacy_Computing_Supplement Syriac Syriac_Supplement Tagalog Tagbanwa Tags Tai_Le Tai_Tham
Tai_Viet Tai_Xuan_Jing_Symbols Tai_Yo Takri Tamil Tamil_Supplement Tangsa Tangut Tangut_Components
Tangut_Components_Supplement Tangut_Supplement Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Tolong_Siki
Toto Transport_and_Map_Symbols Tulu-Tigalari Ugaritic Unified_Canadian_Aboriginal_Syllabics
Unified_Canadian_Aboriginal_Syllabics_Extended Unified_Canadian_Aboriginal_Syllabics_Extended-A Vai
Variation_Selectors Variation_Selectors_Supplement Vedic_Extensions Vertical_Forms Vithkuqi Wancho Warang_Citi
Yezidi Yi_Radicals Yi_Syllables Yijing_Hexagram_Symbols Zanabazar_Square Znamenny_Musical_Notation
"""


@functools.cache
def _block_finder() -> tuple[regex.Pattern[str], list[str]]:
    """A pattern with a group for each block, and the blocks in the same order."""
    names = []
    for name in _BLOCKS.split():
        try:
            regex.compile(rf"\p{{Block={name}}}")
        except regex.error:  # a block that this version of the engine does not know yet
            continue
        names.append(name)
    return regex.compile("|".join(rf"(\p{{Block={name}}})" for name in names)), names


def _block(char: str) -> str:
    finder, names = _block_finder()
    match = finder.match(char)
    return names[match.lastindex - 1].replace("_", " ") if match and match.lastindex else "(no block)"


@dataclass(frozen=True)
class CodeSpace:
    """How the numbers from 0 to 10FFFF are used.

    Attributes:
        version: of Unicode.
        assigned: characters, of every category but the following.
        private: for private use.
        surrogates: halves of pairs in UTF-16, which are no characters.
        unassigned: not used yet, noncharacters included.
    """

    version: str
    assigned: int
    private: int
    surrogates: int
    unassigned: int

    @property
    def scalar_values(self) -> int:
        """All numbers that a text may hold: a vocabulary of every code point that there can ever be."""
        return self.assigned + self.private + self.unassigned


@functools.cache
def code_space() -> CodeSpace:
    """Counts every code point by its category.

    >>> code_space().scalar_values, code_space().surrogates
    (1112064, 2048)
    """
    counts: Counter[str] = Counter()
    for plane in range(0, 0x110000, 0x10000):  # one by one: all at once would keep other threads waiting
        counts.update(map(unicodedata.category, map(chr, range(plane, plane + 0x10000))))
    private, surrogates, unassigned = counts["Co"], counts["Cs"], counts["Cn"]
    assigned = 0x110000 - private - surrogates - unassigned
    return CodeSpace(UNICODE_VERSION, assigned, private, surrogates, unassigned)
