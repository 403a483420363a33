"""The charts of the page Compression. User text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from pages.shared.charts import (
    APART,
    HALF_WIDTH,
    TitledChart,
    clickable,
    encoding_colours,
    ink,
    larger,
    named_rows,
    paint,
    tips,
)
from pages.shared.warnings import loss_note
from tokenizers.amounts import plural
from tokenizers.measure import Metric
from tokenizers.registry import model_name, short_title
from tokenizers.text import isolate

LONGEST = 16
"""The greatest length in the chart."""

_DIM = 0.28
_BAR = 20  # pixels of a bar, and of its value
_AROUND = 64  # pixels for the axis, which on the page is part of a chart's height
_APART = 0.18  # the space between groups, as a share of their step
_BETWEEN = 0.2  # the space between bars, as a share of theirs

Counts = npt.NDArray[np.int64]


# Bars: a metric by text and encoding


def _compared(table: pd.DataFrame, lossy: Collection[str]) -> pd.DataFrame:
    """The rows that a title compares: those of encodings that lose no text, if there are any."""
    rows = table[~table["tokenizer"].isin(lossy)]
    return table if rows.empty else rows


def bars_title(table: pd.DataFrame, key: str, metric: Metric, lossy: Collection[str] = frozenset()) -> str:
    """The title of the bars: where the encodings differ most, or the extremes of one encoding.

    Args:
        table: of ``table_of``.
        key: the key of the metric.
        metric: the metric.
        lossy: the encodings that lose a part of these texts.

    >>> table = pd.DataFrame({"text": ["A", "A", "B", "B"], "tokenizer": ["x", "y"] * 2, "f": [4.0, 5, 1, 3]})
    >>> bars_title(table, "f", Metric("f", "of it", "more", lambda metrics, against: None, "it", "It."))
    'The difference is largest on B: y has 3.00 of it, x 1.00'
    """
    rows = _compared(table.dropna(subset=[key]), lossy)
    if rows.empty:
        return f"{metric.title} does not apply to these texts"
    n_compared = rows["tokenizer"].nunique()
    differ = n_compared > 1
    if differ:
        rows = rows[rows["text"] == _most_different(rows, key)]
    best = rows.iloc[int(rows[key].argmax())]
    worst = rows.iloc[int(rows[key].argmin())]
    if metric.better == "less":
        best, worst = worst, best
    first = metric.write(float(best[key]))
    last = metric.write(float(worst[key]))
    name = model_name(best["tokenizer"])
    if not differ:
        sentence = f"{name} has {first} {metric.unit} on {isolate(best['text'])}"
        if len(rows) > 1:
            sentence += f", and {last} on {isolate(worst['text'])}"
    elif first == last:
        which = "all" if n_compared == table["tokenizer"].nunique() else "all others"
        sentence = f"On each of these texts, {which} have the same {metric.label}"
    else:
        sentence = f"The difference is largest on {isolate(best['text'])}: {name} has {first} {metric.unit}, "
        sentence += f"{model_name(worst['tokenizer'])} {last}"
    return sentence + loss_note(table["tokenizer"].unique(), lossy)


def _most_different(rows: pd.DataFrame, key: str) -> str:
    """The text on which the encodings differ most."""
    by_text = rows.groupby("text", sort=False)[key]
    least = by_text.min()
    most = by_text.max()
    # Compare ratios, if possible: a difference of 0.1 is large at 1 byte, and small at 5.
    spread = most / least if least.min() > 0 else most - least
    return str(spread.idxmax())


def _bar_rows(table: pd.DataFrame, key: str, metric: Metric, text: str, encoding: str) -> pd.DataFrame:
    """A row for each bar, with its label and its opacity."""
    rows = table[["text", "tokenizer", key]].rename(columns={key: "value"})
    label = rows["value"].map(lambda value: metric.write(value) if value == value else "not given")
    if rows["tokenizer"].nunique() > 1:  # the first group is the legend
        is_first = rows["text"] == rows["text"].iloc[0]
        label += (APART + rows["tokenizer"].map(model_name)).where(is_first, "")
    is_pale = pd.Series(False, rows.index)
    if text:
        is_pale |= rows["text"] != text
    if encoding:
        is_pale |= rows["tokenizer"] != encoding
    return rows.assign(
        label=label,
        name=rows["tokenizer"].map(short_title),
        strength=is_pale.map({True: _DIM, False: 1.0}),
        at=rows["value"].fillna(0),
    )


def _value_axis(metric: Metric, most: float) -> alt.X:
    """The axis of a metric's values, with room for the labels at its right."""
    is_share = metric.written_as == "share"
    return alt.X(
        "value:Q",
        stack=None,
        title=metric.label if is_share or metric.unit == "of 1" else metric.unit,
        scale=alt.Scale(domain=[0, most or 1.0], range=[0, alt.ExprRef("width * 0.79")], nice=False),
        axis=alt.Axis(format="~%" if is_share else ",~r", tickCount=6, grid=True),
    )


def bars_chart(
    table: pd.DataFrame,
    key: str,
    metric: Metric,
    hues: Mapping[str, int],
    *,
    text: str = "",
    encoding: str = "",
    lossy: Collection[str] = frozenset(),
) -> TitledChart:
    """A group of bars for each text: a bar with its value for each encoding.

    Args:
        table: of ``table_of``.
        key: the key of the metric.
        metric: the metric.
        hues: the hues of the encodings.
        text: the title of the selected text; empty: all. The others are pale.
        encoding: the selected encoding; empty: all.
        lossy: as for ``bars_title``.
    """
    names = list(dict.fromkeys(table["tokenizer"]))
    texts = list(dict.fromkeys(table["text"]))
    rows = _bar_rows(table, key, metric, text, encoding)
    base = alt.Chart(rows).encode(
        y=named_rows("text", texts, 150, labelPadding=8).scale(paddingInner=_APART, paddingOuter=_APART / 2),
        yOffset=alt.YOffset("tokenizer:N", sort=names, scale=alt.Scale(paddingInner=_BETWEEN)),
    )
    strength = alt.Opacity("strength:Q", scale=None, legend=None)
    # The height is given because Streamlit's own (85% of a band) comes out off the middle of a lane.
    bars = base.mark_bar(cornerRadiusEnd=2, height={"band": 1}).encode(
        x=_value_axis(metric, float(rows["at"].max())),
        color=encoding_colours(hues),
        opacity=strength,
    )
    values = base.mark_text(align="left", dx=4, fontSize=larger(11), color=ink("soft")).encode(
        x=alt.X("at:Q"), text=alt.Text("label:N"), opacity=strength
    )
    # An invisible bar as long as the row shows the tooltip and takes clicks.
    value_format = ".3%" if metric.written_as == "share" else ",.4~f"
    tooltip = tips({"text": "", "name": ("tokenizer", ""), "value": (metric.label, value_format)})
    lanes = base.mark_bar(opacity=0.001, cursor="pointer", height={"band": 1}).encode(
        x=alt.XValue(0), x2=alt.X2Value("width"), tooltip=tooltip
    )
    height = _AROUND + len(texts) * (max(1, len(names)) * _BAR + 6)
    chart = alt.layer(bars, values, clickable(lanes, "text"), height=height)
    return TitledChart(chart, bars_title(table, key, metric, lossy))


# Lengths: how the tokens' lengths are spread


def lengths_table(counts: Mapping[str, Sequence[Counts]]) -> pd.DataFrame:
    """The distribution of token lengths of each encoding. Each text has the same weight.

    Args:
        counts: for each encoding, the number of tokens of each length in bytes, for each text.

    Returns:
        A row for each length that occurs: encoding, the length, tokens in all, share (0 to 1).

    >>> table = lengths_table({"x": [np.array([0, 3, 1]), np.array([0, 0, 1])]})
    >>> table["bytes"].tolist(), table["tokens"].tolist(), table["share"].tolist()
    ([1, 2], [3, 2], [0.375, 0.625])
    """
    rows = []
    for name, of_texts in counts.items():
        of_texts = [each for each in of_texts if each.sum()]
        size = max(map(len, of_texts), default=0)
        tokens = np.zeros(size, dtype=np.int64)
        share = np.zeros(size)
        for each in of_texts:
            tokens[: len(each)] += each
            share[: len(each)] += each / each.sum() / len(of_texts)
        for length in np.flatnonzero(tokens).tolist():
            rows.append((name, length, int(tokens[length]), float(share[length])))
    table = pd.DataFrame(rows, columns=["tokenizer", "bytes", "tokens", "share"])
    return table.astype({"bytes": int, "tokens": int, "share": float})


def middle_length(table: pd.DataFrame, name: str) -> int:
    """The median length: half of the encoding's tokens are at most this long."""
    rows = table[table["tokenizer"] == name]
    is_half = rows["share"].cumsum() >= 0.5 - 1e-12
    return int(rows["bytes"][is_half].iloc[0])


def lengths_title(table: pd.DataFrame, where: str, lossy: Collection[str] = frozenset()) -> str:
    """The title of the lengths: the greatest median, and the smallest."""
    if table.empty:
        return "No tokens, no lengths"
    names = _compared(table, lossy)["tokenizer"].unique()
    middles = {name: middle_length(table, name) for name in names}
    longest = max(middles, key=middles.__getitem__)
    shortest = min(middles, key=middles.__getitem__)
    most = plural(middles[longest], "byte")
    title = f"{where}: half of the tokens of {model_name(longest)} have up to {most}"
    if middles[longest] != middles[shortest]:
        title += f", of {model_name(shortest)} up to {middles[shortest]}"
    return title + loss_note(table["tokenizer"].unique(), lossy)


def lengths_chart(
    table: pd.DataFrame,
    where: str,
    hues: Mapping[str, int],
    *,
    encoding: str = "",
    lossy: Collection[str] = frozenset(),
) -> TitledChart:
    """A line for each encoding: the share of its tokens up to each length.

    Args:
        table: of ``lengths_table``.
        where: which texts, for the title.
        hues: the hues of the encodings.
        encoding: the selected encoding; empty: all. The others are pale.
        lossy: those that lose a part of these texts.
    """
    names = list(dict.fromkeys(table["tokenizer"]))
    rows = table.assign(
        name=table["tokenizer"].map(short_title),
        up_to=table.groupby("tokenizer")["share"].cumsum(),
        strength=[1.0 if encoding in ("", name) else _DIM for name in table["tokenizer"]],
    )
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=[*map(short_title, names)], range=[paint(hues[name]) for name in names]),
        legend=alt.Legend(title=None, orient="top", labelLimit=HALF_WIDTH, columns=2),
    )
    base = alt.Chart(rows[rows["bytes"] <= LONGEST]).encode(
        x=alt.X("bytes:Q", title="length of a token in bytes", axis=alt.Axis(tickMinStep=1, grid=False)),
        y=alt.Y("up_to:Q", title="tokens up to this length", axis=alt.Axis(format="%", tickCount=5)),
        color=colour,
        opacity=alt.Opacity("strength:Q", scale=None, legend=None),
    )
    points = base.mark_point(filled=True, size=70, cursor="pointer").encode(
        tooltip=tips(
            {
                "bytes": ",d",
                "tokens": ",d",
                "name": ("tokenizer", ""),
                "up_to": ("up to this length", ".1%"),
            }
        )
    )
    half = alt.Chart(pd.DataFrame({"half": [0.5]})).encode(y=alt.Y("half:Q"))
    layers = [
        half.mark_rule(strokeDash=[4, 4], color=ink("soft")),
        base.mark_line(strokeWidth=2.2, aria=False),
        clickable(points, "tokenizer"),
    ]
    return TitledChart(alt.layer(*layers, height=380), lengths_title(table, where, lossy))
