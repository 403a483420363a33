"""A question with answers to choose from. An answer is the place of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pages.teaching.formulas import Find, Value, evaluate
from pages.teaching.kinds.kind import DrawnStep, Kind, picture_of_places
from pages.teaching.lesson import Lesson, LessonStep
from pages.teaching.sentences import fill_in
from tokenizers.json_types import JsonObject
from tokenizers.text import isolate


class ChoiceKind(Kind):
    """Choose one of the step's ``choices``."""

    question_fields = ("choices",)
    answer_fields: tuple[str, ...] = ("right", "whys")

    def check(self, lesson: Lesson, step: LessonStep, where: str) -> None:
        super().check(lesson, step, where)
        if len(step.choices) < 2:
            raise ValueError(f"{where} needs two answers at least.")

    def add_to_step(self, step: LessonStep, values: Mapping[str, Value], find: Find, where: str) -> DrawnStep:
        right = [
            choice.right if choice.when is None else evaluate(choice.when, values, find) is True
            for choice in step.choices
        ]
        if sum(right) != 1:
            raise ValueError(f"{where}, {sum(right)} answers are right, and not one.")
        return {
            "choices": [fill_in(choice.says, values) for choice in step.choices],
            "right": right.index(True),
            "whys": [fill_in(choice.why, values) for choice in step.choices],
        }

    def accept(self, slide: DrawnStep, value: Any) -> int | None:
        return value if type(value) is int and value in range(len(slide["choices"])) else None

    def score(self, slide: DrawnStep, answer: int) -> float:
        return float(answer == slide["right"])

    def picture(self, slide: DrawnStep, answers: Sequence[int]) -> JsonObject:
        """How many chose each answer, and what to say of the most frequent wrong one.

        >>> slide = {"choices": ["a", "b"], "right": 1, "whys": ["It is too short.", ""]}
        >>> ChoiceKind().picture(slide, [1, 0, 1])
        {'counts': [1, 2], 'wrong': {'place': 0, 'says': '1 of 3 chose “a”. It is too short.'}}
        """

        def describe(wrong: int, votes: int) -> str:
            chosen = slide["choices"][wrong]
            if not chosen.startswith("“"):
                chosen = f"“{isolate(chosen)}”"
            return f"{votes} of {len(answers)} chose {chosen}. {slide['whys'][wrong]}".strip()

        return picture_of_places(answers, len(slide["choices"]), [slide["right"]], describe)

    def write(self, step: DrawnStep, *, answered: bool) -> str:
        items = []
        for place, answer in enumerate(step["choices"]):
            item = f"<li>☐ {escape(answer)}"
            if answered and place == step["right"]:
                item = f"<li class='right'>☑ {escape(answer)}"
            if answered:
                item += f" <small>{escape(step['whys'][place])}</small>"
            items.append(f"<ul>{item}</li></ul>")
        return "".join(items)
