"""The four charts of the page Languages. A click on a language sends its code."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.measure.languages.measurements import shorten, times
from pages.shared.charts import TitledChart, cached_chart, clickable, ink, is_dark, larger, named_rows, tips
from pages.shared.warnings import lose
from tokenizers.encoding import ASSETS
from tokenizers.registry import model_name, short_title
from tokenizers.shipped import reading

LAND_FILE = ASSETS / "map" / "land-110m.json"

CLASSES: tuple[tuple[float, str], ...] = (
    (1.0, "less than 1×"),
    (1.5, "1–1.5×"),
    (2.0, "1.5–2×"),
    (3.0, "2–3×"),
    (5.0, "3–5×"),
    (8.0, "5–8×"),
    (np.inf, "8× and more"),
)
"""The map's classes of premiums: each up to, not including, a bound."""

# YlOrBr of ColorBrewer (Brewer 2013), which colour-blind people can read; in dark mode, from dark to light.
_LIGHT_SCALE = ("#ffffd4", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#8c2d04")
_DARK_SCALE = ("#5f3a1c", "#86490f", "#b0610c", "#d98419", "#f2ab3c", "#fdd27a", "#fff6d0")

_MARKS = ("diamond", "triangle-up", "square", "cross", "triangle-down", "circle")
_ROW, _SCRIPT_ROW = 20, 19  # pixels of a language's bar, and of a script
_VALUES = 52  # pixels between a language's name and its bar, for its premium
_LEGEND, _LEGEND_ROW = 30, 22  # pixels below the bars: a title, and a row of two marks' names
_AROUND = 80  # pixels for the axis, which on the page is part of a chart's height


@dataclass(frozen=True)
class ChartData:
    """The data that all charts of the page share.

    Attributes:
        table: of ``make_table``, with a column found: whether a search found the language.
        names: the encodings, in the order of the table's columns.
        colours: the colours of the encodings.
        lead: the number of the encoding that the bars, the map and the scripts show.
        focus: the code of the selected language.
        base: the name of the language that the declarations are compared with.
        own_base: the name of the text that a person's own are compared with; empty: there are none.
        lossy: the encodings that lose a part of some texts: what is lost costs no token.
    """

    table: pd.DataFrame
    names: Sequence[str]
    colours: Sequence[str]
    lead: int
    focus: str
    base: str
    own_base: str = ""
    lossy: Sequence[str] = ()

    @property
    def compared_with(self) -> str:
        """What the premiums are multiples of: the session's own texts have a base of their own.

        >>> ChartData(pd.DataFrame(), [], [], 0, "mya", "English", own_base="mine").compared_with
        'English (yours: mine)'
        """
        return self.base + (f" (yours: {shorten(self.own_base)})" if self.own_base else "")

    def warning(self, *numbers: int) -> str:
        """The end of a title: which of these encodings lose text.

        >>> data = ChartData(pd.DataFrame(), ["gpt2", "words"], [], 0, "mya", "English", lossy=["words"])
        >>> data.warning(0), data.warning(0, 1)
        ('', ' (words loses text)')
        """
        losers = [name for name in dict.fromkeys(self.names[n] for n in numbers) if name in self.lossy]
        return f" ({lose(losers)} text)" if losers else ""

    def model(self, number: int) -> str:
        """An encoding as sentences call it."""
        return model_name(self.names[number])

    def tooltips(self) -> list[alt.Tooltip]:
        """The exact values of a language."""
        columns: dict[str, str | tuple[str, str]] = {"name": ("language", ""), "script": ""}
        for number in range(len(self.names)):
            columns[f"p{number}"] = f"{self.model(number)}, times {self.compared_with}", ".3f"
            columns[f"t{number}"] = f"{self.model(number)}, tokens", ",d"
        return tips(columns)

    def dots(
        self, table: pd.DataFrame, numbers: Sequence[int], strong: float, weak: float, **mark: Any
    ) -> alt.Chart:
        """A dot for each language, with a tooltip: weak if a search did not find it.

        Each has a short description for screen readers. Otherwise Vega makes one of the whole tooltip, for
        hundreds of dots at each drawing.

        Args:
            table: a row for each language.
            numbers: of the encodings that the chart is about.
            strong, weak: opacities.
            mark: further properties of the dots.
        """
        descriptions = "language: " + table["name"].astype(str)
        for number in numbers:
            descriptions += f"; {self.model(number)}: " + table[f"p{number}"].map(times)
        opacity = alt.OpacityValue(weak, condition={"test": "datum.found", "value": strong})
        dots = (
            alt.Chart(table.assign(description=descriptions))
            .mark_circle(cursor="pointer", **mark)
            .encode(opacity=opacity, tooltip=self.tooltips(), description=alt.Description("description:N"))
        )
        return clickable(dots, "code")


def _named_rings(base: alt.Chart) -> list[alt.Chart]:
    """Rings around dots, each with a name at its left."""
    ring = base.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1)
    label = base.mark_text(align="right", dx=-13, fontSize=larger(12), fontWeight=700, color=ink())
    return [ring, label.encode(text=alt.Text("short:N"))]


def _log_scale(values: pd.Series) -> alt.Scale:
    """A logarithmic scale for premiums."""
    low, high = float(values.min()), float(values.max())
    return alt.Scale(type="log", base=2, domain=[low * 0.93, high * 1.07], nice=False)


def _log_axis() -> alt.Axis:
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
    return alt.Axis(values=ticks, labelExpr="datum.label + '×'", format="~g")


@cached_chart
def bars_chart(data: ChartData, rows: pd.DataFrame) -> TitledChart:
    """A bar for each language, and a mark for each other encoding.

    Args:
        data: the data of all charts.
        rows: the result of ``choose_rows``.
    """
    lead, column = data.lead, f"p{data.lead}"
    rows = rows.assign(
        label=rows["name"] + rows["own"].map({True: " (yours)", False: ""}),
        times=rows[column].map(times),
        strong=(rows["code"] == data.focus) | rows["own"],
    )
    end = float(np.nanmax(rows[[f"p{number}" for number in range(len(data.names))]].to_numpy()))
    scale = alt.Scale(domain=[0, max(1.0, end) * 1.13], nice=False)
    (focused,) = rows.loc[rows["code"] == data.focus, "label"]
    bold = alt.condition(f"datum.value === {json.dumps(focused)}", alt.value("bold"), alt.value("normal"))
    y = named_rows("label", labelPadding=_VALUES, labelFontWeight=bold)
    x_axis = alt.Axis(tickCount=6, labelExpr="datum.label + '×'", orient="top", domain=False)
    x = alt.X(f"{column}:Q", scale=scale, title=f"times the tokens of {data.compared_with}", axis=x_axis)
    base = alt.Chart(rows).encode(y=y, tooltip=data.tooltips())
    strength = alt.OpacityValue(0.5, condition={"test": "datum.strong", "value": 1})
    bars = base.mark_bar(
        color=data.colours[lead], height={"band": 0.7}, cornerRadiusEnd=2, cursor="pointer"
    ).encode(x=x, opacity=strength)
    # Before the bar, because marks of other encodings are behind it.
    premiums = base.mark_text(align="right", dx=-6, fontSize=larger(12), fontWeight=600, color=ink())
    layers: list[Any] = [
        clickable(bars, "code"),
        premiums.encode(x=alt.XValue(0), text=alt.Text("times:N")),
    ]
    others = [number for number in range(len(data.names)) if number != lead]
    if others:
        layers.append(_marks(data, rows, others, scale).encode(y=y, tooltip=data.tooltips()))
    one = alt.Chart(pd.DataFrame({"x": [1.0]}))
    layers.append(one.mark_rule(color=ink("soft"), strokeDash=[3, 3]).encode(x=alt.X("x:Q", scale=scale)))
    height = _AROUND + len(rows) * _ROW + (_LEGEND + _LEGEND_ROW * -(-len(others) // 2) if others else 0)
    return TitledChart(alt.layer(*layers, height=height), _bars_title(data) + data.warning(lead))


def _marks(data: ChartData, rows: pd.DataFrame, others: Sequence[int], scale: alt.Scale) -> alt.Chart:
    """A mark for each encoding without bars."""
    names = [short_title(data.names[number]) for number in others]
    marked = pd.concat(
        [rows.assign(mark=name, premium=rows[f"p{n}"]) for name, n in zip(names, others, strict=True)]
    )
    legend = alt.Legend(
        title=f"Bar: {short_title(data.names[data.lead])}. Marks:",
        orient="bottom",
        columns=2,
        labelLimit=larger(170),
        titleLimit=larger(400),
        symbolOpacity=1,
        symbolSize=110,
        symbolStrokeWidth=0,
    )
    shapes = alt.Scale(domain=names, range=[_MARKS[number % len(_MARKS)] for number in others])
    colours = alt.Scale(domain=names, range=[data.colours[number] for number in others])
    stroke = "#121614" if is_dark() else "#ffffff"
    marks = alt.Chart(marked).mark_point(filled=True, size=64, opacity=1, stroke=stroke, strokeWidth=1)
    encoded: alt.Chart = marks.encode(
        x=alt.X("premium:Q", scale=scale),
        shape=alt.Shape("mark:N", scale=shapes, legend=legend),
        color=alt.Color("mark:N", scale=colours, legend=legend),
    )
    return encoded


def _bars_title(data: ChartData) -> str:
    column = f"p{data.lead}"
    focused = data.table[data.table["code"] == data.focus].iloc[0]
    if focused["own"]:  # its base is another text
        amount = f"{times(focused[column])} as many tokens as {data.own_base}"
        return f"In {data.model(data.lead)}, {focused['name']} takes {amount}"
    highest = data.table[~data.table["own"]].sort_values(column).iloc[-1]
    amount = f"{times(focused[column])} as many tokens as {data.base}"
    most = (
        "the most of all" if highest["code"] == data.focus else f"{highest['name']} {times(highest[column])}"
    )
    return f"In {data.model(data.lead)}, {focused['name']} takes {amount}; {most}"


@functools.cache
def land() -> alt.InlineData:
    """The outline of all land but Antarctica, as inline chart data.

    Raises:
        OSError: the file is missing. ValueError: it is damaged.
    """
    with reading(LAND_FILE, "The map's file"):
        topology = json.loads(LAND_FILE.read_text("utf-8"))
        topology["objects"]["land"]  # KeyError: another file
    return alt.InlineData(values=topology, format=alt.TopoDataFormat(feature="land", type="topojson"))


@cached_chart
def map_chart(data: ChartData) -> TitledChart:
    """The languages where they are spoken, coloured by their premium.

    Raises:
        OSError, ValueError: the map's file is missing or damaged.
    """
    column, dark = f"p{data.lead}", is_dark()
    table = data.table.dropna(subset=["latitude", column]).sort_values(column)
    classes = [next(label for bound, label in CLASSES if value < bound) for value in table[column]]
    legend = alt.Legend(
        title=f"times the tokens of {data.base}",
        orient="bottom",
        columns=4,
        symbolOpacity=1,
        symbolStrokeWidth=0.6,
        symbolSize=130,
        titleLimit=larger(400),
    )
    colours = _DARK_SCALE if dark else _LIGHT_SCALE
    scale = alt.Scale(domain=[label for _, label in CLASSES], range=list(colours))
    where: dict[str, Any] = {
        "longitude": alt.Longitude("longitude:Q"),
        "latitude": alt.Latitude("latitude:Q"),
    }
    stroke = {"stroke": "#0b0d0c" if dark else "#5b4636", "strokeWidth": 0.6}
    dots = data.dots(table.assign(premium=classes), [data.lead], 1, 0.1, size=58, **stroke)
    fill, line = ("#242b27", "#39433d") if dark else ("#e9ece6", "#cfd5cd")
    layers: list[Any] = [
        alt.Chart(land()).mark_geoshape(fill=fill, stroke=line, strokeWidth=0.5),
        dots.encode(**where, color=alt.Color("premium:O", scale=scale, legend=legend)),
    ]
    here = table[table["code"] == data.focus]
    if len(here):
        base = alt.Chart(here).encode(**where)
        label = functools.partial(base.mark_text, fontSize=larger(13), fontWeight=700, dy=-18)
        layers.append(base.mark_point(size=330, strokeWidth=2.5, color=ink(), opacity=1))
        for look in ({"stroke": fill, "strokeWidth": 4, "color": fill}, {"color": ink()}):
            layers.append(label(**look).encode(text=alt.Text("short:N")))
    known = data.table[~data.table["own"]][column].dropna()
    title = (
        f"In {data.model(data.lead)}, {int((known >= 2).sum()):,} of {len(known):,} translations take at "
        f"least twice as many tokens as {data.base}"
    )
    chart = alt.layer(*layers, projection=alt.Projection(type="equalEarth"), height=360)
    return TitledChart(chart, title + data.warning(data.lead))


@cached_chart
def scripts_chart(data: ChartData) -> TitledChart:
    """A row of dots for each script, with the median of its declarations, without own texts."""
    column = f"p{data.lead}"
    table = data.table.dropna(subset=[column])
    known = table[~table["own"]]
    medians = known.groupby("script")[column].median().sort_values(ascending=False)
    sizes = known["script"].value_counts()
    label = {script: f"{script}  {sizes[script]:,}" for script in medians.index}
    label |= {script: f"{script}, yours" for script in table["script"] if script not in label}
    table = table.assign(
        row=table["script"].map(label),
        lift=[zlib.crc32(code.encode("utf-8", "replace")) % 1000 / 1000 for code in table["code"]],
    )
    y = named_rows("row", list(label.values()))
    title = [f"times the tokens of {data.compared_with};", "a line is the median of its script"]
    scale = _log_scale(table[column])
    x = alt.X(f"{column}:Q", title=title, axis=_log_axis(), scale=scale)
    lift = alt.YOffset("lift:Q", scale=alt.Scale(domain=[0, 1]))
    dots = data.dots(table, [data.lead], 0.6, 0.08, size=34, color=data.colours[data.lead])
    middles = pd.DataFrame({"row": medians.index.map(label), "median": medians.to_numpy()})
    median = tips({"row": ("script, languages", ""), "median": ".3f"})
    ticks = (
        alt.Chart(middles)
        .mark_tick(thickness=2.5, size=_SCRIPT_ROW - 4, color=ink())
        .encode(x=alt.X("median:Q", scale=scale), y=y, tooltip=median)
    )
    here = alt.Chart(table[table["code"] == data.focus]).encode(x=x, y=y)
    first, latin = medians.index[0], medians.get("Latin")
    claim = (
        f"In {data.model(data.lead)}, texts in {first} script take the most tokens: "
        f"{times(medians.iloc[0])} at the median"
    )
    if latin is not None and first != "Latin":
        claim += f"; in Latin script {times(float(latin))}"
    layers = [dots.encode(x=x, y=y, yOffset=lift), ticks, *_named_rings(here)]
    chart = alt.layer(*layers, height=_AROUND + len(label) * _SCRIPT_ROW)
    return TitledChart(chart, claim + data.warning(data.lead))


@cached_chart
def scatter_chart(data: ChartData, against: int) -> TitledChart:
    """A scatter plot of premiums in the lead (up) and in another encoding (across).

    Args:
        data: of all charts.
        against: the number of the other encoding.
    """
    up, across = data.lead, against
    table = data.table.dropna(subset=[f"p{across}", f"p{up}"])
    both = pd.concat([table[f"p{across}"], table[f"p{up}"]])
    scale = _log_scale(both)
    titles = [f"{short_title(data.names[number])}, times {data.compared_with}" for number in (across, up)]
    x = alt.X(f"p{across}:Q", title=titles[0], axis=_log_axis(), scale=scale)
    y = alt.Y(f"p{up}:Q", title=titles[1], axis=_log_axis(), scale=scale)
    is_below = {"test": f"datum.p{up} < datum.p{across}", "value": data.colours[up]}
    dots = data.dots(table, [across, up], 0.65, 0.08, size=48).encode(
        x=x, y=y, color=alt.ColorValue(data.colours[across], condition=is_below)
    )
    ends = [float(both.min()), float(both.max())]
    diagonal = (
        alt.Chart(pd.DataFrame({"x": ends, "y": ends}))
        .mark_line(strokeDash=[4, 4], color=ink("soft"), strokeWidth=1.2)
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))
    )
    marked = alt.Chart(table[(table["code"] == data.focus) | table["own"]]).encode(x=x, y=y)
    known = table[~table["own"]]
    title = (
        f"{int((known[f'p{up}'] < known[f'p{across}']).sum()):,} of {len(known):,} translations have a "
        f"smaller premium in {data.model(up)} than in {data.model(across)}: the dots below the line"
    )
    layers = [diagonal, dots, *_named_rings(marked)]
    return TitledChart(alt.layer(*layers, height=390), title + data.warning(across, up))
