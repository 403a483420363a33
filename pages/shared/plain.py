"""A person's words where Streamlit would read markdown: labels, notes, errors."""

from __future__ import annotations

import re

# Signs that mean something anywhere; at the start alone; and what would become a link.
_MARKUP = re.compile(
    r"[\\`*_\[\]<>~:$&|@]|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]|(?<=www)\.", re.IGNORECASE | re.MULTILINE
)


def plain(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    >>> print(plain("a*b* :smile: notes.txt"))
    a\*b\* \:smile\: notes.txt
    """
    return _MARKUP.sub(r"\\\g<0>", text)
