"""Random pipelines for the fuzz: a tokenizer.json of any steps, and Hugging Face's library as the judge."""

from __future__ import annotations

import itertools
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers as tk
from tokenizers.bpe.trees import forest
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.families.huggingface import huggingface_engine
from tokenizers.files import tokenizer_json
from tokenizers.text import encode_spans

KNOWN = Path(__file__).resolve().parent.parent / "tests" / "known_answers" / "pipelines.json.xz"

STRETCHES = [
    *(
        "the",
        " the",
        " cat",
        "THE",
        "it's",
        "don't",
        "ab",
        "aab",
        "123",
        "4",
        " ",
        "  ",
        "   ",
        "\n",
        "\r\n",
        "\t",
    ),
    *(
        "``",
        "''",
        '"',
        ".",
        ", ",
        "!?",
        "_",
        "▁",
        "Ġ",
        "Ã©",
        "</w>",
        "##a",
        "<0xE2>",
        "<s>",
        "</s>",
        "<|x|>",
        "<a>",
    ),
    *(
        "é",
        "e\u0301",
        "e\u0323\u0301",
        "o\u0308\u0323",
        "\u0301",
        "안녕",
        "\u1112\u1161\u11ab",
        "\u1100\u1173",
        "ㅎㅏㄴ",
    ),
    *(
        "Ti\u1ebfng Vi\u1ec7t",
        "Tie\u0302\u0301ng",
        "क़लम",
        "\u0915\u093c",
        "हिन्दी",
        "ﬁne",
        "㎏",
        "½",
        "㍿",
        "ガギ",
        "ｶﾞﾊﾟ",
    ),
    *(
        "\ufefb\ufedf\ufe8e",
        "مرحبا",
        "\u0627\u0653",
        "豈",
        "中文",
        "日本語",
        "İ",
        "ß",
        "ΑΣ",
        "ǅ",
        "\u2126",
        "ſ",
        "K",
    ),
    *(
        "😀",
        "👩\u200d🚀",
        "🇩🇪",
        "\u200d",
        "\u00a0",
        "\u3000",
        "\x00",
        "\x01",
        "\u2028",
        "\ufeff",
        "\ufffd",
        "\U000e0001",
    ),
]
"""What random texts are made of: whatever a step may change, join, drop or take apart."""


def any_text(choose: random.Random, most: int) -> str:
    """A random text of several stretches, perhaps in a normal form of Unicode."""
    few = choose.sample(STRETCHES, choose.randint(1, 12)) if choose.random() < 0.5 else STRETCHES
    return "".join(choose.choices(few, k=choose.randint(0, most)))


# A pipeline


def _pattern(choose: random.Random) -> dict[str, str]:
    return choose.choice(
        [
            *({"String": string} for string in (" ", "ab", "e\u0301", "``", "a", "▁", "\n")),
            *({"Regex": regex} for regex in (r"\s+", r" {2,}", r"a+", r"\p{L}+", r"\p{N}{1,3}", r"[^\s\w]")),
            {"Regex": r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"},
        ]
    )


def _normaliser(choose: random.Random, charsmaps: list[str]) -> dict[str, Any]:
    kind = choose.choice(
        "NFC NFC NFKC NFD NFKD Lowercase StripAccents Strip Replace Replace Prepend Nmt BertNormalizer "
        "Precompiled ByteLevel".split()
    )
    options: dict[str, Callable[[], dict[str, Any]]] = {
        "Strip": lambda: {"strip_left": choose.random() < 0.5, "strip_right": choose.random() < 0.5},
        "Replace": lambda: {
            "pattern": _pattern(choose),
            "content": choose.choice(["", " ", "▁", '"', "c", "xyz", "é"]),
        },
        "Prepend": lambda: {"prepend": choose.choice(["▁", " ", "x"])},
        "BertNormalizer": lambda: {
            **{key: choose.random() < 0.5 for key in ("clean_text", "handle_chinese_chars", "lowercase")},
            "strip_accents": choose.choice([None, True, False]),
        },
        "Precompiled": lambda: {"precompiled_charsmap": choose.choice(charsmaps)},
    }
    return {"type": kind, **options.get(kind, dict)()}


_BEHAVIOURS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def _metaspace(choose: random.Random) -> dict[str, Any]:
    return {
        "replacement": "▁",
        "prepend_scheme": choose.choice(["always", "never", "first"]),
        "split": choose.random() < 0.5,
    }


def _byte_level(choose: random.Random) -> dict[str, Any]:
    usual = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return usual if choose.random() < 0.5 else {key: choose.random() < 0.5 for key in usual}


def _pre_tokeniser(choose: random.Random) -> dict[str, Any]:
    kind = choose.choice(
        "Split Split Split Metaspace Whitespace WhitespaceSplit BertPreTokenizer Digits Punctuation "
        "CharDelimiterSplit UnicodeScripts FixedLength".split()
    )
    options: dict[str, Callable[[], dict[str, Any]]] = {
        "Split": lambda: {
            "pattern": _pattern(choose),
            "behavior": choose.choice(_BEHAVIOURS),
            "invert": choose.random() < 0.3,
        },
        "Metaspace": lambda: _metaspace(choose),
        "Digits": lambda: {"individual_digits": choose.random() < 0.5},
        "Punctuation": lambda: {"behavior": choose.choice(_BEHAVIOURS)},
        "CharDelimiterSplit": lambda: {"delimiter": choose.choice(" _a")},
        "FixedLength": lambda: {"length": choose.randint(1, 6)},
    }
    return {"type": kind, **options.get(kind, dict)()}


def _decoder(choose: random.Random) -> dict[str, Any]:
    kind = choose.choice(
        "ByteLevel WordPiece Metaspace BPEDecoder ByteFallback Fuse Strip Replace CTC".split()
    )
    options: dict[str, Callable[[], dict[str, Any]]] = {
        "ByteLevel": lambda: _byte_level(choose),
        "WordPiece": lambda: {"prefix": "##", "cleanup": choose.random() < 0.5},
        "Metaspace": lambda: _metaspace(choose),
        "BPEDecoder": lambda: {"suffix": "</w>"},
        "Strip": lambda: {
            "content": choose.choice(" ▁a"),
            "start": choose.randint(0, 2),
            "stop": choose.randint(0, 1),
        },
        "Replace": lambda: {
            "pattern": choose.choice([{"String": "▁"}, _pattern(choose)]),
            "content": choose.choice([" ", "", "é"]),
        },
        "CTC": lambda: {"pad_token": "<s>", "word_delimiter_token": "|", "cleanup": choose.random() < 0.5},
    }
    return {"type": kind, **options.get(kind, dict)()}


def _in_sequence(key: str, steps: list[dict[str, Any]]) -> dict[str, Any] | None:
    return {"type": "Sequence", key: steps} if len(steps) > 1 else steps[0] if steps else None


def _frame(choose: random.Random, first: tuple[str, int]) -> dict[str, Any] | None:
    name, token_id = first
    special = {"SpecialToken": {"id": name, "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    template = {
        "type": "TemplateProcessing",
        "single": choose.choice([[special, text], [special, text, special], [text, special], [text]]),
        "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {name: {"id": name, "ids": [token_id], "tokens": [name]}},
    }
    byte_level = {"type": "ByteLevel", **_byte_level(choose)}
    ends = {"cls": [name, token_id], "sep": [name, token_id]}
    return choose.choice(
        [
            None,
            template,
            byte_level,
            {"type": "BertProcessing", **ends},
            {
                "type": "RobertaProcessing",
                "trim_offsets": choose.random() < 0.5,
                "add_prefix_space": True,
                **ends,
            },
            {"type": "Sequence", "processors": [byte_level, template]},
        ]
    )


def _learn(choose: random.Random, engine: Any, texts: list[str]) -> dict[str, Any]:
    """A model of any type for what an engine cuts of texts."""
    library = huggingface_engine()
    kind = choose.choice(["BPE", "BPE", "BPE", "Unigram", "WordPiece", "WordLevel"])
    usual = {"vocab_size": choose.choice([60, 150, 400]), "special_tokens": ["<unk>"], "show_progress": False}
    if kind == "BPE":
        marks: dict[str, str] = {}
        if choose.random() < 0.2:
            marks = choose.choice([{"end_of_word_suffix": "</w>"}, {"continuing_subword_prefix": "##"}])
        trainer = library.trainers.BpeTrainer(
            initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet() if choose.random() < 0.8 else [],
            **usual,
            **marks,
        )
        engine.model = library.models.BPE(**marks)
    elif kind == "Unigram":
        trainer = library.trainers.UnigramTrainer(unk_token="<unk>", **(usual | {"vocab_size": 1000}))
        engine.model = library.models.Unigram()
    elif kind == "WordPiece":
        trainer = library.trainers.WordPieceTrainer(**usual)
        engine.model = library.models.WordPiece(unk_token="<unk>")
    else:
        trainer = library.trainers.WordLevelTrainer(**usual)
        engine.model = library.models.WordLevel(unk_token="<unk>")
    engine.train_from_iterator(texts, trainer)
    model: dict[str, Any] = json.loads(engine.to_str())["model"]
    return _vary(choose, model)


def _vary(choose: random.Random, model: dict[str, Any]) -> dict[str, Any]:
    """A model with options as files have them, and with ids in another order."""
    if model["type"] == "Unigram":
        if choose.random() < 0.3:
            model["vocab"] += [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
            model["byte_fallback"] = True
        return model
    vocabulary = model["vocab"]
    if model["type"] == "BPE":
        marks = model["end_of_word_suffix"] or model["continuing_subword_prefix"]
        # Without it, such a model drops a letter in one place of a word, and not in another.
        model["unk_token"] = "<unk>" if marks else choose.choice([None, "<unk>"])
        for option, often in (("fuse_unk", 0.5), ("ignore_merges", 0.2)):
            model[option] = choose.random() < often
        if choose.random() < 0.2:
            vocabulary |= {f"<0x{byte:02X}>": len(vocabulary) + byte for byte in range(256)}
            model["byte_fallback"] = True
    ids = list(vocabulary.values())
    if choose.random() < 0.2:
        choose.shuffle(ids)
    if choose.random() < 0.2:
        ids = [token_id + 7 for token_id in ids]
    model["vocab"] = dict(zip(vocabulary, ids, strict=True))
    return model


def any_pipeline(choose: random.Random, texts: list[str]) -> dict[str, Any]:
    """The content of a tokenizer.json of random steps, whose model has learned from texts."""
    library = huggingface_engine()
    normalisers = [_normaliser(choose, _charsmaps()) for _ in range(choose.choice([0, 0, 1, 1, 2, 3]))]
    cutters = [_pre_tokeniser(choose) for _ in range(choose.choice([0, 1, 1, 2]))]
    if choose.random() < 0.5:
        cutters.append({"type": "ByteLevel", **_byte_level(choose)})
    decoders = [_decoder(choose) for _ in range(choose.choice([0, 1, 1, 1, 2, 3]))]
    if cutters and cutters[-1]["type"] == "ByteLevel" and choose.random() < 0.5:
        decoders = [{"type": "ByteLevel", **_byte_level(choose)}]
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": _in_sequence("normalizers", normalisers),
        "pre_tokenizer": _in_sequence("pretokenizers", cutters),
        "post_processor": None,
        "decoder": _in_sequence("decoders", decoders),
        "model": {"type": "BPE", "vocab": {}, "merges": []},
    }
    engine = library.Tokenizer.from_str(json.dumps(content))
    content["model"] = _learn(choose, engine, texts)
    engine = library.Tokenizer.from_str(json.dumps(content))
    for name in choose.sample(
        ["<s>", "<|x|>", "<a>", "the", "é", "e\u0301", "ab", "  ", "ﬁ", "THE"], choose.randint(0, 5)
    ):
        is_special = choose.random() < 0.6 if len(name) < 3 else choose.random() < 0.3
        often = 0.5 if choose.random() < 0.3 else 0.0
        options = {key: choose.random() < often for key in ("lstrip", "rstrip", "single_word")}
        token = library.AddedToken(name, normalized=choose.random() < 0.3, **options)
        (engine.add_special_tokens if is_special else engine.add_tokens)([token])
    content = json.loads(engine.to_str())
    framing = choose.choice(
        [*content["added_tokens"], {"content": "<unk>", "id": engine.token_to_id("<unk>")}]
    )
    content["post_processor"] = _frame(choose, (framing["content"], framing["id"]))
    if content["post_processor"] and framing["id"] is None:
        content["post_processor"] = None
    return content


def _charsmaps() -> list[str]:
    """The tables of SentencePiece in the known pipelines."""
    if not _CHARSMAPS:
        known = json.loads(lzma.decompress(KNOWN.read_bytes()))["pipelines"]
        for each in known.values():
            normaliser = each["file"]["normalizer"] or {}
            for step in normaliser.get("normalizers", [normaliser]):
                table = step.get("precompiled_charsmap")
                if table and table not in _CHARSMAPS:
                    _CHARSMAPS.append(table)
    return _CHARSMAPS


_CHARSMAPS: list[str] = []


# What has to be so

EXPECTED = ("by chance", "cannot encode this text")
"""What is said of files, and of texts, on which the library itself breaks down or has no one answer."""


def check_pipeline(content: dict[str, Any], texts: list[str], choose: random.Random) -> None:
    """Compare what we read in a tokenizer.json with the library, text by text.

    Raises:
        AssertionError: they differ; says on what. ValueError: it is refused.
    """
    enc = tokenizer_json.from_bytes(json.dumps(content).encode(), "fuzz")
    judges = [huggingface_engine().Tokenizer.from_str(json.dumps(content)) for _ in range(2)]
    judges[0].encode_special_tokens = True  # they are plain text
    for text, (allowed, judge) in itertools.product(texts, zip(((), "all"), judges, strict=True)):
        found = answer(judge.encode, text, add_special_tokens=False)
        ours = answer(enc.encode, text, allowed_special=allowed)
        theirs = None if found is None else found.ids
        assert ours == theirs, f"ids of {text!r}, {allowed!r}: {ours}, and the library's {theirs}"
        if ours is None:
            continue
        framed, around = judge.encode(text).ids, [*enc.frame[0], *ours, *enc.frame[1]]
        assert framed == around, f"ids with what is put around {text!r}: {around}, not {framed}"
        for ids in (ours, choose.choices(ours, k=len(ours))):
            back, known = answer(enc.decode, ids), answer(judge.decode, ids, skip_special_tokens=False)
            assert back == known, f"decoded {ids}: {back!r}, and the library's {known!r}"
        check_spans(enc, text, allowed)


def answer(ask: Callable[..., Any], *question: Any, **more: Any) -> Any:
    """What is answered; None: the library breaks down on the question."""
    try:
        return ask(*question, **more)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # a panic in Rust is no subclass of Exception
        return None


def check_spans(enc: Encoding, text: str, allowed: AllowedSpecial) -> None:
    """The places of tokens, the claims of what comes back, and the reasons."""
    spans = encode_spans(enc, text, allowed_special=allowed)
    data, ids = spans.text_map.data, spans.ids.tolist()
    where = f"{data.decode()!r}: {ids}, {spans.starts.tolist()}, {spans.ends.tolist()}"
    back = enc.decode_array(spans.ids)
    rebuilt, at = b"", 0
    for loss in spans.losses:
        rebuilt += data[at : loss.start] + loss.became.encode()
        at = loss.end
    assert rebuilt + data[at:] == back, f"losses of {where} do not give {back!r}: {spans.losses}"
    assert (not spans.losses) == (back == data) == spans.decodes_to_text, (
        f"claims of what comes back, {where}"
    )
    assert back == data or not enc.is_lossless, f"claimed to come back: {where}"
    owners, starts, ends = (each.tolist() for each in spans.stretches)
    assert b"".join(data[a:b] for a, b in zip(starts, ends, strict=True)) == data, f"stretches of {where}"
    assert [each for each in owners if each >= 0] == list(range(len(ids))), f"owners of {where}"
    for owner, start, end in zip(owners, starts, ends, strict=True):
        assert owner >= 0 or is_dropped(enc, data, start, end, allowed), (
            f"[{start}, {end}) belongs to no token, {where}"
        )
    for place in range(len(data) + 1):
        assert spans.reason(place), f"no reason at {place}, {where}"
    if enc.merging:
        assert (
            b"".join(map(enc.token_bytes, ids)).decode() == enc.seen(spans.text_map.text)
            or spans.special.any()
        )
        for place in range(len(data) + 1):
            tk.explain_cut(enc, spans.text_map.text, place)
        if not spans.special.any():
            assert [root.token_id for root in forest(enc, spans.text_map.text)] == ids, f"trees of {where}"
    if enc.joining and not spans.special.any():
        try:
            roots = [root.token_id for root in enc.joining.grow(spans.text_map.text).roots]
        except ValueError:  # an added token
            return
        assert roots == ids, f"trees of {where}: {roots}"


def is_dropped(enc: Encoding, data: bytes, start: int, end: int, allowed: AllowedSpecial) -> bool:
    """Whether no token comes of a stretch: without it, with it twice, with a tab instead, or alone."""
    stretch = data[start:end]
    try:
        ids = enc.encode(data.decode(), allowed_special=allowed)
        others = (data[:start] + instead + data[end:] for instead in (b"", stretch * 2, b"\t"))
        same = any(enc.encode(other.decode(), allowed_special=allowed) == ids for other in others)
        return same or enc.encode(stretch.decode(), allowed_special=allowed) == []
    except UnicodeDecodeError:
        return False
