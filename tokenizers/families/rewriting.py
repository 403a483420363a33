"""Byte pairs of a text that is rewritten first: qwen, claude-2, clip.

Each rewrites a text as its publisher does, by normal forms of Unicode or in small letters. Merges, trees and
reasons are those of the rewritten text. Each token covers what it came from in the text as typed.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import regex
import tiktoken

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..bpe.explain import explain_seen
from ..data.vocabulary_files import read_vocabulary
from ..encoding import AllowedSpecial, Ids
from ..entry import Entry
from ..files.ranks import read_ranks
from ..placement import Placement
from ..split.patterns import CLIP, GPT2, QWEN
from ..text.byte_characters import byte_characters
from ..text.rewriting import Rewritten, change_clusters, end_words, normalise, small_letters
from ..text.spans import Spans
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .huggingface import huggingface_engine, spell_bytes


class RewritingEncoding(BytePairEncoding):
    """A byte pair encoding that cuts another text than the one that is typed.

    Args:
        name, engine, pattern, first_id: as of ``BytePairEncoding``.
        rewriting: makes of a well-formed text what is cut.
        called: what the rewriting is called, after "by": "the normal form NFC".
        specials_first: whether special tokens are found in the text as typed, and stay as they are; otherwise
            they are found in what is cut.
    """

    is_lossless = False
    longest_text = 2 << 20  # 70 to 220 times the text's memory, and up to 4 s a MB

    def __init__(
        self,
        name: str,
        *,
        engine: tiktoken.Encoding,
        pattern: str,
        rewriting: Callable[[str], Rewritten],
        called: str,
        specials_first: bool,
        **more: Any,
    ) -> None:
        super().__init__(name, engine=engine, pattern=pattern, **more)
        self._called = called
        self._rewriting = rewriting
        self._specials_first = specials_first
        self._plain = BytePairEncoding(name, engine=engine, pattern=pattern, **more)

    def _encode(self, text: str, allowed_special: AllowedSpecial) -> tuple[Rewritten, Ids]:
        """What is cut of a text, and its tokens."""
        text = well_formed(text)
        if not self._specials_first or allowed_special == ():
            rewritten = self._rewriting(text)
            return rewritten, self._plain.encode_array(rewritten.seen, allowed_special=allowed_special)
        parts: list[Rewritten] = []
        ids: list[Ids] = []
        for stretch, special_id in self.cut_at_specials(text, allowed_special):
            if special_id is None:
                parts.append(self._rewriting(stretch))
                ids.append(self._plain.encode_array(parts[-1].seen))  # it may spell a special token now
            else:
                parts.append(Rewritten(stretch, stretch))
                ids.append(np.array([special_id], dtype=np.uint32))
        return Rewritten.join(parts), np.concatenate(ids)

    def seen(self, text: str) -> str:
        """The text that the encoding cuts."""
        return self._rewriting(well_formed(text)).seen

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, at their places in the text that the encoding cuts."""
        data = self.decode_array(spans.ids)
        return spans if data == spans.text_map.data else Spans(TextMap(data.decode()), self._plain, spans.ids)

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is in it as it was typed."""
        rewritten, ids = self._encode(text, allowed_special)
        self.check_growth(len(rewritten.seen.encode("utf-8")))
        ends = np.cumsum(self.byte_lengths[ids], dtype=np.int64)
        return Placement(ids, *rewritten.places(ends - self.byte_lengths[ids], ends))

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        return self._encode(text, allowed_special)[1]

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other."""
        return self._plain.encode_each(map(self.seen, texts), timeout=timeout)

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did when it gave these ids."""
        return self._plain.confirms_pieces(self.decode_array(ids).decode("utf-8"), ids)

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == seen(text)``."""
        return self._plain.pieces(self.seen(text))

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two.

        Raises:
            ValueError: the text has no such place.
        """
        return explain_seen(spans, byte_offset, self._called)

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the ranks, the split, and what is done to a text first."""
        yield f"{self._called}\n".encode()
        yield from super().fingerprint_data()


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
"""The encodings of this family that come with the app."""
