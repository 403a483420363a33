"""Tokens as trees: whatever is not kept in bytes, the encoding is the same to the last id."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.browser import ROOT
from tests.examples import ALL, examples
from tests.trained import any_merges, few_letters, patterns, texts, ties
from tokenizers import files, formats, kernels
from tokenizers.bpe import curve, home, merge_rule, token_store, traces, trees
from tokenizers.bpe.explain import cut_in_words, explain_cut
from tokenizers.bpe.later_merges import merge_later
from tokenizers.bpe.plain import Pair, Ties, encode
from tokenizers.bpe.token_store import StoredRanks, TokenStore, hash_of
from tokenizers.bpe.training import Progress
from tokenizers.data.corpus import script_tokens
from tokenizers.files.storage import from_bytes, to_bytes
from tokenizers.measure.premiums import fingerprint
from tokenizers.measure.vocabulary import vocabulary_of
from tokenizers.text.decoding import decode_ids

DOUBLING = [(97, 97), *((i, i) for i in range(256, 280))]
"""A letter that doubles to 32 MB: with all that it is made of, too much to keep."""


@contextmanager
def keeping(max_bytes: int) -> Iterator[None]:
    """Have encodings keep so few bytes that small ones have later merges, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_store, "MAX_TOKEN_BYTES", max_bytes)
        yield


def spell(merges: Sequence[Pair]) -> list[bytes]:
    """The bytes of every token, in the plainest way."""
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens


few_bytes = st.integers(250, 330)  # the 256 bytes take 256 of them
short_merges = any_merges(max_size=9)


@given(short_merges, few_bytes, st.binary(min_size=1, max_size=4) | st.text("ab", max_size=6).map(str.encode))
def test_each_token_is_what_its_merges_say(merges: list[Pair], max_bytes: int, needle: bytes) -> None:
    with keeping(max_bytes):
        store = TokenStore(merges)
    tokens = spell(merges)
    assert [store.bytes_of(token_id) for token_id in range(len(store))] == tokens
    assert store.lengths.tolist() == list(map(len, tokens))
    assert store.keeps_all == (sum(map(len, tokens)) <= max(max_bytes, 256) or not merges)
    for size in (0, 1, 3, 1000):
        heads, tails = store.ends_of(size)
        assert heads == [token[:size] for token in tokens]
        assert tails == [token[-size:] if size else b"" for token in tokens]
    assert store.containing(needle) == [i for i, token in enumerate(tokens) if needle in token]
    assert store.hashes().tolist() == list(map(hash_of, tokens))


@examples(300)
@given(any_merges(), texts | few_letters, patterns, few_bytes)
@pytest.mark.slow
def test_later_merges_happen_as_in_the_plain_definition(
    merges: list[Pair], text: str, pattern: str | None, max_bytes: int
) -> None:
    whole = tk.HomeEncoding(merges, pattern, ["<|x|>"])
    with keeping(max_bytes):
        grove = tk.HomeEncoding(merges, pattern, ["<|x|>"])
    ids = grove.encode(text)
    assert ids == encode(text, merges, pattern) == whole.encode(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "_WORTH_LOOKING", 1)  # as in long pieces
        assert grove.encode_array(text).tolist() == ids
    assert grove.decode(ids) == tk.well_formed(text)
    assert grove.encode(f"{text}<|x|>{text}", allowed_special="all") == [*ids, 256 + len(merges), *ids]
    assert grove.counts_by_size(text).tolist() == whole.counts_by_size(text).tolist()
    assert grove.byte_lengths.tolist() == whole.byte_lengths.tolist()
    assert [*map(grove.rank, range(grove.n_vocab))] == [*map(whole.rank, range(whole.n_vocab))]
    tokens = spell(merges)
    assert len(grove.mergeable_ranks) == len(whole.mergeable_ranks)
    assert dict(grove.mergeable_ranks) == dict(whole.mergeable_ranks)
    assert [*map(grove.token_id, tokens)] == [*map(whole.token_id, tokens)]
    assert grove.token_id(b"no such token") is None
    again = from_bytes(to_bytes(grove))
    assert again.merges == merges and again.encode(text) == ids


@pytest.mark.slow
@examples(150)
@given(few_letters.filter(bool), texts, patterns, ties, st.integers(0, 40), few_bytes)
def test_all_that_is_said_of_a_text_is_the_same(
    corpus: str, text: str, pattern: str | None, tie_rule: Ties, n_merges: int, max_bytes: int
) -> None:
    whole = tk.train(corpus, 256 + n_merges, pattern, ties=tie_rule)
    with keeping(max_bytes):
        grove = tk.train(corpus, 256 + n_merges, pattern, ties=tie_rule)
    assert grove.merges == whole.merges and grove.stopped == whole.stopped
    for some in (corpus, text):
        ids = grove.encode(some)
        assert ids == whole.encode(some)
        assert traces.trace(grove, some) == traces.trace(whole, some)
        assert trees.forest(grove, some) == trees.forest(whole, some)
        assert tk.cuts_by_size(grove, some).tolist() == tk.cuts_by_size(whole, some).tolist()
        size = 256 + len(grove.merges) // 2
        assert curve.cut_at_size(grove, some, size).ids.tolist() == whole.truncated(size).encode(some)
        for offset in range(min(12, len(tk.well_formed(some).encode())) + 1):
            assert explain_cut(grove, some, offset) == explain_cut(whole, some, offset)


@pytest.mark.slow
def test_later_merges_of_a_long_word_are_the_engines() -> None:
    word = "".join(random.Random(7).choices("abcdefgh", k=100_000))
    whole = tk.train(word, 3000, None, ties="first")
    with keeping(1000):
        grove = tk.HomeEncoding(whole.merges)
    assert not grove.spells_out and grove.encode(word) == whole.encode(word)


def test_later_merges_take_no_square_of_the_length() -> None:
    """Each merge looks up as many pairs however long the text is."""
    looked_up = 0

    class Counting(dict[Pair, int]):
        def get(self, pair: Pair, default: Any = None) -> Any:
            nonlocal looked_up
            looked_up += 1
            return super().get(pair, default)

    chain = Counting({(97, 98): 256, **{(256 + i, 98): 257 + i for i in range(20_000)}})
    assert merge_later([97] + [98] * 20_001, chain) == [20_256]
    assert looked_up <= 4 * 20_001


# What is too long to spell out


@pytest.mark.slow
def test_a_text_of_many_megabytes_becomes_few_ids_and_comes_back() -> None:
    grove = tk.HomeEncoding(DOUBLING)
    assert not grove.spells_out
    assert grove.token_bytes(279) == b"a" * (1 << 24) and grove.token_bytes(280) == b"a" * (1 << 25)
    assert grove.token_id(b"a" * (1 << 25)) == 280
    assert grove.decode([280, 280, 279]) == "a" * (2 * (1 << 25) + (1 << 24))


def test_too_much_is_not_decoded() -> None:
    grove = tk.HomeEncoding(DOUBLING)
    grove.byte_lengths  # noqa: B018  # made before the memory is watched
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="These 8 ids stand for 256 MB of text, and up to 100 MB"):
            grove.decode([280] * 8)
        with pytest.raises(ValueError, match="These 8 ids stand for 64 MB of text, and up to 4 MB"):
            decode_ids(grove, [278] * 8)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    with pytest.raises(ValueError, match="grove has no token 281"):
        grove.decode([280] * 8 + [281])


def test_many_ids_are_decoded_whatever_they_stand_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "MAX_DECODED_BYTES", 100)
    grove = tk.HomeEncoding([(97, 97), (256, 256), (257, 257), (258, 258), (259, 259)])
    assert grove.decode([259] * 50) == "a" * 800  # 16 bytes each: the ids themselves take as much
    with pytest.raises(ValueError, match="These 50 ids stand for 1.6 KB of text"):
        grove.decode([260] * 50)


def test_the_page_decodes_broken_bytes_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizers.text.decoding.MAX_REPLACED", 10)
    grove = tk.HomeEncoding([(255, 255), (256, 256)])
    assert [replaced.tokens for replaced in decode_ids(grove, [257, 97, 256]).replaced] == [(0,)] * 4 + [
        (2,)
    ] * 2
    with pytest.raises(ValueError, match="In more than 10 places"):
        decode_ids(grove, [257] * 3)


REMEDY = "stand for more than 32 MB together.*"


@pytest.mark.parametrize(
    ("use", "remedy"),
    [
        (files.tiktoken_file.to_bytes, "Save it as .model"),
        (formats.huggingface_file.to_bytes, "Save it as .model"),
        (vocabulary_of, "split pattern"),
        (trees.unreached_by_merges, "split pattern"),
    ],
)
def test_what_needs_all_bytes_says_so(use: Callable[[tk.HomeEncoding], object], remedy: str) -> None:
    with pytest.raises(ValueError, match=REMEDY + remedy):
        use(tk.HomeEncoding(DOUBLING))


def test_what_needs_not_all_bytes_works() -> None:
    grove, shorter = tk.HomeEncoding(DOUBLING), tk.HomeEncoding(DOUBLING[:-1])
    assert from_bytes(to_bytes(grove)).merges == DOUBLING
    assert fingerprint(grove) != fingerprint(shorter)
    assert tk.counts_by_size(grove, "a" * 9).counts.tolist() == [9, 5, 3, 2]
    assert trees.parts_of(grove, 280) == (279, 279)
    assert trees.children_of(grove, 279, ()) == (280,)
    assert merge_rule.stops_at(grove, b"a" * 5) == (257, 97)
    assert script_tokens(grove.token_ends(201)[0][256:]) == {"Latin": 25}
    assert explain_cut(grove, "a" * (1 << 16), 5).kind == "merged"


def test_trees_that_are_too_large_are_refused() -> None:
    for merges in (DOUBLING, [(97, 97), *((256 + i, 97) for i in range(9_000))]):
        grove = tk.HomeEncoding(merges, learned=True)
        with pytest.raises(ValueError, match=r"all nodes of its tree .* Choose a shorter token"):
            tk.merge_tree(grove, grove.n_vocab - 1)
    assert tk.merge_tree(tk.HomeEncoding(DOUBLING), 256 + 12).height() == 13


def test_a_cut_between_tokens_that_grew_for_long() -> None:
    chain = [(97, 98), *((256 + i, 98) for i in range(9_000))]
    grove = tk.HomeEncoding(chain, learned=True)
    why = explain_cut(grove, "ca" + "b" * 9_001, 1)
    assert why.kind == "too_long" and why.is_cut and "grew in so many steps" in cut_in_words(why)
    assert explain_cut(grove, "cabb", 1).kind == "not_in_vocabulary"


def test_merges_one_inside_the_other_are_not_looked_at_for_hours() -> None:
    deep = [(97, 97), *((97, 256 + i) for i in range(20_000))]  # each grows at its left end
    wide = [(20_256, byte) for byte in range(98, 98 + 50)] * 50  # and each of these looks down at all of that
    with pytest.raises(ValueError, match="built one inside the other"):
        tk.HomeEncoding(deep + wide)
    assert len(tk.HomeEncoding(deep[:5000], learned=True).merges) == 5000


def test_a_special_token_may_not_be_a_later_token_either() -> None:
    with keeping(259):
        grove = tk.HomeEncoding([(97, 98), (256, 99)])
        assert not grove.spells_out and grove.token_bytes(257) == b"abc"
        with pytest.raises(ValueError, match="'abc' is also ordinary token 257"):
            tk.HomeEncoding([(97, 98), (256, 99)], None, ["abc"])
        with pytest.raises(ValueError, match="'abc' is also an ordinary token"):
            tk.train("abc abc", 300, None, ["abc"])


def test_a_mapping_of_ranks_does_not_trust_a_hash() -> None:
    store = TokenStore([(97, 98), (256, 99)])
    ranks = StoredRanks({b"a": 97}, store, [256, 257])
    same_hash = (int.from_bytes(b"abc", "big") + 2**61 - 1).to_bytes(8, "big")
    assert hash_of(same_hash) == hash_of(b"abc")
    assert ranks.get(same_hash) is None and ranks[b"abc"] == 257 and ranks.get(b"abd") is None
    assert list(ranks) == [b"a", b"ab", b"abc"] and len(ranks) == 3


# Trainings that grow one token byte by byte


TRAININGS = """
import json, random, sys
import tokenizers as tk
from benchmarks.peers import peak_memory
from tokenizers.data.corpus import read_bundled

def tell(**facts):
    print(json.dumps({**facts, "peak": peak_memory()}))

text = "".join(read_bundled("docs").texts)[:20_000]
grove = tk.train(text, 8192, pattern=None, ties="first")
ids = grove.encode(text)
tell(merges=len(grove.merges), stopped=grove.stopped, ids=len(ids), same=grove.decode(ids) == text)
if "kernels" in sys.argv:
    n_letters, n_merges = map(int, sys.argv[-2:])
    word = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz", k=n_letters))
    grove = tk.train(word, 256 + n_merges, pattern=None, ties="first")
    same, total = grove.decode(grove.encode(word)) == word, int(grove.byte_lengths.sum(dtype="int64"))
    tell(merges=len(grove.merges), stopped=grove.stopped, same=same, total=total)
    del word, grove
    grove = tk.train("a" * 17_000_000, 8192, pattern=None, ties="first")
    tell(stopped=grove.stopped, longest=int(grove.byte_lengths.max()), merges=grove.merges)
"""

LETTERS, MERGES, PEAK = (1_000_000, 99_744, 1_500) if ALL else (300_000, 40_000, 700)
"""Letters of a random word, merges to learn from it, and MB that this may take."""


@pytest.fixture(scope="module")
def trainings() -> list[dict[str, Any]]:
    """Three of them in a process of their own, one after the other; ``peak`` is its memory by then, in MB.

    Without the kernels, the slower trainer would take a minute for all but the first.
    """
    kernels_too = ["kernels", str(LETTERS), str(MERGES)] if kernels.ready() else []
    done = subprocess.run(
        [sys.executable, "-c", TRAININGS, *kernels_too], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_prose_without_walls_is_learned_to_its_end(trainings: list[dict[str, Any]]) -> None:
    """Ties of pairs that occur once grow the first token, bit by bit, to the whole text."""
    result = trainings[0]
    assert result["stopped"].startswith(
        f"Stopped after {result['merges']:,} of 7,936 merges: no pair is left"
    )
    assert result["merges"] > 5_000 and result["ids"] == 1 and result["same"]
    assert result["peak"] < 600


@pytest.mark.usefixtures("compiled")
@pytest.mark.slow
def test_a_random_word_of_very_many_letters_takes_little_memory(trainings: list[dict[str, Any]]) -> None:
    result = trainings[1]
    assert result["merges"] == MERGES and result["stopped"] is None and result["same"]
    assert result["total"] > 1.2e6 * PEAK  # what the tokens would take, spelled out
    assert result["peak"] < PEAK


@pytest.mark.usefixtures("compiled")
@pytest.mark.slow
def test_seventeen_million_equal_letters_are_learned(trainings: list[dict[str, Any]]) -> None:
    result = trainings[2]
    assert "no pair is left" in result["stopped"] and result["longest"] == 17_000_000
    assert result["merges"][:3] == [[97, 97], [256, 256], [257, 257]]
    assert result["peak"] < 1_500


def test_a_training_that_would_make_an_endless_token_keeps_what_it_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tokenizers.bpe.training.MAX_TOKEN_LENGTH", 20)
    grove = tk.train("a" * 100, 300, None)
    assert grove.merges == [(97, 97), (256, 256), (257, 257), (258, 258)]
    assert grove.stopped is not None and grove.stopped.startswith(
        "Stopped after 4 of 44 merges: the next token"
    )


def test_progress_spells_a_token_out_when_asked() -> None:
    reports: list[Progress] = []
    grove = tk.train("the cat sat on the mat", 280, on_progress=reports.append)
    assert [report.token for report in reports] == [*map(grove.token_bytes, range(256, 256 + len(reports)))]
    assert list(itertools.islice(map(repr, reports), 1))[0].startswith("Progress(done=1, ")
