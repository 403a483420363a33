"""A person's words where Streamlit would read markdown: labels, notes, errors."""

from __future__ import annotations

import re

from tokenizers.text import spell_text

# Signs that mean something anywhere; at the start alone; and what would become a link.
_MARKUP = re.compile(
    r"[\\`*_\[\]<>~:$&|@]|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|(?<=www)\.", re.IGNORECASE | re.MULTILINE
)
# They turn the direction of what stands behind them, also of our own words.
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    A character that turns the direction of writing stands as its name.

    >>> print(plain("a*b* :smile: notes.txt"), plain("cod\u202egnp.exe"))
    a\*b\* \:smile\: notes.txt cod⟨RLO⟩gnp.exe
    """
    named = _DIRECTIONS.sub(lambda match: spell_text(match[0]), text)
    return _MARKUP.sub(r"\\\g<0>", named)
