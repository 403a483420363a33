"""The files of pages that others link to, as in ``pages/main.py``, and the link beside choosers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from pages.session.page_state import Field
from pages.shared.session import get_workspace
from pages.shared.widgets import tied
from tokenizers.registry import chooser_title

PLAYGROUND = "explore/playground/page.py"
MERGE_TREES = "explore/merge_trees/page.py"
ADD_TOKENIZER = "grow/add_tokenizer/page.py"
TRAIN = "grow/train/page.py"
LESSONS = "learn/lessons/page.py"
VOCABULARY_SIZE = "measure/vocabulary_size/page.py"


def choose_encodings(place: DeltaGenerator, label: str, field: Field[list[str]], **options: Any) -> None:
    """Draw the page's chooser of several encodings; ``options``: more arguments of ``st.multiselect``."""
    options |= {"format_func": chooser_title, **tied(field)}
    place.multiselect(label, get_workspace().encoding_names(), **options)
    draw_add_tokenizer_link(place)


def choose_encoding(
    place: Any,
    label: str,
    names: Sequence[str],
    field: Field[Any],
    title: Callable[[str], str] = chooser_title,
    **options: Any,
) -> Any:
    """Draw a chooser of one encoding; ``options``: more arguments of ``st.selectbox``."""
    return place.selectbox(label, names, format_func=title, **options, **tied(field))


def draw_add_tokenizer_link(place: DeltaGenerator) -> None:
    """Draw the link at the end of a chooser's label (page.css). Once on a page.

    Args:
        place: the column of the chooser.
    """
    place.container(key="add_tokenizer_link").page_link(
        ADD_TOKENIZER,
        label="Add a tokenizer…",
        help="Find a model, or use a tokenizer’s file, such as tokenizer.json, .model or .gguf. You can "
        "then choose it on every page.",
    )
