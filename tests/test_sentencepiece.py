"""SentencePiece's families, mistral-v1 and j2: where tokens stand, what is lost, why each cut is there."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples, some
from tests.texts import any_text, known_texts
from tokenizers.data.models import read_vocabulary
from tokenizers.families.jurassic import JurassicEncoding
from tokenizers.families.lattice import Lattice
from tokenizers.families.sentencepieces import SPACE, SentencePieces, load_processor
from tokenizers.measure import search_tokens
from tokenizers.placement import Loss
from tokenizers.text import encode_spans
from tokenizers.utf8 import well_formed

NAMES = ["mistral-v1", "j2"]

# Characters that NFKC changes, drops, or joins with what stands before them.
rewritten_text = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *"½①⑩ﬁＡ１２ｶﾞ▁\t\u00ad\u200b\u0000\u0301¨ ",
                "e\u0301",
                "\u1112\u1161\u11ab",
                "㌔",
                "ﷺ",
                "  ",
                "\n",
            ]
        ),
        st.sampled_from(["12", "345", "the", "<0x41>", "<|newline|>", "👩‍🚀", "日本"]),
    ),
    max_size=14,
).map("".join)


def sentencepieces(name: str) -> SentencePieces:
    enc = tk.get_encoding(name)
    assert isinstance(enc, SentencePieces)
    return enc


@functools.cache
def library(name: str) -> Any:
    """SentencePiece's own processor of the model, as its publisher ships it."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    processor.load_from_serialized_proto(read_vocabulary(f"{name}.model", name))
    return processor


def check_places(name: str, text: str) -> None:
    """Each token stands over its own bytes, or over the characters that became it, alone or with others."""
    enc = sentencepieces(name)
    spans = encode_spans(enc, text)
    normal = {SPACE: " ", "\t": " "} if name == "j2" else {SPACE: " "}
    shared = [*spans.shared.tolist(), 0]  # with the token before
    for index in range(len(spans)):
        token, under = enc.token_bytes(int(spans.ids[index])), spans.bytes_of(index)
        for char, became in normal.items():
            under = under.replace(char.encode(), became.encode())
        if under in (token, token[1:]):
            assert under == token or token[:1] == b" "
            continue
        assert name == "j2"
        normalised = library(name).normalize(under.decode()).replace(SPACE, " ").strip(" ")
        piece = token.decode().strip(" ")
        if shared[index] or shared[index + 1]:
            assert piece in normalised
        else:
            assert piece == normalised


@examples(200)
@given(st.one_of(any_text, rewritten_text), st.sampled_from(NAMES))
@example("a\u00ad", "j2")
@example("½½", "j2")
@example("\t\u0301", "j2")
def test_tokens_of_any_text_stand_where_they_came_from(text: str, name: str) -> None:
    check_places(name, text)


def test_place_of_a_space_in_front_and_of_several_tokens() -> None:
    for name in NAMES:
        placed = tk.get_encoding(name).place("½ a")
        assert (int(placed.starts[0]), int(placed.ends[0])) == (0, 0)
    spans = encode_spans(tk.get_encoding("j2"), "a ½")
    tokens = [spans.encoding.token_bytes(int(spans.ids[i])) for i in range(*spans.overlapping(2, 4))]
    assert tokens == [b"1", "⁄".encode(), b"2"]


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("mistral-v1", "a▁b ▁", [("▁", " "), ("▁", " ")]),
        ("mistral-v1", "  two  spaces\n\tkept ½\u200d", []),
        ("j2", " a\tb  c\n\n d ", [("\t", " ")]),
        ("j2", "ﬁnd Ａ ①! ½\u200d", [("ﬁ", "fi"), ("Ａ", "A"), ("①", "1"), ("½", "1⁄2"), ("\u200d", " ")]),
        ("j2", "a\u0001b e\u0301", [("\u0001", ""), ("e\u0301", "é")]),
    ],
)
def test_losses_are_said_place_by_place(name: str, text: str, lost: list[tuple[str, str]]) -> None:
    losses = encode_spans(tk.get_encoding(name), text).losses
    assert [(text.encode()[loss.start : loss.end].decode(), loss.became) for loss in losses] == lost


def test_what_is_dropped_at_the_end_is_a_gap() -> None:
    enc = tk.get_encoding("j2")
    spans = encode_spans(enc, "end\u0001")
    assert spans.ends.tolist() == [3] and list(spans.losses) == [Loss(3, 4, "")]
    assert spans.reason(4) == "The text ends here."
    assert "belongs to no token" in str(encode_spans(enc, "end\u0001\nx").reason(4))


@pytest.mark.parametrize(("name", "special"), [("mistral-v1", "</s>"), ("j2", "<|endoftext|>")])
def test_special_tokens_are_read_where_they_are_asked_for(name: str, special: str) -> None:
    enc = sentencepieces(name)
    text = f"½ one{special}two"
    allowed, token_id = enc.encode(text, allowed_special="all"), enc.special_tokens[special]
    assert token_id not in enc.encode(text)
    assert allowed == enc.encode("½ one") + [token_id] + enc.encode("two")
    spans = encode_spans(enc, text, allowed_special="all")
    index = spans.ids.tolist().index(token_id)
    assert spans.bytes_of(index).decode() == special
    end = int(spans.ends[index])
    assert spans.reason(end) == "Here is a special token, which is taken whole."
    assert enc.decode(allowed) == enc.decode_array(spans.ids).decode()
    assert Loss(end, end, " ") in list(spans.losses), (
        "The space before “two” comes back, though it was not there."
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "twins"), some([("mistral-v1", 125), ("j2", 256)]))
def test_tokens_that_do_not_encode_to_themselves(name: str, twins: int) -> None:
    """A token is judged as it would stand inside of a text. Bytes that a character stands for never arise."""
    enc = sentencepieces(name)
    vocabulary = tk.vocabulary_of(enc)
    assert len(vocabulary) == enc.n_vocab == len(search_tokens(vocabulary))
    same_bytes = [
        token_id
        for token_id, ids in vocabulary.unreachable.items()
        if [enc.token_bytes(each) for each in ids] == [enc.token_bytes(token_id)]
    ]
    assert 0 < len(same_bytes) <= twins
    a = enc.token_id(b"a")
    assert a is not None and a not in vocabulary.unreachable  # though "a" alone is "▁a"
    both = [i for i in search_tokens(vocabulary, "61", "bytes").tolist() if vocabulary.byte_lengths[i] == 1]
    assert a in both and len(both) == 2  # the character and its byte
    [byte] = [token_id for token_id in both if token_id != a]
    life = vocabulary.biography(byte)
    assert life.encodes_to == (a,) and life.encodes_to_itself is False
    assert vocabulary.biography(a).encodes_to_itself is True


# Numbers and spaces in j2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("1234567", " |1|234|567"),
        ("a      b", " a|    | | b"),
        ("a\t\tb", " a| | b"),
        ("\n\nx\n", "\n|\n| x|\n"),
        ("<|newline|>", " <|||newline|||>"),
    ],
)
def test_what_ai21_does_around_the_model(text: str, tokens: str) -> None:
    enc = tk.get_encoding("j2")
    spelt = "|".join(enc.token_bytes(token_id).decode() for token_id in enc.encode(text))
    assert spelt == tokens


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
    with pytest.raises(ValueError, match="a lattice is drawn of up to"):
        Lattice("a" * 1001, letters.get, 5, -20.0)


def test_the_best_path_is_the_one_that_the_engine_takes() -> None:
    enc = tk.get_encoding("j2")
    assert isinstance(enc, JurassicEncoding)
    for line in [line[:100] for text in known_texts().values() for line in text.split("\n")]:
        lattice = enc.lattice(line)
        pieces = [piece for path in lattice.best() for piece in path.pieces]
        if not any(piece.is_unknown for piece in pieces):
            engine = library("j2").encode(lattice.text, out_type=str)
            assert lattice.texts(pieces) == [piece.replace(SPACE, " ").encode() for piece in engine], line


def test_reasons_of_a_unigram() -> None:
    enc = tk.get_encoding("j2")
    spans = encode_spans(enc, "two  spaces 1234567 zyzzyva\nnew ½\u0001")
    reasons = " ".join(str(spans.reason(at)) for at in range(spans.text_map.n_bytes + 1))
    for part in (
        "of several spaces, all but the last are tokens",
        "numbers are cut in threes of digits, from the right",
        "A line ends here",
        "No piece of j2 reaches over this place",
        "Without a cut here, the best would be",
        "With a cut here, the best would be",
    ):
        assert part in reasons, part


def test_reasons_of_mistral() -> None:
    enc = tk.get_encoding("mistral-v1")
    spans = encode_spans(enc, "a\U0010ffff hello")
    assert "is here as its bytes" in str(spans.reason(1))
    assert "is here as its bytes" in str(spans.reason(3))


# Without the library, and with a damaged model


def test_without_the_library_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(OSError, match="needs the library sentencepiece, which is not installed: pip install"):
        load_processor(None)


# The merges behind mistral's pieces


@pytest.mark.slow
def test_merges_reach_every_piece_and_none_before_its_parts() -> None:
    enc = sentencepieces("mistral-v1")
    joining = enc.joining
    assert joining is not None
    for token_id in some(range(enc.n_vocab), 9):
        rank, parts = joining.rank(token_id), joining.parts(token_id)
        assert len(parts) == (0 if rank is None else 2)
        assert rank is None or all((joining.rank(part) or -1) <= rank for part in parts)


def test_the_biography_of_a_piece() -> None:
    enc = tk.get_encoding("mistral-v1")
    vocabulary = tk.vocabulary_of(enc)
    token_id = enc.token_id(b" the")
    assert token_id is not None
    life = vocabulary.biography(token_id)
    assert [enc.token_bytes(part) for part in life.parents] == [b" t", b"he"]
    assert enc.token_id(b" their") in life.children and life.encodes_to_itself
    tree = tk.merge_tree(enc, token_id, 5)
    assert (tree.start, tree.end, tree.children[0].token_bytes) == (5, 9, b" t")
    assert tk.get_encoding("j2").joining is None and not tk.get_encoding("j2").has_merges
    with pytest.raises(ValueError, match="a forest is grown of up to"):
        assert enc.joining is not None
        enc.joining.grow("a" * 20_000)


@functools.cache
def cut_to(n_pieces: int) -> Any:
    """SentencePiece's own processor of mistral's bytes and characters and best pieces: so many in all."""
    model = importlib.import_module("sentencepiece.sentencepiece_model_pb2").ModelProto()
    model.ParseFromString(read_vocabulary("mistral-v1.model", "mistral-v1"))
    merged = [piece for piece in model.pieces if piece.type == piece.NORMAL and len(piece.piece) > 1]
    merged.sort(key=lambda piece: -piece.score)
    n_base = len(model.pieces) - len(merged) - 3  # three are control pieces
    gone = {piece.piece for piece in merged[n_pieces - n_base :]}
    kept = [piece for piece in model.pieces if piece.piece not in gone]
    del model.pieces[:]
    model.pieces.extend(kept)
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    processor.load_from_serialized_proto(model.SerializeToString())
    return processor


@pytest.mark.slow
@examples(60)
@given(st.one_of(any_text, st.sampled_from([text[:300] for text in known_texts().values()])))
def test_the_curve_is_what_a_smaller_model_counts(text: str) -> None:
    curve = tk.counts_by_size(tk.get_encoding("mistral-v1"), text)
    assert curve.full == 32_000 - 3 and curve.at(curve.full) == len(
        tk.get_encoding("mistral-v1").encode(text)
    )
    for size in (curve.smallest, curve.smallest + 1, 5_000, 12_345, 31_000, curve.full):
        assert curve.at(size) == len(cut_to(size).encode(well_formed(text))), size
