"""Which lesson is open, and whether a teacher shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pages.session.links import pack_state, unpack_state
from pages.session.page_state import Field, Link, LinkValues, PageState, leave_out

OWN = "own"
"""The slug of a lesson of one's own."""

EXAMPLE = """title = "My lesson"
question = "How is my name cut?"
minutes = 1
claims = ["parts > 0"]

[texts]
name = "Wilhelmina"

[figures]
parts = "tokens(name, 'cl100k_base')"

[[step]]
kind = "cuts"
asks = "Where does GPT-4 cut my name?"
text = "name"
encodings = ["cl100k_base", "gpt2"]
reveals = "It takes {parts} tokens."
"""


@dataclass
class LessonsState(PageState):
    """What the page shows.

    Attributes:
        lesson: the slug of the one that is open; empty: the list of all.
        teaching: whether it is the teacher's view.
        own: a lesson of one's own, as its file has it; empty: there is none.
        writing: what stands in the field in which one is written.
        note: to be said once.
        uploads: how many files were brought; each gets a field of its own.
    """

    PAGE: ClassVar[str] = "lessons"

    lesson: Field[str] = Field("")
    teaching: Field[bool] = Field(False)
    own: Field[str] = Field("")
    writing: Field[str] = Field(EXAMPLE)
    note: Field[str] = Field("")
    uploads: Field[int] = Field(0)

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """What a link asks for."""
        state = cls(lesson=link.text("lesson")[:60], teaching=link.text("teach") == "1")
        if "own" in link:
            try:
                own = unpack_state(link.text("own")).get("lesson")
                state.own = state.writing = own if isinstance(own, str) else ""
            except ValueError as problem:
                state.note = str(problem)
        return state

    def to_link(self) -> LinkValues:
        """The lesson, and the view; one's own travels in it, unless it is too long."""
        own = (pack_state({"lesson": self.own}) or "") if self.lesson == OWN and self.own else ""
        now: LinkValues = {"lesson": self.lesson, "teach": "1" if self.teaching else "", "own": own}
        return leave_out(now, {"lesson": "", "teach": "", "own": ""})

    def open_lesson(self, slug: str) -> None:
        """Show a lesson; the empty slug: the list."""
        self.lesson = slug
