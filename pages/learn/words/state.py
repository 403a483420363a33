"""The state of the page Words and sources: the searched word."""

from __future__ import annotations

from typing import Self

from pages.session.page_state import Field, Link, PageState

MAX_QUERY = 60  # characters


class WordsState(PageState):
    """What the page shows.

    Attributes:
        find: a part of a word or of what it means; empty: all words.
    """

    PAGE = "words"
    LINKED = ("find",)

    find = Field("")

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """Read the state from a link."""
        return cls(find=link.text("find")[:MAX_QUERY])

    def look_for(self, word: str) -> None:
        """Search for a word."""
        self.find = word
