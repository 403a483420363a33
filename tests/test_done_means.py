"""One text in eleven tokenizers: each has the ids of its publisher's library, and a reason for each cut."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

import tokenizers as tk
from tests.judge import judge
from tests.texts import known_texts
from tokenizers.bpe.home import HomeEncoding
from tokenizers.bpe.plain import encode
from tokenizers.encoding import Encoding
from tokenizers.text.spans import encode_spans
from tools.known_answers import FOLDER

TITLE = "the one in the plan"
TEXT = known_texts()[TITLE]
PUBLISHED = ["bert-uncased", "j2", "mistral-v1", "rwkv-world", "claude-2", "qwen"]
NAMES = ["bytes", "characters", "words", *PUBLISHED, "o200k_base", "of one's own"]


def get(name: str) -> Encoding:
    return tk.get_encoding(name) if name in tk.list_encodings() else tk.train(TEXT * 3, 300, "gpt4o")


def known_ids(name: str, enc: Encoding) -> list[int]:
    """What the text's ids are by something that is not under test."""
    if name in PUBLISHED:
        answers: dict[str, list[int]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["answers"]
        return answers[TITLE]
    if name == "o200k_base":
        return judge(name).encode_ordinary(TEXT)
    if name == "bytes":
        return list(TEXT.encode())
    ids = {enc.token_bytes(id_): id_ for id_ in range(enc.n_vocab)}
    if name == "characters":
        parts = [
            [char] if char in ids else [bytes([byte]) for byte in char] for char in map(str.encode, TEXT)
        ]
        return [ids[part] for char in parts for part in char]
    if name == "words":
        return [ids.get(word.encode(), ids[b"[UNK]"]) for word in re.findall(r"\w+|\S", TEXT)]
    assert isinstance(enc, HomeEncoding)
    return encode(TEXT, enc.merges, enc.pattern)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_the_plan_is_exact_and_each_cut_has_its_reason(name: str) -> None:
    enc = get(name)
    spans = encode_spans(enc, TEXT)
    assert enc.encode(TEXT) == spans.ids.tolist() == known_ids(name, enc)
    data = TEXT.encode()
    for place in {*spans.starts.tolist(), *spans.ends.tolist()}:
        reason = spans.reason(place)
        assert reason and reason.endswith(".") and "None" not in reason, (
            place,
            data[:place].decode(errors="replace"),
        )
    # Lost: what BERT, words, and the NFKC of Claude 2 and Jurassic lose. SentencePiece puts a space in front.
    comes_back = enc.decode(spans.ids.tolist()).strip() == TEXT
    assert comes_back == (name not in ("words", "bert-uncased", "j2", "claude-2"))


def test_the_text_is_that_of_the_plan() -> None:
    assert TEXT == "안녕하세요, naïve ½ don't 1234 👩\u200d🚀" and unicodedata.is_normalized("NFC", TEXT)
