"""The ids of the publishers' own libraries, which ``tools.known_answers`` wrote down."""

from __future__ import annotations

import json

import pytest

import tokenizers as tk
from tests.texts import known_texts
from tools.known_answers import FOLDER, LIBRARIES

# Hugging Face's library, which is our engine, calls noncharacters punctuation; Google's code drops them.
APART = {("bert-uncased", "noncharacters"): [100]}
# It finds added tokens that are not special in every text: here they are asked for.
ASKED = {("qwen3", "special"): ["<|fim_prefix|>"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_ids_are_those_of_the_publishers_library(name: str) -> None:
    known = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    texts, answers = known_texts(), known["answers"]
    assert answers.keys() == texts.keys() and len(answers) >= 60
    enc = tk.get_encoding(name)
    for title, text in texts.items():
        ids = enc.encode(text, allowed_special=ASKED.get((name, title), ()))
        assert ids == APART.get((name, title), answers[title]), (known["library"], title)
