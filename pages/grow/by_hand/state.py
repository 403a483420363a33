"""The state of the page By hand: a text, the rules that merge it, and the merges that a person picked."""

from __future__ import annotations

from typing import Self

from pages.session.page_state import Field, Link, LinkValues, PageState
from tokenizers.bpe import MAX_STEPPED_BYTES, TIE_RULES, Ties
from tokenizers.json_types import JsonObject
from tokenizers.split import PATTERNS

NO_WALLS = "none"
FIRST_WALLS = "gpt2"
WALLS: dict[str, str | None] = {NO_WALLS: None, **{name: name for name in PATTERNS}}
TIES: dict[str, Ties] = {rule.label: name for name, rule in TIE_RULES.items()}
_TIES = next(iter(TIES))

EXAMPLE = "hug hug hug hug hugs hugs pug pug pun pun bun"
SENNRICH = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
EXAMPLES = {  # a text: its walls, and what to look at in it
    EXAMPLE: (FIRST_WALLS, "Five merges without a tie: “ug”, “hug”, and so on."),
    SENNRICH: (FIRST_WALLS, "The words in Sennrich’s paper of 2016: watch “est” form."),
    "aaabdaaabac": (NO_WALLS, "The classic of many lectures: three merges, with a tie at the second."),
    "the cat sat on the mat, the rat sat on the cat": (
        NO_WALLS,
        "Without walls, merges cross spaces: “·the·”.",
    ),
    "banana bandana": (FIRST_WALLS, "“an” wins, and then the pairs around it change."),
    "안녕 안녕하세요": (FIRST_WALLS, "A Korean syllable is three bytes, which merges put together first."),
}


class ByHandState(PageState):
    """What the user chose on the page.

    Attributes:
        text: the text to merge.
        revision: how often the page, not the component, has set the text.
        ties: what to do when pairs are equally frequent, a key of ``TIES``.
        walls: the split pattern, a key of ``WALLS``.
        picks: the pairs of the first merges, if the user picked one of them.
        step: how many merges are done.
    """

    PAGE = "by_hand"

    text = Field(EXAMPLE)
    revision = Field(0)
    ties = Field(_TIES)
    walls = Field(FIRST_WALLS)
    picks = Field[list[tuple[int, int]]]([])
    step = Field(0)

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """Read the state from a link. A text without walls has none."""
        return cls(
            text=link.text("text", EXAMPLE),
            ties=link.choice("by_hand_ties", TIES, _TIES),
            walls=link.choice("by_hand_walls", WALLS, NO_WALLS if "text" in link else FIRST_WALLS),
        )

    def link_values(self) -> LinkValues:
        """The values of a link."""
        is_first = (self.text, self.walls) == (EXAMPLE, FIRST_WALLS)
        walls = "" if is_first else self.walls
        return {"text": self.text[:MAX_STEPPED_BYTES], "by_hand_ties": self.ties, "by_hand_walls": walls}

    def put_text(self, text: str, walls: str | None = None) -> None:
        """Set the text, and the walls."""
        self.text = text
        self.revision += 1
        self.walls = walls or self.walls
        self.restart()

    def restart(self) -> None:
        """Go back to the bytes, without picks. A text that is being typed is still newer than the page's."""
        self.picks = []
        self.step = 0

    def hear(self, message: JsonObject) -> None:
        """Take over a message of the component, unless the page has set another text since then.

        Raises:
            TypeError, ValueError, KeyError: it is no message of the component.
        """
        if message["revision"] == self.revision:
            self.text = str(message["text"])[: 10 * MAX_STEPPED_BYTES]
            self.picks = [(int(left), int(right)) for left, right in message["picks"]]
            self.step = int(message["step"])
