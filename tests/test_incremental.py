"""An edit encoded in part gives the ids of the whole text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.texts import any_text
from tokenizers.bpe.incremental import reencode
from tokenizers.text.spans import encode_spans
from tokenizers.text.text_map import TextMap

# Lines that make the safe places common, and near misses of them.
SAFE = ["a\n", "b.\n", "A\n", " \n", "\n", "\n\n", ".\n", "/\n", "'s\n", "1\n", "\t", " ", "x"]
NEARLY = ["、", "東。", " the", " 1", "Word's", "\r\n", "é\n", "\u00a0\n", "\u0301\n", "ſ", "'", "\n/"]
SPECIAL = ["<|endoftext|>", "<|endo", "ftext|>\n", "<a b>", "<a"]
lines = st.lists(st.sampled_from(SAFE + NEARLY + SPECIAL) | st.characters(), max_size=20).map("".join)
NAMES = ["gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k"]
# A safe place is within a special token.
ODD = tk.train("a b. " * 9, 260, pattern="gpt4", special_tokens=["<a b>"], name="odd")


@pytest.mark.slow
@examples(600)
@example("a\n\nb", "", "a", "gpt2", False)
@example("a.\n", "x", "\nb", "cl100k_base", False)
@example("one <a b>", "x", "", "odd", True)
@example("One line.\nAnothe", "\u0301", "r line.\nThe end.", "qwen", False)
@given(
    st.one_of(lines, any_text),
    lines,
    st.one_of(lines, any_text),
    st.sampled_from([*NAMES, "odd"]),
    st.booleans(),
)
def test_edits(start: str, middle: str, end: str, name: str, special: bool) -> None:
    enc = ODD if name == "odd" else tk.get_encoding(name)
    allowed = "all" if special else ()
    for old, new in ((start + end, start + middle + end), (start + middle + end, start + end)):
        before = encode_spans(enc, old, allowed_special=allowed)
        again = reencode(before, TextMap(new), allowed_special=allowed)
        assert again.ids.tolist() == enc.encode(new, allowed_special=allowed)
