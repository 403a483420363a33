"""Premiums: figures by hand, the rule for what is compared, and the counts that come with the app."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import tokenizers as tk
from tests.examples import some
from tests.judge import judge
from tests.test_conversions import small
from tokenizers.bpe.home import HomeEncoding
from tokenizers.bundled import TIKTOKEN_ENCODINGS
from tokenizers.data.parallel import RULE, list_parallel
from tokenizers.data.udhr import Language
from tokenizers.families.sentencepieces import NORMAL
from tokenizers.measure import premiums
from tokenizers.measure.premiums import COUNTS_FILE, fingerprint, shipped_counts

# Which texts are compared


def declare(*, preamble: int = 10, articles: int = 30, numbered: bool = True, stage: int = 4) -> Language:
    """A declaration in which each article has two clauses of 100 characters."""
    lines = ["Declaration"] + ["p" * 200] * preamble
    for number in range(1, articles + 1):
        lines += [f"Article {number}" if numbered else "Article so-and-so", "a" * 100, "b" * 100]
    return Language("x", "X", "x", None, None, stage, "\n".join(lines))


def test_the_rule_is_said() -> None:
    assert "thirty" in RULE


# Counts that come with the app


@pytest.mark.slow
def test_shipped_counts_are_those_of_tiktoken_itself() -> None:
    """All languages for one encoding, a sample for the others, by tiktoken's own slow way.

    Of all languages, make fuzz tries all, other runs one of three.
    """
    for name in TIKTOKEN_ENCODINGS:
        shipped = shipped_counts(tk.get_encoding(name))
        assert shipped is not None and len(shipped) == 494
        every = list_parallel()
        for text in some(every) if name == "cl100k_base" else random.Random(name).sample(every, 10):
            assert shipped[text.code] == len(judge(name).encode_ordinary(text.text)), (name, text.code)


def test_fingerprints_tell_encodings_apart() -> None:
    merges = [(97, 98), (98, 99)]
    grove = HomeEncoding(merges, "gpt2")
    assert fingerprint(HomeEncoding(merges, "gpt2", ["<|x|>"], name="other")) == fingerprint(grove)
    for other in (
        HomeEncoding(merges[::-1], "gpt2"),
        HomeEncoding(merges[:1], "gpt2"),
        HomeEncoding(merges, None),
        HomeEncoding(merges, "gpt4"),
    ):
        assert fingerprint(other) != fingerprint(grove)
    assert shipped_counts(grove) is None
    pieces = [(("ab", -1.0), ("abc", -2.0)), (("ab", -2.0), ("abc", -1.0)), (("ab", -1.0),)]
    models = [small([(piece, score, NORMAL) for piece, score in each]) for each in pieces]
    assert len(set(map(fingerprint, models))) == 3, "scores decide, too"


@pytest.mark.slow
def test_shipped_counts_of_each_encoding_are_there() -> None:
    assert all(shipped_counts(tk.get_encoding(name)) for name in some(tk.list_encodings(), 9))


def test_a_file_of_other_texts_or_a_damaged_one_is_not_used(tmp_path: Path) -> None:
    content = json.loads(COUNTS_FILE.read_text("utf-8"))
    path = tmp_path / "counts.json"
    broken = [
        {**content, "texts": "0" * 16},
    ]
    for wrong in [*map(json.dumps, broken), '{"texts": ']:
        path.write_text(wrong, "utf-8")
        assert premiums._read(path) == {}
    assert premiums._read(tmp_path / "none") == {}
    assert len(premiums._read(COUNTS_FILE)) == len(content["encodings"]) > 5
