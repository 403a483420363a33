"""What an encoding does to a text, in words for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .encoding import Encoding

Steps = list[tuple[str, str]]
"""What an encoding does to a text, for people: the kind of each step, and what it is."""

PRE_TOKENISER = "Pre-tokeniser"
MODEL = "Model"
DECLARES = "Declares"
ADDED_ON_REQUEST = "Added on request"
"""The kinds of steps that ``measure.compare`` knows by name."""


def first_few(names: Sequence[str], most: int = 12) -> str:
    """The first of many names, separated by commas, and how many more there are.

    >>> first_few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def steps_in_words(encoding: Encoding) -> Steps:
    """What an encoding does to a text, step by step: (kind of step, what it is).

    >>> from tokenizers import get_encoding
    >>> for step, what in steps_in_words(get_encoding("grove-udhr-8k")):
    ...     print(f"{step}: {what}")
    Pre-tokeniser: pieces by the split pattern gpt4o
    Model: byte pairs, 8,192 tokens
    Special tokens: <|endoftext|>
    """
    ends = []
    for ids, where in zip(encoding.frame, ("in front", "behind"), strict=True):
        if ids:
            ends.append(f"{b' '.join(map(encoding.token_bytes, ids)).decode()} {where}")
    added = [(ADDED_ON_REQUEST, ", ".join(ends))] if ends else []
    return [*encoding.declared, *encoding.family_steps(), *added, *encoding.notes]


def without_trees(encoding: Encoding, so: str = "") -> str:
    """A sentence that says that an encoding has no merge trees.

    Args:
        encoding: the encoding.
        so: how the sentence ends if nothing merges: what follows from that.

    >>> from tokenizers import get_encoding
    >>> without_trees(get_encoding("words"), ": there is no tree")
    'This tokenizer cuts a text into words and merges nothing: there is no tree.'
    """
    if encoding.not_drawn:
        why = encoding.not_drawn
        return f"This tokenizer merges {encoding.family}, but its merges are not drawn here: {why}."
    return f"This tokenizer {encoding.way} and merges nothing{so}."
