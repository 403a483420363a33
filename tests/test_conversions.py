"""What is trained here, in files of another kind: their library gives the same ids, or there is a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.session.own_encodings import OwnEncoding
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from tests.examples import examples
from tests.refusals import refused
from tests.test_sentencepiece_files import library
from tests.texts import any_text, known_texts
from tests.trained import few_letters, report_of
from tests.visit import Visit
from tokenizers.encoding import Encoding
from tokenizers.families import learn_pieces
from tokenizers.families.huggingface_engine import huggingface_engine
from tokenizers.families.sentencepieces import BPE, NORMAL, UNKNOWN, UNUSED
from tokenizers.files import load, pieces_to_json, save, why_other_ids
from tokenizers.files.sentencepiece import from_bytes, make_model, to_bytes
from tokenizers.utf8 import well_formed

CORPUS = ["A rose is a rose. naïve café aaaa aab aaab 1234  two\n\nnew ▁ \t<0x41>", "नमस्ते 日本語 안녕 aa aaa"]


def special_free(text: str, enc: Encoding) -> bool:
    return not any(special in text for special in [*enc.special_tokens, "<unk>"])


# Byte-level BPE as a SentencePiece model


@examples(80)
@given(few_letters.filter(bool), st.integers(257, 320), st.lists(any_text, max_size=8))
def test_a_bpe_without_walls_has_its_ids_in_sentencepiece(corpus: str, size: int, texts: list[str]) -> None:
    trained = tk.train(corpus, size, None, special_tokens=["<|end|>"])
    try:
        reader = library(to_bytes(trained))
    except ValueError as problem:
        assert "end inside of one" in str(problem)
        return
    assert reader.piece_to_id("<|end|>") == trained.special_tokens["<|end|>"]
    read = [corpus, "a<|end|>", *texts]
    if size == 257:
        read += known_texts().values()
    for text in read:
        clean = well_formed(text)
        assert reader.encode(clean) == trained.encode(text), text
        assert reader.decode(trained.encode(text)) == clean


# SentencePiece's as a tokenizer.json


def model_of(kind: Any, **settings: Any) -> Encoding:
    return from_bytes(learn_pieces(CORPUS * 20, 330, kind, **settings), "x")


@pytest.mark.parametrize("settings", [{}, {"byte_fallback": False, "coverage": 0.98}])
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_pieces_to_json_gives_sentencepieces_ids(kind: str, settings: dict[str, Any]) -> None:
    encoding = model_of(kind, special_tokens=["<|end|>"], **settings)
    assert encoding.saved is not None
    judge = huggingface_engine().Tokenizer.from_str(pieces_to_json(encoding).decode())
    reader = library(encoding.saved)
    for text in [*known_texts().values(), "a" * 50, "aab" * 20 + " ▁▁  "]:
        if special_free(text, encoding):
            ids = judge.encode(well_formed(text), add_special_tokens=False).ids
            assert ids == reader.encode(well_formed(text)) == encoding.encode(text), text
            if settings == {}:  # else the libraries write what is unknown in two ways
                assert judge.decode(ids) == reader.decode(ids), text
    marked = "a<s> b <|end|>c</s>"
    ids = judge.encode(marked, add_special_tokens=False).ids
    assert encoding.encode(marked, allowed_special="all") == ids
    assert load(pieces_to_json(encoding), "again").frame == encoding.frame
    assert bool(why_other_ids(encoding)) == (kind == "unigram")


PIECES = [("<unk>", 0.0, UNKNOWN), *((piece, -1.0, NORMAL) for piece in "▁abc")]


def test_a_model_that_the_format_cannot_hold() -> None:
    with refused("applies this normalisation in another way"):
        pieces_to_json(model_of("bpe", normalisation="nmt_nfkc"))
    with refused("Only a SentencePiece model"):
        pieces_to_json(tk.get_encoding("gpt2"))


def small(more: list[tuple[str, float, int]]) -> Encoding:
    return from_bytes(make_model([*PIECES, *more], model_type=BPE).SerializeToString(), "small")


def test_merges_that_make_an_unused_piece_are_not_drawn() -> None:
    assert small([("ab", -1, NORMAL)]).joining is not None
    assert "make pieces that the file calls unused" in small([("ab", -1, UNUSED)]).not_drawn


HOME = ["Token Grove and minbpe", "tiktoken", "tiktoken in JavaScript", "tokenizer.json"]


@pytest.mark.parametrize(
    ("make", "labels", "note"),
    [
        (lambda: tk.train("a rose", 260), HOME, "Not as SentencePiece’s .model: SentencePiece has no split"),
        (lambda: tk.train("a rose", 258, None), [*HOME, "SentencePiece’s .model"], ""),
        (lambda: model_of("unigram"), ["SentencePiece’s .model", "tokenizer.json"], "more precisely than"),
        (
            lambda: model_of("bpe", normalisation="nfkc"),
            ["SentencePiece’s .model"],
            "Not as tokenizer.json: Hugging Face’s library applies this normalisation in another way",
        ),
    ],
)
def test_train_offers_each_file_or_says_why_not(
    make: Callable[[], Encoding], labels: list[str], note: str
) -> None:
    workspace = Workspace()
    workspace.own_encodings.add(OwnEncoding(make(), recipe=Recipe(), report=report_of()))
    page = Visit("grow/train/page.py", {}, workspace=workspace, train_parts="Download")
    buttons: list[Any] = [*page.test.get("download_button")]
    assert [button.label for button in buttons] == labels
    captions = "".join(caption.value for caption in page.test.caption)
    assert escape(note) in captions and ("Not as " in captions) == note.startswith("Not as ")


def test_save_takes_the_format_of_an_ending(tmp_path: Path) -> None:
    trained, pieces = tk.train("a rose is a rose", 260, None), model_of("bpe")
    assert save(trained, tmp_path / "a.sentencepiece.model").read_bytes() == to_bytes(trained)
    assert save(pieces, tmp_path / "a.json").read_bytes() == pieces_to_json(pieces)
    assert save(pieces, tmp_path / "a.model").read_bytes() == pieces.saved
