"""Scripts: which writing system a character belongs to, for many characters at once."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import regex

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


def find_scripts(characters: str) -> npt.NDArray[np.uint8]:
    """The script of each character, as indices into ``SCRIPTS``, shape (number of characters,).

    >>> [SCRIPTS[index] for index in find_scripts("aя한 1")]
    ['Latin', 'Cyrillic', 'Hangul', 'Common', 'Common']
    """
    scripts = np.zeros(len(characters), dtype=np.uint8)
    for index, finder in _finders():
        for match in finder.finditer(characters):
            scripts[match.start() : match.end()] = index
    return scripts
