"""What of a premium comes from the walls of the split pattern, and what from the vocabulary.

Tokens are pieces times tokens per piece. So a premium, the ratio of the tokens of two texts, is exactly the
ratio of their pieces times the ratio of their tokens per piece. No vocabulary can mend the first: a token
never reaches across a wall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..encoding import Encoding
from ..split import PATTERNS, split

_DRAWS = 1_000
_LEAST_PARAGRAPHS = 20


class PremiumParts(NamedTuple):
    """The two factors of a premium.

    Attributes:
        walls: pieces ÷ pieces of the base.
        vocabulary: tokens in a piece ÷ tokens in a piece of the base.
    """

    walls: float
    vocabulary: float

    @property
    def premium(self) -> float:
        """Their product: tokens ÷ tokens of the base."""
        return self.walls * self.vocabulary


def premium_parts(encoding: Encoding, text: str, base: str) -> PremiumParts | None:
    """The factors of the premium of a text; None: the encoding has no walls that are known here.

    Args:
        encoding: any encoding.
        text, base: the same words in two languages, not empty.

    Raises:
        ValueError: a split pattern of a person's own that is too slow.

    >>> from tokenizers import get_encoding
    >>> parts = premium_parts(get_encoding("gpt2"), "နမူနာ", "a sample")
    >>> parts.walls, parts.vocabulary, parts.premium
    (2.0, 3.75, 7.5)
    >>> premium_parts(get_encoding("bytes"), "é", "e") is None
    True
    """
    return _compare(encoding, text, encoding, base)


def difference_parts(a: Encoding, b: Encoding, text: str) -> PremiumParts | None:
    """The factors of the tokens of a text in B ÷ those in A: pieces, and tokens in a piece.

    Args:
        a, b: any encodings.
        text: not empty.

    Returns:
        None: one of the two has no walls that are known here.

    Raises:
        ValueError: a split pattern of a person's own that is too slow.

    >>> from tokenizers import get_encoding
    >>> difference_parts(get_encoding("gpt2"), get_encoding("cl100k_base"), "1234567 and 2")
    PremiumParts(walls=2.0, vocabulary=0.6)
    """
    return _compare(b, text, a, text)


def _compare(encoding: Encoding, text: str, base_encoding: Encoding, base: str) -> PremiumParts | None:
    """The factors of the tokens of a text ÷ those of the base, each in its encoding."""
    if encoding.splitting is None or base_encoding.splitting is None:
        return None
    return _divide(
        pieces=len(encoding.splitting.pieces(text)),
        base_pieces=len(base_encoding.splitting.pieces(base)),
        tokens=len(encoding.encode_array(text)),
        base_tokens=len(base_encoding.encode_array(base)),
    )


def premium_under(encoding: Encoding, text: str, base: str, pattern: str) -> PremiumParts:
    """The factors if the encoding split its texts by another pattern: the same vocabulary behind other walls.

    Args:
        encoding: a byte pair encoding.
        text, base: the same words in two languages, not empty.
        pattern: one of ``tokenizers.split.PATTERNS``, by its name.

    Raises:
        ValueError: the encoding merges no bytes.

    >>> from tokenizers import get_encoding
    >>> parts = premium_under(get_encoding("gpt2"), "နမူနာ", "a sample", "gpt4o")
    >>> parts.walls, parts.vocabulary, parts.premium
    (0.5, 15.0, 7.5)
    """
    merging = encoding.merging
    if merging is None:
        raise ValueError(f"{encoding.name} does not merge bytes, so its walls cannot be moved.")
    regex = PATTERNS[pattern]
    pieces = split(text, regex)
    base_pieces = split(base, regex)
    return _divide(
        pieces=len(pieces),
        base_pieces=len(base_pieces),
        tokens=sum(len(merging.encode_piece(piece)) for piece in pieces),
        base_tokens=sum(len(merging.encode_piece(piece)) for piece in base_pieces),
    )


def _divide(*, pieces: int, base_pieces: int, tokens: int, base_tokens: int) -> PremiumParts:
    """The factors of tokens ÷ tokens of the base."""
    return PremiumParts(pieces / base_pieces, (tokens / pieces) / (base_tokens / base_pieces))


def premium_interval(encoding: Encoding, text: str, base: str) -> tuple[float, float] | None:
    """Between which premiums 95 of 100 would lie, had the text other paragraphs of its kind.

    A bootstrap (Efron 1979): the paragraphs are drawn again and again, some twice and some not, each with its
    translation. It says how far the premium depends on these paragraphs, not on this kind of text.

    Args:
        encoding: any encoding.
        text, base: the same words in two languages, a paragraph in each line.

    Returns:
        None: the two have another number of paragraphs, so it is not known which belong together.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.data import get_language
    >>> text, base = (get_language(code).text for code in ("hin", "eng"))
    >>> low, high = premium_interval(get_encoding("o200k_base"), text, base)
    >>> round(low, 2), round(high, 2)
    (1.52, 1.63)
    """
    paragraphs = list(zip(text.split("\n"), base.split("\n"), strict=False))
    if text.count("\n") != base.count("\n") or len(paragraphs) < _LEAST_PARAGRAPHS:
        return None
    counts = np.array([_count_each(encoding, both) for both in paragraphs])
    drawn = np.random.default_rng(0).integers(0, len(counts), (_DRAWS, len(counts)))
    sums = counts[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], (0.025, 0.975)).tolist()
    return low, high


def _count_each(encoding: Encoding, paragraphs: Sequence[str]) -> list[int]:
    """The tokens of each paragraph, with its line end."""
    return [len(encoding.encode_array(f"{each}\n")) for each in paragraphs]


def gini(values: Sequence[float]) -> float:
    """The Gini coefficient: 0 if all values are equal, near 1 if one of many has all.

    It is half the mean difference of two values, divided by their mean (Gini 1912).

    Args:
        values: at least one, positive.

    >>> gini([2, 2, 2]), gini([1, 3])
    (0.0, 0.25)
    """
    ordered = np.sort(np.asarray(values, np.float64))
    n = len(ordered)
    ranks = np.arange(1, n + 1)
    return float((2 * ranks - n - 1) @ ordered / (n * ordered.sum()))
