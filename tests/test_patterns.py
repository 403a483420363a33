"""Split patterns as objects: one entry adds one, and each proof is held for all that claim it."""

from __future__ import annotations

import pytest

import tokenizers as tk
from pages.grow.train.form import PATTERN_NAMES
from pages.grow.train.state import NO_WALLS, OWN_PATTERN
from tokenizers.bpe import SMALL, plain
from tokenizers.bpe.incremental import reencode
from tokenizers.split import patterns
from tokenizers.split.patterns import Alternative, SplitPattern
from tokenizers.text import TextMap, encode_spans

FOURTH = SplitPattern(
    "syllables",
    (Alternative(r"[aeiou]+", "vowels"), Alternative(r"[^aeiou]", "one other character")),
)


@pytest.fixture
def fourth(monkeypatch: pytest.MonkeyPatch) -> SplitPattern:
    """One more pattern, as an entry in ``KNOWN`` would make it."""
    monkeypatch.setitem(patterns.PATTERNS, FOURTH.name, FOURTH.regex)
    monkeypatch.setitem(patterns._BY_REGEX, FOURTH.regex, FOURTH)
    return FOURTH


def test_a_fourth_pattern_works_without_a_scanner(fourth: SplitPattern) -> None:
    """Once it ended in a KeyError above 100,000 characters, where the scanner takes over."""
    text = "Some words, again and again. " * (SMALL // 20)
    grove = tk.train(text, 300, fourth.name)
    few = tk.train(text[: SMALL // 100 * 29], 300, fourth.name)
    assert grove.pattern == fourth.regex and grove.merges[:20] == few.merges[:20]
    start = text[:2000]
    assert grove.encode(start) == plain.encode(start, grove.merges, fourth.regex)
    edited = start.replace("again and", "again or", 1)
    before = encode_spans(grove, start)
    assert reencode(before, TextMap(edited)).ids.tolist() == grove.encode(edited)
    why = tk.explain_cut(grove, "about", 1)
    assert why.kind == "wall" and "vowels" in why.sentence


def test_train_offers_every_pattern() -> None:
    assert set(PATTERN_NAMES) == {*patterns.PATTERNS, NO_WALLS, OWN_PATTERN}
    assert PATTERN_NAMES["gpt4o"] == "gpt4o (o200k_base)" and PATTERN_NAMES["gpt2"] == "gpt2"
