"""A step that asks nothing: words to read, with what they speak of."""

from __future__ import annotations

from pages.teaching.kinds.kind import Kind


class SayKind(Kind):
    """Read."""

    asks = False
    is_scored = False
