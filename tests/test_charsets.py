"""Guesses of the character set: right for the declaration in many languages, sets and lengths.

``make fuzz`` also tries two of the lengths in between.
"""

from __future__ import annotations

import pytest

from tests.examples import ALL, some
from tests.limits import processor_seconds
from tokenizers.data.udhr import get_language
from tokenizers.text.charsets import SAMPLE_BYTES, guess_charset, take_sample

SETS = {
    "cp1251": "rus bul ukr",
    "koi8-r": "rus",
    "koi8-u": "ukr",
    "iso8859-5": "rus",
    "cp866": "rus",
    "iso8859-7": "ell_monotonic",
    "cp1253": "ell_monotonic",
    "cp1255": "heb",
    "iso8859-8": "heb",
    "cp1256": "arb",
    "gb18030": "cmn_hans",
    "big5": "cmn_hant",
    "euc-kr": "kor",
    "cp949": "kor",
    "euc-jp": "jpn",
    "cp932": "jpn",
    "tis-620": "tha",
    "cp1250": "pol ces slk hun slv hrv",
    "iso8859-2": "pol ces slk hun slv hrv",
    "cp1257": "lit lav est",
    "cp1254": "tur",
    "iso8859-9": "tur",
}
IN_SETS = [(codec, code) for codec, codes in SETS.items() for code in some(codes.split(), 6)]
WESTERN = "deu_1996 fra spa por_PT ita swe dan nob fin isl cat glg eus gle cym".split()


def parts(code: str, n_chars: int, number: int = 6) -> list[str]:
    text = get_language(code).text
    step = max((len(text) - n_chars) // number, 1)
    return [text[start : start + n_chars] for start in range(0, max(len(text) - n_chars, 1), step)][:number]


def is_read_right(text: str, codec: str) -> bool:
    data = text.encode(codec, "ignore")
    guess = guess_charset(data)
    return data.isascii() or (guess is not None and data.decode(guess) == data.decode(codec))


@pytest.mark.parametrize(("codec", "code"), IN_SETS)
@pytest.mark.slow
def test_the_declaration_is_read_right(codec: str, code: str) -> None:
    notes = parts(code, 100)
    # Of the short notes one may go wrong: what holds one accented letter can be in several sets.
    assert sum(is_read_right(note, codec) for note in notes) >= len(notes) - 1
    for n_chars in (400, 2000, 1_000_000) if ALL else (400,):
        assert all(is_read_right(part, codec) for part in parts(code, n_chars, 3 if ALL else 1)), n_chars
    assert is_read_right(get_language(code).text * 8, codec)  # a hundred kilobytes or more


@pytest.mark.parametrize("code", some(WESTERN))
@pytest.mark.slow
def test_western_texts_stay_western(code: str) -> None:
    for n_chars, number in ((60, 12), (100, 12), (400, 4), (2000, 2)):
        for part in parts(code, n_chars, number):
            data = part.encode("latin-1", "ignore")
            if not data.isascii():
                assert guess_charset(data) == "latin-1", part


NOTES = {
    "latin-1": (
        # In other sets these symbols are letters: ± is the ą of ISO 8859-2, ¼ the Ľ of Windows-1250.
        "3.2 ±0.1 µm|20 µs|µm|tolerance ±5 %|10 µl ± 2|¼ cup|½ cup sugar, ¼ tsp salt|1½ cups|3·10¹|"
        "a² + b² = c²|10 m²|3 × 4|note¹|¹ see note|¤100|¥500|£5|¦ a|foo ¶|§ 3|"
        "20 °C ±0.5; 5 µm × 3 µm; 10 m²|±|µ|´|¡Hola!|¿por qué no?|«Ça va ?»|"
        # Short words with more accents than other letters.
        "ÄÖÜ|ÅÄÖ|ÀÉÈ|Ä Ö Ü|Ærø|Ø 3|Þór|été|L'été|été à|ÉTÉ|où|Noël|à la carte|Ünal|São Paulo|ÜÜ"
    ).split("|"),
    "cp1251": ["Нет", "Съешь же ещё этих мягких французских булок, да выпей чаю."],
    "koi8-r": ["Привет", "Съешь же ещё этих мягких французских булок, да выпей чаю."],
    "cp1253": ["Καλημέρα", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."],
    "cp1250": ["Zażółć gęślą jaźń", "Příliš žluťoučký kůň úpěl ďábelské ódy."],
    "iso8859-2": [
        "Dziś są w domu, będą jutro",
        "mężczyzn",
        "Zażółć gęślą jaźń. W Szczebrzeszynie chrząszcz brzmi w trzcinie.",
        "Árvíztűrő tükörfúrógép, és még több őszibarack.",
    ],
    "cp1257": ["šeši žąsyčiai", "Įlinkdama fechtuotojo špaga sublykčiojusi pragręžė apvalų arbūzą."],
    "cp1254": ["Pijamalı hasta yağız şoföre çabucak güvendi."],
    "cp1252": [
        "Portez ce vieux whisky au juge blond qui fume – “l’été”, déjà vu; c’est ça.",
        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich",
    ],
    "cp932": ["いろはにほへと ちりぬるを わかよたれそ つねならむ"],
    "big5": ["視野無限廣,窗外有藍天。今天的天氣非常好,我們去公園散步。"],
}
"""Notes and sentences that are not in the declaration."""


@pytest.mark.parametrize("codec", NOTES)
def test_notes_and_sentences_are_read_right(codec: str) -> None:
    wrong = [note for note in NOTES[codec] if not is_read_right(note, codec)]
    assert not wrong
    if codec == "latin-1":
        assert {guess_charset(note.encode(codec)) for note in NOTES[codec]} == {"latin-1"}


@pytest.mark.parametrize(
    "data",
    [
        b"a" * 5_000_000 + b"\xe9",
        b"a\n" * 2_000_000 + b"\xe9\n",
        b"\xe9 " * 1_000_000,
        b"\xe9\n" * 1_000_000,
        "中".encode("gb18030") * 1_000_000,
    ],
    ids=["one long line", "ASCII first", "one accented line", "short lines", "no ASCII at all"],
)
def test_the_sample_is_small_whatever_the_file(data: bytes) -> None:
    with processor_seconds(1):
        sample = take_sample(data)
    assert 0 < len(sample) <= SAMPLE_BYTES
    assert not sample.isascii()
