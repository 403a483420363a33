"""What comes packed, in a link or from what a browser kept: it unpacks to no more than it may."""

from __future__ import annotations

import base64
import tracemalloc
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages.session.links import LONGEST_STATE, unpack_state
from pages.session.saved_items import Record
from tests.refusals import refused

BOMB = zlib.compress(b'"' + b" " * 20_000_000, 9)  # a thousandth of what it unpacks to


def as_link(packed: bytes) -> str:
    return "1" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


@pytest.mark.parametrize(
    "packed",
    [
        BOMB,
        zlib.compress(b"[" * LONGEST_STATE),  # deeper than Python goes
        zlib.compress(b'{"text": ' + b"9" * 40_000 + b"}"),  # a number that takes a square of its length
        zlib.compress(b"{}")[:-1],
        zlib.compress(zlib.compress(b"{}")),
        b"",
    ],
)
def test_a_hostile_link_is_refused_and_takes_no_memory(packed: bytes) -> None:
    link = as_link(packed)
    tracemalloc.start()
    try:
        with refused("damaged"):
            unpack_state(link)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


@given(
    st.text(max_size=200)
    | st.binary(max_size=200).map(as_link)
    | st.binary(max_size=99).map(zlib.compress).map(as_link)
)
@example("")
@example("2abc")
@example("1!!!!")
@example("1é")
@example(as_link(zlib.compress(b"[]")))
def test_any_link_is_read_or_refused(link: str) -> None:
    try:
        assert isinstance(unpack_state(link), dict)
    except ValueError as problem:
        assert "link" in str(problem)


def test_a_hostile_record_is_refused_and_takes_no_memory() -> None:
    record = Record({}, BOMB)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too long"):
            record.read(1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
