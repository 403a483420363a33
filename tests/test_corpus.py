"""Corpora: what a weight means, what is held out, and nothing drawn by lot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refusals import refused
from tests.texts import any_text
from tokenizers.data.corpus import (
    DOCS,
    LIBRARY,
    MAX_WEIGHT,
    Source,
    check_weight,
    count_bytes,
    hold_out,
    part_sources,
    read_bundled,
    weigh,
    weighed_bytes,
)
from tokenizers.utf8 import well_formed

texts = st.lists(any_text | st.text("aé한👩\n ", max_size=40), max_size=5)
weights = st.floats(0, 5)


def joined(parts: list[str]) -> bytes:
    return b"".join(well_formed(part).encode() for part in parts)


@given(texts, weights)
def test_weigh_reads_the_bytes_so_often(parts: list[str], weight: float) -> None:
    whole, read = joined(parts), joined(list(weigh(parts, weight)))
    assert (whole * 6).startswith(read)
    assert 0 <= weighed_bytes(len(whole), weight) - len(read) < 4  # a part ends between characters


@given(texts, st.floats(0, 0.5))
def test_hold_out_takes_whole_lines_and_loses_nothing(parts: list[str], share: float) -> None:
    kept, held = hold_out(parts, share)
    assert sorted(joined(kept) + joined(held)) == sorted(joined(parts))
    assert count_bytes(held) <= count_bytes(parts) * share
    whole = "\n".join(map(well_formed, parts)) + "\n"
    for block in held:
        assert ("\n" + whole).count("\n" + block) and (block.endswith("\n") or block + "\n" in whole)


def test_hold_out_takes_the_same_blocks_in_every_version() -> None:
    """Where lines are held out, a text goes on as another one: no token joins what is before and behind."""
    lengths = zip("abcdefghijklm", (9, 2, 3, 3, 3, 14, 1, 9, 9, 14, 1, 9, 1), strict=True)
    kept, held = hold_out(["".join(f"{letter * length}\n" for letter, length in lengths)], 0.4)
    letters = ["".join(line[0] for line in text.split()) for text in (*kept, *held)]
    assert letters == [*"aceg", "ij", "lm", *"bdfhk"]


def test_what_is_held_out_is_new_to_the_whole_mix() -> None:
    english = read_bundled("udhr:eng").texts[0]
    again = Source("again", ("Before it.\n" + english,))
    (alone,) = part_sources([Source("once", (english,))], 0.2)
    first, second = part_sources([Source("once", (english,)), again], 0.2)
    assert alone.held
    for part in (first, second):
        read = {line for each in (first, second) for text in each.read for line in text.split("\n")}
        assert all(not read.issuperset(block.split("\n")) for block in part.held)
    # A copy is read after all.
    assert count_bytes(first.read) + count_bytes(first.held) == count_bytes([english])


def test_what_is_not_read_is_not_held_out() -> None:
    text = "".join(f"{number}\n" for number in range(10_000, 20_000))
    (part,) = part_sources([Source("numbers", (text,), 0.25)], 0.1)
    assert max(map(int, "".join(part.held).split())) < 12_500
    assert part.n_bytes + count_bytes(part.held) == count_bytes([text]) * 0.25


@pytest.mark.parametrize("weight", [-1, MAX_WEIGHT + 1, float("nan"), float("inf")])
def test_odd_weights_are_refused(weight: float) -> None:
    with refused("0 to 100 times"):
        check_weight(weight)


@pytest.mark.slow
def test_bundled_sources_are_text_and_the_same_each_time() -> None:
    for key, least in ((DOCS, 300_000), (LIBRARY, 3_000_000), ("udhr:jpn", 10_000)):
        source = read_bundled(key)
        assert count_bytes(source.texts) > least
        assert read_bundled(key) == source
    assert "def " in "".join(read_bundled(LIBRARY).texts[:9])
    for key in ("", "udhr:", "udhr:nope", "../etc/passwd"):
        with pytest.raises(ValueError):
            read_bundled(key)
