"""The beginning of a part of a class: the wall shows what there is, and where the class is."""

from __future__ import annotations

from pages.teaching.kinds.kind import Kind


class PartKind(Kind):
    """Look up: the next lesson begins."""

    asks = False
    is_scored = False
    question_fields = ("question",)
