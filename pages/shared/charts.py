"""What all charts share: their look on the page, the table behind them, and their downloads.

Streamlit's own toolbar saves a chart as PNG without its title, and not as SVG, so page.css hides its button.
Here vl-convert draws both, without a browser and without a network.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, ParamSpec

import altair as alt
import pandas as pd
import streamlit as st
from altair.utils.schemapi import disable_debug_mode

from pages.session.own_texts import digest_of
from pages.session.page_state import PageState
from pages.shared.colours import HEX
from pages.shared.markdown import escape
from pages.shared.tables import Table, offer_table
from pages.shared.widgets import tied
from tokenizers.json_types import JsonObject

# Altair would check each part of a chart against Vega-Lite's schema, which takes longer than all the rest.
# The tests check the charts instead, on a visit of each page (the fixture ``checked_charts``). Our charts
# name the class of each channel, as in alt.Text("label:N"): for "label:N", Altair searches the schema.
disable_debug_mode()
alt.theme.enable("none")
alt.data_transformers.disable_max_rows()

EXPORT_WIDTH = 900  # pixels of a saved chart
APART = "\u2002"
"""Between a name and a number in one label: SVG makes one space of two, and ours is narrow."""

HALF_WIDTH = alt.ExprRef("max(170, width / 2 - 40)")
"""The room of a name in a legend of two columns, in pixels: more in a saved picture than on a phone."""

Layers = alt.LayerChart | alt.FacetChart
"""What ``alt.layer`` returns."""

# In quotes: CSS does not accept a bare name with a digit, and then a PNG has no letters at all.
_FONT = "'Source Sans 3', 'Source Sans Pro', 'Noto Sans', Helvetica, Arial, sans-serif"
_LIGHT = {"background": "#ffffff", "ink": "#1d2420", "faint": "#dfe5e1", "soft": "#4a524d"}
_DARK = {"background": "#121614", "ink": "#e8ede9", "faint": "#333b36", "soft": "#c6cdc8"}
_LARGER = "width && windowSize()[0] >= 1800 ? 1.25 : 1"  # as in page.css; width: worked out anew for each
_LETTER = 6.5  # pixels of a letter of a bar's label
_CLICK = "click"  # the name of a chart's selection
_TITLE_WIDTH = 96  # characters of a line of a saved chart's title
_MOST_EDITED = 400  # characters of a title that is typed


@dataclass(frozen=True)
class TitledChart:
    """A chart, from Altair or as Vega-Lite's JSON, and what the page writes above it, in plain text.

    Attributes:
        chart: the chart.
        title: what it shows, in a sentence.
        subtitle: of which data.
        source: a line that only saved pictures have, below the subtitle.
    """

    chart: Any
    title: str
    subtitle: str = ""
    source: str = ""

    @property
    def spec(self) -> JsonObject:
        """The chart as Vega-Lite's JSON, with its data in it."""
        if isinstance(self.chart, dict):
            return self.chart
        spec: JsonObject = self.chart.to_dict(validate=False)
        return spec


_Arguments = ParamSpec("_Arguments")


def cached_chart(make: Callable[_Arguments, TitledChart]) -> Callable[_Arguments, TitledChart]:
    """Cache the charts that a function makes, by its arguments and by whether the page is dark."""

    @wraps(make)
    def get(*args: _Arguments.args, **options: _Arguments.kwargs) -> TitledChart:
        return _cached(f"{make.__module__}.{make.__name__}", is_dark(), make, *args, **options)

    return get


@st.cache_data(show_spinner=False, max_size="16MB", ttl=3600)
def _cached(
    name: str, dark: bool, _make: Callable[..., TitledChart], *args: Any, **options: Any
) -> TitledChart:
    titled = _make(*args, **options)
    return TitledChart(titled.spec, titled.title, titled.subtitle)


_on_paper = ContextVar("_on_paper", default=False)


@contextmanager
def on_paper() -> Iterator[None]:
    """Charts that are made within it are light, whatever the page is: for a report, which is printed, too."""
    token = _on_paper.set(True)
    try:
        yield
    finally:
        _on_paper.reset(token)


def is_dark() -> bool:
    """Whether charts are dark right now, as the page is."""
    return st.context.theme.type == "dark" and not _on_paper.get()


def ink(name: str = "ink") -> str:
    """The colour of words in a chart; "soft": of those that only help; "background": of what is behind."""
    return (_DARK if is_dark() else _LIGHT)[name]


def larger(pixels: float) -> alt.ExprRef:
    """A font size or length in pixels, a quarter larger on a projector, as all text of the page."""
    return alt.ExprRef(larger_pixels(pixels))


def larger_pixels(pixels: float) -> str:
    """The same, as a part of a Vega expression."""
    return f"({pixels:g} * larger)"


def clickable(chart: alt.Chart, field: str) -> alt.Chart:
    """The chart, which sends the field's value of a clicked mark to the ``on_click`` of ``show_chart``."""
    click = alt.selection_point(name=_CLICK, fields=[field], on="click", empty=False, clear=False)
    return chart.add_params(click)


def tips(columns: Mapping[str, str | tuple[str, str]]) -> list[alt.Tooltip]:
    """A mark's tooltip: for each column its format, or its title and format; text has an empty format."""
    tooltip = []
    for column, how in columns.items():
        title, form = (column, how) if isinstance(how, str) else how
        if form:
            tooltip.append(alt.Tooltip(f"{column}:Q", title=title, format=form))
        else:
            tooltip.append(alt.Tooltip(f"{column}:N", title=title))
    return tooltip


def encoding_colours(hues: Mapping[str, int]) -> alt.Color:
    """The colours of encodings by their hues, without a legend; the column "tokenizer" has their names."""
    scale = alt.Scale(domain=list(hues), range=[paint(hue) for hue in hues.values()])
    return alt.Color("tokenizer:N", scale=scale, legend=None)


def paint(hue: int) -> str:
    """The colour of a hue on the page's ground."""
    return HEX[hue][is_dark()]


def named_rows(column: str, sort: Sequence[str] | None = None, limit: int = 190, **axis: Any) -> alt.Y:
    """A y axis with the names of rows, each whole up to ``limit`` pixels (a phone has less room).

    Args:
        column: of the names.
        sort: the order of the rows.
        limit: the widest name.
        axis: more properties.
    """
    axis = {"labelOverlap": False, "ticks": False, "domain": False, **axis}
    whole = alt.ExprRef(f"width && windowSize()[0] < 500 ? {0.65 * limit:g} : {larger_pixels(limit)}")
    return alt.Y(f"{column}:N", sort=sort, title=None, axis=alt.Axis(labelLimit=whole, **axis))


def labelled_bars(
    table: pd.DataFrame,
    y: str,
    x: str,
    tooltip: Sequence[alt.Tooltip],
    colour: str | alt.Color,
    axis: alt.Axis | None = None,
    **channels: Any,
) -> Layers:
    """Horizontal bars in the order of the table, with the text of its column "label" behind them.

    The labels take the width of the longest one in pixels: a share of the chart's width is too little on a
    phone.

    Args:
        table: a row for each bar.
        y, x: the columns of its name and its length.
        tooltip: the exact values.
        colour: of all bars, or a channel.
        axis: of the lengths; None: the labels say them.
        channels: more channels of the bars.
    """
    label_width = larger_pixels(8 + _LETTER * max(map(len, table["label"])))
    width = alt.ExprRef(f"max(30, width - {label_width})")
    scale = alt.Scale(domain=[0, float(table[x].max())], range=[0, width], nice=False)
    lengths = alt.X(f"{x}:Q", scale=scale, axis=axis)
    base = alt.Chart(table).encode(x=lengths, y=named_rows(y), tooltip=tooltip)
    color = alt.ColorValue(colour) if isinstance(colour, str) else colour
    of_axis = 40 if axis else 0
    return alt.layer(
        base.mark_bar(height={"band": 0.72}, cornerRadiusEnd=2).encode(color=color, **channels),
        base.mark_text(align="left", dx=5, fontSize=larger(12), color=ink("soft")).encode(
            text=alt.Text("label:N")
        ),
        height=20 + 20 * len(table) + of_axis,
    )


# On the page


def show_chart(
    titled: TitledChart,
    name: str,
    table: Table,
    *,
    on_click: Callable[[str], None] | None = None,
    column_config: dict[str, Any] | None = None,
    file: str | None = None,
    source: str = "",
) -> None:
    """Draw a chart under its title, with the table behind it and its downloads one click away.

    Title and source line of a saved picture can be edited. Without a date, a picture is the same each time.

    Args:
        titled: the chart and its title.
        name: of the files, and of the widgets: unique on its page. The chart's own key is NAME_chart.
        table: the exact values, or a function that makes them.
        on_click: called after a click on a mark of a ``clickable`` chart, with the value of its field.
        column_config: for the table, as in ``st.dataframe``.
        file: another name for the files.
        source: what was measured, for the source line behind the app's name.
    """
    key = f"{name}_chart"
    selection = f"{_CLICK}_{st.session_state.setdefault(f'{key}_clicks', 0)}"
    titled = replace(titled, chart=titled.spec)  # worked out once, for the page and both pictures
    spec = _spec_for_page(titled.spec, selection)

    def hear_click() -> None:
        points = st.session_state[key]["selection"].get(selection)
        if on_click and points:
            st.session_state[f"{key}_clicks"] += 1  # under a new name, the same click can be heard again
            on_click(*points[-1].values())

    with st.container(gap=None):
        st.markdown(f"**{escape(titled.title)}**")
        if titled.subtitle:
            st.caption(escape(titled.subtitle))
        with st.container(key=f"{key}_place", gap=None):
            # An empty element as high as the chart, on which page.css puts it: nothing below moves once it is
            # drawn. In rem, since a chart is larger on a projector.
            st.html(f'<div style="height: {spec["height"] / 16}rem"></div>')
            st.vega_lite_chart(
                spec,
                key=key,
                alt=titled.title,
                on_select=hear_click if on_click else "ignore",
            )

    def draw_pictures() -> dict[str, Callable[[], bytes]]:
        line = f"Token Grove · {source}" if source else "Token Grove"
        edited = replace(
            titled,
            title=_edit("Title in the picture", f"{name}_title", titled.title),
            source=_edit("Source line in the picture", f"{name}_source", line),
        )
        return {kind: partial(picture_of, edited, kind.lower(), dark=is_dark()) for kind in ("SVG", "PNG")}

    offer_table("Table and downloads", table, name, file, column_config, more=draw_pictures)


def _edit(label: str, name: str, default: str) -> str:
    """Draw a field for a line of a picture. With another default, it is another field."""
    field = PageState.field(f"{name}_{digest_of(default)}", default[:_MOST_EDITED])
    return str(st.text_input(label, max_chars=_MOST_EDITED, **tied(field)))


def _spec_for_page(spec: JsonObject, selection: str) -> JsonObject:
    """The chart in the look of the page, with this name for its selection."""
    soft = ink("soft")
    label, title, height = ({"expr": larger_pixels(size)} for size in (12, 13, spec["height"]))
    axis = {"labelColor": soft, "titleColor": soft, "labelFontSize": label, "titleFontSize": title}
    return {
        **spec,
        "config": {"axis": axis, "axisY": {"labelFlush": False}, "legend": axis, "header": axis},
        "padding": {"right": 8},  # the last number of an axis reaches beyond its end
        "params": [
            {"name": "larger", "expr": _LARGER},
            {"name": "height", **height},
            *({**param, "name": selection} for param in spec.get("params", [])),
        ],
    }


# Saved pictures


def picture_of(titled: TitledChart, kind: str, *, dark: bool = False) -> bytes:
    """A chart as a file, "svg" or "png", with its title in it.

    Nothing is fetched: all that a chart shows is in it. What people typed is drawn as letters.

    >>> import pandas as pd
    >>> chart = alt.Chart(pd.DataFrame({"a": ["<b>"], "b": [1]})).mark_bar().encode(x="b:Q", y="a:N")
    >>> titled = TitledChart(chart, "One bar", "of <i>nothing</i>")
    >>> svg = picture_of(titled, "svg").decode()
    >>> svg.startswith("<svg"), "<b>" in svg, "&lt;b&gt;" in svg, "One bar" in svg
    (True, False, True, True)
    >>> picture_of(titled, "png")[:4]
    b'\\x89PNG'
    """
    look = _DARK if dark else _LIGHT
    axis = {"labelColor": look["soft"], "titleColor": look["soft"], "titleFontWeight": 400}
    faint = {"gridColor": look["faint"], "domainColor": look["faint"], "tickColor": look["faint"]}
    title = {
        "text": textwrap.wrap(titled.title, _TITLE_WIDTH),
        "subtitle": [
            *textwrap.wrap(titled.subtitle, _TITLE_WIDTH),
            *textwrap.wrap(titled.source, _TITLE_WIDTH),
        ],
        "anchor": "start",
        "fontSize": 15,
        "fontWeight": 600,
        "subtitleFontSize": 13,
        "offset": 10,
    }
    config = {
        "background": look["background"],
        "font": _FONT,
        "padding": 20,
        "view": {"stroke": None},
        "axis": {**axis, **faint},
        "legend": axis,
        "header": axis,
        "title": {"color": look["ink"], "subtitleColor": look["soft"]},
        "text": {"color": look["ink"]},
    }
    spec = titled.spec
    params = [{"name": "larger", "value": 1}, *spec.get("params", [])]
    whole = {"width": EXPORT_WIDTH, **spec, "params": params, "title": title, "config": config}
    return _convert(json.dumps(whole), kind)


def svg_to_png(svg: str) -> bytes:
    """A picture in twice its size."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=2))


@st.cache_data(show_spinner=False, max_size="16MB", ttl=3600)
def _convert(spec: str, kind: str) -> bytes:
    import vl_convert  # takes a third of a second, and is needed only to save a picture

    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode()
    return bytes(vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))
