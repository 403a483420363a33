"""The tokenizer in the header of a .gguf file: read exactly, or refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.gguf_cases import BYTES, CHARACTERS, TABLE, cases, gguf_of, numbers
from tests.model_files import write_header
from tests.refusals import refused
from tokenizers.description import steps_in_words
from tokenizers.encoding import Encoding
from tokenizers.families.lattice import WeighsPaths
from tokenizers.families.sentencepieces import SentencePieces
from tokenizers.files import file_of, load
from tokenizers.files.gguf import from_bytes
from tokenizers.files.gguf_header import read_header
from tokenizers.text import encode_spans
from tokenizers.text.spelling import byte_characters

SMALL = Path(__file__).parent / "known_answers" / "small.gguf"
"""Written by the format's own library: tools/known_gguf.py."""

Values = dict[str, Any]


LLAMA: Mapping[str, Any] = {
    "tokens": ["<unk>", "<s>", "▁", "a", "b", "ab", "▁ab"],
    "scores": numbers([0, 0, -1, -2, -3, -4, -5], np.float32),
    "token_type": numbers([2, 3, 1, 1, 1, 1, 1]),
}


def read(kind: str, **values: Any) -> Encoding:
    """The encoding of a .gguf file of these keys."""
    return from_bytes(gguf_of(kind, **values), "x")


def small_gguf(kind: str, keys: Values) -> bytes:
    """A .gguf file of a kind, with pieces unless it has keys of its own: numbers may be in lists."""
    for key, form in (("scores", np.float32), ("token_type", np.int32)):
        if isinstance(keys.get(key, ""), list) and keys[key] != ["x"]:
            keys[key] = np.array(keys[key], form)
    return gguf_of(kind, **{**LLAMA, **keys})


def read_pieces(tokens: list[str], kinds: list[int]) -> Encoding:
    """The encoding of pieces of these kinds, each of a worse score than the one before."""
    scores = numbers(range(0, -len(tokens), -1), np.float32)
    return read("llama", tokens=tokens, scores=scores, token_type=numbers(kinds))


# What the official writer wrote


def test_a_template_for_tools_is_read_beside_the_other() -> None:
    templates = {"chat_template": "x", "chat_template.tool_use": "y"}
    enc = read("llama", **LLAMA, **templates)
    assert (enc.chat_templates.default, enc.chat_templates.tool_use) == ("x", "y")


def test_a_file_of_the_official_writer_is_read() -> None:
    data = SMALL.read_bytes()
    header = read_header(data)
    assert header.size < len(data) and header.text("pre") == "default"
    enc = from_bytes(data, "small")
    assert isinstance(enc, SentencePieces)
    assert [enc.token_bytes(token_id) for token_id in enc.encode("the  hé")] == [
        b" the",
        b"  ",
        b"h",
        "é".encode(),
    ]
    assert enc.frame == ((1,), ())
    assert enc.chat_templates.default == "{{ bos_token }}{{ messages[0].content }}"
    assert enc.chat_templates.names == {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    steps = dict(steps_in_words(enc))
    assert steps["Declares"] == "a tokenizer of the kind llama, with the pre-tokeniser default"
    assert steps["In llama.cpp"] == (
        "counts can differ: it puts another space after each user-defined symbol; it takes a ▁ that "
        "stands in a text for no space of a user-defined symbol"
    )


def test_only_the_header_is_read_and_kept() -> None:
    data = SMALL.read_bytes()
    size = read_header(data).size
    enc = from_bytes(data[:size], "small")
    assert file_of(enc) == enc.saved and len(file_of(enc)) < size
    assert load(file_of(enc), "small").encode("the  hé") == enc.encode("the  hé")
    for cut in (size - 1, size // 2, 30, 5):
        with refused("The file ends inside its header"):
            from_bytes(data[:cut], "small")


# Vocabularies as a converter would write them


def test_rwkv_takes_the_longest_token() -> None:
    tokens = ["<s>", *(f"\\x{byte:02x}" for byte in range(256)), "th", "the", "\\xe6\\x97\\xa5", "[PAD]"]
    kinds = numbers([3, *[1] * 259, 5])
    enc = read("rwkv", tokens=tokens, token_type=kinds)
    assert enc.encode("thethé日") == [258, 257, 196, 170, 259]


def test_plamo_cuts_first_and_weighs_one_line() -> None:
    enc = read("plamo3", **TABLE)
    assert isinstance(enc, WeighsPaths) and enc.lattice("the\nx").data == b"the"
    spans = encode_spans(enc, "x  x")
    assert "before tokens are looked for" in str(spans.reason(1))


# What is refused


SIGNALLING = np.full(len(LLAMA["tokens"]), 0x7F800001, np.uint32).view(np.float32)
"""A NaN of which NumPy warns."""


@pytest.mark.parametrize(
    ("data", "sentence"),
    {
        write_header({"general.name": "x"}): "It holds no tokenizer .* add the first one",
        gguf_of("llama"): "It does not list its tokens",
        gguf_of("plamo2", tokens=["a"]): "Some tokens have no score",
    }.items(),
)
def test_what_is_no_whole_header_is_refused(data: bytes, sentence: str) -> None:
    with refused(sentence):
        from_bytes(data, "x")


@pytest.mark.parametrize(
    ("kind", "changes", "sentence"),
    [
        ("plamo2", {**TABLE, "scores": TABLE["scores"] - 997}, "'a' has the score -1,000"),
        ("whitespace", {"pre": "gemma4", **CHARACTERS}, "drops all white space"),
        ("llama", {"scores": SIGNALLING}, "a score that is not a number"),
    ],
)
def test_what_cannot_be_exact_is_refused_in_a_sentence(kind: str, changes: Values, sentence: str) -> None:
    with refused(sentence):
        read(kind, **{**LLAMA, **changes})


@pytest.mark.parametrize("kinds", [[1, 2], [6] * 255 + [4]])
def test_gguf_bytes_are_bytes_whatever_their_kinds(kinds: list[int]) -> None:
    kinds = [2, *kinds, *[6] * (256 - len(kinds)), 1, 1, 1, 1]
    enc = read_pieces(["<unk>", *BYTES, "▁", "a", "b", "ab"], kinds)
    assert enc.encode("ab Ψ a") == [257, 260, 257, 207, 169, 257, 258]  # as llama.cpp
    assert enc.token_bytes(207) == b"\xce" and not {207, 169} & set(enc.special_tokens.values())


def test_gguf_of_the_other_byte_order_is_read() -> None:
    values = {f"tokenizer.ggml.{key}": value for key, value in {"model": "llama", **LLAMA}.items()}
    data = write_header({"general.author": "Andr\udce9", **values}, order=">")
    assert read_header(data).values["scores"].tolist() == LLAMA["scores"].tolist()
    enc = from_bytes(data, "x")
    assert enc.encode("ab xa") == load(file_of(enc), "x").encode("ab xa") == [6, 2, 0, 3]


# What a file leaves out, and what it has twice


def test_the_first_of_repeated_pieces_keeps_its_bytes() -> None:
    assert read_pieces(["<unk>", "▁", "ab", "ab"], [2, 1, 1, 5]).token_bytes(2) == b"ab"


def test_the_last_of_repeated_pairs_counts() -> None:
    kinds = numbers([1] * 256 + [1, 5, 3, 3])
    letters = [*byte_characters(), "ab", "ab", "<e>", "<e>"]
    enc = read("gpt2", pre="gpt-2", tokens=letters, token_type=kinds, merges=["a b"])
    assert enc.encode("ab<e>", allowed_special="all") == [257, 259]
    assert dict(steps_in_words(enc))["Ids"].startswith("2 tokens are listed twice: ab is 257, not 256.")


def test_a_whole_tokenizer_json_in_a_header_is_read() -> None:
    whole = (
        '{"added_tokens": [], "model": {"type": "WordLevel", "vocab": {"a": 0, "?": 1}, "unk_token": "?"}}'
    )
    data = write_header({"tokenizer.ggml.model": "plamo2", "tokenizer.huggingface.json": whole})
    enc = from_bytes(data, "x")
    assert enc.encode("a") == [0] and "a whole tokenizer.json" in dict(steps_in_words(enc))["Declares"]
    assert load(file_of(enc), "x").encode("b") == [1]


@pytest.mark.parametrize(("pre", "mask"), [("jina-v2-es", "<mask>"), ("modern-bert", "[MASK]")])
def test_gguf_mask_takes_the_space_in_front(pre: str, mask: str) -> None:
    kinds = numbers([1] * 256 + [3, 1])
    enc = read("gpt2", pre=pre, tokens=[*byte_characters(), mask, "aa"], token_type=kinds, merges=["a a"])
    assert enc.encode(f"a  {mask}", allowed_special="all") == [97, 256]


def test_user_defined_tokens_of_pairs_are_found_in_plain_text() -> None:
    enc = from_bytes(cases()["pre gpt-2"], "x")
    ordinary = len(enc.ordinary)
    assert enc.encode("[USER]a")[0] == enc.n_vocab - 1 and enc.encode("a<|end|>")[1] < ordinary
