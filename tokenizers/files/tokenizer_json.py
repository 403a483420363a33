"""tokenizer.json, the format of Hugging Face's library: read, checked, described, and written.

``from_bytes`` reads a file of any pipeline. Its encoding runs on the library's engine
(``families/huggingface.py``). A file that is exactly a byte-level BPE trained here becomes that again.

``to_bytes`` writes a byte-level BPE that was trained here. The format writes bytes as visible characters, by
GPT-2's table (``text/spelling.py``). A Split step isolates what the pattern matches and what lies
between, a ByteLevel step turns bytes into those characters, and the merges do the rest.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ..bpe.home import HomeEncoding
from ..encoding import ChatTemplates, Encoding
from ..families.huggingface_engine import Pipeline, describe_added, find_bytes, steps_of
from ..families.huggingface_models import MODELS
from ..json_types import JsonMapping, JsonObject
from ..numbered import numbered
from ..split.patterns import known_pattern
from ..steps import MODEL, PRE_TOKENISER, Steps, first_few
from ..text.spelling import byte_characters, quote
from .tokenizer_json_steps import DECODERS, NORMALISERS, PRE_TOKENISERS, check_growth, describe_steps

MAX_ID = (1 << 20) - 1


_KEYS = re.compile(
    rb'"added_tokens"\s*:\s*(\[|null)|"(truncation|normalizer|pre_tokenizer|model)"\s*:\s*(\{|null)'
)
"""Keys of a tokenizer.json, with what begins their values."""


def recognises(data: bytes) -> bool:
    """Whether this may be a tokenizer.json, by its first bytes.

    >>> recognises(b'{"version": "1.0", "truncation": null'), recognises(b'{"!": 0, "a": 1}')
    (True, False)
    """
    head = data[:4_000]
    return head.lstrip().startswith(b"{") and _KEYS.search(head) is not None


def read_json(data: bytes) -> Any:
    """The content of a JSON file.

    Raises:
        ValueError: it is none.

    >>> read_json(b'{"a": [')
    Traceback (most recent call last):
    ...
    ValueError: It is not complete JSON: the file is damaged or was cut off. Copy it again.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError(
            "It is not complete JSON: the file is damaged or was cut off. Copy it again."
        ) from None


def from_bytes(data: bytes, name: str, *, is_published: bool = False) -> Encoding:
    """The encoding that a tokenizer.json describes; ``is_published``: as of a ``Pipeline``.

    Raises:
        ValueError: it is damaged, or holds something that is not known here.
        OSError: Hugging Face's library is not installed.
    """
    content = read_json(data)
    encoding = as_home_trained(content, name) or from_content(content, data, name, is_published=is_published)
    set_chat(encoding, content)
    if isinstance(encoding, HomeEncoding) and encoding.chat_templates.are_known:
        encoding.keep_file(data)  # its .model cannot hold them
    return encoding


def from_content(
    content: Any,
    original: bytes,
    name: str,
    *,
    is_published: bool = False,
    apart: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> Encoding:
    """The encoding of what a tokenizer.json holds, on the library's engine.

    Args:
        content: as JSON has it.
        original: the content of the file that says so.
        name: what to call it.
        is_published, apart: as of a ``Pipeline``.

    Raises:
        ValueError, OSError: as of ``from_bytes``.
    """
    try:
        cleaned, steps = _check(content)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise ValueError(
            "It is not a tokenizer.json as Hugging Face’s library writes them. Save or copy it again."
        ) from None
    pipeline = Pipeline(cleaned, original, tuple(steps), is_published, apart)
    return MODELS[cleaned["model"]["type"]](pipeline, name=name)


# What is checked, and said


def _check(content: JsonMapping) -> tuple[JsonObject, Steps]:
    """The content as the library is given it, and what it does, step by step."""
    if not isinstance(content.get("model"), dict):
        raise ValueError("It is not a whole tokenizer.json: it holds no model. Save or copy it again.")
    model = _check_model(content["model"])
    normalizer, pre_tokenizer = content.get("normalizer"), content.get("pre_tokenizer")
    check_growth(itertools.chain(steps_of(normalizer), steps_of(content.get("decoder"))))
    normalising = describe_steps(normalizer, NORMALISERS, "normaliser")
    cutting = describe_steps(pre_tokenizer, PRE_TOKENISERS, "pre-tokeniser")
    decoding = describe_steps(content.get("decoder"), DECODERS, "decoder")
    steps = [
        ("Normaliser", ", then ".join(normalising) or "none: the text stays as it is"),
        (PRE_TOKENISER, ", then ".join(cutting) or "none: a text is one word"),
        (MODEL, _describe_model(model)),
    ]
    added = list(map(_describe_added, content.get("added_tokens") or []))
    steps += _steps_of_added(added, find_bytes({**content, "model": model}))
    if model.get("dropout"):
        dropout = f"dropout of {str(model['dropout'])[:20]}, which skips merges at random in training"
        steps.append(("Left out", f"{dropout}. Here every merge happens"))
        model["dropout"] = None
    steps.append(("Decoder", ", then ".join(decoding) or "none: tokens are joined with spaces"))
    for section in ("truncation", "padding"):
        if content.get(section) is not None:
            steps.append(("Left out", f"{section} to a length, which the file asks for"))
    kept = {key: content.get(key) for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder")}
    fixed = {"version": "1.0", "truncation": None, "padding": None}
    return {**fixed, "added_tokens": added, **kept, "model": model}, steps


def _describe_added(token: JsonMapping) -> JsonObject:
    """An added token as the library is given it, with all its fields."""
    fields = {key: bool(token.get(key)) for key in ("special", "lstrip", "rstrip", "single_word")}
    normalized = token.get("normalized", not token.get("special"))
    return describe_added(token["id"], token["content"], **fields, normalized=normalized)


def _steps_of_added(added: Iterable[JsonMapping], as_bytes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is said of added tokens: special ones, others, and those that are bytes."""
    others = [token for token in added if token["content"] not in as_bytes]
    special = [token["content"][:40] for token in others if token["special"]]
    if special:
        how = "They are plain text unless you ask for special tokens"
        yield "Special tokens", f"{first_few(special, 6)}. {how}"
    found = [quote(token["content"]) for token in others if not token["special"]]
    if found:
        yield "Added tokens", f"{first_few(found, 6)}. They are found in every text"
    if as_bytes:
        yield "Bytes", f"{first_few(as_bytes, 6)}, although the file lists them as added tokens"


_LEFT_OUT: dict[str, JsonObject] = {
    "BPE": {"unk_token": None},
    "Unigram": {"unk_id": None},
    "WordPiece": {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
    "WordLevel": {"unk_token": "<unk>"},
}
"""What old files leave out of a model, by its type."""


def _check_model(model: JsonMapping) -> JsonObject:
    vocabulary = model.get("vocab")
    kind = model.get("type")
    if kind is None:  # an old file
        if "merges" in model:
            kind = "BPE"
        elif isinstance(vocabulary, list):
            kind = "Unigram"
        else:
            kind = "WordPiece" if "continuing_subword_prefix" in model else "WordLevel"
    if kind not in _LEFT_OUT:
        raise ValueError(
            f"Its model has the type {str(kind)[:40]!r}. BPE, Unigram, WordPiece and WordLevel can be read."
        )
    if not vocabulary or (kind == "BPE" and not isinstance(model.get("merges"), list)):
        raise ValueError(f"Its model, {kind}, has no vocabulary or no merges. Save or copy the file again.")
    checked = {**_LEFT_OUT[kind], **model, "type": kind}
    if kind == "Unigram":
        return checked
    ids = vocabulary.values()
    lowest, highest = min(ids), max(ids)
    if lowest < 0 or highest > MAX_ID:
        raise ValueError(
            f"A token has the id {lowest if lowest < 0 else highest:,}, and ids must be from 0 to {MAX_ID:,}."
        )
    if len(set(ids)) < len(ids):
        raise ValueError("Two tokens have the same id. Save the file again.")
    if kind == "BPE":
        check_merges(vocabulary, model)
    return checked


def check_merges(vocabulary: Mapping[str, int], model: JsonMapping) -> None:
    """Refuse merges of tokens, or to a token, that the vocabulary does not have.

    The library ends the process on a merge whose second token lacks the prefix: it removes as many bytes
    without looking at them.

    Raises:
        ValueError: names the token.
    """
    mark = model.get("continuing_subword_prefix") or ""
    for merge in model["merges"]:
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if len(pair) != 2:
            raise ValueError(f"A merge must be two tokens with a space between, not {str(merge)[:80]!r}.")
        left, right = pair
        if not right.startswith(mark):
            raise ValueError(
                f"A merge joins {left[:40]!r} and {right[:40]!r}, but a token that goes on within a word "
                f"begins with {mark[:40]!r} here. Save the file again."
            )
        joined = left + right.removeprefix(mark)
        for token in (left, right, joined):
            if token not in vocabulary:
                raise ValueError(
                    f"A merge joins {left[:40]!r} and {right[:40]!r}, but {token[:80]!r} is not in the "
                    "vocabulary: merges and vocabulary must belong to the same tokenizer."
                )


def _describe_model(model: JsonMapping) -> str:
    kind = model["type"]
    description = f"{kind}, {len(model['vocab']):,} tokens{_WHAT_IT_DOES.get(kind, '')}"
    if kind == "BPE":
        description += f", {len(model['merges']):,} merges"
        if model.get("byte_fallback"):
            description += "; an unknown character becomes bytes"
        if model.get("ignore_merges"):
            description += "; a word that is a token needs no merges"
    return description


_WHAT_IT_DOES = {
    "Unigram": ", each with a log-probability",
    "WordPiece": "; longest match from the left. A word that does not match is unknown as a whole",
    "WordLevel": "; any other word is unknown",
}


# Its chat template


def templates_in(content: Any) -> JsonObject:
    """What a tokenizer.json or a tokenizer_config.json says about chats, in the form that ``set_chat`` reads.

    Special tokens that only some models have, such as image_token, are named like the others, or apart.

    >>> templates_in({"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>", "lstrip": False}})
    {'chat_template': {'default': '{{ bos_token }}'}, 'extra_special_tokens': {'bos_token': '<s>'}}
    """
    if not isinstance(content, dict):
        content = {}
    named = content.get("chat_template")
    if isinstance(named, list):  # several, by name
        named = {str(each.get("name")): each.get("template") for each in named if isinstance(each, dict)}
    if not isinstance(named, dict):
        named = {"default": named}
    more = content.get("extra_special_tokens")
    tokens = {key: content[key] for key in content if key.endswith("_token")}
    tokens |= more if isinstance(more, dict) else {}
    spelled = {key: each.get("content") if isinstance(each, dict) else each for key, each in tokens.items()}
    return {
        "chat_template": {name: text for name, text in named.items() if isinstance(text, str)},
        "extra_special_tokens": {key: text for key, text in spelled.items() if isinstance(text, str)},
    }


def set_chat(encoding: Encoding, content: Any) -> None:
    """Give an encoding the chat templates in its file, and the special tokens that they name."""
    said = templates_in(content)
    templates = said["chat_template"]
    encoding.chat_templates = ChatTemplates(
        default=templates.get("default"),
        tool_use=templates.get("tool_use"),
        names=said["extra_special_tokens"],
    )


# A byte-level BPE that was trained here


_OURS = "saved_by_token_grove"
"""The key by which a Split step says that it was written here; there, the library passes over it."""


def as_home_trained(content: Any, name: str) -> HomeEncoding | None:
    """The byte-level BPE of which ``to_bytes`` writes this tokenizer.json; None: there is none."""
    try:
        vocabulary = content["model"]["vocab"]
        if any(vocabulary[letter] != byte for byte, letter in enumerate(byte_characters())):
            return None
        *split, _ = content["pre_tokenizer"]["pretokenizers"]
        pattern = split[0]["pattern"]["Regex"] if split else None
        special = {token["content"]: token["id"] for token in content["added_tokens"]}
        merges = [(vocabulary[left], vocabulary[right]) for left, right in content["model"]["merges"]]
        encoding = HomeEncoding(merges, pattern, special, name=name)
        is_same = json.loads(to_bytes(encoding)).items() <= content.items()
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return encoding if is_same else None


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def describe_pairs(
    vocabulary: Mapping[str, int],
    merges: Sequence[Sequence[str]],
    added: Sequence[JsonMapping],
    pre_tokenizers: Sequence[JsonMapping],
    *,
    normalizer: JsonMapping | None = None,
    ignore_merges: bool = False,
) -> JsonObject:
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
    Where ids are missing before a special token, it is listed among the ordinary ones, too: otherwise the
    library would give it the next id.

    Raises:
        ValueError: two tokens stand for the same bytes, or a special token is spelled as the format
            spells an ordinary one: it cannot say that.

    >>> json.loads(to_bytes(HomeEncoding([(104, 105), (32, 256)])))["model"]["merges"]
    [['h', 'i'], ['Ġ', 'hi']]
    """
    names = list(byte_characters())
    for left, right in encoding.merges:
        names.append(names[left] + names[right])
    vocabulary = numbered(names)
    if len(vocabulary) < len(names) or vocabulary.keys() & encoding.special_tokens.keys():
        raise ValueError(
            f"{encoding.name} has two tokens that a tokenizer.json spells alike, so it cannot hold both. "
            "Save it as .model."
        )
    steps: list[JsonObject] = [BYTE_LEVEL]
    if encoding.pattern is not None:
        pattern = {"Regex": encoding.pattern}
        steps.insert(0, {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False})
        if known_pattern(encoding.pattern) is None:
            steps[0][_OURS] = True
    added = [
        describe_added(token_id, special)
        for special, token_id in sorted(encoding.special_tokens.items(), key=lambda item: item[1])
    ]
    merges = [[names[left], names[right]] for left, right in encoding.merges]
    if encoding.n_tokens < encoding.n_vocab:
        vocabulary |= encoding.special_tokens
    content = describe_pairs(vocabulary, merges, added, steps)
    return json.dumps(content, ensure_ascii=False, indent=1).encode()
