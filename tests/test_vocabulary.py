"""A vocabulary's arrays, search and biographies: by known answers, and by the slow and obvious way."""

from __future__ import annotations

import pytest
from hypothesis import example, given

import tokenizers as tk
from tests.examples import examples
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.trained import any_merges
from tokenizers.bpe.plain import Pair
from tokenizers.measure.token_search import SearchBy, search_tokens
from tokenizers.measure.vocabulary import Vocabulary, vocabulary_of
from tokenizers.text.scripts import (
    COMMON,
    PART_OF_CHARACTER,
    SCRIPT_BYTES,
    script_of_token,
)
from tokenizers.utf8 import text_of


def vocabulary() -> Vocabulary:
    return vocabulary_of(tk.get_encoding("gpt2"))


def test_script_of_a_long_token_is_that_of_its_beginning() -> None:
    signs = b"." * (SCRIPT_BYTES - 1)
    assert script_of_token(signs + b"a" + "м".encode() * 300) == "Latin"
    assert script_of_token(signs + "м".encode() * 300) == COMMON  # its first м is cut, and is none
    assert script_of_token(b"\x80" * (SCRIPT_BYTES + 9)) == PART_OF_CHARACTER


# Search


@pytest.mark.parametrize(
    "query, by, message",
    [
        ("x" * 100_000, "id", "^'x{1,59}…' is no id"),
        ("x" * 100_000, "bytes", "^'x{1,59}…' is not bytes"),
        ("1" * 100_001, "text", "has 100,001 characters, and the search takes up to 100,000"),
    ],
    ids=lambda value: value[:40],
)
def test_search_tokens_says_what_is_wrong(query: str, by: SearchBy, message: str) -> None:
    with refused(message):
        search_tokens(vocabulary(), query, by)


@pytest.mark.parametrize("query", [r"(a|a|aa)+$b", r"((.*)*)*(.*)*=-$", r"((([^x]+)+)+)+x"])
def test_search_tokens_gives_up_a_slow_regex(query: str) -> None:
    with processor_seconds(5):
        try:
            search_tokens(vocabulary(), query, "regex", timeout=0.2)
        except ValueError as problem:
            assert "took longer than 0.2 seconds" in str(problem)


# Unreachable tokens: tiktoken judges


@examples(60)
@given(any_merges())
@example([(97, 98), (98, 99), (97, 257)])
@example([(0xC3, 0x28), (97, 0xC3), (97, 256)])
def test_unreachable_in_any_merges(merges: list[Pair]) -> None:
    grove = tk.HomeEncoding(merges)
    words = vocabulary_of(grove)
    for token_id in range(256, grove.n_vocab):
        text = text_of(grove.token_bytes(token_id))
        if text is not None:
            assert (token_id in words.unreachable) == (grove.encode(text) != [token_id])
        biography = words.biography(token_id)
        assert words.unreachable.get(token_id, biography.encodes_to) == biography.encodes_to


# Biographies


def test_a_token_of_no_text_encodes_to_another() -> None:
    """The bytes 80 81 82, as two tokens."""
    twice = tk.vocabulary_of(tk.HomeEncoding([(128, 129), (129, 130), (256, 130), (128, 257)])).biography(259)
    assert (twice.encodes_to, twice.encodes_to_itself) == ((258,), False)
