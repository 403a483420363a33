"""A person's words where Streamlit would read markdown: labels, notes, errors."""

from __future__ import annotations

import re

from tokenizers.text import spell_text

# Signs that mean something anywhere, and at the start alone.
_MARKUP = re.compile(r"[\\`*_\[\]<>~:$&|@]|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]", re.MULTILINE)
# What becomes a link by itself, with backslashes or without: a word joiner, which draws nothing, parts it.
_LINKS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[-\w]+\.)", re.IGNORECASE)
# They turn the direction of what stands behind them, also of our own words.
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    A character that turns the direction of writing stands as its name, and an address is no link.

    >>> print(plain("a*b* :smile: notes.txt"), plain("cod\u202egnp.exe"))
    a\*b\* \:smile\: notes.txt cod⟨RLO⟩gnp.exe
    """
    named = _DIRECTIONS.sub(lambda match: spell_text(match[0]), text)
    return _MARKUP.sub(r"\\\g<0>", _LINKS.sub("\u2060", named))
