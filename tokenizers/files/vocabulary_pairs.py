"""vocab.json with merges.txt, and BERT's vocab.txt: the tokenizer.json that says the same."""

from __future__ import annotations

import json
import re
from typing import Any

from ..text.byte_characters import byte_characters
from .tokenizer_json import describe_added, read_json

_BERT_NAMES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def is_vocab_json(data: bytes) -> bool:
    """Whether this may be a vocab.json: an object of tokens and their ids.

    >>> is_vocab_json(b'{"!": 0, "a": 1}'), is_vocab_json(b'{"version": "1.0"}')
    (True, False)
    """
    return re.match(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[0-9]+\s*[,}]', data[:4_000]) is not None


def is_merges_txt(data: bytes) -> bool:
    """Whether this may be a merges.txt: two tokens on each line, after a line with the version perhaps.

    >>> is_merges_txt(b"#version: 0.2\\n\\xc4\\xa0 t\\ni n\\n"), is_merges_txt(b"[PAD]\\n[UNK]\\n")
    (True, False)
    """
    lines = data[:2_000].split(b"\n")[:20]
    lines = [line for line in lines[:-1] or lines if line and not line.startswith(b"#version")]
    return bool(lines) and all(len(line.rstrip(b"\r").split(b" ")) == 2 for line in lines)


def is_vocab_txt(data: bytes) -> bool:
    """Whether this may be BERT's vocab.txt: a token on each line, [UNK] among the first.

    >>> is_vocab_txt(b"[PAD]\\n[UNK]\\nthe\\n##ing\\n"), is_vocab_txt(b"a\\nb\\n")
    (True, False)
    """
    return any(line.strip() == b"[UNK]" for line in data[:20_000].split(b"\n"))


def join_vocab_and_merges(vocab: bytes, merges: bytes) -> bytes:
    """The tokenizer.json that a vocab.json and its merges.txt stand for: byte-level BPE with GPT-2's pattern.

    That is how transformers reads the two for GPT-2. RoBERTa's names, where they are all there, put <s> in
    front and </s> behind.

    Raises:
        ValueError: they are damaged, or the tokens are not made of bytes.

    >>> letters = {letter: number for number, letter in enumerate(byte_characters())}
    >>> joined = join_vocab_and_merges(json.dumps({**letters, "hi": 256}).encode(), b"#version: 0.2\\nh i\\n")
    >>> from .tokenizer_json import from_bytes
    >>> from_bytes(joined, "small").encode("hi!")
    [256, 33]
    """
    vocabulary = read_json(vocab)
    if not isinstance(vocabulary, dict) or any(type(number) is not int for number in vocabulary.values()):
        raise ValueError("It is no vocab.json, which gives each token its id. Choose the file of that name.")
    listed = [line for line in _lines(merges, "merges.txt") if line and not line.startswith("#version")]
    pairs = [line.split(" ") for line in listed]
    wrong = next((line for line, pair in zip(listed, pairs, strict=True) if len(pair) != 2), None)
    if wrong is not None:
        raise ValueError(f"A line of merges.txt has to be two tokens, not {wrong[:80]!r}.")
    if any("</w>" in token for pair in pairs[:1_000] for token in pair):
        raise ValueError(
            "Its tokens are marked with </w> at the ends of words, and the two files do not tell how words "
            "are cut. Bring its tokenizer.json instead."
        )
    if any(letter not in vocabulary for letter in byte_characters()):
        raise ValueError(
            "Its tokens are not made of bytes, and the two files do not tell how words are cut. Bring its "
            "tokenizer.json instead."
        )
    ends = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    is_roberta = all(name in vocabulary for name in ("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    names = ("<s>", "<pad>", "</s>", "<unk>", "<mask>") if is_roberta else ("<|endoftext|>",)
    processor = {
        "type": "RobertaProcessing",
        "sep": ["</s>", vocabulary.get("</s>")],
        "cls": ["<s>", vocabulary.get("<s>")],
        "trim_offsets": True,
        "add_prefix_space": False,
    }
    return _spell(
        added_tokens=_added(names, vocabulary),
        pre_tokenizer={**ends, "trim_offsets": True},
        post_processor=processor if is_roberta else ends,
        decoder={**ends, "add_prefix_space": True, "trim_offsets": True},
        model={
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": vocabulary,
            "merges": pairs,
        },
    )


def from_vocab_txt(data: bytes, lowercase: bool) -> bytes:
    """The tokenizer.json that BERT's vocab.txt stands for: WordPiece, cut as BERT cuts.

    Args:
        data: the file's content: a token on each line, whose number is its id.
        lowercase: whether capitals and accents are dropped, as in bert-base-uncased. The file does not say.

    Raises:
        ValueError: it is damaged, or no vocab.txt.

    >>> from .tokenizer_json import from_bytes
    >>> from_bytes(from_vocab_txt(b"[PAD]\\n[UNK]\\nun\\n##able\\n", True), "small").encode("Unable!")
    [2, 3, 1]
    """
    lines = _lines(data, "vocab.txt")
    if lines and not lines[-1]:
        lines.pop()
    vocabulary = {token: number for number, token in enumerate(lines)}
    if "[UNK]" not in vocabulary:
        raise ValueError(
            "It has no [UNK], so it is no vocab.txt of a WordPiece. Choose the file of that name."
        )
    if len(vocabulary) < len(lines):
        raise ValueError("A token is on two of its lines, so its ids are not clear. Copy the file again.")
    frame = None
    if "[CLS]" in vocabulary and "[SEP]" in vocabulary:
        frame = {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocabulary["[SEP]"]],
            "cls": ["[CLS]", vocabulary["[CLS]"]],
        }
    return _spell(
        added_tokens=_added(_BERT_NAMES, vocabulary),
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": lowercase,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=frame,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        model={
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    )


def _lines(data: bytes, what: str) -> list[str]:
    try:
        return [line.removesuffix("\r") for line in data.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        raise ValueError(f"It is no text in UTF-8, as a {what} is. Choose the file of that name.") from None


def _added(names: tuple[str, ...], vocabulary: dict[str, int]) -> list[dict[str, Any]]:
    there = sorted((vocabulary[name], name) for name in names if name in vocabulary)
    return [describe_added(token_id, name, lstrip=name == "<mask>") for token_id, name in there]


def _spell(**parts: Any) -> bytes:
    content = {"version": "1.0", "truncation": None, "padding": None, "normalizer": None, **parts}
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
