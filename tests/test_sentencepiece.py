"""SentencePiece's families, mistral-v1 and j2: where tokens stand, what is lost, why each cut is there."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.refusals import refused
from tokenizers.families.lattice import Lattice
from tokenizers.families.sentencepieces import SentencePieces, load_processor
from tokenizers.text import encode_spans


def sentencepieces(name: str) -> SentencePieces:
    enc = tk.get_encoding(name)
    assert isinstance(enc, SentencePieces)
    return enc


# The lattice


def all_paths(lattice: Lattice, at: int = 0) -> Iterator[tuple[Any, ...]]:
    if at == len(lattice.data):
        yield ()
    for piece in lattice.pieces:
        if piece.start == at:
            for rest in all_paths(lattice, piece.end):
                yield (piece, *rest)


letters: Mapping[bytes, float] = {
    word.encode(): -float(number % 7) - 1
    for number, word in enumerate("a b ab ba aab bab é aé éb abab".split(), start=3)
}


@examples(100)
@given(st.text("abéx", max_size=7))
def test_the_best_paths_are_the_best_of_all(text: str) -> None:
    lattice = Lattice(text, letters.get, 5, -20.0)
    paths = sorted((math.fsum(piece.score for piece in path) for path in all_paths(lattice)), reverse=True)
    assert lattice.count_paths() == len(paths)
    assert bool(lattice.count_paths(lambda piece: not piece.is_unknown)) == ("x" not in text)
    assert [path.score for path in lattice.best(5)] == pytest.approx(paths[:5])
    assert lattice.log_total == pytest.approx(math.log(math.fsum(map(math.exp, paths))))
    for at in lattice.edges[1:-1]:
        for best, cut in ((lattice.without_cut(at), False), (lattice.with_cut(at), True)):
            scores = [
                math.fsum(piece.score for piece in path)
                for path in all_paths(lattice)
                if (at in {piece.end for piece in path}) == cut
            ]
            assert (best.score if best else None) == (pytest.approx(max(scores)) if scores else None)
    with refused("a lattice is drawn of up to"):
        Lattice("a" * 1001, letters.get, 5, -20.0)


def test_reason_of_a_long_text_is_by_its_surroundings() -> None:
    spans = encode_spans(tk.get_encoding("j2"), "unbelievable things " * 200)
    assert (
        spans.reason(12) == "No piece of j2 reaches over this place, between “·unbelievable” and “·things”."
    )


@pytest.mark.slow
def test_reason_of_a_piece_of_score_zero_has_no_sign() -> None:
    spans = encode_spans(tk.get_encoding("gemma-4"), "\u00e9")
    assert spans.reason(1) == "No cut: “\u00e9” is one piece, of score 0."


# Without the library, and with a damaged model


def test_without_the_library_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(OSError, match="needs the library sentencepiece, which is not installed: pip install"):
        load_processor(None)


# The merges behind mistral's pieces


def test_the_biography_of_a_piece() -> None:
    enc = tk.get_encoding("mistral-v1")
    token_id = enc.token_id(b" the")
    assert token_id is not None and enc.joining is not None
    life = tk.vocabulary_of(enc).biography(token_id)
    assert [enc.token_bytes(part) for part in life.parents] == [b" t", b"he"]
    assert enc.token_id(b" their") in life.children and life.encodes_to_itself
    tree = tk.merge_tree(enc, token_id, 5)
    assert tree.end == 9 and {node.start for node in tree.iter_nodes()} == {5, 6, 7, 8}
    with refused("a forest is grown of up to"):
        enc.joining.grow("a" * 20_000)
