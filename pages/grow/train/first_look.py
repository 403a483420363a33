"""Before anything is grown: the encoding that comes with the app, on the start of the chosen mix."""

from __future__ import annotations

import streamlit as st

import tokenizers as tk
from pages.grow.train.bench import own_texts_of
from pages.grow.train.charts import curve_chart, curve_rows
from pages.session.grown import REFERENCES
from pages.session.train_plan import Recipe
from pages.shared.charts import Title, TitledChart, show_chart
from pages.shared.colours import hue_of
from pages.shared.plain import plain
from tokenizers.amounts import bytes_in_words
from tokenizers.bundled import load_model
from tokenizers.data import FIRST_MODEL, read_bundled
from tokenizers.shipped import SHIPPED_FILE_ERRORS

_SAMPLE_BYTES = 60_000


def draw_first_look(recipe: Recipe, expected: str) -> None:
    """The encoding that comes with the app, on the start of the mix: what there is to beat.

    Args:
        recipe: what the form says.
        expected: of ``forecast``: what growing it will give.
    """
    if expected:
        st.write(expected)
    name = FIRST_MODEL
    sample = _sample(recipe)
    if not sample.strip():
        st.info("Choose a text to learn from, and its curve is drawn here.", icon=":material/info:")
        return
    try:
        n_bytes, tokens, others = _measure_sample(name, sample)
    except SHIPPED_FILE_ERRORS as problem:  # growing an encoding goes without
        st.warning(plain(str(problem)), icon=":material/warning:")
        return
    ratio = n_bytes / max(1, tokens[-1])
    best = max(others, key=lambda other: others[other])
    title = f"{name} reads this at {ratio:.2f} bytes per token, {best} at {others[best]:.2f}"
    rows = curve_rows(name, n_bytes, tokens)
    rules = {other: (other_ratio, hue_of(other)) for other, other_ratio in others.items()}
    chart = curve_chart(rows, {name: hue_of(name)}, most=8192, rules=rules)
    show_chart(TitledChart(chart, Title(title)), "train_first_look", rows)
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
