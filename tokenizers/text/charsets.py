"""Which character set the bytes of a text are in, where nothing says so: a guess from how they would read.

UTF-8, and what begins with a byte order mark, is not guessed (``files.py`` reads it). Other sets differ in
what bytes beyond ASCII stand for, and the text is right in the one whose letters are those of some language.
What languages use is counted in the declaration of human rights.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import itertools
import math
import re
import unicodedata
from collections import Counter

# The two rooms import each other. Guessing needs the declaration's texts, and finding the scripts of those
# needs ``scripts.py``, which imports neither.
from ..data.udhr import get_language

CHARSETS: dict[str, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16 (little endian)",
    "utf-16-be": "UTF-16 (big endian)",
    "utf-32-le": "UTF-32 (little endian)",
    "utf-32-be": "UTF-32 (big endian)",
    "latin-1": "Latin-1",
    "cp1252": "Windows-1252 (Latin-1 with curly quotes)",
    "iso8859-15": "Latin-9 (Latin-1 with the euro)",
    "mac_roman": "Mac Roman",
    "cp437": "DOS 437 (Western)",
    "cp850": "DOS 850 (Western)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859-2": "ISO 8859-2 (Central European)",
    "cp852": "DOS 852 (Central European)",
    "cp1257": "Windows-1257 (Baltic)",
    "iso8859-4": "ISO 8859-4 (Baltic)",
    "cp1254": "Windows-1254 (Turkish)",
    "iso8859-9": "ISO 8859-9 (Turkish)",
    "cp1258": "Windows-1258 (Vietnamese)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Russian)",
    "koi8-u": "KOI8-U (Ukrainian)",
    "iso8859-5": "ISO 8859-5 (Cyrillic)",
    "cp866": "DOS 866 (Cyrillic)",
    "mac_cyrillic": "Mac Cyrillic",
    "cp1253": "Windows-1253 (Greek)",
    "iso8859-7": "ISO 8859-7 (Greek)",
    "cp1255": "Windows-1255 (Hebrew)",
    "iso8859-8": "ISO 8859-8 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "iso8859-6": "ISO 8859-6 (Arabic)",
    "cp874": "Windows-874 (Thai)",
    "tis-620": "TIS-620 (Thai)",
    "gb18030": "GB 18030 (Chinese, simplified)",
    "big5": "Big5 (Chinese, traditional)",
    "big5hkscs": "Big5-HKSCS (Chinese, Hong Kong)",
    "euc-jp": "EUC-JP (Japanese)",
    "cp932": "Shift JIS (Japanese)",
    "iso2022_jp": "ISO-2022-JP (Japanese)",
    "euc-kr": "EUC-KR (Korean)",
    "cp949": "Windows-949 (Korean)",
}
"""Every character set that a file can be read in: what people call it, by Python's name for it."""

SAMPLE_BYTES = 4_096
"""How much of a file is looked at for a guess: of the words that are not ASCII."""


def guess_charset(data: bytes) -> str | None:
    """The character set that ``data`` reads best in: a key of ``CHARSETS``, or None where nothing fits.

    Args:
        data: a text that is neither UTF-8 nor begins with a byte order mark.

    >>> guess_charset("Всеобщая декларация прав человека".encode("koi8-r"))
    'koi8-r'
    >>> guess_charset("Všichni lidé rodí se svobodní a sobě rovní".encode("cp1250"))
    'cp1250'
    >>> guess_charset("naïve".encode("latin-1"))
    'latin-1'
    """
    sample = take_sample(data)
    likelihoods = {
        codec: _likelihood(sample, codec, languages) - (0 if codec == "cp1252" else margin)
        for codecs, languages, margin in _SETS
        for codec in codecs.split()
    }
    western = "cp1252" if _HAS_C1.search(data) else "latin-1"  # they differ in those bytes alone
    for codec in (max(likelihoods, key=likelihoods.__getitem__), western):
        with contextlib.suppress(UnicodeDecodeError):
            data.decode(codec)
            return western if codec == "cp1252" else codec
    return None


_HAS_C1 = re.compile(rb"[\x80-\x9f]")


def take_sample(data: bytes) -> bytes:
    """The first words of ``data`` that are not ASCII, up to ``SAMPLE_BYTES``; of ASCII before, an end.

    >>> take_sample(b"one\\nna\\xefve two \\xfc")
    b'na\\xefve \\xfc'
    """
    words = itertools.islice(_BEYOND_ASCII.finditer(data), SAMPLE_BYTES)
    # Each is found by its first byte beyond ASCII, and its beginning from there. A pattern of both would try
    # the beginning at every byte of a long line.
    parts = ((data[max(0, word.start() - 60) : word.start()], word[0]) for word in words)
    return b" ".join(_NOT_IN_WORD.split(before)[-1] + rest for before, rest in parts)[:SAMPLE_BYTES]


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]\S*")
_NOT_IN_WORD = re.compile(rb"[^!-~]")


_SETS = (
    (
        "cp1252 cp1250 iso8859-2 cp1254 cp1257",
        "deu_1996 fra spa por_PT por_BR ita nld cat glg eus swe dan nob nno fin isl est gle cym "
        "pol ces slk hun slv hrv bos_latn ron_2006 als tur lit lav",
        3.0,
    ),
    (
        "cp1251 koi8-r koi8-u iso8859-5 cp866 cp1253 iso8859-7 cp1255 iso8859-8 cp1256 iso8859-6 "
        "cp874 tis-620",
        "rus ukr bul srp_cyrl ell_monotonic heb arb pes_1 urd tha",
        8.0,
    ),
    ("gb18030 big5 big5hkscs euc-jp cp932 euc-kr cp949", "cmn_hans cmn_hant jpn kor", 14.0),
)
"""Sets, the languages that they are for, and by how much (a natural logarithm) one of them has to be likelier
than Windows-1252, which most such texts are in: the more characters, the more often a short note has a
meaning by chance. Those of DOS and old Macs for Latin letters are not among them: there it happens too often.
"""

_RARE = -9.0
_SYMBOL = -6.0
"""Natural logarithms of how likely a letter is, and another character, that the language does not have."""


def _likelihood(sample: bytes, codec: str, languages: str) -> float:
    """The likelihood of the sample in this set, in the likeliest language; minus infinity if unreadable."""
    try:  # a sample may end within a character
        characters = _count(codecs.getincrementaldecoder(codec)().decode(sample))
    except UnicodeDecodeError:
        return -math.inf
    return max(_fit(characters, language) for language in _languages(languages))


def _fit(characters: Counter[str], language: Counter[str]) -> float:
    """How likely a text with these characters is in a language with those: a natural logarithm."""
    total = language.total()
    score = 0.0
    for char, count in characters.items():
        if language[char]:
            score += count * math.log(language[char] / total)
        else:
            score += count * (_RARE if _is_letter(char) else _SYMBOL)
    return score


def _count(text: str) -> Counter[str]:
    """The characters of the words that are not ASCII, in lower case.

    >>> sorted(_count("The café"))
    ['a', 'c', 'f', 'é']
    """
    return Counter("".join(_WORD_BEYOND_ASCII.findall(text.lower())))


_WORD_BEYOND_ASCII = re.compile(r"[a-z]*[^\x00-\x7f][a-z\x80-\U0010ffff]*")


def _is_letter(char: str) -> bool:
    """Whether a character is a letter or an accent of one; Unicode also calls µ, ª and º letters."""
    return (char.isalpha() and char not in "µªº") or unicodedata.combining(char) > 0


@functools.cache
def _languages(codes: str) -> tuple[Counter[str], ...]:
    """The characters of the accented words of some languages."""
    older = str.maketrans("șțȘȚ", "şţŞŢ")  # as character sets have them
    return tuple(_count(get_language(code).text.translate(older)) for code in codes.split())
