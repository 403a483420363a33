"""Model files: what is saved comes back, minbpe's files load, and everything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.gguf_cases import gguf_of
from tests.test_gguf import LLAMA
from tests.trained import few_letters, patterns
from tokenizers.bpe.home import MAX_IDS
from tokenizers.description import steps_in_words
from tokenizers.files import ranks, tokenizer_json
from tokenizers.files.minbpe import from_bytes, to_bytes
from tokenizers.split.patterns import split

# What minbpe's RegexTokenizer writes for the text "aaabdaaabac", three merges, one special token.
MINBPE = (
    b"minbpe v1\n"
    rb"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    rb"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    b"\n1\n<|endoftext|> 100257\n97 97\n256 97\n257 98\n"
)


def test_minbpes_files_load_whatever_their_line_ends() -> None:
    for content in (MINBPE, MINBPE.replace(b"\n", b"\r\n")):
        grove = from_bytes(content)
        assert grove.merges == [(97, 97), (256, 97), (257, 98)]
        assert grove.pattern == MINBPE.decode().split("\n")[1]
        assert grove.special_tokens == {"<|endoftext|>": 100257}


special_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=1)


@pytest.mark.slow
@given(
    few_letters.filter(bool),
    patterns | st.sampled_from([" x+", "x ", "\t", "\u2028", "\x0b", "\x1c", "\x85"]),
    st.dictionaries(special_texts.map("<|{}|>".format), st.integers(400, 9000), max_size=3),
)
def test_round_trip(corpus: str, pattern: str | None, specials: dict[str, int]) -> None:
    assume(len({*specials.values()}) == len(specials))
    grove = tk.HomeEncoding(tk.train(corpus, 300, pattern).merges, pattern, specials)
    for write in (to_bytes, ranks.to_bytes, tokenizer_json.to_bytes):
        again = tk.load(write(grove), pattern=pattern, special_tokens=specials)
        assert isinstance(again, tk.HomeEncoding)
        assert (again.merges, again.pattern, again.special_tokens) == (grove.merges, grove.pattern, specials)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"minbpe v1\n\n1\n<|" + b"x" * 999 + b"|> 300\n", "is too long: up to 1,000 bytes"),
        (b"minbpe v1\n\n0\n" + b"0 0\n" * (2 * MAX_IDS), f"more lines than {MAX_IDS:,} ids need"),
    ],
    ids=lambda value: repr(value[:40]),
)
def test_says_what_is_wrong(content: bytes, message: str) -> None:
    with pytest.raises(ValueError) as problem:
        tk.load(content)
    assert message in str(problem.value)
    assert len(str(problem.value)) < 500


WHOLE = [
    MINBPE,
    b"minbpe v1\n",
    ranks.to_bytes(tk.HomeEncoding([(97, 98)])),
    gguf_of("llama", **LLAMA, bos_token_id=1, chat_template="x"),
]


@examples(400)
@given(st.sampled_from(WHOLE), st.binary(max_size=12), st.integers(0, 4_000))
def test_a_damaged_file_is_refused_in_a_sentence_or_read(whole: bytes, junk: bytes, place: int) -> None:
    begin = whole[: place % len(whole)]
    rest = whole[place % len(whole) :]
    for content in (begin, begin + junk + rest, begin + junk + rest[len(junk) :]):
        try:
            enc = tk.load(content, pattern="gpt4")
        except ValueError as problem:
            assert "\n" not in str(problem)
        else:
            enc.encode("ab ba x")
            assert steps_in_words(enc)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path / "none.model", tmp_path, Path("a\x00b")):
        with pytest.raises(OSError, match="cannot be read"):
            tk.load(path)
        if path != tmp_path / "none.model":
            with pytest.raises(OSError, match="cannot be written"):
                tk.save(tk.HomeEncoding([]), path)


# minbpe's RegexTokenizer.load (minbpe/base.py) strips each line.
@pytest.mark.parametrize("pattern", [" ?x+", "x\t", "\u3000", "(?i)x ", " [ab]|b"])
def test_to_bytes_keeps_blanks_around_a_pattern_from_minbpe(pattern: str) -> None:
    grove = tk.HomeEncoding([(97, 98)], pattern)
    line = to_bytes(grove).decode().split("\n")[1]
    assert line == line.strip()
    for text in ("ab xx\tb", "\u3000x X ab"):
        assert split(text, line) == grove.pieces(text) == from_bytes(to_bytes(grove)).pieces(text)


def test_an_outer_blank_that_an_older_file_holds_is_kept() -> None:
    assert from_bytes(b"minbpe v1\n ?[a-z]+\n0\n").pattern == " ?[a-z]+"


@pytest.mark.parametrize("name", ["gpt2", "GPT4"])
def test_the_pattern_of_a_file_is_a_regular_expression(name: str) -> None:
    grove = from_bytes(f"minbpe v1\n{name}\n0\n97 98\n".encode())
    assert grove.pieces(f"a {name} b") == ["a ", name, " b"]
