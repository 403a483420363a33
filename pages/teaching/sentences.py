"""The sentences of a lesson, in which a formula's name in braces stands for its value."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from pages.teaching.formulas import Value

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")
"""A formula's name in braces."""


def check_words(text: str, names: Collection[str], where: str, advice: str) -> None:
    """Refuse a sentence with an unknown name in braces.

    >>> check_words("GPT-4 makes {parts} tokens of it", ["parts"], "Step 1", "")
    >>> check_words("It has {letters} letters", ["parts"], "Step 1", "take another.")
    Traceback (most recent call last):
    ValueError: Step 1: there is no figure {letters} here: take another.
    """
    for name in PLACEHOLDER.findall(text):
        if name not in names:
            raise ValueError(f"{where}: there is no figure {{{name[:40]}}} here: {advice}")


def fill_in(text: str, values: Mapping[str, Value]) -> str:
    """A sentence with its figures.

    >>> fill_in("It takes {parts} tokens.", {"parts": 1234})
    'It takes 1,234 tokens.'
    """
    return PLACEHOLDER.sub(lambda match: in_words(values[match[1]]), text)


def in_words(value: Value) -> str:
    """Format a value for a sentence.

    >>> in_words(1234), in_words(12 / 3), in_words(10 / 3), in_words("a")
    ('1,234', '4', '3.3', 'a')
    """
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
