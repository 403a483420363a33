"""The course: the lessons in three parts, each under one question and with a mixed quiz at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pages.teaching.lesson import Lesson
from tokenizers.json_types import JsonObject

_QUESTIONS = {
    "token": "What is a token, and what does it hide from a model?",
    "spaces": "What takes many tokens, and for whom?",
    "injection": "What can go wrong, and how else could one cut?",
}
"""The question of each part, by the lesson with which it begins."""


class CoursePart(NamedTuple):
    """A part of the course.

    Attributes:
        question: over its lessons.
        lessons: in order.
        first: the number of the first one.
        slug: of its quiz.
    """

    question: str
    lessons: tuple[Lesson, ...]
    first: int
    slug: str

    @property
    def last(self) -> int:
        """The number of its last lesson."""
        return self.first + len(self.lessons) - 1

    @property
    def quiz_title(self) -> str:
        """The title of its quiz."""
        return f"Quiz on lessons {self.first} to {self.last}"


def list_parts(lessons: Sequence[Lesson]) -> list[CoursePart]:
    """The parts of these lessons, each with at least one.

    >>> from pages.teaching.lesson_files import list_lessons
    >>> [(part.slug, part.quiz_title) for part in list_parts(list_lessons())][-1]
    ('quiz-3', 'Quiz on lessons 11 to 16')
    """
    begins = [at for at, lesson in enumerate(lessons) if at == 0 or lesson.slug in _QUESTIONS]
    parts = []
    for number, (begin, end) in enumerate(zip(begins, [*begins[1:], len(lessons)], strict=True), 1):
        question = _QUESTIONS.get(lessons[begin].slug, "")
        parts.append(CoursePart(question, tuple(lessons[begin:end]), begin + 1, f"quiz-{number}"))
    return parts


def work_out_quiz(part: CoursePart, work_out: Callable[[str], JsonObject]) -> JsonObject:
    """The quiz of a part, as a lesson is drawn: the questions of its lessons, one of each in turn.

    Args:
        part: of the course.
        work_out: computes the lesson of a slug.

    Raises:
        ValueError, OSError: as ``work_out``.
    """
    rounds = zip_longest(*(work_out(lesson.slug)["quiz"] for lesson in part.lessons))
    steps = [step for questions in rounds for step in questions if step is not None]
    return {
        "slug": part.slug,
        "title": part.quiz_title,
        "question": f"{len(steps)} questions, mixed: what do you still know?",
        "takeaway": "",
        "steps": steps,
        "quiz": [],
    }
