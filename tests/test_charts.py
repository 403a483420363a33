"""Saved charts: what is said in them is there."""

from __future__ import annotations

import importlib
import io
import re
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pages.shared import charts
from pages.shared.charts import TitledChart, labelled_bars, picture_of
from tests.visit import Parameters, Visit, chart_titles


def bars(title: str) -> TitledChart:
    data = pd.DataFrame({"a": [1], "b": ["x"]})
    return TitledChart(alt.Chart(data).mark_bar().encode(x=alt.X("a:Q", axis=None)), title)


def test_labelled_bars_leave_room_for_the_longest_label() -> None:
    rows = pd.DataFrame({"name": ["a", "b"], "value": [1, 2], "label": ["1", "x" * 30]})
    spec = labelled_bars(rows, "name", "value", [], "red").to_dict()
    scale = spec["layer"][0]["encoding"]["x"]["scale"]
    assert scale["domain"] == [0, 2]
    _, last = scale["range"]
    (pixels,) = re.findall(r"width - \(([\d.]+)", last["expr"])
    assert float(pixels) > 30 * 6


def test_a_chart_that_is_clicked_chooses_a_mark_until_another_is_clicked() -> None:
    clicked = charts.clickable(bars("Bars").chart, "b").to_dict()["params"][0]
    assert clicked["select"] == {"type": "point", "fields": ["b"], "on": "click", "clear": False}


def test_charts_for_paper_are_light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.context", SimpleNamespace(theme=SimpleNamespace(type="dark")))
    assert charts.is_dark()
    with charts.on_paper():
        assert not charts.is_dark()
    assert charts.is_dark()


@pytest.mark.slow
def test_a_png_has_letters() -> None:
    dark = []
    for title in ("\u2009", "What there is to see"):
        image = Image.open(io.BytesIO(picture_of(bars(title), "png"))).convert("L")
        dark.append(int((np.asarray(image)[:60] < 100).sum()))
    assert dark[0] == 0 and dark[1] > 300


@pytest.mark.slow
def test_an_svg_is_one_and_says_what_was_typed() -> None:
    titled = replace(bars("<b>no markup</b>"), subtitle="of two", source="Token Grove & <i>me</i>")
    drawn = ElementTree.fromstring(picture_of(titled, "svg"))
    assert {"<b>no markup</b>", "of two", "Token Grove & <i>me</i>"} <= set(drawn.itertext())


@pytest.mark.slow
def test_title_and_source_of_a_saved_chart_can_be_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[TitledChart] = []

    def save(titled: TitledChart, *_: str, **__: bool) -> bytes:
        saved.append(titled)
        return b""

    # The page of reports takes it when it is first imported, which must not be while it is another one.
    importlib.import_module("pages.shared.reports")
    monkeypatch.setattr("pages.shared.charts.picture_of", save)
    link: Parameters = {"text": ["prose", "json"], "encoding": ["gpt2"]}
    visit = Visit("measure/compression/page.py", link, compression_bars_files=True)
    title, source = (each for each in visit.test.text_input if "in the picture" in each.label)
    assert (title.value, source.value) == (chart_titles(visit.test)[0], "Token Grove · English prose, JSON")
    title.set_value("*Mine*")
    source.set_value("")
    visit.run()
    assert (saved[-1].title, saved[-1].source) == ("*Mine*", "")
    assert chart_titles(visit.test)[0] != "*Mine*"  # the page goes on saying what is shown
    visit.set("compression_metric", "fertility")
    assert saved[-1].title == chart_titles(visit.test)[0]  # another chart has another title
    visit.set("compression_metric", "bytes_per_token")
    assert saved[-1].title == "*Mine*"
