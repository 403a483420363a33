"""Text by byte pairs, and DNA between tags by six letters a token (k-mers): Carbon's tokenizer.

What stands between <dna> and </dna> is DNA: without white space at its ends, in capitals, cut every six
letters. Six letters that are not all A, C, G and T are <oov>. If the last ones are fewer than six, A is added
until they are. A tag without its other one reaches to the text's end, or from its start.

Source: HuggingFaceBio/Carbon-3B, tokenizer.py; llama.cpp, src/llama-vocab.cpp (kind hybriddna).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..description import steps_in_words
from ..encoding import AllowedSpecial, Encoding
from ..placement import Placement
from ..steps import Steps
from ..text.spans import Spans
from ..utf8 import utf8_length, well_formed
from .listed import ListedEncoding

DNA_TAGS = DNA_BEGIN, DNA_END, DNA_UNKNOWN = "<dna>", "</dna>", "<oov>"
_LETTERS = 6


class _Part(NamedTuple):
    """A part of a text: characters [start, end), which are DNA with its tags or other text."""

    start: int
    end: int
    is_dna: bool


class _Token(NamedTuple):
    """A token of a part: characters [start, end) became it."""

    token_id: int
    start: int
    end: int


class HybridDnaEncoding(ListedEncoding):
    """Byte pairs, and k-mers for DNA.

    Args:
        base: what other text is encoded by.
        tags: the ids of ``DNA_TAGS``.
        kmers: of each six letters, the id.
        name: what people call it.

    >>> from tokenizers.families.listed import ByteEncoding
    >>> tags = {"<dna>": 256, "</dna>": 257, "<oov>": 258}
    >>> enc = HybridDnaEncoding(ByteEncoding(), tags, {"ACGTAC": 259, "GAAAAA": 260}, name="dna")
    >>> enc.encode("é<dna>acgtacG</dna>"), enc.encode("<dna>NACGTA")
    ([195, 169, 256, 259, 260, 257], [256, 258])
    """

    family = "byte pairs and k-mers"
    way = "cuts DNA by six letters, and other text by byte pairs"
    not_drawn = "DNA is cut without them"
    is_lossless = False
    drops_text = True

    def __init__(
        self, base: Encoding, tags: Mapping[str, int], kmers: Mapping[str, int], *, name: str
    ) -> None:
        own = {**tags, **kmers}
        tokens = [b""] * (max(base.n_vocab, *(token_id + 1 for token_id in own.values())))
        for data, token_id in base.ordinary.items():
            tokens[token_id] = data
        for token, token_id in [*own.items(), *base.special_tokens.items()]:
            tokens[token_id] = token.encode()
        super().__init__(name, tokens, base.special_tokens)
        self._base = base
        self._tags = tags
        self._kmers = kmers
        self._dna_ids = frozenset(own.values())
        self.unknown_id = tags[DNA_UNKNOWN]
        self.knows_special_tokens = base.knows_special_tokens

    def family_steps(self) -> Steps:
        dna = (
            f"{DNA_BEGIN}…{DNA_END}: in capitals, by {_LETTERS} letters a token, {len(self._kmers):,} of them"
        )
        return [("DNA", dna), *steps_in_words(self._base)]

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is."""
        text = well_formed(text)
        placed = []
        for part in _parts_of(text):
            content = text[part.start : part.end]
            tokens = (
                self._place_dna(content)
                if part.is_dna
                else self._base.place(content, allowed_special=allowed_special)
            )
            placed.append((utf8_length(content), tokens))
        return Placement.join(placed)

    def _place_dna(self, text: str) -> Placement:
        """The tokens of a part that is DNA, with its tags."""
        bytes_before = np.cumsum([0, *map(utf8_length, text)])
        ids, starts, ends = np.array(list(self._cut_dna(text)), np.int64).reshape(-1, 3).T
        return Placement(ids.astype(np.uint32), bytes_before[starts], bytes_before[ends])

    def _cut_dna(self, text: str) -> Iterator[_Token]:
        begin = len(DNA_BEGIN) if text.startswith(DNA_BEGIN) else 0
        stop = len(text.removesuffix(DNA_END))
        if begin:
            yield _Token(self._tags[DNA_BEGIN], 0, begin)
        content = text[begin:stop]
        first = begin + len(content) - len(content.lstrip())
        # A capital can be several letters, as of ß.
        letters = [
            (capital, at) for at, letter in enumerate(content.strip(), first) for capital in letter.upper()
        ]
        for at in range(0, len(letters), _LETTERS):
            some = letters[at : at + _LETTERS]
            kmer = "".join(letter for letter, _ in some).ljust(_LETTERS, "A")
            yield _Token(self._kmers.get(kmer, self._tags[DNA_UNKNOWN]), some[0][1], some[-1][1] + 1)
        if stop < len(text):
            yield _Token(self._tags[DNA_END], stop, len(text))

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut at this place, or none.

        >>> from tokenizers.families.listed import ByteEncoding
        >>> from tokenizers.text import encode_spans
        >>> tags = {"<dna>": 256, "</dna>": 257, "<oov>": 258}
        >>> enc = HybridDnaEncoding(ByteEncoding(), tags, {"ACGTAC": 259}, name="dna")
        >>> print(enc.reason(encode_spans(enc, "<dna>ACGTAC"), 7))
        No cut: DNA is cut every 6 letters, from <dna> on.
        >>> print(enc.reason(encode_spans(enc, "ab"), 1))
        Outside of DNA, byte pairs decide.
        """
        rule = f"DNA is cut every {_LETTERS} letters, from {DNA_BEGIN} on."
        if self._dna_ids.isdisjoint((spans.id_at(before), spans.id_at(after))):
            rule = "Outside of DNA, byte pairs decide."
        return f"No cut: {rule}" if before == after else rule


def _parts_of(text: str) -> Iterator[_Part]:
    """The parts of a text, DNA and other text.

    >>> [text[start:end] for text in ["a<dna>C</dna>b", "C</dna><dna>G"] for start, end, _ in _parts_of(text)]
    ['a', '<dna>C</dna>', 'b', 'C</dna>', '<dna>G']
    """
    at = 0
    while at < len(text):
        begin, end = text.find(DNA_BEGIN, at), text.find(DNA_END, at)
        if begin < 0 and end < 0:
            yield _Part(at, len(text), False)
            return
        stop = len(text) if end < 0 else end + len(DNA_END)
        start = begin if 0 <= begin and (end < 0 or begin < end) else at
        if at < start:
            yield _Part(at, start, False)
        yield _Part(start, stop, True)
        at = stop
