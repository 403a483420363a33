"""tokenizer.json of any pipeline: against Hugging Face's library, and files that are refused."""

from __future__ import annotations

import base64
import functools
import importlib.metadata
import itertools
import json
import lzma
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.scrubber import why_no_curve
from tests.examples import examples
from tests.limits import processor_seconds
from tests.refusals import refused
from tests.texts import known_texts
from tokenizers.bpe import size_range
from tokenizers.description import steps_in_words
from tokenizers.encoding import Encoding
from tokenizers.families.huggingface_engine import BYTE_NAMES
from tokenizers.families.huggingface_models import PairEncoding
from tokenizers.families.lattice import WeighsPaths
from tokenizers.files import file_pairs, finding, load, tokenizer_json
from tokenizers.json_types import JsonObject
from tokenizers.measure import Comparison
from tokenizers.numbered import numbered
from tokenizers.split.patterns import pattern_name
from tokenizers.text import encode_spans
from tokenizers.text.spelling import byte_characters
from tokenizers.utf8 import well_formed

FILE = Path(__file__).parent / "known_answers" / "pipelines.json.xz"
KNOWN: JsonObject = json.loads(lzma.decompress(FILE.read_bytes()))
PIPELINES: JsonObject = KNOWN["pipelines"]
JOINED = {"llama-2", "mistral-7b-v0.3", "gemma"}
DRAWN: dict[str, str | None] = {
    **{"llama-3": "gpt4", "qwen2.5": "qwen", "gpt-oss": "gpt4o", "gpt2": "gpt2"},
    **dict.fromkeys(["deepseek-v3", "bloom", "starcoder"]),
}
"""The pattern of each that is drawn; None: another one, or several."""


def content_of(name: str) -> bytes:
    return json.dumps(PIPELINES[name]["file"], ensure_ascii=False).encode("utf-8")


@functools.cache
def encoding(name: str) -> Encoding:
    return load(content_of(name), name)


@pytest.mark.parametrize("name", PIPELINES)
def test_ids_and_texts_are_the_librarys(name: str) -> None:
    enc, known = encoding(name), PIPELINES[name]
    assert known["answers"].keys() == known_texts().keys() and len(known["answers"]) >= 60
    for title, text in known_texts().items():
        ids, decoded = known["answers"][title]
        assert enc.encode(text) == ids, title
        assert enc.decode(ids) == (well_formed(text) if decoded is None else decoded), title
    assert [*enc.frame[0], *enc.encode("the"), *enc.frame[1]] == known["frame"]
    assert enc.encode(known["marked"], allowed_special="all") == known["allowed"]
    assert enc.saved == content_of(name)
    assert (name in DRAWN, name in JOINED) == (enc.merging is not None, enc.joining is not None)
    if isinstance(enc, PairEncoding):
        assert pattern_name(enc.pattern) == DRAWN.get(name)
    if name in DRAWN:  # sizes do not count special tokens, which may come first
        assert size_range(enc) == (256, len(enc.ordinary))
        assert enc.merging and enc.rank(enc.merging.first_id + 256) == 256


def test_steps_in_words() -> None:
    """The file has what the page says of each, read by eye."""
    said = {
        name: [f"  {step}: {words}" for step, words in steps_in_words(encoding(name))] for name in PIPELINES
    }
    written = "\n\n".join("\n".join([name, *lines]) for name, lines in said.items())
    assert written + "\n" == (FILE.parent / "steps_in_words.txt").read_text("utf-8")


def test_a_size_says_of_pieces_no_more_than_is_so() -> None:
    enc = encoding("gemma")
    assert not enc.puts_space_in_front
    reason = why_no_curve(enc, dragged=True)
    assert reason.startswith("gemma merges characters, not bytes, so it cannot be cut here.")


def test_a_character_is_found_by_its_own_token_and_not_by_its_bytes() -> None:
    vocab = numbered(["▁", "a", *BYTE_NAMES])
    enc = read(content(**{**OF_PIECES, "model": bpe(vocab=vocab, merges=[], byte_fallback=True)}))
    assert enc.encode("ab")[-2:] == [enc.ordinary[b"a"], enc.ordinary[b"b"]] == [1, vocab["<0x62>"]]


def why_not_drawn(change: JsonObject) -> str:
    """Why merges of a, b and c are not drawn where the model is changed so; or that they are, as encoded."""
    tokens = ("a", "b", "c", "▁", "ab", "bc", "abc", *BYTE_NAMES)
    vocab = {token: number for number, token in enumerate(tokens)}
    model = {"type": "BPE", "vocab": vocab, "merges": ["b c", "a bc"], "byte_fallback": True, **change}
    enc = read(content(**{**OF_PIECES, "model": model}))
    assert isinstance(enc, PairEncoding) and (enc.joining is None) == bool(enc.not_drawn)
    if enc.joining is not None:
        for letters in itertools.product("abc ", repeat=5):
            text = "".join(letters)
            assert [root.token_id for root in enc.joining.grow(text).roots] == enc.encode(text)
    return enc.not_drawn or "They are drawn."


def test_merges_are_not_drawn_where_a_byte_has_no_piece() -> None:
    vocab = numbered(["a", "b", "c", "▁", "ab", "bc", "abc", *BYTE_NAMES[1:]])
    assert why_not_drawn({"vocab": vocab}) == "not every byte is one of its tokens"


def test_merges_within_words_are_not_drawn() -> None:
    splits = {key: value for key, value in METASPACE.items() if key != "split"}  # which means true
    assert "it does more to a text" in read(content(**{**OF_PIECES, "pre_tokenizer": splits})).not_drawn


def test_where_merges_of_pieces_part() -> None:
    part = "The order of merges differs from number 105 on: llama-2 makes “··⏎” from “··” + “⏎”, gemma “ein”"
    assert Comparison(encoding("llama-2"), encoding("gemma")).merges_sentence.startswith(part)


@pytest.mark.parametrize("name", ["t5", "albert"])
def test_lattice_is_of_a_line_as_it_is_cut(name: str) -> None:
    enc = encoding(name)
    assert isinstance(enc, WeighsPaths)
    lattice = enc.lattice("The ﬁne rights\nof")
    (best,) = lattice.best(1)
    pieces = [lattice.data[piece.start : piece.end] for piece in best.pieces]
    assert pieces == list(map(enc.token_bytes, enc.encode("The ﬁne rights")))
    (unknown,) = (piece for piece in enc.lattice("☃").pieces if piece.is_unknown)
    scores = [score for _, score in PIPELINES[name]["file"]["model"]["vocab"]]
    assert unknown.score == pytest.approx(min(scores) - 10)


def test_merges_out_of_the_order_of_ids_are_not_drawn() -> None:
    file = json.loads(content_of("gpt2"))
    merges = file["model"]["merges"]
    merges.insert(5, merges[5])
    assert read(file).merging, "one that is listed twice changes nothing"
    merges[5], merges[9] = merges[9], merges[5]
    enc = read(file)
    assert isinstance(enc, PairEncoding) and "the order of the ids" in enc.not_drawn
    assert encode_spans(enc, "the rights").reason(2)


# Files that cannot be read


def content(**parts: Any) -> JsonObject:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"}
    return {"version": "1.0", "added_tokens": [], "model": model, **parts}


def bpe(**options: Any) -> JsonObject:
    return {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"], **options}


def read(file: Any) -> Encoding:
    data = file if isinstance(file, bytes) else json.dumps(file).encode()
    return tokenizer_json.from_bytes(data, "file")


def added(name: str, token_id: int) -> JsonObject:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"content": name, "id": token_id, "special": True, **flags}


BY_THE_LIBRARY = "Hugging Face's library cannot read it: "
REFUSED: dict[str, Any] = {
    "It is not complete JSON: the file is damaged": b'{"model": ',
    "damaged or was cut off": b'{"model":' + b"[" * 100_000,
    "not a tokenizer.json as": [1],
    "it holds no model": {"a": 0},
    BY_THE_LIBRARY: content(post_processor={"type": "Magic"}),
    BY_THE_LIBRARY + "invalid type: [^:]*, expected a string.$": content(model=bpe(unk_token=3)),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(sentence: str) -> None:
    with refused(sentence):
        read(REFUSED[sentence])


@pytest.mark.parametrize("name", ["t5", "albert", "mistral-7b-v0.3"])
def test_encode_inside_adds_no_space(name: str) -> None:
    enc = encoding(name)
    [spaces, word, alone] = enc.encode_inside(["  ", " hi", "hi"])
    assert spaces == enc.encode("  ") and word == enc.encode(" hi") and alone != word


@pytest.mark.slow
def test_wordpiece_takes_words_of_any_length() -> None:
    """The library takes the cube of a word's length: a word of 100,000 letters would take it hours."""
    vocab = {token: i for i, token in enumerate("[UNK] A C G T ##A ##C ##G ##T ##AC AC".split())}
    model = {"type": "WordPiece", "vocab": vocab, "max_input_chars_per_word": 10**19}
    enc = read(content(model=model, pre_tokenizer={"type": "WhitespaceSplit"}))
    with processor_seconds(5):
        placed = enc.place("ACGT" * 25_000 + " C")
    assert placed.ids.tolist() == [10, 7, 8, *[9, 7, 8] * 24_999, 2] and placed.starts[-1] == 100_001
    said = encode_spans(enc, "ACGTX" * 3).reason(1)
    assert said.endswith("It could begin with “AC”, “G”, “T”, but with “X” it cannot go on.")


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
WORDS = {"type": "WhitespaceSplit"}


def of_bytes(*merges: str, **parts: Any) -> JsonObject:
    """A file of byte pairs, which has an added token, so that it is no home-trained one."""
    vocab = {letter: number for number, letter in enumerate(byte_characters())}
    vocab |= {merge.replace(" ", ""): 256 + number for number, merge in enumerate(merges)}
    model = {"type": "BPE", "vocab": vocab, "merges": list(merges)}
    token = {**added("<n>", len(vocab)), "special": False}
    usual = {"model": model, "pre_tokenizer": BYTES, "decoder": BYTES, "added_tokens": [token]}
    return content(**{**usual, **parts})


@pytest.mark.parametrize(
    "decoder, said",
    [
        (None, "none: tokens are joined with spaces"),
        ({"type": "BPEDecoder", "suffix": "f"}, "“f” becomes a space"),
        (
            {"type": "Sequence", "decoders": [BYTES, {"type": "Fuse"}]},
            "characters become bytes again, then tokens are joined",
        ),
    ],
)
def test_steps_say_what_a_decoder_does(decoder: Any, said: str) -> None:
    enc = read(of_bytes("Ġ c", "Ã ©", decoder=decoder))
    assert dict(steps_in_words(enc))["Decoder"] == said and enc.merging and not enc.is_lossless


PIECES = ["<unk>", "▁", "a", "▁a", *BYTE_NAMES]
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}
OF_PIECES: JsonObject = {
    "model": bpe(byte_fallback=True, vocab={piece: i for i, piece in enumerate(PIECES)}, merges=["▁ a"]),
    "pre_tokenizer": METASPACE,
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, METASPACE, {"type": "Fuse"}]},
}


@pytest.mark.parametrize(
    "file, names",
    [(content(**OF_PIECES), {"<0xCE>": 210, "<0xA8>": 172}), (of_bytes(), {"Î": 206, "¨": 168})],
)
def test_load_takes_bytes_as_bytes_though_listed_as_added(file: JsonObject, names: dict[str, int]) -> None:
    enc = read({**file, "added_tokens": [added(name, i) for name, i in names.items()]})
    assert enc.encode("a Ψ")[-2:] == [*names.values()] and not enc.special_tokens
    assert "taken whole" not in encode_spans(enc, "a Ψ").reason(3)
    steps = dict(steps_in_words(enc))
    assert steps["Bytes"].startswith(", ".join(names)) and "Special tokens" not in steps


@pytest.mark.parametrize("flag", ["lstrip", "normalized"])
def test_the_name_of_the_unknown_token_is_taken_whole_where_it_is_typed(flag: str) -> None:
    file = PIPELINES["word-level"]["file"]
    enc = read({**file, "added_tokens": [{**file["added_tokens"][0], flag: True}]})
    reason = encode_spans(enc, "the [UNK]", allowed_special="all").reason(6)
    assert reason == "Here is a special or added token, which is taken whole."


def test_family_of_what_has_no_merges() -> None:
    assert read(content(model=bpe(merges=[]))).family == "characters"
    assert read(of_bytes()).family == "byte pairs"


def test_bytes_with_a_fallback_that_they_never_need_are_drawn() -> None:
    file = of_bytes("t h")
    file["model"]["byte_fallback"] = True
    assert read(file).merging


def test_an_id_that_two_tokens_share_draws_no_merges() -> None:
    file = of_bytes("Ġ c", added_tokens=[added("<a>", 900)])
    file["model"]["vocab"]["Ġc"] = (
        257  # the number of tokens, which is the id of the next one for the library
    )
    enc = read(file)
    assert enc.decode(enc.encode(" c")) == "<a>" and "the id of another token" in enc.not_drawn


def test_what_is_left_out_is_said() -> None:
    file = content(model=bpe(dropout=0.5), truncation={"max_length": 1}, padding={"strategy": "BatchLongest"})
    enc = read(file)
    assert enc.encode("ab" * 3) == [2, 2, 2]
    left_out = [words for step, words in steps_in_words(enc) if step == "Left out"]
    assert len(left_out) == 3 and "dropout of 0.5" in left_out[0] and "truncation" in left_out[1]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["a", " ", "\u0301\u0323", "\u00ea\u0323u ", "1a ", "\n"])
def test_no_text_takes_the_square_of_its_length(part: str) -> None:
    for name in ("deepseek-v3", "clip", "albert", "qwen2.5"):
        encoding(name).encode("a")  # what is loaded once does not count
        with processor_seconds(2):  # after which a square of the length is still far from its end
            encode_spans(encoding(name), part * (60_000 // len(part)))


# Other files that stand for a pipeline


EVERY_TEXT = "\n".join(known_texts().values())


def test_vocab_txt_is_berts_pipeline() -> None:
    for name, lowercase in (("bert-uncased", True), ("bert-cased", False)):
        vocabulary = PIPELINES[name]["file"]["model"]["vocab"]
        data = "".join(f"{token}\n" for token in sorted(vocabulary, key=vocabulary.get)).encode()
        assert file_pairs.is_vocab_txt(data)
        enc = load(file_pairs.from_vocab_txt(data, lowercase), name)
        assert enc.encode(EVERY_TEXT) == encoding(name).encode(EVERY_TEXT)
        assert [enc.decode(side) for side in enc.frame] == ["[CLS]", "[SEP]"]


def tekken(**parts: Any) -> bytes:
    config = {
        "pattern": r"\s+|\S+",
        "default_vocab_size": 260,
        "default_num_special_tokens": 3,
        "version": "v13",
    }
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc"]
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(tokens)
    ]
    names = [{"rank": 0, "token_str": "<unk>", "is_control": True}, {"rank": 1, "token_str": "<s>"}]
    content = {
        "config": {**config, **parts.pop("config", {})},
        "vocab": vocab,
        "special_tokens": names,
        **parts,
    }
    return json.dumps(content).encode()


def test_a_tekken_json_has_names_and_a_pattern_of_its_own() -> None:
    enc = load(tekken(), "small")
    assert enc.encode("abc ab") == [259, 102, 35, 259]
    assert enc.special_tokens == {"<unk>": 0, "<s>": 1, "<SPECIAL_2>": 2} and enc.frame == ((1,), ())


INSTALLED = {
    "llama3/tokenizer.model": b"x",
    "llama3/run.model.py": b"x",
    "llama_models-1.0.dist-info/METADATA": b"Name: llama_models\nVersion: 1.0\n",
    "llama_models-1.0.dist-info/RECORD": b"llama3/tokenizer.model,,\nllama3/run.model.py,,\n",
    "other/tokenizer.json": b"x",
    "other/train.model": b"x",
    "strange-1.0.dist-info/METADATA": b"Name: strange\nVersion: 1.0\n",
    "strange-1.0.dist-info/RECORD": b"other/tokenizer.json,,\nother/train.model,,\ngone/tokenizer.json,,\n",
    "damaged-1.0.dist-info/METADATA": b"Name: damaged\nVersion: 1.0\n",
    "damaged-1.0.dist-info/RECORD": b"\xff,,\n",
}


def test_find_installed_lists_the_tokenizers_of_packages(tmp_path: Path) -> None:
    for path, data in INSTALLED.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    found = finding.find_installed(importlib.metadata.distributions(path=[str(tmp_path)]))
    assert [(each.name, each.n_bytes) for each in found] == [
        ("llama-models: llama3/tokenizer.model", 1),
        ("strange: other/tokenizer.json", 1),
    ]


# Files that were damaged in some place

STRANGE: list[Any] = [None, True, 0, -1, 1 << 40, 0.5, [], {}, ["a"]]
STRANGE += ["", "a", "\x00", "\ud800", "##", "first"]


def change_in(value: Any, dice: random.Random, strange: Any) -> None:
    """Put something strange into some place of a file."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = dice.choice(keys)
    if isinstance(value[key], (dict, list)) and value[key] and dice.randrange(4):
        change_in(value[key], dice, strange)
    else:
        value[key] = strange


@pytest.mark.slow
@examples(150)
@given(st.sampled_from(list(PIPELINES)), st.randoms(use_true_random=False), st.sampled_from(STRANGE))
def test_a_damaged_file_is_refused_or_read(name: str, dice: random.Random, strange: Any) -> None:
    file = json.loads(content_of(name))
    change_in(file, dice, strange)
    try:
        enc = load(json.dumps(file).encode(), "damaged")
    except ValueError as problem:
        assert "\n" not in str(problem) and len(str(problem)) < 1_000
        return
    for text in ("the ½ rights\r\n", "안녕 \U0010ffff", "a"):
        try:
            spans = encode_spans(enc, text)
        except ValueError as problem:
            assert "cannot encode" in str(problem)
            continue
        assert enc.decode(spans.ids.tolist()) is not None and len(spans.losses) >= 0
        assert spans.reason(1)
