"""Scripts: which writing system each character of a text belongs to, and which words mix several."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from ..arrays import U8
from ..encoding import ASSETS
from ..shipped import reading
from ..utf8 import text_of

COMMON = "Common"
"""No script of its own: spaces, digits, punctuation, emoji, and what is inherited from the letter before."""

# The names of Unicode's property Script (Scripts.txt), without Common, Inherited and Unknown.
_NAMES = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Beria_Erfe
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham
Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra
Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati
Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana
Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li
Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu
Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek
Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean
Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian
Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya
Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan
Saurashtra Sharada Shavian Siddham Sidetic SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar
Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu Thaana
Thai Tibetan Tifinagh Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi
Yezidi Yi Zanabazar_Square
"""

SCRIPTS: tuple[str, ...] = (COMMON, *(name.replace("_", " ") for name in _NAMES.split()))
"""The names of the scripts; a character's script is given as an index into these."""


@functools.cache
def _finders() -> list[tuple[int, regex.Pattern[str]]]:
    finders = []
    for index, name in enumerate(SCRIPTS[1:], start=1):
        try:
            finders.append((index, regex.compile(rf"\p{{Script={name.replace(' ', '_')}}}+")))
        except regex.error:  # a script that this version of the engine does not know yet
            continue
    return finders


def find_scripts(characters: str) -> U8:
    """The script of each character, as indices into ``SCRIPTS``, shape (number of characters,).

    Each different character is looked up once.

    >>> [SCRIPTS[index] for index in find_scripts("aя한 1")]
    ['Latin', 'Cyrillic', 'Hangul', 'Common', 'Common']
    """
    points = np.frombuffer(characters.encode("utf-32-le"), "<u4")
    (present,) = np.bincount(points, minlength=1).nonzero()
    different = "".join(map(chr, present.tolist()))
    script_of = np.zeros(0x110000, np.uint8)
    for index, finder in _finders():
        for match in finder.finditer(different):
            script_of[present[match.start() : match.end()]] = index
    scripts: U8 = script_of[points]
    return scripts


# Tokens

PART_OF_CHARACTER = "part of a character"
"""The script of a token that has no character of any script, but bytes that are not a whole character."""

TOKEN_SCRIPTS = (*SCRIPTS, PART_OF_CHARACTER)
"""The names of the scripts that a token can have; its script is given as an index into these."""

SCRIPT_BYTES = 200
"""Bytes of a token that decide its script: without walls, a token can be a whole text."""

_BATCH = 1 << 15  # tokens whose characters are in memory at a time


def script_of_token(token: bytes) -> str:
    """The script of most letters of a token, as ``find_token_scripts`` finds it.

    >>> script_of_token(" мир".encode()), script_of_token(b"12"), script_of_token("м".encode()[:1])
    ('Cyrillic', 'Common', 'part of a character')
    """
    return TOKEN_SCRIPTS[int(find_token_scripts([token])[0])]


def find_token_scripts(tokens: Sequence[bytes]) -> U8:
    """The script of most letters of each token, as indices into ``TOKEN_SCRIPTS``, shape (number of tokens,).

    Letters and all other whole characters that belong to a script count. Ties: the script that comes
    first in the token. If no character belongs to a script, it is ``PART_OF_CHARACTER`` where there are
    bytes that are no whole character, and else ``COMMON``. Of a token longer than ``SCRIPT_BYTES``, the
    beginning decides.
    """
    batches = [_find_in_batch(tokens[at : at + _BATCH]) for at in range(0, len(tokens), _BATCH)]
    return np.concatenate([np.zeros(0, np.uint8), *batches])


def _find_in_batch(tokens: Sequence[bytes]) -> U8:
    texts = [token[:SCRIPT_BYTES].decode("utf-8", "ignore") for token in tokens]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    owners = np.repeat(np.arange(len(texts)), lengths)
    of_character = find_scripts("".join(texts)).astype(np.int64)
    belongs = np.flatnonzero(of_character)
    # Each (token, script), how often, and where it is first; the best of each token comes last.
    pairs, first, count = np.unique(
        owners[belongs] * 256 + of_character[belongs], return_index=True, return_counts=True
    )
    order = np.lexsort((-first, count, pairs // 256))
    scripts = np.zeros(len(texts), np.uint8)
    scripts[pairs[order] // 256] = pairs[order] % 256
    for at in np.flatnonzero(scripts == 0).tolist():
        if text_of(tokens[at]) is None:
            scripts[at] = len(SCRIPTS)
    return scripts


# Words that mix scripts

# A false “pаypal” has a letter that looks like an ASCII one and is none. By itself a look-alike is nothing
# odd: Russian is full of а, е and о. What looks like what is from Unicode's own list (UTS #39,
# confusables.txt), of which assets/unicode holds the part that ends at ASCII.

LOOK_ALIKES_FILE = ASSETS / "unicode" / "looks_like_ascii.txt"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
# Japanese, Korean and Chinese write several scripts in one word (UTS #39, section 5.1).
_TOGETHER = ({"Han", "Hiragana", "Katakana"}, {"Han", "Bopomofo"}, {"Han", "Hangul"})


@functools.cache
def _look_alikes() -> dict[str, str]:
    """The ASCII characters that each character looks like."""
    with reading(LOOK_ALIKES_FILE, "The list of look-alikes"):
        lines = LOOK_ALIKES_FILE.read_text("utf-8").splitlines()
        rows = [line.split() for line in lines if not line.startswith("#")]
        return {chr(int(code, 16)): "".join(chr(int(each, 16)) for each in like) for code, *like in rows}


def looks_like(char: str) -> str:
    """The ASCII characters that this one looks like, by Unicode's list; empty: none, or it is ASCII itself.

    Raises:
        MissingFileError, DamagedFileError: the list cannot be read.

    >>> looks_like("а"), looks_like("О"), looks_like("a"), looks_like("я")
    ('a', '0O', '', '')
    """
    return _look_alikes().get(char, "")


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

    >>> [(word.text, word.scripts, word.look_alikes) for word in mixed_words("Pay, Анна, with pаypal 日本の")]
    [('pаypal', ('Latin', 'Cyrillic'), (17,))]
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
