"""Walls: the pieces are tiktoken's own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

import tokenizers as tk
from tests.examples import some
from tests.judge import byte_pairs, judge
from tests.limits import peak_bytes
from tokenizers.bpe.byte_pairs import Engine
from tokenizers.bpe.explain import explain_in
from tokenizers.split.patterns import PATTERNS
from tokenizers.text.facts import token_facts
from tokenizers.text.spans import Spans, encode_spans

# Of each class of characters that the patterns tell apart, at least one; in sets that are small enough for
# every string of up to five to be tried.
ALPHABETS = [
    "aA \n1'!",
    " \n\r\ta/1",
    "'sSlLvVeE "[:8],
    "aA\u01c5中\u0301 \n",
    "\xa0\u3000\n a.\x85",
    "½1² \na",
]


def strings(alphabet: str, longest: int) -> Iterator[str]:
    for length in range(1, longest + 1):
        yield from strings_of(alphabet, length)


def strings_of(alphabet: str, length: int) -> Iterator[str]:
    return map("".join, itertools.product(alphabet, repeat=length))


def pieces_of_tiktoken(name: str, alphabet: str, longest: int) -> Callable[[str], list[str]]:
    """How tiktoken itself splits: an engine with its pattern, in which every piece is a token."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    for piece in strings(alphabet, longest):
        ranks.setdefault(piece.encode(), len(ranks))
    engine = Engine("pieces", ranks, {}, judge(name)._pat_str).built
    return lambda text: [
        token.decode() for token in map(engine.decode_single_token_bytes, engine.encode(text))
    ]


@pytest.mark.parametrize(
    ("name", "alphabet"),
    [
        *itertools.product(["gpt2", "cl100k_base", "o200k_base"], ALPHABETS),
        ("cl100k_im", ALPHABETS[1]),  # as cl100k_base, and this alphabet is of what that has of its own
    ],
)
@pytest.mark.slow
def test_pieces_are_tiktokens_on_every_short_string(name: str, alphabet: str) -> None:
    longest = 4 if len(alphabet) > 7 else 5
    judged, enc = pieces_of_tiktoken(name.replace("im", "base"), alphabet, longest), byte_pairs(name)
    # Of the longest, make fuzz tries all, other runs one of five: no alphabet has five letters, or ten.
    shorter = strings(alphabet, longest - 1)
    for text in itertools.chain(shorter, some(list(strings_of(alphabet, longest)), 5)):
        assert enc.pieces(text) == judged(text), repr(text)


def test_white_space_at_the_end_of_a_text() -> None:
    """cl100k_base of tiktoken does not cut it at its line ends; the pattern gpt4 does."""
    for name in ("cl100k_base", "cl100k_im"):
        enc = byte_pairs(name)
        assert enc.pieces("a\n  ") == ["a", "\n  "] and enc.pieces("a\n  b") == ["a", "\n", " ", " b"]
        assert tk.explain_cut(enc, "a\n  ", 2).kind == "not_in_vocabulary"
        assert "“⏎··” (white space up to the end of the text)" in tk.explain_cut(enc, "a\n  ", 1).sentence
        assert enc.pattern == PATTERNS["gpt4"]
    grove = tk.train("a\n  b", 256, "gpt4")
    assert grove.pieces("a\n  ") == ["a", "\n", "  "]
    assert tk.explain_cut(grove, "a\n  ", 2).kind == "wall"


# One place of a long text takes no work that grows with the text


@pytest.fixture(scope="module")
def long_spans() -> Spans:
    spans = encode_spans(
        byte_pairs("cl100k_base"), "the <|endoftext|> naïve cat " * 30_000, allowed_special="all"
    )
    assert len(spans) > 150_000
    return spans


def test_a_token_is_looked_up_without_a_copy_of_all(long_spans: Spans) -> None:
    middle = long_spans.text_map.n_bytes // 2
    assert peak_bytes(lambda: long_spans.covering(middle)) < 5_000
    assert peak_bytes(lambda: long_spans.overlapping(middle, middle + 9)) < 5_000
    assert long_spans.overlapping(0, 1 << 40) == (0, len(long_spans))
    assert long_spans.overlapping(1 << 40, 1 << 41) == (len(long_spans), len(long_spans))


@pytest.mark.slow
def test_a_place_is_explained_without_going_over_the_text(long_spans: Spans) -> None:
    def look(place: int) -> None:
        why = explain_in(long_spans, place)
        assert why.kind == "wall"
        token_facts(long_spans, long_spans.overlapping(place, place + 1)[0], [long_spans])

    middle = long_spans.text_map.data.index("naïve".encode(), long_spans.text_map.n_bytes // 2) + 6
    look(middle)  # what is worked out once for the text
    later = long_spans.text_map.data.index("naïve".encode(), middle) + 6
    assert peak_bytes(lambda: look(later)) < 20_000
