"""Rooms in which a class answers by phone: the teacher's step, the answers, and who is there.

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

from pages.teaching.kinds import KINDS
from pages.teaching.kinds.kind import Answer, DrawnStep, Kind

MAX_ROOMS = 10
MAX_STUDENTS = 200
"""Of one room."""
HOURS = 3
"""After which a room ends."""
MINUTES_ALONE = 30
"""Minutes after which a room ends that its teacher's browser has left. If rooms are short, it ends sooner."""

_SECONDS_AWAY = 60  # a browser that has not asked for so long does not count as here

LETTERS = "BCDFGHJKMNPRSTWXZ"
"""The letters of codes: none looks or sounds like a digit or another letter, and no word can come out."""
CODE_LENGTH = 4

Slide = DrawnStep
"""A step of a lesson, with ``when``: "before", "lesson" or "after"."""

_QUESTION = ("kind", "when", "asks", "text", "clusters", "stage")
_ANSWER = ("shows", "next_stage", "row", "counts", "lattice", "n_fit", "reveals")
"""What a phone gets of a slide of any kind: before the answer is revealed, and after it besides."""


class RoomError(ValueError):
    """What a room refuses, in a sentence for the person who asked."""


@dataclass(eq=False, repr=False)  # a log never holds its key or the students' tokens
class Room:
    """A room: a teacher, students, and slides that all of them see at the same time.

    Attributes:
        code: the letters by which students find it.
        key: the secret of the teacher's browser.
        title: the name of the lesson.
        slides: the questions and the words between them.
        link: the path and query of the page that opens it again.
        at: the slide that everybody sees; -1: people are still joining; ``len(slides)``: the end.
        pictured: the slides whose answers the wall shows.
        revealed: the slides whose truth everybody sees.
        answers: the answers to each slide, by student.
        students: when each student's browser asked last, by its token.
        version: rises with each change; ``pace`` with those that students see.
    """

    code: str
    key: str
    title: str
    slides: Sequence[Slide]
    link: str
    at: int = -1
    pictured: set[int] = field(default_factory=set)
    revealed: set[int] = field(default_factory=set)
    answers: list[dict[str, Answer]] = field(init=False)
    students: dict[str, float] = field(default_factory=dict)
    version: int = 1
    pace: int = 1
    is_over: bool = False

    def __post_init__(self) -> None:
        self.opened = self.teacher_seen = time.monotonic()
        self.answers = [{} for _ in self.slides]
        self._changed = asyncio.Event()

    # What the teacher does

    def go(self, at: int) -> None:
        """Show a slide to everybody; -1: the code; the number of slides: the end."""
        self.at = max(-1, min(at, len(self.slides)))
        self._change(for_students=True)

    def show_picture(self, at: int) -> None:
        """Show the class's answers to this slide on the wall, if it is still the present one."""
        if self._question and at == self.at:
            self.pictured.add(self.at)
            self._change()

    def reveal(self, at: int) -> None:
        """Show the truth of this slide to everybody, if it is still the present one.

        From now on, nobody can change an answer to it.
        """
        if self._question and at == self.at and self._question["when"] != "before":
            self.pictured.add(self.at)
            self.revealed.add(self.at)
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
        now = time.monotonic()
        if len(self.students) >= MAX_STUDENTS:  # phones that have left make way; their answers count
            here = {token: seen for token, seen in self.students.items() if now - seen < _SECONDS_AWAY}
            self.students = here
        if len(self.students) >= MAX_STUDENTS:
            raise RoomError(f"This class is full: it has {MAX_STUDENTS} phones. Look at a neighbour’s.")
        token = secrets.token_urlsafe(12)
        self.students[token] = now
        self._change()
        return token

    def answer(self, token: str, at: int, value: Any) -> None:
        """Take a student's answer to a slide; it replaces an earlier one.

        Raises:
            RoomError: the class has gone on, the truth is known, or it is no answer to this question.
        """
        question = self._question
        if question is None or at != self.at or at in self.revealed:
            raise RoomError("The class has gone on. Your answer to that question stays as it was.")
        answer = _kind_of(question).accept(question, value)
        if answer is None:
            raise RoomError("This is no answer to the question.")
        self.answers[at][token] = answer
        self._change()

    def see(self, token: str) -> bool:
        """Note that a student's browser has asked; False: it is none of this room."""
        if token not in self.students:
            return False
        self.students[token] = time.monotonic()
        return True

    # What they see

    def student_view(self, token: str) -> dict[str, Any]:
        """What a student's phone draws: the question, their own answer, and the truth once it is revealed."""
        view = self._view() | {"pace": self.pace}
        if "slide" in view:
            view["answer"] = self.answers[self.at].get(token)
        elif self.at == len(self.slides):
            view["end"] = self._own_end(token)
        return view

    def wall_view(self) -> dict[str, Any]:
        """What the teacher's wall draws. The answers are in it once the teacher shows them."""
        now = time.monotonic()
        here = sum(now - seen < _SECONDS_AWAY for seen in self.students.values())
        view = self._view() | {"version": self.version, "joined": len(self.students), "here": here}
        if "slide" in view:
            answers = list(self.answers[self.at].values())
            view["answered"] = len(answers)
            if self.at in self.pictured:
                slide = self.slides[self.at]
                view["picture"] = {"n": len(answers), **_kind_of(slide).picture(slide, answers)}
        elif self.at == len(self.slides):
            view["report"] = self.report()
        return view

    def report(self) -> list[dict[str, Any]]:
        """A row for each question: how many answered it, and the mean score, 0 to 1. Nobody is named."""
        rows = []
        for number, slide in enumerate(self.slides):
            kind = _kind_of(slide)
            if not kind.asks:
                continue
            scores = [kind.score(slide, answer) for answer in self.answers[number].values()]
            row = {
                "number": number + 1,
                "asks": slide["asks"],
                "kind": slide["kind"],
                "when": slide["when"],
                "answered": len(scores),
                "score": sum(scores) / len(scores) if scores else None,
            }
            rows.append(row)
        return rows

    async def wait(self, after: int, seconds: float, *, for_student: bool) -> bool:
        """Wait until ``pace``, or else ``version``, differs from ``after``; False: it did not."""
        end = time.monotonic() + seconds
        while (self.pace if for_student else self.version) == after:
            left = end - time.monotonic()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return False
        return True

    @property
    def _question(self) -> Slide | None:
        """The present slide, if it is a question."""
        if self.is_over or not 0 <= self.at < len(self.slides):
            return None
        slide = self.slides[self.at]
        return slide if _kind_of(slide).asks else None

    def _view(self) -> dict[str, Any]:
        """What everybody may see: where the class is, and the slide, with its truth once it is revealed."""
        view: dict[str, Any] = {
            "title": self.title,
            "at": self.at,
            "over": self.is_over,
            "slides": len(self.slides),
        }
        if 0 <= self.at < len(self.slides):
            slide = self.slides[self.at]
            view["revealed"] = self.at in self.revealed or not _kind_of(slide).asks
            names = [*_QUESTION, *_kind_of(slide).question_fields]
            if view["revealed"]:
                names += [*_ANSWER, *_kind_of(slide).answer_fields]
            view["slide"] = {name: slide[name] for name in names if name in slide}
        return view

    def _own_end(self, token: str) -> dict[str, Any]:
        """A student's own scores, before, in and after the lesson: how many, and their sum."""
        own: dict[str, list[float]] = {"before": [], "lesson": [], "after": []}
        for slide, answers in zip(self.slides, self.answers, strict=True):
            if token in answers:
                own[slide["when"]].append(_kind_of(slide).score(slide, answers[token]))
        return {when: {"answered": len(scores), "sum": sum(scores)} for when, scores in own.items()}

    def _change(self, *, for_students: bool = False) -> None:
        self.version += 1
        if for_students:
            self.pace += 1
        self._changed.set()
        self._changed = asyncio.Event()


@dataclass(eq=False)
class ClassPlan:
    """What a room shows: see ``Room``. A session keeps it, and its ticket opens the room."""

    title: str
    slides: list[Slide]
    link: str


def slides_of(drawn: dict[str, Any]) -> list[Slide]:
    """The slides of a lesson for a class: its questions before, its steps, and the same questions after.

    Args:
        drawn: the result of ``work_out``.

    >>> step, question = {"kind": "say"}, {"kind": "choice"}
    >>> [slide["when"] for slide in slides_of({"steps": [step], "quiz": [question]})]
    ['before', 'lesson', 'after']
    """
    parts = (("before", drawn["quiz"]), ("lesson", drawn["steps"]), ("after", drawn["quiz"]))
    return [{**step, "when": when} for when, steps in parts for step in steps]


def _kind_of(slide: Slide) -> Kind:
    return KINDS[slide["kind"]]


class Classroom:
    """All rooms of a server."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}

    def open(self, title: str, slides: Sequence[Slide], link: str) -> Room:
        """Open a room.

        Args:
            title, slides, link: see ``Room``.

        Raises:
            RoomError: as ``make_way``.

        >>> rooms = Classroom()
        >>> room = rooms.open("A lesson", [], "./lessons?lesson=token")
        >>> len(room.code), rooms.find(room.code.lower()) is room
        (4, True)
        """
        self.make_way()
        code = ""
        while not code or code in self._rooms:
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        room = self._rooms[code] = Room(code, secrets.token_urlsafe(16), title, slides, link)
        return room

    def make_way(self) -> None:
        """Make way for one more room.

        Raises:
            RoomError: there are too many.
        """
        self.forget_old()
        if len(self._rooms) >= MAX_ROOMS:
            # A teacher may have opened several, and so may anybody's script: a room without a wall makes way.
            oldest = min(self._rooms.values(), key=lambda room: room.teacher_seen)
            if time.monotonic() - oldest.teacher_seen <= _SECONDS_AWAY:
                raise RoomError(
                    f"{MAX_ROOMS} classes are open on this server, and no more fit. Try again when one ends."
                )
            oldest.end()
            self.forget_old()

    def find(self, code: str) -> Room | None:
        """The room with this code; None: there is none any more, or the server was started anew."""
        self.forget_old()
        return self._rooms.get(code.upper())

    def forget_old(self) -> None:
        """Forget the rooms that are over, and end those that are too old or have no teacher any more."""
        now = time.monotonic()
        for code, room in list(self._rooms.items()):
            is_alone = now - room.teacher_seen > 60 * MINUTES_ALONE
            if room.is_over or is_alone or now - room.opened > 3600 * HOURS:
                room.end()
                self._rooms.pop(code, None)


CLASSROOM = Classroom()
"""The rooms of this server."""
