"""The kernels do what the obvious code does; without Numba, without a cache, all goes on."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.processes import run_python
from tests.texts import any_text
from tests.trained import texts as trained_texts
from tokenizers import kernels
from tokenizers.kernels import merging as fast_merging
from tokenizers.kernels import piece_counts
from tokenizers.kernels.scanning import SCANNERS
from tokenizers.split.patterns import KNOWN, split
from tokenizers.utf8 import well_formed

SCANNED = {pattern.name: pattern.regex for pattern in KNOWN if pattern.name in SCANNERS}

pytestmark = pytest.mark.usefixtures("compiled")

# Every class of character, in one, two, three and four bytes, and what the patterns single out.
ADVERSARIAL = (
    "aAbZsStTmMdDlLvVrReE''''    \n\n\r\t\x0b\x1c\x85\xa0\u2028\u3000½1234٣۵!/,.-_\x00"
    "éÉßſKǅʰªあ中한\u0301\u0903\u200d😀𝐀𝐚𞤀𝟙\U000e0100"
)


def pieces_of(texts: list[str], name: str) -> list[tuple[bytes, int]]:
    """The pieces as regex cuts them, with their counts, in the order of the texts."""
    pieces = (piece for text in texts for piece in split(well_formed(text), SCANNED[name]))
    return [*Counter(piece.encode() for piece in pieces).items()]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCANNED)
def test_scanners_know_every_character(name: str) -> None:
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    for start in range(0, len(everything), 50_000):
        text = everything[start : start + 50_000]
        counts = piece_counts.count_pieces([text], name).in_order()
        assert [*counts.as_dict().items()] == pieces_of([text], name)


@pytest.mark.slow
@examples(800)
@given(
    st.lists(st.one_of(any_text, trained_texts, st.text(ADVERSARIAL, max_size=60)), max_size=4),
    st.integers(1, 12),
    st.integers(1, 3),
    st.sampled_from(list(SCANNED)),
)
def test_pieces_are_those_of_regex_in_any_batches_and_threads(
    texts: list[str], size: int, threads: int, name: str
) -> None:
    assert "".join(itertools.chain(*piece_counts.iter_batches(texts, size))) == "".join(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piece_counts.iter_batches, "__defaults__", (size,))
        counts = piece_counts.count_pieces(texts, name, threads=threads).in_order()
        batches = list(enumerate(piece_counts.iter_batches(texts)))
    counter = piece_counts.PieceCounter(name)
    for number, batch in reversed(batches):  # as the threads may take them
        counter.count(number, batch)
    for counted in (counts, counter.pieces.in_order()):
        assert [*counted.as_dict().items()] == pieces_of(texts, name)


def test_tables_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piece_counts.PieceCounter.__init__, "__defaults__", (1 << 10,))
    words = [f" {i * 7919 % 1_000_003:x}" for i in range(50_000)] * 2
    pieces = piece_counts.count_pieces(["".join(words)], "gpt2", threads=2).in_order()
    assert [*pieces.as_dict().items()] == pieces_of(["".join(words)], "gpt2")


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
import tokenizers
from tokenizers import kernels
from tokenizers.bpe import counting
counting.SMALL = 0
print(kernels.ready_to_train(), kernels.ready_to_encode(), tokenizers.train("the cat, the hat", 260).merges)
"""


MERGES = str(tk.train("the cat, the hat", 260).merges)


@pytest.mark.slow
def test_without_numba() -> None:
    assert run_python("-W", "error", "-c", WITHOUT_NUMBA).stdout == f"False False {MERGES}\n"


def double(x: int) -> int:
    return 2 * x


def test_without_a_place_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core import caching

    for locators in (caching.CacheImpl._locator_classes, []):
        monkeypatch.setattr(caching.CacheImpl, "_locator_classes", locators)
        assert kernels.kernel(double)(21) == 42


def test_a_damaged_cache_is_told_and_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(fast_merging, "iter_learned", fail)
    with pytest.warns(UserWarning, match="slower code"):
        assert not kernels.ready_to_train.__wrapped__()
