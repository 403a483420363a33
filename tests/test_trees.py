"""Merge trees and traces: the plain rule judges the order, tiktoken judges the tokens.

``make fuzz`` also tries most of the comparisons with tiktoken's own merging.
"""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import byte_pair_names, byte_pairs
from tests.limits import processor_seconds
from tests.test_explain import check_explained, plain_merges
from tests.texts import any_text
from tests.trained import any_merges, from_ranks
from tokenizers.bpe.byte_pairs import BytePairEncoding
from tokenizers.bpe.plain import Pair
from tokenizers.bpe.results import Merge, Node
from tokenizers.bpe.trees import forest, merge_tree, parts_of, trace, unreached_by_merges
from tokenizers.utf8 import well_formed


def plain_trace(enc: BytePairEncoding, text: str) -> list[tuple[int, ...]]:
    """Each merge as (rank, start, middle, end)."""
    walls = [*itertools.accumulate(len(piece.encode()) for piece in enc.pieces(text))]
    merges = plain_merges(enc.ordinary, text.encode(), walls)
    return [(token_id - enc.merging.first_id, *edges) for _, (token_id, *edges) in merges]


def leaves(tree: Node) -> list[Node]:
    return [node for node in tree.iter_nodes() if not node.children]


def as_tuples(merges: list[Merge]) -> list[tuple[int, ...]]:
    return [(merge.rank, *merge.edges) for merge in merges]


def check_tree(enc: BytePairEncoding, tree: Node, data: bytes) -> None:
    assert b"".join(leaf.token_bytes for leaf in leaves(tree)) == data[tree.start : tree.end]
    for node in tree.iter_nodes():
        assert node.token_bytes == data[node.start : node.end] == enc.token_bytes(node.token_id)
        if node.children:
            assert node.rank == enc.rank(node.token_id) == node.token_id - enc.merging.first_id
            edges = [child.start for child in node.children] + [node.end]
            assert edges == [node.start] + [child.end for child in node.children]
            assert parts_of(enc, node.token_id) == tuple(child.token_id for child in node.children)
        else:
            assert node.rank is None and len(node.token_bytes) == 1


def check(enc: BytePairEncoding, text: str, allowed_special: str | tuple[str, ...] = ()) -> None:
    """Its trees, its trace, and why each place of its beginning is a cut or none."""
    check_explained(enc, text[:60], allowed_special)
    text = well_formed(text)
    data = text.encode()
    ids = enc.encode(text, allowed_special=allowed_special)
    trees = forest(enc, text, allowed_special=allowed_special)
    assert [tree.token_id for tree in trees] == ids
    assert b"".join(leaf.token_bytes for tree in trees for leaf in leaves(tree)) == data
    for tree in trees:
        if not enc.is_special(tree.token_id):
            check_tree(enc, tree, data)
    # Every inner node is one step, and every step makes what it says of what is there.
    merges = trace(enc, text, allowed_special=allowed_special)
    assert [merge.step for merge in merges] == list(range(1, len(merges) + 1))
    inner = [node for tree in trees for node in tree.iter_nodes() if node.children]
    assert sorted((merge.new_id, merge.parts, merge.edges) for merge in merges) == sorted(
        (node.token_id, parts_of(enc, node.token_id), (*(child.start for child in node.children), node.end))
        for node in inner
    )


@pytest.mark.slow
@examples(150)
@given(any_text, st.sampled_from(byte_pair_names()), st.sampled_from([(), "all"]))
@example("tokenization of HTMLParser's\n\n  code(12345);//\n", "o200k_base", ())
@example("<|endoftext|><|endoftext|> the <|endoftext|>", "gpt2", "all")
@example("None", "gpt2", ())
def test_any_text(text: str, name: str, allowed: str | tuple[str, ...]) -> None:
    check(byte_pairs(name), text, allowed)


@examples(200)
@given(any_merges(), st.text("ab", max_size=30))
@example([(97, 98), (98, 99), (97, 257)], "abcab")
def test_any_merges(merges: list[Pair], text: str) -> None:
    grove = tk.HomeEncoding(merges)
    assert as_tuples(trace(grove, text)) == plain_trace(grove, text)
    check(grove, text)
    for token_id in range(256, grove.n_vocab):
        data = grove.token_bytes(token_id)
        if len(data) < 100:
            check_tree(grove, merge_tree(grove, token_id), data)


# Ranks in any order: tokens that merges do not reach, and ranks that fall along a trace.


@pytest.mark.slow
@examples(400)
@given(
    st.lists(st.text("abc", min_size=2, max_size=6).map(str.encode), unique=True, max_size=25),
    st.text("abc ", max_size=40),
    st.sampled_from([None, r"\w+|\s"]),
)
@example([b"abcd"], "abcd abcde", r"\w+|\s")
@example([b"abc", b"ab", b"bc", b"cab", b"ca"], "abcabcab", None)
def test_any_ranks(tokens: list[bytes], text: str, pattern: str | None) -> None:
    enc = from_ranks(tokens, pattern)
    check(enc, text)
    check(enc, text + "<|x|>" + text, "all")
    looked_up = [merge for merge in trace(enc, text) if merge.is_lookup]
    if not looked_up:
        assert as_tuples(trace(enc, text)) == plain_trace(enc, text)
    unreached = unreached_by_merges(enc)
    spans = set(itertools.pairwise([0, *itertools.accumulate(len(p) for p in enc.pieces(text))]))
    for merge in looked_up:  # only a whole piece is looked up
        assert merge.new_id in unreached and (merge.start, merge.end) in spans
        assert merge.parts == unreached[merge.new_id] and len(merge.parts) > 2
    for token_id in range(256, 256 + len(tokens)):
        alone = enc._engine.built._core_bpe.encode_single_piece(tokens[token_id - 256] + b"|")
        assert tuple(alone[:-1]) == unreached.get(token_id, (token_id,))


def test_a_token_of_three_parts_is_looked_up() -> None:
    enc = from_ranks([b"ab", b"abcd"], None)
    merge, lookup = trace(enc, "abcd")
    assert not merge.is_lookup and lookup.is_lookup and lookup.parts == (256, 99, 100)


# Every token of every vocabulary


@pytest.mark.slow
def test_deep_trees_and_long_pieces() -> None:
    # A chain: each merge adds one letter, 3,000 deep.
    grove = tk.HomeEncoding([(97, 97), *((256 + i, 97) for i in range(3000))])
    tree = merge_tree(grove, grove.n_vocab - 1)
    assert tree.height() == 3001 and len(leaves(tree)) == 3002
    assert len(trace(grove, "a" * 9000)) == 9000 - len(grove.encode("a" * 9000))
    # One long piece.
    text = "".join(random.Random(7).choices("etaoin", k=40_000))
    enc = byte_pairs("cl100k_base")
    with processor_seconds(5):
        assert len(trace(enc, text)) == len(text) - len(enc.encode(text))
