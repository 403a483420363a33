"""A question that asks to place the cuts of a text. An answer is the places of the cuts, in order."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from itertools import chain
from typing import Any

from pages.teaching.drawn_tokens import draw_tokens
from pages.teaching.formulas import Find
from pages.teaching.kinds.kind import DrawnStep, Kind, picture_of_places
from pages.teaching.lesson import Lesson, LessonStep
from pages.teaching.reasons import explain_places
from tokenizers.json_types import JsonObject
from tokenizers.text import encode_spans, isolate, spell_alone

MAX_CUT_TEXT = 300
"""The most characters of a text to place cuts in: each place is a button, and each cut gets a reason."""


_AROUND = 6  # graphemes on each side of a place, where it is spoken of


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

    def show_tokens(self, step: LessonStep, text: str, find: Find) -> list[JsonObject]:
        """As of every kind, with the reasons for the cuts of the first encoding (``explain_places``)."""
        shown = [draw_tokens(find(name), text, step.allowed_special) for name in step.encodings]
        spans = encode_spans(find(step.encodings[0]), text, allowed_special=step.allowed_special)
        shown[0] |= explain_places(spans, exactly=not step.plain_reasons)
        return shown

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

    def picture(self, slide: DrawnStep, answers: Sequence[Sequence[int]]) -> JsonObject:
        """How many cut before each grapheme, and what to say of the most frequent wrong cut.

        >>> slide = {"clusters": "abc", "shows": [{"cuts": [], "why": {1: "“abc” is one token."}}]}
        >>> picture = CutsKind().picture(slide, [[1], []])
        >>> picture["counts"], picture["wrong"]["place"], picture["wrong"]["says"][-19:]
        ([0, 1, 0], 1, '“abc” is one token.')
        """
        clusters = slide["clusters"]
        shown = slide["shows"][0]

        def describe(wrong: int, votes: int) -> str:
            where = isolate(_spell_around(clusters, wrong))
            return f"{votes} of {len(answers)} cut here: “{where}”. {shown['why'][wrong]}"

        return picture_of_places(chain.from_iterable(answers), len(clusters), shown["cuts"], describe)

    def write(self, step: DrawnStep, *, answered: bool) -> str:
        if answered:
            return _write_text(step["clusters"], step["shows"][0]["cuts"])
        return f"<p>Draw a line wherever you expect a cut.</p>{_write_text(step['clusters'], [])}"


def _spell_around(clusters: Sequence[str], place: int) -> str:
    """A place, between the graphemes around it.

    >>> _spell_around("understanding", 10)
    '…rstand | ing'
    """
    start = max(0, place - _AROUND)
    end = place + _AROUND
    before = "".join(map(_spell, clusters[start:place]))
    after = "".join(map(_spell, clusters[place:end]))
    torn_before = "…" if start else ""
    torn_after = "…" if end < len(clusters) else ""
    return f"{torn_before}{before} | {after}{torn_after}"


def _spell(grapheme: str) -> str:
    return spell_alone(grapheme) if len(grapheme) == 1 else grapheme


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
        spans.append(f"<span{mark}>{escape(_spell(grapheme))}</span>")
    return f"<p class='text'>{'<wbr>'.join(spans)}</p>"
