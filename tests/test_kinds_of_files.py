"""Files as people have them: what other tools read is read here, with the ids of the publisher's library."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import pytest

import tokenizers as tk
from pages.session.pending_tokenizers import NOT_CHOSEN, PendingTokenizers, ask_for_walls
from pages.session.tokenizer_files import TokenizerFile
from pages.session.workspace import Workspace
from tests.gguf_cases import gguf_of
from tests.refusals import refused
from tests.test_add_tokenizer import LETTERS, MERGES_TXT, VOCAB_JSON, VOCAB_TXT
from tests.test_formats import line
from tests.test_gguf import LLAMA
from tests.test_pipelines import added
from tokenizers.bpe import HomeEncoding
from tokenizers.bpe.trees import parts_of
from tokenizers.data.models import VOCABULARIES_DIR
from tokenizers.description import steps_in_words
from tokenizers.files import WRITERS, file_of, load, loading, recognise
from tokenizers.files.known import way_of
from tokenizers.json_types import JsonObject
from tokenizers.numbered import numbered
from tokenizers.split.engines import load_huggingface
from tokenizers.text.spelling import byte_characters


def tokenizer_json(**parts: Any) -> bytes:
    """A small byte-level BPE; ``model`` is changed, other parts are taken."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": {**LETTERS, "hi": 256}, "merges": [["h", "i"]], **parts.pop("model", {})}
    content = {"version": "1.0", "added_tokens": [], "pre_tokenizer": byte_level, "decoder": byte_level}
    return json.dumps({**content, **parts, "model": model}, ensure_ascii=False).encode()


def judge_of(data: bytes) -> Any:
    return load_huggingface().Tokenizer.from_str(data.decode())


# Byte order marks

RANKS = WRITERS[".tiktoken"](HomeEncoding([(104, 105)]))
MARKS = {"utf-8-sig": b"", "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-32": b""}


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize(
    ("data", "beside"),
    [
        (tokenizer_json(), b'{"chat_template": "{% for m in messages %}{% endfor %}"}'),
        (VOCAB_JSON, MERGES_TXT),
        (VOCAB_TXT, b""),
        (RANKS, b""),
        (b"minbpe v1\n\n0\n104 105\n", b""),
    ],
    ids=["tokenizer.json", "two halves", "vocab.txt", "ranks", "minbpe"],
)
def test_a_byte_order_mark_before_any_text_changes_nothing(codec: str, data: bytes, beside: bytes) -> None:
    marked, other = (MARKS[codec] + each.decode().encode(codec) if each else b"" for each in (data, beside))
    told: Any = {"pattern": "gpt2", "normalizer": None, "lowercase": True}
    plain = load(data, "a", beside=beside, **told)
    enc = load(marked, "a", beside=other, **told)
    assert file_of(enc) == file_of(plain) and enc.chat_templates == plain.chat_templates


# Unknown tokens that are none


@pytest.mark.parametrize(
    ("model", "knows", "needs"),
    [
        ({"unk_token": "<|endoftext|>"}, "hi<|endoftext|>", ""),
        ({"unk_token": "<unk>", "vocab": {"h": 0, "i": 1, "hi": 2}}, "hi<|endoftext|>", "hi you"),
        ({"type": "WordLevel", "vocab": {"hi": 0, "you": 1}, "unk_token": "[UNK]"}, "hi", "hi all"),
    ],
)
def test_encode_refuses_only_texts_that_need_a_missing_unknown(
    model: JsonObject, knows: str, needs: str
) -> None:
    parts: JsonObject = {"added_tokens": [added("<|endoftext|>", 257), added("<pad>", 258)]}
    if "type" in model:
        parts |= {"pre_tokenizer": {"type": "Whitespace"}, "decoder": None}
    data = tokenizer_json(model=model, **parts)
    enc = load(data, "mine")
    assert enc.encode(knows, allowed_special="all") == judge_of(data).encode(knows).ids
    if needs:
        with refused("^mine cannot encode this text: a part of it is no token, and"):
            enc.encode(needs)


# Added tokens


@pytest.mark.parametrize("special", [{"<b>": 300, "<a>": 259}, {"<a>": 259, "<b>": 261}, {"<a>": 500_000}])
def test_tokenizer_json_keeps_special_ids_after_a_gap(special: dict[str, int]) -> None:
    enc = HomeEncoding([(104, 105), (116, 104), (257, 101)], "gpt2", special)
    text = "the hi" + "the".join(special)
    assert judge_of(WRITERS[".json"](enc)).encode(text).ids == enc.encode(text, allowed_special="all")


# Files that are no tokenizer


def archive(names: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, data in names.items():
            packed.writestr(name, data)
    return buffer.getvalue()


def tar(name: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        packed.addfile(tarfile.TarInfo(name))
    return buffer.getvalue()


BINARY: dict[str, bytes] = {
    "JSON with too many lists or objects in one another": b'{"a":' * 60_000 + b"0" + b"}" * 60_000,
    "compressed more than once": gzip.compress(gzip.compress(RANKS)),
    "It is compressed, and damaged or cut off": gzip.compress(RANKS)[:-9],
    r"weights \(PyTorch\)": archive({"a": bytes(20_000), "a/data.pkl": b""}),
    r"\(safetensors\)": struct.pack("<Q", 99) + b'{"' + bytes(loading.MAX_FILE_BYTES),
    r"packed \(tar\). Unpack it": tar("x/tokenizer.json"),
}


@pytest.mark.parametrize("sentence", BINARY)
def test_a_file_that_is_no_tokenizer_says_what_it_is(sentence: str) -> None:
    with refused(sentence):
        load(BINARY[sentence])


# Compressed files


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_a_compressed_file_is_read_as_what_it_holds(compress: Callable[[bytes], bytes]) -> None:
    whole = load(compress(tokenizer_json()), "mine")
    assert whole.encode("hi") == [256] and file_of(whole) == tokenizer_json()
    assert load(compress(RANKS) + compress(b"dGg= 257\n"), pattern="gpt2").encode("hi th") == [256, 32, 257]
    halves = [TokenizerFile(name, compress(data), 9) for name, data in (("v", VOCAB_JSON), ("m", MERGES_TXT))]
    tokenizers = PendingTokenizers()
    assert tokenizers.read(halves, Workspace()) == [] and len(tokenizers.pending) == 1


def test_a_compressed_header_is_enough() -> None:
    assert load(gzip.compress(gguf_of("llama", **LLAMA) + bytes(1000))[:-5]).encode("ab") == [6]


@pytest.mark.slow
def test_no_compressed_file_is_unpacked_beyond_the_limit() -> None:
    bomb = gzip.compress(b"minbpe v1\n\n0\n" + bytes(1 << 20))
    with patch.object(loading, "MAX_FILE_BYTES", 1000):
        assert len(loading.plain(bomb)) == 1001
        with refused("The file is larger than 1,000 bytes"):
            load(bomb)
    with refused("compressed in more than 100 parts. Unpack it first"):
        load(gzip.compress(b"") * 101)
    wide = lzma.compress(RANKS, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}])
    with refused("It is compressed, and damaged"):  # it asks for much memory
        load(wide)


# Vocabularies as text


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), [("rwkv-world", "rwkv-world.txt"), ("clip", "clip-bpe.txt")])
def test_load_reads_vocabularies_as_text(name: str, file: str) -> None:
    enc, known = load((VOCABULARIES_DIR / f"{file}.xz").read_bytes(), "mine"), tk.get_encoding(name)
    for text in ("Hello, naïve 日本 1234 <|endoftext|>", "  It's\n\n e\u0301 \U0001f680"):
        assert enc.encode(text) == known.encode(text)
    assert enc.frame == known.frame and enc.special_tokens == known.special_tokens


RWKV = "".join(f"{i + 1} {bytes([i])!r} 1\n" for i in range(256)).encode()


def test_load_reads_a_vocabulary_of_rwkvs_kind() -> None:
    enc = load(RWKV + b"257 'hi' 2\r\n300 b'\\xe6\\x97' 2\r\n")
    assert enc.encode("hi 日") == [257, 33, 300, 166] and enc.decode([257, 33, 300, 166]) == "hi 日"


# What two halves do not tell

DIGITS = [["1", "2"], ["3", "4"], ["12", "34"], ["Ġ", "("]]
VOCAB = json.dumps({**LETTERS, **{left + right: 256 + i for i, (left, right) in enumerate(DIGITS)}}).encode()
MERGES = "".join(f"{left} {right}\n" for left, right in DIGITS).encode()


@pytest.mark.parametrize(
    "pattern", ["qwen", "gpt4", "gpt2", "qwen2", "command-r", "falcon", r"\p{L}+|\P{L}", None]
)
@pytest.mark.parametrize("form", [None, "NFC", "NFKC", "NFD"])
def test_two_halves_are_cut_as_they_are_told(pattern: str | None, form: str | None) -> None:
    enc = load(VOCAB, "mine", beside=MERGES, pattern=pattern, normalizer=form)
    way = way_of(pattern)
    model = {"type": "BPE", "vocab": json.loads(VOCAB), "merges": DIGITS, "ignore_merges": way.looks_up}
    cutter = {"type": "Sequence", "pretokenizers": list(way.steps)}
    judge = judge_of(tokenizer_json(model=model, pre_tokenizer=cutter, normalizer=form and {"type": form}))
    again = load(file_of(enc), "again")
    for text in ("1234", "DON'T 123456 (e\u0301)", "½ 12\u0661 ñ  \n x"):
        assert enc.encode(text) == judge.encode(text).ids == again.encode(text)


@pytest.mark.parametrize(
    ("asked", "special"),
    [({"<x>": 900, "<y>": 300}, {"<x>": 900, "<y>": 300}), (["<x>", "<y>"], {"<x>": 260, "<y>": 261})],
)
def test_two_halves_take_special_tokens(asked: Any, special: dict[str, int]) -> None:
    enc = load(VOCAB, beside=MERGES, special_tokens=asked, pattern="qwen", normalizer=None)
    assert enc.special_tokens == special and enc.n_tokens == 262
    assert enc.encode("12<x><y>", allowed_special="all")[2:] == [*special.values()]


def test_the_name_of_a_way_tells_its_normaliser() -> None:
    assert ("Normaliser", "NFC") in steps_in_words(load(VOCAB, beside=MERGES, pattern="command-r"))


def ranks_of(name: str) -> bytes:
    ranks = sorted(tk.get_encoding(name).ordinary.items(), key=lambda item: item[1])
    return b"".join(line(token, rank) for token, rank in ranks)


@pytest.mark.slow
def test_recognise_finds_the_pattern_of_a_published_vocabulary() -> None:
    enc = load(ranks_of("gpt2"))
    assert enc.splitting is not None and enc.splitting.pattern == tk.PATTERNS["gpt2"]
    with refused("cl100k_base or StableLM 2: gpt4 or qwen"):
        load(ranks_of("cl100k_base"))
    both = ask_for_walls(recognise(ranks_of("cl100k_base")), of_pairs=False)
    assert both.default == NOT_CHOSEN and list(both.choices)[:3] == [NOT_CHOSEN, "gpt4", "qwen"]
    of_pairs = ask_for_walls(None, of_pairs=True)
    assert "falcon" in of_pairs.choices and "falcon" not in both.choices, "it cuts in several steps"


@pytest.mark.slow
def test_recognise_knows_the_merges_of_two_published_halves() -> None:
    gpt2, letters = tk.get_encoding("gpt2"), list(byte_characters())
    names = ["".join(letters[byte] for byte in gpt2.token_bytes(i)) for i in range(50_256)]
    merges = [" ".join(names[part] for part in parts_of(gpt2, i)) for i in range(256, 50_256)]
    pairs = "\n".join(["#version: 0.2", *merges, ""]).encode()
    found = recognise(b"", pairs)
    assert found is not None and found.ways == ("gpt-2",)
    enc = load(json.dumps(numbered(names)).encode(), beside=pairs, normalizer="NFC")
    assert enc.encode("e\u0301 DON'T") == gpt2.encode("\u00e9 DON'T")


# Anything in any place


@pytest.mark.parametrize("value", [["a"], {"a": 1}, None, 7, 0.5])
def test_load_leaves_out_strange_templates(value: Any) -> None:
    template = [{"name": "default", "template": "{{ messages }}"}, {"name": value, "template": value}]
    assert load(tokenizer_json(chat_template=template)).chat_templates.default == "{{ messages }}"
