"""What every chart has in common: its place on the page, the table behind it, and its downloads.

A chart is made ready once: as Vega-Lite's JSON, with the columns that it draws as Arrow. ``kept`` remembers
that for the same figures, so that a page which is drawn again hands it over as it is.

Streamlit's own toolbar saves a chart as PNG without its title, and not as SVG: page.css hides its button.
Both are drawn here by the library that Altair itself uses to save charts, without a browser and without a
network.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.util
import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, ParamSpec

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st
from altair.utils.schemapi import disable_debug_mode
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server.ended_sessions import after_sessions_end
from pages.session.last_used import LastUsed
from pages.shared.plain import plain
from pages.shared.tables import Download, Table, offer_table
from tokenizers.lazily import once

# Altair checks each part of a chart against Vega-Lite's schema when it is made, and the whole chart again
# when it is drawn or saved. The pages do neither: the charts are ours, and the tests check them on a visit of
# each page (their fixture ``checked_charts``). For the same reason our charts name the class of each channel,
# such as alt.Text("label:N") or alt.OpacityValue(1). For a bare "label:N" Altair looks through the whole
# schema for the class, which takes 5 ms, and for a condition 14.
disable_debug_mode()
alt.theme.enable("none")  # the look of charts is given below, on the page and in saved pictures

EXPORT_WIDTH = 900
"""Width of a saved chart in pixels, where the page's own decides on the page."""

PROJECTOR_WIDTH = 1800
"""From this width of the window on, in pixels, all text is larger: page.css has the same."""

APART = "\u2002"
"""Between a name and a figure in one label: SVG makes one space of two, and that of our face is narrow."""

# In quotes: CSS does not accept a bare name with a digit, and then a PNG has no letters at all.
_FONT = "'Source Sans 3', 'Source Sans Pro', 'Noto Sans', Helvetica, Arial, sans-serif"
_LIGHT = {"background": "#ffffff", "ink": "#1d2420", "faint": "#dfe5e1", "soft": "#4a524d"}
_DARK = {"background": "#121614", "ink": "#e8ede9", "faint": "#333b36", "soft": "#c6cdc8"}


_RIGHT = 8  # pixels at the right of a chart on the page: the last number of an axis reaches beyond its end
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

    @once
    def ready(self) -> ReadyChart:
        """The chart as it is sent, made at the first use."""
        return ReadyChart(self.chart)


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


NO_PICTURES = (
    "No pictures can be saved here: the package vl-convert-python is not installed. Take a picture of the "
    "screen, or ask whoever runs the server to install it."
)


def can_save_pictures() -> bool:
    """Whether the package that makes SVG and PNG is here. It is not loaded yet."""
    return importlib.util.find_spec("vl_convert") is not None


def picture_of(titled: TitledChart, kind: Literal["svg", "png"], *, dark: bool = False) -> bytes:
    """A chart as a file, with its title in it.

    Nothing is fetched: all that a chart shows is in it. What people typed is drawn as letters.

    >>> import pandas as pd
    >>> chart = alt.Chart(pd.DataFrame({"a": ["<b>"], "b": [1]})).mark_bar().encode(x="b:Q", y="a:N")
    >>> titled = TitledChart(chart, Title("One bar", "of <i>nothing</i>"))
    >>> svg = picture_of(titled, "svg").decode()
    >>> svg.startswith("<svg"), "<b>" in svg, "&lt;b&gt;" in svg, "One bar" in svg
    (True, False, True, True)
    >>> picture_of(titled, "png")[:4]
    b'\\x89PNG'
    """
    import vl_convert  # takes a third of a second, and is needed only to save a picture

    spec = titled.ready.with_rows()
    spec["title"] = title_of(titled.title).to_dict()
    spec["config"] = _merged(_config(dark), spec.get("config", {}))
    spec["params"] = [{"name": "larger", "value": 1}, *spec.get("params", [])]
    _set_width(spec)
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode()
    return bytes(vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))


# Charts made ready


class ReadyChart:
    """A chart as Vega-Lite's JSON, and its tables as Arrow: what is sent to the browser.

    Only the columns that the chart draws are sent, and a table that several layers share is sent once. The
    schema is not checked.

    >>> data = pd.DataFrame({"a": ["x"], "b": [1], "c": [2]})
    >>> base = alt.Chart(data).encode(y="a:N", x="b:Q")
    >>> ready = ReadyChart(alt.layer(base.mark_bar(), base.mark_text()))
    >>> [list(rows[0]) for rows in ready.with_rows()["datasets"].values()]
    [['a', 'b']]
    """

    def __init__(self, chart: alt.TopLevelMixin) -> None:
        tables: list[pd.DataFrame] = []
        spec = _with_named_tables(chart, tables).to_dict(validate=False)
        self._inline = spec.pop("datasets", {})  # such as a map's land
        text = json.dumps(spec)
        self._tables: dict[str, pd.DataFrame] = {}
        self._arrow: dict[str, bytes] = {}
        for number, table in enumerate(tables):
            drawn = table[[column for column in table.columns if _draws(text, str(column))]]
            arrow = _as_arrow(drawn)
            # The browser takes a table of the same name for the same table.
            name = hashlib.blake2b(arrow, digest_size=16).hexdigest()
            self._tables[name], self._arrow[name] = drawn, arrow
            text = text.replace(json.dumps(_name_of(number)), json.dumps(name))
        self._spec = text
        height = spec.get("height")
        self.height = round(height) if isinstance(height, int | float) else None

    def to_send(self) -> dict[str, Any]:
        """The chart, with its tables as Arrow's bytes in "datasets"; whoever gets it may change it."""
        return {**json.loads(self._spec), "datasets": {**self._inline, **self._arrow}}

    def with_rows(self) -> dict[str, Any]:
        """The chart, with its tables as lists of rows in "datasets": Vega-Lite's JSON and nothing else."""
        rows = {
            name: json.loads(table.to_json(orient="records", double_precision=15))
            for name, table in self._tables.items()
        }
        return {**json.loads(self._spec), "datasets": {**self._inline, **rows}}


def _shallow_copy(part: Any) -> Any:
    """A copy that shares its parts. Altair's own puts layers together anew, and copies each of them."""
    copied = object.__new__(type(part))
    copied.__dict__.update(part.__dict__, _kwds={**part._kwds})
    return copied


def _name_of(number: int) -> str:
    """A table's name until its bytes are known."""
    return f"table number {number}"


def _with_named_tables(part: Any, tables: list[pd.DataFrame]) -> Any:
    """A copy of a chart that only names its tables; they are added to ``tables``, each once."""
    part = _shallow_copy(part)
    if isinstance(part.data, pd.DataFrame):
        number = next((n for n, table in enumerate(tables) if table is part.data), len(tables))
        if number == len(tables):
            tables.append(part.data)
        part.data = alt.NamedData(_name_of(number))
    if isinstance(part, alt.LayerChart):
        part.layer = [_with_named_tables(layer, tables) for layer in part.layer]
    return part


def _draws(spec: str, column: str) -> bool:
    """Whether a chart uses a column: as a field, or in an expression.

    >>> spec = '{"field": "n", "test": "datum.m > 1", "title": "in all"}'
    >>> [name for name in ("n", "m", "k", "all") if _draws(spec, name)]
    ['n', 'm']
    """
    return json.dumps(column) in spec or re.search(rf"datum\.{re.escape(column)}\b", spec) is not None


def _as_arrow(table: pd.DataFrame) -> bytes:
    """A table as an Arrow stream, without its index."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, arrow.schema) as stream:
        stream.write_table(arrow)
    return bytes(sink.getvalue().to_pybytes())


MAX_KEPT = 64
"""Charts that are remembered, of all sessions together; the largest, of all languages, has 0.3 MB."""


@dataclass(frozen=True)
class _Kept:
    """A chart that is remembered, and the sessions that have drawn it."""

    chart: TitledChart
    sessions: set[str]


_kept = LastUsed[tuple[str, bool, bytes], _Kept](MAX_KEPT)
_Given = ParamSpec("_Given")


def kept(make: Callable[_Given, TitledChart]) -> Callable[_Given, TitledChart]:
    """Let a function that makes a chart make it once for the same figures, on light and on dark ground.

    It is remembered for as long as a session is there that has drawn it.

    Its arguments are tables, arrays, dataclasses, collections, words and numbers. They are compared by what
    is in them, so it must look at nothing else.
    """

    @functools.wraps(make)
    def get(*args: _Given.args, **options: _Given.kwargs) -> TitledChart:
        digest = hashlib.blake2b(digest_size=16)
        _feed(digest, args)
        _feed(digest, options)
        key = (f"{make.__module__}.{make.__qualname__}", is_dark(), digest.digest())
        known = _kept.get(key)
        if known is None:
            known = _Kept(make(*args, **options), set())
            _kept.put(key, known)
        context = get_script_run_ctx(suppress_warning=True)
        if context is not None:
            known.sessions.add(context.session_id)
        return known.chart

    return get


def forget_charts() -> None:
    """Forget all charts that are remembered."""
    _kept.clear()


@after_sessions_end
def forget_charts_of_nobody(is_there: Callable[[str], bool]) -> None:
    """Forget the charts that only sessions have drawn that are gone: they may show a person's own words.

    Args:
        is_there: tells whether a session is still there.
    """

    def is_wanted(kept: _Kept) -> bool:
        gone = {session for session in tuple(kept.sessions) if not is_there(session)}
        kept.sessions.difference_update(gone)
        return bool(kept.sessions)

    _kept.keep(is_wanted)


def _feed(digest: hashlib.blake2b, value: Any) -> None:
    """Take a value into a digest, with its type and its length, so that no two values read the same."""
    kind = type(value).__name__
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        digest.update(f"{kind} {len(data)}:".encode() + data)
    elif value is None or isinstance(value, int | float | np.generic):
        digest.update(f"{kind} {value!r};".encode())
    elif isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{kind} {value.dtype} {value.shape}:".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, pd.DataFrame):
        arrow = _as_arrow(value)
        digest.update(f"{kind} {len(arrow)}:".encode() + arrow)
    elif dataclasses.is_dataclass(value):
        digest.update(f"{kind}:".encode())
        _feed(digest, [getattr(value, field.name) for field in dataclasses.fields(value)])
    elif isinstance(value, Mapping):
        digest.update(f"{kind} {len(value)}:".encode())
        for item in value.items():
            _feed(digest, item)
    elif isinstance(value, Set):
        _feed(digest, sorted(value))
    elif isinstance(value, Sequence):
        digest.update(f"{kind} {len(value)}:".encode())
        for item in value:
            _feed(digest, item)
    elif callable(value):
        digest.update(f"{value.__module__}.{value.__qualname__} {id(value)};".encode())
    else:
        raise TypeError(f"A chart of {kind} cannot be kept: give it tables, words and numbers.")


def put_chart(chart: Any, key: str, **options: Any) -> Any:
    """A chart alone: every chart of the app is drawn by this.

    ``options`` and what is returned are those of ``st.vega_lite_chart``.
    """
    ready = chart if isinstance(chart, ReadyChart) else ReadyChart(chart)
    spec = ready.to_send()
    spec["config"] = _merged(_page_config(is_dark()), spec.get("config", {}))
    spec["padding"] = {"right": _RIGHT}
    _follow_window(spec)
    return st.vega_lite_chart(spec, key=key, **options)


def draw_chart(titled: TitledChart, key: str, *, alt_text: str | None = None, **options: Any) -> Any:
    """A chart under its title, which is its ``alt_text`` too if there is no other; else as ``put_chart``."""
    title = titled.title
    # Its name says to assets/components/charts.js how high a place to keep for a chart that is not drawn yet.
    height = titled.ready.height
    with st.container(gap=None, key=f"{key}_high_{height}" if height else None):
        st.markdown(f"**{plain(title.text)}**")
        if title.subtitle:
            st.caption(plain(title.subtitle))
        return put_chart(titled.ready, key, alt=alt_text or title.text, **options)


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

    pictures = [
        Download("SVG", lambda: save("svg"), "svg", "image/svg+xml"),
        Download("PNG", lambda: save("png"), "png", "image/png"),
    ]
    can = can_save_pictures()
    offer_table(
        "Table and downloads",
        table,
        name,
        file,
        column_config,
        more=pictures if can else (),
        note="" if can else NO_PICTURES,
        is_compact=True,
    )
    return chosen


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


def larger(pixels: float) -> alt.ExprRef:
    """A size of letters in pixels, and a quarter more on a projector, as all text of the page."""
    return alt.ExprRef(larger_pixels(pixels))


def larger_pixels(pixels: float) -> str:
    """The same, as a part of Vega's expressions."""
    return f"({pixels:g} * larger)"


_LARGER = f"windowSize()[0] >= {PROJECTOR_WIDTH} ? 1.25 : 1"


def _follow_window(spec: dict[str, Any]) -> None:
    """Let letters, and the height with them, become larger on a projector.

    By signals: Vega works out a bare ``windowSize()`` once, and a chart drawn before the window was widened
    would have large letters in the room of small ones.
    """
    on = [{"events": {"source": "window", "type": "resize"}, "update": _LARGER}]
    params = [{"name": "larger", "expr": _LARGER, "on": on}]
    if isinstance(spec.get("height"), int | float):
        # Vega then puts the height without the axes there. If that is just the height of a small window, as
        # 100 - 20 is 80, narrowing would change nothing: it is a hair more.
        params.append({"name": "height", "expr": f"{larger_pixels(spec['height'])} + (larger - 1) / 100"})
    spec["params"] = [*params, *spec.get("params", [])]


def _config(dark: bool) -> dict[str, Any]:
    """The look of a saved chart."""
    look = _DARK if dark else _LIGHT
    axis = {"labelColor": look["soft"], "titleColor": look["soft"], "titleFontWeight": 400}
    return {
        "background": look["background"],
        "font": _FONT,
        "padding": 20,
        "view": {"stroke": None},
        "axis": {
            **axis,
            "gridColor": look["faint"],
            "domainColor": look["faint"],
            "tickColor": look["faint"],
        },
        "legend": axis,
        "title": {"color": look["ink"], "subtitleColor": look["soft"]},
        "text": {"color": look["ink"]},
        "header": axis,
    }


def _page_config(dark: bool) -> dict[str, Any]:
    """The look of a chart on the page, where Streamlit's own is too pale to read easily."""
    soft = (_DARK if dark else _LIGHT)["soft"]
    label, title = ({"expr": larger_pixels(size)} for size in (12, 13))
    axis = {"labelColor": soft, "titleColor": soft, "labelFontSize": label, "titleFontSize": title}
    # Its labels at the ends of an axis are moved inwards, so that their distances differ from the others'.
    return {"axis": axis, "axisY": {"labelFlush": False}, "legend": axis, "header": axis}


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """``second`` laid over ``first``, one level deep."""
    merged = dict(first)
    for key, value in second.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = {**merged[key], **value} if both else value
    return merged
