"""Characters: every character (code point) of a learned vocabulary is a token.

What to do with a character that the vocabulary lacks is a choice, and both are here:

    rest="bytes"      it becomes its bytes of UTF-8, so that nothing is lost ("byte fallback")
    rest="unknown"    it becomes [UNK], and does not come back

The vocabulary holds the most frequent characters of the texts that it learned from. With ``rest="bytes"`` ids
0 to 255 are the bytes, and an ASCII character is its byte; with ``rest="unknown"`` id 0 is [UNK].
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..encoding import AllowedSpecial
from ..placement import Placement
from ..text.spans import Spans
from ..text.spelling import quote
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .listed import ListedEncoding

Rest = Literal["bytes", "unknown"]
"""What becomes of a character that is not in the vocabulary."""

UNKNOWN = "[UNK]"
"""What the unknown token decodes to."""


class CharacterEncoding(ListedEncoding):
    """Every character of a vocabulary is a token.

    Args:
        characters: the vocabulary, the most frequent first.
        rest: what becomes of all other characters.
        name: what people call it.

    Raises:
        ValueError: something in the vocabulary is not one character, or is there twice.

    >>> CharacterEncoding("aé").encode("aéü")
    [97, 256, 195, 188]
    >>> unknown = CharacterEncoding("aé", "unknown")
    >>> unknown.encode("aéü"), unknown.decode([1, 2, 0])
    ([1, 2, 0], 'aé[UNK]')
    """

    family = "characters"

    def __init__(self, characters: Iterable[str], rest: Rest = "bytes", *, name: str = "characters") -> None:
        self.rest: Rest = rest
        characters = list(characters)
        self.characters = "".join(characters)
        for character in characters:
            if len(character) != 1 or well_formed(character) != character:
                raise ValueError(f"The vocabulary holds {character!r}, which is not one character.")
        if rest == "bytes":
            tokens = [bytes([value]) for value in range(256)]
            tokens += [character.encode() for character in self.characters if not character.isascii()]
        else:
            self.unknown_id = 0
            self.is_lossless = False
            self.drops_text = True
            tokens = [UNKNOWN.encode(), *(character.encode() for character in self.characters)]
        super().__init__(name, tokens)
        if len(set(self.characters)) < len(characters):
            raise ValueError(f"The vocabulary of {name} holds a character twice. Give each once.")

    @functools.cached_property
    def _id_of(self) -> npt.NDArray[np.int32]:
        """The id of each character, by code point; -1: it has none."""
        ids = np.full(0x110000, -1, dtype=np.int32)
        for data, token_id in self.ordinary.items():
            if len(data) > 1 or data.isascii():
                ids[ord(data.decode())] = token_id
        return ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The characters of ``text``, and the bytes of those that are not in the vocabulary, or [UNK]."""
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        text_map = TextMap(text)
        data = np.frombuffer(text_map.data, dtype=np.uint8)
        char_ids = self._id_of[np.frombuffer(text_map.text.encode("utf-32-le"), dtype=np.uint32)]
        is_known = char_ids >= 0
        edges = text_map.byte_of_char.astype(np.int32)
        if self.unknown_id is not None:
            return Placement(
                np.where(is_known, char_ids, self.unknown_id).astype(np.uint32), edges[:-1], edges[1:]
            )
        lengths = np.diff(edges)
        per_char = np.where(is_known, 1, lengths)  # tokens
        whole = np.repeat(is_known, per_char)  # of each token: whether it is a character
        starts = np.repeat(edges[:-1], per_char)
        first = np.repeat(np.cumsum(per_char) - per_char, per_char)  # the first token of its character
        starts += np.where(whole, 0, np.arange(len(starts), dtype=np.int32) - first)
        ends = np.where(whole, np.repeat(edges[1:], per_char), starts + 1)
        ids = np.where(whole, np.repeat(char_ids, per_char), data[starts] if len(data) else 0)
        return Placement(ids.astype(np.uint32), starts, ends)

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> enc = CharacterEncoding("né")
        >>> enc.reason(encode_spans(enc, "né"), 1)
        'Every character is a token of its own, so there is a cut here.'
        >>> enc.reason(encode_spans(enc, "né"), 2)
        'No cut: “é” is one character, and in the vocabulary of characters.'
        >>> enc.reason(encode_spans(enc, "ü"), 1)
        '“ü” is not in the vocabulary of characters, so each of its bytes is a token.'
        """
        text_map = spans.text_map
        if text_map.begins_character(byte_offset):
            return "Every character is a token of its own, so there is a cut here."
        character = text_map.text[text_map.char_index(byte_offset)]
        quoted = quote(character.encode("utf-8"))
        if self._id_of[ord(character)] >= 0:
            return f"No cut: {quoted} is one character, and in the vocabulary of {self.name}."
        if self.unknown_id is not None:
            return f"No cut: {quoted} is not in the vocabulary of {self.name}, so all of it is {UNKNOWN}."
        return f"{quoted} is not in the vocabulary of {self.name}, so each of its bytes is a token."

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has."""
        yield self.rest.encode()
        yield from super().fingerprint_data()


def learn_characters(
    texts: Iterable[str], vocab_size: int | None = None, rest: Rest = "bytes", *, name: str = "characters"
) -> CharacterEncoding:
    """An encoding of the most frequent characters of some texts; on ties, the lower code point first.

    Args:
        texts: what to learn from.
        vocab_size: tokens in all, the bytes or [UNK] included; None: as many as there are characters.
        rest: what becomes of all other characters.
        name: what people call it.

    Raises:
        ValueError: fewer tokens than bytes or [UNK] need.

    >>> learn_characters(["naïve", "naïf"], 258).characters
    'anïefv'
    >>> learn_characters(["naïve", "naïf"], 3, "unknown").characters
    'an'
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(well_formed(text))
    by_frequency = sorted(counts, key=lambda character: (-counts[character], character))
    if vocab_size is None:
        return CharacterEncoding(by_frequency, rest, name=name)
    least = 256 if rest == "bytes" else 1
    if vocab_size < least:
        raise ValueError(f"{vocab_size:,} tokens are too few: choose {least:,} or more.")
    if rest == "unknown":
        return CharacterEncoding(by_frequency[: vocab_size - 1], rest, name=name)
    others = [character for character in by_frequency if not character.isascii()]
    kept = set(others[: vocab_size - 256])
    chosen = [character for character in by_frequency if character.isascii() or character in kept]
    return CharacterEncoding(chosen, rest, name=name)
