"""The state of the page Compare: the two encodings, the tokens that are listed, and the chosen text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from pages.session.own_texts import is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState, what_is_missing

FIRST = ("cl100k_base", "o200k_base")
"""The pair of the first visit."""

EXAMPLE = ("glm-4.5", "glm-5")
"""A pair to try: the second one extends the first."""

ONLY_A = "only_a"
ONLY_B = "only_b"
MOVED = "moved"
GROUPS = {
    ONLY_A: "Only in {0}",
    ONLY_B: "Only in {1}",
    MOVED: "In both, other id",
    "same": "In both, same id",
}
"""Groups of tokens, the fields of ``Aligned``, with their labels."""

BY = ("script", "length", "kind")
"""What tokens are counted by."""

TEXTS = "texts"
LANGUAGES = "languages"
KINDS = {TEXTS: "Texts of many kinds", LANGUAGES: "One text in 494 languages"}
"""Which texts the chart shows."""


class CompareState(PageState):
    """What the user chose on the page.

    Attributes:
        a, b: the two encodings.
        by: one of ``BY``.
        group: which tokens are listed, one of ``GROUPS``.
        query: a part of the text of these tokens.
        token: the token of the biography, as (encoding, id); None: none is chosen yet.
        kind: one of ``KINDS``.
        text: the key of the text whose lines are shown; empty: the page chooses one.
        headline: the key of the text that the headline was about when the page was drawn last.
        own_texts: the keys of one's own texts that were counted then.
        line: the text of the round trips.
        stop: after how many tokens it stops; None: after the last one.
        note: a message to show once.
    """

    PAGE = "compare"
    SENDS_TEXTS = True
    LINKED = ("a", "b", "by", "group", "query", "kind", "text")

    a = Field(FIRST[0])
    b = Field(FIRST[1])
    by = Field("script")
    group = Field(ONLY_B)
    query = Field("")
    token = Field[tuple[str, int] | None](None)
    kind = Field(TEXTS)
    text = Field("")
    headline = Field("")
    own_texts = Field[list[str]]([])
    line = Field("Bonjour! 안녕하세요 👩‍🚀 naïve")
    stop = Field[int | None](None)
    note = Field("")

    @classmethod
    def from_link(cls, link: Link, available: Collection[str], texts: Collection[str]) -> Self:
        """Read the state from a link.

        Args:
            link: the URL's parameters.
            available: the names of all encodings.
            texts: the keys of all texts.
        """
        asked = [(link.text("a"), available), (link.text("b"), available)]
        asked += [(each, texts) for name in ("text", "compared") for each in link.texts(name)]
        return cls(
            a=link.choice("a", available, FIRST[0]),
            b=link.choice("b", available, FIRST[1]),
            by=link.choice("by", BY, "script"),
            group=link.choice("group", GROUPS, ONLY_B),
            query=link.text("query")[:200],  # as many as its field takes
            kind=link.choice("kind", KINDS, TEXTS),
            text=link.choice("text", texts, ""),
            note=what_is_missing(each for each, known in asked if each and each not in known),
        )

    def link_values(self) -> LinkValues:
        """The values of a link, which opens with the headline that is shown here."""
        headline = self.headline if is_own_key(self.headline) else self.text
        return {**super().link_values(), "text": headline, "compared": self.own_texts}

    def prune(self, available: Collection[str]) -> None:
        """Let go of encodings that are gone."""
        self.a = self.a if self.a in available else FIRST[0]
        self.b = self.b if self.b in available else FIRST[1]
        if self.token and self.token[0] not in available:
            self.token = None

    def compare(self, a: str, b: str) -> None:
        """Compare these two encodings."""
        self.a = a
        self.b = b
        self.token = None

    def swap(self) -> None:
        """Exchange the two encodings."""
        self.compare(self.b, self.a)

    def click_text(self, key: str) -> None:
        """Show the lines of the clicked text; after a second click, of the one that the page chooses."""
        self.text = "" if self.text == key else key

    def choose_texts(self, keys: Sequence[str]) -> None:
        """Show a text that was just added."""
        self.kind = TEXTS
        self.text = keys[-1]
