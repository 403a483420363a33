"""The fast trainer learns what the plain one learns, on every input, and says why it stopped.

``make fuzz`` also tries the longest texts.
"""

from __future__ import annotations

import functools
import gc
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import ALL, examples
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.trained import patterns, texts, ties
from tokenizers import kernels
from tokenizers.bpe import counting, plain
from tokenizers.bpe.home import find_reachable
from tokenizers.bpe.plain import Ties
from tokenizers.bpe.training import Progress
from tokenizers.kernels import merging as fast_merging


@pytest.fixture(params=["pure Python", "kernels"], scope="module", autouse=True)
def form(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test here judges both forms, on corpora of any size."""
    if request.param == "kernels" and not kernels.ready_to_train():
        pytest.skip("there is no Numba here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "SMALL", 0)
        patch.setattr(fast_merging, "BATCH", 3)
        if request.param == "pure Python":
            patch.setattr(kernels, "ready_to_train", lambda: False)
            patch.setattr(fast_merging, "fits", None)  # pure Python never calls it
            patch.setattr(kernels, "ready_by_now", lambda work: False)
        yield


@pytest.mark.slow
@examples(300)
@given(st.one_of(texts, st.lists(texts, max_size=5)), st.integers(0, 40), patterns, ties)
def test_merges_are_the_plain_ones(
    corpus: str | list[str], n_merges: int, pattern: str | None, tie_rule: Ties
) -> None:
    if not "".join(corpus):
        return
    steps = list(tk.iter_merges(corpus, n_merges, tie_rule, pattern))
    reports: list[Progress] = []
    grove = tk.train(corpus, 256 + n_merges, pattern, ties=tie_rule, on_progress=reports.append)
    assert grove.merges == [step.pair for step in steps]
    assert [(r.pair, r.count, r.new_id, r.n_tokens) for r in reports] == [
        (step.pair, step.count, step.new_id, len(step.ids)) for step in steps
    ]
    assert (grove.stopped is None) == (len(steps) == n_merges)
    assert find_reachable(grove.merges) == list(range(256, 256 + len(steps)))  # each can happen


def test_texts_may_come_from_a_generator_and_are_walled_off() -> None:
    grove = tk.train((text for text in ["ab", "ab"]), 300, pattern=None)
    assert grove.merges == [(97, 98)]
    assert grove.stopped == (
        "Stopped after 1 of 44 merges: no pair is left, since every piece of the text is one token."
    )


@pytest.mark.parametrize(
    "pattern, tie_rule, length",
    [
        (None, "first", 1_000_000 if ALL else 99_999),
        ("gpt4", "smallest", 99_999),
    ],
)
@pytest.mark.slow
def test_very_many_equal_characters(pattern: str | None, tie_rule: Ties, length: int) -> None:
    with processor_seconds(20 if ALL else 5):
        grove = tk.train("a" * length, 270, pattern, ties=tie_rule)
        assert grove.merges[:3] == [(97, 97), (256, 256), (257, 257)]
        assert len(grove.encode("a" * length)) == length // 2**14 + bin(length % 2**14).count("1")


def test_counts_far_apart_take_no_longer() -> None:
    counts = [(bytes((97, 98, 128 | i >> 7, i & 127)), (1 << 31) - 1) for i in range(1 << 14)]
    with processor_seconds(3):
        assert len(tk.train(counts=counts, vocab_size=259, pattern=None).merges) == 3


def test_empty_pieces_need_no_room() -> None:
    counts = [(b"", 1)] * counting.BATCH + [(b"abab", 1)]
    assert tk.train(counts=counts, vocab_size=300).merges == [(97, 98), (256, 256)]


def test_train_stops_before_a_token_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_TOKEN_BYTES", 4)
    assert [step.pair for step in tk.iter_merges("a" * 99, 40)] == [(97, 97), (256, 256)]
    grove = tk.train("a" * 99, 296, None)
    assert grove.merges == [(97, 97), (256, 256)]
    assert grove.stopped is not None and "a token would have more than" in grove.stopped


@pytest.mark.slow
def test_tokens_take_no_more_memory_than_there_is() -> None:
    """Under "first", ties of pairs that occur once let the first token grow bit by bit."""
    word = "".join(random.Random(7).choices("abcdefghijklmnop", k=20_000))
    grove = tk.train(word, 20_000, None, ties="first")
    assert grove.stopped is not None and grove.stopped.endswith(
        "merges: all tokens together would have more than 32 MB. Choose a split pattern."
    )
    assert grove.decode(grove.encode(word)) == word


def test_cancel_keeps_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[Progress] = []
    corpus = "the cat sat on the mat"
    grove = tk.train(corpus, 300, on_progress=reports.append, cancel=lambda: len(reports) == 3)
    assert [report.token for report in reports] == grove.tokens[256:]
    assert grove.merges == tk.train(corpus, 259).merges
    assert grove.stopped == "Stopped by you after 3 of 44 merges."
    too_late = (pytest.fail("It lays out the corpus after it was cancelled.") for _ in range(1))
    monkeypatch.setattr("tokenizers.bpe.training._learn", lambda *_: (22, too_late))
    assert tk.train(corpus, 300, cancel=lambda: True).merges == []


def test_garbage_is_collected_again_after_a_training_that_fails() -> None:
    def fail(report: Progress) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        tk.train("ab ab", 300, on_progress=fail)
    assert gc.isenabled()


def test_train_stops_before_a_special_token() -> None:
    grove = tk.train("hello hello hello", 300, None, special_tokens=["hel"])
    assert grove.merges == tk.train("hello hello hello", 257, None).merges
    assert grove.stopped is not None and "the special token 'hel' is next" in grove.stopped


@pytest.mark.slow
def test_very_many_merges() -> None:
    n_merges = 66_000 if kernels.ready_to_train() else 10_000  # to pure Python, 65,535 is nothing special
    n_merges *= 2 if ALL else 1
    letters = random.Random(7)
    words = ("".join(letters.choices("abcdefghijklmnop", k=7)) for _ in range(n_merges * 85 // 100))
    with processor_seconds(20):
        grove = tk.train(" ".join(words), 256 + n_merges, "gpt2")
    assert len(set(grove.merges)) == n_merges


def test_cancel_while_it_counts() -> None:
    def texts() -> Iterator[str]:
        while True:
            yield "the cat sat on the mat " * 1000

    cancel = functools.partial(next, iter([False] * 5), True)
    assert tk.train(texts(), 300, cancel=cancel).stopped == "Stopped by you after 0 of 44 merges."


def test_a_slow_pattern_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizers.bpe.counting.SPLIT_TIMEOUT", 0.1)
    with refused("took longer than 0.1 seconds"):
        tk.train("a" * 60 + "b", pattern=r"(a|a|aa)+$|\s")
