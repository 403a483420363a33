"""How much of a text an encoding does not know, or does not give back."""

from __future__ import annotations

import difflib
import functools
from dataclasses import dataclass

from ..encoding import Encoding
from ..families import UNKNOWN
from ..placement import Placement

MOST_COMPARED = 250_000
"""The greatest product of the lengths of a lossy span and its decoded text that ``bytes_lost`` compares."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What an encoding loses of a text.

    Attributes:
        unknown_tokens: how many of its tokens are the unknown token.
        unknown_bytes: bytes of the text that these cover.
        lost_bytes: bytes of the text that decoding does not give back.
    """

    unknown_tokens: int = 0
    unknown_bytes: int = 0
    lost_bytes: int = 0

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.unknown_tokens + other.unknown_tokens,
            self.unknown_bytes + other.unknown_bytes,
            self.lost_bytes + other.lost_bytes,
        )


def measure_losses(encoding: Encoding, text: str, placed: Placement) -> Losses:
    """The losses in a text whose tokens ``encoding.place`` has found.

    >>> from tokenizers import get_encoding
    >>> bert = get_encoding("bert-uncased")
    >>> measure_losses(bert, "The cat", bert.place("The cat"))
    Losses(unknown_tokens=0, unknown_bytes=0, lost_bytes=1)
    """
    unknown = placed.ids == (-1 if encoding.unknown_id is None else encoding.unknown_id)
    typed = text.encode("utf-8")
    lost = sum(
        bytes_lost(typed[loss.start : loss.end].decode("utf-8", "replace"), loss.became)
        for loss in encoding.losses_in(text, placed)
    )
    return Losses(int(unknown.sum()), int((placed.ends - placed.starts)[unknown].sum()), lost)


@functools.lru_cache(maxsize=10_000)
def bytes_lost(typed: str, became: str) -> int:
    """How many bytes of a lossy span are not in its decoded text.

    >>> bytes_lost("The Letter", "the letter"), bytes_lost("naïve", "naive"), bytes_lost("tree", "[UNK]")
    (2, 2, 4)
    """
    if became == UNKNOWN or len(typed) * len(became) > MOST_COMPARED:
        return len(typed.encode("utf-8"))
    blocks = difflib.SequenceMatcher(None, typed, became, autojunk=False).get_matching_blocks()
    restored = sum(len(typed[block.a : block.a + block.size].encode("utf-8")) for block in blocks)
    return len(typed.encode("utf-8")) - restored
