"""A person's words where Streamlit would read markdown: labels, notes, errors."""

from __future__ import annotations

_MARKUP = "\\`*_{}[]()<>#+-.!|~:$&"


def plain(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    >>> print(plain("a*b* :smile:"))
    a\*b\* \:smile\:
    """
    return "".join("\\" + character if character in _MARKUP else character for character in text)
