"""How often each character occurs in texts: how much of Unicode people use."""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..data import list_languages


@dataclass(frozen=True)
class CharacterUse:
    """The characters of some texts.

    Attributes:
        n_texts: how many texts they are of.
        counts: how often each character occurs.
    """

    n_texts: int
    counts: Counter[str]

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
        return sum(unicodedata.category(char) not in ("Cn", "Co", "Cs") for char in self.counts)

    def share_of_first(self, most: int) -> float:
        """The share of all places that the most frequent characters take, from 0 to 1.

        >>> count_characters(["aab", "ac"]).share_of_first(1)
        0.6
        """
        return sum(count for _, count in self.counts.most_common(most)) / self.counts.total()

    def n_rarer_than(self, count: int) -> int:
        """How many of the characters occur less often than this.

        >>> count_characters(["aab", "ac"]).n_rarer_than(2)
        2
        """
        return sum(times < count for times in self.counts.values())


def count_characters(texts: Sequence[str]) -> CharacterUse:
    """Counts the characters (code points) of texts.

    >>> count_characters(["aab", "ac"]).counts["a"]
    3
    """
    return CharacterUse(len(texts), Counter("".join(texts)))


@functools.cache
def characters_of_the_declaration() -> CharacterUse:
    """The characters of the Universal Declaration of Human Rights, in every language that is here.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.
    """
    return count_characters([language.text for language in list_languages()])
