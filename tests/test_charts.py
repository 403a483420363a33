"""Saved charts: what is said in them is there."""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pages.shared.charts import TitledChart, cached_chart, picture_of


def bars(title: str) -> TitledChart:
    data = pd.DataFrame({"a": [1], "b": ["x"]})
    return TitledChart(alt.Chart(data).mark_bar().encode(x=alt.X("a:Q", axis=None)), title)


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


def test_a_cached_chart_is_made_once_for_the_same_arguments() -> None:
    made = []

    @cached_chart
    def chart_of(table: pd.DataFrame, picks: list[str]) -> TitledChart:
        made.append(picks)
        return bars(" ".join(picks))

    table = pd.DataFrame({"text": ["a", "b"], "value": [1.0, 2.0]})
    first = chart_of(table, ["ab", "c"])
    assert chart_of(table.copy(), ["ab", "c"]) == first and len(made) == 1
    chart_of(table, ["a", "bc"]), chart_of(table.assign(value=3.0), ["ab", "c"])
    assert len(made) == 3


def test_every_size_of_letters_in_a_chart_and_the_room_for_its_labels_grow_on_a_projector() -> None:
    for path in (Path(__file__).parent.parent / "pages").rglob("charts.py"):
        if path.parent.name != "shared":  # which makes pictures, too: those have one size
            sizes = re.findall(r'fontSize"?\s*[=:]\s*([^,)\n]+)', path.read_text("utf-8"))
            limits = re.findall(r"Axis\(\s*labelLimit=([^,\n]+)", path.read_text("utf-8"))
            assert all(size.startswith("larger(") for size in [*sizes, *limits]), path
