"""Metrics: answers counted by hand, and texts together."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.limits import processor_seconds
from tests.texts import any_text
from tokenizers.bpe.home import HomeEncoding
from tokenizers.measure.metrics import METRICS, Compared, measure, measure_together
from tokenizers.text.words import UNSPACED_LIMIT, find_words
from tokenizers.utf8 import well_formed

# ab -> 256, abc -> 257, " abc" -> 258; no walls. 259 tokens.
ABC = HomeEncoding([(97, 98), (256, 99), (32, 257)])


# Counted by hand


def test_measure_counts_as_by_hand() -> None:
    text = "abc abc ab-xé!"  # abc | ·abc | · | ab | - | x | é in two bytes | !
    metrics = measure(ABC, text)
    assert ABC.encode(text) == [257, 258, 32, 256, 45, 120, 0xC3, 0xA9, 33]
    assert (metrics.n_bytes, metrics.n_chars, metrics.n_tokens) == (15, 14, 9)
    assert metrics["bytes_per_token"] == 15 / 9 and metrics["chars_per_token"] == 14 / 9
    assert (metrics.n_words, metrics.whole_words) == (4, 3)  # abc, abc, ab; xé is three tokens
    assert metrics["fertility"] == 9 / 4 and metrics["words_kept_whole"] == 3 / 4
    assert (metrics.split_chars, metrics["split_share"]) == (1, 1 / 14)
    assert (metrics.n_used, metrics.vocab_size, metrics["used_share"]) == (9, 259, 9 / 259)
    assert metrics["renyi_efficiency"] == pytest.approx(math.log(9) / math.log(259))  # nine, used alike
    assert metrics.tokens_by_bytes.tolist() == [0, 6, 1, 1, 1]
    assert metrics.encoding == "grove"


def test_one_token_and_none() -> None:
    one = measure(ABC, "abc")
    assert (one.n_tokens, one["bytes_per_token"], one["words_kept_whole"]) == (1, 3.0, 1.0)
    assert one["renyi_efficiency"] == 0 and math.copysign(1, one["renyi_efficiency"]) == 1
    none = measure(ABC, "")
    assert {none[key] for key in METRICS if key not in ("tokens", "nsl", "premium")} == {None}
    assert none.tokens_by_bytes.sum() == 0


def test_measure_counts_no_word_of_a_token_over_two() -> None:
    both = HomeEncoding([(97, 32), (256, 98), (40, 99)])  # "a ", "a b", "(c"
    assert both.encode("a b (c)") == [257, 32, 258, 41]
    metrics = measure(both, "a b (c)")
    assert (metrics.n_words, metrics.whole_words) == (3, 1)


def test_measure_counts_a_character_in_many_tokens_once() -> None:
    metrics = measure(HomeEncoding([(0xC3, 0xA9)]), "é🌳漢x")  # é | 🌳 in four bytes | 漢 in three | x
    assert metrics.tokens_by_bytes.tolist() == [0, 8, 1]
    assert (metrics.split_chars, metrics["split_share"]) == (2, 2 / 4)


def test_measure_counts_words_beside_dropped_characters() -> None:
    assert measure(tk.get_encoding("bert-uncased"), "तु the").whole_words == 1  # it drops the vowel sign
    cup = measure(tk.get_encoding("claude-2"), "½ cup")
    assert (cup.n_words, cup.whole_words) == (2, 1), "½ becomes three tokens"


def test_the_vocabulary_is_what_can_occur() -> None:
    assert measure(tk.get_encoding("cl100k_base"), "a").vocab_size == 100_261


def test_a_vocabulary_of_one_token_has_no_renyi_efficiency() -> None:
    assert replace(measure(ABC, "aaa"), vocab_size=1)["renyi_efficiency"] is None


# Words


def test_a_few_foreign_letters_do_no_harm() -> None:
    assert find_words("a" * 99 + "東").are_shown and find_words("a" * 99 + "東").unspaced == UNSPACED_LIMIT
    assert not find_words("a" * 98 + "東").are_shown


# Long texts, the table, texts together


def test_a_long_text_is_measured_without_a_quadratic_path() -> None:
    for text in ("a" * 200_000, "한" * 100_000, "a b" * 100_000, "e" + "\u0301" * 100_000):
        with processor_seconds(10):
            assert measure(tk.get_encoding("cl100k_base"), text).n_bytes == len(text.encode())


def test_the_table_gives_what_was_measured() -> None:
    five, one, none = (measure(tk.get_encoding("gpt2"), text) for text in ("the naïve xylophone", "the", ""))
    nsl, premium = METRICS["nsl"], METRICS["premium"]
    assert nsl.value(five, Compared(baseline=one)) == premium.value(five, Compared(english=one)) == 5
    assert nsl.value(five, Compared()) is nsl.value(none, Compared(baseline=none)) is None


@pytest.mark.parametrize("key", METRICS)
def test_a_metric_that_is_not_there_is_a_dash(key: str) -> None:
    assert METRICS[key].write(None) == METRICS[key].write(float("nan")) == "–"


@given(st.lists(any_text, min_size=1, max_size=4))
def test_measure_together_is_that_of_one_text(texts: list[str]) -> None:
    """Each is encoded by itself; where no token could cross from one to the next, they are one text."""
    enc = tk.get_encoding("bytes")
    one = measure(enc, "".join(map(well_formed, texts)))
    parts = [measure(enc, text) for text in texts]
    together = measure_together(parts)
    for name in ("n_bytes", "n_chars", "n_tokens", "split_chars", "n_used", "vocab_size"):
        assert getattr(together, name) == getattr(one, name), name
    assert together["renyi_efficiency"] == one["renyi_efficiency"]
    assert together.counts.tolist() == one.counts.tolist() and together.used.tolist() == one.used.tolist()
    assert together.tokens_by_bytes.tolist() == one.tokens_by_bytes.tolist()
    words = [part.n_words for part in parts]
    assert together.n_words == (None if None in words else sum(filter(None, words)))
