"""Before anything is trained: what training will take, and what there is to beat on the start of the mix."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import tokenizers as tk
from pages.grow.train.bench import own_texts_of
from pages.grow.train.charts import curve_chart, curve_rows
from pages.grow.train.state import TrainState
from pages.session.grown import REFERENCES
from pages.session.train_plan import Recipe
from pages.shared.charts import Title, TitledChart, show_chart
from pages.shared.colours import hue_of
from pages.shared.plain import plain
from tokenizers.amounts import bytes_in_words
from tokenizers.bundled import load_model
from tokenizers.data import FIRST_MODEL, read_bundled, weighed_bytes
from tokenizers.shipped import SHIPPED_FILE_ERRORS

_SAMPLE_BYTES = 60_000

PAGE_BYTES = 2_000
"""About so many bytes are a page of a book in English."""

BYTES_FOR_A_MERGE = 12
"""With fewer bytes of text than this for each merge, no pair occurs twice any more; measured on English."""


def forecast(recipe: Recipe, lengths: Mapping[str, int]) -> str:
    """What training will do, in sentences for a student; empty if the recipe holds no text.

    Args:
        recipe: with numbers that are in bounds.
        lengths: bytes of each source, by key.
    """
    total = sum(weighed_bytes(lengths[key], weight) for key, weight in recipe.parts)
    n_bytes = round(total * (1 - recipe.held_out))
    if n_bytes <= 0:
        return ""
    n_pages = max(1, round(n_bytes / PAGE_BYTES))
    pages = "about a page of text" if n_pages == 1 else f"text of about {n_pages:,} pages of a book"
    time = _time(n_bytes * recipe.facts.slowness)
    if recipe.method != "byte-pairs":
        return (
            f"Press Grow, and {recipe.facts.label} is learned from {pages}, up to {recipe.vocab_size:,} "
            f"tokens, in {time}. Or compare the methods: each learns from this mix, at this size."
        )
    n_merges = recipe.vocab_size - 256 - len(recipe.special_tokens)
    merges = "1 merge" if n_merges == 1 else f"{n_merges:,} merges"
    sentences = (
        f"Press Grow, and it learns up to {merges} from {pages}, in {time}. First come pairs of "
        "letters that often stand side by side, then parts of words, and finally whole words."
    )
    if recipe.pattern is None:
        sentences += " Without walls, tokens can span several words, and whole phrases become tokens."
    if n_merges * BYTES_FOR_A_MERGE > n_bytes:
        enough = max(1, n_bytes // BYTES_FOR_A_MERGE)
        sentences += (
            f" That is little text for so many: after some {enough:,} merges, hardly any pair will occur "
            "twice. Take more text, or a smaller vocabulary."
        )
    return sentences


def _time(n_bytes: int) -> str:
    """About how long it takes on a laptop, if nobody else trains.

    >>> _time(30_000), _time(5_000_000), _time(80_000_000)
    ('a second or two', 'some seconds', 'up to a few minutes')
    """
    if n_bytes < 1_000_000:
        return "a second or two"
    return "some seconds" if n_bytes < 10_000_000 else "up to a few minutes"


def draw_first_look(recipe: Recipe, expected: str) -> None:
    """The forecast, and the home-trained encoding that comes with the app on the start of the mix.

    Args:
        recipe: what the form says.
        expected: of ``forecast``.
    """
    if expected:
        st.write(expected)
    sample = _sample(recipe)
    if not sample.strip():
        st.info("Choose a text to learn from, and its curve is drawn here.", icon=":material/info:")
        return
    try:
        n_bytes, tokens, others = _measure_sample(FIRST_MODEL, sample)
    except SHIPPED_FILE_ERRORS as problem:  # training goes without
        st.warning(plain(str(problem)), icon=":material/warning:")
        return
    ratio = n_bytes / max(1, tokens[-1])
    best = max(others, key=lambda other: others[other])
    title = f"{FIRST_MODEL} reads this at {ratio:.2f} bytes per token, {best} at {others[best]:.2f}"
    rows = curve_rows(FIRST_MODEL, n_bytes, tokens)
    rules = {other: (other_ratio, hue_of(other)) for other, other_ratio in others.items()}
    chart = curve_chart(rows, {FIRST_MODEL: hue_of(FIRST_MODEL)}, most=8192, rules=rules)
    show_chart(TitledChart(chart, Title(title)), TrainState.key("first_look"), rows)
    st.caption(
        f"Measured on the first {bytes_in_words(n_bytes)} or so of your mix. Every point of the curve is a "
        "smaller vocabulary."
    )


def _sample(recipe: Recipe) -> str:
    """The start of each source, in the shares of the mix, roughly."""
    own = own_texts_of(recipe)
    total = sum(weight for _, weight in recipe.weighted_parts) or 1.0
    parts = []
    for key, weight in recipe.weighted_parts:
        room = int(_SAMPLE_BYTES * weight / total) + 200
        parts.append(own[key].text[:room] if key in own else _bundled_sample(key)[:room])
    return "\n".join(parts)


@st.cache_data
def _bundled_sample(key: str) -> str:
    try:
        return "\n".join(read_bundled(key).texts)[:_SAMPLE_BYTES]
    except (OSError, ValueError):
        return ""


@st.cache_data(max_entries=40)
def _measure_sample(name: str, sample: str) -> tuple[int, list[int], dict[str, float]]:
    """Bytes, tokens at every vocabulary size, and bytes per token in the encodings to compare with.

    Counts alone are remembered: of the sample, which may be a person's own, there is a digest.
    """
    encoding = load_model(name)
    n_bytes = len(tk.well_formed(sample).encode())
    others = {other: n_bytes / len(tk.get_encoding(other).encode(sample)) for other in REFERENCES}
    return n_bytes, encoding.counts_by_size(sample).tolist(), others
