"""Bytes, characters and words keep what every encoding promises."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import REWRITING
from tests.promises import check
from tests.texts import NASTY, any_text
from tokenizers.bpe import cuts_by_size
from tokenizers.data import list_parallel
from tokenizers.encoding import Encoding
from tokenizers.families import learn_characters, learn_words
from tokenizers.families.counted import describe_characters, describe_words
from tokenizers.families.sentencepieces import SentencePieces
from tokenizers.files import load
from tokenizers.measure import measure, shipped_counts
from tokenizers.text import TextMap, encode_spans, only_here, token_facts

NAMES = ["bytes", "characters", "characters-unknown", "words", "rwkv-world", "mistral-v1", "j2"]
OTHERS = ["bert-uncased", "deepseek-v3", "qwen3.5", "glm-4.5", "gemma-4"]
UPLOADED = {
    name: load(json.dumps(content).encode(), name)
    for name, content in {
        "brought characters": describe_characters("aé日 e"),
        "no characters": describe_characters(""),
        "brought unknown": describe_characters("aé日 e", "unknown"),
        "brought words": describe_words(["a", "ab", "!", "日本", "1"]),
    }.items()
}


def encoding(name: str) -> Encoding:
    return UPLOADED[name] if name in UPLOADED else tk.get_encoding(name)


@pytest.mark.slow
@examples(150)
@given(
    any_text | st.text("e\u0301\u0323\u212b½ﬁİΣΑ\u1112\u1161\u11ab가Aa '\t.1😀\u0d3b㋿ﾞｶ", max_size=20),
    st.sampled_from([*NAMES, *UPLOADED, *REWRITING, *OTHERS]),
)
@example(NASTY["combining marks"], "bert-uncased")
@example(NASTY["flags in a row"], "j2")
@example("a\u0301\n\u200d ", "words")
@example("\ud800a", "characters-unknown")
@example("[UNK] UNK", "words")
@example("\n \u0301\u0d3be\u0301½\u0301 ½", "claude-2")
@example("ΑΣ  DON'T İa\u088fb hello\u0c5c", "clip")  # with letters that the engine's tables do not know
def test_any_text(text: str, name: str) -> None:
    check(encoding(name), text)


def test_learned_vocabularies_are_the_most_frequent() -> None:
    texts = ["bb a ccc é é é", "ccc a ü"]
    assert load(learn_words(texts, 4)).encode("é a ccc bb") == [1, 2, 3, 0]
    assert load(learn_words(texts)).n_vocab == 1 + len({"bb", "a", "ccc", "é", "ü"})
    assert load(learn_characters(texts, 257)).encode("éü") == [256, 195, 188]
    assert load(learn_characters(texts, 4, "unknown")).encode(" céa") == [1, 2, 3, 0]
    with pytest.raises(ValueError, match="too few"):
        learn_characters(texts, 255)
    with pytest.raises(ValueError, match="too few"):
        learn_words(texts, 0)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: tk.get_encoding("bytes").token_bytes(256), "bytes has no token 256"),
        (lambda: tk.get_encoding("bytes").decode([97, -1]), "bytes has no token -1"),
        (lambda: tk.get_encoding("words").decode([9000]), "words has no token 9000"),
        (lambda: tk.get_encoding("characters").token_bytes(1 << 20), "characters has no token"),
        (lambda: encode_spans(tk.get_encoding("bytes"), "a").reason(2), "no place 2"),
    ],
)
def test_what_is_wrong_is_said(make: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]


# Every measure and every export takes them


@pytest.mark.parametrize(
    ("name", "whole_words"),  # "3" alone is one character
    [("bytes", 1), ("characters", 1), ("words", 6), ("rwkv-world", 5), ("mistral-v1", 4), ("j2", 5)],
)
def test_measure_counts_whole_words(name: str, whole_words: int) -> None:
    enc = tk.get_encoding(name)
    metrics = measure(enc, "The naïve  law\nof 3 zebras.")
    assert (metrics.n_words, metrics.whole_words) == (6, whole_words)
    assert metrics.vocab_size == enc.n_vocab - (name == "rwkv-world")  # it has no token 0


@pytest.mark.parametrize("name", NAMES)
def test_vocabulary_of_what_has_no_merges(name: str) -> None:
    enc = tk.get_encoding(name)
    vocabulary = tk.vocabulary_of(enc)
    assert len(vocabulary) == enc.n_vocab - (name == "rwkv-world")  # it has no token 0
    assert vocabulary.unreached == {}
    if not isinstance(enc, SentencePieces):
        assert vocabulary.unreachable == {}
        life = vocabulary.biography(97)
        assert life.parents == life.children == () and life.rank is None


def test_the_unknown_token_has_a_biography() -> None:
    enc = tk.get_encoding("words")
    life = tk.vocabulary_of(enc).biography(0)
    assert (
        life.token_bytes == b"[UNK]" and life.unknown and not life.special and life.encodes_to_itself is None
    )
    facts = token_facts(encode_spans(enc, "the zyzzyva"), 1, [])
    assert facts.unknown and facts.token_bytes == b"zyzzyva"


def test_counts_that_come_with_the_app_are_their_own() -> None:
    names = ["bytes", "characters", "characters-unknown", "words", "gpt2"]
    from tokenizers.measure import fingerprint

    assert len({fingerprint(tk.get_encoding(name)) for name in names}) == len(names)
    shipped = shipped_counts(tk.get_encoding("bytes"))
    assert shipped == {text.code: text.n_bytes for text in list_parallel()}


@pytest.mark.parametrize("name", NAMES)
def test_walls_and_sizes_are_refused_in_words(name: str) -> None:
    enc = tk.get_encoding(name)
    with pytest.raises(ValueError, match="no split pattern, so there are no walls"):
        _ = encode_spans(enc, "the law").wall_starts
    for ask in (cuts_by_size, tk.trace):
        with pytest.raises(ValueError, match="has no merges of bytes by rank. Choose a byte pair"):
            ask(enc, "the law")
    with pytest.raises(ValueError, match="has no merges of bytes by rank"):
        tk.explain_cut(enc, "the law", 1)


# Tokens over nothing, and tokens that share bytes


def test_tokens_that_share_bytes_and_tokens_over_nothing() -> None:
    """A space is put in front, ½ becomes 1⁄2, and dots are dropped."""
    enc = load(json.dumps(describe_characters(" a1⁄2b")).encode(), "characters")
    places = np.array([0, 0, 1, 1, 1, 5]), np.array([0, 1, 3, 3, 3, 6])
    spans = tk.Spans(TextMap("a½..b"), enc, enc.encode_array(" a1⁄2b"), places)
    assert not spans.joins and not spans.decodes_to_text
    assert spans.covering(1) == spans.covering(2) == 2 and spans.covering(3) is None
    assert spans.overlapping(1, 3) == (2, 5)
    owners, starts, ends = spans.stretches
    assert owners.tolist() == [0, 1, 2, 3, 4, -1, 5]
    assert starts.tolist() == [0, 0, 1, 3, 3, 3, 5] and ends.tolist() == [0, 1, 3, 3, 3, 5, 6]
    assert spans.shared.tolist() == [0, 0, 0, 2, 2, 0]
    assert [token_facts(spans, index, []).shared_bytes for index in (1, 2, 3)] == [0, 0, 2]
    assert spans.window(TextMap("½."), 1)[0].starts.tolist() == [0, 0, 0]
    gpt2 = encode_spans(tk.get_encoding("gpt2"), "a½..b")
    assert [len(flags) for flags in only_here([spans, gpt2])] == [len(spans), len(gpt2)]


def test_a_token_that_shares_a_part_of_its_bytes() -> None:
    ids, starts, ends = np.array([97, 98, 99], dtype=np.uint32), np.array([0, 1, 3]), np.array([2, 4, 5])
    spans = tk.Spans(TextMap("abcde"), tk.get_encoding("bytes"), ids, (starts, ends))
    assert spans.shared.tolist() == [0, 1, 1]
    assert encode_spans(tk.get_encoding("gpt2"), "a½").shared.tolist() == [0, 0]
