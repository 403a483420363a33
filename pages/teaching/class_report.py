"""What a class has learned, and what a student has: nobody is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenizers.json_types import JsonObject

if TYPE_CHECKING:
    from pages.teaching.room import RoomSlide


COLUMNS = (
    *("lesson", "number", "when", "kind", "question", "answered", "score", "wrong"),
    *("both", "before", "later"),
)
"""Of the report, in order."""


def report_rows(titles: Sequence[str], slides: Sequence[RoomSlide]) -> list[JsonObject]:
    """A row for each question that has a right answer, in the order of the class.

    Args:
        titles: the names of the parts.
        slides: the slides of all parts.

    Returns:
        rows with ``lesson``; ``number``, among the questions of the lesson; ``when``, ``kind``, ``question``;
        ``answered``, how many did; ``score``, the mean, 0 to 1; ``wrong``, the most frequent wrong answer
        and its reason; None: there is none. A question after the lesson has, over those who answered it
        before it, too, ``both``, how many they are, and ``before`` and ``later``, the sums of their scores.
    """
    rows = []
    for part, title in enumerate(titles):
        questions = [each for each in slides if each.part == part and each.kind.is_scored]
        for number, question in enumerate(questions, 1):
            scores = _scores(question)
            wrong = question.kind.picture(question.slide, list(question.answers.values())).get("wrong")
            row = {
                "lesson": title,
                "number": number,
                "when": question.slide["when"],
                "kind": question.slide["kind"],
                "question": question.slide["asks"],
                "answered": len(scores),
                "score": round(sum(scores.values()) / len(scores), 2) if scores else None,
                "wrong": wrong["says"] if wrong else None,
                "both": None,
                "before": None,
                "later": None,
            }
            earlier = _asked_before(question, slides)
            if earlier is not None:
                first = _scores(earlier)
                both = [token for token in scores if token in first]
                row |= {
                    "both": len(both),
                    "before": round(sum(first[token] for token in both), 2),
                    "later": round(sum(scores[token] for token in both), 2),
                }
            rows.append(row)
    return rows


def own_scores(slides: Sequence[RoomSlide], token: str) -> dict[str, float]:
    """A student's scores in the questions that they answered both before and after a lesson.

    Returns:
        ``both``, how many they are; ``before`` and ``later``, the sums of the scores.
    """
    before = []
    later = []
    for question in slides:
        earlier = _asked_before(question, slides)
        if earlier is not None and token in question.answers and token in earlier.answers:
            before.append(earlier.kind.score(earlier.slide, earlier.answers[token]))
            later.append(question.kind.score(question.slide, question.answers[token]))
    return {"both": len(later), "before": sum(before), "later": sum(later)}


def _asked_before(question: RoomSlide, slides: Sequence[RoomSlide]) -> RoomSlide | None:
    """The same question before the lesson; None: this one was not asked after the lesson."""
    if question.slide["when"] != "after":
        return None
    for each in slides:
        if each.slide["when"] == "before" and each.part == question.part:
            if each.slide["quiz"] == question.slide["quiz"]:
                return each
    return None


def _scores(question: RoomSlide) -> dict[str, float]:
    """The score of each student's answer."""
    return {token: question.kind.score(question.slide, answer) for token, answer in question.answers.items()}
