"""A home-trained encoding encodes as its plain definition does, whatever its merges are.

``make fuzz`` also tries half of the very long runs.
"""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import ALL, examples, some
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.texts import any_text
from tests.trained import BYTES, few_letters, patterns, texts
from tokenizers import kernels
from tokenizers.bpe import byte_pairs
from tokenizers.bpe.byte_pairs import QUICK_LENGTH, Engine
from tokenizers.bpe.home import MAX_IDS
from tokenizers.bpe.plain import Pair, encode
from tokenizers.split.patterns import (
    PATTERNS,
    engines_agree,
    spell_for_engine,
    split,
)
from tokenizers.utf8 import well_formed

CORPUS = "the cat sat on the mat; that was that. 12345 नमस्ते नमस्ते 안녕하세요 안녕 aaaaaaaaaaaa don't DON'T"


def plain(grove: tk.HomeEncoding, text: str) -> list[int]:
    return encode(text, grove.merges, grove.pattern)


@pytest.mark.slow
def test_the_engines_agree_where_we_say_so() -> None:
    settled = "".join(c for c in map(chr, range(0x110000)) if engines_agree(c))
    assert len(settled) > 40_000
    for group in ("L", "N", "Lu", "Lt", "Lm", "Lo", "Ll", "M"):
        engine = Engine(group, BYTES, {}, rf"\p{{{group}}}").built  # drops what does not match
        assert engine.decode(engine.encode_ordinary(settled)) == "".join(
            regex.findall(rf"\p{{{group}}}", settled)
        )


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", "gpt4o"])
def test_letters_that_the_engine_does_not_know(pattern: str) -> None:
    text = (
        "a\U000323b0b \U000323b0:A \u0295A"  # a Chinese character of Unicode 17; a letter that changed class
    )
    grove = tk.train(text, 280, pattern)
    assert grove.encode(text) == plain(grove, text)
    assert grove.encode_array(text).tolist() == grove.encode(text)


# What the places where a text may be cut are made of, and near misses of them.
cuttable = st.one_of(
    any_text,
    st.text(" a1!'s/\n\r\t\u3000\u00a0\u0301中あ、。,カ한A\u0295\u0e01ª", max_size=40),
    st.lists(
        st.sampled_from([" a", "a\n", "!\n1", "\n\nb", "\r\na", "中、中", "'s ", "/\n/ x", "1\u3000 2"])
    ).map("".join),
)


@pytest.mark.slow
@examples(300)
@given(few_letters.filter(bool), st.one_of(cuttable, texts), patterns, st.integers(1, 9), st.booleans())
def test_encode_is_the_plain_encode_at_once_and_in_parts(
    corpus: str, text: str, pattern: str | None, size: int, is_compiled: bool
) -> None:
    grove = tk.train(corpus, 300, pattern, special_tokens=["<|end|>"])
    for some_text in (text, text + corpus):
        want = plain(grove, some_text)
        assert grove.encode(some_text) == want
        assert grove.decode(want) == well_formed(some_text)
        assert "".join(grove.pieces(well_formed(some_text))) == well_formed(some_text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(byte_pairs, "PART_LENGTH", size)
            patch.setattr(byte_pairs, "WORTH_A_TABLE", 0)
            patch.setattr(byte_pairs, "SHORT_TEXT", 0)
            patch.setattr(kernels, "ready_by_now", lambda work: is_compiled and kernels.ready_to_encode())
            assert grove.encode(some_text) == want == grove.encode_array(some_text).tolist()
            special = f"{some_text}<|end|>{some_text}"
            assert grove.encode(special, allowed_special="all") == [*want, grove.n_vocab - 1, *want]


@pytest.mark.slow
@examples(200)
@given(cuttable, st.sampled_from(list(PATTERNS)))
def test_the_engines_own_spelling_of_a_pattern_splits_alike(text: str, name: str) -> None:
    spelling = spell_for_engine(PATTERNS[name]) or ""
    assert split(text, spelling) == split(text, PATTERNS[name])
    ranks = BYTES | {b" a": 256, b"a ": 257, b"\n\n": 258, b"'s": 259}
    ours, theirs = (Engine(name, ranks, {}, regex).built for regex in (spelling, PATTERNS[name]))
    assert ours.encode_ordinary(text) == theirs.encode_ordinary(text)


@pytest.mark.slow
def test_very_many_characters_take_no_square_of_their_number() -> None:
    word = "".join(random.Random(7).choices("abcd", k=1_000_000 if ALL else 200_000))
    grove = tk.train(word[:20_000], 2000, None)
    for text in (word, "a" * 200_000, "ab" * 100_000):
        with processor_seconds(5):
            assert grove.decode(grove.encode(text)) == text
            assert tk.counts_by_size(grove, text).at(256) == len(text)


def test_special_ids_may_leave_a_gap() -> None:
    grove = tk.HomeEncoding([(97, 98)], None, {"<|end|>": 300})
    assert grove.n_vocab == 301
    assert grove.encode("ab<|end|>", allowed_special="all") == [256, 300]
    with refused("has no token 257: .* unused"):
        grove.decode([257])
    with refused("has no token 301: its ids run from 0 to 300"):
        grove.decode([301])
    with refused("has no token -1"):
        grove.token_bytes(-1)
    assert grove.byte_lengths.shape == (301,)
    assert np.flatnonzero(grove.byte_lengths == 0).tolist() == list(range(257, 300))


def test_truncated_says_what_it_can_do() -> None:
    grove = tk.train(CORPUS, 280, special_tokens=["<|end|>"])
    for size in (256, -1, 281):
        with refused("choose from 257 to 280"):
            grove.truncated(size)
    smaller = grove.truncated(260)
    assert (smaller.merges, smaller.pattern) == (grove.merges[:3], grove.pattern)
    assert smaller.special_tokens == {"<|end|>": 259}


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([(97, 97), *((i, i) for i in range(256, 300))], "merge 17, a token would have more than 64 KB"),
        ([(97, 97), *((i, 97) for i in range(256, 9_000))], "all tokens together would have more than 32 MB"),
        ([(97, 97)] * (MAX_IDS - 255), "too many"),
    ],
)
def test_too_much_is_refused(merges: list[Pair], message: str) -> None:
    with refused(message):
        tk.HomeEncoding(merges)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", "gpt4o"])
def test_the_quick_way_holds_every_run(pattern: str) -> None:
    grove = tk.train("the cat sat on the mat aaaa    \n\n\n\n!!!!1111 aaaa\n\n\n中中中中、", 290, pattern)
    runs = [" ", "\n", " \n", "a", "A", "中", "\u0301", "1", "!", "/", "'", "Aa", "A\u0301", "\u3000"]
    # One of three: every run, and every end, since there are four.
    for run, end in some(list(itertools.product(runs, ("", "x", "!", "X")))):
        text = (run * QUICK_LENGTH)[: QUICK_LENGTH - 1] + end
        with processor_seconds(3):  # no square of their number
            ids = grove.encode(text)
        assert ids == grove._encode_by_pieces(text, set())


@pytest.mark.parametrize(
    ("message", "special_tokens"),
    {
        r"The special token '<\|x+…' is too long: up to 1,000 bytes": ["<|" + "x" * 90_000],
        "is too long: up to 1,000 bytes": ["é" * 501],
        "10,001 special tokens are too many: up to 10,000": [f"<|{number}|>" for number in range(10_001)],
        "121,000 bytes together, and up to 120,000": [f"<|{number:0996}|>" for number in range(121)],
        r"'<\|x\|>' is given twice": ["<|x|>", "<|y|>", "<|x|>"],
    }.items(),
)
def test_special_tokens_beyond_the_bounds_are_refused(special_tokens: list[str], message: str) -> None:
    with refused(message):
        tk.HomeEncoding([], special_tokens=special_tokens)
