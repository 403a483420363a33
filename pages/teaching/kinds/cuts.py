"""A question that asks to place the cuts of a text. An answer is the places of the cuts, in order."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import chain
from typing import Any

from pages.teaching.drawn_tokens import draw_tokens
from pages.teaching.formulas import Find
from pages.teaching.kinds.kind import DrawnStep, Kind, count_votes
from pages.teaching.lesson import Lesson, LessonStep
from tokenizers.text import Spans, explain_plainly, spell_alone

MAX_CUT_TEXT = 300
"""The most characters of a text to place cuts in: each place is a button, and each cut gets a reason."""


class CutsKind(Kind):
    """Place the cuts of a text; the learner predicts those of the step's first encoding."""

    holds_text = True

    def check(self, lesson: Lesson, step: LessonStep, where: str) -> None:
        super().check(lesson, step, where)
        if step.text is None or not step.encodings:
            raise ValueError(f"{where} asks for cuts: it needs a text, and encodings.")
        if len(lesson.texts[step.text]) > MAX_CUT_TEXT:
            raise ValueError(
                f"{where} has a text of more than {MAX_CUT_TEXT} characters: no cuts can be placed."
            )

    def show_tokens(self, step: LessonStep, text: str, find: Find) -> list[dict[str, Any]]:
        explain = explain_plainly if step.plain_reasons else Spans.reason
        return [
            draw_tokens(find(name), text, step.allowed_special, None if number else explain)
            for number, name in enumerate(step.encodings)
        ]

    def accept(self, slide: DrawnStep, value: Any) -> list[int] | None:
        """The places in order, each once.

        >>> CutsKind().accept({"clusters": "abc"}, [2, 1, 2])
        [1, 2]
        """
        places = range(1, len(slide["clusters"]))
        if isinstance(value, list) and all(type(place) is int and place in places for place in value):
            return sorted(set(value))
        return None

    def score(self, slide: DrawnStep, answer: Sequence[int]) -> float:
        """The right cuts ÷ all that the learner or the encoding placed.

        >>> CutsKind().score({"shows": [{"cuts": [2, 5]}]}, [2, 3])
        0.3333333333333333
        """
        placed = set(answer)
        real = set(slide["shows"][0]["cuts"])
        return len(placed & real) / len(placed | real) if placed | real else 1.0

    def picture(self, slide: DrawnStep, answers: Sequence[Sequence[int]]) -> dict[str, Any]:
        """How many cut before each grapheme."""
        votes = Counter(chain.from_iterable(answers))
        shown = slide["shows"][0]
        return count_votes(votes, len(slide["clusters"]), shown["cuts"], shown["why"])

    def write(self, step: DrawnStep, *, answered: bool) -> str:
        if answered:
            return _write_text(step["clusters"], step["shows"][0]["cuts"])
        return f"<p>Draw a line wherever you expect a cut.</p>{_write_text(step['clusters'], [])}"


def _write_text(clusters: Sequence[str], cuts: Sequence[int]) -> str:
    """A text as HTML, with room for a line between any two of its graphemes."""
    spans = []
    for place, grapheme in enumerate(clusters):
        classes = []
        if place in cuts:
            classes.append("cut")
        if unicodedata.bidirectional(grapheme[0]) in ("R", "AL"):
            classes.append("rtl")
        mark = f" class='{' '.join(classes)}'" if classes else ""
        shown = spell_alone(grapheme) if len(grapheme) == 1 else grapheme
        spans.append(f"<span{mark}>{escape(shown)}</span>")
    return f"<p class='text'>{'<wbr>'.join(spans)}</p>"
