"""Guesses of the character set: right for the declaration in many languages, sets and lengths.

``make fuzz`` also tries two of the lengths in between.
"""

from __future__ import annotations

import tomllib

import pytest

from tests.examples import ALL, some
from tests.limits import processor_seconds
from tokenizers.data.udhr import get_language
from tokenizers.text.charsets import SAMPLE_BYTES, guess_charset, take_sample
from tools.known_answers import FOLDER

KNOWN = tomllib.loads((FOLDER / "charsets.toml").read_text("utf-8"))
SETS = KNOWN["languages"]
NOTES = KNOWN["notes"]
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
