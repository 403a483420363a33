"""An encoding in words for people: what it does to a text, and why it has no merge trees."""

from __future__ import annotations

from .encoding import Encoding
from .steps import ADDED_ON_REQUEST, Steps


def steps_in_words(encoding: Encoding) -> Steps:
    """What an encoding does to a text, step by step: (kind of step, what it is).

    >>> from tokenizers import get_encoding
    >>> for step, what in steps_in_words(get_encoding("grove-udhr-8k")):
    ...     print(f"{step}: {what}")
    Pre-tokeniser: pieces by the split pattern gpt4o
    Model: byte pairs, 8,192 tokens
    Special tokens: <|endoftext|>
    """
    ends = [
        f"{b' '.join(map(encoding.token_bytes, ids)).decode()} {where}"
        for ids, where in zip(encoding.frame, ("in front", "behind"), strict=True)
        if ids
    ]
    added = [(ADDED_ON_REQUEST, ", ".join(ends))] if ends else []
    return [*encoding.declared, *encoding.family_steps(), *added, *encoding.notes]


def why_no_trees(encoding: Encoding, consequence: str = "") -> str:
    """A sentence that says why an encoding has no merge trees.

    Args:
        encoding: the encoding.
        consequence: how the sentence ends if nothing merges: what follows from that.

    >>> from tokenizers import get_encoding
    >>> why_no_trees(get_encoding("words"), ": there is no tree")
    'This tokenizer cuts a text into words and merges nothing: there is no tree.'
    """
    if encoding.not_drawn:
        why = encoding.not_drawn
        return f"This tokenizer merges {encoding.family}, but its merges are not drawn here: {why}."
    return f"This tokenizer {encoding.way} and merges nothing{consequence}."
