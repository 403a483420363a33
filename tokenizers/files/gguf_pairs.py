"""BPE with merges of a .gguf file (its kinds gpt2 and gemma4): the tokenizer.json that says the same.

The header lists tokens and merges. How a text is cut before them it says by a name alone, such as llama-bpe,
for which llama.cpp has regular expressions of its own. Here a name stands for the publisher's pipeline (the
table of ``known.py``). Where llama.cpp leaves out a part of that (the normal form of Unicode), or cuts in
another way, the steps say so.
"""

from __future__ import annotations

from typing import Any

from ..encoding import Encoding
from ..families.huggingface_engine import describe_added
from ..families.sentencepieces import CONTROL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from .gguf_header import Header, say_otherwise, say_repeated
from .known import Way, named_ways
from .tokenizer_json import describe_pairs, from_content


def read_pairs(header: Header, name: str) -> Encoding:
    """The encoding of a header of the kind gpt2 or gemma4.

    Args:
        header: what the file holds.
        name: what to call the encoding.

    Raises:
        ValueError: it is damaged, or its pre-tokeniser is none that is known here.
        OSError: Hugging Face's library is not installed.
    """
    known = named_ways().get(pre_name(header))
    if known is None:
        raise ValueError(
            f"It names the pre-tokeniser {pre_name(header)[:60]!r}, which is not among the "
            f"{len(named_ways())} known ones, so how it splits text is unknown. Add the model's "
            "tokenizer.json instead."
        )
    encoding = from_content(_as_tokenizer_json(header, known), header.saved, name)
    encoding.declared = [("Declares", _declared(header, known))]
    form = f"skips {known.form}, so texts that {known.form} changes can have other tokens"
    otherwise = say_otherwise(header, form if known.form else "", known.deviation)
    encoding.notes = otherwise + say_repeated(header.texts("tokens"))
    return encoding


def pre_name(header: Header) -> str:
    """The name of its pre-tokeniser, as llama.cpp takes it: a file without one has the default."""
    return "gemma4" if header.text("model") == "gemma4" else header.text("pre") or "default"


_EVIDENCE = {
    "publisher": "",
    "quoted": "its steps are quoted by others from its publisher’s file",
    "llama.cpp": "its steps are llama.cpp’s: its publisher’s own were not checked",
}
_FORM_UNKNOWN = "whether its publisher normalises text first is not known; here, the text stays as it is"
_NO_SPACE = "it asks for a space in front (add_space_prefix), which llama.cpp does not add either"


def _declared(header: Header, known: Way) -> str:
    """What the file says, and what is known and not known of it."""
    kind, pre = header.text("model"), pre_name(header)
    if pre == "default":
        says = "the pre-tokeniser default" if header.text("pre") else "no pre-tokeniser"
        parts = [
            f"a tokenizer of the kind {kind}, and {says}: its steps are llama.cpp’s defaults. Its "
            "publisher’s can differ: the model’s tokenizer.json has them"
        ]
    else:
        form = f"{known.form} first, as its publisher does, although a .gguf file does not say so"
        parts = [
            f"a tokenizer of the kind {kind}, with the pre-tokeniser {pre}",
            _EVIDENCE[known.evidence],
            form if known.form else _FORM_UNKNOWN * (known.form is not None),
            known.note,
        ]
    return "; ".join(filter(None, [*parts, _NO_SPACE * bool(header.number("add_space_prefix"))]))


def _as_tokenizer_json(header: Header, pre: Way) -> dict[str, Any]:
    tokens, kinds = header.tokens()
    merges = list(map(_parts, header.texts("merges")))
    if not merges:
        raise ValueError(
            "It lists no merges (tokenizer.ggml.merges). Convert the model again, or add its tokenizer.json."
        )
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    # A filler is no token of the model, unless merges come to it.
    fillers = {token for token, token_id in ids.items() if kinds[token_id] == UNUSED}
    fillers.difference_update(token for left, right in merges for token in (left, right, left + right))
    added = [
        describe_added(token_id, token, special=kinds[token_id] != USER_DEFINED, lstrip=token == pre.lstrip)
        for token, token_id in ids.items()
        if kinds[token_id] in (CONTROL, UNKNOWN, USER_DEFINED)
    ]
    content = describe_pairs(
        {token: token_id for token, token_id in ids.items() if token not in fillers},
        merges,
        added,
        pre.steps,
        normalizer={"type": pre.form} if pre.form else None,
        ignore_merges=pre.looks_up,
    )
    if pre.marks_spaces:
        unknown = header.number("unknown_token_id")
        content["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
        content["decoder"] = {"type": "Sequence", "decoders": _FROM_CHARACTERS}
        content["model"] |= {"byte_fallback": True, "fuse_unk": True}
        if unknown is not None and 0 <= unknown < len(tokens):
            content["model"]["unk_token"] = tokens[unknown]
    return content


_FROM_CHARACTERS = [
    {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
]


def _parts(merge: str) -> tuple[str, str]:
    """The two tokens of a merge; the first may begin with a space.

    >>> _parts("th e"), _parts("  a")
    (('th', 'e'), (' ', 'a'))
    """
    at = merge.find(" ", 1)
    if at < 0:
        raise ValueError(
            f"Its merge {merge[:40]!r} is not two tokens with a space between: the file is damaged."
        )
    return merge[:at], merge[at + 1 :]
