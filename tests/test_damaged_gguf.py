"""Headers of .gguf files that hold numbers of another kind or size than they have to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model_files import write_header
from tokenizers.families.sentencepieces import NORMAL, UNKNOWN
from tokenizers.files import gguf

PIECES = {
    "ggml.tokens": ["<unk>", "▁", "a"],
    "ggml.scores": np.array([0, -1, -2], dtype=np.float32),
    "ggml.token_type": np.array([UNKNOWN, NORMAL, NORMAL], dtype=np.int32),
}


def header(kind: str, **other: Any) -> bytes:
    values = {"ggml.model": kind, **PIECES, **{f"ggml.{key}": value for key, value in other.items()}}
    return write_header({f"tokenizer.{key}": value for key, value in values.items()})


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (header("llama", scores=np.array([0, -1, 1e300])), "a score that is no number"),
        (header("t5", scores=np.array([0, -1, np.nan])), "a score that is no number"),
        # A signalling NaN, which NumPy warns of.
        (
            header("llama", scores=np.array([0, 0, 0x7F800001], np.uint32).view(np.float32)),
            "a score that is no number",
        ),
        (header("llama", token_type=np.array([2, 1, 2**62])), "of a kind that is not known"),
        (header("llama", token_type=np.array([2, 1, 1.5])), "is no list of such numbers"),
        (header("bert", token_type=np.array([2, 1, -1])), "of a kind that is not known"),
        (header("t5", precompiled_charsmap=np.array([1e9])), "is no list of such numbers"),
    ],
)
def test_numbers_out_of_reason_are_refused_in_a_sentence(file: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        gguf.from_bytes(file, "file")


def test_the_same_numbers_within_reason_are_read() -> None:
    for kind in ("llama", "t5"):
        assert gguf.from_bytes(header(kind), "file").encode("a a")[-2:] == [1, 2]
