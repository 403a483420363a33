"""The four charts of the page Languages: titles say what there is to see."""

from __future__ import annotations

import json
import zlib
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.measure.languages.chart_data import MARKS, ChartData, log_axis, log_scale, picked
from pages.measure.languages.table import CLASSES, class_of, times
from pages.measure.languages.world import land
from pages.session.derived import derived
from pages.shared.charts import Title, TitledChart, cached_chart, ink, is_dark, larger

_LIGHT_SCALE = ("#ffffd4", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#8c2d04")
_DARK_SCALE = ("#5f3a1c", "#86490f", "#b0610c", "#d98419", "#f2ab3c", "#fdd27a", "#fff6d0")
# YlOrBr of ColorBrewer (Brewer 2013), which colour-blind people can read; on dark ground, from dark to light.

ROW = 20  # pixels of a language's bar
SCRIPT_ROW = 19  # pixels of a script
_FIGURES = 52  # pixels between a language's name and its bar, for its figure
_LEGEND, _LEGEND_ROW = 30, 22  # pixels below the bars: a title, and a row of two marks' names
DESCRIPTION = alt.Description("description:N")
"""What a mark says of itself: ``ChartData.described``."""
_AROUND = 80  # pixels for the axis, which on the page is part of a chart's height


def _land_colour() -> tuple[str, str]:
    return ("#242b27", "#39433d") if is_dark() else ("#e9ece6", "#cfd5cd")


# Bars


def choose_rows(data: ChartData, view: str, page: int, rows: int) -> tuple[pd.DataFrame, int]:
    """The languages whose bars are drawn, in order, and how many pages there are.

    The language that is looked at is always among them, and so are a person's own texts.

    Args:
        data: the page's figures.
        view: "around" the language that is looked at, or "highest" or "lowest" first.
        page: from 0, except for "around".
        rows: to draw, of those that were searched for.
    """
    return _choose_rows(data.table, data.lead, data.focus, view, page, rows)


@derived
def _choose_rows(
    table: pd.DataFrame, lead: int, focus: str, view: str, page: int, rows: int
) -> tuple[pd.DataFrame, int]:
    column = f"p{lead}"
    value = float(table.loc[table["code"] == focus, column].iloc[0])
    table = table.dropna(subset=[column])
    ordered = table.sort_values(column, ascending=view == "lowest", kind="stable")
    matches = ordered[ordered["found"]]
    pages = max(1, -(-len(matches) // rows))
    if view == "around":
        before = int((matches[column] > value).sum())
        start = max(0, min(before - rows // 2, len(matches) - rows))
        pages = 1
    else:
        start = min(max(0, page), pages - 1) * rows
    codes = set(matches["code"].iloc[start : start + rows]) | {focus}
    codes |= set(table.loc[table["own"], "code"])
    return ordered[ordered["code"].isin(codes)], pages


@cached_chart
def bars_chart(data: ChartData, rows: pd.DataFrame) -> TitledChart:
    """A bar for each language, and a mark for each other encoding."""
    dark, lead = is_dark(), data.lead
    yours = [" (yours)" if own else "" for own in rows["own"]]
    columns = [f"p{number}" for number in range(len(data.names))]
    rows = rows.assign(
        label=[name + mine for name, mine in zip(rows["name"], yours, strict=True)],
        times=[times(value) for value in rows[f"p{lead}"]],
        strong=[code == data.focus or own for code, own in zip(rows["code"], rows["own"], strict=True)],
    )
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        axis=alt.Axis(
            labelLimit=larger(190),
            labelPadding=_FIGURES,
            labelOverlap=False,
            labelFlush=False,
            ticks=False,
            domain=False,
            labelFontWeight=_bold(rows, data),
        ),
    )
    spread = rows.dropna(subset=["low"]) if "low" in rows else rows.iloc[:0]
    columns += ["high"] if len(spread) else []
    end = float(np.nanmax(rows[columns].to_numpy())) if len(rows) else 1.0
    scale = alt.Scale(domain=[0, max(1.0, end) * 1.13], nice=False)
    axis = alt.Axis(tickCount=6, labelExpr="datum.label + '×'", orient="top", domain=False)
    x = alt.X(f"p{lead}:Q", scale=scale, title=f"times the tokens of {data.compared_with}", axis=axis)
    base = alt.Chart(rows).encode(y=y, tooltip=data.tooltips())
    layers: list[Any] = [
        base.mark_bar(color=data.colours[lead], height={"band": 0.7}, cornerRadiusEnd=2, cursor="pointer")
        .encode(x=x, opacity=alt.OpacityValue(0.5, condition={"test": "datum.strong", "value": 1}))
        .add_params(picked(data)),
        # Before the bar: behind it, the figure would be at another encoding's mark.
        base.mark_text(align="right", dx=-6, fontSize=larger(12), fontWeight=600, color=ink()).encode(
            x=alt.XValue(0), text=alt.Text("times:N")
        ),
    ]
    if len(spread):  # of the translations that share a bar, from the least to the greatest
        tips = [
            alt.Tooltip("name:N", title="language"),
            alt.Tooltip("low:Q", title=f"{data.names[lead]}, least", format=".3f"),
            alt.Tooltip(f"p{lead}:Q", title="median", format=".3f"),
            alt.Tooltip("high:Q", title="greatest", format=".3f"),
        ]
        between = alt.Chart(spread).encode(
            y=y, x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), tooltip=tips
        )
        layers.append(between.mark_rule(strokeWidth=3, color=ink()))
    others = [number for number in range(len(data.names)) if number != lead]
    if others:
        names = [data.names[number] for number in others]
        long = pd.concat(
            [rows.assign(mark=data.names[number], premium=rows[f"p{number}"]) for number in others]
        )
        legend = alt.Legend(
            title=f"Bar: {data.names[lead]}. Marks:",
            orient="bottom",
            columns=2,
            labelLimit=larger(170),
            titleLimit=larger(400),
            symbolOpacity=1,
            symbolSize=110,
            symbolStrokeWidth=0,
        )
        marks = alt.Chart(long).mark_point(
            filled=True, size=64, opacity=1, stroke="#121614" if dark else "#ffffff", strokeWidth=1
        )
        layers.append(
            marks.encode(
                y=y,
                x=alt.X("premium:Q", scale=scale),
                shape=alt.Shape(
                    "mark:N",
                    scale=alt.Scale(domain=names, range=[MARKS[number % len(MARKS)] for number in others]),
                    legend=legend,
                ),
                color=alt.Color(
                    "mark:N",
                    scale=alt.Scale(domain=names, range=[data.colours[number] for number in others]),
                    legend=legend,
                ),
                tooltip=data.tooltips(),
            )
        )
    one = alt.Chart(pd.DataFrame({"x": [1.0]}))
    layers.append(one.mark_rule(color=ink(soft=True), strokeDash=[3, 3]).encode(x=alt.X("x:Q", scale=scale)))
    focused = data.focused
    claim = f"{focused['name']} costs {data.names[lead]} {times(focused[f'p{lead}'])}"
    highest = data.table[~data.table["own"]].sort_values(f"p{lead}").iloc[-1]
    if highest["code"] == data.focus:
        title = f"Nothing costs {data.names[lead]} more than {focused['name']}: {times(highest[f'p{lead}'])}"
    elif focused["own"]:  # it is compared with another text than the rest
        title = f"{claim} {data.own_base}"
    else:
        title = f"{claim} {data.base}; the most, {highest['name']}, {times(highest[f'p{lead}'])}"
    height = _AROUND + len(rows) * ROW + (_LEGEND + _LEGEND_ROW * -(-len(others) // 2) if others else 0)
    return TitledChart(alt.layer(*layers, height=height), Title(title + data.warning(lead)))


def _bold(rows: pd.DataFrame, data: ChartData) -> Any:
    """A bold label for the language that is looked at."""
    labels = rows.loc[rows["code"] == data.focus, "label"].tolist()
    label = json.dumps(labels[0] if labels else "")
    return alt.condition(f"datum.value === {label}", alt.value("bold"), alt.value("normal"))


# Map


@cached_chart
def map_chart(data: ChartData) -> TitledChart:
    """The languages where they are spoken, coloured by their premium.

    Raises:
        OSError, ValueError: the map's file is missing or damaged.
    """
    column = f"p{data.lead}"
    dark = is_dark()
    table = data.table.dropna(subset=["latitude", column]).sort_values(column)
    table = data.described(table, data.lead).assign(premium=[class_of(value) for value in table[column]])
    labels = [label for _, label in CLASSES]
    fill, line = _land_colour()
    where: dict[str, Any] = {
        "longitude": alt.Longitude("longitude:Q"),
        "latitude": alt.Latitude("latitude:Q"),
    }
    colour = alt.Color(
        "premium:O",
        scale=alt.Scale(domain=labels, range=list(_DARK_SCALE if dark else _LIGHT_SCALE)),
        legend=alt.Legend(
            title=f"times the tokens of {data.base}",
            orient="bottom",
            columns=4,
            symbolOpacity=1,
            symbolStrokeWidth=0.6,
            symbolSize=130,
            titleLimit=larger(400),
        ),
    )
    dots = (
        alt.Chart(table)
        .mark_circle(
            size=58, stroke="#0b0d0c" if dark else "#5b4636", strokeWidth=0.6, cursor="pointer", opacity=1
        )
        .encode(
            **where,
            color=colour,
            opacity=data.faint(1, 0.1),
            tooltip=data.tooltips(),
            description=DESCRIPTION,
        )
        .add_params(picked(data))
    )
    layers: list[Any] = [alt.Chart(land()).mark_geoshape(fill=fill, stroke=line, strokeWidth=0.5), dots]
    here = table[table["code"] == data.focus]
    if len(here):
        base = alt.Chart(here).encode(**where)
        layers.append(base.mark_point(size=330, strokeWidth=2.5, color=ink(), opacity=1))
        label: dict[str, Any] = {"fontSize": larger(13), "fontWeight": 700, "dy": -18}
        layers.append(
            base.mark_text(**label, stroke=fill, strokeWidth=4, color=fill).encode(text=alt.Text("short:N"))
        )
        layers.append(base.mark_text(**label, color=ink()).encode(text=alt.Text("short:N")))
    known = data.table[~data.table["own"]][column].dropna()
    double = int((known >= 2).sum())
    title = (
        f"{double:,} of {len(known):,} translations cost {data.names[data.lead]} twice {data.base} or more"
    )
    chart = alt.layer(*layers, projection=alt.Projection(type="equalEarth"), height=360)
    return TitledChart(chart, Title(title + data.warning(data.lead)))


# Scripts


@cached_chart
def scripts_chart(data: ChartData) -> TitledChart:
    """A row of dots for each script, with the median of its declarations: a person's own are not in it."""
    column = f"p{data.lead}"
    table = data.table.dropna(subset=[column])
    known = table[~table["own"]]
    medians = known.groupby("script")[column].median().sort_values(ascending=False)
    sizes = known["script"].value_counts()
    label = {script: f"{script}  {sizes[script]:,}" for script in medians.index}
    label |= {script: f"{script}, yours" for script in table["script"] if script not in label}
    table = data.described(table, data.lead).assign(
        row=table["script"].map(label),
        lift=[zlib.crc32(code.encode("utf-8", "replace")) % 1000 / 1000 for code in table["code"]],
    )
    order = list(label.values())
    y = alt.Y(
        "row:N",
        sort=order,
        title=None,
        axis=alt.Axis(
            labelLimit=larger(190), labelOverlap=False, labelFlush=False, ticks=False, domain=False
        ),
    )
    x = alt.X(
        f"{column}:Q",
        title=[f"times the tokens of {data.compared_with};", "a line is the median of its script"],
        axis=log_axis(),
        scale=log_scale(table[column]),
    )
    base = alt.Chart(table)
    dots = (
        base.mark_circle(size=34, color=data.colours[data.lead], cursor="pointer")
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("lift:Q", scale=alt.Scale(domain=[0, 1])),
            opacity=data.faint(0.6, 0.08),
            tooltip=data.tooltips(),
            description=DESCRIPTION,
        )
        .add_params(picked(data))
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
    here = alt.Chart(table[table["code"] == data.focus])
    ring = here.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1).encode(x=x, y=y)
    name = here.mark_text(align="right", dx=-13, fontSize=larger(12), fontWeight=700, color=ink()).encode(
        x=x, y=y, text=alt.Text("short:N")
    )
    first, latin = medians.index[0], medians.get("Latin")
    title = f"{first} script costs {data.names[data.lead]} the most, {times(medians.iloc[0])} at the median"
    if latin is not None and first != "Latin":
        title += f"; Latin {times(float(latin))}"
    chart = alt.layer(dots, ticks, ring, name, height=_AROUND + len(order) * SCRIPT_ROW)
    return TitledChart(chart, Title(title + data.warning(data.lead)))


# One encoding against another


@cached_chart
def scatter_chart(data: ChartData, across: int, up: int, *, brush: str) -> TitledChart:
    """Each language in one encoding against another; below the diagonal, the second is the cheaper.

    Args:
        data: the page's figures.
        across: the number of the encoding on the x axis.
        up: of that on the y axis.
        brush: the name of the selection of an area.
    """
    table = data.described(data.table.dropna(subset=[f"p{across}", f"p{up}"]), across, up)
    both = pd.concat([table[f"p{across}"], table[f"p{up}"]])
    scale = log_scale(both)
    titles = [f"{data.names[number]}, times {data.compared_with}" for number in (across, up)]
    x = alt.X(f"p{across}:Q", title=titles[0], axis=log_axis(), scale=scale)
    y = alt.Y(f"p{up}:Q", title=titles[1], axis=log_axis(), scale=scale)
    area = alt.selection_interval(name=brush)
    lower_up = {"test": f"datum.p{up} < datum.p{across}", "value": data.colours[up]}
    better = alt.ColorValue(data.colours[across], condition=lower_up)
    dots = (
        alt.Chart(table)
        .mark_circle(size=48, cursor="pointer")
        .encode(
            x=x,
            y=y,
            color=better,
            opacity=data.faint(0.65, 0.08),
            tooltip=data.tooltips(),
            description=DESCRIPTION,
        )
        .add_params(area, picked(data))
    )
    ends = [float(both.min()), float(both.max())]
    diagonal = (
        alt.Chart(pd.DataFrame({"x": ends, "y": ends}))
        .mark_line(strokeDash=[4, 4], color=ink(soft=True), strokeWidth=1.2)
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))
    )
    layers: list[Any] = [diagonal, dots]
    marked = table[(table["code"] == data.focus) | table["own"]]
    base = alt.Chart(marked).encode(x=x, y=y)
    layers.append(base.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1))
    layers.append(
        base.mark_text(align="right", dx=-13, fontSize=larger(12), fontWeight=700, color=ink()).encode(
            text=alt.Text("short:N")
        )
    )
    known = table[~table["own"]]
    lower = int((known[f"p{up}"] < known[f"p{across}"]).sum())
    title = (
        f"{lower:,} of {len(known):,} translations have a smaller premium in {data.names[up]} than in "
        f"{data.names[across]}: the dots below the line"
    )
    return TitledChart(alt.layer(*layers, height=390), Title(title + data.warning(across, up)))
