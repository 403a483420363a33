"""Bytes, characters and words keep what every encoding promises."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import REWRITING
from tests.promises import check
from tests.refusals import refused
from tests.texts import NASTY, any_text
from tokenizers.bpe import cuts_by_size
from tokenizers.encoding import Encoding
from tokenizers.families import learn_characters, learn_words
from tokenizers.families.counted import describe_characters, describe_words
from tokenizers.files import load
from tokenizers.text import encode_spans

NAMES = ["bytes", "characters", "characters-unknown", "words", "rwkv-world", "mistral-v1", "j2"]
OTHERS = ["gpt2", "o200k_base", "bert-uncased", "deepseek-v3", "qwen3.5", "glm-4.5", "gemma-4"]
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


@pytest.mark.parametrize("name", [*NAMES, *OTHERS])
def test_a_text_goes_on_behind_a_special_token(name: str) -> None:
    enc = encoding(name)
    for special in list(enc.special_tokens)[:2]:
        text = f"a {special}b{special} c"
        spans = encode_spans(enc, text, allowed_special="all")
        assert spans.ids.tolist() == enc.encode(text, allowed_special="all")


def test_a_special_token_leaves_the_reasons_of_other_words_as_they_are() -> None:
    spans = encode_spans(tk.get_encoding("bert-uncased"), "[CLS] unbelievableness", allowed_special="all")
    assert spans.reason(18).startswith("“unbelievable” is the longest beginning of “unbelievableness”")


def test_learned_vocabularies_are_the_most_frequent() -> None:
    texts = ["bb a ccc é é é", "ccc a ü"]
    assert load(learn_words(texts, 4)).encode("é a ccc bb") == [1, 2, 3, 0]
    assert load(learn_words(texts)).n_vocab == 1 + len({"bb", "a", "ccc", "é", "ü"})
    assert load(learn_characters(texts, 4, "unknown")).encode(" céa") == [1, 2, 3, 0]
    with refused("too few"):
        learn_characters(texts, 255)
    with refused("too few"):
        learn_words(texts, 0)


def test_what_is_wrong_is_said() -> None:
    with refused("bytes has no token -1"):
        tk.get_encoding("bytes").decode([97, -1])
    with refused("characters has no token"):
        tk.get_encoding("characters").token_bytes(1 << 20)
    with refused("no place 2"):
        encode_spans(tk.get_encoding("bytes"), "a").reason(2)


@pytest.mark.parametrize("name", NAMES)
def test_walls_and_sizes_are_refused_in_words(name: str) -> None:
    enc = tk.get_encoding(name)
    with refused("no split pattern, so there are no walls"):
        _ = encode_spans(enc, "the law").wall_starts
    for ask in (cuts_by_size, tk.trace):
        with refused("has no merges of bytes by rank. Choose a byte pair"):
            ask(enc, "the law")
    with refused("has no merges of bytes by rank"):
        tk.explain_cut(enc, "the law", 1)
