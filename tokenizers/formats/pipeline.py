"""What a tokenizer.json holds, checked before an engine sees it, and said in words.

A pipeline is a normaliser (what is done to a text first), a pre-tokeniser (how it is cut into words), a model
(how a word becomes tokens), added tokens (found before all else), a post-processor (what is put around the
tokens) and a decoder. Each is of a few known types, described in
https://huggingface.co/docs/tokenizers/components. Whatever is not known here is refused with its name.

The file is a stranger's. So its size, its numbers, its patterns and how far it lets a text grow are bounded
here, before the engine gets it: the engine runs in this process.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..split.safe_pattern import as_file, is_safe
from ..text.spelling import quote
from .huggingface_file import estimate_memory

MAX_BYTES = 64 << 20
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
MAX_STEPS = 50
"""Steps of a sequence, those in sequences within it included."""

MAX_GROWTH = 16.0
"""How many times longer a text may become by what replaces its parts."""

MAX_CHARSMAP = 4 << 20
LONGEST_WORD = 200
"""Characters of a word up to which a WordPiece may be asked to cut it: the work grows with their cube."""


class RefusedError(ValueError):
    """A file that is refused, with a sentence that says why."""


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
        steps: what is done to a text, in words: pairs of the step's name and what it does.
        frame: the ids that the post-processor puts before and behind a text.
        chat_template: where the file holds one.
    """

    content: dict[str, Any]
    added: tuple[AddedToken, ...]
    steps: tuple[tuple[str, str], ...]
    frame: tuple[tuple[int, ...], tuple[int, ...]]
    chat_template: str | None

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
    tokenizers.formats.pipeline.RefusedError: It holds NaN where a number has to be. Save the file again.
    """
    if len(data) > MAX_BYTES:
        raise RefusedError(f"The file is larger than {MAX_BYTES >> 20} MB: no {what} in use is.")
    needed = estimate_memory(data)
    if needed > MAX_MEMORY:
        raise RefusedError(
            f"It is no {what}: with so many short values in its {len(data) / 1e6:,.0f} MB, reading it could "
            f"take {needed / 1e6:,.0f} MB of memory. Choose the file that holds the tokenizer."
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
    model, model_words = _check_model(model)
    added = _check_added(content.get("added_tokens") or [], model)
    normalizer = content.get("normalizer")
    pre_tokenizer = content.get("pre_tokenizer")
    decoder = content.get("decoder")
    growth: list[float] = []
    normaliser_words = _say_steps(normalizer, "normalizers", _NORMALISERS, "normaliser", growth)
    cutting_words = _say_steps(pre_tokenizer, "pretokenizers", _PRE_TOKENISERS, "pre-tokeniser", growth)
    _say_steps(decoder, "decoders", _DECODERS, "decoder", [])
    factor = math.prod(max(1.0, each) for each in growth)
    if factor > MAX_GROWTH:
        raise RefusedError(
            f"What it replaces can make a text {factor:,.0f} times longer, and {MAX_GROWTH:.0f} times is the "
            "limit here."
        )
    vocabulary = _ids(model)
    ids = {**vocabulary, **{token.content: token.token_id for token in added}}
    frame, frame_words = _frame(content.get("post_processor"), ids)
    steps = [
        ("Normaliser", ", then ".join(normaliser_words) or "none: the text stays as it is"),
        ("Pre-tokeniser", ", then ".join(cutting_words) or "none: a text is one word"),
        ("Model", model_words),
    ]
    always = [token for token in added if not token.special]
    special = [token for token in added if token.special]
    if special:
        steps.append(("Special tokens", f"{_list(special)}. In a text they are plain text unless asked for"))
    if always:
        steps.append(("Added tokens", f"{_list(always)}. They are found in every text"))
    if frame_words:
        steps.append(("Added on request", frame_words))
    if model.get("dropout"):
        steps.append(
            (
                "Left out",
                f"dropout of {model['dropout']:g}: it leaves out merges by chance, for training. Here every "
                "merge happens",
            )
        )
        model["dropout"] = None
    for section, words in (("truncation", "cutting texts off"), ("padding", "filling texts up")):
        if content.get(section) is not None:
            steps.append(("Left out", f"{words} at a length, which the file asks for ({section})"))
    template = content.get("chat_template")
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
        template if isinstance(template, str) and len(template) <= 1_000_000 else None,
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
        return check(model), _say_model(kind, model)
    unknown = _name(model, "unk_token", "<unk>")
    if unknown not in vocabulary:
        raise RefusedError(
            f"Its unknown token {unknown[:80]!r} is not in the vocabulary. Save the file again."
        )
    return {"type": kind, "vocab": vocabulary, "unk_token": unknown}, _say_model(kind, model)


def _say_model(kind: str, model: Mapping[str, Any]) -> str:
    words = f"{kind}, {len(model['vocab']):,} tokens"
    if kind == "BPE":
        words += f", {len(model['merges']):,} merges"
        if model.get("byte_fallback"):
            words += "; a character that is not in it becomes its bytes"
        if model.get("ignore_merges"):
            words += "; a word that is a token is taken whole, without merges"
    if kind == "WordPiece":
        words += "; a word is cut by longest match from the left, or is unknown as a whole"
    if kind == "WordLevel":
        words += "; a word is one of them, or unknown"
    return words


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


def _flag(model: Mapping[str, Any], key: str, default: bool = False) -> bool:
    value = model.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise TypeError
    return value


def _check_bpe(model: dict[str, Any]) -> dict[str, Any]:
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise RefusedError("Its BPE has no list of merges. Save or copy the file again.")
    if len(merges) > MAX_MERGES:
        raise RefusedError(f"It has {len(merges):,} merges, and {MAX_MERGES:,} are the limit here.")
    vocabulary = model["vocab"]
    prefix = model.get("continuing_subword_prefix") or ""
    for number, merge in enumerate(merges, start=1):
        parts = merge.split(" ") if isinstance(merge, str) else merge
        if not isinstance(parts, list) or len(parts) != 2:
            raise RefusedError(f"Merge {number:,} does not join two tokens. Save or copy the file again.")
        left, right = parts
        joined = left + (right[len(prefix) :] if prefix and right.startswith(prefix) else right)
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
        "fuse_unk": _flag(model, "fuse_unk"),
        "byte_fallback": _flag(model, "byte_fallback"),
        "ignore_merges": _flag(model, "ignore_merges"),
        "vocab": vocabulary,
        "merges": merges,
    }


def _check_unigram(model: dict[str, Any]) -> dict[str, Any]:
    vocabulary = model["vocab"]
    if not isinstance(vocabulary, list):
        raise TypeError
    seen: set[str] = set()
    for piece, score in vocabulary:
        if not isinstance(piece, str) or type(score) not in (int, float) or not abs(score) < 1e30:
            raise TypeError
        if len(piece) > MAX_TOKEN_LENGTH:
            raise RefusedError(f"One of its tokens has more than {MAX_TOKEN_LENGTH:,} characters.")
        seen.add(piece)
    unknown = model.get("unk_id")
    if unknown is not None and (type(unknown) is not int or not 0 <= unknown < len(vocabulary)):
        raise RefusedError(f"Its unknown token is number {unknown}, which is not in the vocabulary.")
    return {
        "type": "Unigram",
        "unk_id": unknown,
        "vocab": vocabulary,
        "byte_fallback": _flag(model, "byte_fallback"),
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
        special = _flag(token, "special")
        added.append(
            AddedToken(
                content,
                token_id,
                special,
                _flag(token, "normalized", not special),
                _flag(token, "single_word"),
                _flag(token, "lstrip"),
                _flag(token, "rstrip"),
            )
        )
    if sum(len(token.content) for token in added) > MAX_ADDED_CHARACTERS:
        raise RefusedError(
            f"Its added tokens have more than {MAX_ADDED_CHARACTERS:,} characters together, which is the "
            "limit here."
        )
    return added


# Steps of a sequence

Step = Mapping[str, Any]
Say = Callable[[Step, list[float]], str]


def _say_steps(
    step: Any, inner: str, known: Mapping[str, Say], what: str, growth: list[float], depth: int = 0
) -> list[str]:
    """What a step does, or each step of a sequence; and by how much each lets a text grow."""
    if step is None:
        return []
    kind = step["type"]
    if kind == "Sequence":
        if depth > 3:
            raise RefusedError(
                f"Its {what} has sequences in sequences in sequences. Save it as one sequence."
            )
        words = [
            word for each in step[inner] for word in _say_steps(each, inner, known, what, growth, depth + 1)
        ]
        if len(words) > MAX_STEPS:
            raise RefusedError(f"Its {what} has {len(words):,} steps, and {MAX_STEPS} are the limit here.")
        return words
    if not isinstance(kind, str) or kind not in known:
        raise RefusedError(
            f"Its {what} has a step of the type {str(kind)[:40]!r}, which is not known here. Known are "
            f"{', '.join(known)}."
        )
    return [known[kind](step, growth)]


def _pattern(step: Step, growth: list[float], content: str | None = None) -> str:
    """The pattern of a step, quoted; refused if it might run for ever."""
    pattern = step["pattern"]
    if "String" in pattern:
        text = pattern["String"]
        if not isinstance(text, str) or not 0 < len(text) <= 1_000:
            raise RefusedError(
                "One of its steps looks for an empty text, or for one of over 1,000 characters."
            )
        quoted = _quoted(text)
        shortest = len(text.encode("utf-8"))
    else:
        text = pattern["Regex"]
        if not isinstance(text, str):
            raise TypeError
        if not is_safe(text):
            raise RefusedError(
                f"One of its steps goes by the pattern {_whole(text)}, which is not one of a published "
                "tokenizer, and which could run for ever on some text: its engine cannot be stopped."
            )
        quoted, shortest = f"the pattern {_whole(text)}", 1
    if content is not None:
        growth.append(len(content.encode("utf-8")) / shortest)
    return quoted


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "replace"))


def _whole(pattern: str) -> str:
    return f"“{as_file(pattern if len(pattern) <= 300 else pattern[:299] + '…')}”"


def _short_text(step: Step, key: str) -> str:
    text = step[key]
    if not isinstance(text, str) or len(text) > 64:
        raise RefusedError(f"One of its steps has a {key} of more than 64 characters, the limit here.")
    return text


def _sign(step: Step, key: str) -> str:
    sign = step[key]
    if not isinstance(sign, str) or len(sign) != 1:
        raise TypeError
    return sign


def _constant(words: str) -> Say:
    return lambda step, growth: words


def _replace(step: Step, growth: list[float]) -> str:
    content = step["content"]
    if not isinstance(content, str):
        raise TypeError
    quoted = _pattern(step, growth, content)
    return f"{quoted} becomes {_quoted(content)}" if content else f"{quoted} is taken out"


def _prepend(step: Step, growth: list[float]) -> str:
    return f"{_quoted(_short_text(step, 'prepend'))} in front"


def _strip(step: Step, growth: list[float]) -> str:
    left, right = _flag(step, "strip_left"), _flag(step, "strip_right")
    where = {(True, True): "both ends", (True, False): "the beginning", (False, True): "the end"}
    return f"white space off {where[left, right]}" if left or right else "nothing taken off"


def _bert(step: Step, growth: list[float]) -> str:
    lower = _flag(step, "lowercase", True)
    accents = step.get("strip_accents")
    words = []
    if _flag(step, "clean_text", True):
        words.append("control characters dropped")
    if _flag(step, "handle_chinese_chars", True):
        words.append("spaces around Chinese characters")
    if accents or (accents is None and lower):
        words.append("accents dropped (NFD)")
    if lower:
        words.append("lower case")
    return ", ".join(words) or "nothing changed (BertNormalizer)"


def _precompiled(step: Step, growth: list[float]) -> str:
    """SentencePiece's table of what each character becomes: its texts end at a NUL each."""
    try:
        table = base64.b64decode(step["precompiled_charsmap"], validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise RefusedError("Its table of characters (precompiled_charsmap) is damaged.") from None
    size = int.from_bytes(table[:4], "little")
    texts = table[4 + size :]
    if len(table) > MAX_CHARSMAP or len(table) < 4 + 1024 or size % 4 or not texts.endswith(b"\0"):
        raise RefusedError("Its table of characters (precompiled_charsmap) is damaged or larger than 4 MB.")
    if max(map(len, texts.split(b"\0"))) > 64:
        raise RefusedError(
            "Its table of characters (precompiled_charsmap) makes more than 64 bytes of one character, which "
            "is the limit here."
        )
    try:
        texts.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError("Its table of characters (precompiled_charsmap) is damaged.") from None
    return f"a table of SentencePiece's (precompiled, {len(table) >> 10:,} KB), as NFKC and more"


_NORMALISERS: dict[str, Say] = {
    "NFC": _constant("NFC"),
    "NFD": _constant("NFD"),
    "NFKC": _constant("NFKC"),
    "NFKD": _constant("NFKD"),
    "Lowercase": _constant("lower case"),
    "StripAccents": _constant("accents dropped"),
    "Nmt": _constant("control characters dropped, odd spaces become spaces (Nmt)"),
    "ByteLevel": _constant("bytes, each written as a character"),
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": _prepend,
    "BertNormalizer": _bert,
    "Precompiled": _precompiled,
}

_BEHAVIOURS = {
    "Removed": "what matches is dropped",
    "Isolated": "what matches and what stands between",
    "MergedWithPrevious": "what matches ends a word",
    "MergedWithNext": "what matches begins a word",
    "Contiguous": "what matches in a row stays together",
}


def _split(step: Step, growth: list[float]) -> str:
    behaviour = _BEHAVIOURS[step["behavior"]]
    quoted = _pattern(step, growth)
    if _flag(step, "invert"):
        kept = "what lies between is dropped" if step["behavior"] == "Removed" else f"inverted; {behaviour}"
        return f"words by {quoted} ({kept})"
    return f"split by {quoted}" + (f" ({behaviour})" if step["behavior"] != "Isolated" else "")


def _byte_level(step: Step, growth: list[float]) -> str:
    words = "a space in front, " if _flag(step, "add_prefix_space", True) else ""
    words += "split by GPT-2's pattern, " if _flag(step, "use_regex", True) else ""
    return f"{words}bytes"


def _metaspace(step: Step, growth: list[float]) -> str:
    mark = _sign(step, "replacement")
    scheme = step.get("prepend_scheme", "always")
    if scheme not in ("always", "first", "never"):
        raise TypeError
    if "add_prefix_space" in step and "prepend_scheme" not in step:
        scheme = "always" if _flag(step, "add_prefix_space", True) else "never"
    words = f"spaces become {_quoted(mark)}"
    if scheme != "never":
        words += f", and one stands in front{'' if scheme == 'always' else ' of the first word'}"
    return words + (", split before each" if _flag(step, "split", True) else "")


def _digits(step: Step, growth: list[float]) -> str:
    return "digits one by one" if _flag(step, "individual_digits") else "split around numbers"


def _punctuation(step: Step, growth: list[float]) -> str:
    return f"split at punctuation ({_BEHAVIOURS[step.get('behavior', 'Isolated')]})"


def _delimiter(step: Step, growth: list[float]) -> str:
    return f"split at {_quoted(_sign(step, 'delimiter'))}, which is dropped"


def _fixed_length(step: Step, growth: list[float]) -> str:
    length = step.get("length", 5)
    if type(length) is not int or not 1 <= length <= 10_000:
        raise RefusedError("Its pre-tokeniser cuts words of a fixed length that is not within 1 and 10,000.")
    return f"words of {length:,} characters"


_PRE_TOKENISERS: dict[str, Say] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Whitespace": _constant("words and signs; white space is dropped"),
    "WhitespaceSplit": _constant("split at white space, which is dropped"),
    "BertPreTokenizer": _constant("split at white space, which is dropped, and around punctuation"),
    "Digits": _digits,
    "Punctuation": _punctuation,
    "CharDelimiterSplit": _delimiter,
    "UnicodeScripts": _constant("split where the script changes"),
    "FixedLength": _fixed_length,
}


def _strip_decoder(step: Step, growth: list[float]) -> str:
    _sign(step, "content")
    for key in ("start", "stop"):
        if type(step[key]) is not int or not 0 <= step[key] <= 1_000:
            raise RefusedError(f"Its decoder takes off {step[key]} characters; 0 to 1,000 can be read.")
    return "characters taken off"


def _names_of(*keys: str) -> Say:
    def check(step: Step, growth: list[float]) -> str:
        for key in keys:
            _short_text(step, key)
        return ""

    return check


_DECODERS: dict[str, Say] = {
    "ByteLevel": _constant("bytes"),
    "Metaspace": _metaspace,
    "WordPiece": _names_of("prefix"),
    "BPEDecoder": _names_of("suffix"),
    "CTC": _names_of("pad_token", "word_delimiter_token"),
    "ByteFallback": _constant("bytes"),
    "Fuse": _constant("one text"),
    "Replace": _replace,
    "Strip": _strip_decoder,
}


# What stands around a text

_MAX_FRAME = 64


def _frame(step: Any, ids: Mapping[str, int]) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], str]:
    """The ids before and behind a text, and their names in words."""
    front, behind = _around(step, ids)
    names = {token_id: token for token, token_id in ids.items() if token_id in {*front, *behind}}
    said = []
    if front:
        said.append(f"{' '.join(names.get(token_id, str(token_id)) for token_id in front)} in front")
    if behind:
        said.append(f"{' '.join(names.get(token_id, str(token_id)) for token_id in behind)} behind")
    return (tuple(front), tuple(behind)), ", ".join(said)


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
