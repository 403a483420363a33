"""Whatever is given of a wrong type ends in a sentence that names the argument."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tokenizers as tk
from tests.judge import byte_pairs
from tokenizers.files import storage
from tokenizers.split.patterns import find_pattern, split
from tokenizers.text.decoding import decode_ids, parse_ids

GPT2 = byte_pairs("gpt2")
GROVE = tk.train("aaabdaaabac", 259)
SPANS = tk.encode_spans(GPT2, "the cat")
CURVE = tk.counts_by_size(GPT2, "the cat")
WORDS = tk.vocabulary_of(GPT2)

TEXT = [None, 5, b"abc", ["a", 5]]
NUMBER = [None, "4096", 4096.5, [5], b"5"]
NAME = [None, 5, b"gpt2", ["gpt2"]]
ENCODING = [None, "gpt2", 5, tk.Encoding]
ALLOWED = [None, 5, b"all", [None], "<|endoftext|>", ""]
IDS = [None, 5, "12", b"12", [1.5], ["1"], [None]]
SPECIALS = [None, 5, "<|x|>", [5], [None]]
PATTERN = [5, b"gpt2", ["gpt2"]]
PATH = [None, 5, b"\x00", [Path("x")]]
FUNCTION = [5, "print"]


# (what is called, its good arguments, the bad ones for each of them)
Case = tuple[Callable[..., Any], dict[str, Any], dict[str, list[Any]]]
CASES: list[Case] = []


def case(call: Callable[..., Any], good: dict[str, Any], **bad: list[Any]) -> None:
    CASES.append((call, good, bad))


for pairs in (GPT2, GROVE):
    case(pairs.encode_piece, {"piece": "a"}, piece=[None, 5, ["a"]])
    case(pairs.pieces, {"text": "a"}, text=TEXT)
MANY = [str(number) for number in range(200)]  # so that the ids of the good arguments are there
LETTERS = tk.learn_characters(["".join(map(chr, range(200)))], rest="unknown")
encodings: list[tk.Encoding] = [GPT2, GROVE, tk.ByteEncoding(), LETTERS, tk.WordEncoding(MANY)]
for enc in encodings:
    case(enc.place, {"text": "a"}, text=TEXT, allowed_special=ALLOWED)
    case(enc.loses, {"text": "a"}, text=TEXT)
    case(enc.encode, {"text": "a"}, text=TEXT, allowed_special=ALLOWED)
    case(enc.encode_array, {"text": "a"}, text=TEXT, allowed_special=ALLOWED)
    case(enc.cut_at_specials, {"text": "a"}, text=TEXT, allowed=ALLOWED)
    case(enc.decode, {"ids": [97]}, ids=IDS)
    case(enc.decode_bytes, {"ids": [97]}, ids=IDS)
    case(enc.token_bytes, {"token_id": 5}, token_id=NUMBER)
    case(enc.token_id, {"token_bytes": b"a"}, token_bytes=[None, "a", 5, [5]])
    case(enc.rank, {"token_id": 5}, token_id=NUMBER)
    case(enc.is_special, {"token_id": 5}, token_id=NUMBER)
case(
    tk.HomeEncoding, {"merges": []},
    merges=[None, 5, "ab", [5], [(1,)], [("a", "b")], [(1.5, 2)]],
    pattern=PATTERN, special_tokens=[*SPECIALS, {"<|x|>": "5"}], name=NAME,
)  # fmt: skip
case(GROVE.truncated, {"vocab_size": 258}, vocab_size=NUMBER)
case(GROVE.counts_by_size, {"text": "a"}, text=TEXT)
case(tk.save, {"encoding": GROVE, "path": os.devnull}, encoding=ENCODING, path=PATH)
case(tk.load, {}, path=PATH)
case(
    tk.train, {"text_or_texts": "ab", "vocab_size": 257},
    text_or_texts=[None, 5, b"abc", [5], [b"abc"]], vocab_size=NUMBER, pattern=PATTERN,
    special_tokens=SPECIALS, ties=[None, 5, ["first"]], on_progress=FUNCTION, cancel=FUNCTION, name=NAME,
)  # fmt: skip
case(
    tk.iter_merges, {"text": "ab", "n_merges": 1},
    text=[None, 5, b"abc", [5]], n_merges=NUMBER, ties=[None, 5, ["first"]], pattern=PATTERN,
)  # fmt: skip
case(tk.ByteEncoding, {}, name=NAME)
case(
    tk.CharacterEncoding, {"characters": "a"},
    characters=[None, 5, [5], b"a"], rest=[], name=NAME,
)  # fmt: skip
case(tk.WordEncoding, {"vocabulary": ["a"]}, vocabulary=[None, 5, "a", [5]], name=NAME)
case(
    tk.learn_characters, {"texts": ["a"]},
    texts=[None, 5, "a", [5]], vocab_size=["4096", 4096.5, [5]], rest=[], name=NAME,
)  # fmt: skip
case(
    tk.learn_words, {"texts": ["a"]}, texts=[None, 5, "a", [5]], vocab_size=["4096", 4096.5, [5]], name=NAME
)  # fmt: skip
case(tk.get_encoding, {"name": "gpt2"}, name=NAME)
case(tk.is_loaded, {"name": "gpt2"}, name=NAME)
case(tk.well_formed, {"text": "a"}, text=TEXT)
case(tk.TextMap, {"text": "a"}, text=TEXT, before=["the", 5])
case(tk.find_words, {"text": "a"}, text=TEXT)
case(tk.encode_spans, {"encoding": GPT2, "text": "a"}, encoding=ENCODING, text=TEXT, allowed_special=ALLOWED)
case(
    tk.Spans, {"text_map": SPANS.text_map, "encoding": GPT2, "ids": SPANS.ids},
    text_map=["the cat", None], encoding=ENCODING, ids=[None, [1169, 3797], "12"],
    places=[5, "ab", (None, None), ([0], [1])],
)  # fmt: skip
case(SPANS.token_at, {"offset": 0}, offset=NUMBER)
case(SPANS.covering, {"offset": 0}, offset=NUMBER)
case(SPANS.stretch_of, {"start": 0, "end": 1}, start=[*NUMBER, -1, 2], end=[*NUMBER, 8, 10**40])
case(SPANS.overlapping, {"start": 0, "end": 1}, start=NUMBER, end=NUMBER)
case(SPANS.window, {"text_map": tk.TextMap("the"), "start": 0}, text_map=["the", None], start=NUMBER)
case(tk.only_here, {"many": [SPANS]}, many=[None, 5, "ab", [None], [5, 5]])
case(
    tk.explain_cut, {"enc": GPT2, "text": "abc", "byte_offset": 1},
    enc=ENCODING, text=TEXT, byte_offset=NUMBER, allowed_special=ALLOWED,
)  # fmt: skip
case(tk.cut_in_words, {"why": tk.explain_cut(GPT2, "a", 0)}, why=[None, "a", 5])
case(tk.merge_tree, {"enc": GPT2, "token_id": 1169}, enc=ENCODING, token_id=[*NUMBER, True], start=NUMBER)
for make in (tk.trace, tk.forest, tk.Replay):
    case(make, {"enc": GPT2, "text": "a"}, enc=ENCODING, text=TEXT, allowed_special=ALLOWED)
case(tk.Replay(GPT2, "the cat").tokens_after, {"steps": 1}, steps=NUMBER)
case(tk.Replay(GPT2, "the cat").ids_after, {"steps": 1}, steps=NUMBER)
case(tk.unreached_by_merges, {"enc": GROVE}, enc=ENCODING)
case(tk.counts_by_size, {"encoding": GPT2, "text": "a"}, encoding=ENCODING, text=TEXT)
case(tk.cuts_by_size, {"encoding": GPT2, "text": "a"}, encoding=ENCODING, text=TEXT)
case(
    tk.cut_at_size, {"encoding": GPT2, "text": "a", "size": 300},
    encoding=ENCODING, text=TEXT, size=NUMBER,
)  # fmt: skip
case(CURVE.at, {"size": 300}, size=NUMBER)
case(CURVE.bytes_per_token, {"size": 300}, size=NUMBER)
case(CURVE.at_sizes, {"sizes": [300]}, sizes=[None, 5, "300", [300.5], ["300"], [10**40], np.array([300.5])])
case(tk.vocabulary_of, {"enc": GPT2}, enc=ENCODING)
case(
    WORDS.search, {"query": "cat"},
    query=[None, 5, b"cat", ["cat"]], by=[None, 5, ["id"]], timeout=[None, "2"],
    filters=[5, "Latin", tk.Filters(min_bytes="3"), tk.Filters(max_chars=1.5), tk.Filters(script=5)],  # type: ignore[arg-type]
)  # fmt: skip
case(WORDS.rows, {"token_ids": [5]}, token_ids=[None, 5, "12", [1.5], ["1"], [-1], [10**9]])
case(WORDS.longest, {"count": 5}, count=NUMBER)
case(WORDS.example, {"token_id": 5}, token_id=NUMBER)
case(WORDS.biography, {"token_id": 5}, token_id=NUMBER, others=[None, "gpt2", ["gpt2"], GPT2])
case(tk.overlap, {"left": GPT2, "right": GPT2}, left=ENCODING, right=ENCODING)
case(tk.count_shared, {"encodings": [GPT2]}, encodings=[None, 5, "gpt2", ["gpt2"]])
case(
    tk.measure, {"encoding": GPT2, "text": "a"},
    encoding=ENCODING, text=TEXT, words=["a", 5],
)  # fmt: skip
case(tk.nsl, {"tokens": 1, "baseline_tokens": 1}, tokens=NUMBER, baseline_tokens=NUMBER)
case(tk.premium, {"tokens": 1, "base_tokens": 1}, tokens=NUMBER, base_tokens=NUMBER, base=NAME)
case(tk.premium_of, {"counts": {"eng": 1}, "code": "eng"}, counts=[None, 5, [1]], code=NAME, base=NAME)
case(
    tk.renyi_efficiency, {"counts": np.array([1, 2]), "vocab_size": 4},
    counts=[None, 5, "12", [1.5]], vocab_size=NUMBER, power=[None, "2"],
)  # fmt: skip
case(
    tk.iter_counts, {"encoding": GPT2, "texts": []},
    encoding=ENCODING, texts=[None, 5, "eng", ["eng"]], known=[5, ["eng"]],
)  # fmt: skip
case(tk.count_all, {"encoding": GPT2, "texts": []}, encoding=ENCODING, texts=[5, "eng", ["eng"]])

case(storage.from_bytes, {"data": b"minbpe v1\n\n0\n"}, data=[None, 5, "abc", np.array([1])], name=NAME)
case(split, {"text": "a", "pattern": "a"}, text=TEXT, pattern=PATTERN)
case(find_pattern, {"name_or_regex": "a"}, name_or_regex=PATTERN)
case(parse_ids, {"text": "5"}, text=TEXT)
case(decode_ids, {"encoding": GPT2, "ids": [5]}, encoding=ENCODING, ids=[*IDS, [True], [-1], [10**40]])

# Made by the library, read by people: nothing is checked when one is made.
RESULTS = "Explanation Filters Merge Metrics Node ParallelText SizeCurve Words Encoding Vocabulary".split()
RESULTS += ["BytePairEncoding", "Loss", "Placement"]
WITHOUT_ARGUMENTS = ["list_encodings", "list_parallel"]


def run(call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    answer = call(**arguments)
    return list(answer) if isinstance(answer, Iterator) else answer


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: CASES[n][0].__qualname__)
def test_wrong_types(number: int, tmp_path: Path) -> None:
    call, good, bad = CASES[number]
    if good:
        run(call, good)  # what is said below is said of the bad ones alone
    for argument, values in bad.items():
        for value in values:
            with pytest.raises((ValueError, TypeError)) as problem:
                run(call, {**good, argument: value})
            words = str(problem.value)
            assert re.fullmatch(r"(?:[A-Z]|gpt2 |grove ).*[.?!]", words, re.DOTALL), (argument, value, words)
            assert len(words) < 400 and "\n" not in words
            known = {
                "text_or_texts": "corpus",
                "by": "search by",
                "name_or_regex": "pattern",
                "start": "piece",
                "end": "piece",
                "ties": "tie rule",
                "filters": "bytes|chars|script",
            }
            named = f"{argument}|{argument.replace('_', ' ').rstrip('s')}|{known.get(argument, argument)}"
            named += "|compare with|special token" * (
                argument in ("baseline_tokens", "base_tokens", "special_tokens")
            )
            named += "|corpus" * (call is tk.iter_merges) + "|token_id|no token" * (
                argument in ("token_id", "token_ids")
            )
            assert re.search(named, words), (argument, value, words)


def test_every_name_that_pages_import_is_tried() -> None:
    tried = {call.__name__ for call, _, _ in CASES} | {"Vocabulary", "SizeCurve"}
    others = {*RESULTS, *WITHOUT_ARGUMENTS, "PATTERNS"}
    assert set(tk.__all__) == (tried & set(tk.__all__)) | others
    for call, _, bad in CASES:
        parameters = set(inspect.signature(call).parameters)
        untried = (
            parameters
            - set(bad)
            - {"file", "timeout", "ignore_case", "lengths", "stopped", "learned", "pattern", "special_tokens"}
        )
        assert not untried, (call, untried)


def test_half_a_character_in_a_piece_is_replaced() -> None:
    for enc in (GPT2, GROVE):
        assert enc.encode_piece("a\ud800") == enc.encode("a\ufffd")


def test_numpy_numbers_are_numbers() -> None:
    five = np.int64(5)
    assert GPT2.token_bytes(five) == GPT2.token_bytes(5)  # type: ignore[arg-type]
    assert GPT2.decode(np.array([31373, 995])) == "hello world"
    assert GROVE.truncated(np.int32(258)).merges == GROVE.merges[:2]  # type: ignore[arg-type]
    assert SPANS.token_at(np.int32(5)) == 1  # type: ignore[arg-type]


def test_a_special_token_is_given_in_a_list() -> None:
    for enc in (GPT2, GROVE):
        with pytest.raises(
            ValueError, match=r"allowed_special as a list, \['<\|endoftext\|>'\], or as \"all\""
        ):
            enc.encode("<|endoftext|>", allowed_special="<|endoftext|>")
    assert GPT2.encode("<|endoftext|>", allowed_special=["<|endoftext|>"]) == [50256]
