"""How often each character occurs in texts: how much of Unicode people use."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..checks import check_whole_number
from ..data import list_languages
from ..utf8 import well_formed


@dataclass(frozen=True)
class CharacterUse:
    """The characters of some texts.

    Attributes:
        n_texts: how many texts they are of.
        counts: how often each character occurs, the most frequent first; of equals, the lower number.
    """

    n_texts: int
    counts: tuple[tuple[str, int], ...]

    @property
    def n_distinct(self) -> int:
        """How many different characters occur."""
        return len(self.counts)

    @property
    def n_assigned(self) -> int:
        """How many of them this Python's Unicode has assigned: not those for private use, or newer ones.

        >>> count_characters(["a\\ue000"]).n_assigned
        1
        """
        return sum(unicodedata.category(char) not in ("Cn", "Co", "Cs") for char, _ in self.counts)

    def share_of_first(self, most: int) -> float:
        """The share of all places that the most frequent characters take, from 0 to 1; of no text, 0.

        >>> count_characters(["aab", "ac"]).share_of_first(1)
        0.6
        """
        check_whole_number(most, "most")
        total = sum(count for _, count in self.counts)
        return sum(count for _, count in self.counts[:most]) / total if total else 0.0

    def n_rarer_than(self, count: int) -> int:
        """How many of the characters occur less often than this.

        >>> count_characters(["aab", "ac"]).n_rarer_than(2)
        2
        """
        check_whole_number(count, "count")
        return sum(times < count for _, times in self.counts)


def count_characters(texts: Iterable[str]) -> CharacterUse:
    """Counts the characters (code points) of texts.

    >>> count_characters(["aab", "ac"]).counts
    (('a', 3), ('b', 1), ('c', 1))
    """
    per_code = np.zeros(0x110000, dtype=np.int64)
    n_texts = 0
    for text in texts:
        codes = np.frombuffer(well_formed(text).encode("utf-32-le"), dtype="<u4")
        used, counts = np.unique(codes, return_counts=True)
        per_code[used] += counts
        n_texts += 1
    used = np.flatnonzero(per_code)
    order = used[np.argsort(-per_code[used], kind="stable")]
    return CharacterUse(n_texts, tuple((chr(code), int(per_code[code])) for code in order.tolist()))


@functools.cache
def characters_of_the_declaration() -> CharacterUse:
    """The characters of the Universal Declaration of Human Rights, in every language that is here.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.
    """
    return count_characters(language.text for language in list_languages())
