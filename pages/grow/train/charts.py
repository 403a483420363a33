"""The charts of the page Train. User text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.session.trained_encoding import sizes_to_draw
from pages.shared.charts import (
    APART,
    Layers,
    encoding_colours,
    is_dark,
    labelled_bars,
    larger,
    paint,
    tips,
)
from pages.shared.colours import hue_of
from tokenizers.registry import model_name

SIZE, RATIO = "tokens in the vocabulary", "bytes per token"
CURVE_HEIGHT = 300
"""Pixels of a curve: the same while an encoding is learned and after, so that the page does not move."""

WITH_BYTES = 1024
"""A curve of more tokens than this is drawn beside the width that the 256 bytes take."""

_PAPER = ("#fcfcf9", "#121614")  # the page's ground, light and dark, as in .streamlit/config.toml
_GREY = ("#737b76", "#9aa39d")
_OTHER_NAME = 90  # pixels that the name of another encoding takes
_NAME = 0.25  # of the width of a curve, what its name takes at its end
_POINT = tips({SIZE: ",d", RATIO: ".3f"})
_BARS_AXIS = alt.Axis(title=RATIO, format=".1f", tickCount=5, grid=False)


def curve_rows(line: str, sizes: Sequence[int], n_bytes: float, tokens: Sequence[float]) -> pd.DataFrame:
    """Points of a compression curve, thinned where there are many; ``tokens[i]`` at ``sizes[i]``."""
    chosen = sizes_to_draw(len(tokens) - 1)
    ratios = n_bytes / np.maximum(np.asarray(tokens, dtype=np.float64)[chosen], 1)
    return pd.DataFrame({SIZE: np.asarray(sizes)[chosen], RATIO: ratios, "line": line})


def curve_chart(
    rows: pd.DataFrame,
    colours: dict[str, int | None],
    *,
    most: int,
    others: dict[str, float],
) -> Layers:
    """Bytes per token against vocabulary size, each line named at its end.

    Args:
        rows: of ``curve_rows``.
        colours: each line's hue; None: grey.
        most: where the x axis ends.
        others: bytes per token in encodings to compare with, by name.
    """
    # A curve of few merges would be a dot at the end of an axis from 0.
    x, y = _size_axis(0 if most > WITH_BYTES else 256, most), _ratio_axis()
    paints = {line: _GREY[is_dark()] if hue is None else paint(hue) for line, hue in colours.items()}
    colour = alt.Color(
        "line:N", scale=alt.Scale(domain=list(paints), range=list(paints.values())), legend=None
    )
    tooltip = [alt.Tooltip("line:N", title="measured on"), *_POINT]
    base = alt.Chart(rows).encode(x=x, y=y, color=colour)
    layers = [
        base.mark_line(strokeWidth=2.5, interpolate="monotone"),
        base.mark_point(size=60, opacity=0).encode(tooltip=tooltip),
    ]
    # The upper name is above its curve's end, and the others below where the lowest curve is as their names
    # begin: a curve rises, so no name lies on one.
    begins = rows[rows[SIZE] <= (1 - _NAME) * rows[SIZE].max()]
    lowest = begins.groupby("line")[RATIO].max().min()
    ends = rows.groupby("line", sort=False).tail(1).sort_values(RATIO, ascending=False)
    for place, (_, end) in enumerate(ends.iterrows()):
        label = f"{end['line']}{APART}{end[RATIO]:.2f}"
        at = {"line": end["line"], SIZE: end[SIZE], RATIO: min(lowest, end[RATIO]) if place else end[RATIO]}
        named = alt.Chart(pd.DataFrame([{**at, "label": label}])).encode(x=x, y=y)
        style: dict[str, Any] = {"baseline": "top", "dy": larger(17 * (place - 1) + 6)}
        if not place:
            style = {"baseline": "bottom", "dy": -6}
        layers += _label(named, paints[str(end["line"])], align="right", fontWeight=600, **style)
    for place, name in enumerate(sorted(others, key=lambda other: -others[other])):
        ratio, colour_of = others[name], paint(hue_of(name))
        row = {RATIO: ratio, "label": f"{model_name(name)}{APART}{ratio:.2f}", "line": name}
        at_ratio = alt.Chart(pd.DataFrame([row])).encode(y=y)
        rule = at_ratio.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=colour_of)
        # Behind all names: drawn later, it would strike out a curve's name at its height.
        layers.insert(0, rule.encode(tooltip=tips({"label": ("encoding", "")})))
        # The upper rule has its name above it, and the others below, each further right: names never meet.
        style = {"baseline": "top", "dy": 5} if place else {"baseline": "bottom", "dy": -3}
        style["dx"] = larger(4 + _OTHER_NAME * max(0, place - 1))
        layers += _label(at_ratio.encode(x=alt.XValue(0)), colour_of, align="left", **style)
    return alt.layer(*layers, height=CURVE_HEIGHT)


def ratio_chart(rows: pd.DataFrame, hues: Mapping[str, int]) -> Layers:
    """A bar of bytes per token for each encoding: columns encoding and ``RATIO``."""
    rows = rows.assign(label=rows[RATIO].map("{:.2f}".format))
    tooltip = tips({"encoding": "", RATIO: ".3f"})
    return labelled_bars(rows, "encoding", RATIO, tooltip, encoding_colours(hues), _BARS_AXIS)


def comparison_chart(rows: pd.DataFrame) -> Layers:
    """A bar for each method: bytes per token on held-out text; pale, if not all of that can be restored.

    Args:
        rows: of ``comparison_table``, and columns label, and fill: of the bar, 0 to 1.
    """
    tooltip = tips(
        {
            "method": "",
            RATIO: ".3f",
            "vocabulary": ("tokens in the vocabulary", ",d"),
            "unknown": ("of the text, unknown", ".2%"),
            "lost": ("of the text, lost", ".2%"),
        }
    )
    fill = alt.FillOpacity("fill:Q", scale=None, legend=None)
    stroke = alt.StrokeValue(paint(0))
    return labelled_bars(
        rows, "method", RATIO, tooltip, paint(0), _BARS_AXIS, fillOpacity=fill, stroke=stroke
    )


def _size_axis(least: float, most: float) -> alt.X:
    axis = alt.Axis(format=",d", tickCount=6, tickMinStep=1, grid=False)
    return alt.X(f"{SIZE}:Q", scale=alt.Scale(domain=[least, most], nice=False), axis=axis)


def _ratio_axis() -> alt.Y:
    axis = alt.Axis(format=".1f", tickCount=5)
    return alt.Y(f"{RATIO}:Q", scale=alt.Scale(zero=False, nice=True), axis=axis)


def _label(named: alt.Chart, colour: str, **style: Any) -> list[alt.Chart]:
    """A label with a halo behind it, legible over a line."""
    labelled = named.encode(text=alt.Text("label:N"))
    style["fontSize"] = larger(12)
    halo: dict[str, Any] = {"stroke": _PAPER[is_dark()], "strokeWidth": 4, "strokeJoin": "round"}
    return [labelled.mark_text(**style, **halo), labelled.mark_text(**style, color=colour)]
