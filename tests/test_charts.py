"""Saved charts: what is said in them is there."""

from __future__ import annotations

import gc
import io
import re
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from PIL import Image

from pages.shared import charts
from pages.shared.charts import (
    MAX_KEPT,
    ReadyChart,
    Title,
    TitledChart,
    forget_charts,
    forget_charts_of_nobody,
    kept,
    picture_of,
)


def bars(title: str) -> TitledChart:
    data = pd.DataFrame({"a": [1], "b": ["x"]})
    return TitledChart(alt.Chart(data).mark_bar().encode(x=alt.X("a:Q", axis=None)), Title(title))


@pytest.mark.slow
def test_a_png_has_letters() -> None:
    dark = []
    for title in ("\u2009", "What there is to see"):
        image = Image.open(io.BytesIO(picture_of(bars(title), "png"))).convert("L")
        dark.append(int((np.asarray(image)[:60] < 100).sum()))
    assert dark[0] == 0 and dark[1] > 300


@pytest.mark.slow
def test_an_svg_is_one_and_says_what_was_typed() -> None:
    drawn = ElementTree.fromstring(picture_of(bars("<b>no markup</b>"), "svg"))
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "<b>no markup</b>" in words


def test_a_picture_is_as_dark_as_it_is_asked_for() -> None:
    light, dark = (picture_of(bars("One bar"), "svg", dark=dark).decode() for dark in (False, True))
    assert 'fill="#ffffff"' in light and "#121614" not in light
    assert 'fill="#121614"' in dark and 'fill="#ffffff"' not in dark


def test_a_chart_of_the_same_figures_is_made_once() -> None:
    made = []

    @kept
    def chart_of(table: pd.DataFrame, hues: dict[str, int], picks: list[str]) -> TitledChart:
        made.append(picks)
        return bars(" ".join(picks))

    def table(value: float) -> pd.DataFrame:
        return pd.DataFrame({"text": ["a", "b"], "value": [1.0, value]})

    first = chart_of(table(2), {"gpt2": 1}, ["ab", "c"])
    assert chart_of(table(2), {"gpt2": 1}, ["ab", "c"]) is first and len(made) == 1
    for arguments in (
        (table(3), {"gpt2": 1}, ["ab", "c"]),
        (table(2), {"gpt2": 2}, ["ab", "c"]),
        (table(2), {"gpt2": 1}, ["a", "bc"]),
        (table(2).rename(columns={"value": "other"}), {"gpt2": 1}, ["ab", "c"]),
    ):
        assert chart_of(*arguments) is not first
    assert len(made) == 5


def test_no_more_charts_are_kept_than_their_limit() -> None:
    chart_of = kept(bars)
    forget_charts()
    first = chart_of("0")
    for number in range(1, MAX_KEPT):
        chart_of(str(number))
    assert chart_of("0") is first
    chart_of("one more"), chart_of("and another")
    assert chart_of("0") is first  # used last
    assert chart_of("1").ready is not None and chart_of("1") is not first
    forget_charts()
    assert chart_of("0") is not first


def test_a_chart_is_forgotten_once_all_who_looked_at_it_have_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its title may be that of a person's own text."""
    chart_of = kept(bars)
    forget_charts()
    looking = [""]
    monkeypatch.setattr(
        charts,
        "get_script_run_ctx",
        lambda **_: SimpleNamespace(session_id=looking[0]) if looking[0] else None,
    )

    def draw(session: str, title: str) -> TitledChart:
        looking[0] = session
        return chart_of(title)

    alone, shared = draw("first", "My diary"), draw("first", "All languages")
    assert draw("second", "All languages") is shared
    here = {"first", "second"}
    forget_charts_of_nobody(here.__contains__)
    assert draw("first", "My diary") is alone
    here.remove("first")
    secret = weakref.ref(alone)
    del alone
    forget_charts_of_nobody(here.__contains__)
    gc.collect()
    assert secret() is None and draw("second", "All languages") is shared
    here.clear()
    forget_charts_of_nobody(here.__contains__)
    assert not charts._kept.values()
    draw("", "of a page that no session draws")
    forget_charts_of_nobody(here.__contains__)
    assert not charts._kept.values()


def test_a_chart_is_sent_with_what_it_draws_and_each_table_once() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"], "test": [True, False], "secret": ["s", "t"]})
    base = alt.Chart(table).encode(x="x:Q")
    strong = alt.OpacityValue(0.5, condition={"test": "datum.test", "value": 1})
    chart = alt.layer(
        base.mark_bar().encode(opacity=strong),
        alt.Chart(table.copy()).mark_text().encode(y="y:N", x="x:Q"),
        alt.Chart(table).mark_rule().encode(y="y:N"),
    )
    sent = ReadyChart(chart).to_send()
    columns = []
    for data in sent["datasets"].values():
        with pa.ipc.open_stream(data) as stream:
            columns.append(stream.read_all().column_names)
    assert columns == [["x", "y", "test"]]
    again = ReadyChart(chart).to_send()
    again["layer"].clear()  # whoever gets it may change it
    assert ReadyChart(chart).to_send() == sent


def test_layers_are_put_together_no_more_often_than_altair_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time, Altair copies each layer to its depth: a third of what it takes to make a chart ready."""
    base = alt.Chart(pd.DataFrame({"a": ["x"], "b": [1]})).encode(y="a:N", x="b:Q")
    layered = alt.layer(base.mark_bar(), alt.layer(base.mark_text(), base.mark_rule()))
    times: list[alt.LayerChart] = []
    put_together = alt.LayerChart.__init__

    def count(self: alt.LayerChart, *args: Any, **more: Any) -> None:
        times.append(self)
        put_together(self, *args, **more)

    monkeypatch.setattr(alt.LayerChart, "__init__", count)
    before = layered.to_dict(validate=False)
    n_times = len(times)
    ReadyChart(layered)
    assert len(times) == 2 * n_times
    assert layered.to_dict(validate=False) == before, "the chart itself stays as it is"


def test_every_size_of_letters_in_a_chart_and_the_room_for_its_labels_grow_on_a_projector() -> None:
    for path in (Path(__file__).parent.parent / "pages").rglob("charts.py"):
        if path.parent.name != "shared":  # which makes pictures, too: those have one size
            sizes = re.findall(r'fontSize"?\s*[=:]\s*([^,)\n]+)', path.read_text("utf-8"))
            limits = re.findall(r"Axis\(\s*labelLimit=([^,\n]+)", path.read_text("utf-8"))
            assert all(size.startswith("larger(") for size in [*sizes, *limits]), path
