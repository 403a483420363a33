"""tokenizer.json files of random steps, and texts that meet them, for property tests."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tokenizers.families.huggingface import HuggingFaceEncoding, patterns_of
from tokenizers.files import load
from tokenizers.files.gguf_pairs import pre_tokenisers
from tokenizers.split.engines import load_huggingface
from tokenizers.split.patterns import PATTERNS
from tokenizers.text.spelling import byte_characters

PARTS = (
    *(
        "the",
        "The",
        " of",
        " rights",
        "  ",
        " ",
        "\n",
        "\r\n",
        "\t",
        "a",
        "b",
        "aaaa",
        "12345",
        "3.14",
        "don't",
    ),
    *(
        "é",
        "e\u0301",
        "½",
        "日本語",
        "、",
        "안녕",
        "\u1112\u1161\u11ab",
        "नमस्ते",
        "\U0001f469\u200d\U0001f680",
    ),
    *(
        "<a>",
        "<ab>",
        "b>",
        "<A>",
        "##",
        "▁a",
        "é",
        " x",
        "!",
        "...",
        "_",
        "\u200b",
        "\ufeff",
        "\x00",
        "ﬁ",
        "İ",
    ),
)

texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)

long_texts = st.tuples(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=12), st.randoms(use_true_random=False)
).map(lambda drawn: "".join(drawn[1].choices(drawn[0], k=400)))
"""Of few parts, so that some repeat for long."""


def _replace(kind: str, pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


NORMALISERS: tuple[dict[str, Any], ...] = (
    *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")),
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    _replace("String", " ", "▁"),
    _replace("String", "the", "a"),
    _replace("Regex", " {2,}", " "),
    _replace("Regex", "\\s+$", ""),
)


PUBLISHED = sorted(
    {
        *PATTERNS.values(),
        *(
            pattern
            for each in pre_tokenisers().values()
            for pattern in patterns_of({"normalizer": None, "pre_tokenizer": {"pretokenizers": each.steps}})
        ),
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s+",  # cl100k_base
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
        r"|\s+(?!\S)|\s+",  # nanochat
        "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
        *(" {2,}", r"\s+", "▁", r"\s+|\w+|[^\w\s]+", r"\s{2,}|[\n\r\t]"),
    }
)
"""Regular expressions of published tokenizers."""


def splitter(pattern: str) -> Any:
    """The library's step that splits a text by a pattern."""
    library = load_huggingface()
    return library.pre_tokenizers.Split(library.Regex(pattern), "isolated")


def _split(pattern: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
CUTTERS: tuple[dict[str, Any], ...] = (
    *(_split(pattern) for pattern in PATTERNS.values()),
    *(
        _split(r"\s", behavior)
        for behavior in ("Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")
    ),
    _split("\\p{N}{1,3}", "Isolated"),
    _split("(?=(\\d{3})+(?!\\d))"),
    _split("\\w+|[^\\w\\s]+", "Removed", True),
    *({"type": kind} for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")),
    {"type": "Punctuation", "behavior": "Isolated"},
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    {"type": "FixedLength", "length": 5},
    *(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("first", "always", "never")
        for split in (True, False)
    ),
    BYTES | {"use_regex": True},
    BYTES | {"add_prefix_space": True, "use_regex": True},
    BYTES,
)

_LETTERS = [*dict.fromkeys("".join(PARTS)), "▁"]
_MERGES = ("t h", "th e", "a a", "aa aa", "▁ a", "Ġ o", "Ġo f", "Ġ Ġ", "1 2", "Ċ Ċ", "▁ ▁", "a b", "aa a")


@st.composite
def models(draw: st.DrawFn) -> dict[str, Any]:
    """A model of any type, with small vocabularies."""
    kind = draw(st.sampled_from(("bytes", "letters", "pieces", "Unigram", "WordPiece", "WordLevel")))
    words = draw(st.lists(st.sampled_from([*PARTS, "▁the", "##a", "Ġa", "12"]), max_size=12, unique=True))
    if kind in ("WordPiece", "WordLevel"):
        vocab = {token: i for i, token in enumerate(dict.fromkeys(["[UNK]", "a", "b", *words]))}
        extra = {"max_input_chars_per_word": 9, "continuing_subword_prefix": "##"}
        return {"type": kind, "vocab": vocab, "unk_token": "[UNK]", **(extra if kind == "WordPiece" else {})}
    if kind == "Unigram":
        pieces = dict.fromkeys(["<unk>", *draw(st.sampled_from([_LETTERS, _LETTERS[::2]])), *words])
        return {"type": kind, "vocab": [[piece, -1.0 - i / 7] for i, piece in enumerate(pieces)], "unk_id": 0}
    alphabet = {
        "bytes": byte_characters(),
        "letters": _LETTERS,
        "pieces": [*_LETTERS[::2], "▁", *(f"<0x{byte:02X}>" for byte in range(256))],
    }[kind]
    vocab = {token: i for i, token in enumerate(dict.fromkeys(["<unk>", *alphabet]))}
    merges = []
    for merge in draw(st.lists(st.sampled_from(_MERGES), unique=True)):
        left, right = merge.split(" ")
        if left in vocab and right in vocab:
            merges.append([left, right])
            vocab.setdefault(left + right, len(vocab))
    return {
        **{"type": "BPE", "dropout": None, "continuing_subword_prefix": None, "end_of_word_suffix": None},
        **{"vocab": vocab, "merges": merges, "byte_fallback": kind == "pieces", "unk_token": "<unk>"},
        **{"fuse_unk": draw(st.booleans()), "ignore_merges": draw(st.booleans())},
    }


_ADDED = ("<a>", "<ab>", "b>", "the", "The", "é", " x", "\n", "▁a", "##", "<unk>", "a")


@st.composite
def added_tokens(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Added tokens that overlap one another, with any flags."""
    names = draw(st.lists(st.sampled_from(_ADDED), max_size=6, unique=True))
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return [
        {"id": 5000 + i, "content": name, **{flag: draw(st.booleans()) for flag in flags}}
        for i, name in enumerate(names)
    ]


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    """What a tokenizer.json of random steps holds; the library may refuse it."""
    normalizers = draw(st.lists(st.sampled_from(NORMALISERS), max_size=3))
    cutters = draw(st.lists(st.sampled_from(CUTTERS), max_size=3))
    model = draw(models())
    if "Ā" in model["vocab"]:
        cutters.append(BYTES)
    return {
        "version": "1.0",
        "added_tokens": draw(added_tokens()),
        "normalizer": {"type": "Sequence", "normalizers": normalizers} if normalizers else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cutters} if cutters else None,
        "model": model,
    }


def read(content: dict[str, Any]) -> HuggingFaceEncoding:
    """The encoding of a file.

    Raises:
        ValueError: it cannot be read.
    """
    enc = load(json.dumps(content).encode(), "random")
    assert isinstance(enc, HuggingFaceEncoding)
    return enc
