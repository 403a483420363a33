"""The charts of the page Train. User text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from pages.shared.charts import Layers, encoding_colours, labelled_bars, paint, tips

RATIO = "bytes per token"
_BARS_AXIS = alt.Axis(title=RATIO, format=".1f", tickCount=5, grid=False)


def ratio_chart(rows: pd.DataFrame, hues: Mapping[str, int]) -> Layers:
    """A bar of bytes per token for each encoding: columns tokenizer and ``RATIO``."""
    rows = rows.assign(label=rows[RATIO].map("{:.2f}".format))
    tooltip = tips({"tokenizer": "", RATIO: ".3f"})
    return labelled_bars(rows, "tokenizer", RATIO, tooltip, encoding_colours(hues), _BARS_AXIS)


def comparison_chart(rows: pd.DataFrame) -> Layers:
    """A bar for each method: bytes per token on held-out text; pale, if not all of that can be restored.

    Args:
        rows: of ``comparison_table``, and columns label, and fill: of the bar, 0 to 1.
    """
    tooltip = tips(
        {
            "method": "",
            RATIO: ".3f",
            "vocabulary": ("tokens in the vocabulary", ",d"),
            "lost": ("of the text, lost", ".2%"),
        }
    )
    fill = alt.FillOpacity("fill:Q", scale=None, legend=None)
    stroke = alt.StrokeValue(paint(0))
    return labelled_bars(
        rows, "method", RATIO, tooltip, paint(0), _BARS_AXIS, fillOpacity=fill, stroke=stroke
    )
