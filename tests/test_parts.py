"""Long texts in parts: their tokens are those of the whole text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from tests import any_pipeline
from tests.examples import examples, some
from tests.limits import processor_seconds
from tests.test_pipelines import bpe, content, encoding, read
from tokenizers.data.udhr import list_languages
from tokenizers.encoding import AllowedSpecial
from tokenizers.families.huggingface import HuggingFaceEncoding
from tokenizers.families.huggingface_parts import OVERLAP, PART, Encoded, encode_in_parts
from tokenizers.json_types import JsonObject
from tokenizers.progress import heard_by
from tokenizers.split.patterns import is_linear, stays_in_runs


@pytest.mark.slow
@examples(160)
@given(any_pipeline.files(), any_pipeline.long_texts, st.booleans(), st.sampled_from(["all", ()]))
def test_parts_have_the_tokens_of_the_whole_text(
    content: JsonObject, text: str, can_cut_words: bool, allowed: AllowedSpecial
) -> None:
    try:
        enc = any_pipeline.read(content)
    except ValueError:
        assume(False)
    engine, _ = enc._engine_for(enc._allowed(allowed))
    lengths: list[int] = []

    def run(part: str) -> Encoded:
        lengths.append(len(part))
        return Encoded.of(engine.encode(part, add_special_tokens=False))

    cuts = can_cut_words and enc._can_cut_words
    try:
        whole = run(text)
        found = encode_in_parts(run, text, can_cut=enc._can_cut, can_cut_words=cuts, part=256, overlap=96)
    except BaseException as problem:
        assert type(problem).__name__ == "PanicException"
        return
    event(f"can be cut: {enc._can_cut}; cut: {max(lengths[1:]) < len(text)}")
    assert found.ids == whole.ids
    assert found.offsets.tolist() == whole.offsets.tolist() and found.begins.tolist() == whole.begins.tolist()


def test_a_long_word_of_unigram_pieces_is_one_part() -> None:
    """Of an odd number of letters, the first is a token of its own. No part but the first one knows that."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -3.0], ["aa", -2.0]]}
    enc = read(content(model=model))
    assert enc.encode("a" * (2 * PART + 1)) == [1] + [2] * PART


def test_a_word_that_is_looked_up_may_be_longer_than_what_parts_share() -> None:
    """It is longer than what two parts share, and lies over it, so that neither of them sees it whole."""
    word = "ab" * OVERLAP
    vocabulary = {"a": 0, "b": 1, "x": 2, word: 3}
    model = bpe(vocab=vocabulary, merges=[], ignore_merges=True)
    enc = read(content(model=model, pre_tokenizer={"type": "WhitespaceSplit"}))
    before = (PART - OVERLAP) // 2 - 1_000
    assert enc.encode("x " * before + word + " x") == [*[2] * before, 3, 2]


LANGUAGES = "\n".join(language.text for language in list_languages()[::31])


@pytest.mark.slow
def test_parts_of_a_usual_text_are_small() -> None:
    lengths: list[int] = []
    enc, text = encoding("llama-3"), LANGUAGES
    assert isinstance(enc, HuggingFaceEncoding)

    def run(part: str) -> Encoded:
        lengths.append(len(part))
        return Encoded.of(enc.engine.encode(part, add_special_tokens=False))

    shares: list[float] = []
    with heard_by(shares.append):
        assert encode_in_parts(run, text).ids == enc.encode(text)
    assert shares == sorted(shares) and 0 < shares[0] and shares[-1] < 1
    assert max(lengths) == PART and sum(lengths) < 1.1 * len(text) + PART


HOSTILE = ("a", " ", "\n", "\r\n ", "1", "1.", "'", "a\u0301", "\u0301", "aA", "日", "!", "_-", "'s")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", some([each for each in any_pipeline.PUBLISHED if is_linear(each)], 5))
def test_patterns_that_are_called_linear_are(pattern: str) -> None:
    split = any_pipeline.splitter(pattern)
    with processor_seconds(8):  # the square of the length would take minutes
        for part, last in some(list(itertools.product(HOSTILE, ("", "a", "\n", "1")))):
            split.pre_tokenize_str(part * (40_000 // len(part)) + last)


def test_which_patterns_are_called_linear() -> None:
    assert len(any_pipeline.PUBLISHED) - sum(map(is_linear, any_pipeline.PUBLISHED)) == 15
    for pattern in (
        "(a+)+",
        "a+b",
        "a?" * 30 + "a" * 30,
        "a{1,9}a{1,9}b",
        r"\s*[\r\n]+",
        "(?=a)",
        ".*x",
        r"(a)\1+",
    ):
        assert not is_linear(pattern) and not stays_in_runs(pattern)
