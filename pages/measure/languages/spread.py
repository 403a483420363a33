"""Two more charts of the page Languages: premiums by script, and in one encoding against another."""

from __future__ import annotations

import zlib
from typing import Any

import altair as alt
import pandas as pd

from pages.measure.languages.shown import Chart, Shown, log_axis, log_scale, picked
from pages.measure.languages.table import times
from pages.shared.charts import ink, title_of

SCRIPT_ROW = 19  # pixels


def scripts_chart(shown: Shown) -> Chart:
    """A row of dots for each script, with the median of its declarations: a person's own are not in it."""
    column = f"p{shown.lead}"
    table = shown.table.dropna(subset=[column])
    known = table[~table["own"]]
    medians = known.groupby("script")[column].median().sort_values(ascending=False)
    sizes = known["script"].value_counts()
    label = {script: f"{script}  {sizes[script]:,}" for script in medians.index}
    label |= {script: f"{script}, yours" for script in table["script"] if script not in label}
    table = table.assign(
        row=table["script"].map(label),
        lift=[zlib.crc32(code.encode("utf-8", "replace")) % 1000 / 1000 for code in table["code"]],
    )
    order = list(label.values())
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(labelLimit=190, labelOverlap=False, ticks=False, domain=False),
    )
    x = alt.X(
        f"{column}:Q",
        title=f"times the tokens of {shown.compared_with}",
        axis=log_axis(),
        scale=log_scale(table[column]),
    )
    base = alt.Chart(table)
    dots = (
        base.mark_circle(size=34, color=shown.colours[shown.lead], cursor="pointer")
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("lift:Q", scale=alt.Scale(domain=[0, 1])),
            opacity=shown.faint(0.6, 0.08),
            tooltip=shown.tooltips(),
        )
        .add_params(picked(shown))
    )
    middle = pd.DataFrame({"row": [label[script] for script in medians.index], "median": medians.to_numpy()})
    ticks = (
        alt.Chart(middle)
        .mark_tick(thickness=2.5, size=SCRIPT_ROW - 4, color=ink())
        .encode(
            x=alt.X("median:Q", scale=log_scale(table[column])),
            y=y,
            tooltip=[alt.Tooltip("row:N", title="script, languages"), alt.Tooltip("median:Q", format=".3f")],
        )
    )
    here = alt.Chart(table[table["code"] == shown.focus])
    ring = here.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1).encode(x=x, y=y)
    name = here.mark_text(align="right", dx=-13, fontSize=12, fontWeight=700, color=ink()).encode(
        x=x, y=y, text="short:N"
    )
    first, latin = medians.index[0], medians.get("Latin")
    title = f"{first} script costs {shown.names[shown.lead]} the most, {times(medians.iloc[0])} at the median"
    if latin is not None and first != "Latin":
        title += f"; Latin {times(float(latin))}"
    return alt.layer(dots, ticks, ring, name).properties(
        height=len(order) * SCRIPT_ROW, title=title_of(title, width=46)
    )


def scatter_chart(shown: Shown, across: int, up: int, *, brush: str) -> Chart:
    """Each language in one encoding against another; below the diagonal, the second is the cheaper.

    Args:
        shown: the page's figures.
        across: the number of the encoding on the x axis.
        up: of that on the y axis.
        brush: the name of the selection of an area.
    """
    table = shown.table.dropna(subset=[f"p{across}", f"p{up}"])
    both = pd.concat([table[f"p{across}"], table[f"p{up}"]])
    scale = log_scale(both)
    titles = [f"{shown.names[number]}, times {shown.compared_with}" for number in (across, up)]
    x = alt.X(f"p{across}:Q", title=titles[0], axis=log_axis(), scale=scale)
    y = alt.Y(f"p{up}:Q", title=titles[1], axis=log_axis(), scale=scale)
    area = alt.selection_interval(name=brush)
    better = (
        alt.when(f"datum.p{up} < datum.p{across}")
        .then(alt.value(shown.colours[up]))
        .otherwise(alt.value(shown.colours[across]))
    )
    dots = (
        alt.Chart(table)
        .mark_circle(size=48, cursor="pointer")
        .encode(x=x, y=y, color=better, opacity=shown.faint(0.65, 0.08), tooltip=shown.tooltips())
        .add_params(area, picked(shown))
    )
    ends = [float(both.min()), float(both.max())]
    diagonal = (
        alt.Chart(pd.DataFrame({"x": ends, "y": ends}))
        .mark_line(strokeDash=[4, 4], color=ink(soft=True), strokeWidth=1.2)
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))
    )
    layers: list[Any] = [diagonal, dots]
    marked = table[(table["code"] == shown.focus) | table["own"]]
    base = alt.Chart(marked).encode(x=x, y=y)
    layers.append(base.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1))
    layers.append(
        base.mark_text(align="right", dx=-13, fontSize=12, fontWeight=700, color=ink()).encode(text="short:N")
    )
    known = table[~table["own"]]
    lower = int((known[f"p{up}"] < known[f"p{across}"]).sum())
    title = (
        f"{lower:,} of {len(known):,} languages have a smaller premium in {shown.names[up]} than in "
        f"{shown.names[across]}: the dots below the line"
    )
    return alt.layer(*layers).properties(height=430, title=title_of(title, width=46))
