"""Saved charts: what is said in them is there."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pages.shared.charts import TitledChart, picture_of


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
