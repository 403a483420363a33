"""The files of pages that other pages link to, as in ``pages/main.py``; and the link to the page Bring."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

PLAYGROUND = "explore/playground/page.py"
MERGE_TREES = "explore/merge_trees/page.py"
BRING = "grow/bring/page.py"
TRAIN = "grow/train/page.py"
BY_HAND = "grow/by_hand/page.py"


def draw_bring_link(place: DeltaGenerator) -> None:
    """Draw the link at the end of a chooser's label (page.css). Once on a page.

    Args:
        place: the column of the chooser.
    """
    place.container(key="bring_link").page_link(
        BRING,
        label="Bring your own…",
        help="A tokenizer from a file, such as tokenizer.json, .model or .gguf. You can then choose it on "
        "every page, like those that you grow.",
    )
