"""A text at every vocabulary size, held against encodings that are really that small.

``make fuzz`` also tries two of the three sizes that a text is cut to, and encodings with the same ranks.
"""

from __future__ import annotations

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.judge import byte_pairs, ids_at_size
from tests.refusals import refused
from tests.trained import BYTES
from tokenizers.bpe import cuts_by_size
from tokenizers.bpe.byte_pairs import BytePairEncoding, Engine
from tokenizers.bpe.curve import counts_by_size, size_range
from tokenizers.files.ranks import of_ranks
from tokenizers.split.patterns import find_pattern
from tokenizers.utf8 import well_formed


def truncated(engine: tiktoken.Encoding, vocab_size: int) -> tiktoken.Encoding:
    """tiktoken itself, built from the first ranks only."""
    ranks = {token: rank for token, rank in engine._mergeable_ranks.items() if rank < vocab_size}
    return Engine("small", ranks, {}, engine._pat_str).built


def check_sizes(encoding: BytePairEncoding, text: str, sizes: list[int], expected: list[list[int]]) -> None:
    """The curve, the cuts and the ids of a text are those of the encodings that are so small."""
    curve = tk.counts_by_size(encoding, text)
    gone = cuts_by_size(encoding, text)
    data = well_formed(text).encode()
    assert curve.n_bytes == len(data) and len(gone) == len(data) + 1
    assert curve.full == size_range(encoding)[1]
    assert np.all(np.diff(curve.sizes) > 0) and np.all(np.diff(curve.counts) < 0)
    for size, ids in zip(sizes, expected, strict=True):
        assert ids_at_size(encoding, text, size) == ids, size
        assert curve.at(size) == len(ids), size


def test_the_smallest_size_has_every_byte() -> None:
    tokens = [*(bytes([byte]) for byte in range(255)), b"ab", b"\xff"]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert size_range(of_ranks("late", b"", ranks, None, {})) == (257, 257)


def test_no_count_of_a_size_below_the_smallest() -> None:
    curve = tk.counts_by_size(byte_pairs("gpt2"), "the cat")
    for sizes in ([255], [256, -1]):
        with refused("There is no vocabulary of .* the smallest has 256"):
            curve.at_sizes(sizes)
    assert curve.at_sizes([]).tolist() == []


@example(
    tokens=["abc", "ab"], text="abc abc", pattern="gpt2", first_id=3
)  # looked up at size 257, as a whole piece alone
@given(
    tokens=st.lists(st.text("ab c", min_size=2, max_size=6), unique=True, max_size=25),
    text=st.text("ab c", max_size=40),
    pattern=st.sampled_from(["gpt2", "gpt4", "gpt4o"]),
    first_id=st.sampled_from([0, 3]),  # there may be special tokens before it
)
@pytest.mark.slow
def test_ranks_that_no_training_would_yield(
    tokens: list[str], text: str, pattern: str, first_id: int
) -> None:
    """Ranks fall in these, merges arrive nowhere, and pieces are looked up before they could be merged."""
    all_tokens = [*BYTES, *(token.encode() for token in tokens)]
    ids = {token: token_id for token_id, token in enumerate(all_tokens, start=first_id)}
    known = find_pattern(pattern)
    assert known is not None
    engine = Engine("odd", ids, {}, known)
    encoding = BytePairEncoding("odd", engine=engine, pattern=known, first_id=first_id)
    sizes = list(range(256, 257 + len(tokens)))
    assert size_range(encoding) == (sizes[0], sizes[-1])
    expected = [truncated(engine.built, first_id + size).encode_ordinary(text) for size in sizes]
    check_sizes(encoding, text, sizes, expected)


@pytest.mark.slow
def test_long_tokens_and_very_many_equal_bytes() -> None:
    doubling = tk.HomeEncoding([(97, 97), *((at, at) for at in range(256, 271))])  # up to 2 ** 16 bytes
    text = "a" * (1 << 18)
    curve = tk.counts_by_size(doubling, text)
    assert curve.counts.tolist() == [1 << (18 - k) for k in range(17)]
    chain = tk.HomeEncoding([(97, 98), *((at, 98) for at in range(256, 1255))])  # one byte longer each time
    assert cuts_by_size(chain, "a" + "b" * 1000).tolist() == [1257, *range(257, 1257), 1257]
    assert ids_at_size(chain, "abbb", 258) == chain.truncated(258).encode("abbb") == [257, 98]


def test_counts_by_size_of_a_token_that_no_merge_makes_beside_a_new_character() -> None:
    """The engines cut U+A7CE in other places, so it is not known that this token is a whole piece."""
    encoding, text = tk.get_encoding("glm-4.5"), " 参考\ua7ce"
    curve = counts_by_size(encoding, text)
    assert curve.at(curve.full) == len(encoding.encode(text))
    assert cuts_by_size(encoding, text).max() == curve.full + 1
