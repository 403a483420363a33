"""The state of the page By hand: a text, and the rules that merge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pages.session.page_state import Field, Link, LinkValues, PageState
from tokenizers.bpe import MAX_BYTES, TIE_RULES, Ties
from tokenizers.split import PATTERNS, pattern_name

EXAMPLE = "aaabdaaabac"
TIES: dict[str, Ties] = {rule.label: name for name, rule in TIE_RULES.items()}
NO_WALLS = "none"
WALLS: dict[str, str | None] = {NO_WALLS: None, **{name: name for name in PATTERNS}}
_TIES = next(iter(TIES))


@dataclass
class ByHandState(PageState):
    """What the user chose on the page.

    Attributes:
        text: the text to merge.
        box: the number of the text's field; a text that the page sets gets a new field.
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
        """Read the state from a link."""
        return cls(
            text=link.text("text", EXAMPLE),
            ties=link.choice("by_hand_ties", TIES, _TIES),
            walls=link.choice("by_hand_walls", WALLS, NO_WALLS),
        )

    def link_values(self, *, own: bool) -> LinkValues:
        """The values of a link."""
        return {"text": self.text[:MAX_BYTES], "by_hand_ties": self.ties, "by_hand_walls": self.walls}

    def put_text(self, text: str) -> None:
        """Set the text, in a new field: the next click still sends the value of the old one."""
        self.text = text
        self.box += 1

    def hand_over(self, text: str, pattern: str | None) -> None:
        """Set a text for another page, and the walls of a split pattern, if it has a name."""
        self.put_text(text)
        self.walls = pattern_name(pattern) or NO_WALLS
