r"""The encoder files of tiktoken in JavaScript (npm's tiktoken, js-tiktoken, Anthropic's old claude.json).

    pat_str             the split pattern, as tiktoken spells it
    special_tokens      their ids
    bpe_ranks           lines "! 0 IQ== Ig== …": a mark, a rank, and in base64 its token and the next ones

js-tiktoken has the same object as a module (ranks/gpt2.js), which is read, too.
"""

from __future__ import annotations

import base64
import re

from ..bpe.byte_pairs import BytePairEncoding
from ..bpe.home import HomeEncoding
from ..json_types import json_bytes
from ..split.dialects import check_as_tiktoken, spell_for_tiktoken, unspell_for_tiktoken
from . import known, ranks
from .tokenizer_json import read_json

_MODULE = re.compile(rb"\s*(?:export default|module\.exports\s*=)\s*(?=\{)")


def recognises(data: bytes) -> bool:
    """Whether this may be such a file.

    >>> recognises(b'{"pat_str": "a", "special_tokens": {}, "bpe_ranks": "! 0 IQ=="}'), recognises(b"{}")
    (True, False)
    """
    is_object = data[:100].lstrip().startswith(b"{") or _MODULE.match(data[:100]) is not None
    return is_object and b'"bpe_ranks"' in data and b'"pat_str"' in data


def from_bytes(data: bytes, name: str) -> BytePairEncoding:
    """The encoding that such a file describes; one that can be trained here becomes that again.

    Raises:
        ValueError: it is damaged, lacks a byte, or tiktoken reads its split pattern in another way than
            ``regex``.
    """
    module = _MODULE.match(data[:100])
    content = read_json(data[module.end() :].rstrip(b";\n\r\t ") if module else data)
    try:
        lines = _as_lines(content["bpe_ranks"])
        special = {text: int(token_id) for text, token_id in content["special_tokens"].items()}
        pattern = unspell_for_tiktoken(content["pat_str"])
    except (KeyError, ValueError, TypeError, AttributeError):
        raise ValueError(
            "Its pat_str, special_tokens or bpe_ranks are not as tiktoken for JavaScript has them. Copy the "
            "file again."
        ) from None
    check_as_tiktoken(pattern, content["pat_str"])
    listed = ranks.read_ranks(lines)
    merges = ranks.find_merges(listed)
    if merges is not None:
        return HomeEncoding(merges, pattern, special, name=name)
    encoding = ranks.of_ranks(name, data, listed, pattern, special)
    found = known.recognise(ranks.write_ranks(listed))
    if found is not None and found.form:
        what = f"a normal form, which the file does not hold: its vocabulary is that of {found.label}"
        encoding.notes = [*encoding.notes, ("Left out", what)]
    return encoding


def _as_lines(listed: str) -> bytes:
    """The same tokens as a .tiktoken file has them."""
    lines: list[str] = []
    for line in filter(None, listed.split("\n")):
        _, first, *tokens = line.split(" ")
        lines += (f"{token} {rank}" for rank, token in enumerate(tokens, start=int(first)))
    return "\n".join(lines).encode("ascii")


def to_bytes(encoding: HomeEncoding) -> bytes:
    """The content of the encoder file for an encoding, with which tiktoken gives the same ids in JavaScript.

    >>> import json
    >>> content = json.loads(to_bytes(HomeEncoding([(104, 105)], "gpt2", ["<|end|>"])))
    >>> content["special_tokens"], content["bpe_ranks"].splitlines()[-1]
    ({'<|end|>': 257}, '! 256 aGk=')
    """
    lines = (f"! {rank} {base64.b64encode(token).decode()}" for token, rank in encoding.ordinary.items())
    content = {
        "pat_str": spell_for_tiktoken(encoding.pattern),
        "special_tokens": encoding.special_tokens,
        "bpe_ranks": "\n".join(lines),
    }
    return json_bytes(content)
