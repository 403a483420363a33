"""tokenizer.json files of random steps, and texts that meet them, for property tests."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tokenizers.families.huggingface import HuggingFaceEncoding
from tokenizers.families.huggingface_engine import BYTE_NAMES, patterns_of, steps_of
from tokenizers.files import load
from tokenizers.files.known import named_ways
from tokenizers.split.engines import load_huggingface
from tokenizers.split.patterns import PATTERNS
from tokenizers.text.spelling import byte_characters

Step = dict[str, Any]

PARTS = (
    "the|The|THE| of| rights| cat|a|b|ab|aab|aaaa|12345|4|3.14|don't|``|''|\"|!|...|, |_| x|  | |\n|\r\n|\t|"
    "##|##a|▁|▁a|Ġ|Ã©|</w>|<0xE2>|<a>|<ab>|b>|<A>|<s>|é|e\u0301|e\u0323\u0301|o\u0308\u0323|\u0301|½|㍿|㎏|日本語|、|豈|안녕|"
    "\u1112\u1161\u11ab|\u1100\u1173|\u314e\u314f\u3134|नमस्ते|\u0915\u093c|Tie\u0302\u0301ng|ｶ\uff9e|\ufefb|\u0627\u0653|"
    "ﬁ|İ|ß|ΑΣ|K|\u212a|\U0001f469\u200d\U0001f680|\u200b|\u200d|\ufeff|\x00|\x01|\xa0|\u3000|\ufffd"
).split("|")
"""What random texts are made of: whatever a step may change, join, drop or take apart."""

texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)
long_texts = st.tuples(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=12), st.randoms(use_true_random=False)
).map(lambda drawn: "".join(drawn[1].choices(drawn[0], k=400)))
"""Of few parts, so that some repeat for long."""

PUBLISHED = sorted(
    {
        *PATTERNS.values(),
        *(
            pattern
            for each in named_ways().values()
            for pattern in patterns_of({"pre_tokenizer": {"type": "Sequence", "pretokenizers": each.steps}})
        ),
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s+",  # cl100k_base
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
        r"|\s+(?!\S)|\s+",  # nanochat
        "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
        " {2,}",
        r"\s+",
        "▁",
        r"\s+|\w+|[^\w\s]+",
        r"\s{2,}|[\n\r\t]",
    }
)
"""Regular expressions of published tokenizers."""


def splitter(pattern: str) -> Any:
    """The library's step that splits a text by a pattern."""
    library = load_huggingface()
    return library.pre_tokenizers.Split(library.Regex(pattern), "isolated")


_flag = st.booleans()
_known = json.loads(
    lzma.decompress((Path(__file__).parent / "known_answers" / "pipelines.json.xz").read_bytes())
)


_written = json.loads(Path(__file__).with_name("random_steps.json").read_text("utf-8"))
_ODD_CUTS = ["(?=(\\d{3})+(?!\\d))", r"\h+", r"[\p{L}&&[^\p{Han}]]+|\s", r"\p{N}|a*"]
"""Patterns; the last three mean something else to the package regex."""
_LISTS = {
    **_written["lists"],
    "published patterns": [{"Regex": regex} for regex in (*PUBLISHED, *_ODD_CUTS)],
    "published charsmaps": [
        step["precompiled_charsmap"]
        for name in ("t5", "albert", "xlm-roberta")
        for step in steps_of(_known["pipelines"][name]["file"]["normalizer"])
        if step["type"] == "Precompiled"
    ],
}


def _any_step(*kinds: str) -> st.SearchStrategy[Step]:
    """Any step of these kinds in random_steps.json, which has the values of each option, or names a list."""

    def values(written: Any) -> st.SearchStrategy[Any]:
        return st.sampled_from(_LISTS[written] if isinstance(written, str) else written)

    steps = [step for kind in kinds for step in _written[kind]]
    return st.one_of(
        [st.fixed_dictionaries({option: values(step[option]) for option in step}) for step in steps]
    )


normalisers = _any_step("normalisers")
cutters = _any_step("cutters", "cutters and decoders")
decoders = _any_step("decoders", "cutters and decoders")
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}

_LETTERS = [*dict.fromkeys("".join(PARTS)), "▁"]
_MERGES = (
    "t h,th e,a a,aa aa,▁ a,Ġ o,Ġo f,Ġ Ġ,1 2,Ċ Ċ,▁ ▁,a b,aa a,Ã ©,Ġ c,e Ì,Ì ģ,eÌ ģ,k g,f i,a b</w>,th e</w>,"
    "a ##b,ab ##b,##a ##b,t ##h"
).split(",")
_KINDS = "bytes bytes letters ends insides pieces Unigram WordPiece WordLevel".split()


_BYTES = [[], [], BYTE_NAMES, BYTE_NAMES[::3]]


@st.composite
def _numbered(draw: st.DrawFn, tokens: list[str]) -> dict[str, int]:
    """The tokens with ids: in order, or shuffled and with gaps."""
    tokens = list(dict.fromkeys(tokens))
    ids = list(range(len(tokens)))
    if draw(st.integers(0, 3)) == 0:
        ids = draw(st.randoms(use_true_random=False)).sample(range(2 * len(tokens)), len(tokens))
    return dict(zip(tokens, ids, strict=True))


@st.composite
def models(draw: st.DrawFn) -> Step:
    """A model of any type, with small vocabularies."""
    kind = draw(st.sampled_from(_KINDS))
    words = draw(st.lists(st.sampled_from([*PARTS, "▁the", "##a", "Ġa", "12"]), max_size=12, unique=True))
    if kind in ("WordPiece", "WordLevel"):
        vocab = draw(_numbered(["[UNK]", "a", "b", *words]))
        longest, mark = draw(st.sampled_from([3, 9, 10**9])), draw(st.sampled_from(["##", "##", "▁", ""]))
        extra = {"max_input_chars_per_word": longest, "continuing_subword_prefix": mark}
        return {"type": kind, "vocab": vocab, "unk_token": "[UNK]", **(extra if kind == "WordPiece" else {})}
    if kind == "Unigram":
        letters, some_bytes = draw(st.sampled_from([_LETTERS, _LETTERS[::2]])), draw(st.sampled_from(_BYTES))
        pieces = dict.fromkeys(["<unk>", *letters, *some_bytes, *words])
        step = draw(st.sampled_from([1 / 7, 0, -1 / 7]))  # of scores, which may be equal or above 0
        scored = [[piece, -1.0 - i * step] for i, piece in enumerate(pieces)]
        return {"type": kind, "vocab": scored, "unk_id": 0, "byte_fallback": bool(some_bytes)}
    alphabet = {
        "bytes": byte_characters(),
        "letters": _LETTERS,
        "ends": [*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS)],
        "insides": [*_LETTERS, *(f"##{letter}" for letter in _LETTERS)],
        "pieces": [*_LETTERS[::2], "▁", *BYTE_NAMES],
    }[kind]
    vocab = draw(_numbered(["<unk>", *alphabet]))
    merges = []
    for merge in draw(st.lists(st.sampled_from(_MERGES), unique=True)):
        left, right = merge.split(" ")
        if left in vocab and right in vocab and (kind != "insides" or right.startswith("##")):
            merges.append([left, right])
            vocab.setdefault(left + right.removeprefix("##"), max(vocab.values()) + 1)
    return {
        "type": "BPE",
        "dropout": None,
        "continuing_subword_prefix": "##" if kind == "insides" else None,
        "end_of_word_suffix": "</w>" if kind == "ends" else None,
        "vocab": vocab,
        "merges": merges,
        "byte_fallback": kind == "pieces",
        "unk_token": None if kind == "bytes" and draw(_flag) else "<unk>",
        "fuse_unk": draw(_flag),
        "ignore_merges": draw(_flag),
    }


_ADDED = "<0xC3>|<0xA9>|Ġ|Ã|<a>|<ab>|b>|the|The|é|e\u0301|ﬁ| x|\n|▁a|##|<unk>|a".split("|")


@st.composite
def added_tokens(draw: st.DrawFn) -> list[Step]:
    """Added tokens that overlap one another, with any flags."""
    names = draw(st.lists(st.sampled_from(_ADDED), max_size=6, unique=draw(st.integers(0, 4)) > 0))
    ids = st.integers(0, 300) | st.integers(5000, 5009)
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return [{"id": draw(ids), "content": name, **{flag: draw(_flag) for flag in flags}} for name in names]


def _in_sequence(key: str, steps: list[Step]) -> Step | None:
    return {"type": "Sequence", key: steps} if steps else None


@st.composite
def files(draw: st.DrawFn) -> Step:
    """What a tokenizer.json of random steps holds, up to its ids; the library may refuse it."""
    steps, model = draw(st.lists(cutters, max_size=3)), draw(models())
    changes, added = draw(st.lists(normalisers, max_size=3)), draw(added_tokens())
    if "Ā" in model["vocab"]:
        steps.append(BYTES)
    return {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": _in_sequence("normalizers", changes),
        "pre_tokenizer": _in_sequence("pretokenizers", steps),
        "model": model,
    }


@st.composite
def whole_files(draw: st.DrawFn) -> Step:
    """As ``files``, with what is put around a text, and with a decoder."""
    content = draw(files())
    unknown = "[UNK]" if content["model"]["type"] in ("WordPiece", "WordLevel") else "<unk>"
    text: Step = {"Sequence": {"id": "A", "type_id": 0}}
    special: Step = {"SpecialToken": {"id": unknown, "type_id": 0}}
    vocabulary = content["model"]["vocab"]
    unknown_id = vocabulary[unknown] if isinstance(vocabulary, dict) else 0
    ends = {"cls": [unknown, unknown_id], "sep": [unknown, unknown_id]}
    template: Step = {"type": "TemplateProcessing", "pair": [text, text]}
    template["single"] = draw(st.sampled_from([[special, text], [text, special], [text]]))
    template["special_tokens"] = {unknown: {"id": unknown, "ids": [unknown_id], "tokens": [unknown]}}
    frames = [None, template, {"type": "Sequence", "processors": [BYTES, template]}]
    frames += [{"type": "BertProcessing", **ends}, {**BYTES, "type": "RobertaProcessing", **ends}]
    steps = draw(st.just([BYTES]) | st.lists(decoders, max_size=3))
    return {
        **content,
        "post_processor": draw(st.sampled_from(frames)),
        "decoder": _in_sequence("decoders", steps),
    }


_published = st.sampled_from([each["file"] for each in _known["pipelines"].values()])
any_file = st.one_of(*(whole_files() for _ in range(4)), _published)
"""Mostly random ones; the published ones are those of which tests/known_answers has ids, too."""


def read(content: Step) -> HuggingFaceEncoding:
    """The encoding of a file.

    Raises:
        ValueError: it cannot be read.
    """
    enc = load(json.dumps(content).encode(), "random")
    assert isinstance(enc, HuggingFaceEncoding)
    return enc
