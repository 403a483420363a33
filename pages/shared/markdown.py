"""A person's words as they are: in labels, notes and errors, where Streamlit reads markdown; in a box."""

from __future__ import annotations

import re
from typing import Literal

import streamlit as st

from tokenizers.text import spell_text

# Characters that mean something anywhere, _ but inside a word, and at the start alone. Screen readers read a
# label with its backslashes, so cl100k_base has none.
_MARKUP = re.compile(
    r"[\\`*\[\]<>~:$&|@]|(?<![^\W_])_|_(?![^\W_])|^[#+\-=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]", re.MULTILINE
)
# What becomes a link by itself, with backslashes or without: a word joiner, which draws nothing, parts it.
_LINKS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[-\w]+\.)", re.IGNORECASE)
# They turn the direction of what follows them, also of our own words.
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def escape(text: str) -> str:
    r"""The text, with a backslash before whatever markdown could mean something by.

    A character that turns the direction of writing is written as its name, and an address is no link.

    >>> print(escape("a*b* _c_ :smile: cl100k_base"), escape("cod\u202egnp.exe"))
    a\*b\* \_c\_ \:smile\: cl100k_base cod⟨RLO⟩gnp.exe
    """
    named = _DIRECTIONS.sub(lambda match: spell_text(match[0]), text)
    return _MARKUP.sub(r"\\\g<0>", _LINKS.sub("\u2060", named))


def draw_box(text: str, key: str, *, height: int | Literal["content"] = "content") -> None:
    """A text in a box, as it is: letters of one width, its own line breaks, nothing read as markdown.

    ``st.code`` would load a highlighter of 1.5 MB first, which holds up a page for a quarter of a second.

    Args:
        text: to show.
        key: of the box: unique on its page.
        height: in pixels: a longer text scrolls; or as high as the text.
    """
    with st.container(key=f"box_of_{key}", height=height, border=False):
        st.text(text or " ")
