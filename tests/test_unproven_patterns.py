"""Patterns of a tokenizer.json that may take long: exact, or refused in time, in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests import any_pipeline
from tests.any_pipeline import BYTES
from tests.examples import some
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.test_pipelines import of_bytes
from tests.texts import NASTY
from tokenizers.description import steps_in_words
from tokenizers.families import huggingface_engine
from tokenizers.families.huggingface_engine import build_engine
from tokenizers.json_types import JsonObject
from tokenizers.split.patterns import PATTERNS
from tokenizers.utf8 import well_formed


def split_by(*patterns: str, **parts: Any) -> JsonObject:
    """A file of bytes whose text is cut by patterns."""
    steps = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in patterns
    ]
    return of_bytes(pre_tokenizer={"type": "Sequence", "pretokenizers": [*steps, BYTES]}, **parts)


def replace_by(pattern: str) -> JsonObject:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": "x"}


SLOW = {
    "DeepSeek's": ([r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"\s+$"], " " * 1_000_000 + "1"),
    "SuperBPE's": ([r"\p{N}+", r"(?=(\d{3})+(?!\d))"], "1" * 1_000_000),
    "Cohere's": ([r"\d{1,3}(?=(?:\d{3})*\b)"], "1" * 300_000 + "a"),
}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_engine, "PATTERN_SECONDS", 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("whose", SLOW)
def test_slow_patterns_are_exact_or_refused_in_time(whose: str) -> None:
    patterns, hostile = SLOW[whose]
    content = split_by(*patterns)
    enc, judge = any_pipeline.read(content), build_engine(content)
    assert "in a process with limits" in dict(steps_in_words(enc))["Limits"]
    for text in [*some([*NASTY.values()]), "1234567 + 12345  \n  x \t\n"]:
        clean = well_formed(text)
        assert enc.encode(text) == judge.encode(clean, add_special_tokens=False).ids
    with (
        processor_seconds(2),  # the process with limits takes more
        refused(r"A pattern of this tokenizer, “.+”, takes .+ on this text\. Take a"),
    ):
        list(enc.encode_each(["a", hostile]))  # as encode


@pytest.mark.slow
def test_normalisers_and_decoders_are_tried_too() -> None:
    blanks = " " * 600_000 + "1"
    enc = any_pipeline.read(split_by(normalizer=replace_by(r"\s+$")))
    with refused("takes .* on this text"):
        enc.read(blanks)
    decoders = {"type": "Sequence", "decoders": [BYTES, {"type": "Fuse"}, replace_by(r"\s+$")]}
    enc = any_pipeline.read(split_by(decoder=decoders))
    assert enc.decode_array(enc.encode_array(blanks)) == b""  # as where a decoder breaks down
    assert enc.decode_array(enc.encode_array("a ")) == b"ax"


def test_the_librarys_own_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_engine, "PATTERN_SECONDS", 10)  # the library gives up before
    enc = any_pipeline.read(split_by(r"(a|a)*b"))
    with refused("cannot encode this text: Onig: Regex search error"):
        enc.encode("a" * 60 + "cb")


def test_known_patterns_are_not_tried() -> None:
    for pattern in (r"\p{N}{1,3}", r"\s+", *PATTERNS.values()):
        enc = any_pipeline.read(split_by(pattern))
        assert "Limits" not in dict(steps_in_words(enc))
