"""What a tokenizer.json holds, checked before an engine sees it, and described.

A pipeline is a normaliser (what is done to a text first), a pre-tokeniser (how it is cut into words), a model
(how a word becomes tokens), added tokens (found before all else), a post-processor (what is put around the
tokens) and a decoder. Each is of a few known types, described in
https://huggingface.co/docs/tokenizers/components. Whatever is not known here is refused by name.

The file is a stranger's. So its size, its numbers, its patterns and how far it lets a text grow are bounded
here, before the engine gets it: the engine runs in this process.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import limits
from ..amounts import bytes_in_words
from .chat_template import template_in
from .json_memory import estimate_memory
from .pipeline_steps import (
    DECODERS,
    MAX_GROWTH,
    MAX_STEPS,
    NORMALISERS,
    PRE_TOKENISERS,
    RefusedError,
    describe_steps,
    flag,
)

MAX_BYTES = limits.FILE_MB * limits.MB
"""Bytes of a file. The largest that is widely used has 33 MB (Gemma 3)."""

MAX_MEMORY = 800_000_000
"""Bytes that reading a file may take, as ``estimate_memory`` has it, which is an upper bound."""

MAX_TOKENS = 1_000_000
MAX_ID = (1 << 20) - 1
MAX_TOKEN_LENGTH = 2_000
"""Characters of a token."""

MAX_MERGES = 2_000_000
MAX_ADDED = 50_000
MAX_ADDED_CHARACTERS = 1_000_000
LONGEST_PIECE = 500
"""Characters of a piece of a Unigram: at each place of a text, all pieces that begin there are tried."""

LONGEST_WORD = 200
"""Characters of a word up to which a WordPiece may be asked to cut it: the work grows with their cube."""


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is found in a text before all else."""

    content: str
    token_id: int
    special: bool
    normalized: bool
    single_word: bool
    lstrip: bool
    rstrip: bool


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A checked tokenizer.json.

    Attributes:
        content: as the engine is given it: without what adds tokens, cuts texts off or fills them up.
        added: the added tokens.
        steps: descriptions of what is done to a text: pairs of the step's name and what it does.
        frame: the ids that the post-processor puts before and behind a text.
        chat_template: the file's, if it has one; None: it has none.
        chat_names: the special tokens that the template may ask for, by the names that it uses.
    """

    content: dict[str, Any]
    added: tuple[AddedToken, ...]
    steps: tuple[tuple[str, str], ...]
    frame: tuple[tuple[int, ...], tuple[int, ...]]
    chat_template: str | None
    chat_names: Mapping[str, str]

    @property
    def model(self) -> dict[str, Any]:
        """The model."""
        model: dict[str, Any] = self.content["model"]
        return model


def read_json(data: bytes, what: str = "tokenizer.json") -> Any:
    """The content of a JSON file, within bounds.

    Raises:
        ValueError: it is too large, or no JSON.

    >>> read_json(b'{"a": NaN}')
    Traceback (most recent call last):
    ...
    tokenizers.contents.pipeline_steps.RefusedError: It holds NaN where a number has to be. ...
    """
    if len(data) > MAX_BYTES:
        raise RefusedError(f"The file is larger than {bytes_in_words(MAX_BYTES)}: no {what} in use is.")
    needed = estimate_memory(data)
    if needed > MAX_MEMORY:
        raise RefusedError(
            f"It is no {what}: with so many short values in its {bytes_in_words(len(data))}, reading it "
            f"could take {bytes_in_words(needed)} of memory. Choose the file that holds the tokenizer."
        )
    try:
        return json.loads(data, parse_constant=_no_number)
    except RefusedError:
        raise
    except (ValueError, RecursionError):
        raise RefusedError("It is no complete JSON: the file is damaged or was cut off.") from None


def _no_number(name: str) -> Any:
    raise RefusedError(f"It holds {name} where a number has to be. Save the file again.")


def read_pipeline(content: Any) -> Pipeline:
    """The pipeline that the content of a tokenizer.json describes.

    Raises:
        ValueError: it is damaged, holds something that is not known here, or asks for too much.
    """
    try:
        return _read(content)
    except RefusedError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError):
        raise RefusedError("It is no tokenizer.json as Hugging Face's library writes them.") from None


def _read(content: Any) -> Pipeline:
    if not isinstance(content, dict):
        raise TypeError
    model = content.get("model")
    if not isinstance(model, dict):
        raise RefusedError(
            "It is no tokenizer.json: there is no model in it. (A vocab.json alone is not enough: bring its "
            "merges.txt with it.)"
        )
    model, model_description = _check_model(model)
    added = _check_added(content.get("added_tokens") or [], model)
    normalizer = content.get("normalizer")
    pre_tokenizer = content.get("pre_tokenizer")
    decoder = content.get("decoder")
    growth: list[float] = []
    normaliser_steps = describe_steps(normalizer, "normalizers", NORMALISERS, "normaliser", growth)
    cutting_steps = describe_steps(pre_tokenizer, "pretokenizers", PRE_TOKENISERS, "pre-tokeniser", growth)
    growth_back: list[float] = []
    describe_steps(decoder, "decoders", DECODERS, "decoder", growth_back)
    for factors in (growth, growth_back):
        factor = math.prod(max(1.0, each) for each in factors)
        if factor > MAX_GROWTH:
            raise RefusedError(
                f"What it replaces can make a text {factor:,.0f} times longer, and {MAX_GROWTH:.0f} times is "
                "the limit here."
            )
    vocabulary = _ids(model)
    ids = {**vocabulary, **{token.content: token.token_id for token in added}}
    frame, frame_description = _frame(content.get("post_processor"), ids)
    steps = [
        ("Normaliser", ", then ".join(normaliser_steps) or "none: the text stays as it is"),
        ("Pre-tokeniser", ", then ".join(cutting_steps) or "none: a text is one word"),
        ("Model", model_description),
    ]
    always = [token for token in added if not token.special]
    special = [token for token in added if token.special]
    if special:
        steps.append(("Special tokens", f"{_list(special)}. In a text they are plain text unless asked for"))
    if always:
        steps.append(("Added tokens", f"{_list(always)}. They are found in every text"))
    if frame_description:
        steps.append(("Added on request", frame_description))
    if model.get("dropout"):
        steps.append(
            (
                "Left out",
                f"dropout of {model['dropout']:g}: it leaves out merges by chance, for training. Here every "
                "merge happens",
            )
        )
        model["dropout"] = None
    for section, action in (("truncation", "cutting texts off"), ("padding", "filling texts up")):
        if content.get(section) is not None:
            steps.append(("Left out", f"{action} at a length, which the file asks for ({section})"))
    template = template_in(content)
    cleaned = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": token.token_id,
                "content": token.content,
                "single_word": token.single_word,
                "lstrip": token.lstrip,
                "rstrip": token.rstrip,
                "normalized": token.normalized,
                "special": token.special,
            }
            for token in added
        ],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": decoder,
        "model": model,
    }
    return Pipeline(
        cleaned,
        tuple(added),
        tuple(steps),
        frame,
        template.text if template else None,
        template.names if template else {},
    )


def _list(tokens: Sequence[AddedToken]) -> str:
    names = [token.content if len(token.content) <= 40 else token.content[:39] + "…" for token in tokens[:6]]
    rest = f" and {len(tokens) - 6:,} more" if len(tokens) > 6 else ""
    return ", ".join(names) + rest


# The model


def _ids(model: Mapping[str, Any]) -> dict[str, int]:
    """The id of each token of the model."""
    if model["type"] == "Unigram":
        return {piece: number for number, (piece, _) in enumerate(model["vocab"])}
    vocabulary: dict[str, int] = model["vocab"]
    return vocabulary


def _kind_of(model: Mapping[str, Any]) -> str:
    """The model's type, which old files leave out."""
    if isinstance(model.get("type"), str):
        return str(model["type"])
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in model else "WordLevel"


def _check_model(model: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The model as the engine is given it, and what it is."""
    kind = _kind_of(model)
    check = {"BPE": _check_bpe, "Unigram": _check_unigram, "WordPiece": _check_wordpiece}.get(kind)
    if check is None and kind != "WordLevel":
        raise RefusedError(
            f"Its model is of the type {kind[:40]!r}. BPE, Unigram, WordPiece and WordLevel can be read."
        )
    vocabulary = model.get("vocab")
    if not isinstance(vocabulary, (dict, list)) or not vocabulary:
        raise RefusedError("Its model has no vocabulary. Save or copy the file again.")
    if len(vocabulary) > MAX_TOKENS:
        raise RefusedError(f"It has {len(vocabulary):,} tokens, and {MAX_TOKENS:,} are the limit here.")
    if kind == "Unigram":
        checked = _check_unigram(model)
        return checked, f"Unigram, {len(vocabulary):,} tokens with a log-probability each"
    if not isinstance(vocabulary, dict):
        raise TypeError
    _check_vocabulary(vocabulary)
    if check is not None:
        return check(model), _describe_model(kind, model)
    unknown = _name(model, "unk_token", "<unk>")
    if unknown not in vocabulary:
        raise RefusedError(
            f"Its unknown token {unknown[:80]!r} is not in the vocabulary. Save the file again."
        )
    return {"type": kind, "vocab": vocabulary, "unk_token": unknown}, _describe_model(kind, model)


def _describe_model(kind: str, model: Mapping[str, Any]) -> str:
    description = f"{kind}, {len(model['vocab']):,} tokens"
    if kind == "BPE":
        description += f", {len(model['merges']):,} merges"
        if model.get("byte_fallback"):
            description += "; a character that is not in it becomes its bytes"
        if model.get("ignore_merges"):
            description += "; a word that is a token is taken whole, without merges"
    if kind == "WordPiece":
        description += "; a word is cut by longest match from the left, or is unknown as a whole"
    if kind == "WordLevel":
        description += "; a word is one of them, or unknown"
    return description


def _check_vocabulary(vocabulary: Mapping[str, Any]) -> None:
    if max(map(len, vocabulary)) > MAX_TOKEN_LENGTH:
        raise RefusedError(f"One of its tokens has more than {MAX_TOKEN_LENGTH:,} characters.")
    for token_id in vocabulary.values():
        if type(token_id) is not int:
            raise TypeError
    lowest, highest = min(vocabulary.values()), max(vocabulary.values())
    if lowest < 0 or highest > MAX_ID:
        raise RefusedError(
            f"It has a token of the id {lowest if lowest < 0 else highest:,}, and ids from 0 to {MAX_ID:,} "
            "can be read."
        )
    if len(set(vocabulary.values())) < len(vocabulary):
        raise RefusedError("Two of its tokens have one id, so its ids cannot be read. Save the file again.")


def _name(model: Mapping[str, Any], key: str, default: str) -> str:
    value = model.get(key, default)
    if not isinstance(value, str) or len(value) > MAX_TOKEN_LENGTH:
        raise TypeError
    return value


def _check_bpe(model: dict[str, Any]) -> dict[str, Any]:
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise RefusedError("Its BPE has no list of merges. Save or copy the file again.")
    if len(merges) > MAX_MERGES:
        raise RefusedError(f"It has {len(merges):,} merges, and {MAX_MERGES:,} are the limit here.")
    vocabulary = model["vocab"]
    prefix = _name(model, "continuing_subword_prefix", "") if model.get("continuing_subword_prefix") else ""
    for number, merge in enumerate(merges, start=1):
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(parts, list) or len(parts) != 2:
            raise RefusedError(f"Merge {number:,} does not join two tokens. Save or copy the file again.")
        left, right = parts
        if not (isinstance(left, str) and isinstance(right, str)):
            raise TypeError
        if not right.startswith(prefix):  # the engine takes as many bytes off, whatever they are
            raise RefusedError(
                f"Merge {number:,} joins {right[:80]!r}, which does not begin with {prefix[:80]!r} as the "
                "file says of what a word goes on with. Save or copy the file again."
            )
        joined = left + right[len(prefix) :]
        if left not in vocabulary or right not in vocabulary or joined not in vocabulary:
            missing = next(part for part in (left, right, joined) if part not in vocabulary)
            raise RefusedError(
                f"Merge {number:,} needs the token {missing[:80]!r}, which is not in the vocabulary. Save or "
                "copy the file again."
            )
    unknown = model.get("unk_token")
    if unknown is not None and unknown not in vocabulary:
        raise RefusedError(
            f"Its unknown token {str(unknown)[:80]!r} is not in the vocabulary. Save the file again."
        )
    dropout = model.get("dropout")
    if dropout is not None and not (isinstance(dropout, (int, float)) and 0 <= dropout <= 1):
        raise TypeError
    return {
        "type": "BPE",
        "dropout": dropout,
        "unk_token": unknown,
        "continuing_subword_prefix": _name(model, "continuing_subword_prefix", "")
        if model.get("continuing_subword_prefix") is not None
        else None,
        "end_of_word_suffix": _name(model, "end_of_word_suffix", "")
        if model.get("end_of_word_suffix") is not None
        else None,
        "fuse_unk": flag(model, "fuse_unk"),
        "byte_fallback": flag(model, "byte_fallback"),
        "ignore_merges": flag(model, "ignore_merges"),
        "vocab": vocabulary,
        "merges": merges,
    }


def _check_unigram(model: dict[str, Any]) -> dict[str, Any]:
    vocabulary = model["vocab"]
    if not isinstance(vocabulary, list):
        raise TypeError
    for piece, score in vocabulary:
        if not isinstance(piece, str) or type(score) not in (int, float) or not abs(score) < 1e30:
            raise TypeError
        if len(piece) > LONGEST_PIECE:
            raise RefusedError(f"One of its pieces has more than {LONGEST_PIECE:,} characters.")
    unknown = model.get("unk_id")
    if unknown is not None and (type(unknown) is not int or not 0 <= unknown < len(vocabulary)):
        raise RefusedError(f"Its unknown token is number {unknown}, which is not in the vocabulary.")
    return {
        "type": "Unigram",
        "unk_id": unknown,
        "vocab": vocabulary,
        "byte_fallback": flag(model, "byte_fallback"),
    }


def _check_wordpiece(model: dict[str, Any]) -> dict[str, Any]:
    longest = model.get("max_input_chars_per_word", 100)
    if type(longest) is not int or longest < 0:
        raise TypeError
    if longest > LONGEST_WORD:
        raise RefusedError(
            f"It cuts words of up to {longest:,} characters, and up to {LONGEST_WORD} can be cut here: the "
            "work grows with the cube of a word's length."
        )
    if len(model.get("continuing_subword_prefix") or "") > 64:
        raise RefusedError("What its tokens within a word begin with has more than 64 characters.")
    unknown = _name(model, "unk_token", "[UNK]")
    if unknown not in model["vocab"]:
        raise RefusedError(
            f"Its unknown token {unknown[:80]!r} is not in the vocabulary. Save the file again."
        )
    return {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": _name(model, "continuing_subword_prefix", "##"),
        "max_input_chars_per_word": longest,
        "vocab": model["vocab"],
    }


def _check_added(listed: Any, model: Mapping[str, Any]) -> list[AddedToken]:
    if not isinstance(listed, list):
        raise TypeError
    if len(listed) > MAX_ADDED:
        raise RefusedError(f"It has {len(listed):,} added tokens, and {MAX_ADDED:,} are the limit here.")
    added = []
    for token in listed:
        content, token_id = token["content"], token["id"]
        if not isinstance(content, str) or type(token_id) is not int:
            raise TypeError
        if not 0 <= token_id <= MAX_ID:
            raise RefusedError(
                f"Its added token {content[:80]!r} has the id {token_id:,}, and ids from 0 to {MAX_ID:,} can "
                "be read."
            )
        special = flag(token, "special")
        if content.isspace() and (flag(token, "lstrip") or flag(token, "rstrip")):
            raise RefusedError(
                f"Its added token {content[:80]!r} is white space, and takes the white space beside it too "
                "(lstrip or rstrip): in a run of it, the library takes each place as often as it is long."
            )
        added.append(
            AddedToken(
                content,
                token_id,
                special,
                flag(token, "normalized", not special),
                flag(token, "single_word"),
                flag(token, "lstrip"),
                flag(token, "rstrip"),
            )
        )
    if sum(len(token.content) for token in added) > MAX_ADDED_CHARACTERS:
        raise RefusedError(
            f"Its added tokens have more than {MAX_ADDED_CHARACTERS:,} characters together, which is the "
            "limit here."
        )
    return added


# What is put around a text

_MAX_FRAME = 64


def _frame(step: Any, ids: Mapping[str, int]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], str]:
    """The ids in front of and behind a text, and a description with their names."""
    front, behind = _around(step, ids)
    names = {token_id: token for token, token_id in ids.items() if token_id in {*front, *behind}}
    ends = []
    if front:
        ends.append(f"{' '.join(names.get(token_id, str(token_id)) for token_id in front)} in front")
    if behind:
        ends.append(f"{' '.join(names.get(token_id, str(token_id)) for token_id in behind)} behind")
    return (tuple(front), tuple(behind)), ", ".join(ends)


def _around(step: Any, ids: Mapping[str, int], depth: int = 0) -> tuple[list[int], list[int]]:
    if step is None:
        return [], []
    kind = step["type"]
    if kind == "ByteLevel":
        return [], []
    if kind in ("BertProcessing", "RobertaProcessing"):
        return [_id(step["cls"][1])], [_id(step["sep"][1])]
    if kind == "Sequence":
        if depth > 3 or len(step["processors"]) > MAX_STEPS:
            raise RefusedError("Its post-processor has too many steps.")
        front: list[int] = []
        behind: list[int] = []
        for each in step["processors"]:
            before, after = _around(each, ids, depth + 1)
            front, behind = before + front, behind + after
        return front, behind
    if kind == "TemplateProcessing":
        parts = step["single"]
        if not isinstance(parts, list) or sum("Sequence" in part for part in parts) != 1:
            raise RefusedError("Its post-processor does not hold the text exactly once.")
        if next(part for part in parts if "Sequence" in part)["Sequence"]["id"] != "A":
            raise RefusedError("Its post-processor does not hold the text exactly once.")
        sides: tuple[list[int], list[int]] = [], []
        side = 0
        for part in parts:
            if "Sequence" in part:
                side = 1
            else:
                sides[side].extend(map(_id, step["special_tokens"][part["SpecialToken"]["id"]]["ids"]))
        if len(sides[0]) + len(sides[1]) > _MAX_FRAME:
            raise RefusedError(f"Its post-processor adds more than {_MAX_FRAME} tokens to a text.")
        return sides
    raise RefusedError(
        f"Its post-processor is of the type {str(kind)[:40]!r}, which is not known here. Known are "
        "ByteLevel, BertProcessing, RobertaProcessing, TemplateProcessing and Sequence."
    )


def _id(number: Any) -> int:
    if type(number) is not int or not 0 <= number <= MAX_ID:
        raise TypeError
    return number
