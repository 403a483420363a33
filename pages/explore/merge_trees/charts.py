"""Draws the lattice of a Unigram encoding: all pieces that fit, and the best paths."""

from __future__ import annotations

import math

import altair as alt
import pandas as pd
import streamlit as st

from pages.shared.charts import Layers, TitledChart, ink, is_dark, larger, paint, show_chart, tips
from pages.shared.markdown import escape
from pages.shared.tables import show_table
from pages.shared.widgets import show_info
from tokenizers.encoding import Encoding
from tokenizers.families import Lattice, Path, lattice_of
from tokenizers.registry import model_name
from tokenizers.text import isolate, spell_alone

LONGEST = 48
"""Characters of a text whose lattice is drawn: with more, its tokens cannot be read."""

_PATHS = 5
_MOST_ROWS = 14
_ROW = 30  # pixels
_AROUND = 80  # pixels of the chart's height that are the legend's and the margin's
_WIDTH = 300  # pixels of a column of paths, at least
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
    first = lattice.text if len(lattice.text) < LONGEST else f"{lattice.text[:20]}…"
    st.caption(
        escape(
            f"Drawn for “{isolate(spell_alone(first))}”: the text’s first {LONGEST} characters, as "
            f"{model_name(name)} reads them, up to the end of the line or to two spaces in a row, where "
            "other rules cut the text."
        )
    )
    n_paths = lattice.count_paths()
    few = "The only path" if n_paths == 1 else f"All {n_paths} paths"
    st.markdown(f"**The {_PATHS} best paths**" if n_paths > _PATHS else f"**{few}**")
    _show_paths(lattice, lattice.best(_PATHS))


def pieces_of(lattice: Lattice) -> tuple[pd.DataFrame, str, str]:
    """The pieces as rows of a chart: the best path, then where the next best differs, then the others.

    Returns:
        a table with a row for each piece, and the title and the subtitle of the chart.
    """
    best, *others = lattice.best(2)
    bars = lattice.bars()
    drawn = [bar for bar in bars if bar.row < _MOST_ROWS]
    table = pd.DataFrame(drawn, columns=["token", "from", "to", "log-probability", "path", "row"])
    table["path"] = [(_BEST, _NEXT, _OTHER)[bar.path] for bar in drawn]
    first = f"The best of {lattice.count_paths():,} paths has" if others else "There is one path, of"
    gap = f", {best.score - others[0].score:.2f} better than the next" if others else ""
    fit = "1 token fits" if len(bars) == 1 else f"{len(bars):,} tokens fit"
    left_out = f"; {len(bars) - len(drawn):,} are left out here" if len(drawn) < len(bars) else ""
    return table, f"{first} log-probability {best.score:.2f}{gap}", fit + left_out


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
    """Paths in words, with their log-probability and their share of the probability of all paths.

    The path comes last: it can be longer than the table is wide, which then scrolls.
    """
    rows = []
    for path in paths:
        share = math.exp(path.score - lattice.log_total)
        pieces = isolate(" | ".join(spell_alone(data.decode("utf-8")) for data in lattice.texts(path.pieces)))
        rows.append((f"{path.score:.2f}", f"{share:.1%}", pieces))
    table = pd.DataFrame(rows, columns=["log-probability", "share of all paths", "path"])
    # A browser measures a column when it first draws the table, and cuts longer texts that come later.
    width = max([_WIDTH, *(17 + 8 * len(each) for each in table["path"])])
    show_table(table, column_config={"path": st.column_config.TextColumn(width=width)}, height="content")
