"""How a text is cut, where a file does not tell: ways that are known by name, and vocabularies by digest.

A .tiktoken file, and a vocab.json with its merges.txt, hold tokens alone. Which pattern cuts a text before
anything merges, and whether a text is brought to a normal form first, has to be told. Published vocabularies
are recognised by the SHA-256 of their ranks or merges, whose publishers' patterns are known.

Digests: of published files, in packages of PyPI and npm and in llama.cpp's vocabularies. Of ranks: lines
"token in base64, blank, rank" by rank, as tiktoken's own files have them. Of merges: the lines of merges.txt
without its header; names of vocabularies that were read from ranks have the merges that follow from these.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..encoding import ASSETS
from ..families.huggingface_engine import PipelineStep
from ..shipped import reading
from ..split.patterns import PATTERN_LABELS, PATTERNS, find_pattern, usual_spelling
from ..steps import first_few
from .tokenizer_json import BYTE_LEVEL

FILE = ASSETS / "pre_tokenisers" / "llama_cpp.json"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of cutting a text. Those with a name are of files of llama.cpp's.

    Attributes:
        steps: as a tokenizer.json has them.
        form: the normal form of Unicode that a text is brought to first; None: it stays as it is; empty: what
            its publisher does is not known, and it stays as it is.
        looks_up: whether a word that is a token whole is looked up before anything merges.
        evidence: who is known to take these steps: its "publisher"; llama.cpp or others say that the
            publisher does ("quoted"); or "llama.cpp" does, and no more is known.
        of: the publisher's model.
        adds_first: whether a model of this kind has its first token put in front, if its file does not say.
        of_characters: whether its tokens are made of characters, and not of bytes.
        marks: the normaliser's steps that write ▁ into a text of characters: for each space, for example.
        lstrip: the special token that takes the white space in front of it; empty: there is none.
        deviation: what llama.cpp does in another way, to follow its name in a sentence.
        note: what else people have to know.
    """

    steps: Sequence[PipelineStep]
    form: str | None = ""
    looks_up: bool = False
    evidence: str = ""
    of: str = ""
    adds_first: bool = False
    of_characters: bool = False
    marks: Sequence[PipelineStep] = ()
    lstrip: str = ""
    deviation: str = ""
    note: str = ""

    @property
    def pattern(self) -> str | None:
        """The one regular expression that it cuts by; None: it takes several steps.

        >>> way_of("qwen2").pattern == PATTERNS["qwen"], way_of("gpt-2").pattern == PATTERNS["gpt2"]
        (True, True)
        >>> way_of("command-r").pattern  # None
        """
        first, *rest = self.steps
        if first.get("use_regex") and not rest:
            return PATTERNS["gpt2"]
        is_split = first["type"] == "Split" and "Regex" in first["pattern"] and rest == [BYTE_LEVEL]
        return usual_spelling(first["pattern"]["Regex"]) if is_split else None


@functools.cache
def named_ways() -> dict[str, Way]:
    """By the names that llama.cpp's converter gives them (``tokenizer.ggml.pre``).

    >>> named_ways()["qwen2"].form, named_ways()["llama-bpe"].looks_up
    ('NFC', True)
    """
    with reading(FILE, "The list of pre-tokenisers"):
        listed = json.loads(FILE.read_text("utf-8"))
        steps = {name: [_in_full(step) for step in each] for name, each in listed["steps"].items()}
        return {name: Way(**{**row, "steps": steps[row["steps"]]}) for name, row in listed["names"].items()}


def _in_full(step: PipelineStep | str) -> PipelineStep:
    """A step of the file, where a regular expression alone is one that splits a text."""
    split = {"type": "Split", "behavior": "Isolated", "invert": False}
    return {**split, "pattern": {"Regex": step}} if isinstance(step, str) else step


def _of_bytes(name: str) -> Way | None:
    """The way of this name, if it cuts a text into bytes."""
    way = named_ways().get(name) if name != "default" else None
    return None if way is None or way.of_characters else way


def way_of(told: str | None) -> Way:
    """The way that a person means: its name, a regular expression, or None for no walls.

    Raises:
        ValueError: a name or a regular expression that cannot be.

    >>> way_of("qwen2").form, way_of("llama-bpe").looks_up, way_of(None).pattern
    ('NFC', True, None)
    """
    if known := _of_bytes(told or ""):
        return known
    pattern = find_pattern(told)
    return Way([BYTE_LEVEL] if pattern is None else [_in_full(pattern), BYTE_LEVEL])


@functools.cache
def ways(*, of_one_pattern: bool) -> dict[str, str]:
    """All known ways, no way twice: of each one name, and all names as a label.

    Args:
        of_one_pattern: whether those of several steps are left out.

    >>> ways(of_one_pattern=True)["qwen"], "falcon" in ways(of_one_pattern=False)
    ('qwen, qwen2, deepseek-r1-qwen, kormo, f2llmv2, stablelm2 and 4 more', True)
    """
    groups = {pattern: [name] for name, pattern in reversed(PATTERNS.items())}
    for name in named_ways():
        way = _of_bytes(name)
        if way and (way.pattern or not of_one_pattern):
            groups.setdefault(way.pattern or json.dumps(way.steps), []).append(name)
    return {
        names[0]: first_few(list(dict.fromkeys([PATTERN_LABELS.get(names[0], names[0]), *names[1:]])), 6)
        for names in groups.values()
    }


# Recognised vocabularies


@dataclass(frozen=True, slots=True)
class Known:
    """A published vocabulary.

    Attributes:
        label: what people call it.
        ways: how its publisher cuts a text: names for ``way_of``; several, if several publishers have it.
        form: the normal form that a text is brought to first, where it is not that of the way.
    """

    label: str
    ways: tuple[str, ...]
    form: str | None = None


_KNOWN = {
    # Of ranks
    "306cd27f03c1a714": Known("GPT-2", ("gpt2",)),
    "94b5ca7dff4d0076": Known("p50k_base", ("gpt2",)),
    "223921b76ee99bde": Known("cl100k_base or StableLM 2", ("gpt4", "qwen")),
    "446a9538cb6c348e": Known("o200k_base", ("gpt4o",)),
    "b2b1b8dfb5cc5f02": Known("Qwen 1 to 3, which brings a text to NFC first", ("qwen",)),
    "8dde380a6405e935": Known("Qwen 3.5, which brings a text to NFC first", ("qwen35",)),
    "d2a312b6d9fa24fc": Known("GLM 5", ("gpt4",)),
    "5a49359807155024": Known("GLM 4.5", ("gpt4",)),
    "f8ce6dba8329323e": Known("Whisper", ("gpt2",)),
    "82e9d31979e92ab9": Known("Llama 3", ("gpt4",)),
    "d0bdbaf59b0762c8": Known("Llama 4", ("gpt4o",)),
    "64a081edb3cbb863": Known("Mistral’s Tekken", ("tekken",)),
    "ba9ebb28e61f5872": Known("Claude 2, which brings a text to NFKC first", ("gpt2",), "NFKC"),
    # Of merges
    "ac33235097fe06d4": Known("GPT-2", ("gpt-2",)),
    "c8f298e813f2ebe7": Known("cl100k_base or StableLM 2", ("dbrx", "stablelm2")),
    "248178a3087ef65c": Known("o200k_base", ("gpt-4o",)),
    "6388f73f15bf8f56": Known("gpt-oss", ("gpt-4o",)),
    "599bab5407508877": Known("Qwen 1 to 3", ("qwen2",)),
    "20eb76f2c4824797": Known("Qwen 3.5", ("qwen35",)),
    "9ec394d4060fee3c": Known("Whisper", ("gpt-2",)),
    "b8976ea9a5406f0e": Known("Llama 3", ("llama-bpe",)),
    "834303bc573effa9": Known("Command R", ("command-r",)),
    "e090b861d37dde1b": Known("DeepSeek Coder", ("deepseek-coder",)),
    "4f17afbeedcc38c5": Known("DeepSeek LLM", ("deepseek-llm",)),
    "9587de97d6aea419": Known("DeepSeek V3", ("deepseek-v3",)),
    "9bb0b94f0925e2b6": Known("Falcon", ("falcon",)),
    "097336e89d75d2fe": Known("GPT-NeoX, MPT or OLMo", ("mpt",)),
    "3d38bcb96998e147": Known("Refact", ("refact",)),
    "44ed5dbdf42b0670": Known("StarCoder", ("starcoder",)),
    "8bfeaa083ac28b60": Known("Claude 2", ("gpt-2",), "NFKC"),
    "1aa9d374788e7ef1": Known("SuperBPE", ("superbpe",)),
}
"""By the first 16 digits of the digest."""


def recognise(content: bytes) -> Known | None:
    """The vocabulary of these lines, of ranks or of merges; None: it is not known."""
    return _KNOWN.get(hashlib.sha256(content).hexdigest()[:16])
