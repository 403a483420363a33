"""Plans for a class: lessons, some of their steps, and steps that only a class has, in one room.

A plan is written in a link: ``name,token,spelling:0-1-3,next``. A lesson is given by its slug. After a colon
stand the numbers of its steps, if not all are taken; 0 is the questions before it and after it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from pages.teaching.formulas import Find
from pages.teaching.kinds.next_token import ask_what_follows
from pages.teaching.kinds.typed import ask_to_type
from pages.teaching.lesson import Lesson
from pages.teaching.room import ClassPlan, Part, Slide
from pages.teaching.work_out import work_out
from tokenizers.json_types import JsonObject

NAME = "name"
NEXT = "next_token"
"""The names, in a plan, of the steps that only a class has."""


class ClassStep(NamedTuple):
    """What a plan says of a step that only a class has."""

    title: str
    question: str
    minutes: int


CLASS_STEPS = {
    NAME: ClassStep("Type your name", "How does GPT-4o cut what you type?", 4),
    NEXT: ClassStep(
        "What comes next?", "Does the class choose the tokens that a tiny model would choose?", 8
    ),
}

JOINING = 5
"""Minutes until all phones have joined."""
CLASS_TAKES = 1.5
"""Times as long as one reader: all answer, and talk about it."""

PLANS = {
    15: f"{NAME},spelling",
    45: f"{NAME},token,learning,spelling,digits,languages",
    60: f"{NAME},token,learning,spelling,digits,languages,glitch,{NEXT}",
}
"""For a class, by its minutes."""


class PlanPart(NamedTuple):
    """A part of a plan.

    Attributes:
        slug: of a lesson; or ``NAME`` or ``NEXT``.
        steps: the numbers of its steps, with 0 for the questions before and after; empty: all.
    """

    slug: str
    steps: tuple[int, ...] = ()


def read_plan(written: str, lessons: Sequence[Lesson]) -> list[PlanPart]:
    """A plan from a link.

    Raises:
        ValueError: it is none, or has a lesson or a step that there is not.

    >>> read_plan("name,token:0-2", [])
    Traceback (most recent call last):
    ...
    ValueError: This plan has a lesson that is not here: token. Choose the lessons again.
    """
    by_slug = {lesson.slug: lesson for lesson in lessons}
    if not written:
        raise ValueError("This plan is empty. Choose its lessons.")
    parts: list[PlanPart] = []
    for each in written.split(","):
        slug, _, numbers = each.partition(":")
        if slug in [part.slug for part in parts]:
            raise ValueError(f"This plan has {slug[:40]} twice. Take one of them away.")
        if slug not in CLASS_STEPS and slug not in by_slug:
            raise ValueError(
                f"This plan has a lesson that is not here: {slug[:40]}. Choose the lessons again."
            )
        steps: tuple[int, ...] = ()
        if numbers:
            known = {str(n): n for n in range(len(by_slug[slug].steps) + 1)} if slug in by_slug else {}
            if not all(number in known for number in numbers.split("-")):
                raise ValueError(f"This plan has a step that is not in {slug}. Choose its steps again.")
            steps = tuple(sorted({known[number] for number in numbers.split("-")}))
        parts.append(PlanPart(slug, steps))
    return parts


def write_plan(parts: Sequence[PlanPart]) -> str:
    """A plan for a link.

    >>> write_plan([PlanPart("name"), PlanPart("token", (0, 2))])
    'name,token:0-2'
    """
    return ",".join(
        part.slug + (":" if part.steps else "") + "-".join(map(str, part.steps)) for part in parts
    )


def minutes_of(part: PlanPart, lesson: Lesson | None) -> int:
    """How long a part takes with a class, in minutes; of a lesson, by the share of its steps."""
    if lesson is None:
        return CLASS_STEPS[part.slug].minutes
    share = 1.0
    if part.steps:
        share = len(part.steps) / (len(lesson.steps) + 1)
    return math.ceil(CLASS_TAKES * lesson.minutes * share)


def work_out_plan(written: str, lessons: Sequence[Lesson], find: Find) -> ClassPlan:
    """Compute all that a class with this plan shows.

    Raises:
        ValueError, OSError: see ``read_plan`` and ``work_out``.
    """
    by_slug = {lesson.slug: lesson for lesson in lessons}
    parts = [_work_out_part(part, by_slug.get(part.slug), find) for part in read_plan(written, lessons)]
    return ClassPlan("A class about tokens", parts, f"../open/plan?parts={written}")


def _work_out_part(part: PlanPart, lesson: Lesson | None, find: Find) -> Part:
    """A part, with a slide at which it begins; without a lesson, a step that only a class has."""
    minutes = minutes_of(part, lesson)
    if lesson is None:
        step = CLASS_STEPS[part.slug]
        begin = _begin(step.title, step.question)
        slide = ask_what_follows() if part.slug == NEXT else ask_to_type()
        return Part(step.title, [begin, slide], minutes)
    begin = _begin(lesson.title, lesson.question)
    slides = slides_of(work_out(lesson, find), part.steps)
    return Part(lesson.title, [begin, *slides], minutes, f"../lessons?lesson={lesson.slug}")


def _begin(title: str, question: str) -> Slide:
    return {"kind": "part", "when": "lesson", "asks": title, "question": question}


def lesson_plan(drawn: JsonObject, link: str, again: str) -> ClassPlan:
    """A class of one lesson.

    Args:
        drawn: the result of ``work_out``.
        link: see ``ClassPlan``.
        again: where a phone can do the lesson again, as a path from the class's page; empty: nowhere.
    """
    title = str(drawn["title"])
    return ClassPlan(title, [Part(title, slides_of(drawn), link=again)], link)


def slides_of(drawn: JsonObject, chosen: Sequence[int] = ()) -> list[Slide]:
    """The slides of a lesson for a class: its questions before, its steps, and the same questions after.

    Args:
        drawn: the result of ``work_out``.
        chosen: see ``PlanPart.steps``.

    >>> drawn = {"steps": [{"kind": "say"}, {"kind": "cuts"}], "quiz": [{"kind": "choice"}]}
    >>> [slide["when"] for slide in slides_of(drawn)]
    ['before', 'lesson', 'lesson', 'after']
    >>> slides_of(drawn, [2])
    [{'kind': 'cuts', 'when': 'lesson'}]
    """
    quiz = drawn["quiz"] if not chosen or 0 in chosen else []
    steps = [step for number, step in enumerate(drawn["steps"], 1) if not chosen or number in chosen]
    questions = [{**step, "quiz": number} for number, step in enumerate(quiz)]
    parts = (("before", questions), ("lesson", steps), ("after", questions))
    return [{**step, "when": when} for when, part in parts for step in part]
