"""What of a premium comes from the walls of the split pattern, and what from the vocabulary.

Tokens are pieces times tokens per piece. So a premium, the ratio of the tokens of two texts, is exactly the
ratio of their pieces times the ratio of their tokens per piece. No vocabulary can mend the first: a token
never reaches across a wall.
"""

from __future__ import annotations

from typing import NamedTuple

from ..encoding import Encoding


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
    splitting = encoding.splitting
    if splitting is None:
        return None
    pieces = len(splitting.pieces(text))
    base_pieces = len(splitting.pieces(base))
    tokens = len(encoding.encode_array(text))
    base_tokens = len(encoding.encode_array(base))
    return PremiumParts(pieces / base_pieces, (tokens / pieces) / (base_tokens / base_pieces))
