"""BPE with merges of a .gguf file (kinds gpt2, gemma4, whitespace): the tokenizer.json that says the same.

The header lists tokens and merges. How a text is cut before them it says by a name alone, such as llama-bpe,
for which llama.cpp has regular expressions of its own. Here a name stands for the publisher's pipeline (the
table of ``known.py``). Where llama.cpp leaves out a part of that (the normal form of Unicode), or cuts in
another way, the steps say so.
"""

from __future__ import annotations

from ..encoding import Encoding
from ..families.huggingface_engine import BYTE_NAMES, describe_added, describe_decoder
from ..families.sentencepieces import CONTROL, UNKNOWN, UNUSED, USER_DEFINED
from ..json_types import JsonObject
from ..numbered import numbered
from ..steps import DECLARES
from .gguf_header import Header, say_otherwise, say_repeated
from .known import Way, named_ways
from .tokenizer_json import describe_pairs, from_content


def read_pairs(header: Header, name: str, otherwise: str = "") -> Encoding:
    """The encoding of a header of the kind gpt2 or gemma4.

    Args:
        header: what the file holds.
        name: what to call the encoding.
        otherwise: what else llama.cpp does in another way, to follow its name in a sentence.

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
    content = _as_tokenizer_json(header, known)
    apart = _add_unlisted(content["model"]) if known.of_characters else {}
    encoding = from_content(content, header.saved, name, apart=apart)
    encoding.declared = [(DECLARES, _declared(header, known))]
    form = f"skips {known.form}, so texts that {known.form} changes can have other tokens"
    lowers = header.text("model") == "whitespace" and _lowercases(header)
    lacks_bytes = known.of_characters and not content["model"]["vocab"].keys() >= set(BYTE_NAMES)
    notes = say_otherwise(
        header,
        form if known.form else "",
        known.deviation,
        otherwise,
        "writes İ as i, without its dot" if lowers else "",
        "leaves out characters that no token stands for" if lacks_bytes else "",
        "looks up line ends that are a token together" if _has_unmade_lines(encoding, known, content) else "",
    )
    if apart:
        notes.append(("Merges", f"{len(apart):,} of them come to no token, and so to bytes"))
    encoding.notes = notes + say_repeated(header.texts("tokens"))
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


def _lowercases(header: Header) -> bool:
    """Whether a header of the kind whitespace has small letters made of capitals."""
    lowercase = header.number("normalizer.lowercase")
    return bool(pre_name(header) != "whitespace" if lowercase is None else lowercase)


def _as_tokenizer_json(header: Header, pre: Way) -> JsonObject:
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
    splits_first = header.text("model") == "whitespace"
    if splits_first and pre.marks:
        raise ValueError(
            "Its tokenizer drops all white space (whitespace), and its pre-tokeniser "
            f"({pre_name(header)}) keeps it. Add the model's tokenizer.json instead."
        )
    normalisers = [*pre.marks, *({"type": form} for form in [pre.form] if form)]
    if splits_first and _lowercases(header):
        normalisers.append({"type": "Lowercase"})
    content = describe_pairs(
        {token: token_id for token, token_id in ids.items() if token not in fillers},
        merges,
        added,
        [{"type": "WhitespaceSplit"}, *pre.steps] if splits_first else pre.steps,
        normalizer={"type": "Sequence", "normalizers": normalisers} if normalisers else None,
        ignore_merges=pre.looks_up,
    )
    if pre.of_characters:
        unknown = header.number("unknown_token_id")
        content["decoder"] = describe_decoder(has_marks=bool(pre.marks), strips_space=len(pre.marks) > 1)
        content["model"] |= {"byte_fallback": True, "fuse_unk": True}
        if unknown is not None and 0 <= unknown < len(tokens):
            content["model"]["unk_token"] = tokens[unknown]
    return content


def _has_unmade_lines(encoding: Encoding, known: Way, content: JsonObject) -> bool:
    """Whether there is a token of several line ends that merges do not make."""
    vocabulary = content["model"]["vocab"] if known.marks else {}
    runs = (token for token in vocabulary if len(token) > 1 and not token.strip("\n"))
    return any(encoding.encode(run) != [vocabulary[run]] for run in runs)


def _add_unlisted(model: JsonObject) -> dict[int, list[int]]:
    """Add the tokens of merges that the file does not list, which become bytes.

    Args:
        model: of a tokenizer.json whose tokens are characters; its vocabulary is changed.

    Returns:
        By the id of each that was added, the ids of its bytes. Without a token for each byte, none is added.

    >>> ids = {f"<0x{byte:02X}>": byte for byte in range(256)} | {"a": 256}
    >>> model = {"vocab": ids, "merges": [("a", "a")]}
    >>> _add_unlisted(model), model["vocab"]["aa"]
    ({257: [97, 97]}, 257)
    """
    ids = model["vocab"]
    ids_of_bytes = list(map(ids.get, BYTE_NAMES))
    if None in ids_of_bytes:
        return {}
    tokens = dict.fromkeys(token for left, right in model["merges"] for token in (left, right, left + right))
    unlisted = [token for token in tokens if token not in ids]
    first = max(ids.values()) + 1
    ids |= numbered(unlisted, first)
    spelt = (token.encode() for token in unlisted)
    return {first + n: [ids_of_bytes[byte] for byte in each] for n, each in enumerate(spelt)}


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
