"""Long texts, decoded a piece at a time: as Python decodes them in one go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizers.text import piecewise
from tokenizers.text.charsets import CHARSETS

CODECS = [*CHARSETS, "utf-16", "utf-32"]  # those two by their mark


def outcome(decode: object, data: bytes, codec: str) -> str | tuple[int, int, str]:
    try:
        text = decode(data, codec)  # type: ignore[operator]
    except UnicodeDecodeError as problem:
        return problem.start, problem.end, problem.reason
    assert isinstance(text, str)
    return text


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr(piecewise, "PIECE", 3)
    yield
    patch.undo()


@pytest.mark.parametrize("codec", CODECS)
def test_it_is_decoded_as_in_one_go(codec: str) -> None:
    @given(st.text(max_size=12).map(lambda text: text.encode(codec, "ignore")) | st.binary(max_size=12))
    def check(data: bytes) -> None:
        assert outcome(piecewise.decode_piecewise, data, codec) == outcome(bytes.decode, data, codec)

    check()


@given(st.text(max_size=20, alphabet=st.characters()), st.binary(max_size=4))
def test_bytes_are_counted_as_in_one_go(text: str, wanted: bytes) -> None:
    wanted = bytes(byte & 127 for byte in wanted)
    data = text.encode("utf-8", "surrogatepass")
    n_wanted = sum(byte in wanted for byte in data)
    assert piecewise.count_utf8(text, wanted) == (len(data), n_wanted)
    assert piecewise.count_bytes(data, wanted) == n_wanted
