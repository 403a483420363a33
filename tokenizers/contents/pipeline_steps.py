"""The steps of a tokenizer.json: which are known, what they may ask for, and descriptions of what they do.

Each type of step has a function that checks its numbers and its pattern, notes by how much it lets a text
grow, and says what it does.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from ..amounts import bytes_in_words
from ..files.charsmap import check_charsmap
from ..split.patterns import usual_spelling
from ..text.spelling import quote

MAX_STEPS = 50
"""Steps of a sequence, those in sequences within it included."""

MAX_GROWTH = 16.0
_GROWTH_OF_BYTES = 2.0  # of a step that writes a byte as a character of two bytes, such as Ġ
"""How many times longer a text may become by what replaces its parts."""


class RefusedError(ValueError):
    """A file that is refused, with a sentence that says why."""


def flag(model: Mapping[str, Any], key: str, default: bool = False) -> bool:
    value = model.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise TypeError
    return value


Step = Mapping[str, Any]
Describe = Callable[[Step, list[float]], str]


def describe_steps(
    step: Any, inner: str, known: Mapping[str, Describe], what: str, growth: list[float], depth: int = 0
) -> list[str]:
    """What a step does, or each step of a sequence. How much each lets a text grow goes into ``growth``."""
    if step is None:
        return []
    kind = step["type"]
    if kind == "Sequence":
        if depth > 3:
            raise RefusedError(
                f"Its {what} has sequences in sequences in sequences. Save it as one sequence."
            )
        descriptions = [
            description
            for each in step[inner]
            for description in describe_steps(each, inner, known, what, growth, depth + 1)
        ]
        if len(descriptions) > MAX_STEPS:
            raise RefusedError(
                f"Its {what} has {len(descriptions):,} steps, and {MAX_STEPS} are the limit here."
            )
        return descriptions
    if not isinstance(kind, str) or kind not in known:
        raise RefusedError(
            f"Its {what} has a step of the type {str(kind)[:40]!r}, which is not known here. Known are "
            f"{', '.join(known)}."
        )
    return [known[kind](step, growth)]


def _pattern(step: Step, growth: list[float], content: str | None = None) -> str:
    """The pattern of a step, quoted."""
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
        quoted, shortest = f"the pattern {_whole(text)}", 0  # it may match nothing
    if content is not None:
        size = len(content.encode("utf-8"))
        growth.append(size / shortest if shortest else size + 1)  # the content beside each character
    return quoted


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "replace"))


def _whole(pattern: str) -> str:
    return f"“{usual_spelling(pattern if len(pattern) <= 300 else pattern[:299] + '…')}”"


def _short_text(step: Step, key: str) -> str:
    text = step[key]
    if not isinstance(text, str) or len(text) > 64:
        raise RefusedError(f"One of its steps has a {key} of more than 64 characters, the limit here.")
    return text


def _character(step: Step, key: str) -> str:
    character = step[key]
    if not isinstance(character, str) or len(character) != 1:
        raise TypeError
    return character


def _constant(description: str) -> Describe:
    return lambda step, growth: description


def _bytes_as_characters(step: Step, growth: list[float]) -> str:
    growth.append(_GROWTH_OF_BYTES)
    return "bytes, each written as a character"


def _replace(step: Step, growth: list[float]) -> str:
    content = step["content"]
    if not isinstance(content, str):
        raise TypeError
    quoted = _pattern(step, growth, content)
    return f"{quoted} becomes {_quoted(content)}" if content else f"{quoted} is taken out"


def _prepend(step: Step, growth: list[float]) -> str:
    return f"{_quoted(_short_text(step, 'prepend'))} in front"


def _strip(step: Step, growth: list[float]) -> str:
    left, right = flag(step, "strip_left"), flag(step, "strip_right")
    where = {(True, True): "both ends", (True, False): "the beginning", (False, True): "the end"}
    return f"white space off {where[left, right]}" if left or right else "nothing taken off"


def _bert(step: Step, growth: list[float]) -> str:
    lower = flag(step, "lowercase", True)
    accents = step.get("strip_accents")
    changes = []
    if flag(step, "clean_text", True):
        changes.append("control characters dropped")
    if flag(step, "handle_chinese_chars", True):
        changes.append("spaces around Chinese characters")
    if accents or (accents is None and lower):
        changes.append("accents dropped (NFD)")
    if lower:
        changes.append("lower case")
    return ", ".join(changes) or "nothing changed (BertNormalizer)"


def _precompiled(step: Step, growth: list[float]) -> str:
    """SentencePiece's table of what each character becomes."""
    try:
        table = base64.b64decode(step["precompiled_charsmap"], validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise RefusedError("Its table of characters (precompiled_charsmap) is damaged.") from None
    try:
        check_charsmap(table)
    except ValueError as problem:
        raise RefusedError(str(problem)) from None
    return f"a table of SentencePiece's (precompiled, {bytes_in_words(len(table))}), as NFKC and more"


NORMALISERS: dict[str, Describe] = {
    "NFC": _constant("NFC"),
    "NFD": _constant("NFD"),
    "NFKC": _constant("NFKC"),
    "NFKD": _constant("NFKD"),
    "Lowercase": _constant("lower case"),
    "StripAccents": _constant("accents dropped"),
    "Nmt": _constant("control characters dropped, odd spaces become spaces (Nmt)"),
    "ByteLevel": _bytes_as_characters,
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": _prepend,
    "BertNormalizer": _bert,
    "Precompiled": _precompiled,
}

_BEHAVIOURS = {
    "Removed": "what matches is dropped",
    "Isolated": "what matches and what is between",
    "MergedWithPrevious": "what matches ends a word",
    "MergedWithNext": "what matches begins a word",
    "Contiguous": "what matches in a row stays together",
}


def _split(step: Step, growth: list[float]) -> str:
    behaviour = _BEHAVIOURS[step["behavior"]]
    quoted = _pattern(step, growth)
    if flag(step, "invert"):
        kept = "what lies between is dropped" if step["behavior"] == "Removed" else f"inverted; {behaviour}"
        return f"words by {quoted} ({kept})"
    return f"split by {quoted}" + (f" ({behaviour})" if step["behavior"] != "Isolated" else "")


def _byte_level(step: Step, growth: list[float]) -> str:
    description = "a space in front, " if flag(step, "add_prefix_space", True) else ""
    description += "split by GPT-2’s pattern, then " if flag(step, "use_regex", True) else ""
    growth.append(_GROWTH_OF_BYTES)
    return f"{description}bytes"


def _metaspace(step: Step, growth: list[float]) -> str:
    mark = _character(step, "replacement")
    scheme = step.get("prepend_scheme", "always")
    if scheme not in ("always", "first", "never"):
        raise TypeError
    if "add_prefix_space" in step and "prepend_scheme" not in step:
        scheme = "always" if flag(step, "add_prefix_space", True) else "never"
    description = f"spaces become {_quoted(mark)}"
    if scheme != "never":
        description += f", and one is put in front{'' if scheme == 'always' else ' of the first word'}"
    return description + (", split before each" if flag(step, "split", True) else "")


def _digits(step: Step, growth: list[float]) -> str:
    return "digits one by one" if flag(step, "individual_digits") else "split around numbers"


def _punctuation(step: Step, growth: list[float]) -> str:
    return f"split at punctuation ({_BEHAVIOURS[step.get('behavior', 'Isolated')]})"


def _delimiter(step: Step, growth: list[float]) -> str:
    return f"split at {_quoted(_character(step, 'delimiter'))}, which is dropped"


def _fixed_length(step: Step, growth: list[float]) -> str:
    length = step.get("length", 5)
    if type(length) is not int or not 1 <= length <= 10_000:
        raise RefusedError("Its pre-tokeniser cuts words of a fixed length that is not within 1 and 10,000.")
    return f"words of {length:,} characters"


PRE_TOKENISERS: dict[str, Describe] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Whitespace": _constant("words and punctuation; white space is dropped"),
    "WhitespaceSplit": _constant("split at white space, which is dropped"),
    "BertPreTokenizer": _constant("split at white space, which is dropped, and around punctuation"),
    "Digits": _digits,
    "Punctuation": _punctuation,
    "CharDelimiterSplit": _delimiter,
    "UnicodeScripts": _constant("split where the script changes"),
    "FixedLength": _fixed_length,
}


def _strip_decoder(step: Step, growth: list[float]) -> str:
    _character(step, "content")
    for key in ("start", "stop"):
        if type(step[key]) is not int or not 0 <= step[key] <= 1_000:
            raise RefusedError(f"Its decoder takes off {step[key]} characters; 0 to 1,000 can be read.")
    return "characters taken off"


def _names_of(*keys: str) -> Describe:
    def check(step: Step, growth: list[float]) -> str:
        for key in keys:
            _short_text(step, key)
        return ""

    return check


DECODERS: dict[str, Describe] = {
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
