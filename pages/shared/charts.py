"""What every chart has in common: its place on the page, the table behind it, and its downloads.

Streamlit's own toolbar saves a chart as PNG, but not as SVG. Both are drawn here by the library that
Altair itself uses to save charts, without a browser and without a network.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

import altair as alt
import streamlit as st
from altair.utils.schemapi import disable_debug_mode

from pages.shared.plain import plain
from pages.shared.tables import Table, offer_file, show_table

# Altair checks each part of a chart against Vega-Lite's schema when it is made, and the whole chart again
# when it is drawn or saved. The pages do neither: the charts are ours, and the tests check them on a visit of
# each page (their fixture ``checked_charts``). For the same reason our charts name the class of each channel,
# such as alt.Text("label:N") or alt.OpacityValue(1). For a bare "label:N" Altair looks through the whole
# schema for the class, which takes 5 ms, and for a condition 14.
disable_debug_mode()

EXPORT_WIDTH = 900
"""Width of a saved chart in pixels, where the page's own decides on the page."""

# In quotes: CSS does not accept a bare name with a digit, and then a PNG has no letters at all.
_FONT = "'Source Sans 3', 'Source Sans Pro', 'Noto Sans', Helvetica, Arial, sans-serif"
_LIGHT = {"background": "#ffffff", "ink": "#1d2420", "faint": "#dfe5e1", "soft": "#4a524d"}
_DARK = {"background": "#121614", "ink": "#e8ede9", "faint": "#333b36", "soft": "#c6cdc8"}


_TITLE_WIDTH = 96  # characters of a saved title's line


@dataclass(frozen=True)
class Title:
    """What there is to see in a chart, in a sentence, and what of; both as typed, without markdown."""

    text: str
    subtitle: str = ""


@dataclass(frozen=True)
class TitledChart:
    """A chart and its title, which is text of the page: it breaks into lines where the page does."""

    chart: Any  # one of Altair's
    title: Title


def is_dark() -> bool:
    """Whether the page is dark right now."""
    return st.context.theme.type == "dark"


def ink(*, soft: bool = False) -> str:
    """The colour of words in a chart; ``soft``: of those that only help."""
    return (_DARK if is_dark() else _LIGHT)["soft" if soft else "ink"]


def title_of(title: Title) -> alt.TitleParams:
    """The title in a saved picture, which is as wide as ``EXPORT_WIDTH``."""
    lines = textwrap.wrap(title.text, _TITLE_WIDTH)
    subtitle = textwrap.wrap(title.subtitle, _TITLE_WIDTH)
    more: dict[str, Any] = {"subtitle": subtitle, "subtitleFontSize": 13} if subtitle else {}
    return alt.TitleParams(
        lines or "", anchor="start", fontSize=15, fontWeight=600, offset=10 if lines else 0, **more
    )


def picture_of(titled: TitledChart, kind: Literal["svg", "png"], *, dark: bool = False) -> bytes:
    """A chart as a file, with its title in it.

    Nothing is fetched: all that a chart shows is in it. What people typed is drawn as letters.

    >>> import pandas as pd
    >>> chart = alt.Chart(pd.DataFrame({"a": ["<b>"], "b": [1]})).mark_bar().encode(x="b", y="a")
    >>> titled = TitledChart(chart, Title("One bar", "of <i>nothing</i>"))
    >>> svg = picture_of(titled, "svg").decode()
    >>> svg.startswith("<svg"), "<b>" in svg, "&lt;b&gt;" in svg, "One bar" in svg
    (True, False, True, True)
    >>> picture_of(titled, "png")[:4]
    b'\\x89PNG'
    """
    import vl_convert  # takes a third of a second, and is needed only to save a picture

    spec = titled.chart.to_dict(validate=False)
    spec["title"] = title_of(titled.title).to_dict()
    spec["config"] = _merged(_config(dark), spec.get("config", {}))
    _set_width(spec)
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode()
    return bytes(vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))


class UncheckedChart:
    """A chart as ``st.altair_chart`` takes it, which asks for its dict: without the check of the schema."""

    def __init__(self, chart: alt.TopLevelMixin) -> None:
        self.chart = chart

    def to_dict(self) -> dict[str, Any]:
        """The chart as Vega-Lite's JSON."""
        return self.chart.to_dict(validate=False)


def put_chart(chart: alt.TopLevelMixin, key: str, **options: Any) -> Any:
    """A chart alone: every chart of the app is drawn by this.

    ``options`` and what is returned are those of ``st.altair_chart``.
    """
    return st.altair_chart(cast(alt.Chart, UncheckedChart(chart)), key=key, **options)


def draw_chart(titled: TitledChart, key: str, *, alt_text: str | None = None, **options: Any) -> Any:
    """A chart under its title, which is its ``alt_text`` too if there is no other; else as ``put_chart``."""
    title = titled.title
    with st.container(gap=None):
        st.markdown(f"**{plain(title.text)}**")
        if title.subtitle:
            st.caption(plain(title.subtitle))
        return put_chart(titled.chart, key, alt=alt_text or title.text, **options)


def show_chart(
    titled: TitledChart,
    name: str,
    table: Table | None = None,
    *,
    alt_text: str | None = None,
    on_select: bool | Callable[[], None] = False,
    column_config: dict[str, Any] | None = None,
    file: str | None = None,
    picture: TitledChart | None = None,
) -> Any:
    """Draw a chart under its title, with the table behind it and its downloads one click away.

    Args:
        titled: the chart and its title.
        name: of the files, and of the widgets: unique on its page. The chart's own key is NAME_chart.
        table: the exact figures, or what makes them; None: there is no more than the chart shows.
        alt_text: what it shows, for those who do not see it; None: its title.
        on_select: whether a click in it runs the page again; a function is called before that.
        column_config: for the table, as in ``st.dataframe``.
        file: another name for the files, where the widgets' name is not one for people.
        picture: the chart for the files, where it is another one: with what is selected now. (Made at once: a
            file is made in a thread that does not know whether the page is dark.)

    Returns:
        What is selected, by parameter; without ``on_select``, nothing of use.
    """
    options: dict[str, Any] = (
        {"on_select": on_select if callable(on_select) else "rerun"} if on_select else {}
    )
    chosen = draw_chart(titled, f"{name}_chart", alt_text=alt_text, **options)
    dark = is_dark()

    def save(kind: Literal["svg", "png"]) -> bytes:
        return picture_of(titled if picture is None else picture, kind, dark=dark)

    _offer_files(table, name, file, column_config, save)
    return chosen


@st.fragment
def _offer_files(
    table: Table | None,
    name: str,
    file: str | None,
    column_config: dict[str, Any] | None,
    save: Callable[[Literal["svg", "png"]], bytes],
) -> None:
    """The table and the downloads, sent to the browser only once they are opened: most never are."""
    opened = st.expander("Table and downloads", type="compact", key=f"{name}_files", on_change="rerun")
    if not opened.open:
        return
    rows = table() if callable(table) else table
    with opened:
        if rows is not None:
            show_table(rows, f"{name}_table", column_config)
        with st.container(horizontal=True):
            if rows is not None:
                offer_file("CSV", lambda: rows.to_csv(index=False).encode(), name, file, "csv", "text/csv")
            offer_file("SVG", lambda: save("svg"), name, file, "svg", "image/svg+xml")
            offer_file("PNG", lambda: save("png"), name, file, "png", "image/png")


def selection_of(name: str) -> dict[str, Any]:
    """What is selected in the chart of this name, by parameter, before it is drawn in this run."""
    chart = st.session_state.get(f"{name}_chart")
    selection = chart.get("selection") if chart is not None else None
    return dict(selection) if selection else {}


def _set_width(spec: dict[str, Any]) -> None:
    """A width in pixels for a chart that has left it to the page, and for all in it."""
    if spec.get("width") in (None, "container") and ("mark" in spec or "layer" in spec):
        spec["width"] = EXPORT_WIDTH
    for key in ("concat", "hconcat", "vconcat"):
        for part in spec.get(key, []):
            if part.get("width") in (None, "container") and ("mark" in part or "layer" in part):
                part["width"] = EXPORT_WIDTH // (1 if key == "vconcat" else len(spec[key]))


def _config(dark: bool) -> dict[str, Any]:
    """The look of a saved chart: Streamlit's own is the browser's business."""
    look = _DARK if dark else _LIGHT
    axis = {
        "labelColor": look["soft"],
        "titleColor": look["soft"],
        "gridColor": look["faint"],
        "domainColor": look["faint"],
        "tickColor": look["faint"],
        "titleFontWeight": 400,
    }
    return {
        "background": look["background"],
        "font": _FONT,
        "padding": 20,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {"labelColor": look["soft"], "titleColor": look["soft"]},
        "title": {"color": look["ink"]},
        "text": {"color": look["ink"]},
        "header": {"labelColor": look["soft"], "titleColor": look["soft"]},
    }


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """``second`` laid over ``first``, one level deep; Altair's own default size is left out."""
    merged = dict(first)
    for key, value in second.items():
        if key == "view":
            value = {k: v for k, v in value.items() if not k.startswith("continuous")}
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = {**merged[key], **value} if both else value
    return merged
