"""qwen, claude-2 and clip: byte pairs of a text that each rewrites first, as its publisher does."""

from __future__ import annotations

import functools
import json

import regex

from ..bpe.byte_pairs import engine_from_ranks
from ..data.vocabulary_files import read_vocabulary
from ..entry import Entry
from ..families.huggingface import huggingface_engine, spell_bytes
from ..families.rewriting import RewritingEncoding
from ..files.ranks import read_ranks
from ..split.patterns import CLIP, GPT2, QWEN
from ..text.rewriting import Rewritten, change_clusters, end_words, normalise, small_letters
from ..text.spelling import byte_characters


def load_qwen() -> RewritingEncoding:
    """Qwen's vocabulary: tiktoken's algorithm on a text in the normal form NFC.

    Source: Alibaba's dashscope 2.0.2, tokenizers/qwen_tokenizer.py.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "qwen"
    ranks = read_ranks(read_vocabulary("qwen.tiktoken", name))
    names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{i}|>" for i in range(205)))
    special = {special: len(ranks) + number for number, special in enumerate(names)}
    return RewritingEncoding(
        name,
        engine=engine_from_ranks(name, ranks, special, QWEN),
        pattern=QWEN,
        rewriting=functools.partial(normalise, form="NFC"),
        called="the normal form NFC",
        specials_first=False,
    )


def load_claude() -> RewritingEncoding:
    """The vocabulary of Claude 1 and 2: GPT-2's algorithm and pattern on a text in the normal form NFKC.

    Its publisher's library is Hugging Face's, whose tables of Unicode are those of version 9. The ids of the
    bytes follow five special tokens, and merges follow the bytes, in their order.

    Source: Anthropic's anthropic 0.38.0, tokenizer.json.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "claude-2"
    described = json.loads(read_vocabulary("claude-2.tokenizer.json", name))
    special = {added["content"]: added["id"] for added in described["added_tokens"]}
    ids = {
        spell_bytes(token): token_id
        for token, token_id in described["model"]["vocab"].items()
        if token not in special
    }
    nfkc = huggingface_engine().normalizers.NFKC().normalize_str
    return RewritingEncoding(
        name,
        engine=engine_from_ranks(name, ids, special, GPT2),
        pattern=GPT2,
        rewriting=functools.partial(change_clusters, change=nfkc),
        called="the normal form NFKC",
        specials_first=True,
        first_id=len(special),
    )


# A word of CLIP's, before a space is put behind it.
_CLIP_WORD = regex.compile(r"(?i)'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+")
_CLIP_MERGES = 49_152 - 256 - 2
_OTHER_SPACES = dict.fromkeys(range(0x1C, 0x20), " ")  # white space to Python, though not to Unicode


def read_as_clip(text: str) -> Rewritten:
    """A text as CLIP sees it: NFC, in small letters, and a space after each word, which stands for its </w>.

    >>> read_as_clip("Hello,  World's").seen
    "hello , world 's "
    """
    small = normalise(text, "NFC")
    small = small.then(small_letters(small.seen))
    return small.then(end_words(small.seen.translate(_OTHER_SPACES), _CLIP_WORD))


def load_clip() -> RewritingEncoding:
    """CLIP's vocabulary: byte pairs of words in small letters, whose last letter is marked with </w>.

    In CLIP's own list, a letter at the end of a word is another token than the same letter elsewhere: "cat"
    is c, a, t</w>. Here </w> is a space, which is what it decodes to; no other spaces are left. Each last
    letter is joined with its space before any other merge, so the ids are the same.

    OpenAI's code first repairs a text with the library ftfy, and decodes HTML entities. That is not
    done here.

    Source: OpenAI's CLIP, as of open-clip-torch 3.3.0, tokenizer.py and bpe_simple_vocab_16e6.txt.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "clip"
    lines = read_vocabulary("clip-bpe.txt", name).decode("utf-8").split("\n")[1 : _CLIP_MERGES + 1]
    letters = byte_characters()
    in_order = sorted(range(256), key=letters.__getitem__)  # those that can be seen first
    ids = {bytes([byte]): number for number, byte in enumerate(in_order)}
    ids |= {bytes([byte, 0x20]): 256 + number for number, byte in enumerate(in_order)}
    for number, line in enumerate(lines, start=512):
        word = line.replace(" ", "")
        end = b" " if word.endswith("</w>") else b""
        ids[spell_bytes(word.removesuffix("</w>")) + end] = number
    special = {"<|startoftext|>": 512 + _CLIP_MERGES, "<|endoftext|>": 513 + _CLIP_MERGES}
    encoding = RewritingEncoding(
        name,
        engine=engine_from_ranks(name, ids, special, CLIP),
        pattern=CLIP,
        rewriting=read_as_clip,
        called="small letters",
        specials_first=True,
        n_letters=512,
    )
    encoding.frame = (special["<|startoftext|>"],), (special["<|endoftext|>"],)
    encoding.inside_words = frozenset(token_id for token, token_id in ids.items() if not token.endswith(b" "))
    return encoding


BUNDLED = {
    "qwen": Entry(
        load_qwen,
        "Qwen 1 to 2.5 by Alibaba. A text is brought to the normal form NFC first.",
        hue=22,
        group="byte pairs",
    ),
    "claude-2": Entry(
        load_claude,
        "Claude 1 and 2; the vocabularies of later Claudes are not public. A text is brought to the normal "
        "form NFKC first: ² becomes 2.",
        hue=23,
        group="byte pairs",
    ),
    "clip": Entry(
        load_clip,
        "CLIP, OpenAI's models of pictures and texts, and Stable Diffusion. Small letters alone; white space "
        "is dropped, and a word's last letter carries </w>, which is shown as the space that it decodes to. "
        "OpenAI's own code first mends a text (ftfy) and reads HTML's names of characters; that is not done "
        "here.",
        hue=24,
        group="byte pairs",
    ),
}
"""In the order of choosers."""
