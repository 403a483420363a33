"""The steps of a tokenizer.json in words: its normaliser, its pre-tokeniser and its decoder.

Each type of step that is known here has a function that says what it does. The types are described in
https://huggingface.co/docs/tokenizers/components.

A new type is an entry in ``NORMALISERS`` or ``PRE_TOKENISERS``, and a small tokenizer.json that has it,
made with the library: ``python -m tools.known_pipelines --add NAME=FILE`` adds it to the tests, with the
library's answers. (If a token of a new decoder stands for other bytes than its text, ``token_speller`` of
``huggingface_engine`` says so.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..amounts import bytes_in_words, shorten
from ..families.huggingface_engine import PipelineStep, steps_of
from ..split.patterns import usual_spelling
from ..text.rewriting import FORMS
from ..text.spelling import quote

Describe = str | Callable[[PipelineStep], str]
"""What steps of a type do, or a function that says it of a step."""


def describe_steps(step: PipelineStep | None, known: Mapping[str, Describe], what: str) -> list[str]:
    """What a step does, or each step of a sequence.

    Raises:
        ValueError: a step of an unknown type.

    >>> describe_steps({"type": "Lowercase"}, NORMALISERS, "normaliser")
    ['lowercase']
    """
    said: list[str] = []
    for each in steps_of(step):
        description = known.get(each["type"])
        if description is None:
            raise ValueError(
                f"Its {what} has a step of the unknown type {str(each['type'])[:40]!r}. Known types are: "
                f"{', '.join(known)}."
            )
        said.append(description if isinstance(description, str) else description(each))
    return said


MAX_GROWTH = 16
"""How many times longer a text may become by what replaces its parts."""


def check_growth(steps: Iterable[PipelineStep]) -> None:
    """Refuse steps that could make a short text take all memory.

    Raises:
        ValueError: together they can make a text more than ``MAX_GROWTH`` times longer.

    >>> check_growth([{"type": "Replace", "pattern": {"String": "ab"}, "content": "a" * 40}])
    Traceback (most recent call last):
    ...
    ValueError: Its replacements can make a text 20 times longer, and the limit is 16 times.
    """
    factor = 1.0
    for step in steps:
        if step["type"] == "Replace":
            factor *= max(1.0, len(step["content"]) / max(1, len(step["pattern"].get("String", ""))))
        elif step["type"] == "Prepend":
            factor *= max(1, len(step["prepend"]))
    if factor > MAX_GROWTH:
        raise ValueError(
            f"Its replacements can make a text {factor:,.0f} times longer, and the limit is "
            f"{MAX_GROWTH} times."
        )


def _pattern(step: PipelineStep) -> str:
    """The pattern of a step, quoted."""
    if "String" in step["pattern"]:
        return quote(step["pattern"]["String"])
    pattern = step["pattern"]["Regex"]
    return f"the pattern “{usual_spelling(shorten(pattern, 300))}”"


def _replace(step: PipelineStep) -> str:
    content = step["content"]
    return f"{_pattern(step)} becomes {quote(content)}" if content else f"{_pattern(step)} is removed"


def _strip(step: PipelineStep) -> str:
    left, right = step["strip_left"], step["strip_right"]
    where = {(True, True): "both ends", (True, False): "the start", (False, True): "the end"}
    return f"white space removed from {where[left, right]}" if left or right else "nothing removed"


def _bert(step: PipelineStep) -> str:
    lower = step.get("lowercase", True)
    accents = step.get("strip_accents")
    changes = {
        "control characters dropped": step.get("clean_text", True),
        "spaces around Chinese characters": step.get("handle_chinese_chars", True),
        "accents dropped (NFD)": lower if accents is None else accents,
        "lowercase": lower,
    }
    return ", ".join(filter(changes.get, changes)) or "nothing changed (BertNormalizer)"


def _precompiled(step: PipelineStep) -> str:
    """SentencePiece's table of what each character becomes."""
    size = bytes_in_words(3 * len(step["precompiled_charsmap"]) // 4)  # it is written in base64
    return f"a table of SentencePiece's (precompiled, {size}), as NFKC and more"


NORMALISERS: dict[str, Describe] = {
    **{form: form for form in FORMS},
    "Lowercase": "lowercase",
    "StripAccents": "accents dropped",
    "Nmt": "control characters dropped, odd spaces become spaces (Nmt)",
    "ByteLevel": "bytes, each written as a character",
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": lambda step: f"{quote(step['prepend'])} put in front",
    "BertNormalizer": _bert,
    "Precompiled": _precompiled,
}

_BEHAVIOURS = {
    "Removed": "matches are dropped",
    "Isolated": "matches, and what is between them",
    "MergedWithPrevious": "each match ends a word",
    "MergedWithNext": "each match begins a word",
    "Contiguous": "matches in a row stay together",
}


def _split(step: PipelineStep) -> str:
    behaviour = _BEHAVIOURS[step["behavior"]]
    if step.get("invert"):
        kept = "what is between is dropped" if step["behavior"] == "Removed" else f"inverted; {behaviour}"
        return f"words by {_pattern(step)} ({kept})"
    return f"split by {_pattern(step)}" + (f" ({behaviour})" if step["behavior"] != "Isolated" else "")


def _byte_level(step: PipelineStep) -> str:
    description = "a space put in front, " if step.get("add_prefix_space", True) else ""
    return description + ("split by GPT-2’s pattern, then " if step.get("use_regex", True) else "") + "bytes"


def _metaspace(step: PipelineStep) -> str:
    scheme = step.get("prepend_scheme") or ("always" if step.get("add_prefix_space", True) else "never")
    description = f"spaces become {quote(step['replacement'])}"
    if scheme != "never":
        description += f", and one is put in front{'' if scheme == 'always' else ' of the first word'}"
    return description + (", split before each" if step.get("split", True) else "")


PRE_TOKENISERS: dict[str, Describe] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Whitespace": "words and punctuation; white space is dropped",
    "WhitespaceSplit": "split at white space, which is dropped",
    "BertPreTokenizer": "split at white space, which is dropped, and around punctuation",
    "Digits": lambda step: "digits one by one" if step.get("individual_digits") else "split around numbers",
    "Punctuation": lambda step: f"split at punctuation ({_BEHAVIOURS[step.get('behavior', 'Isolated')]})",
    "CharDelimiterSplit": lambda step: f"split at {quote(step['delimiter'])}, which is dropped",
    "UnicodeScripts": "split where the script changes",
    "FixedLength": lambda step: f"words of {step.get('length', 5):,} characters",
}


DECODERS: dict[str, Describe] = {
    "ByteLevel": "characters become bytes again",
    "WordPiece": lambda step: (
        f"a space in front of each token that does not begin with {quote(step['prefix'])}"
    ),
    "Metaspace": lambda step: f"{quote(step['replacement'])} becomes a space",
    "BPEDecoder": lambda step: f"{quote(step['suffix'])} becomes a space",
    "ByteFallback": "tokens such as <0xE2> become bytes",
    "Fuse": "tokens are joined",
    "Strip": lambda step: (
        f"up to {step['start']} {quote(step['content'])} removed at the start, {step['stop']} at the end"
    ),
    "Replace": _replace,
    "CTC": lambda step: f"repeated tokens become one, {quote(step['pad_token'])} is removed (CTC)",
}
