"""tiktoken judges our encodings, offline; damaged files are refused and left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

import tokenizers as tk
from tests.examples import examples
from tests.judge import byte_pairs, judge
from tests.refusals import refused
from tests.texts import NASTY, any_text
from tokenizers.bpe.byte_pairs import QUICK_LENGTH
from tokenizers.bundled import published
from tokenizers.utf8 import well_formed

NAMES = list(published.TIKTOKEN_ENCODINGS)


@examples(200)
@given(any_text, st.sampled_from(NAMES))
@example(NASTY["combining marks"], "cl100k_base")
@example(NASTY["flags in a row"], "o200k_base")
def test_ids_are_tiktokens_on_any_text(text: str, name: str) -> None:
    enc = byte_pairs(name)
    ids = enc.encode(text)
    assert ids == judge(name).encode_ordinary(text)
    assert enc._encode_by_pieces(well_formed(text), set()) == ids
    special = enc.encode(text, allowed_special="all")
    assert special == judge(name).encode(text, allowed_special="all")
    assert enc._encode_by_pieces(well_formed(text), set(enc.special_tokens)) == special
    assert "".join(enc.pieces(text)) == text
    assert int(enc.byte_lengths[np.array(ids, dtype=np.uint32)].sum()) == len(well_formed(text).encode())


def test_unknown_names_are_helped() -> None:
    for name, close in (("o200k", ".*o200k_base"), ("GPT-4o", "o200k_base"), ("GPT2", "gpt2")):
        with refused(rf"Did you mean {close}\b.* There are: o200k_base", longest=400):
            byte_pairs(name)


def test_a_panic_of_the_engine_does_not_leave_an_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As a panic in Rust arrives."""

    def panic(*_: object, **__: object) -> None:
        raise PanicException

    enc = byte_pairs("gpt2")
    text = "hello " * (QUICK_LENGTH // 6 + 1)  # in a shorter one, it has no reason to panic
    expected = enc.encode(text)
    for method in ("encode_ordinary", "encode_to_numpy"):
        monkeypatch.setattr(enc._engine.built, method, panic)
    assert enc.encode(text) == expected == [*enc.encode_each([text])][0]


# Rank files


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_damaged_and_missing_files_are_named_and_left_alone(name: str, tmp_path: Path) -> None:
    files = list(map(published.name_in_cache, published.TIKTOKEN_ENCODINGS[name][1]))
    for file in files:
        shutil.copy(published.ENCODINGS_DIR / file, tmp_path / file)
    victim = tmp_path / files[-1]
    half = victim.read_bytes()[:9999]
    victim.write_bytes(half)
    with pytest.raises(ValueError, match=f"{name} cannot be loaded.*{victim.name} is damaged"):
        published.load_tiktoken(name, tmp_path)
    assert victim.read_bytes() == half
    victim.unlink()
    with pytest.raises(OSError, match=f"{victim.name} is missing"):
        published.load_tiktoken(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", tk.list_encodings())
def test_it_loads_with_no_network_and_gives_back_a_word(name: str) -> None:
    # No test can ask another host: see conftest.
    enc = tk.get_encoding(name)
    ids = enc.encode("offline")
    assert enc.decode(ids) == {"clip": "offline ", "words": "[UNK]"}.get(name, "offline")
    assert enc.token_bytes(ids[0]).startswith(b" ") == enc.puts_space_in_front


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_ranks_are_those_that_tiktoken_reads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(published.ENCODINGS_DIR))
    ranks = byte_pairs(name).ordinary
    theirs = openai_public.ENCODING_CONSTRUCTORS[name]()
    assert ranks == theirs["mergeable_ranks"] and list(ranks) == list(theirs["mergeable_ranks"])
    ours = judge(name)
    assert ours._special_tokens == theirs["special_tokens"] and ours._pat_str == theirs["pat_str"]


def test_two_names_of_one_id() -> None:
    """200018 of o200k_harmony: by id alone, one of the two; in a text, the one that stands there."""
    enc = byte_pairs("o200k_harmony")
    names = [name for name, token_id in enc.special_tokens.items() if token_id == 200018]
    assert len(names) == 2 and enc.byte_lengths[200018] in {len(name) for name in names}
    for name in names:
        data = f"a{name}b".encode()
        ids = enc.encode_array(data.decode(), allowed_special="all")
        assert enc.lengths_in(ids, data).tolist() == [1, len(name), 1]


def test_a_text_is_too_long_by_its_longest_part() -> None:
    with refused("this one has 2.9 MB without a place to cut it"):
        tk.get_encoding("qwen").check_length("word " * 30_000 + "a" * 3_000_000)


def test_numpy_numbers_are_numbers() -> None:
    gpt2 = byte_pairs("gpt2")
    assert gpt2.token_bytes(np.int64(5)) == gpt2.token_bytes(5)  # type: ignore[arg-type]
    assert gpt2.decode(np.array([31373, 995])) == "hello world"


def test_a_special_token_is_given_in_a_list() -> None:
    gpt2 = byte_pairs("gpt2")
    with refused(r"allowed_special as a list, \['<\|endoftext\|>'\], or as \"all\""):
        gpt2.encode("<|endoftext|>", allowed_special="<|endoftext|>")
    assert gpt2.encode("<|endoftext|>", allowed_special=["<|endoftext|>"]) == [50256]
