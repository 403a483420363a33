"""Draws the link from a chooser of encodings to the page Bring."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from pages.shared import page_files


def draw_bring_link(place: DeltaGenerator) -> None:
    """Draw the link at the end of a chooser's label (page.css). Once on a page.

    Args:
        place: the column of the chooser.
    """
    place.container(key="bring_link").page_link(
        page_files.BRING,
        label="Bring your own…",
        help="A tokenizer from a file, such as tokenizer.json, .model or .gguf. You can then choose it on "
        "every page, like those that you grow.",
    )
