"""Vocabularies that others published: their ids, what they do to a text first, and their smaller selves."""

from __future__ import annotations

import pytest

import tokenizers as tk
from tests.judge import byte_pairs
from tests.texts import known_texts
from tokenizers.bpe.byte_pairs import engine_from_ranks


def test_special_tokens_of_tekken_come_first() -> None:
    enc = byte_pairs("tekken")
    assert enc.encode("[INST]a[/INST]", allowed_special="all") == [3, 1097, 4]
    assert (enc.n_vocab, len(enc.special_tokens), enc.first_id) == (131_072, 1_000, 1_000)
    assert (enc.rank(1_256), enc.rank(1_097), enc.rank(3)) == (256, None, None)
    assert enc.decode([3, 1097]) == "[INST]a"


def test_ranks_of_tekken_are_said_as_ranks_and_ids_as_ids() -> None:
    enc = byte_pairs("tekken")
    tree = tk.merge_tree(enc, enc.encode(" the")[0])
    assert tree.token_id == 1_278 and tree.rank == 278
    (merge,) = tk.trace(enc, "th")
    assert merge.rank + 1_000 == merge.new_id == enc.token_id(b"th")
    assert "(rank 518)" in str(enc.reason(tk.encode_spans(enc, "tokenization"), 5))


@pytest.mark.slow
@pytest.mark.parametrize("size", [256, 300, 5_000, 130_071])
def test_a_prefix_of_tekken_is_a_smaller_tokenizer(size: int) -> None:
    enc = byte_pairs("tekken")
    fewer = {
        token: token_id for token, token_id in enc.mergeable_ranks.items() if enc.first_id + size > token_id
    }
    engine = engine_from_ranks("fewer", fewer, {}, enc.engine_pattern)
    for text in known_texts().values():
        clean = tk.well_formed(text)
        ids = engine.encode_ordinary(clean)
        assert tk.cut_at_size(enc, clean, size).ids.tolist() == ids
        assert tk.counts_by_size(enc, clean).at(size) == len(ids)
