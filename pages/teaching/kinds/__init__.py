"""The kinds of questions, each in a module of its own.

To add one, write a module here and one in ``assets/components/lesson/kinds/``, and add both to the tables:
``KINDS`` below, and ``KINDS`` of ``assets/components/lesson/kinds.js``, which says what the browser needs
besides. A step's fields are in ``lesson.py``; ``LABELS`` of ``lesson_draft.py`` are the kinds of the form.
"""

from __future__ import annotations

from collections.abc import Mapping

from pages.teaching.kinds.choice import ChoiceKind
from pages.teaching.kinds.cuts import CutsKind
from pages.teaching.kinds.kind import Kind
from pages.teaching.kinds.next_token import NextKind
from pages.teaching.kinds.number import NumberKind
from pages.teaching.kinds.part import PartKind
from pages.teaching.kinds.say import SayKind
from pages.teaching.kinds.typed import TypedKind

KINDS: Mapping[str, Kind] = {
    "cuts": CutsKind(),
    "choice": ChoiceKind(),
    "number": NumberKind(),
    "say": SayKind(),
}
"""The kinds by their names in a lesson's file."""

CLASS_KINDS: Mapping[str, Kind] = {
    **KINDS,
    "part": PartKind(),
    "typed": TypedKind(),
    "next": NextKind(),
}
"""The kinds of slides in a class: those of lessons, and three that need a class."""
