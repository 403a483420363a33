"""A vocabulary's arrays, search and biographies, each held against the slow and obvious way."""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import get_args

import numpy as np
import pytest
import regex
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import ALL, examples
from tests.limits import processor_seconds
from tests.trained import any_merges, from_ranks
from tokenizers.bpe.plain import Pair
from tokenizers.bpe.trees import parts_of
from tokenizers.measure.token_search import Kept, SearchBy, search_tokens
from tokenizers.measure.vocabulary import Vocabulary, vocabulary_of
from tokenizers.text.scripts import (
    COMMON,
    PART_OF_CHARACTER,
    SCRIPT_BYTES,
    SCRIPTS,
    TOKEN_SCRIPTS,
    find_scripts,
    find_token_scripts,
    script_of_token,
)

NAMES = ["gpt2", "o200k_base", "grove-udhr-8k"]


def text_of(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


EACH_SCRIPT = regex.compile("|".join(rf"(\p{{Script={script.replace(' ', '_')}}})" for script in SCRIPTS[1:]))


@functools.cache
def script_of_character(char: str) -> str:
    """Asking for one script after the other."""
    match = EACH_SCRIPT.fullmatch(char)
    return SCRIPTS[match.lastindex] if match and match.lastindex else "Common"


def script_of(data: bytes) -> str:
    """The majority, slowly."""
    scripts = [script_of_character(char) for char in data.decode("utf-8", "ignore")]
    scripts = [script for script in scripts if script != "Common"]
    counts = Counter(scripts)
    if counts:
        return max(counts, key=counts.__getitem__)  # of equals, the first met
    return "Common" if text_of(data) is not None else "part of a character"


def check_token(words: Vocabulary, token_id: int) -> None:
    enc = words.encoding
    data = enc.token_bytes(token_id)
    text = text_of(data)
    assert words.token_bytes[token_id] == data
    assert words.texts[token_id] == data.decode("utf-8", "replace")
    assert words.byte_lengths[token_id] == len(data)
    assert words.not_utf8[token_id] == (text is None)
    assert text is None or words.char_lengths[token_id] == len(text)
    assert words.leading_space[token_id] == data.startswith(b" ")
    assert words.whitespace[token_id] == bool(text and regex.fullmatch(r"\s+", text))
    assert words.digits[token_id] == bool(text and regex.fullmatch(r" ?\p{Nd}+", text))
    assert words.special[token_id] == enc.is_special(token_id)
    assert TOKEN_SCRIPTS[words.scripts[token_id]] == script_of(data)
    assert words.script_of(token_id) == ("special" if words.special[token_id] else script_of(data))


@pytest.mark.parametrize("name", NAMES)
def test_arrays(name: str) -> None:
    words = vocabulary_of(tk.get_encoding(name))
    enc = words.encoding
    assert words.ids.tolist() == [i for i in range(enc.n_vocab) if words.token_bytes[i]]
    assert len(words) == len(enc.ordinary) + len(set(enc.special_tokens.values()))
    chosen = random.Random(7).sample(words.ids.tolist(), 300)
    for token_id in [*chosen, *words.longest(3), *enc.special_tokens.values()][:350]:
        check_token(words, token_id)
    assert int(words.count_lengths().sum()) == sum(words.count_scripts().values()) == len(enc.ordinary)
    longest = [len(enc.token_bytes(i)) for i in words.longest(5)]
    assert longest == sorted(map(len, enc.ordinary), reverse=True)[:5]
    assert vocabulary_of(enc) is words


@examples(60)
@given(st.lists(st.binary(min_size=2, max_size=6), unique=True, max_size=12))
@example([" ١٢".encode(), "١٢a".encode(), " 　".encode(), "aяя".encode(), "яa".encode(), b"\xe0\xa4 "])
@example(["\ufffd".encode(), "\ufffd".encode() + b"\xff", "½3".encode(), b"  1"])
def test_arrays_of_any_tokens(tokens: list[bytes]) -> None:
    words = vocabulary_of(from_ranks(tokens))
    for token_id in [*range(0, 256, 17), *range(256, 257 + len(tokens))]:
        check_token(words, token_id)


def test_holes_are_no_tokens() -> None:
    words = vocabulary_of(tk.get_encoding("cl100k_base"))
    holes = np.setdiff1d(np.arange(words.encoding.n_vocab), words.ids)
    assert len(holes) == 16
    for search in (search_tokens(words), search_tokens(words, "1-999999", "id")):
        assert not np.isin(holes, search).any() and len(search) >= 100_260
    with pytest.raises(ValueError, match="cl100k_base has no token 100261"):
        search_tokens(words, "100261", "id")
    with pytest.raises(ValueError, match="cl100k_base has no token 100261"):
        words.biography(100261)


# The script of a token is the same everywhere.


def test_of_a_long_token_the_beginning_decides() -> None:
    signs = b"." * (SCRIPT_BYTES - 1)
    assert script_of_token(signs + b"a" + "м".encode() * 300) == "Latin"
    assert script_of_token(signs + "м".encode() * 300) == COMMON  # its first м is cut, and is none
    assert script_of_token(signs + "м".encode()[:1]) == PART_OF_CHARACTER
    assert script_of_token(b"\x80" * (SCRIPT_BYTES + 9)) == PART_OF_CHARACTER


@pytest.mark.slow
def test_a_token_alone_has_the_script_that_it_has_among_all() -> None:
    """By one token, by all of them, and by how many there are of each."""
    words = vocabulary_of(tk.get_encoding("grove-udhr-8k"))
    assert find_token_scripts(words.token_bytes).tolist() == words.scripts.tolist()
    for token_id in words.ids.tolist():
        assert script_of_token(words.token_bytes[token_id]) == TOKEN_SCRIPTS[words.scripts[token_id]]


# Every letter that any vocabulary holds has a script.


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "grove-udhr-8k"])
def test_no_letter_lacks_a_script(name: str) -> None:
    characters = "".join(sorted(set("".join(vocabulary_of(tk.get_encoding(name)).texts))))
    lost = np.flatnonzero(find_scripts(characters) == 0)
    rest = "".join(characters[i] for i in lost)
    assert not regex.search(r"[^\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}]", rest)


# Search


@pytest.mark.slow
@examples(40)
@given(st.data())
def test_search_finds_what_is_there(data: st.DataObject) -> None:
    words = vocabulary_of(tk.get_encoding(data.draw(st.sampled_from(["gpt2", "grove-udhr-8k"]))))
    tokens = words.token_bytes
    needle = tokens[data.draw(st.sampled_from(words.ids.tolist()))][: data.draw(st.integers(1, 5))]
    expected = [i for i, token in enumerate(tokens) if needle in token]
    assert (
        search_tokens(words, needle.hex(data.draw(st.sampled_from([" ", ":"]))), "bytes").tolist() == expected
    )
    text = text_of(needle)
    if text is not None:
        assert search_tokens(words, text).tolist() == expected
        assert search_tokens(words, regex.escape(text), "regex", timeout=60).tolist() == expected
        folded = [i for i, t in enumerate(words.texts) if text.casefold() in t.casefold()]
        assert search_tokens(words, text, ignore_case=True).tolist() == folded


@pytest.mark.parametrize("query", [r"^ ?[A-Z][a-z]+$", r"\bin\B", r"(?i)THE", "^$"])
def test_search_by_regex(query: str) -> None:
    words = vocabulary_of(tk.get_encoding("gpt2"))
    pattern = regex.compile(query)
    expected = [i for i in words.ids.tolist() if pattern.search(words.texts[i])]
    assert search_tokens(words, query, "regex", timeout=60).tolist() == expected
    ignoring = regex.compile(query, regex.IGNORECASE)
    expected = [i for i in words.ids.tolist() if ignoring.search(words.texts[i])]
    assert search_tokens(words, query, "regex", ignore_case=True, timeout=60).tolist() == expected


def test_search_by_id() -> None:
    words = vocabulary_of(tk.get_encoding("gpt2"))
    assert search_tokens(words, "5, 17;3  5-7", "id").tolist() == [3, 5, 6, 7, 17]
    assert search_tokens(words, "50250-99999999", "id").tolist() == list(range(50250, 50257))
    assert len(search_tokens(words, " ", "id")) == len(search_tokens(words, " ", "bytes")) == 50257
    assert (
        search_tokens(words, "0xE0\\xa4", "bytes").tolist()
        == search_tokens(words, "e0a4", "bytes").tolist()
        != []
    )


@examples(60)
@given(st.data())
def test_filters(data: st.DataObject) -> None:
    words = vocabulary_of(tk.get_encoding(data.draw(st.sampled_from(["gpt2", "grove-udhr-8k"]))))
    only = data.draw(st.sets(st.sampled_from(get_args(Kept)), max_size=2))
    script = data.draw(st.none() | st.sampled_from(["Latin", "Common", "Han", "Yi", PART_OF_CHARACTER]))
    kept = set(search_tokens(words, "", "text", only, script).tolist())
    for token_id in random.Random(7).sample(words.ids.tolist(), 100):
        fits = script is None or TOKEN_SCRIPTS[words.scripts[token_id]] == script
        for name in only:
            fits &= token_id in words.unreachable if name == "unreachable" else getattr(words, name)[token_id]
        assert (token_id in kept) == fits


@pytest.mark.parametrize(
    ("query", "by", "message"),
    [
        ("e", "bytes", "'e' is not bytes in hex"),
        ("xyz", "bytes", "not bytes in hex"),
        ("1x", "id", "'1x' is no id"),
        ("-5", "id", "'-5' is no id"),
        ("9-5", "id", "runs backwards: write 5-9"),
        ("60000", "id", "gpt2 has no token 60000"),
        ("(", "regex", "not a valid regular expression"),
    ],
)
def test_says_what_is_wrong(query: str, by: SearchBy, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        search_tokens(vocabulary_of(tk.get_encoding("gpt2")), query, by)


@pytest.mark.parametrize("query", [r"(a|a|aa)+$b", r"((.*)*)*(.*)*=-$", r"((([^x]+)+)+)+x"])
def test_a_slow_regex_is_given_up(query: str) -> None:
    words = vocabulary_of(tk.get_encoding("gpt2"))
    with processor_seconds(5):
        try:
            search_tokens(words, query, "regex", timeout=0.2)
        except ValueError as problem:
            assert "took longer than 0.2 seconds" in str(problem)


@examples(200)
@given(st.text(st.sampled_from("ab()[]{}*+?|^$.\\d1,-:<=!xRP&#~ é"), max_size=12))
def test_any_query_is_answered_or_refused(query: str) -> None:
    words = vocabulary_of(from_ranks([b"ab", b"aab", b"ab1", "é".encode()]))
    for by in ("text", "regex", "bytes", "id"):
        try:
            token_ids = search_tokens(words, query, by, timeout=0.5)
        except ValueError as problem:
            assert str(problem)[-1] in ".?" and "\n" not in str(problem)
            continue
        assert token_ids.dtype == np.int64 and (np.diff(token_ids) > 0).all()


# Unreachable tokens: tiktoken judges


@pytest.mark.parametrize("name", ["gpt2", "o200k_base"])
@pytest.mark.slow
def test_unreachable(name: str) -> None:
    words = vocabulary_of(tk.get_encoding(name))
    judge = tiktoken.get_encoding(name)
    expected = {}
    for data, token_id in words.encoding.ordinary.items():
        text = text_of(data)
        if text is not None and (ids := judge.encode_ordinary(text)) != [token_id]:
            expected[token_id] = tuple(ids)
    assert words.unreachable == dict(sorted(expected.items()))
    assert len(expected) == (12 if name == "o200k_base" else 0)
    for token_id in expected:  # and yet each of them arises in some text
        text = words.example(token_id)
        assert text is not None and token_id in judge.encode_ordinary(text)
        assert words.texts[token_id] in text


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
        assert (biography.encodes_to_itself is False) == (token_id in words.unreachable)
        assert words.unreachable.get(token_id, biography.encodes_to) == biography.encodes_to


# Biographies


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpt2", "grove-udhr-8k"])
def test_biographies(name: str) -> None:
    enc = tk.get_encoding(name)
    words = vocabulary_of(enc)
    others = [tk.get_encoding(other) for other in ("cl100k_base", "gpt2")]
    ordinary = set(words.ordinary.tolist())
    chosen = random.Random(7).sample(words.ids.tolist(), 25 if ALL else 9)
    for token_id in [*chosen, 32, *enc.special_tokens.values()]:
        told = words.biography(token_id, others)
        data, special = enc.token_bytes(token_id), enc.is_special(token_id)
        assert (told.token_id, told.token_bytes, told.special) == (token_id, data, special)
        assert (told.rank, told.text, told.parents) == (
            enc.rank(token_id),
            text_of(data),
            parts_of(enc, token_id),
        )
        containing = {i for i, other in enumerate(words.token_bytes) if data in other}
        assert special or list(told.containing) == sorted(containing & ordinary - {token_id})
        assert told.elsewhere == tuple(
            (other.name, other.special_tokens.get(data.decode()) if special else other.token_id(data))
            for other in others
        )
        for variant in told.variants:
            assert variant.token_id == enc.token_id(variant.text.encode())
            assert told.text is not None and variant.text != told.text
            assert variant.text.strip(" ").upper() == told.text.strip(" ").upper()


@examples(60)
@given(st.lists(st.text("ab ", min_size=2, max_size=5).map(str.encode), unique=True, max_size=14))
@example([b"aa", b"aaa", b"aaaa"])
@example([b"ab", b"aba", b"bab", b"abab"])
def test_children_are_the_tokens_of_which_it_is_a_parent(tokens: list[bytes]) -> None:
    enc = from_ranks(tokens)
    words = vocabulary_of(enc)
    ids = [97, 98, 32, *range(256, 256 + len(tokens))]
    for token_id in ids:
        told = words.biography(token_id)
        parents = [other for other in ids if len(parts := parts_of(enc, other)) == 2 and token_id in parts]
        assert list(told.children) == parents


# What a search may cost


def test_a_query_has_an_end_and_a_script_is_known() -> None:
    words = vocabulary_of(tk.get_encoding("gpt2"))
    with pytest.raises(ValueError, match="There is no script 'latin'. Write it as Unicode does"):
        search_tokens(words, script="latin")
    for by in ("text", "regex", "bytes", "id"):
        with pytest.raises(ValueError, match="has 100,001 characters, and the search takes up to 100,000"):
            search_tokens(words, "1" * 100_001, by)
    for by in ("bytes", "id"):
        with pytest.raises(ValueError) as problem:
            search_tokens(words, "x" * 100_000, by)  # type: ignore[arg-type]
        assert len(str(problem.value)) < 200
