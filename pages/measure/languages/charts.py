"""The charts of the page Languages. A click on a language sends its code."""

from __future__ import annotations

import functools
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from pages.measure.languages.measurements import SHORT, times
from pages.shared.charts import (
    HALF_WIDTH,
    TitledChart,
    cached_chart,
    clickable,
    ink,
    is_dark,
    larger,
    named_rows,
    paint,
    tips,
)
from pages.shared.warnings import loss_note
from tokenizers.amounts import shorten
from tokenizers.encoding import ASSETS
from tokenizers.measure import PremiumParts
from tokenizers.registry import model_name, short_title
from tokenizers.shipped import reading
from tokenizers.text import isolate

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


class _MapLook(NamedTuple):
    """The colours of the map: the classes of premiums, the outline of a dot, the land and its coast."""

    classes: tuple[str, ...]
    outline: str
    land: str
    coast: str


# YlOrBr of ColorBrewer (Brewer 2013), which colour-blind people can read; in dark mode, from dark to light.
_LIGHT_MAP = _MapLook(
    classes=("#ffffd4", "#fee391", "#fec44f", "#fe9929", "#ec7014", "#cc4c02", "#8c2d04"),
    outline="#5b4636",
    land="#e9ece6",
    coast="#cfd5cd",
)
_DARK_MAP = _MapLook(
    classes=("#5f3a1c", "#86490f", "#b0610c", "#d98419", "#f2ab3c", "#fdd27a", "#fff6d0"),
    outline="#0b0d0c",
    land="#242b27",
    coast="#39433d",
)

_MARKS = ("diamond", "triangle-up", "square", "cross", "triangle-down", "circle")
_ROW = 20  # pixels of a language's bar
_SCRIPT_ROW = 19  # pixels of a script
_VALUES = 52  # pixels between a language's name and its bar, for its premium
_LEGEND = 44  # pixels of the legend's title, below the bars
_LEGEND_ROW = 22  # pixels of two marks' names
_AROUND = 80  # pixels for the axis, which on the page is part of a chart's height


_PLACE: dict[str, Any] = {"longitude": alt.Longitude("longitude:Q"), "latitude": alt.Latitude("latitude:Q")}


@dataclass(frozen=True)
class ChartData:
    """The data that all charts of the page share.

    Attributes:
        table: of ``make_table``, with a column found: whether a search found the language.
        names: the encodings, in the order of the table's columns.
        hues: the hues of the encodings.
        lead: the number of the encoding that the bars, the map and the scripts show.
        focus: the code of the selected language.
        base: the name of the language that the declarations are compared with.
        own_base: the name of the text that a person's own are compared with; empty: there are none.
        lossy: the encodings that lose a part of some texts: what is lost costs no token.
    """

    table: pd.DataFrame
    names: Sequence[str]
    hues: Sequence[int]
    lead: int
    focus: str
    base: str
    own_base: str = ""
    lossy: Sequence[str] = ()

    @property
    def colours(self) -> list[str]:
        """The colours of the encodings."""
        return list(map(paint, self.hues))

    @property
    def numbers(self) -> list[int]:
        """The numbers of the encodings, the lead first."""
        return [self.lead, *(number for number in range(len(self.names)) if number != self.lead)]

    @property
    def source(self) -> str:
        """What was measured, for the source line of a chart."""
        n_own = int(self.table["own"].sum())
        return f"The Universal Declaration of Human Rights, {len(self.table) - n_own} translations"

    @property
    def compared_with(self) -> str:
        """What the premiums are multiples of: the session's own texts have a base of their own.

        >>> ChartData(pd.DataFrame(), [], [], 0, "mya", "English", own_base="mine").compared_with
        'English (yours: mine)'
        """
        return self.base + (f" (yours: {isolate(shorten(self.own_base, SHORT))})" if self.own_base else "")

    def warning(self, *numbers: int) -> str:
        """The end of a title: which of these encodings lose text.

        >>> data = ChartData(pd.DataFrame(), ["gpt2", "words"], [], 0, "mya", "English", lossy=["words"])
        >>> data.warning(0), data.warning(0, 1)
        ('', ' (words loses text)')
        """
        return loss_note([self.names[number] for number in numbers], self.lossy)

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


def _named_rings(base: alt.Chart, column: str, values: pd.Series) -> list[alt.Chart]:
    """Rings around dots, each with a name on the side where there is more room.

    Args:
        base: the chart of the dots.
        column: what is across.
        values: all values on that axis, which is logarithmic.
    """
    ring = base.mark_point(size=170, strokeWidth=2.5, color=ink(), opacity=1)
    halo = ink("background")
    names = base.encode(text=alt.Text("short:N"))
    middle = math.sqrt(float(values.min()) * float(values.max()))
    first = names.transform_filter(alt.datum[column] < middle)
    last = names.transform_filter(alt.datum[column] >= middle)
    return [
        ring,
        *_with_halo(first, halo, align="left", dx=13, fontSize=larger(12)),
        *_with_halo(last, halo, align="right", dx=-13, fontSize=larger(12)),
    ]


def _with_halo(named: alt.Chart, halo: str, **mark: Any) -> list[alt.Chart]:
    """A chart's texts, legible over its dots."""
    label = functools.partial(named.mark_text, fontWeight=700, **mark)
    return [label(stroke=halo, strokeWidth=4, color=halo), label(color=ink())]


def _log_scale(values: pd.Series) -> alt.Scale:
    """A logarithmic scale for premiums."""
    low = float(values.min())
    high = float(values.max())
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
    column = f"p{data.lead}"
    rows = rows.assign(
        label=rows["name"] + rows["own"].map({True: " (yours)", False: ""}),
        times=rows[column].map(times),
        strong=(rows["code"] == data.focus) | rows["own"],
    )
    premiums = rows[[f"p{number}" for number in range(len(data.names))]].to_numpy()
    scale = alt.Scale(domain=[0, max(1.0, float(np.nanmax(premiums))) * 1.13], nice=False)
    y = named_rows("label", labelPadding=_VALUES)
    tooltip = data.tooltips()
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    strength = alt.OpacityValue(0.5, condition={"test": "datum.strong", "value": 1})
    bars = base.mark_bar(
        color=data.colours[data.lead],
        height={"band": 0.7},
        cornerRadiusEnd=2,
        cursor="pointer",
    ).encode(x=_premium_axis(data, scale), opacity=strength)
    one = alt.Chart(pd.DataFrame({"x": [1.0]})).encode(x=alt.X("x:Q", scale=scale))
    # The premiums are before the bars: marks of other encodings are behind them.
    values = base.mark_text(align="right", dx=-6, fontSize=larger(12), fontWeight=600, color=ink())
    layers: list[Any] = [
        clickable(bars, "code"),
        values.encode(x=alt.XValue(0), text=alt.Text("times:N")),
    ]
    height = _AROUND + len(rows) * _ROW
    others = data.numbers[1:]
    if others:
        layers.append(_marks(data, rows, others, scale).encode(y=y, tooltip=tooltip))
        height += _LEGEND + _LEGEND_ROW * math.ceil(len(others) / 2)
    layers.append(one.mark_rule(color=ink("soft"), strokeDash=[3, 3]))
    return TitledChart(alt.layer(*layers, height=height), _bars_title(data) + data.warning(data.lead))


def _premium_axis(data: ChartData, scale: alt.Scale) -> alt.X:
    return alt.X(
        f"p{data.lead}:Q",
        scale=scale,
        title=f"times the tokens of {data.compared_with}",
        axis=alt.Axis(tickCount=6, labelExpr="datum.label + '×'", orient="top", domain=False),
    )


def _marks(data: ChartData, rows: pd.DataFrame, others: Sequence[int], scale: alt.Scale) -> alt.Chart:
    """A mark for each encoding without bars."""
    names = [short_title(data.names[number]) for number in others]
    marked = pd.concat(
        [rows.assign(mark=name, premium=rows[f"p{n}"]) for name, n in zip(names, others, strict=True)]
    )
    legend = alt.Legend(
        title=[f"Bar: {short_title(data.names[data.lead])}", "Marks:"],
        orient="bottom",
        columns=alt.ExprRef("width < 400 ? 1 : 2"),
        labelLimit=HALF_WIDTH,
        titleLimit=larger(400),
        symbolOpacity=1,
        symbolSize=110,
        symbolStrokeWidth=0,
    )
    shapes = alt.Scale(domain=names, range=[_MARKS[number % len(_MARKS)] for number in others])
    colours = alt.Scale(domain=names, range=[data.colours[number] for number in others])
    marks = alt.Chart(marked).mark_point(
        filled=True, size=64, opacity=1, stroke=ink("background"), strokeWidth=1
    )
    encoded: alt.Chart = marks.encode(
        x=alt.X("premium:Q", scale=scale),
        shape=alt.Shape("mark:N", scale=shapes, legend=legend),
        color=alt.Color("mark:N", scale=colours, legend=legend),
    )
    return encoded


def _bars_title(data: ChartData) -> str:
    column = f"p{data.lead}"
    focused = data.table[data.table["code"] == data.focus].iloc[0]
    name = isolate(focused["name"])
    takes = f"In {data.model(data.lead)}, {name} takes {times(focused[column])} as many tokens as"
    if focused["own"]:  # its base is another text
        return f"{takes} {isolate(data.own_base)}"
    highest = data.table[~data.table["own"]].sort_values(column).iloc[-1]
    return f"{takes} {data.base}; the most is {times(highest[column])}, {highest['name']}"


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
    look = _DARK_MAP if is_dark() else _LIGHT_MAP
    column = f"p{data.lead}"
    table = data.table.dropna(subset=["latitude", column]).sort_values(column)
    classes = [next(label for bound, label in CLASSES if value < bound) for value in table[column]]
    dots = data.dots(
        table.assign(premium=classes),
        [data.lead],
        strong=1,
        weak=0.1,
        size=58,
        stroke=look.outline,
        strokeWidth=0.6,
    )
    colour = alt.Color(
        "premium:O",
        scale=alt.Scale(domain=[label for _, label in CLASSES], range=list(look.classes)),
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
    layers: list[Any] = [
        alt.Chart(land()).mark_geoshape(fill=look.land, stroke=look.coast, strokeWidth=0.5),
        dots.encode(color=colour, **_PLACE),
    ]
    focused = table[table["code"] == data.focus]
    if len(focused):
        layers += _named_on_map(focused, look.land)
    chart = alt.layer(*layers, projection=alt.Projection(type="equalEarth"), height=360)
    return TitledChart(chart, _map_title(data) + data.warning(data.lead))


def _named_on_map(focused: pd.DataFrame, halo: str) -> list[alt.Chart]:
    """A ring around a language, and its name with a halo."""
    base = alt.Chart(focused).encode(**_PLACE)
    ring = base.mark_point(size=330, strokeWidth=2.5, color=ink(), opacity=1)
    return [ring, *_with_halo(base.encode(text=alt.Text("short:N")), halo, fontSize=larger(13), dy=-18)]


def _map_title(data: ChartData) -> str:
    known = data.table[~data.table["own"]][f"p{data.lead}"].dropna()
    many = int((known >= 2).sum())
    return (
        f"In {data.model(data.lead)}, {many:,} of {len(known):,} translations take at "
        f"least twice as many tokens as {data.base}"
    )


@cached_chart
def scripts_chart(data: ChartData) -> TitledChart:
    """A row of dots for each script, with the median of its declarations, without own texts."""
    column = f"p{data.lead}"
    table = data.table.dropna(subset=[column])
    known = table[~table["own"]]
    medians = known.groupby("script")[column].median().sort_values(ascending=False)
    sizes = known["script"].value_counts()
    labels = {script: f"{script}  {sizes[script]:,}" for script in medians.index}
    labels |= {script: f"{script}, yours" for script in table["script"] if script not in labels}
    table = table.assign(
        row=table["script"].map(labels),
        lift=[zlib.crc32(code.encode("utf-8", "replace")) % 1000 / 1000 for code in table["code"]],
    )
    scale = _log_scale(table[column])
    x = alt.X(
        f"{column}:Q",
        title=[f"times the tokens of {data.compared_with};", "a line is the median of its script"],
        axis=_log_axis(),
        scale=scale,
    )
    y = named_rows("row", list(labels.values()))
    dots = data.dots(
        table,
        [data.lead],
        strong=0.6,
        weak=0.08,
        size=34,
        color=data.colours[data.lead],
    )
    middles = pd.DataFrame({"row": medians.index.map(labels), "median": medians.to_numpy()})
    ticks = alt.Chart(middles).mark_tick(thickness=2.5, size=_SCRIPT_ROW - 4, color=ink())
    focused = alt.Chart(table[table["code"] == data.focus]).encode(x=x, y=y)
    chart = alt.layer(
        dots.encode(x=x, y=y, yOffset=alt.YOffset("lift:Q", scale=alt.Scale(domain=[0, 1]))),
        ticks.encode(
            x=alt.X("median:Q", scale=scale),
            y=y,
            tooltip=tips({"row": ("script, languages", ""), "median": ".3f"}),
        ),
        *_named_rings(focused, column, table[column]),
        height=_AROUND + len(labels) * _SCRIPT_ROW,
    )
    return TitledChart(chart, _scripts_title(data, medians) + data.warning(data.lead))


def _scripts_title(data: ChartData, medians: pd.Series) -> str:
    """The script with the highest median, and Latin for comparison."""
    most = f"texts in {medians.index[0]} script take the most tokens: {times(medians.iloc[0])} at the median"
    return (
        f"In {data.model(data.lead)}, {most}; those in Latin script {times(medians['Latin'])} at the median"
    )


WALLS = "pieces (walls)"
VOCABULARY = "tokens in a piece"
_PARTS_ROW = 48  # pixels of a tokenizer’s two bars


@cached_chart
def parts_chart(
    data: ChartData, parts: Mapping[str, PremiumParts], model: str, name: str, base: str
) -> TitledChart:
    """The two factors of a premium, one after the other on a logarithmic axis, in each encoding.

    Args:
        data: of all charts.
        parts: the factors by encoding, as people call it, at least one.
        model: that of the first.
        name, base: the names of the languages.
    """
    rows = pd.DataFrame(
        [
            row
            for label, each in parts.items()
            for row in (
                (label, WALLS, 1.0, each.walls, each.walls),
                (label, VOCABULARY, each.walls, each.premium, each.vocabulary),
            )
        ],
        columns=["tokenizer", "factor", "from", "to", "times"],
    ).assign(label=lambda table: table["times"].map(times))
    scale = _log_scale(pd.concat([rows["from"], rows["to"]]))
    colours = alt.Scale(domain=[WALLS, VOCABULARY], range=[ink("soft"), data.colours[data.lead]])
    bars = (
        alt.Chart(rows)
        .mark_bar(height={"band": 0.8})
        .encode(
            x=alt.X(
                "from:Q", scale=scale, axis=_log_axis(), title=f"times {isolate(base)} (left of 1: fewer)"
            ),
            x2="to:Q",
            y=named_rows("tokenizer", list(parts)),
            yOffset=alt.YOffset("factor:N", sort=[WALLS, VOCABULARY]),
            color=alt.Color(
                "factor:N", scale=colours, legend=alt.Legend(orient="top", title=None, columns=1)
            ),
            tooltip=tips({"tokenizer": "", "factor": "", "label": ("times", "")}),
        )
    )
    first = next(iter(parts.values()))
    title = (
        f"In {model}, {isolate(name)} takes {times(first.premium)} the tokens: "
        f"{times(first.walls)} from walls, times {times(first.vocabulary)} from the vocabulary"
    )
    return TitledChart(bars.properties(height=100 + _PARTS_ROW * len(parts)), title)


@cached_chart
def scatter_chart(data: ChartData, against: int) -> TitledChart:
    """A scatter plot of premiums in the lead (up) and in another encoding (across).

    Args:
        data: of all charts.
        against: the number of the other encoding.
    """
    lead = data.lead
    up = f"p{lead}"
    across = f"p{against}"
    table = data.table.dropna(subset=[across, up])
    both = pd.concat([table[across], table[up]])
    scale = _log_scale(both)

    def axis_of(channel: type[alt.X] | type[alt.Y], number: int) -> Any:
        title = [short_title(data.names[number]), f"times {data.compared_with}"]
        return channel(f"p{number}:Q", title=title, axis=_log_axis(), scale=scale)

    x = axis_of(alt.X, against)
    y = axis_of(alt.Y, lead)
    is_below = {"test": f"datum.{up} < datum.{across}", "value": data.colours[lead]}
    dots = data.dots(table, [against, lead], strong=0.65, weak=0.08, size=48)
    ends = [float(both.min()), float(both.max())]
    diagonal = alt.Chart(pd.DataFrame({"x": ends, "y": ends})).encode(
        x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale)
    )
    marked = alt.Chart(table[(table["code"] == data.focus) | table["own"]]).encode(x=x, y=y)
    chart = alt.layer(
        diagonal.mark_line(strokeDash=[4, 4], color=ink("soft"), strokeWidth=1.2),
        dots.encode(x=x, y=y, color=alt.ColorValue(data.colours[against], condition=is_below)),
        *_named_rings(marked, across, both),
        height=390,
    )
    known = table[~table["own"]]
    many = int((known[up] < known[across]).sum())
    title = (
        f"{many:,} of {len(known):,} translations have a smaller premium in {data.model(lead)} "
        f"than in {data.model(against)}: the dots below the line"
    )
    return TitledChart(chart, title + data.warning(against, lead))
