"""What a recipe will give, before it is grown: how much text that is, how many merges, how long it takes."""

from __future__ import annotations

from collections.abc import Mapping

from pages.session.train_plan import Recipe
from tokenizers.data import weighed_bytes

PAGE_BYTES = 2_000
"""About so many bytes are a page of a book in English."""

BYTES_FOR_A_MERGE = 12
"""With fewer bytes of text than this for each merge, no pair occurs twice any more; measured on English."""


def forecast(recipe: Recipe, lengths: Mapping[str, int]) -> str:
    """What pressing Grow will do, in sentences for a student; empty if the recipe holds no text.

    Args:
        recipe: with numbers that are in bounds.
        lengths: bytes of each source, by key.
    """
    total = sum(weighed_bytes(lengths[key], weight) for key, weight in recipe.parts)
    n_bytes = round(total * (1 - recipe.held_out))
    n_merges = recipe.vocab_size - 256 - len(recipe.special_tokens)
    if n_bytes <= 0:
        return ""
    if recipe.method != "byte-pairs":
        return _of_library(recipe, n_bytes)
    n_pages = max(1, round(n_bytes / PAGE_BYTES))
    pages = "about a page of text" if n_pages == 1 else f"text of about {n_pages:,} pages of a book"
    merges = "1 merge" if n_merges == 1 else f"{n_merges:,} merges"
    sentences = (
        f"Press Grow, and it learns up to {merges} from {pages}, in {_time(n_bytes)}. First come pairs of "
        "letters that often stand side by side, then parts of words, and finally whole words."
    )
    if recipe.pattern is None:
        sentences += " Without walls, tokens can span several words, and whole phrases become tokens."
    if n_merges * BYTES_FOR_A_MERGE > n_bytes:
        enough = max(1, n_bytes // BYTES_FOR_A_MERGE)
        sentences += (
            f" That is little text for so many: after some {enough:,} merges, hardly any pair will occur "
            "twice. Take more text, or a smaller vocabulary."
        )
    return sentences


def _of_library(recipe: Recipe, n_bytes: int) -> str:
    """As ``forecast``, of the other methods."""
    n_pages = max(1, round(n_bytes / PAGE_BYTES))
    pages = "about a page of text" if n_pages == 1 else f"text of about {n_pages:,} pages of a book"
    time = _time(n_bytes * recipe.facts.slowness)
    return (
        f"Press Grow, and {recipe.facts.label} is learned from {pages}, up to {recipe.vocab_size:,} tokens, "
        f"in {time}. Or compare the methods: each learns from this mix, at this size."
    )


def _time(n_bytes: int) -> str:
    """About how long it takes on a laptop, if nobody else grows something.

    >>> _time(30_000), _time(5_000_000), _time(80_000_000)
    ('a second or two', 'some seconds', 'up to a few minutes')
    """
    if n_bytes < 1_000_000:
        return "a second or two"
    return "some seconds" if n_bytes < 10_000_000 else "up to a few minutes"
