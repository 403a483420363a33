"""tokenizer.json of any pipeline, and the older pairs of files that say the same: vocab.json with merges.txt,
and BERT's vocab.txt.

What our own encoding can represent is read by ``huggingface_file.py``; all the rest runs on Hugging Face's
own engine (``families/huggingface.py``).
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..contents.chat_template import set_template, template_in
from ..contents.pipeline import MAX_BYTES, read_json, read_pipeline
from ..encoding import Encoding
from ..families.huggingface_models import JoiningEncoding, NotDrawnError, PairEncoding, from_pipeline
from ..families.merging_pairs import MergingEncoding
from ..text.byte_characters import byte_characters
from . import huggingface_file


def recognises(data: bytes) -> bool:
    """Whether this may be a tokenizer.json, by its first bytes.

    >>> recognises(b'{"version": "1.0", "truncation": null'), recognises(b'{"!": 0, "a": 1}')
    (True, False)
    """
    head = data[:4_000]
    return head.lstrip().startswith(b"{") and any(
        key in head for key in (b'"added_tokens"', b'"truncation"', b'"pre_tokenizer"', b'"model"')
    )


def from_bytes(data: bytes, name: str) -> Encoding:
    """The encoding that a tokenizer.json describes.

    Raises:
        ValueError: it is damaged, holds something that is not known here, or asks for too much.
        OSError: Hugging Face's library is not installed.
    """
    content = read_json(data)
    if _finds_only_specials(content):
        try:
            grown = huggingface_file.parse(content, name)  # one that can be grown here, with all that it can
            set_template(grown, template_in(content))
            return grown
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            pass
    encoding = from_pipeline(read_pipeline(content), data, name)
    if isinstance(encoding, PairEncoding) and not isinstance(encoding, JoiningEncoding):
        try:
            merging = MergingEncoding(encoding)
            encoding.not_drawn = ""
            return merging
        except NotDrawnError as problem:
            if not encoding.pipeline.model["byte_fallback"]:  # else, why it is not drawn as pieces says more
                encoding.not_drawn = str(problem)
    return encoding


def _finds_only_specials(content: Any) -> bool:
    """Whether all added tokens are special: our own encoding has no tokens that are found in every text."""
    added = content.get("added_tokens") if isinstance(content, dict) else None
    return isinstance(added, list) and all(
        isinstance(token, dict) and token.get("special") is True for token in added
    )


# Older files: a vocabulary, and what goes with it

_BERT_NAMES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_LINES = 2_000_000


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
    >>> from_bytes(joined, "small").encode("hi!")
    [256, 33]
    """
    vocabulary = read_json(vocab, "vocab.json")
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
    if len(data) > MAX_BYTES or data.count(b"\n") > MAX_LINES:
        raise ValueError(f"The file is longer than any {what} in use.")
    try:
        return [line.removesuffix("\r") for line in data.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        raise ValueError(f"It is no text in UTF-8, as a {what} is. Choose the file of that name.") from None


def _added(names: tuple[str, ...], vocabulary: dict[str, int]) -> list[dict[str, Any]]:
    there = sorted((vocabulary[name], name) for name in names if name in vocabulary)
    return [
        huggingface_file.describe_added(token_id, name, lstrip=name == "<mask>") for token_id, name in there
    ]


def _spell(**parts: Any) -> bytes:
    content = {"version": "1.0", "truncation": None, "padding": None, "normalizer": None, **parts}
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
