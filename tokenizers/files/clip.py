"""CLIP's vocabulary, bpe_simple_vocab_16e6.txt: byte pairs of words in small letters.

The last letter of a word is marked with </w>. In CLIP's own list, a letter at the end of a word is another
token than the same letter elsewhere: "cat" is c, a, t</w>. Here </w> is a space, which is what it decodes to;
no other spaces are left. Each last letter is joined with its space before any other merge, so the ids are the
same.

Source: OpenAI's CLIP, clip/simple_tokenizer.py; as of open-clip-torch 3.3.0, tokenizer.py and
bpe_simple_vocab_16e6.txt.
"""

from __future__ import annotations

import functools
import hashlib

import regex

from ..bpe.byte_pairs import Engine
from ..families.huggingface_engine import spell_bytes
from ..families.rewriting import RewritingEncoding
from ..shipped import require
from ..split.patterns import CLIP
from ..text.mending import read_as_clip
from ..text.rewriting import end_words
from ..text.spelling import byte_characters

_HEAD = b'"bpe_simple_vocab_16e6.txt#version'
_WORD = regex.compile(r"(?i)'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+")
"""Matches a word before a space is put behind it."""

_MERGES = 49_152 - 256 - 2
"""The lines that CLIP's code reads, after the first."""

_DIGEST = "f61f2adf497e6f5357c347aeb4646fabe82f341e946de5bdec5d2858e41bef4a"
"""SHA-256 of these lines."""


def recognises(data: bytes) -> bool:
    """Whether a file begins as CLIP's does.

    >>> recognises(b'"bpe_simple_vocab_16e6.txt#version: 0.2\\ni n\\n'), recognises(b"#version: 0.2\\ni n\\n")
    (True, False)
    """
    return data.startswith(_HEAD)


def from_bytes(data: bytes, name: str) -> RewritingEncoding:
    """CLIP's encoding.

    Raises:
        OSError: ftfy is not installed.
        ValueError: the merges are not those of CLIP, for which alone ids were compared.
    """
    require("ftfy")  # without it, the ids would be others
    lines = data.split(b"\n")[1 : _MERGES + 1]
    if hashlib.sha256(b"\n".join(line.rstrip(b"\r") for line in lines)).hexdigest() != _DIGEST:
        raise ValueError("Its merges are not those of CLIP. Download bpe_simple_vocab_16e6.txt again.")
    letters = byte_characters()
    in_order = sorted(range(256), key=letters.__getitem__)  # those that can be seen first
    ids = {bytes([byte]): number for number, byte in enumerate(in_order)}
    ids |= {bytes([byte, 0x20]): 256 + number for number, byte in enumerate(in_order)}
    for number, line in enumerate(lines, start=512):
        word = line.decode().rstrip("\r").replace(" ", "")
        end = b" " if word.endswith("</w>") else b""
        ids[spell_bytes(word.removesuffix("</w>")) + end] = number
    special = {"<|startoftext|>": 512 + _MERGES, "<|endoftext|>": 513 + _MERGES}
    encoding = RewritingEncoding(
        name,
        engine=Engine(name, ids, special, CLIP),
        pattern=CLIP,
        rewriting=read_as_clip,
        called="OpenAI’s code for CLIP",
        ending=functools.partial(end_words, word=_WORD),
        n_letters=512,
    )
    encoding.part_begin = None  # ftfy and HTML's names depend on what comes before
    encoding.frame = (special["<|startoftext|>"],), (special["<|endoftext|>"],)
    encoding.inside_words = frozenset(token_id for token, token_id in ids.items() if not token.endswith(b" "))
    encoding.keep_file(data)
    return encoding
