"""tokenizer.json of random steps: ids, decoded texts, places and claims, by Hugging Face's library."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import any_pipeline
from tests.examples import ALL, scaled
from tests.promises import check_spans
from tests.test_pipelines import BYTES, bpe, of_bytes
from tests.test_pipelines import content as file_of
from tokenizers.encoding import AllowedSpecial
from tokenizers.families import wordpiece
from tokenizers.families.huggingface_engine import BYTE_NAMES
from tokenizers.files import tokenizer_json
from tokenizers.json_types import JsonObject
from tokenizers.split.engines import load_huggingface
from tokenizers.text.spelling import byte_characters


def answer(ask: Callable[..., Any], *question: Any, **more: Any) -> Any:
    """What is answered; None: the library breaks down on the question."""
    try:
        return ask(*question, **more)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # a panic in Rust is no subclass of Exception
        return None


def check_file(content: Any, texts: list[str]) -> None:
    """Compare an encoding with the library: ids, decoded texts, places, and what is said to come back."""
    data = json.dumps(content)
    try:
        enc = tokenizer_json.from_bytes(data.encode(), "random")
    except ValueError as refused:
        known = ("by chance", "for ever", "times longer", "one id")
        broken = answer(load_huggingface().Tokenizer.from_str, data) is None
        assert broken or any(each in str(refused) for each in known), refused
        return
    special = [token["content"] for token in content["added_tokens"] if token.get("special")]
    some = special[: len(special) // 2]
    for allowed in ((), "all", some) if some else ((), "all"):
        judge = engine_of(content, allowed)
        for text in texts:
            found = answer(judge.encode, text, add_special_tokens=False)
            ids = answer(enc.encode, text, allowed_special=allowed)
            assert ids == (None if found is None else found.ids), text
            if ids is None:
                continue
            assert judge.encode(text).ids == [*enc.frame[0], *ids, *enc.frame[1]]
            for part in (ids, ids[::-1], ids[1::2]):
                assert answer(enc.decode, part) == answer(judge.decode, part, skip_special_tokens=False)
            check_spans(enc, text, allowed)


def engine_of(content: Any, allowed: AllowedSpecial) -> Any:
    """The library's tokenizer of a file, to which other special tokens are plain text."""
    added = [
        {**token, "special": token.get("special") and token["content"] not in allowed}
        for token in content["added_tokens"]
    ]
    judge = load_huggingface().Tokenizer.from_str(json.dumps({**content, "added_tokens": added}))
    judge.encode_special_tokens = allowed != "all"
    return judge


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a charsmap, where an example fails
@settings(max_examples=scaled(1000), derandomize=not ALL, suppress_health_check=list(HealthCheck))
@given(
    any_pipeline.any_file,
    st.lists(any_pipeline.texts, min_size=1, max_size=6),
    st.booleans(),
)
def test_a_random_pipeline_is_what_the_library_makes_of_it(
    content: Any, texts: list[str], words_are_long: bool
) -> None:
    is_refused = any(token["content"] in BYTE_NAMES for token in content["added_tokens"])
    most = 0 if words_are_long and not is_refused else wordpiece.MAX_WORK
    with patch.object(wordpiece, "MAX_WORK", most):
        check_file(content, texts)


def words(*names: str) -> JsonObject:
    return {"type": "WordLevel", "vocab": {name: i for i, name in enumerate(names)}, "unk_token": names[0]}


PIECES = {"type": "Unigram", "vocab": [["a", -1.0], ["b", -2.0], ["a", -3.0]], "unk_id": 0}
TWICE_BYTES = "".join(map(chr, (0xC4, 0xC2, 0xB0, 0xC3)))  # of bytes that are written as characters, twice
BREAKS_ON_A_LETTER = json.loads("""{
  "type": "Sequence",
  "normalizers": [
    {"type": "Replace", "pattern": {"Regex": "(?=a)"}, "content": "z"},
    {"type": "ByteLevel"}
  ]
}""")
BYTE_IDS = {letter: byte for byte, letter in enumerate(byte_characters())}
ONCE_WRONG = {
    "a piece that is there twice": (file_of(model=PIECES), ["ab", "ax", "x"]),
    "bytes that are no text, one by one": (
        file_of(
            model=words("u", *TWICE_BYTES), pre_tokenizer={"type": "FixedLength", "length": 1}, decoder=BYTES
        ),
        ["".join(letters) for letters in itertools.product(TWICE_BYTES, repeat=4)],
    ),
    "one letter on which the library breaks down": (
        of_bytes(normalizer=BREAKS_ON_A_LETTER, pre_tokenizer=None),
        ["a", "b", "bb", "ab"],
    ),
    "a token of unknown letters": (
        of_bytes(model=bpe(vocab={**BYTE_IDS, "日本": 256}, merges=[], unk_token="<unk>")),
        ["a 日本"],
    ),
}


@pytest.mark.parametrize("case", ONCE_WRONG)
def test_a_pipeline_that_was_once_wrong(case: str) -> None:
    check_file(*ONCE_WRONG[case])
