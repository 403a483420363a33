"""What is chosen on the page By hand: a text, and by which rules it is merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pages.session.page_state import Field, Link, LinkValues, PageState
from tokenizers.bpe import MAX_BYTES, Ties
from tokenizers.split import PATTERNS, pattern_name

EXAMPLE = "aaabdaaabac"
TIES: dict[str, Ties] = {"smallest ids": "smallest", "first in the text": "first"}
NO_WALLS = "none"
WALLS: dict[str, str | None] = {NO_WALLS: None, **{name: name for name in PATTERNS}}
_TIES = next(iter(TIES))


@dataclass
class ByHandState(PageState):
    """What the page shows.

    Attributes:
        text: to merge.
        box: the number of the text's field; a text that is put there gets a new one.
        ties: what to do when pairs are equally frequent, a key of ``TIES``.
        walls: the split pattern, a key of ``WALLS``.
        steps: how many merges are done, by the revision of what is merged.
    """

    PAGE: ClassVar[str] = "by_hand"

    text: Field[str] = Field(EXAMPLE)
    box: Field[int] = Field(0)
    ties: Field[str] = Field(_TIES)
    walls: Field[str] = Field(NO_WALLS)
    steps: Field[dict[str, int]] = Field({})

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """What a link asks for."""
        return cls(
            text=link.text("text", EXAMPLE),
            ties=link.choice("by_hand_ties", TIES, _TIES),
            walls=link.choice("by_hand_walls", WALLS, NO_WALLS),
        )

    def link_values(self, *, own: bool) -> LinkValues:
        """The values of a link."""
        return {"text": self.text[:MAX_BYTES], "by_hand_ties": self.ties, "by_hand_walls": self.walls}

    def put_text(self, text: str) -> None:
        """Put a text into a field of its own: the next click still sends what was in the old one."""
        self.text = text
        self.box += 1

    def hand_over(self, text: str, pattern: str | None) -> None:
        """How another page leads here: with a text, and the walls of a split pattern, if it has a name."""
        self.put_text(text)
        self.walls = pattern_name(pattern) or NO_WALLS
