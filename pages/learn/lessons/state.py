"""The state of the page Lessons: the open lesson, the view, and the lesson in the making."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Self

from pages.session.links import pack_state, unpack_state
from pages.session.page_state import Field, Link, LinkValues, PageState
from pages.teaching.class_plan import PlanPart, read_plan, write_plan
from pages.teaching.lesson_draft import EXAMPLE as EXAMPLE_DRAFT
from pages.teaching.lesson_draft import USUAL_TOKENS, LessonDraft, StepDraft, read_draft, write_draft
from pages.teaching.lesson_files import list_lessons, read_lesson
from tokenizers.json_types import JsonObject

OWN = "own"
"""The slug of a lesson of one's own."""
MAKE = "make"
"""What stands for a slug while one is made."""
PLAN = "plan"
"""What stands for a slug while a class is planned."""

EXAMPLE = write_draft(EXAMPLE_DRAFT)


class LessonsState(PageState):
    """What the page shows.

    Attributes:
        lesson: the slug of the one that is open; ``MAKE``: one is being made; ``PLAN``: a class is being
            planned; empty: the list of all.
        teaching: whether it is the teacher's view.
        progress: of each lesson by its slug, as the browser says: the place, of how many, and whether it was
            finished.
        own: a lesson of one's own, as its file has it; empty: there is none.
        writing: the lesson that is being made, as its file has it.
        plan_parts: what the class that is being planned does, in order; ``plan_steps`` has the steps.
        title, question, minutes: of the one that is being made.
        steps: a number for each of its steps, in their order, under which ``step_field`` has what it holds;
            none: the fields are not filled yet.
        addressed: the lesson in the URL, as it was last written.
        note: to be said once.
        problem: why what is written cannot be shown; to be said once.
        uploads: how many files were uploaded; each gets a field of its own.
    """

    PAGE = "lessons"

    lesson = Field("")
    teaching = Field(False)
    progress = Field[JsonObject]({})
    addressed = Field("")
    own = Field("")
    writing = Field(EXAMPLE)
    plan_parts = Field[list[str]]([])
    title = Field("")
    question = Field("")
    minutes = Field(1)
    steps = Field[list[int]]([])
    note = Field("")
    problem = Field("")
    uploads = Field(0)

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """Read the state from a link."""
        state = cls(lesson=link.text("lesson")[:60], teaching=link.text("teach") == "1")
        try:
            if "own" in link:
                own = unpack_state(link.text("own")).get("lesson")
                # Half of a character, which a link can hold, is no text.
                state.writing = own.encode("utf-8", "replace").decode() if isinstance(own, str) else ""
                state.own = "" if state.lesson == MAKE else state.writing
            elif "parts" in link and state.lesson == PLAN:
                state.take_plan(link.text("parts"))
            elif "writing" in link:  # of the tab: see to_tab
                state.writing = link.text("writing").encode("utf-8", "replace").decode()
                state.own = state.writing if state.lesson == OWN else ""
        except ValueError as problem:
            state.note = str(problem)
        return state

    def link_values(self) -> LinkValues:
        """The lesson and the view; also an own lesson, unless it is too long."""
        written = {OWN: self.own, MAKE: self.writing if self.writing != EXAMPLE else ""}.get(self.lesson)
        packed = (pack_state({"lesson": written}) or "") if written else ""
        plan = self.plan_written if self.lesson == PLAN else ""
        return {"lesson": self.lesson, "teach": "1" if self.teaching else "", "own": packed, "parts": plan}

    def to_tab(self) -> LinkValues:
        """The link, and the lesson in the making, which may be too long for a link."""
        now = self.to_link()
        written = self.own if self.lesson == OWN else self.writing
        if "own" not in now and written not in ("", EXAMPLE):
            now["writing"] = written
        return now

    def next_lesson(self, slugs: Sequence[str]) -> str:
        """The lesson to go on with: the first that was begun and not finished, else the first that was not
        begun; empty: all are done. ``assets/components/common/progress.js`` finds the same.

        >>> state = LessonsState()
        >>> state.progress = {"one": [9, 9, True], "three": [2, 9, False]}
        >>> state.next_lesson(["one", "two", "three"]), state.next_lesson(["one", "two"])
        ('three', 'two')
        """
        new = [slug for slug in slugs if slug not in self.progress]
        begun = [slug for slug in slugs if slug in self.progress and not self._is_done(slug)]
        return next(iter(begun + new), "")

    def _is_done(self, slug: str) -> bool:
        match self.progress[slug]:
            case [_, _, True]:
                return True
            case _:
                return False

    def open_lesson(self, slug: str) -> None:
        """Show a lesson; the empty slug: the list; ``MAKE``: where one is made."""
        self.lesson = slug

    # A plan for a class

    @classmethod
    def plan_steps(cls, slug: str) -> Field[list[int]]:
        """The chosen steps of a lesson in the plan: see ``PlanPart.steps``."""
        return cls.field(f"plan_{slug}", [])

    @property
    def planned(self) -> list[PlanPart]:
        """The plan."""
        return [PlanPart(slug, tuple(sorted(self.plan_steps(slug).of(self)))) for slug in self.plan_parts]

    @property
    def plan_written(self) -> str:
        """The plan, as a link has it."""
        return write_plan(self.planned)

    def take_plan(self, written: str) -> None:
        """Show a plan in the form.

        Raises:
            ValueError: see ``read_plan``.
        """
        parts = read_plan(written, list_lessons())
        self.plan_parts = [part.slug for part in parts]
        for part in parts:
            self.store[self.plan_steps(part.slug).key] = list(part.steps)

    def change_plan(self, written: str) -> None:
        """Open the form with a plan."""
        self.take_plan(written)
        self.open_lesson(PLAN)

    @property
    def can_be_changed(self) -> bool:
        """Whether the fields can hold the own lesson."""
        try:
            _read(self.own)
        except ValueError:
            return False
        return True

    # The lesson in fields

    @classmethod
    def step_field(cls, number: int, name: str) -> Field[Any]:
        """Of a step of that number: ``kind``, ``asks`` and the other attributes of a ``StepDraft``.

        The encodings are a list, and the choices a text with an answer in each line.
        """
        return cls.field(f"step_{number}_{name}", _FRESH[name])

    @property
    def draft(self) -> LessonDraft:
        """The values of the fields as a draft."""
        return LessonDraft(
            self.title.strip(), self.question.strip(), self.minutes, tuple(map(self._step, self.steps))
        )

    def _step(self, number: int) -> StepDraft:
        held = {name: self.step_field(number, name).of(self) for name in _FRESH}
        kind = held["kind"]
        choices = tuple(line.strip() for line in held["choices"].split("\n") if line.strip())
        return StepDraft(
            kind,
            held["asks"].strip(),
            held["note"].strip() if kind != "say" else "",
            held["text"],
            tuple(held["encodings"]),
            choices if kind == "choice" else (),
            held["right"] if kind == "choice" else 0,
            held["high"] if kind == "number" else USUAL_TOKENS,
        )

    def fill(self, writing: str) -> None:
        """Fill the fields from a lesson's file.

        Raises:
            ValueError: it is no lesson, or has what no field has; nothing was changed.
        """
        draft = _read(writing)
        self.writing = writing
        self.title = draft.title
        self.question = draft.question
        self.minutes = draft.minutes
        # New numbers, since the widgets of the old ones may still hold their values.
        first = max(self.steps, default=0) + 1
        self.steps = list(range(first, first + len(draft.steps)))
        for number, step in zip(self.steps, draft.steps, strict=True):
            self._set(number, step)

    def write(self) -> None:
        """Write the fields to ``writing``."""
        self.writing = write_draft(self.draft)

    def add_step(self) -> None:
        """Add a step with the text and the encodings of the last."""
        number = max(self.steps, default=0) + 1
        last = self._step(self.steps[-1])
        self._set(number, StepDraft("cuts", "", text=last.text, encodings=last.encodings))
        self.steps = [*self.steps, number]

    def drop_step(self, number: int) -> None:
        """Delete a step; one stays."""
        self.steps = [each for each in self.steps if each != number] or self.steps

    def move_up(self, number: int) -> None:
        """Put a step before the one that it comes after."""
        steps = list(self.steps)
        place = steps.index(number) if number in steps else 0  # it may have been deleted meanwhile
        if place:
            steps[place - 1 : place + 1] = [number, steps[place - 1]]
        self.steps = steps

    def _set(self, number: int, step: StepDraft) -> None:
        for name, value in _fields_of(step).items():
            self.store[self.step_field(number, name).key] = value


def _read(writing: str) -> LessonDraft:
    return read_draft(read_lesson(writing.encode("utf-8", "replace"), OWN, unfinished=True))


def _fields_of(step: StepDraft) -> dict[str, Any]:
    """What the fields of a step hold, by their names."""
    return {
        **dataclasses.asdict(step),
        "encodings": list(dict.fromkeys(step.encodings)),
        "choices": "\n".join(step.choices),
    }


_FRESH = _fields_of(StepDraft("cuts", ""))
