"""SentencePiece's .model files of every kind and with every option, judged by its own library."""

from __future__ import annotations

import functools
import io
import math
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.gguf_cases import BYTES
from tests.model_files import write_model
from tests.promises import check
from tests.refusals import refused
from tests.texts import known_texts
from tokenizers.description import steps_in_words, why_no_trees
from tokenizers.families.lattice import lattice_of
from tokenizers.families.sentencepieces import (
    BPE,
    BYTE,
    CHAR,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WORD,
    SentencePieces,
    UnigramEncoding,
)
from tokenizers.files.sentencepiece import from_bytes, parse_model, recognises
from tokenizers.placement import Loss
from tokenizers.utf8 import well_formed

RULES = "41\t61\n20AC\t45 55 52\n65 301\te9 20 20 e9\n200B\t\n61 62\t20\n"
"""A normaliser of one's own: A to a, € to EUR, two characters to four, one to nothing, and ab to a space."""


@functools.cache
def trained(kind: str) -> bytes:
    """A small model that SentencePiece trained: a BPE with these rules, or a unigram."""
    options: dict[str, Any] = {"vocab_size": 600, "model_type": kind}
    if kind == "bpe":
        rules = Path(tempfile.mkdtemp()) / "rules.tsv"
        rules.write_text(RULES)
        options |= {"vocab_size": 1500, "byte_fallback": True, "remove_extra_whitespaces": False}
        options["normalization_rule_tsv"] = str(rules)
    texts = map(well_formed, known_texts().values())
    lines = [line.replace("\0", "") for text in texts for line in text.split("\n")]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in lines if line.strip()] * 3),
        model_writer=file,
        hard_vocab_limit=False,
        character_coverage=0.98,
        minloglevel=2,
        num_threads=1,
        **options,
    )
    return file.getvalue()


def library(model: bytes) -> Any:
    """The library's own reader of a model."""
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def judge(enc: SentencePieces, processor: Any, text: str) -> None:
    """That ids, text and places are the library's, and what every encoding promises."""
    clean = well_formed(text)
    ids = enc.encode(text)
    assert ids == processor.encode(clean)
    for front in ([], [max(processor.bos_id(), 0)]):  # its <s>, or its first token
        assert enc.decode([*front, *ids]) == processor.decode([*front, *ids])
    check(enc, text)


# Models made by hand, which say what no training makes


ENDS = [first + byte for first in (1, 2, 3) for byte in "é日😀▁".encode() + b"\xff\xed\xa0\xc0"]
"""Ids of bytes, which are parts of characters, where a model has them after its first tokens."""


@st.composite
def models(draw: st.DrawFn) -> tuple[bytes, str]:
    """A small model of any kind and with any settings, and the characters that it is about."""
    alphabet = draw(st.sampled_from(["ab▁", "abc▁", "ab ▁é", "a▁"]))
    byte_fallback = draw(st.booleans())
    names = ["<unk>", *draw(st.sampled_from([[], ["<s>"], ["<s>", "</s>"], ["x"]]))]
    kinds = [UNKNOWN] + [CONTROL] * (len(names) - 1)
    if byte_fallback:
        names += BYTES
        kinds += [BYTE] * 256
    pieces = draw(st.lists(st.text(alphabet, min_size=1, max_size=5), max_size=15)) + list(alphabet)
    pieces = [piece for piece in dict.fromkeys(pieces) if len(piece) > 1 or draw(st.integers(0, 9))]
    names += pieces
    kinds += [draw(st.sampled_from([NORMAL] * 8 + [UNUSED, USER_DEFINED])) for _ in pieces]
    scores = [round(draw(st.floats(-9, 0)), draw(st.integers(0, 2))) for _ in names]
    rules = draw(st.sampled_from(["", "", "bpe", "unigram"]))
    model = write_model(
        names,
        scores,
        kinds,
        kind=draw(st.sampled_from([BPE, UNIGRAM, CHAR, WORD])),
        byte_fallback=byte_fallback,
        charsmap=parse_model(trained(rules)).normalizer_spec.precompiled_charsmap if rules else b"",
        adds_space=draw(st.booleans()),
        removes_spaces=draw(st.booleans()),
    )
    model = changed(model, "trainer_spec", treat_whitespace_as_suffix=draw(st.integers(0, 4)) == 0)
    return changed(model, "normalizer_spec", escape_whitespaces=draw(st.integers(0, 5)) > 0), alphabet


@pytest.mark.slow
@examples(400)
@given(models(), st.data())
def test_models_made_by_hand_are_cut_as_their_library_cuts(made: tuple[bytes, str], data: Any) -> None:
    model, alphabet = made
    try:
        enc = from_bytes(model, "made")
    except ValueError as problem:
        assert str(problem).endswith(("occur in text.", "no pieces are loaded."))
        return
    ids = data.draw(st.lists(st.integers(0, enc.n_vocab - 1) | st.sampled_from(ENDS), max_size=9))
    ids = [token_id % enc.n_vocab for token_id in ids]
    assert enc.decode(ids) == library(model).decode(ids)
    text = "".join(data.draw(st.lists(st.sampled_from([*alphabet, *" x½A€\n", "  ", "ab"]), max_size=9)))
    judge(enc, library(model), text)
    if isinstance(enc, UnigramEncoding):
        assert enc.lattice(text).best(3) or not enc.encode(text)


def small(*pieces: tuple[str, int], kind: int = BPE, **more: Any) -> bytes:
    """A model of <unk> and these pieces and kinds, each of a worse score than the one before."""
    names = ["<unk>", *(name for name, _ in pieces)]
    kinds = [UNKNOWN, *(kind for _, kind in pieces)]
    return write_model(names, [-float(at) for at in range(len(names))], kinds, kind=kind, **more)


def changed(model: bytes, spec: str, **fields: Any) -> bytes:
    """The model with other values of a part of it, such as normalizer_spec."""
    changed = parse_model(model)
    for field, value in fields.items():
        setattr(getattr(changed, spec), field, value)
    return bytes(changed.SerializeToString())


LETTERS = [(letter, NORMAL) for letter in "▁abc"]
WHOLE = [(byte, BYTE) for byte in BYTES]


def test_an_unknown_piece_that_is_decoded_to_nothing() -> None:
    model = changed(small(*LETTERS, removes_spaces=True), "trainer_spec", unk_surface="")
    for text in ("x a", "a x b", "x", "xy  b"):
        judge(from_bytes(model, "small"), library(model), text)


def test_a_user_defined_symbol_is_taken_whole() -> None:
    enc = from_bytes(small(*LETTERS, ("ab", NORMAL), ("bc", USER_DEFINED), ("abc", NORMAL)), "small")
    assert enc.encode("abc ab") == [1, 2, 6, 1, 5]
    said = "“bc” is a user-defined symbol, which is taken whole before anything else."
    assert [tk.encode_spans(enc, "abc").reason(at) for at in (1, 2)] == [said, f"No cut: {said}"]
    assert enc.joining is not None and enc.joining.rank(7) is None  # no merge makes what holds one
    assert [merge.rank for merge in enc.joining.grow("abc ab").merges] == [0]
    lattice = lattice_of(from_bytes(small(*LETTERS, ("bc", USER_DEFINED), kind=UNIGRAM), "small"), "abc")
    assert lattice is not None and lattice.texts(lattice.best(1)[0].pieces) == [b" ", b"a", b"bc"]


def test_a_space_without_a_piece_is_bytes_where_it_was_typed() -> None:
    enc = from_bytes(small(*WHOLE, *LETTERS[1:], ("▁a", NORMAL), byte_fallback=True), "small")
    placed = enc.place("a b")
    assert placed.starts.tolist() == [0, 1, 1, 1, 2] and placed.ends.tolist() == [1, 2, 2, 2, 3]
    assert tk.encode_spans(enc, "a b").losses == [Loss(1, 2, "▁")]
    assert enc.joining is None and "it has no piece ▁ for a space" in why_no_trees(enc)
    assert steps_in_words(enc)[-1] == ("Merge trees", "not drawn: it has no piece ▁ for a space")


def test_counts_by_size_are_those_of_smaller_models() -> None:
    pieces = [*LETTERS, *((piece, NORMAL) for piece in ("ab", "▁ab", "abc", "▁abc"))]
    curve = tk.counts_by_size(from_bytes(small(*WHOLE, *pieces, byte_fallback=True), "whole"), "abc ab abx")
    assert (curve.smallest, curve.full) == (260, 264)
    for size in range(curve.smallest, curve.full + 1):
        fewer = small(*WHOLE, *pieces[: size - 256], byte_fallback=True)
        assert curve.at(size) == len(library(fewer).encode("abc ab abx")), size


def test_no_curve_where_a_part_is_worse_than_the_whole() -> None:
    names = ["<unk>", "▁", "a", "b", "ab", "aba"]
    scores = [0, 0, 0, 0, -2, -1]
    enc = from_bytes(write_model(names, scores, [UNKNOWN, *[NORMAL] * 5], kind=BPE), "odd")
    assert enc.encode("aba") == [1, 5]
    with refused("'aba' has a better score than a part .* there is no curve"):
        tk.counts_by_size(enc, "aba")


STEPS = """
Normaliser: no character is changed; white space is trimmed, and several spaces become one; \
a space is put in front; spaces become ▁
Pre-tokeniser: none; no piece reaches from one word into the next
Model: SentencePiece BPE, 7 pieces, merged by score; what is unknown becomes <unk>; \
1 user-defined symbol, taken whole first
Special tokens: <s> 5
"""


def test_what_it_does_is_said_step_by_step() -> None:
    enc = from_bytes(small(*LETTERS, ("<s>", CONTROL), ("bc", USER_DEFINED), removes_spaces=True), "small")
    assert "\n".join(map(": ".join, steps_in_words(enc))) == STEPS.strip()


@pytest.mark.slow
def test_what_ai21_does_around_the_model_is_said() -> None:
    steps = dict(steps_in_words(tk.get_encoding("j2")))
    assert steps["Normaliser"] == "NFKC and more (nmt_nfkc); spaces become ▁"
    assert steps["Lines"].startswith("each is cut on its own")


def test_what_is_added_is_offered_where_publishers_agree() -> None:
    as_llama = from_bytes(
        small(("<s>", CONTROL), ("</s>", CONTROL), *WHOLE, *LETTERS, byte_fallback=True), "x"
    )
    assert as_llama.frame == ((1,), ())
    assert as_llama.chat_templates.names == {"bos_token": "<s>", "eos_token": "</s>"}
    names = ["<pad>", "</s>", "<unk>", "a"]
    as_t5 = write_model(names, [0, 0, 0, -1], [CONTROL, CONTROL, UNKNOWN, NORMAL], kind=UNIGRAM)
    assert from_bytes(as_t5, "x").frame == ((), (1,))
    assert from_bytes(small(("<s>", CONTROL), *LETTERS), "x").frame == ((), ())


# Files that mean harm


@pytest.mark.parametrize(
    "model, sentence",
    {
        b"": "It has no pieces",
        small(*LETTERS)[:-3]: "the file was cut off, or is of another kind",
        small(("a", NORMAL), ("a", NORMAL)): "a is already defined",
        write_model(["<unk>", "a"], [0, math.nan], [UNKNOWN, NORMAL], kind=BPE): "a score that is no",
        small(("<s>", CONTROL)): "It has no pieces that occur in text",
        small(*LETTERS, charsmap=b"\0\4\0\0" + b"x" * 2000): "normalized block must be null terminated",
        changed(
            small(*LETTERS), "denormalizer_spec", precompiled_charsmap=b"x"
        ): "rewrites text when it decodes",
    }.items(),
)
def test_a_damaged_file_is_refused_in_a_sentence(model: bytes, sentence: str) -> None:
    with refused(sentence):
        from_bytes(model, "x")


@pytest.mark.slow
@examples(12)
@given(st.randoms(use_true_random=False), st.sampled_from(["bpe", "unigram"]))
def test_no_change_of_a_file_does_more_than_be_refused(dice: random.Random, name: str) -> None:
    """A table that led outside of itself would end this process."""
    model = bytearray(trained(name))
    for _ in range(dice.randrange(1, 6)):
        where = dice.randrange(len(model) if dice.random() < 0.5 else min(len(model), 20_000))
        model[where] = dice.randrange(256)
    try:
        enc = tk.load(bytes(model), is_trusted=False)
    except ValueError as problem:
        assert str(problem).endswith(".")
        return
    for text in ("½ a ﬁ①\0 ﷺ㌔ é €A ab\u200b", "日本 the " * 9):
        enc.encode(text)


def test_recognises_a_model_whose_first_piece_is_long() -> None:
    assert recognises(write_model(["a" * 200], [0], [NORMAL], kind=BPE)[:8])


def test_lattice_lets_an_unknown_character_through_at_ten_less_than_the_worst_piece() -> None:
    model = write_model(["<unk>", "▁", "a"], [0, -2, -3], [UNKNOWN, NORMAL, NORMAL], kind=UNIGRAM)
    lattice = lattice_of(from_bytes(model, "x"), "☃")
    assert lattice is not None
    (best,) = lattice.best(1)
    assert best.score == -2 + -3 - 10
