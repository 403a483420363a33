"""Tokens that are only steps on the way to others: built often in a text, and hardly ever left in it.

They keep their places in the vocabulary, since the merges that follow need them. Lian and others 2024 (arXiv
2404.17808) call them scaffold tokens; Sun and others 2026 (arXiv 2602.04706) find them as it is done here, by
the share of what was built that is left.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..bpe.trees import merging_of, post_order
from ..encoding import Encoding


class Scaffold(NamedTuple):
    """A token, how often merges built it in a text, and how often it was left in the end."""

    token_id: int
    built: int
    left: int


def scaffolding(encoding: Encoding, text: str, share: float = 0.05) -> list[Scaffold]:
    """The tokens of which at most a share is left, those that were used up most often first.

    Args:
        encoding: with merges.
        text: any text; its merges are traced.
        share: of the times that a token was built.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> found = scaffolding(gpt2, "the cat and the dog, the tree and the thing")
    >>> [(gpt2.decode([each.token_id]), each.built, each.left) for each in found[:2]]
    [(' t', 5, 0), ('he', 4, 0)]
    """
    merging_of(encoding)  # raises the error, also for a text without tokens
    left = Counter(encoding.encode(text))
    built: Counter[int] = Counter()
    for token_id, times in left.items():
        for inner_id, _, _, parts in post_order(encoding, token_id):
            if parts:
                built[inner_id] += times
    found = [Scaffold(token_id, times, left[token_id]) for token_id, times in built.items()]
    kept = [each for each in found if each.left <= share * each.built]
    return sorted(kept, key=lambda each: (each.left - each.built, each.token_id))
