"""Model files: what is saved comes back, minbpe's files load, and everything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenizers as tk
from tests.grown import few_letters, patterns
from tokenizers.storage import MAX_BYTES, from_bytes, to_bytes

# What minbpe's RegexTokenizer writes for the text "aaabdaaabac", three merges, one special token.
MINBPE = (
    b"minbpe v1\n"
    rb"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    rb"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    b"\n1\n<|endoftext|> 100257\n97 97\n256 97\n257 98\n"
)

special_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=1)


@given(
    few_letters.filter(bool),
    patterns | st.sampled_from([" x+", "x ", "\t", "\u2028", "\x0b", "\x1c", "\x85"]),
    st.lists(special_texts.map("<|{}|>".format), unique=True, max_size=3),
)
def test_round_trip(corpus: str, pattern: str | None, specials: list[str]) -> None:
    grove = tk.train(corpus, 300, pattern, specials)
    again = from_bytes(to_bytes(grove), "again")
    assert again.merges == grove.merges
    assert again.pattern == grove.pattern
    assert again.special_tokens == grove.special_tokens
    assert to_bytes(again) == to_bytes(grove)


def test_save_and_load(tmp_path: Path) -> None:
    grove = tk.train("the cat sat on the mat", 270, special_tokens=["<|end|>"])
    path = grove.save(tmp_path / "sapling.model")
    assert path == tmp_path / "sapling.model"
    loaded = tk.load(str(path))
    assert loaded.name == "sapling"
    assert loaded.encode("the mat") == grove.encode("the mat")


def test_special_tokens_keep_ids_of_their_own() -> None:
    grove = tk.HomeEncoding([(97, 97)], special_tokens={"<|b|>": 5000, "<|a|>": 300})
    again = from_bytes(to_bytes(grove))
    assert again.special_tokens == {"<|b|>": 5000, "<|a|>": 300}
    assert again.encode("aa<|b|><|a|>", allowed_special="all") == [256, 5000, 300]


@pytest.mark.parametrize("content", [MINBPE, MINBPE.replace(b"\n", b"\r\n")])
def test_minbpes_files_load(content: bytes) -> None:
    grove = from_bytes(content, "lecture")
    assert grove.merges == [(97, 97), (256, 97), (257, 98)]
    assert grove.special_tokens == {"<|endoftext|>": 100257}
    assert grove.encode("aaabdaaabac<|endoftext|>", allowed_special="all") == [258, 100, 258, 97, 99, 100257]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no model file: neither"),
        (b"\x0a\x0e\x0a\x05<unk>\x15\x00\x00\x00\x00", "no model file: neither"),
        (b'{"version": "1.0"}', "no tokenizer.json"),
        (b"minbpe v2\n\n0\n", "no model file: neither"),
        (b"minbpe v1", "cut off"),
        (b"minbpe v1.5\n\n0\n", "Line 1 has to be"),
        (b"minbpe v1\n", "ends before the split pattern"),
        (b"minbpe v1\n\n", "ends before the number of special tokens"),
        (b"minbpe v1\n\n2\n<|x|> 300\n", "ends before a special token"),
        (b"minbpe v1\n\nx\n", "Line 3 has to hold a number"),
        (b"minbpe v1\n\n-1\n", "Line 3 has to hold a number"),
        (b"minbpe v1\n\n99999999\n", "Line 3 has to hold a number below"),
        (b"minbpe v1\n\n1\n<|x|>\n", "Line 4 has to be a special token"),
        (b"minbpe v1\n\n1\n<|x|> 1_000\n", "Line 4 has to hold a number"),
        (b"minbpe v1\n\n1\n<|x|> 97\n", "cannot have the id 97"),
        (b"minbpe v1\n\n2\n<|x|> 300\n<|x|> 301\n", "Line 5 has to be a special token of its own"),
        (b"minbpe v1\n\n0\n97 9", "cut off"),
        (b"minbpe v1\n\n0\n97\n", "Line 4 has to be the two ids"),
        (b"minbpe v1\n\n0\n97 98 99\n", "Line 4 has to be the two ids"),
        (b"minbpe v1\n\n0\n97 98\n\n98 99\n", "Line 5 has to be the two ids"),
        (b"minbpe v1\n\n0\n97 -98\n", "Line 4 has to be the two ids"),
        (b"minbpe v1\n\n0\n97 256\n", "Merge 1 joins the tokens 97 and 256"),
        (b"minbpe v1\n\n0\n97 999999999\n", "Merge 1 joins"),
        (b"minbpe v1\n\n0\n97 " + b"9" * 5000 + b"\n", "Line 4 has to be the two ids"),
        ("minbpe v1\n\n0\n٩٧ ٩٨\n".encode(), "Line 4 has to be the two ids"),
        (b"minbpe v1\n\n0\n\xff\xfe\n", "no text in UTF-8"),
        (b"minbpe v1\n(a\n0\n", "not a valid regular expression"),
        (b"minbpe v1\n\n0\n97 97\n" + b"".join(b"%d %d\n" % (i, i) for i in range(256, 400)), "1,024 MB"),
        (b"minbpe v1\n" + b"x" * MAX_BYTES, "larger than"),
    ],
)
def test_says_what_is_wrong(content: bytes, message: str) -> None:
    with pytest.raises(ValueError) as problem:
        from_bytes(content, "sapling")
    assert str(problem.value).startswith("sapling cannot be loaded. ")
    assert message in str(problem.value)
    assert len(str(problem.value)) < 500


@settings(max_examples=200)
@given(st.binary() | st.binary().map(b"minbpe v1\n".__add__), st.integers(0, len(MINBPE)))
@example(b"", 0)
def test_damage_is_a_value_error_or_nothing(junk: bytes, place: int) -> None:
    for content in (junk, MINBPE[:place], MINBPE[:place] + junk + MINBPE[place:]):
        try:
            from_bytes(content)
        except ValueError:
            pass


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path / "none.model", tmp_path, Path("a\x00b")):
        with pytest.raises(OSError, match="cannot be read"):
            tk.load(path)
        if path != tmp_path / "none.model":
            with pytest.raises(OSError, match="cannot be written"):
                tk.HomeEncoding([]).save(path)
