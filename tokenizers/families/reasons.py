"""What the families' reasons for a cut have in common."""

from __future__ import annotations

from ..checks import check_whole_number
from ..text.spans import Spans


def check_place(spans: Spans, byte_offset: int) -> None:
    """Refuse a place that the text does not have.

    Raises:
        ValueError: there is no such place.
    """
    check_whole_number(byte_offset, "byte_offset")
    n_bytes = spans.text_map.n_bytes
    if not 0 <= byte_offset <= n_bytes:
        raise ValueError(
            f"There is no place {byte_offset} in this text: choose from 0 (its beginning) to {n_bytes} "
            "(its end), in bytes."
        )


def at_edge(spans: Spans, byte_offset: int) -> str | None:
    """The reason for the edge at the beginning or the end of a text; None: the place is neither."""
    n_bytes = spans.text_map.n_bytes
    if not n_bytes:
        return "The text is empty."
    if byte_offset == 0:
        return "The text begins here."
    return "The text ends here." if byte_offset == n_bytes else None
