"""Two charts of the page Languages, the bars and the map: titles say what there is to see."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.measure.languages.shown import MARKS, Chart, Shown, picked
from pages.measure.languages.table import CLASSES, class_of, times
from pages.measure.languages.world import land
from pages.shared.charts import ink, is_dark, title_of

_LIGHT_SCALE = ("#ffffd4", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#8c2d04")
_DARK_SCALE = ("#5f3a1c", "#86490f", "#b0610c", "#d98419", "#f2ab3c", "#fdd27a", "#fff6d0")
# YlOrBr of ColorBrewer (Brewer 2013), which colour-blind people can read; on dark ground, from dark to light.

ROW = 21  # pixels of a language's bar


def _land_colour() -> tuple[str, str]:
    return ("#242b27", "#39433d") if is_dark() else ("#e9ece6", "#cfd5cd")


# Bars


def choose_rows(shown: Shown, view: str, page: int, rows: int) -> tuple[pd.DataFrame, int]:
    """The languages whose bars are drawn, in order, and how many pages there are.

    The language that is looked at is always among them, and so are a person's own texts.

    Args:
        shown: the page's figures.
        view: "around" the language that is looked at, or "highest" or "lowest" first.
        page: from 0, except for "around".
        rows: to draw, of those that were searched for.
    """
    column = f"p{shown.lead}"
    table = shown.table.dropna(subset=[column])
    ordered = table.sort_values(column, ascending=view == "lowest", kind="stable")
    found = ordered[ordered["found"]]
    pages = max(1, -(-len(found) // rows))
    if view == "around":
        value = float(shown.focused[column])
        before = int((found[column] > value).sum())
        start = max(0, min(before - rows // 2, len(found) - rows))
        pages = 1
    else:
        start = min(max(0, page), pages - 1) * rows
    codes = set(found["code"].iloc[start : start + rows]) | {shown.focus}
    codes |= set(table.loc[table["own"], "code"])
    return ordered[ordered["code"].isin(codes)], pages


def bars_chart(shown: Shown, rows: pd.DataFrame) -> Chart:
    """A bar for each language, and a mark for each other encoding."""
    dark, lead = is_dark(), shown.lead
    yours = [" (yours)" if own else "" for own in rows["own"]]
    columns = [f"p{number}" for number in range(len(shown.names))]
    rows = rows.assign(
        label=[name + mine for name, mine in zip(rows["name"], yours, strict=True)],
        far=rows[columns].max(axis=1),
        said=[times(value) for value in rows[f"p{lead}"]],
        strong=[code == shown.focus or own for code, own in zip(rows["code"], rows["own"], strict=True)],
    )
    y = alt.Y(
        "label:N",
        sort=None,
        title=None,
        axis=alt.Axis(
            labelLimit=190,
            labelOverlap=False,
            labelFlush=False,
            ticks=False,
            domain=False,
            labelFontWeight=_bold(rows, shown),
        ),
    )
    end = float(np.nanmax(rows[columns].to_numpy())) if len(rows) else 1.0
    scale = alt.Scale(domain=[0, max(1.0, end) * 1.13], nice=False)
    axis = alt.Axis(tickCount=6, labelExpr="datum.label + '×'", orient="top", domain=False)
    x = alt.X(f"p{lead}:Q", scale=scale, title=f"times the tokens of {shown.compared_with}", axis=axis)
    base = alt.Chart(rows).encode(y=y, tooltip=shown.tooltips())
    layers: list[Any] = [
        base.mark_bar(color=shown.colours[lead], height={"band": 0.7}, cornerRadiusEnd=2, cursor="pointer")
        .encode(x=x, opacity=alt.condition("datum.strong", alt.value(1), alt.value(0.5)))
        .add_params(picked(shown)),
        base.mark_text(align="left", dx=9, fontSize=12, fontWeight=600, color=ink()).encode(
            x=alt.X("far:Q", scale=scale), text="said:N"
        ),
    ]
    others = [number for number in range(len(shown.names)) if number != lead]
    for number in others:
        layers.append(
            base.mark_point(
                filled=True,
                size=64,
                opacity=1,
                shape=MARKS[number % len(MARKS)][0],
                color=shown.colours[number],
                stroke="#121614" if dark else "#ffffff",
                strokeWidth=1,
            ).encode(x=alt.X(f"p{number}:Q", scale=scale))
        )
    one = alt.Chart(pd.DataFrame({"x": [1.0]}))
    layers.append(one.mark_rule(color=ink(soft=True), strokeDash=[3, 3]).encode(x=alt.X("x:Q", scale=scale)))
    focused = shown.focused
    said = f"{focused['name']} costs {shown.names[lead]} {times(focused[f'p{lead}'])}"
    highest = shown.table[~shown.table["own"]].sort_values(f"p{lead}").iloc[-1]
    if highest["code"] == shown.focus:
        title = f"Nothing costs {shown.names[lead]} more than {focused['name']}: {times(highest[f'p{lead}'])}"
    elif focused["own"]:  # it is compared with another text than the rest
        title = f"{said} {shown.own_base}"
    else:
        title = f"{said} {shown.base}; the most, {highest['name']}, {times(highest[f'p{lead}'])}"
    height = max(3, len(rows)) * ROW
    return alt.layer(*layers).properties(height=height, title=title_of(title, width=46))


def _bold(rows: pd.DataFrame, shown: Shown) -> Any:
    """A bold label for the language that is looked at."""
    labels = rows.loc[rows["code"] == shown.focus, "label"].tolist()
    label = json.dumps(labels[0] if labels else "")
    return alt.condition(f"datum.value === {label}", alt.value("bold"), alt.value("normal"))


# Map


def map_chart(shown: Shown) -> Chart:
    """The languages where they are spoken, coloured by their premium.

    Raises:
        OSError, ValueError: the map's file is missing or damaged.
    """
    column = f"p{shown.lead}"
    dark = is_dark()
    table = shown.table.dropna(subset=["latitude", column]).sort_values(column)
    table = table.assign(premium=[class_of(value) for value in table[column]])
    labels = [label for _, label in CLASSES]
    fill, line = _land_colour()
    where = {"longitude": "longitude:Q", "latitude": "latitude:Q"}
    colour = alt.Color(
        "premium:O",
        scale=alt.Scale(domain=labels, range=list(_DARK_SCALE if dark else _LIGHT_SCALE)),
        legend=alt.Legend(
            title=f"times the tokens of {shown.base}",
            orient="bottom",
            columns=4,
            symbolOpacity=1,
            symbolStrokeWidth=0.6,
            symbolSize=130,
        ),
    )
    dots = (
        alt.Chart(table)
        .mark_circle(
            size=58, stroke="#0b0d0c" if dark else "#5b4636", strokeWidth=0.6, cursor="pointer", opacity=1
        )
        .encode(**where, color=colour, opacity=shown.faint(1, 0.1), tooltip=shown.tooltips())
        .add_params(picked(shown))
    )
    layers: list[Any] = [alt.Chart(land()).mark_geoshape(fill=fill, stroke=line, strokeWidth=0.5), dots]
    here = table[table["code"] == shown.focus]
    if len(here):
        base = alt.Chart(here).encode(**where)
        layers.append(base.mark_point(size=330, strokeWidth=2.5, color=ink(), opacity=1))
        label: dict[str, Any] = {"fontSize": 13, "fontWeight": 700, "dy": -18}
        layers.append(base.mark_text(**label, stroke=fill, strokeWidth=4, color=fill).encode(text="short:N"))
        layers.append(base.mark_text(**label, color=ink()).encode(text="short:N"))
    known = shown.table[~shown.table["own"]][column].dropna()
    double = int((known >= 2).sum())
    title = (
        f"{double:,} of {len(known):,} languages cost {shown.names[shown.lead]} twice {shown.base} or more"
    )
    return alt.layer(*layers).project("equalEarth").properties(height=400, title=title_of(title, width=46))
