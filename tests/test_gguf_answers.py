"""Ids of .gguf files of all kinds, beside llama.cpp's own, which ``tools.known_llama_cpp`` wrote down.

Where our steps say that its counts can differ, they do; everywhere else the ids are the same.
"""

from __future__ import annotations

import json
import unicodedata

import pytest

from tests.examples import some
from tests.gguf_cases import DNA, MARKED, TEXTS, cases
from tests.promises import check_spans
from tokenizers.description import steps_in_words
from tokenizers.files import file_of, load
from tokenizers.files.gguf import from_bytes
from tools.known_llama_cpp import FILE

KNOWN = json.loads(FILE.read_text("utf-8"))
NO_NFC = "counts can differ: it skips NFC, so texts that NFC changes can have other tokens"

ONLY_MARKED_DIFFER = ("DNA", "pairs, no white space")


def test_every_file_has_answers() -> None:
    assert KNOWN["files"].keys() == cases().keys()


@pytest.mark.parametrize("name", KNOWN["files"])
def test_ids_are_llama_cpps_or_the_steps_say_where_not(name: str) -> None:
    enc = from_bytes(cases()[name], name)
    frame, answers, marked = KNOWN["answers"][KNOWN["files"][name]]
    assert [*enc.frame[0], *enc.frame[1]] == frame
    said = dict(steps_in_words(enc)).get("In llama.cpp", "")
    differs = [text for text, ids in zip(TEXTS, answers, strict=True) if enc.encode(text) != ids]
    if said == NO_NFC:
        assert differs == [text for text in TEXTS if unicodedata.normalize("NFC", text) != text]
    if name in ONLY_MARKED_DIFFER:
        assert not differs
    differs += [
        text
        for text, ids in zip(MARKED, marked, strict=True)
        if enc.encode(text, allowed_special="all") != ids
    ]
    assert bool(differs) == bool(said), differs
    for text in some(TEXTS, 9):
        check_spans(enc, text)
    saved = load(file_of(enc), name)
    for text in DNA:
        assert saved.encode(text) == enc.encode(text)
