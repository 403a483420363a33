"""A person's words as they are: in labels, notes and errors, where Streamlit reads markdown; in a box."""

from __future__ import annotations

import re

import streamlit as st

from tokenizers.text import spell_text

# Characters that mean something anywhere, _ but inside a word, and at the start alone. Screen readers read a
# label with its backslashes, so cl100k_base has none.
_MARKUP = re.compile(
    r"[\\`*\[\]<>~:$&|@]|(?<![^\W_])_|_(?![^\W_])|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]", re.MULTILINE
)
# What becomes a link, an icon or an arrow, with backslashes or without: a word joiner, which draws nothing,
# parts it.
_REPLACED = re.compile(
    r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[-\w]+\.)|(?<=:)(?=material/|streamlit:)"
    r"|(?<!\S)(?=(?:<->|->|<-|--|[<>~]=)(?!\S))",
    re.IGNORECASE,
)
# They turn the direction of what follows them, also of our own words. What is isolated turns nothing else.
_ISOLATED = "(\u2068[^\u202a-\u202e\u2066-\u2069\n]*\u2069)"
_DIRECTIONS = re.compile(f"{_ISOLATED}|[\u202a-\u202e\u2066-\u2069]")


def escape(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    A character that turns the direction of writing is written as its name, but for the marks of ``isolate``.
    An address is no link, nor is what Streamlit knows as the name of an icon or as an arrow replaced by one.

    >>> print(escape("a*b* _c_ :smile: cl100k_base"), escape("cod\u202egnp.exe"))
    a\*b\* \_c\_ \:smile\: cl100k_base cod⟨RLO⟩gnp.exe
    >>> print(ascii(escape("a -> b :material/home:")))
    'a \u2060-\\> b \\:\u2060material/home\\:'
    """
    named = _DIRECTIONS.sub(lambda match: match[1] or spell_text(match[0]), text)
    return _MARKUP.sub(r"\\\g<0>", _REPLACED.sub("\u2060", named))


def draw_box(text: str, key: str) -> None:
    """A text in a box, as it is: letters of one width, its own line breaks, nothing read as markdown.

    ``st.code`` would load a highlighter of 1.5 MB first, which holds up a page for a quarter of a second.

    Args:
        text: to show.
        key: of the box: unique on its page.
    """
    with st.container(key=f"box_of_{key}", border=False):
        st.text(text or " ")
