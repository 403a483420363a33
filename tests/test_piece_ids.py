"""The compiled encoder gives the ids of tiktoken's engine, of each encoding whose pattern has a scanner."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.judge import byte_pairs
from tests.limits import processor_seconds
from tests.test_kernels import ADVERSARIAL
from tests.texts import any_text
from tests.trained import BYTES
from tokenizers.bpe.byte_pairs import BytePairEncoding
from tokenizers.bpe.home import HomeEncoding
from tokenizers.families.rewriting import RewritingEncoding
from tokenizers.kernels import piece_ids, scanning
from tokenizers.split.patterns import GPT2
from tokenizers.utf8 import well_formed

pytestmark = pytest.mark.usefixtures("compiled")

# One encoding of each pattern; whisper has gpt2's, which cuts by other tables of Unicode than grove's.
NAMES = "gpt2 cl100k_base o200k_base whisper tekken qwen qwen3.5 grove-udhr-8k".split()
names = st.sampled_from(NAMES)


def cutting(name: str) -> BytePairEncoding:
    """The encoding; of one that rewrites a text first, the one that cuts what is written then."""
    encoding = byte_pairs(name)
    return encoding._plain if isinstance(encoding, RewritingEncoding) else encoding


def assert_same(encoding: BytePairEncoding, text: str) -> None:
    text, scanner = well_formed(text), encoding._scanner
    assert scanner is not None
    want = encoding._encode_with_engine(text, set()).tolist()
    assert encoding._encode_compiled(text, scanner).tolist() == want  # merged, if a piece is new
    assert encoding._encode_compiled(text, scanner).tolist() == want  # looked up


@pytest.mark.slow
@examples(400)
@given(st.one_of(any_text, st.text(ADVERSARIAL, max_size=20), st.text("etaoin ", max_size=60)), names)
def test_ids_are_the_engines(text: str, name: str) -> None:
    assert_same(cutting(name), text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "\n", "é", "=", "ab", " \n"])
def test_runs_of_a_million(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    encoding = byte_pairs("o200k_base")
    assert encoding._scanner is not None
    with processor_seconds(4):
        ids = encoding._encode_compiled(text, encoding._scanner)
    assert encoding.decode_array(ids).decode() == text
    beginning = encoding._encode_with_engine(unit * 10_000, set())
    half = len(beginning) // 2
    assert np.array_equal(ids[:half], beginning[:half])


@examples(200)
@given(st.lists(st.text("abc", min_size=2, max_size=4), unique=True), st.text("abc ", max_size=40))
def test_tokens_in_any_order_of_ranks(tokens: list[str], text: str) -> None:
    ranks = BYTES | {token.encode(): rank for rank, token in enumerate(tokens, 256)}
    engine = tiktoken.Encoding("", pat_str=GPT2, mergeable_ranks=ranks, special_tokens={})
    encoder = piece_ids.PieceEncoder(ranks, 0, scanning.character_classes())
    assert encoder.encode(text).tolist() == engine.encode_ordinary(text)


@examples(40)
@given(st.lists(st.text("abcde", min_size=1, max_size=9), min_size=20, max_size=200))
def test_a_full_table_forgets(words: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piece_ids, "ROOM", 8)
        assert_same(HomeEncoding([(97, 98), (256, 99)], "gpt4"), " ".join(words))


def test_ids_with_gaps_and_a_token_of_no_bytes() -> None:
    ranks = {bytes([byte]): 3 * byte + 7 for byte in range(256)} | {b"": 900, b"ab": 1000, b"abab": 2000}
    encoder = piece_ids.PieceEncoder(ranks, 0, scanning.character_classes())
    assert encoder.encode("ab\0abab").tolist() == [1000, 7, 2000]


def test_threads_share_an_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizers.bpe.byte_pairs.WORTH_A_TABLE", 0)  # each thread makes a table at once
    encoding = byte_pairs("gpt2")
    texts = [" ".join(random.Random(seed).choices(ADVERSARIAL, k=10_000)) for seed in range(8)]
    want = [encoding._encode_with_engine(text, set()) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert all(map(np.array_equal, pool.map(encoding.encode_array, texts), want))
