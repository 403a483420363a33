"""Which character set the bytes of a text are in, where nothing says so: a guess from how they would read.

UTF-8 and UTF-16 with a mark are not guessed (``files.py`` reads them); this is for the rest:

- UTF-16 and UTF-32 without a mark: in one byte order the text keeps to a few blocks of Unicode, in the
  other it is scattered over many, and meets code points that stand for nothing.
- The rest: the sets differ in what bytes beyond ASCII stand for, and the text is right in the one whose
  letters, with their neighbours, are those of some language. What languages use is counted in the
  declaration of human rights.
"""

from __future__ import annotations

import codecs
import functools
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
"""How much of a file is looked at for a guess, around the bytes that are not ASCII."""


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
        if _can_decode(data, codec):
            return western if codec == "cp1252" else codec
    return None


_HAS_C1 = re.compile(rb"[\x80-\x9f]")


def guess_wide(data: bytes) -> str | None:
    """Which UTF-16 or UTF-32 without a mark this is, as a key of ``CHARSETS``; None: neither.

    >>> guess_wide("सब लोग".encode("utf-16-be")), guess_wide("all people".encode("utf-32-le"))
    ('utf-16-be', 'utf-32-le')
    >>> guess_wide("Все люди".encode("cp1251"))
    """
    for width, names in ((4, ("utf-32-le", "utf-32-be")), (2, ("utf-16-le", "utf-16-be"))):
        if data and len(data) % width == 0:
            sample = data[: SAMPLE_BYTES // 2]
            codec = min(names, key=functools.partial(_scattering, sample))
            if _scattering(sample, codec) < math.inf and _can_decode(data, codec):
                return codec
    return None


def take_sample(data: bytes) -> bytes:
    """The lines of ``data`` that are not ASCII, from its start on, until they are ``SAMPLE_BYTES``.

    >>> take_sample(b"one\\nna\\xefve\\ntwo")
    b'na\\xefve'
    """
    lines: list[bytes] = []
    room = SAMPLE_BYTES
    end = 0
    while room > 0 and (beyond_ascii := _BEYOND_ASCII.search(data, end)):
        first = beyond_ascii.start()
        start = max(data.rfind(b"\n", end, first) + 1, end, first - _MOST_BEFORE)
        end = data.find(b"\n", first)
        end = len(data) if end < 0 else end
        lines.append(data[start : min(end, start + room)])
        room -= len(lines[-1]) + 1
    return b"\n".join(lines)


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_MOST_BEFORE = 500
"""Bytes of a line that the sample keeps before the first one beyond ASCII."""


def _decode(sample: bytes, codec: str) -> str:
    """The text of a sample, which may end within a character."""
    return codecs.getincrementaldecoder(codec)().decode(sample)


def _can_decode(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


# UTF-16 and UTF-32 without a mark

_BLANKS = frozenset("\t\n\r\f\v")
_CHINESE_PUNCTUATION = re.compile("[\u3001\u3002\uff0c\u3041-\u30ff]")
"""Commas, full stops and kana: a Chinese or Japanese text without a blank or a line end has them."""


def _scattering(sample: bytes, codec: str) -> float:
    """Over how many blocks of Unicode the sample is scattered, in bits; infinite: it is not text."""
    try:
        text = _decode(sample, codec)
    except UnicodeDecodeError:
        return math.inf
    if not text:
        return math.inf
    # Other sets look like UTF-16, too, but that has zeros wherever there is a blank or a line end.
    if b"\x00" not in sample and len(_CHINESE_PUNCTUATION.findall(text)) * 50 < len(text):
        return math.inf
    counts = Counter(text)
    strange = sum(
        count
        for char, count in counts.items()
        if unicodedata.category(char) in ("Cc", "Cn", "Co") and char not in _BLANKS
    )
    if strange * 200 > len(text):
        return math.inf
    blocks = Counter(ord(char) >> 8 for char in text)
    return -sum(count * math.log2(count / len(text)) for count in blocks.values()) / len(text)


# Sets of a byte or two

_SETS = (
    (
        "cp1252 iso8859-15 cp1250 iso8859-2 cp1254 cp1257",
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

_ELSEWHERE = frozenset("«»“”„‘’‚‹›–—…·•§°€£©®™¿¡ªº\xa0\xad")
"""Symbols and punctuation that any language uses."""

_WITHIN_WORDS = frozenset("’‘·\xad")
"""Of these, the ones that can be between two letters: l’été, col·legi."""
_APART = frozenset("±×÷µ¤£¥¢¦§¶¬¼½¾´¨¸¯¹²³")
"""Symbols that are written alone, after a number or before a word (20 µs, ±5, ¼ cup), and not after a letter:
there they are the letters of another set, as in the Polish word s±."""
_RAISED = frozenset("¹²³")
"""Of these, the ones that also end a word, as in m²."""
_RARE, _SYMBOL, _SYMBOL_APART, _STRANGE = -9.0, -6.0, -8.0, -18.0
"""Natural logarithms of how likely a character is: a letter that the language does not have, a symbol that
any language uses, one that is written apart, any other symbol."""


def _likelihood(sample: bytes, codec: str, languages: str) -> float:
    """The likelihood of the sample in this set, in the likeliest language; minus infinity if unreadable."""
    try:
        accents = Accents(_decode(sample, codec))
    except UnicodeDecodeError:
        return -math.inf
    return max(language.likelihood(accents) for language in _languages(languages))


class Accents:
    """What a text has beyond ASCII, counted, in lower case.

    Attributes:
        letters: all letters, ASCII ones too, of the words that have letters beyond ASCII. They show the
            language, and the language shows which accents are right.
        before: pairs (previous character, accented letter), with a space at a word's start.
        after: pairs (accented letter, next character), with a space at a word's end.
        signs: other characters, each with how likely it is in that place: (character, logarithm).
    """

    def __init__(self, text: str) -> None:
        self.letters: Counter[str] = Counter()
        self.before: Counter[str] = Counter()
        self.after: Counter[str] = Counter()
        self.signs: Counter[tuple[str, float]] = Counter()
        # Each distinct word once: of most texts these are half, or far less.
        for alone, count in Counter(_WORD_BEYOND_ASCII.findall(text.lower())).items():
            word = f" {alone} "
            for place, char in enumerate(alone, start=1):
                if not _is_letter(char):
                    self.signs[char, _sign_likelihood(char, word[place - 1], word[place + 1])] += count
                    continue
                self.letters[char] += count
                if char > "\x7f":
                    self.before[word[place - 1 : place + 1]] += count
                    self.after[word[place : place + 2]] += count


def _is_letter(char: str) -> bool:
    """Whether a character is a letter or an accent of one; Unicode also calls µ, ª and º letters."""
    return (char.isalpha() and char not in "µªº") or unicodedata.combining(char) > 0


def _sign_likelihood(sign: str, before: str, after: str) -> float:
    """How likely a character that is no letter is between such neighbours, as a logarithm.

    >>> [_sign_likelihood(*case) for case in ("± 5", "±s ", "²m ")] == [_SYMBOL_APART, _STRANGE, -8.0]
    True
    """
    splits_word = _is_letter(before) and _is_letter(after)
    if sign in _ELSEWHERE and (not splits_word or sign in _WITHIN_WORDS):
        return _SYMBOL
    is_apart = not _is_letter(after) if sign in _RAISED else sign in _APART and not _is_letter(before)
    return _SYMBOL_APART if is_apart else _STRANGE


_WORD_BEYOND_ASCII = re.compile(r"[a-z]*[^\x00-\x7f][a-z\x80-\U0010ffff]*")


class _Language:
    """Which letters a language has in its accented words, and how likely an accented text is in it."""

    def __init__(self, text: str) -> None:
        self._counts = Accents(text.translate(str.maketrans("șțȘȚ", "şţŞŢ")))  # as in older sets
        letters = self._counts.letters
        self._num_letters = letters.total()
        self._logarithms = {char: math.log(uses / self._num_letters) for char, uses in letters.items()}
        self._signs: Counter[str] = Counter()
        for (sign, _), uses in self._counts.signs.items():
            self._signs[sign] += uses

    def likelihood(self, accents: Accents) -> float:
        """The log-likelihood of such a text in this language, up to a constant."""
        known = self._counts
        score = 0.0
        for char, count in accents.letters.items():
            score += count * self._logarithms.get(char, _RARE)
        for (sign, least), count in accents.signs.items():
            uses = self._signs[sign]
            score += count * (math.log(uses / self._num_letters) if uses else least)
        for known_pairs, pairs, own in ((known.before, accents.before, 1), (known.after, accents.after, 0)):
            for pair, count in pairs.items():
                uses, letter_uses = known_pairs.get(pair, 0), known.letters.get(pair[own], 0)
                score += count * math.log((uses + 0.5) / (letter_uses + 15))
        return score


@functools.cache
def _languages(codes: str) -> tuple[_Language, ...]:
    return tuple(_Language(get_language(code).text) for code in codes.split())
