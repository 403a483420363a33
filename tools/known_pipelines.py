"""Known answers for tokenizer.json: pipelines as published files declare them, around small vocabularies.

    python -m tools.known_pipelines

A vocabulary that is in the file stays, since the library trains another one in each process; its answers are
made anew. ``--train NAME`` trains it anew, too.

Hugging Face's library trains a small vocabulary for each pipeline, on the declarations of human rights that
are here, and encodes the texts of ``tests/texts.py`` with it. File and answers are written to
tests/known_answers/pipelines.json.xz, with the library's version; the tests compare ours with them.

The declarations of each pipeline (not the vocabularies) are those of the files that its name says, as
published on Hugging Face's hub or made by the converters of the library transformers
(convert_slow_tokenizer.py).
"""

from __future__ import annotations

import argparse
import base64
import importlib.metadata
import json
import lzma
from pathlib import Path
from typing import Any

from tests.texts import known_texts
from tokenizers.data.parallel import list_parallel
from tokenizers.data.vocabulary_files import read_vocabulary
from tokenizers.families.library_decoding import flatten
from tokenizers.split.engine_tasks import load_huggingface
from tokenizers.split.patterns import GPT4O, QWEN
from tokenizers.split.safe_pattern import BLOOM, CLIP_WORDS, DEEPSEEK, LLAMA3
from tokenizers.utf8 import well_formed

FILE = Path(__file__).resolve().parent.parent / "tests" / "known_answers" / "pipelines.json.xz"

Json = dict[str, Any]


def split(pattern: str, behavior: str = "Isolated", invert: bool = False, kind: str = "Regex") -> Json:
    """A Split step."""
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(prefix: bool = False, regex: bool = False, trim: bool = True) -> Json:
    """A ByteLevel step."""
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": trim, "use_regex": regex}


def replace(old: str, new: str, kind: str = "String") -> Json:
    """A Replace step."""
    return {"type": "Replace", "pattern": {kind: old}, "content": new}


def many(what: str, *steps: Json) -> Json:
    """A sequence of steps."""
    return {"type": "Sequence", what: list(steps)}


def normalisers(*steps: Json) -> Json:
    """A sequence of normalisers."""
    return many("normalizers", *steps)


def cutters(*steps: Json) -> Json:
    """A sequence of pre-tokenisers."""
    return many("pretokenizers", *steps)


def decoders(*steps: Json) -> Json:
    """A sequence of decoders."""
    return many("decoders", *steps)


def metaspace(scheme: str = "always", cuts: bool = True) -> Json:
    """A Metaspace step."""
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cuts}


def template(front: str = "", behind: str = "") -> Json:
    """A TemplateProcessing; the ids are filled in once they are known."""
    parts: list[Json] = [{"SpecialToken": {"id": front, "type_id": 0}}] if front else []
    parts.append({"Sequence": {"id": "A", "type_id": 0}})
    parts += [{"SpecialToken": {"id": behind, "type_id": 0}}] if behind else []
    return {"type": "TemplateProcessing", "single": parts, "pair": parts, "names": [front, behind]}


def added(content: str, **options: bool) -> Json:
    """An added token; its id is filled in."""
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"content": content, **usual, **options}


def kind(name: str) -> Json:
    """A step without options."""
    return {"type": name}


BERT: Json = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
WORD_PIECE: Json = {"type": "WordPiece", "prefix": "##", "cleanup": True}
LLAMA_DECODER = decoders(
    replace("▁", " "),
    kind("ByteFallback"),
    kind("Fuse"),
    {"type": "Strip", "content": " ", "start": 1, "stop": 0},
)
NAMES = [added("<unk>"), added("<s>"), added("</s>")]
BERT_NAMES = [added(name) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]


def charsmap() -> Json:
    """SentencePiece's table for nmt_nfkc, as the model of j2 holds it."""
    model = read_vocabulary("j2.model", "j2")
    at = model.index(b"nmt_nfkc\x12") + len(b"nmt_nfkc\x12")
    size = shift = 0
    while True:  # the length before it is a number of protocol buffers
        size |= (model[at] & 0x7F) << shift
        shift += 7
        at += 1
        if model[at - 1] < 0x80:
            break
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(model[at : at + size]).decode()}


def pipelines() -> dict[str, Json]:
    """By name: the steps, the model's options, and the added tokens."""
    pieces = {"model": "BPE", "byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}
    unigram = {"model": "Unigram", "unk": "<unk>"}
    pairs = {"model": "BPE", "alphabet": True}
    bert = {"model": "WordPiece", "unk_token": "[UNK]"}
    return {
        "llama-2": {
            **pieces,
            "normalizer": normalisers({"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")),
            "decoder": LLAMA_DECODER,
            "added": NAMES,
            "post_processor": template("<s>"),
        },
        "mistral-7b-v0.3": {
            **pieces,
            "pre_tokenizer": metaspace("first", cuts=False),
            "decoder": LLAMA_DECODER,
            "added": [*NAMES, added("[INST]")],
            "post_processor": template("<s>"),
        },
        "gemma": {
            **pieces,
            "normalizer": replace(" ", "▁"),
            "pre_tokenizer": split(" ", "MergedWithPrevious", kind="String"),
            "decoder": decoders(replace("▁", " "), kind("ByteFallback"), kind("Fuse")),
            "added": [
                added("<pad>"),
                added("<eos>"),
                added("<bos>"),
                added("<unk>"),
                added("\n\n", special=False),
            ],
            "post_processor": template("<bos>"),
        },
        "llama-3": {
            **pairs,
            "ignore_merges": True,
            "pre_tokenizer": cutters(split(LLAMA3), byte_level()),
            "decoder": byte_level(True, True),
            "added": [added("<|begin_of_text|>"), added("<|eot_id|>")],
            "post_processor": many(
                "processors", byte_level(True, True, False), template("<|begin_of_text|>")
            ),
        },
        "qwen2.5": {
            **pairs,
            "normalizer": kind("NFC"),
            "pre_tokenizer": cutters(split(QWEN), byte_level()),
            "decoder": byte_level(),
            "added": [added("<|endoftext|>"), added("<|im_start|>"), added("<tool_call>", special=False)],
            "post_processor": byte_level(trim=False),
        },
        "deepseek-v3": {
            **pairs,
            "normalizer": normalisers(),
            "pre_tokenizer": cutters(
                split(r"\p{N}{1,3}"), split("[一-龥\u3040-ゟ゠-ヿ]+"), split(DEEPSEEK), byte_level()
            ),
            "decoder": byte_level(True, True),
            "added": [added("<｜begin▁of▁sentence｜>"), added("<｜User｜>", special=False, normalized=True)],
            "post_processor": template("<｜begin▁of▁sentence｜>"),
        },
        "gpt-oss": {
            **pairs,
            "pre_tokenizer": cutters(split(GPT4O), byte_level(trim=True)),
            "decoder": byte_level(True, True),
            "added": [added("<|endoftext|>"), added("<|message|>")],
        },
        "gpt2": {
            **pairs,
            "pre_tokenizer": byte_level(regex=True),
            "decoder": byte_level(True, True),
            "added": [added("<|endoftext|>", normalized=True)],
            "post_processor": byte_level(True, True, False),
        },
        "roberta": {
            **pairs,
            "pre_tokenizer": byte_level(True, True),
            "decoder": byte_level(True, True),
            "added": [*NAMES, added("<mask>", lstrip=True)],
            "post_processor": {
                "type": "RobertaProcessing",
                "names": ["<s>", "</s>"],
                "trim_offsets": True,
                "add_prefix_space": True,
            },
        },
        "bloom": {
            **pairs,
            "pre_tokenizer": cutters(split(BLOOM), byte_level()),
            "decoder": byte_level(True),
            "added": NAMES,
        },
        "falcon": {
            **pairs,
            "pre_tokenizer": cutters(
                {"type": "Punctuation", "behavior": "Contiguous"},
                byte_level(regex=True),
                {"type": "Digits", "individual_digits": False},
                split("[0-9][0-9][0-9]"),
            ),
            "decoder": byte_level(True, True),
            "added": [added("<|endoftext|>")],
        },
        "starcoder": {
            **pairs,
            "pre_tokenizer": cutters({"type": "Digits", "individual_digits": True}, byte_level(regex=True)),
            "decoder": byte_level(True, True),
            "added": [added("<|endoftext|>"), added("<fim_prefix>")],
        },
        "clip": {
            **pairs,
            "end_of_word_suffix": "</w>",
            "normalizer": normalisers(kind("NFC"), replace(r"\s+", " ", "Regex"), kind("Lowercase")),
            "pre_tokenizer": cutters(split(CLIP_WORDS, "Removed", True), byte_level()),
            "decoder": byte_level(),
            "added": [added("<|startoftext|>"), added("<|endoftext|>")],
            "post_processor": {
                "type": "RobertaProcessing",
                "names": ["<|startoftext|>", "<|endoftext|>"],
                "trim_offsets": False,
                "add_prefix_space": False,
            },
        },
        "openai-gpt": {
            "model": "BPE",
            "end_of_word_suffix": "</w>",
            "unk_token": "<unk>",
            "normalizer": BERT,
            "pre_tokenizer": kind("BertPreTokenizer"),
            "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
            "added": [added("<unk>")],
        },
        "bert-uncased": {
            **bert,
            "normalizer": BERT,
            "pre_tokenizer": kind("BertPreTokenizer"),
            "decoder": WORD_PIECE,
            "added": BERT_NAMES,
            "post_processor": template("[CLS]", "[SEP]"),
        },
        "bert-cased": {
            **bert,
            "normalizer": {**BERT, "lowercase": False},
            "pre_tokenizer": kind("BertPreTokenizer"),
            "decoder": {**WORD_PIECE, "cleanup": False},
            "added": BERT_NAMES,
            "post_processor": {"type": "BertProcessing", "names": ["[CLS]", "[SEP]"]},
        },
        "t5": {
            **unigram,
            "normalizer": charsmap(),
            "pre_tokenizer": cutters(kind("WhitespaceSplit"), metaspace()),
            "decoder": metaspace(),
            "added": [added("<pad>"), added("</s>"), added("<unk>"), added("<extra_id_0>")],
            "post_processor": template("", "</s>"),
        },
        "xlm-roberta": {
            **unigram,
            "normalizer": normalisers(charsmap(), replace(" {2,}", "▁", "Regex")),
            "pre_tokenizer": metaspace(),
            "decoder": metaspace(),
            "added": [*NAMES, added("<mask>", lstrip=True)],
            "post_processor": template("<s>", "</s>"),
        },
        "albert": {
            **unigram,
            "normalizer": normalisers(
                replace("``", '"'),
                replace("''", '"'),
                kind("NFKD"),
                kind("StripAccents"),
                kind("Lowercase"),
                replace(" {2,}", " ", "Regex"),
            ),
            "pre_tokenizer": metaspace(),
            "decoder": metaspace(),
            "added": [added("<pad>"), added("<unk>"), added("[CLS]"), added("[SEP]")],
            "post_processor": template("[CLS]", "[SEP]"),
        },
        "unigram-bytes": {
            **unigram,
            "byte_fallback": True,
            "normalizer": normalisers(
                kind("Nmt"), {"type": "Strip", "strip_left": True, "strip_right": True}
            ),
            "pre_tokenizer": metaspace("first"),
            "decoder": decoders(kind("ByteFallback"), metaspace("first")),
            "added": [added("<unk>")],
        },
        "word-level": {
            "model": "WordLevel",
            "unk_token": "[UNK]",
            "normalizer": normalisers(kind("NFD"), kind("Lowercase"), kind("StripAccents")),
            "pre_tokenizer": cutters(kind("Whitespace"), {"type": "Punctuation", "behavior": "Isolated"}),
            "decoder": None,
            "added": [added("[UNK]")],
            "post_processor": template("", ""),
        },
        "scripts": {
            "model": "WordLevel",
            "unk_token": "[UNK]",
            "pre_tokenizer": cutters(
                kind("UnicodeScripts"), {"type": "CharDelimiterSplit", "delimiter": " "}
            ),
            "decoder": kind("Fuse"),
            "added": [added("[UNK]")],
        },
        "fixed-length": {
            "model": "BPE",
            "unk_token": "<unk>",
            "normalizer": kind("NFKC"),
            "pre_tokenizer": {"type": "FixedLength", "length": 5},
            "decoder": kind("Fuse"),
            "added": [added("<unk>"), added("the", special=False, single_word=True, normalized=True)],
        },
    }


def train(library: Any, plan: Json, texts: list[str]) -> Json:
    """The tokenizer.json of one pipeline, its vocabulary trained by the library."""
    names = [token["content"] for token in plan["added"] if token["special"]]
    content: Json = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": plan.get("normalizer"),
        "pre_tokenizer": plan.get("pre_tokenizer"),
        "post_processor": None,
        "decoder": plan["decoder"],
        "model": {"type": "BPE", "vocab": {}, "merges": []},
    }
    engine = library.Tokenizer.from_str(json.dumps(content))
    kind_of_model = plan["model"]
    engine.model = getattr(library.models, kind_of_model)()
    trainers = library.trainers
    usual = {"special_tokens": names, "show_progress": False}
    if kind_of_model == "BPE":
        alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet()) if plan.get("alphabet") else []
        more = {"end_of_word_suffix": plan["end_of_word_suffix"]} if "end_of_word_suffix" in plan else {}
        limit = {} if plan.get("alphabet") else {"limit_alphabet": 90}
        trainer = trainers.BpeTrainer(vocab_size=560, initial_alphabet=alphabet, **usual, **more, **limit)
    elif kind_of_model == "Unigram":
        trainer = trainers.UnigramTrainer(vocab_size=500, unk_token=plan["unk"], **usual)
    elif kind_of_model == "WordPiece":
        trainer = trainers.WordPieceTrainer(vocab_size=600, limit_alphabet=150, **usual)
    else:
        trainer = trainers.WordLevelTrainer(vocab_size=300, **usual)
    engine.train_from_iterator(texts, trainer)
    model = json.loads(engine.to_str())["model"]
    if plan.get("byte_fallback"):
        listed = [f"<0x{byte:02X}>" for byte in range(256)]
        if kind_of_model == "Unigram":
            model["vocab"] += [[name, -20.0] for name in listed]
        else:
            first = len(model["vocab"])
            model["vocab"] |= {name: first + number for number, name in enumerate(listed)}
    for option in ("byte_fallback", "fuse_unk", "unk_token", "ignore_merges", "end_of_word_suffix"):
        if option in plan:
            model[option] = plan[option]
    if kind_of_model == "Unigram":
        ids = {piece: number for number, (piece, _) in enumerate(model["vocab"])}
        model["unk_id"] = ids[plan["unk"]]
    else:
        ids = dict(model["vocab"])
    tokens = []
    for token in plan["added"]:
        ids.setdefault(token["content"], len(ids))
        tokens.append({"id": ids[token["content"]], **token})
    after = plan.get("post_processor")
    return {
        **content,
        "added_tokens": sorted(tokens, key=lambda token: token["id"]),
        "post_processor": fill(after, ids) if after else None,
        "model": model,
    }


def fill(step: Json, ids: dict[str, int]) -> Json:
    """A post-processor with the ids of the tokens that it names."""
    step = dict(step)
    if step["type"] == "Sequence":
        step["processors"] = [fill(each, ids) for each in step["processors"]]
    names = [name for name in step.pop("names", []) if name]
    if step["type"] == "TemplateProcessing":
        step["special_tokens"] = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names}
    elif names:
        step["cls"], step["sep"] = [names[0], ids[names[0]]], [names[1], ids[names[1]]]
    return step


def answer(library: Any, content: Json) -> Json:
    """What the library makes of the texts."""
    engine = library.Tokenizer.from_str(json.dumps(content))
    frame = engine.encode("the", add_special_tokens=True).ids
    marked = "the" + "".join(token["content"] + " the " for token in content["added_tokens"])
    allowed = engine.encode(marked, add_special_tokens=False).ids
    engine.encode_special_tokens = True
    answers = {}
    for name, text in known_texts().items():
        text = well_formed(text)
        ids = engine.encode(text, add_special_tokens=False).ids
        decoded = engine.decode(ids, skip_special_tokens=False)
        answers[name] = [ids, None if decoded == text else decoded]
    return {"frame": frame, "marked": marked, "allowed": allowed, "answers": answers}


def main() -> None:
    """Write all pipelines and their answers."""
    library = load_huggingface()
    wanted = {"eng", "deu_1996", "rus", "kor", "jpn", "hin", "arb", "tha", "vie", "cmn_hans"}
    texts = [text.text[:6_000] for text in list_parallel() if text.code in wanted]
    few = [text.text[:6_000] for text in list_parallel() if text.code in {"eng", "deu_1996", "rus", "vie"}]
    parser = argparse.ArgumentParser(description="Write known answers for tokenizer.json.")
    parser.add_argument("--train", nargs="*", default=[], choices=list(pipelines()), metavar="NAME")
    anew = parser.parse_args().train
    before = json.loads(lzma.decompress(FILE.read_bytes()))["pipelines"] if FILE.exists() else {}
    every = {}
    for name, plan in pipelines().items():
        if name in before and name not in anew:
            content = before[name]["file"]
        else:
            content = train(library, plan, few if plan["model"] == "Unigram" else texts)
        every[name] = {"file": content, **answer(library, content)}
        steps = [step["type"] for step in flatten(content["decoder"])]
        print(f"{name}: {len(every[name]['answers'])} answers, decoder {', '.join(steps) or 'none'}")
    version = importlib.metadata.version("tokenizers")
    data = json.dumps({"library": f"tokenizers {version}", "pipelines": every}, ensure_ascii=False)
    FILE.write_bytes(lzma.compress(data.encode("utf-8"), preset=9 | lzma.PRESET_EXTREME))
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes, of tokenizers {version}")


if __name__ == "__main__":
    main()
