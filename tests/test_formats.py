"""The files for tiktoken and for the Hugging Face package: read there as here, back, or refused."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from tiktoken.load import load_tiktoken_bpe

import tokenizers as tk
from tests.refusals import refused
from tests.test_random_pipelines import check_file, engine_of
from tokenizers.bpe import home_trained
from tokenizers.files import load, ranks, tokenizer_json

GROVE = tk.train("the cat sat on the mat, that hat", 290, "gpt4", ["<|end|>"], name="sapling")
JSON = tokenizer_json.to_bytes(GROVE)


def from_bytes(
    content: bytes, name: str = "x", pattern: str | None = "gpt4", special_tokens: list[str] | None = None
) -> tk.HomeEncoding:
    enc = tk.load(content, name, pattern=pattern, special_tokens=special_tokens or ())
    assert isinstance(enc, tk.HomeEncoding)
    return enc


def test_load_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_bytes(b"{")
    with refused(r"/broken\.json cannot be loaded", longest=600):
        tk.load(tmp_path / "broken.json")
    saved = tk.save(tk.HomeEncoding([]), tmp_path / "oak.model")
    assert (tk.load(saved).name, tk.load(saved, "ash").name) == ("oak", "ash")


def loaded_by_the_snippet(grove: tk.HomeEncoding, folder: Path) -> Any:
    path = tk.save(grove, folder / "grove.tiktoken")
    names = dict[str, Any]()
    exec(ranks.snippet(grove, os.fspath(path)), names)
    return names["encoding"]


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", "gpt4o", None, r"\w+|\s", "[ab]{2}"])
def test_tiktoken_reads_the_same_ids(tmp_path: Path, pattern: str | None) -> None:
    text = "abab 1234, DON'T abba\n\nnaïve 안녕"
    grove = tk.train(text * 9, 290, pattern, ["<|end|>"])
    engine = loaded_by_the_snippet(grove, tmp_path)
    assert engine.encode_ordinary(text) == grove.encode(text)
    assert engine.encode("<|end|>", allowed_special="all") == [*grove.special_tokens.values()]


def line(token: bytes, rank: int) -> bytes:
    return base64.b64encode(token) + b" %d\n" % rank


BYTES = b"".join(line(bytes([byte]), byte) for byte in range(256))
GAPPED = BYTES + line(b"hi", 256) + line(b"th", 258)


@pytest.mark.parametrize(
    ("content", "message"),
    {
        BYTES[:100]: "was cut off",
        BYTES[: BYTES.index(b"\n") + 1]: "Some of the 256 bytes are not among its tokens",
        BYTES + line(b"a" * 65_537, 256): "Line 257 must be a token in base64, of up to 64 KB",
    }.items(),
)
def test_rank_files_that_cannot_be(content: bytes, message: str) -> None:
    with refused(message):
        from_bytes(content, "sapling")


@pytest.mark.parametrize(
    "end",
    [
        line(b"hi", 256) + line(b"th", 258),  # no token has the rank 257
        line(b"hi", 256) + b"= 257\n",  # an empty token
        b"\n" + line(b"hi", 256).replace(b" ", b"\t") + b"\r\ndGg= 258",
        line(b"hi", 300) + line(b"th", 299) + line(b"hi", 258),  # the last counts
    ],
)
def test_load_reads_rank_files_as_tiktoken(
    end: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # it would keep a copy
    (tmp_path / "ranks").write_bytes(BYTES + end)
    ranks = load_tiktoken_bpe(str(tmp_path / "ranks"))
    theirs = tiktoken.Encoding("t", pat_str=tk.PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})
    enc = tk.load(BYTES + end, pattern="gpt2")
    ids = theirs.encode("hi there")
    assert enc.encode("hi there") == ids == tk.load(enc.saved or b"").encode("hi there")
    assert enc.n_tokens == len(ranks) and enc.n_vocab == theirs.n_vocab


def encoder(*tokens: str, **parts: Any) -> bytes:
    """The encoder file of tiktoken in JavaScript: the bytes, and these tokens."""
    listed = [*(bytes([byte]) for byte in range(256)), *map(str.encode, tokens)]
    first, *rest = (" ".join(map(ascii_of, part)) for part in (listed[:100], listed[100:]))
    content = {"pat_str": tk.PATTERNS["gpt2"], "special_tokens": {"<|endoftext|>": 262}}
    return json.dumps({**content, "bpe_ranks": f"! 0 {first}\n! 100 {' '.join(rest)}", **parts}).encode()


def ascii_of(token: bytes) -> str:
    return base64.b64encode(token).decode()


@pytest.mark.parametrize("before", [b"", b"export default ", b"module.exports = "])
def test_tiktokens_encoder_for_javascript_says_everything(before: bytes) -> None:
    data = before + encoder("he", "ll", "hell", "hello", " w", "or") + (b";\n" if before else b"")
    enc = tk.load(data)
    ids = [259, 260, 261, 108, 100, 262]
    assert enc.encode("hello world<|endoftext|>", allowed_special="all") == ids  # as npm's tiktoken
    assert isinstance(enc, tk.HomeEncoding) and enc.pattern == tk.PATTERNS["gpt2"]
    gap = tk.load(encoder("he", special_tokens={"<|end|>": 300, "<a>": 400}))
    assert gap.encode("he<a>", allowed_special="all") == [256, 400]


def test_a_cut_encoder_for_javascript_is_refused() -> None:
    with refused("not complete JSON"):
        tk.load(encoder()[:-9])


@pytest.mark.parametrize("pattern", ["gpt4o", r"\p{L}+|\P{L}", None])
def test_a_rank_file_takes_a_pattern_and_special_tokens(pattern: str | None) -> None:
    enc = tk.load(GAPPED, pattern=pattern, special_tokens={"<|end|>": 300, "<|end|>!": 301, "<|pad|>": 257})
    for again in (enc, tk.load(tk.files.file_of(enc), "again")):
        assert again.encode("hi<|end|>!th<|pad|>", allowed_special="all") == [256, 301, 258, 257]
        assert (again.n_tokens, again.n_vocab) == (261, 302)
        assert again.splitting and again.splitting.pattern == tk.PATTERNS.get(str(pattern), pattern)
    named = tk.load(GAPPED, pattern=pattern, special_tokens=["<x>", "<y>"])
    assert named.special_tokens == {"<x>": 259, "<y>": 260}


def test_the_first_line_of_a_rank_file() -> None:
    with refused("first line"):
        tk.load(b'token grove ranks 2 {"pattern": 1}\n' + GAPPED)
    head = b'token grove ranks 2 {"pattern": "gpt2", "special_tokens": {"%b": 300}}\n'
    assert tk.load(head % b"<x>" + BYTES).encode("<x>", allowed_special="all") == [300]
    with refused("The special token 'h' is a single byte"):
        tk.load(head % b"h" + BYTES)
    with refused("'hi' is also ordinary token 256"):
        tk.load(head % b"hi" + GAPPED)


def changed(path: str, value: Any) -> bytes:
    """The tokenizer.json, with something else at a place such as model/type."""
    content = json.loads(JSON)
    *parents, last = path.split("/")
    place = content
    for parent in parents:
        place = place[0 if parent == "0" else parent]
    place[last] = value
    return json.dumps(content).encode()


CHANGES = json.loads("""[
    ["normalizer", {"type": "NFC"}],
    ["model/ignore_merges", true],
    ["model/end_of_word_suffix", "</w>"],
    ["decoder", null],
    ["pre_tokenizer", null],
    ["pre_tokenizer/pretokenizers", []],
    ["pre_tokenizer",
     {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}],
    ["pre_tokenizer/pretokenizers/0/behavior", "Removed"],
    ["pre_tokenizer/pretokenizers/0/pattern", {"String": " "}],
    ["added_tokens/0/lstrip", true],
    ["added_tokens/0/special", false],
    ["added_tokens/0/content", "the"],
    ["model/vocab/zzz", 999],
    ["model/vocab/a", 998]
]""")


@pytest.mark.parametrize(("place", "value"), [*CHANGES, ("added_tokens/0/content", "x" * 1001)])
def test_load_runs_other_tokenizer_jsons_on_the_library(place: str, value: Any) -> None:
    content = changed(place, value)
    assert home_trained(load(content, "sapling")) is None
    judge = engine_of(json.loads(content), ())
    for text in ("the cat, that hat", "<|end|> 1é", "naïve\n\n"):
        assert load(content).encode(text) == judge.encode(text, add_special_tokens=False).ids


def test_a_special_token_spelled_as_an_ordinary_one_is_refused() -> None:
    grove = tk.train("the the the", vocab_size=260, pattern="gpt4o", special_tokens=["Ġthe"])
    with refused("cannot hold both"):
        tokenizer_json.to_bytes(grove)


def test_snippet_warns_of_special_tokens_that_begin_alike() -> None:
    grove = tk.HomeEncoding([], "gpt2", ["<|1", "<|1|>"])
    assert grove.encode("<|1|>", allowed_special="all") == [257]  # the longer one, as Hugging Face's does
    assert ranks.snippet(grove).startswith("# Of '<|1' and '<|1|>', tiktoken may read either")
    assert "#" not in ranks.snippet(GROVE)


@pytest.mark.parametrize("name", ["gpt2", "GPT4"])
def test_a_pattern_in_a_tokenizer_json_is_a_regular_expression(name: str) -> None:
    content = changed("pre_tokenizer/pretokenizers/0/pattern", {"Regex": name})
    check_file(json.loads(content), [f"the{name}hat"])
