"""Learning by SentencePiece's and Hugging Face's trainers; and the file of characters and words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.processes import run_python
from tests.refusals import refused
from tests.test_sentencepiece_files import library
from tokenizers.data.corpus import read_bundled
from tokenizers.families import LEFT_OUT, LONGEST_LINE, learn_pieces, learn_word_pieces
from tokenizers.families.learning import Learning, cut_lines
from tokenizers.files.sentencepiece import from_bytes

ENGLISH = read_bundled("udhr:eng").texts[0]
KOREAN = read_bundled("udhr:kor").texts[0]


def learn_names(texts: list[str], vocab_size: int, **settings: Any) -> list[str]:
    """The pieces of a BPE that SentencePiece learned."""
    processor = library(learn_pieces(texts, vocab_size, "bpe", **settings))
    return [processor.id_to_piece(i) for i in range(processor.vocab_size())]


# Lines


def test_cut_lines_keeps_all_but_one_sign() -> None:
    lines = list(cut_lines([f"{'wörd ' * 3000}\n{'日' * 5000}\n{LEFT_OUT}end"]))
    assert max(len(line.encode()) for line in lines) <= LONGEST_LINE
    assert "".join(lines).replace(" ", "") == "wörd" * 3000 + "日" * 5000 + "end"
    assert {word.strip("日") for line in lines for word in line.split()} == {"wörd", "", "end"}


def test_what_the_library_would_leave_out_is_learned() -> None:
    """Of one long line the library alone learns nothing, and of a line with its own character neither."""
    for text in (ENGLISH.replace("\n", " "), ENGLISH.replace("\n", LEFT_OUT)):
        enc = from_bytes(learn_pieces([text], 500, "bpe"), "long")
        assert enc.token_id(b" everyone") is not None or enc.token_id(b" Everyone") is not None


# SentencePiece


@pytest.mark.parametrize(
    ("text", "vocab_size", "settings", "has", "lacks"),
    [
        ("12345 " * 50, 280, {"split_digits": False}, "▁12345", "??"),
        ("12345 " * 50, 280, {}, "5", "12"),
        (ENGLISH, 200, {"byte_fallback": False}, "e", "<0x41>"),
        (ENGLISH, 400, {"normalisation": "nmt_nfkc_cf"}, "e", "E"),
        ("日" + "a" * 3000, 300, {"coverage": 1.0}, "日", "??"),
        ("日" + "a" * 3000, 300, {"coverage": 0.99}, "a", "日"),
        (ENGLISH, 400, {"special_tokens": ["<|a,b|>"]}, "<|a,b|>", "??"),
        ("        return x\n" * 9, 290, {}, "▁▁▁▁", "??"),
    ],
)
def test_learn_pieces_does_what_its_settings_say(
    text: str, vocab_size: int, settings: dict[str, Any], has: str, lacks: str
) -> None:
    names = learn_names([text], vocab_size, **settings)
    assert len(names) == vocab_size or settings.get("byte_fallback", True)
    assert has in names and lacks not in names


def test_learn_pieces_needs_no_more_than_its_sentence_says() -> None:
    assert len(learn_names([KOREAN], 574)) == 574


@pytest.mark.slow
def test_the_library_is_heard_while_it_learns() -> None:
    program = (
        "import sys; from tokenizers.data import read_bundled; from tokenizers.families import learn_pieces\n"
        "text = read_bundled('udhr:eng').texts[0]\n"
        "for kind in ('bpe', 'unigram'):\n"
        "    heard = []\n"
        "    learn_pieces([text], 800, kind, on_progress=heard.append)\n"
        "    print(kind, len(heard), heard[-1].n_tokens, heard[-1].newest, flush=True)\n"
        "print('and the standard error is as it was', file=sys.stderr)\n"
    )
    run = run_python("-c", program)
    bpe, unigram = (line.split() for line in run.stdout.splitlines())
    assert int(bpe[1]) > 2 and 600 < int(bpe[2]) <= 800 and bpe[3]
    assert int(unigram[1]) > 1 and int(unigram[2]) >= 800
    assert run.stderr.endswith("as it was\n") and "trainer_interface" not in run.stderr
    assert Learning(3).newest == ""


# WordPiece


def vocabulary_of(data: bytes) -> list[str]:
    ids: dict[str, int] = json.loads(data)["model"]["vocab"]
    assert sorted(ids.values()) == list(range(len(ids)))
    return sorted(ids, key=ids.__getitem__)


def test_learn_word_pieces_holds_letters_and_no_capitals() -> None:
    small = vocabulary_of(learn_word_pieces([ENGLISH], 500, special_tokens=["<|end|>"]))
    assert len(small) == 500 and small[:2] == ["[UNK]", "<|end|>"]
    assert "a" in small and "##a" in small and "A" not in small
    assert "##." not in small and "." in small  # no word goes on with punctuation
    assert "A" in vocabulary_of(learn_word_pieces([ENGLISH], 500, small_letters=False))


def test_learn_word_pieces_says_how_many_it_needs() -> None:
    with refused(r"takes 77 tokens, and the vocabulary has 20. Choose 78 or more"):
        learn_word_pieces([ENGLISH], 20)
    assert len(vocabulary_of(learn_word_pieces([ENGLISH], 78))) == 78
    with refused("nothing to learn"):
        learn_word_pieces([" \n "], 20)
    with refused("has .UNK. already"):
        learn_word_pieces([ENGLISH], 500, special_tokens=["[UNK]"])


@pytest.mark.slow
def test_a_word_of_a_megabyte_takes_no_square_of_its_length() -> None:
    assert len(vocabulary_of(learn_word_pieces(["ab" * 500_000], 30))) <= 30
