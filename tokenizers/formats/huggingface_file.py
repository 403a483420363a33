"""tokenizer.json, as the Hugging Face package reads it: byte-level BPE with a split pattern.

That format writes bytes as characters that can be seen, by a table of GPT-2's (``text/byte_characters.py``).
There, text and special tokens come out as here: a Split step isolates what the pattern matches and what it
leaves, a ByteLevel step turns bytes into those characters, and the merges do the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..amounts import bytes_in_words
from ..bpe.home import HomeEncoding, check_merge_count
from ..bpe.plain import Pair
from ..bpe.special_tokens import check_special_count
from ..contents.json_memory import estimate_memory
from ..split.patterns import GPT2, spell_as_regex
from ..text.byte_characters import byte_characters

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def describe_added(
    token_id: int, content: str, *, special: bool = True, lstrip: bool = False
) -> dict[str, Any]:
    """An added token as a tokenizer.json lists it, found wherever a text spells it.

    Args:
        token_id, content: its id, and what spells it.
        special: whether it is found only where special tokens are asked for.
        lstrip: whether it takes the white space in front of it.
    """
    return {
        "id": token_id,
        "content": content,
        "single_word": False,
        "lstrip": lstrip,
        "rstrip": False,
        "normalized": False,
        "special": special,
    }


def describe_pairs(
    vocabulary: Mapping[str, int],
    merges: Sequence[Sequence[str]],
    added: Sequence[Mapping[str, Any]],
    pre_tokenizers: Sequence[Mapping[str, Any]],
    *,
    normalizer: Mapping[str, Any] | None = None,
    ignore_merges: bool = False,
) -> dict[str, Any]:
    """The content of the tokenizer.json of a byte-level BPE that adds nothing to a text.

    Args:
        vocabulary: the id of each token, bytes written as characters.
        merges: the two tokens of each, in order.
        added: of ``describe_added``.
        pre_tokenizers: the steps that cut a text, up to its bytes.
        normalizer: the step before them; None: there is none.
        ignore_merges: whether a word that is a token whole is looked up before anything merges.
    """
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": pre_tokenizers},
        "post_processor": None,
        "decoder": dict(BYTE_LEVEL),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": ignore_merges,
            "vocab": vocabulary,
            "merges": merges,
        },
    }


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of the tokenizer.json for ``encoding``.

    (A pattern of your own is read there by another engine: ``split.find_difference`` tries it there.)

    Raises:
        ValueError: two tokens stand for the same bytes, or a special token is spelled as the format
            spells an ordinary one: it cannot say that.

    >>> json.loads(to_bytes(HomeEncoding([(104, 105), (32, 256)])))["model"]["merges"]
    [['h', 'i'], ['Ġ', 'hi']]
    """
    characters = byte_characters()
    names = list(characters)
    for left, right in encoding.merges:
        names.append(names[left] + names[right])
    vocabulary = {name: token_id for token_id, name in enumerate(names)}
    if len(vocabulary) < len(names):
        raise ValueError(
            f"{encoding.name} has two tokens of the same bytes, which a tokenizer.json cannot hold. "
            "Save it as .model."
        )
    for special in encoding.special_tokens:
        if special in vocabulary:
            raise ValueError(
                f"The special token {special!r} is spelled as a tokenizer.json spells an ordinary token, "
                "so it cannot hold both. Save it as .model."
            )
    steps: list[dict[str, Any]] = [BYTE_LEVEL]
    if encoding.pattern is not None:
        pattern = {"Regex": encoding.pattern}
        steps.insert(0, {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
    added = [
        describe_added(token_id, special)
        for special, token_id in sorted(encoding.special_tokens.items(), key=lambda item: item[1])
    ]
    merges = [[names[left], names[right]] for left, right in encoding.merges]
    content = describe_pairs(vocabulary, merges, added, steps)
    return json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8")


def recognises(data: bytes) -> bool:
    """Whether a file may be a tokenizer.json: it begins as an object in JSON does.

    >>> recognises(b' {"version": "1.0"}'), recognises(b"minbpe v1")
    (True, False)
    """
    return data[:100].lstrip().startswith(b"{")


def from_bytes(data: bytes, name: str = "grove") -> HomeEncoding:
    """The encoding that the content of a tokenizer.json describes.

    Raises:
        ValueError: a damaged file, or one that asks for something that no encoding here does: its ids would
            differ.
    """
    _check_memory(data)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("It is no complete JSON: the file is damaged or was cut off.") from None
    try:
        return parse(content, name)
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ValueError("It is no tokenizer.json as the Hugging Face package writes them.") from None


BUDGET = 320_000_000
"""Bytes of memory that reading a tokenizer.json may take, if ten times its size is less."""


def _check_memory(data: bytes) -> None:
    """Refuse what would take much more memory as Python objects than as a file, before it is read."""
    needed = estimate_memory(data)
    if needed > max(10 * len(data), BUDGET):
        raise ValueError(
            f"It is no tokenizer.json: with so many short values in its {bytes_in_words(len(data))}, reading "
            f"it could take {bytes_in_words(needed)} of memory. Choose the file that holds the tokenizer."
        )


def parse(content: dict[str, Any], name: str) -> HomeEncoding:
    """The encoding that a tokenizer.json describes, as ``from_bytes`` has it, from the file's values."""
    model = content.get("model")
    if not isinstance(model, dict):
        raise ValueError(
            "It is no tokenizer.json: there is no model in it. (A vocab.json is not enough: it does not tell "
            "the merges.)"
        )
    kind = model.get("type", "BPE")
    _only_if(kind == "BPE", f"a model of the kind {str(kind)[:40]!r}")
    for step in ("normalizer", "truncation", "padding"):
        _only_if(content.get(step) is None, f"a step for {step}")
    after = content.get("post_processor")
    _only_if(after is None or after["type"] == "ByteLevel", "a step that adds tokens (post_processor)")
    for option in (
        "dropout",
        "continuing_subword_prefix",
        "end_of_word_suffix",
        "byte_fallback",
        "ignore_merges",
    ):
        _only_if(not model.get(option), f"the option {option}")
    if not (isinstance(model.get("vocab"), dict) and isinstance(model.get("merges"), list)):
        raise ValueError(
            "Its model is not complete: a byte-level BPE needs a vocab that gives each token its id, and a "
            "list of merges. Save or copy it again."
        )
    check_merge_count(len(model["merges"]))
    pattern = _pattern(content.get("pre_tokenizer"))

    added_tokens = content.get("added_tokens") or []
    check_special_count(len(added_tokens))
    specials: dict[str, int] = {}
    for token in added_tokens:
        for option in ("single_word", "lstrip", "rstrip"):
            _only_if(not token.get(option), f"a special token with the option {option}")
        if not isinstance(token["content"], str):
            raise TypeError
        specials[token["content"]] = _id(token["id"])

    vocabulary: dict[str, int] = model["vocab"]
    for token_id in vocabulary.values():
        _id(token_id)
    in_order = [vocabulary.get(character) for character in byte_characters()] == list(range(256))
    _only_if(in_order, "other ids for the 256 bytes than 0 to 255")
    merges: list[Pair] = []
    for merge in model["merges"]:
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if len(parts) != 2:
            raise TypeError
        left, right = parts
        new_id = 256 + len(merges)
        if vocabulary.get(left + right) != new_id:
            raise ValueError(
                f"Merge {len(merges) + 1:,} makes {left + right!r:.80}, whose id is not {new_id}: only a "
                "file whose ids follow the order of its merges can be loaded."
            )
        merges.append((vocabulary[left], vocabulary[right]))
    for special, token_id in specials.items():
        if vocabulary.get(special, token_id) != token_id:
            raise ValueError(
                f"Its special token {special[:80]!r} is also ordinary token {vocabulary[special]}, so it can "
                "be read in two ways. Give the special token another text where the file was made."
            )
    learned = sum(1 for token, token_id in vocabulary.items() if token_id >= 256 and token not in specials)
    _only_if(learned <= len(merges), "tokens that no merge makes")
    return HomeEncoding(merges, pattern, specials, name=name)


def _pattern(step: Any) -> str | None:
    """The split pattern, from the step or the steps before the merges."""
    steps = step["pretokenizers"] if step and step["type"] == "Sequence" else [step]
    if not isinstance(steps, list):
        raise TypeError
    *splits, last = steps or [None]
    known = bool(last) and last["type"] == "ByteLevel" and not last.get("add_prefix_space", True)
    _only_if(known and len(splits) <= 1, "another way to cut text than a pattern and bytes (pre_tokenizer)")
    if not splits:
        return GPT2 if last.get("use_regex", True) else None
    split = splits[0]
    plain = split["type"] == "Split" and split["behavior"] == "Isolated" and not split.get("invert")
    plain = plain and "Regex" in split["pattern"] and not last.get("use_regex", True)
    _only_if(plain, "another way to cut text than a pattern and bytes (pre_tokenizer)")
    pattern = split["pattern"]["Regex"]
    if not isinstance(pattern, str):
        raise TypeError
    return spell_as_regex(pattern) or None


def _id(number: Any) -> int:
    if type(number) is not int:
        raise TypeError
    return number


def _only_if(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(
            f"It has {what}. Of tokenizer.json files, those of a plain byte-level BPE with one split pattern "
            "can be loaded, such as are saved here."
        )
