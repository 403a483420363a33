"""What the page Bring shows, and what waits on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from pages.session.incoming import Incoming
from pages.session.page_state import Field, Link, LinkValues, PageState, leave_out
from pages.session.waiting import KINDS, MAX_NAME, Tray

NASTY_TEXT = "안녕하세요, naïve ½ don't 1234 👩‍🚀"
"""The text that is tried at first: scripts, a decomposed letter, an apostrophe, digits, a composed emoji."""

TELLING_LINE = "I'm sure: 12345 trees, don't you think?"
"""A line that split patterns cut in different ways."""

MAX_TEXT = 500  # characters of the text that is tried


@dataclass
class BringState(PageState):
    """What the page shows.

    Attributes:
        text: what everything that waits is tried on.
        path: of a file on this machine.
        repo: the name of a repository on the Hugging Face hub.
    """

    PAGE: ClassVar[str] = "bring"

    text: Field[str] = Field(NASTY_TEXT)
    path: Field[str] = Field("")
    repo: Field[str] = Field("")

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """The text in a link."""
        return cls(text=link.text("text", NASTY_TEXT)[:MAX_TEXT])

    def to_link(self) -> LinkValues:
        """The text, if it is another one than at first. What waits never travels in a link."""
        return leave_out({"text": self.text}, {"text": NASTY_TEXT})

    @classmethod
    def name_of(cls, key: str, default: str) -> Field[str]:
        """The field for the name of a tokenizer that waits."""
        return cls.field(f"name_{key}", default[:MAX_NAME])

    @classmethod
    def line_of(cls, key: str) -> Field[str]:
        """The field for the line on which the possible answers about a tokenizer are tried."""
        return cls.field(f"line_{key}", TELLING_LINE)

    @classmethod
    def answer_of(cls, key: str, default: str) -> Field[str]:
        """The field with the answer to what a file does not say."""
        return cls.field(f"answer_{key}", default)


@dataclass
class Bringing:
    """What one session has on this page beside its fields.

    Attributes:
        incoming: the files that are coming.
        tray: what waits.
        problems: what could not be read, a sentence each; said until the next thing is brought.
        taken: the name of what was taken last; to be said once.
        fetches: how many files were asked for on the hub.
    """

    incoming: Incoming = field(default_factory=lambda: Incoming(KINDS))
    tray: Tray = field(default_factory=Tray)
    problems: list[str] = field(default_factory=list)
    taken: str = ""
    fetches: int = 0
