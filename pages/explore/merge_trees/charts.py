"""Draws the lattice of a Unigram encoding: all pieces that fit, and the best paths."""

from __future__ import annotations

import math

import altair as alt
import pandas as pd
import streamlit as st

from pages.shared.charts import Layers, TitledChart, ink, is_dark, larger, paint, show_chart, tips
from pages.shared.markdown import escape
from pages.shared.widgets import show_info
from tokenizers.encoding import Encoding
from tokenizers.families import Lattice, Path, lattice_of
from tokenizers.registry import model_name
from tokenizers.text import isolate, spell_alone

LONGEST = 48
"""Characters of a text whose lattice is drawn: with more, its tokens cannot be read."""

_PATHS = 5
_ROW = 30  # pixels
_AROUND = 80  # pixels of the chart's height that are the legend's and the margin's
_BEST = "the best path"
_NEXT = "the next best, where it differs"
_OTHER = "other tokens"


def draw_lattice(encoding: Encoding, text: str, hue: int) -> None:
    """Draw all pieces that fit the beginning of a text, and the best paths."""
    name = encoding.name
    try:
        lattice = lattice_of(encoding, text[:LONGEST])
    except ValueError as problem:  # some characters become many: ﷺ becomes 18
        show_info(f"No lattice of {model_name(name)} is drawn here. {problem}")
        return
    if lattice is None or not lattice.data:
        return
    st.subheader(f"The lattice of {escape(model_name(name))}")
    st.write(
        f"{escape(model_name(name))} merges nothing. It knows how probable each of its tokens is, and takes "
        "the most probable of all ways to cut the text. A score is the logarithm of a probability: the "
        "scores of a path’s tokens are added up, and the highest sum wins."
    )
    pieces, *titles = pieces_of(lattice)
    show_chart(
        TitledChart(_chart(pieces, hue), *titles),
        f"merge_trees_lattice_{name}",
        pieces.drop(columns="row"),
        file=f"lattice-{name}",
    )
    st.caption(
        f"Drawn for at most the text’s first {LONGEST} characters, up to the end of the line or to two "
        "spaces in a row, where other rules cut the text."
    )
    st.markdown("**The best paths**")
    _show_paths(lattice, lattice.best(_PATHS))


def pieces_of(lattice: Lattice) -> tuple[pd.DataFrame, str, str]:
    """The pieces as rows of a chart: the best path, then where the next best differs, then the others.

    Returns:
        a table with a row for each piece, and the title and the subtitle of the chart.
    """
    best, *others = lattice.best(2)
    bars = lattice.bars()
    table = pd.DataFrame(bars, columns=["token", "from", "to", "log-probability", "path", "row"])
    table["path"] = [(_BEST, _NEXT, _OTHER)[bar.path] for bar in bars]
    first = f"The best of {lattice.count_paths():,} paths has" if others else "There is one path, of"
    gap = f", {best.score - others[0].score:.2f} better than the next" if others else ""
    fit = "1 token fits" if len(bars) == 1 else f"{len(bars):,} tokens fit"
    return table, f"{first} log-probability {best.score:.2f}{gap}", fit


def _chart(pieces: pd.DataFrame, hue: int) -> Layers:
    dark = is_dark()
    range_ = [paint(hue), "#e0b64a" if dark else "#b7860b", "#3a423d" if dark else "#e6ebe7"]
    legend = alt.Legend(title=None, orient="top", symbolStrokeWidth=0.5, labelLimit=larger(300))
    scale = alt.Scale(domain=[_BEST, _NEXT, _OTHER], range=range_)
    base = alt.Chart(pieces).encode(
        y=alt.Y("row:O", axis=None),
        tooltip=tips({"token": "", "log-probability": "", "path": ""}),
    )
    bars = base.mark_bar(height={"band": 0.75}, cornerRadius=4, stroke=ink("soft"), strokeWidth=0.5).encode(
        x=alt.X("from:Q", axis=None, scale=alt.Scale(nice=False)),
        x2=alt.X2("to"),
        color=alt.Color("path:N", scale=scale, legend=legend),
    )
    labels = (
        base.transform_calculate(middle="(datum.from + datum.to) / 2")
        .mark_text(fontSize=larger(12))
        .encode(
            x=alt.X("middle:Q"),
            text=alt.Text("token:N"),
            color=alt.condition(
                alt.FieldEqualPredicate(field="path", equal=_OTHER),
                alt.value(ink()),
                alt.value(ink("background")),
            ),
        )
    )
    height = _AROUND + (int(pieces["row"].max()) + 1) * _ROW
    return alt.layer(bars, labels, height=height)


def _show_paths(lattice: Lattice, paths: list[Path]) -> None:
    """Paths in words, with their log-probability and their share of the probability of all paths."""
    rows = []
    for path in paths:
        share = math.exp(path.score - lattice.log_total)
        pieces = " | ".join(spell_alone(data.decode("utf-8")) for data in lattice.texts(path.pieces))
        rows.append((f"{path.score:.2f}", f"{share:.1%}", escape(isolate(pieces))))
    table = pd.DataFrame(rows, columns=["log-probability", "share of all paths", "path"])
    # A path is longer than a cell of a data frame.
    st.table(table.set_index("log-probability"), border="horizontal")
