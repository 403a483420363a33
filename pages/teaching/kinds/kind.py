"""What a kind of question does in a lesson, on paper and in a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pages.teaching.drawn_tokens import draw_tokens
from pages.teaching.formulas import Find, Value
from pages.teaching.lesson import Lesson, LessonStep
from tokenizers.amounts import plural
from tokenizers.json_types import JsonObject

Answer = int | float | list[int] | JsonObject
"""A choice's place, a number, the places of cuts in order, or a typed text with its tokens."""

DrawnStep = JsonObject
"""A step as ``work_out`` draws it."""


class Kind:
    """A kind of step. A subclass overrides what it does otherwise; one that asks nothing, only ``asks``.

    ``assets/components/lesson/kinds.js`` has the same kinds for the browser.

    Attributes:
        asks: whether it asks something.
        is_scored: whether an answer can be right or wrong.
        is_live: whether the wall of a class shows the answers as they come.
        holds_text: whether it draws its step's text itself, as a part of the question.
        question_fields: what a phone needs of a drawn step besides the fields of every kind.
        answer_fields: the same, once the answer is revealed.
    """

    asks = True
    is_scored = True
    is_live = False
    holds_text = False
    question_fields: tuple[str, ...] = ()
    answer_fields: tuple[str, ...] = ()

    def check(self, lesson: Lesson, step: LessonStep, where: str) -> None:
        """Refuse a step that lacks what this kind needs, or has what it does not use.

        Raises:
            ValueError: with a sentence for the lesson's author, which begins with ``where``.
        """
        if step.figure is not None:
            raise ValueError(f"{where} has a figure, which only a step of the kind number asks for.")

    def show_tokens(self, step: LessonStep, text: str, find: Find) -> list[JsonObject]:
        """The tokens of the step's text in each of its encodings, for the answer."""
        if step.counts:  # bars say how many there are
            return []
        return [draw_tokens(find(name), text, step.allowed_special) for name in step.encodings]

    def add_to_step(self, step: LessonStep, values: Mapping[str, Value], find: Find, where: str) -> DrawnStep:
        """What the kind adds to a drawn step, such as the right answer.

        Raises:
            ValueError, OSError: there is no right answer, or an encoding cannot be loaded.
        """
        return {}

    def accept(self, slide: DrawnStep, value: Any) -> Answer | None:
        """What a browser sent as an answer, if it is one; else None."""
        return None

    def score(self, slide: DrawnStep, answer: Any) -> float:
        """The score of an answer, 0 to 1, by the rules that a lesson explains to its learner.

        ``score`` in ``assets/components/lesson/kinds/`` computes the same.
        """
        raise NotImplementedError

    def picture(self, slide: DrawnStep, answers: Sequence[Any]) -> JsonObject:
        """What a class answered, for the wall."""
        raise NotImplementedError

    def follow(self, slide: DrawnStep, answers: Sequence[Any]) -> DrawnStep | None:
        """In a class, the slide that follows from the answers to this one; None: nothing does."""
        return None

    def write(self, step: DrawnStep, *, answered: bool) -> str:
        """The question on a worksheet, as HTML without its heading; or with its answer."""
        return ""


def picture_of_places(
    answers: Iterable[int], n_places: int, right: Collection[int], describe: Callable[[int, int], str]
) -> JsonObject:
    """How often each place was chosen, and what to say of the most frequent wrong one, if there is one.

    Args:
        answers: the chosen places.
        n_places: how many there are.
        right: those that are right.
        describe: says how often a wrong place was chosen, and why it is wrong.

    >>> picture = picture_of_places([1, 1, 2, 0, 2, 0], 3, [1], "{1} chose {0}.".format)
    >>> picture["counts"], picture["wrong"]
    ([2, 2, 2], {'place': 0, 'says': '2 chose 0. 1 other mistake was as frequent.'})
    """
    votes = Counter(answers)
    picture: JsonObject = {"counts": [votes[place] for place in range(n_places)]}
    wrong = sorted(place for place in votes if place not in right)
    if wrong:
        place = max(wrong, key=lambda each: votes[each])  # of several, the first
        says = describe(place, votes[place])
        n_others = sum(votes[each] == votes[place] for each in wrong) - 1
        if n_others:
            was = "was" if n_others == 1 else "were"
            says += f" {plural(n_others, 'other mistake')} {was} as frequent."
        picture["wrong"] = {"place": place, "says": says}
    return picture
