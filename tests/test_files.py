"""Files as text: the character set is found and said; what is no text is refused in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refusals import refused
from tokenizers.text.charsets import CHARSETS
from tokenizers.text.files import MAX_TEXT_BYTES, decode_file


def test_binary_files_are_refused() -> None:
    with refused(r"^thing.bin is not a text file.*Save it as plain text"):
        decode_file(bytes(range(256)) * 10, "thing.bin")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_one_control_character_in_a_thousand_is_a_text(codec: str) -> None:
    """Characters are counted, not bytes; and a file with a mark is read as the mark says, or not at all."""
    text = "\1" + 999 * "慥"
    assert decode_file(text.encode(codec), "thing.txt").text == text
    with refused("is not a text file"):
        decode_file(text[:-1].encode(codec), "thing.txt")


def test_large_files_are_refused_before_work() -> None:
    with refused(r"10\.0 MB.*takes up to 10 MB"):
        decode_file(b"a" * (MAX_TEXT_BYTES + 1))
    # A file of Latin-1 that is too long only as UTF-8.
    with refused("as UTF-8"):
        decode_file(b"\xe9" * (MAX_TEXT_BYTES // 2 + 1))


@given(st.binary(max_size=300))
def test_any_bytes_give_a_text_or_a_sentence(data: bytes) -> None:
    try:
        decode_file(data).text.encode("utf-8")
    except ValueError as problem:
        assert "not a text file" in str(problem)


@pytest.mark.parametrize("codec", CHARSETS)
def test_a_person_can_choose_the_character_set(codec: str) -> None:
    text = {"cp1251": "Все люди", "big5": "人人生而自由", "cp1253": "Όλοι οι άνθρωποι"}.get(
        codec, "all people"
    )
    decoded = decode_file(text.encode(codec), charset=codec)
    assert (decoded.text, decoded.codec, decoded.charset) == (text, codec, CHARSETS[codec])
    assert not decoded.is_guess
