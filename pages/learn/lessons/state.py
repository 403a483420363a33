"""Which lesson is open, and whether a teacher shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pages.session.page_state import Field, Link, LinkValues, PageState, leave_out


@dataclass
class LessonsState(PageState):
    """What the page shows.

    Attributes:
        lesson: the slug of the one that is open; empty: the list of all.
        teaching: whether it is the teacher's view.
    """

    PAGE: ClassVar[str] = "lessons"

    lesson: Field[str] = Field("")
    teaching: Field[bool] = Field(False)

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """What a link asks for."""
        return cls(lesson=link.text("lesson")[:60], teaching=link.text("teach") == "1")

    def to_link(self) -> LinkValues:
        """The lesson, and the view."""
        now: LinkValues = {"lesson": self.lesson, "teach": "1" if self.teaching else ""}
        return leave_out(now, {"lesson": "", "teach": ""})

    def open_lesson(self, slug: str) -> None:
        """Show a lesson; the empty slug: the list."""
        self.lesson = slug
