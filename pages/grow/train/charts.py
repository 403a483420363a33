"""The charts of the page Train. A person's text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.session.grown import sizes_to_draw
from pages.shared.charts import APART, ink, is_dark, larger, larger_pixels
from pages.shared.colours import hex_of

Chart = alt.LayerChart | alt.FacetChart | alt.Chart

CURVE_HEIGHT = 300
"""Pixels of a curve: the same while an encoding is learned and after, so that the page does not move."""

PAPER = ("#fcfcf9", "#121614")
"""The page's ground, light and dark, as .streamlit/config.toml has it."""

_NAME = 0.25
"""Of the width of a curve, what its name takes at its end."""

WITH_BYTES = 1024
"""A curve of more tokens than this is drawn beside the width that the 256 bytes take."""


def curve_rows(line: str, n_bytes: float, tokens: Sequence[float], first: int = 0) -> pd.DataFrame:
    """Points of a compression curve; ``tokens[i]`` is the count after ``first + i`` merges."""
    chosen = sizes_to_draw(len(tokens) - 1) if len(tokens) else np.zeros(0, dtype=np.int64)
    counts = np.asarray(tokens, dtype=np.float64)[chosen]
    return pd.DataFrame(
        {
            "tokens in the vocabulary": chosen + 256 + first,
            "bytes per token": n_bytes / np.maximum(counts, 1),
            "line": line,
        }
    )


def curve_chart(
    rows: pd.DataFrame,
    colours: dict[str, int | None],
    *,
    most: int,
    rules: dict[str, tuple[float, int]] | None = None,
    height: int = CURVE_HEIGHT,
    labels: bool = True,
) -> Chart:
    """Bytes per token against vocabulary size.

    Args:
        rows: of ``curve_rows``.
        colours: each line's hue; None: grey.
        most: where the x axis ends.
        rules: name: (bytes per token, hue), for encodings to compare with.
        height: in pixels.
        labels: whether each line is named at its end.
    """
    dark = is_dark()
    grey = "#9aa39d" if dark else "#737b76"
    # Behind words, so that they can be read over a line.
    halo: dict[str, Any] = {"stroke": PAPER[dark], "strokeWidth": 4, "strokeJoin": "round"}

    def paint(hue: int | None) -> str:
        return grey if hue is None else hex_of(hue, dark=dark)

    x = alt.X(
        "tokens in the vocabulary:Q",
        # On an axis that begins at 0, the curve of a few merges would be a dot at its end.
        scale=alt.Scale(domain=[0 if most > WITH_BYTES else 256, most], nice=False),
        axis=alt.Axis(format=",d", tickCount=6, tickMinStep=1, grid=False),
    )
    y = alt.Y(
        "bytes per token:Q", scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".1f", tickCount=5)
    )
    colour = alt.Color(
        "line:N",
        scale=alt.Scale(domain=list(colours), range=[paint(hue) for hue in colours.values()]),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("line:N", title="measured on"),
        alt.Tooltip("tokens in the vocabulary:Q", format=",d"),
        alt.Tooltip("bytes per token:Q", format=".3f"),
    ]
    base = alt.Chart(rows).encode(x=x, y=y, color=colour)
    layers: list[alt.Chart] = [
        base.mark_line(strokeWidth=2.5, interpolate="monotone"),
        base.mark_point(size=60, opacity=0).encode(tooltip=tooltip),
    ]
    if labels and not rows.empty:
        ends = rows.groupby("line", sort=False).tail(1)
        ends = ends.assign(
            label=[f"{row['line']}{APART}{row['bytes per token']:.2f}" for _, row in ends.iterrows()]
        )
        # The upper name is above its curve's end, and the others below where the lowest curve is as their
        # names begin: a curve rises, so no name lies on one.
        ends = ends.sort_values("bytes per token", ascending=False)
        begins = rows["tokens in the vocabulary"] <= (1 - _NAME) * rows["tokens in the vocabulary"].max()
        lowest = float(rows[begins].groupby("line")["bytes per token"].max().min())
        for place, (_, end) in enumerate(ends.iterrows()):
            where = end if place == 0 else end.copy()
            if place:
                where["bytes per token"] = min(lowest, float(end["bytes per token"]))
            at_end = alt.Chart(pd.DataFrame([where])).encode(x=x, y=y, text=alt.Text("label:N"))
            bold: dict[str, Any] = {
                "align": "right",
                "baseline": "top" if place else "bottom",
                "dy": alt.ExprRef(larger_pixels(6 + 17 * (place - 1))) if place else -6,
                "fontSize": larger(12),
                "fontWeight": 600,
            }
            layers += [at_end.mark_text(**bold, **halo), at_end.mark_text(**bold).encode(color=colour)]
    below = False  # the upper rule has its name above it, and the others below: two names never meet
    for name, (ratio, hue) in sorted((rules or {}).items(), key=lambda rule: -rule[1][0]):
        data = pd.DataFrame(
            {"bytes per token": [ratio], "label": [f"{name}{APART}{ratio:.2f}"], "line": [name]}
        )
        rule = alt.Chart(data).mark_rule(strokeDash=[5, 4], strokeWidth=1.5, color=paint(hue))
        # Behind all names: drawn later, it would strike out a curve's name that happens to be at its height.
        layers.insert(0, rule.encode(y=y, tooltip=[alt.Tooltip("label:N", title="encoding")]))
        label = alt.Chart(data).encode(y=y, x=alt.XValue(0), text=alt.Text("label:N"))
        style: dict[str, Any] = {"align": "left", "dx": 4, "fontSize": larger(12)}
        style |= {"baseline": "top", "dy": 5} if below else {"baseline": "bottom", "dy": -3}
        layers += [label.mark_text(**style, **halo), label.mark_text(**style, color=paint(hue))]
        below = True
    chart: Chart = alt.layer(*layers, height=height)
    return chart


def bar_chart(data: pd.DataFrame, what: str, unit: str, hue: int) -> Chart:
    """Shares as bars, each with its figures behind it.

    Args:
        data: columns ``what``, "share" (0 to 1), ``unit`` (exact) and "label".
        what: the column that names a bar.
        unit: the column of the exact amount, for the tooltip.
        hue: of the bars.
    """
    colour = hex_of(hue, dark=is_dark())
    x = alt.X(
        "share:Q",
        scale=alt.Scale(domain=[0, 1.8], nice=False),
        axis=None,  # each bar has its figures behind it
    )
    y = alt.Y(
        f"{what}:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelLimit=larger(140), labelOverlap=False, ticks=False, domain=False),
    )
    tooltip = [
        alt.Tooltip(f"{what}:N"),
        alt.Tooltip(f"{unit}:Q", format=",d"),
        alt.Tooltip("share:Q", format=".2%"),
    ]
    base = alt.Chart(data).encode(y=y, tooltip=tooltip)
    chart: Chart = alt.layer(
        base.mark_bar(color=colour, height={"band": 0.72}, cornerRadiusEnd=2).encode(x=x),
        base.mark_text(align="left", dx=5, color=ink(soft=True), fontSize=larger(12)).encode(
            x=x, text=alt.Text("label:N")
        ),
    ).properties(height=max(1, len(data)) * 24 + 40)
    return chart


def scripts_chart(data: pd.DataFrame, hue: int) -> Chart:
    """Two bars for each script: its share of the letters' bytes, and of the tokens learned.

    Args:
        data: columns script, of ("the text", "the tokens"), share, label.
        hue: of the tokens' bars; the text's are grey.
    """
    dark = is_dark()
    colours = ["#7b857f" if dark else "#a9b1ab", hex_of(hue, dark=dark)]
    n_scripts = data["script"].nunique()
    labels = alt.Axis(labelLimit=larger(150), labelOverlap=False, ticks=False)
    chart: Chart = (
        alt.Chart(data)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            y=alt.Y(
                "script:N",
                sort=None,
                title=None,
                axis=labels,
            ),
            yOffset=alt.YOffset("of:N", sort=None),
            x=alt.X("share:Q", title="share", axis=alt.Axis(format="%", grid=False, tickCount=6)),
            color=alt.Color(
                "of:N",
                title=None,
                scale=alt.Scale(domain=["bytes in the text", "tokens learned"], range=colours),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("script:N"),
                alt.Tooltip("of:N", title="share of"),
                alt.Tooltip("share:Q", format=".2%"),
                alt.Tooltip("amount:Q", format=",d"),
            ],
        )
        .properties(height=n_scripts * 36 + 150)
    )
    return chart


def comparison_chart(rows: pd.DataFrame) -> Chart:
    """A bar for each method: bytes per token on held-out text; pale, if not all of that comes back.

    Args:
        rows: columns method, "bytes per token", "unknown as bytes", tokens, unknown, lost, label, and fill:
            of the bar, 0 to 1.
    """
    dark = is_dark()
    y = alt.Y(
        "method:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelLimit=larger(170), labelOverlap=False, ticks=False, domain=False),
    )
    most = float(rows["bytes per token"].max())
    scale = alt.Scale(domain=[0, 1.5 * most], nice=False)  # room for the figure behind the longest bar
    x = alt.X("bytes per token:Q", scale=scale, axis=alt.Axis(format=".1f", tickCount=5, grid=False))
    tooltip = [
        alt.Tooltip("method:N"),
        alt.Tooltip("bytes per token:Q", format=".3f"),
        alt.Tooltip("unknown as bytes:Q", format=".3f", title="if what is unknown were bytes"),
        alt.Tooltip("tokens:Q", format=",d", title="tokens in the vocabulary"),
        alt.Tooltip("unknown:Q", format=".2%", title="of the text, unknown"),
        alt.Tooltip("lost:Q", format=".2%", title="of the text, does not come back"),
    ]
    hue = hex_of(0, dark=dark)
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    bars = base.mark_bar(height={"band": 0.7}, cornerRadiusEnd=2, color=hue, stroke=hue).encode(
        x=x,
        fillOpacity=alt.FillOpacity("fill:Q", scale=None, legend=None),
    )
    labels = base.mark_text(align="left", dx=6, color=ink(), fontSize=larger(12)).encode(
        x=x, text=alt.Text("label:N")
    )
    layers: list[alt.Chart] = [bars, labels]
    losing = rows[rows["unknown"] > 0]
    if not losing.empty:
        layers.append(
            alt.Chart(losing)
            .mark_tick(color=ink(), thickness=2.5, height={"band": 0.7})
            .encode(y=y, x=alt.X("unknown as bytes:Q", scale=scale, title="bytes per token"), tooltip=tooltip)
        )
    chart: Chart = alt.layer(*layers).properties(height=len(rows) * 38 + 50)
    return chart


def sizes_chart(points: pd.DataFrame) -> Chart:
    """Bytes per token against vocabulary size: a line or a point for each method.

    Args:
        points: columns method, "tokens in the vocabulary", "bytes per token", "drawn as": line or point.
    """
    dark = is_dark()
    methods = list(dict.fromkeys(points["method"]))
    x = alt.X(
        "tokens in the vocabulary:Q",
        scale=alt.Scale(domain=[0, 1.05 * int(points["tokens in the vocabulary"].max())], nice=False),
        axis=alt.Axis(format=",d", tickCount=6, tickMinStep=1, grid=False),
    )
    y = alt.Y(
        "bytes per token:Q", scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".1f", tickCount=5)
    )
    # One legend for colours and shapes.
    legend = alt.Legend(orient="top", columns=2, labelLimit=larger(200), labelFontSize=larger(12))
    colour = alt.Color(
        "method:N",
        title=None,
        scale=alt.Scale(domain=methods, range=[hex_of(hue, dark=dark) for hue in range(len(methods))]),
        legend=legend,
    )
    tooltip = [
        alt.Tooltip("method:N"),
        alt.Tooltip("tokens in the vocabulary:Q", format=",d"),
        alt.Tooltip("bytes per token:Q", format=".3f"),
    ]
    ends = points.groupby("method", sort=False).tail(1)
    base = alt.Chart(points[points["drawn as"] == "line"]).encode(x=x, y=y, color=colour)
    last = alt.Chart(ends).encode(x=x, y=y, color=colour, tooltip=tooltip)
    chart: Chart = alt.layer(
        base.mark_line(strokeWidth=2.5, interpolate="monotone"),
        base.mark_point(size=60, opacity=0).encode(tooltip=tooltip),
        last.mark_point(size=90, filled=True, opacity=1).encode(
            shape=alt.Shape(
                "method:N", title=None, scale=alt.Scale(domain=methods, range=_SHAPES), legend=legend
            )
        ),
    ).properties(height=CURVE_HEIGHT + 40)
    return chart


_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def ratio_chart(rows: pd.DataFrame, hues: Sequence[int]) -> Chart:
    """A bar of bytes per token for each encoding.

    Args:
        rows: columns encoding, "bytes per token".
        hues: of each.
    """
    names = rows["encoding"].tolist()
    colours = [hex_of(hue, dark=is_dark()) for hue in hues]
    x = alt.X(
        "bytes per token:Q",
        scale=alt.Scale(domain=[0, 1.25 * float(rows["bytes per token"].max())], nice=False),
        axis=alt.Axis(format=".1f", tickCount=5, grid=False),
    )
    y = alt.Y(
        "encoding:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelLimit=larger(170), labelOverlap=False, ticks=False, domain=False),
    )
    base = alt.Chart(rows).encode(
        x=x, y=y, tooltip=[alt.Tooltip("encoding:N"), alt.Tooltip("bytes per token:Q", format=".3f")]
    )
    chart: Chart = alt.layer(
        base.mark_bar(height={"band": 0.7}, cornerRadiusEnd=2).encode(
            color=alt.Color("encoding:N", scale=alt.Scale(domain=names, range=colours), legend=None)
        ),
        base.mark_text(align="left", dx=6, color=ink(), fontSize=larger(12)).encode(
            text=alt.Text("bytes per token:Q", format=".2f")
        ),
    ).properties(height=len(rows) * 42 + 60)
    return chart
