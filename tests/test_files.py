"""Files as text: the character set is found and said; what is no text is refused in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizers.files import MAX_BYTES, decode_file

TEXT = "Grüße, naïve café: “déjà vu” – 10 €\r\nsecond line\n"


@pytest.mark.parametrize(
    ("codec", "charset"),
    [
        ("utf-8", "UTF-8"),
        ("utf-16", "UTF-16 (little endian)"),
        ("utf-16-le", "UTF-16 (little endian)"),
        ("utf-16-be", "UTF-16 (big endian)"),
        ("utf-32", "UTF-32"),
        ("cp1252", "Windows-1252 (Latin-1 with curly quotes)"),
    ],
)
def test_character_sets_are_told_apart(codec: str, charset: str) -> None:
    decoded = decode_file(TEXT.encode(codec))
    assert (decoded.text, decoded.charset) == (TEXT, charset)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_and_all_ascii(codec: str) -> None:
    assert decode_file("hello world\n".encode(codec)).text == "hello world\n"


def test_latin_1() -> None:
    assert decode_file("naïve\n".encode("latin-1")) == decode_file("naïve\n".encode("latin-1"))
    assert decode_file("naïve\n".encode("latin-1")).text == "naïve\n"
    assert decode_file("naïve\n".encode("latin-1")).charset == "Latin-1"


def test_a_byte_order_mark_is_kept_and_said() -> None:
    decoded = decode_file(b"\xef\xbb\xbfhello")
    assert decoded.text == "\ufeffhello"
    assert decoded.charset == "UTF-8 with a byte order mark"


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x7fELF\2\1\1" + bytes(9), bytes(range(256)) * 10, bytes(50)],
    ids=["png", "elf", "all bytes", "zeros"],
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^thing.bin is not a text file.*Save it as plain text"):
        decode_file(data, "thing.bin")


def test_large_files_are_refused_before_work() -> None:
    with pytest.raises(ValueError, match=r"10\.0 MB.*takes up to 10 MB"):
        decode_file(b"a" * (MAX_BYTES + 1))
    # A file of Latin-1 that is too long only as UTF-8.
    with pytest.raises(ValueError, match="as UTF-8"):
        decode_file(b"\xe9" * (MAX_BYTES // 2 + 1))


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode_file(b"").text == ""


@given(st.binary(max_size=300))
def test_any_bytes_give_a_text_or_a_sentence(data: bytes) -> None:
    try:
        decode_file(data).text.encode("utf-8")
    except ValueError as problem:
        assert "not a text file" in str(problem)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_is_exact(text: str) -> None:
    assert decode_file(text.encode("utf-8")).text == text
