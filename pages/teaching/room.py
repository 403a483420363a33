"""A room in which a class answers by phone: the teacher's step, the answers, and who is there.

A room lives in memory alone. Nothing of it is written to disk or to the log, and no student has a name: a
random token in the tab tells two of them apart. Routes call a room from the event loop only, so it has no
lock; a page of the teacher's opens it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException

from pages.teaching.class_report import own_scores, report_rows
from pages.teaching.kinds import CLASS_KINDS
from pages.teaching.kinds.kind import Answer, DrawnStep, Kind
from tokenizers.json_types import JsonObject

MAX_STUDENTS = 200
"""Of one room."""

SECONDS_AWAY = 60
"""A browser that has not asked for so long does not count as here."""

Slide = DrawnStep
"""A step of a lesson, or one that only a class has, with ``when``: "before", "lesson" or "after"."""

_QUESTION = ("kind", "when", "asks", "text", "clusters", "stage")
_ANSWER = ("shows", "next_stage", "row", "counts", "lattice", "n_fit", "reveals")
"""What a phone gets of a slide of any kind: before the answer is revealed, and after it besides."""


class RoomError(HTTPException):
    """What a room refuses, in a sentence for the person who asked. It answers the request."""

    def __init__(self, sentence: str) -> None:
        super().__init__(409, sentence, {"Cache-Control": "no-store"})


@dataclass(frozen=True)
class Part:
    """A part of a class: a lesson, or a step that only a class has.

    Attributes:
        title: its name.
        slides: its questions and the words between them.
        minutes: how long it takes; 0: nobody has said.
        link: where a phone can do it again, as a path from the class's page; empty: nowhere.
    """

    title: str
    slides: Sequence[Slide]
    minutes: int = 0
    link: str = ""


@dataclass(eq=False)
class ClassPlan:
    """What a class goes through. A session may keep it, and its ticket opens the room.

    Attributes:
        title: the name of the lesson, or of the plan.
        parts: its parts, one after the other.
        link: the path and query of the page that opens it again.
    """

    title: str
    parts: Sequence[Part]
    link: str


@dataclass(eq=False, repr=False)  # a log never holds answers
class RoomSlide:
    """A slide, and what the class has made of it.

    Attributes:
        number: names it in requests, since its place changes when a slide is added before it.
        slide: what it shows.
        part: the place of its part.
        answers: the answers, by student.
        is_pictured: whether the wall shows the answers.
        is_revealed: whether everybody sees the truth.
        hidden: the students whose answer the teacher took off the wall, the last one last; they cannot
            change it.
        is_continued: whether the slide after it was made of its answers.
        is_shown: whether the class has seen it.
        is_closed: whether the class has begun the lesson that it was asked before.
    """

    number: int
    slide: Slide
    part: int
    answers: dict[str, Answer] = field(default_factory=dict)
    is_pictured: bool = False
    is_revealed: bool = False
    hidden: list[str] = field(default_factory=list)
    is_continued: bool = False
    is_shown: bool = False
    is_closed: bool = False

    @property
    def kind(self) -> Kind:
        """What its kind does."""
        return CLASS_KINDS[self.slide["kind"]]

    @property
    def takes_answers(self) -> bool:
        """Whether an answer to it counts, although the class may be at another slide."""
        is_decided = self.is_revealed or self.is_closed or self.is_continued
        return self.kind.asks and self.is_shown and not is_decided

    def picture(self) -> JsonObject:
        """What the wall draws of the answers."""
        visible = {token: answer for token, answer in self.answers.items() if token not in self.hidden}
        picture = {"n": len(visible), **self.kind.picture(self.slide, list(visible.values()))}
        if self.kind.is_live:
            picture |= {
                "numbers": [n for n, token in enumerate(self.answers) if token in visible],
                "n_hidden": len(self.answers) - len(visible),
                "is_closed": self.is_revealed,
            }
        return picture


@dataclass(eq=False, repr=False)  # a log never holds its key or the students' tokens
class Room:
    """A room: a teacher, students, and slides that all of them see at the same time.

    Attributes:
        code: the letters by which students find it.
        key: the secret of the teacher's browser.
        plan: what the class goes through.
        at: the slide that everybody sees; -1: people are still joining; ``len(slides)``: the end.
        slides: the slides of all parts; some kinds add more, as the class answers.
        students: when the phone of each asked last, by token.
        explores: whether phones get links to the app before the end.
        version: rises with each change; ``pace`` with those that students see.
    """

    code: str
    key: str
    plan: ClassPlan
    at: int = -1
    slides: list[RoomSlide] = field(init=False)
    students: dict[str, float] = field(default_factory=dict)
    explores: bool = False
    version: int = 1
    pace: int = 1
    is_over: bool = False

    def __post_init__(self) -> None:
        self.opened = self.teacher_seen = time.monotonic()
        self.begun = 0.0  # when the first slide was shown; 0: not yet
        self.slides = []
        for number, part in enumerate(self.plan.parts):
            for slide in part.slides:
                self.slides.append(RoomSlide(len(self.slides), slide, number))
        self._changed = asyncio.Event()

    # What the teacher does

    def go_on(self, number: int) -> None:
        """Show what follows the slide with this number, if that is still the present one.

        That may be a new slide, which its answers make.
        """
        if number != self._number:
            return
        present = self._present
        if present is not None and not present.is_continued:
            following = present.kind.follow(present.slide, list(present.answers.values()))
            if following is not None:
                present.is_continued = True
                self.slides.insert(self.at + 1, RoomSlide(len(self.slides), following, present.part))
        self.go(self.at + 1)

    def go(self, at: int) -> None:
        """Show the slide at a place to everybody; -1: the code; the number of slides: the end."""
        if at == self.at or not -1 <= at <= len(self.slides):
            return
        self.at = at
        present = self._present
        if present is not None:
            present.is_shown = True
            if present.slide["when"] != "before" and present.slide["kind"] != "part":
                for each in self.slides:
                    if each.part == present.part and each.slide["when"] == "before":
                        each.is_closed = True
        if self.at >= 0 and not self.begun:
            self.begun = time.monotonic()
        self._change(for_students=True)

    def show_picture(self, number: int) -> None:
        """Show the class's answers to this slide on the wall, if it is still the present one."""
        question = self._question(number)
        if question is not None:
            question.is_pictured = True
            self._change()

    def reveal(self, number: int) -> None:
        """Show the truth of this slide to everybody, if it is still the present one.

        From now on, nobody can change an answer to it.
        """
        question = self._question(number)
        if question is not None and question.slide["when"] != "before":
            question.is_pictured = True
            question.is_revealed = True
            self._change(for_students=True)

    def reopen(self, number: int) -> None:
        """Take answers again to a slide that shows them as they come."""
        question = self._question(number)
        if question is not None and question.kind.is_live:
            question.is_revealed = False
            self._change(for_students=True)

    def hide(self, number: int, answer: int) -> None:
        """Take an answer off the wall, by its number in the picture. Its student cannot change it then."""
        question = self._question(number)
        if question is not None and 0 <= answer < len(question.answers):
            student = list(question.answers)[answer]
            if student not in question.hidden:
                question.hidden.append(student)
            self._change(for_students=True)

    def show_hidden(self, number: int) -> None:
        """Put the answer that was hidden last on the wall again."""
        question = self._question(number)
        if question is not None and question.hidden:
            question.hidden.pop()
            self._change(for_students=True)

    def let_explore(self, allowed: bool) -> None:
        """Whether phones get links to the app before the end."""
        self.explores = allowed
        self._change(for_students=True)

    def end(self) -> None:
        """End the room. Students see that it is over."""
        self.is_over = True
        self._change(for_students=True)

    def see_teacher(self) -> None:
        """Note that the teacher's browser has asked."""
        self.teacher_seen = time.monotonic()

    # What students do

    def join(self) -> str:
        """Let a student in.

        Returns:
            the student's token.

        Raises:
            RoomError: the room is full.
        """
        if len(self.students) >= MAX_STUDENTS:  # phones that have left make way; their answers count
            self.students = {token: self.students[token] for token in self._here}
        if len(self.students) >= MAX_STUDENTS:
            raise RoomError(f"This class is full: it has {MAX_STUDENTS} phones. Look at a neighbour’s.")
        token = secrets.token_urlsafe(12)
        self.students[token] = time.monotonic()
        self._change()
        return token

    def answer(self, token: str, number: int, value: Any) -> Answer:
        """Take a student's answer to the slide with this number; it replaces an earlier one.

        The class may have gone on: a phone without a connection sends its answer once it has one.

        Returns:
            the answer as it counts.

        Raises:
            RoomError: it comes too late, or it is no answer to this question, the teacher took it off the
                wall, or phones that have left gave as many as there may be.
        """
        question = next((each for each in self.slides if each.number == number), None)
        if self.is_over or question is None or not question.takes_answers:
            raise RoomError("It came too late: the class has gone on.")
        if token in question.hidden:
            raise RoomError("Your teacher took your text off the wall.")
        if token not in question.answers and len(question.answers) >= MAX_STUDENTS:
            raise RoomError(f"This question has {MAX_STUDENTS} answers already.")
        answer = question.kind.accept(question.slide, value)
        if answer is None:
            raise RoomError("This is no answer to the question.")
        question.answers[token] = answer
        self._change()
        return answer

    def see(self, token: str) -> bool:
        """Note that a student's browser has asked; False: it is none of this room."""
        if token not in self.students:
            return False
        self.students[token] = time.monotonic()
        return True

    # What they see

    def student_view(self, token: str) -> JsonObject:
        """What a student's phone draws: the question, their own answer, and the truth once it is revealed."""
        view = self._view() | {"pace": self.pace}
        present = self._present
        if present is not None:
            view |= {
                "answer": present.answers.get(token),
                "is_hidden": token in present.hidden,
            }
        elif self.at == len(self.slides):
            view["end"] = own_scores(self.slides, token)
        if self.explores or self.is_over or self.at == len(self.slides):
            view["links"] = [
                {"title": part.title, "link": part.link}
                for number, part in enumerate(self.plan.parts)
                if part.link and self._state_of(number) == "held"
            ]
        return view

    def wall_view(self) -> JsonObject:
        """What the teacher's wall draws. The answers are in it once the teacher shows them."""
        view = self._view() | {
            "version": self.version,
            "joined": len(self.students),
            "here": len(self._here),
            "explores": self.explores,
            "agenda": self._agenda(),
            "minutes": sum(part.minutes for part in self.plan.parts),
            "elapsed": time.monotonic() - self.begun if self.begun else 0,
        }
        present = self._present
        if present is not None:
            view["answered"] = len(present.answers)
            if present.is_pictured or present.kind.is_live:
                view["picture"] = present.picture()
        elif self.at == len(self.slides):
            view["report"] = self.report()
        return view

    def report(self) -> list[JsonObject]:
        """A row for each question that has a right answer: see ``report_rows``."""
        begun = [each for each in self.slides if self._state_of(each.part)]
        return report_rows([part.title for part in self.plan.parts], begun)

    async def wait(self, after: int, seconds: float, *, for_student: bool) -> bool:
        """Wait until ``pace``, or else ``version``, differs from ``after``; False: it did not."""
        try:
            async with asyncio.timeout(seconds):
                while (self.pace if for_student else self.version) == after:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    @property
    def _present(self) -> RoomSlide | None:
        """The slide that everybody sees; None: people are joining, or it is the end."""
        return self.slides[self.at] if 0 <= self.at < len(self.slides) else None

    @property
    def _number(self) -> int:
        """The number of the present slide; -1: people are joining; -2: it is the end."""
        if self.at < 0:
            return -1
        return self.slides[self.at].number if self.at < len(self.slides) else -2

    def _question(self, number: int) -> RoomSlide | None:
        """The present slide, if it is a question and has this number."""
        present = self._present
        if self.is_over or present is None or number != self._number or not present.kind.asks:
            return None
        return present

    @property
    def _here(self) -> list[str]:
        """The tokens of the students whose phones are here."""
        now = time.monotonic()
        return [token for token, seen in self.students.items() if now - seen < SECONDS_AWAY]

    def _places_of(self, part: int) -> list[int]:
        """The places of a part's slides."""
        return [at for at, each in enumerate(self.slides) if each.part == part]

    def _state_of(self, part: int) -> str:
        """How much of a part the class has seen, more than its beginning.

        "held": its last step, if not the questions after it; "begun": something; empty: nothing.
        """
        slides = [each for each in self.slides if each.part == part and each.slide["kind"] != "part"]
        steps = [each for each in slides if each.slide["when"] != "after"]
        if steps and steps[-1].is_shown:
            return "held"
        return "begun" if any(each.is_shown for each in slides) else ""

    def _agenda(self) -> list[JsonObject]:
        """The parts, the place at which each begins, and how much of it was seen."""
        return [
            {
                "title": part.title,
                "minutes": part.minutes,
                "at": self._places_of(number)[0],
                "state": self._state_of(number),
            }
            for number, part in enumerate(self.plan.parts)
        ]

    def _view(self) -> JsonObject:
        """What everybody may see: where the class is, and the slide, with its truth once it is revealed."""
        view: JsonObject = {
            "title": self.plan.title,
            "at": self.at,
            "number": self._number,
            "over": self.is_over,
            "slides": len(self.slides),
        }
        present = self._present
        if present is not None:
            places = self._places_of(present.part)
            is_revealed = present.is_revealed or not present.kind.asks
            names = [*_QUESTION, *present.kind.question_fields]
            if is_revealed:
                names += [*_ANSWER, *present.kind.answer_fields]
            view |= {
                "part": present.part,
                "step": places.index(self.at) + 1,
                "steps": len(places),
                "revealed": is_revealed,
                "closed": present.kind.asks and not present.takes_answers,
                "slide": {name: present.slide[name] for name in names if name in present.slide},
            }
        return view

    def _change(self, *, for_students: bool = False) -> None:
        self.version += 1
        if for_students:
            self.pace += 1
        self._changed.set()
        self._changed = asyncio.Event()
