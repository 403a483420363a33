"""A question with a number to guess on a slider. An answer is the number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pages.teaching.formulas import Find, Value, evaluate
from pages.teaching.kinds.kind import DrawnStep, Kind
from pages.teaching.lesson import Lesson, LessonStep
from pages.teaching.sentences import in_words
from tokenizers.json_types import JsonObject


class NumberKind(Kind):
    """Guess the value of the step's ``figure``, between ``low`` and ``high``."""

    question_fields = ("low", "high", "step")
    answer_fields = ("value",)

    def check(self, lesson: Lesson, step: LessonStep, where: str) -> None:
        if step.figure is None or step.high <= step.low:
            raise ValueError(f"{where} needs a figure, and a slider whose high is more than its low.")

    def add_to_step(self, step: LessonStep, values: Mapping[str, Value], find: Find, where: str) -> DrawnStep:
        value = evaluate(step.figure or "", values, find)
        if isinstance(value, (bool, str)):
            raise ValueError(f"{where}, the answer is no number: {step.figure}.")
        if not step.low <= value <= step.high:
            raise ValueError(
                f"{where}, the right number is {value}, which is not on the slider: it goes from "
                f"{step.low:,.10g} to {step.high:,.10g}. Let it reach {value}."
            )
        is_whole = all(float(each).is_integer() for each in (value, step.low, step.high))
        return {"value": value, "low": step.low, "high": step.high, "step": 1 if is_whole else 0.1}

    def accept(self, slide: DrawnStep, value: Any) -> float | None:
        """A number on the slider.

        >>> print(NumberKind().accept({"low": 1, "high": 9, "step": 1}, 2.5))
        None
        """
        if type(value) not in (int, float) or not slide["low"] <= value <= slide["high"]:
            return None
        return float(value) if slide["step"] < 1 or value == int(value) else None

    def score(self, slide: DrawnStep, answer: float) -> float:
        """The smaller ÷ the larger of the guess and the truth.

        >>> NumberKind().score({"value": 4}, 8)
        0.5
        """
        less, more = sorted((answer, slide["value"]))
        if less == more:
            return 1.0
        return less / more if less > 0 else 0.0

    def picture(self, slide: DrawnStep, answers: Sequence[float]) -> JsonObject:
        """All guesses, in order."""
        return {"guesses": sorted(answers)}

    def write(self, step: DrawnStep, *, answered: bool) -> str:
        value = f"Answer: <b>{in_words(step['value'])}</b>" if answered else "My guess: __________"
        return f"<p>{value}</p>"
