"""The charts of the page Compression. A person's text is data in them, never markup."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from pages.shared.charts import APART, Title, TitledChart, ink, is_dark, larger
from pages.shared.colours import hex_of
from pages.shared.losses import lose
from tokenizers.measure import Metric

TEXT_PICK, ENCODING_PICK = "pick_text", "pick_encoding"
"""The charts' parameters: what was clicked."""

LONGEST = 15
"""Lengths that have a bar of their own; all that is longer shares the last."""

_DIM = 0.28
_AROUND = 64  # pixels for the axis, which on the page is part of a chart's height
_APART, _BETWEEN = 0.18, 0.2  # the space between groups and between bars, as shares of their step

Counts = npt.NDArray[np.int64]


def _colours(names: Sequence[str], hues: Mapping[str, int]) -> alt.Scale:
    dark = is_dark()
    return alt.Scale(domain=list(names), range=[hex_of(hues[name], dark=dark) for name in names])


def _picking(name: str, field: str, picks: Collection[str]) -> alt.Parameter:
    """A click picks, a second click undoes it. As long as nothing is picked, everything is drawn in full."""
    value = [{field: pick} for pick in picks]
    options: dict[str, Any] = {"value": value} if value else {}
    return alt.selection_point(name=name, fields=[field], toggle="true", **options)


# Bars: a metric by text and encoding


def _not_compared(names: Sequence[str]) -> str:
    """Behind a headline that compares: which encodings it leaves out, since few tokens are no merit there.

    >>> _not_compared(["words"]), _not_compared([])
    (' (not compared: words, which loses text)', '')
    """
    return f" (not compared: {lose(names, ', which ')} text)" if names else ""


def bars_title(
    table: pd.DataFrame, key: str, metric: Metric, lossy: Collection[tuple[str, str]] = frozenset()
) -> str:
    """What the bars show, in a sentence: where the encodings differ most, or one encoding's extremes.

    Args:
        table: of ``table_of``.
        key: the metric's.
        metric: which one.
        lossy: (text, encoding) where a part of the text is lost: they are not compared with others, as no
            panel of the playground that loses text is the best.

    >>> table = pd.DataFrame({"text": ["A", "A", "B", "B"], "encoding": ["x", "y"] * 2, "f": [4.0, 5, 1, 3]})
    >>> bars_title(table, "f", Metric("f", "of it", "more", lambda metrics, against: None, "It."))
    'Encodings differ most on B: y has 3.00 of it, x 1.00'
    """
    given: list[tuple[str, str, float]] = [
        (str(text), str(name), float(value))
        for text, name, value in zip(table["text"], table["encoding"], table[key], strict=True)
        if value == value
    ]
    if not given:
        return f"None of these texts has a figure for {metric.label}"
    left_out: list[tuple[str, str, float]] = []
    loses = ""
    if len({name for _, name, _ in given}) > 1:
        left_out = [row for row in given if row[:2] in lossy]
        given = [row for row in given if row[:2] not in lossy]
        if not given:
            names = list(dict.fromkeys(name for _, name, _ in left_out))
            return f"{lose(names)} text here, so their {metric.label} is not compared"
    elif any(row[:2] in lossy for row in given):
        loses = " (loses text)"
    by_text: dict[str, list[tuple[str, str, float]]] = {}
    for row in given:
        by_text.setdefault(row[0], []).append(row)
    several = any(len(rows) > 1 for rows in by_text.values())
    if not several:  # of those that are left, on different texts, the first
        given = [row for row in given if row[1] == given[0][1]]
        by_text = {row[0]: [row] for row in given}
    if several:
        # As a ratio, where there is one: a tenth of a byte is much at one byte, and little at five.
        as_ratio = min(value for _, _, value in given) > 0

        def spread(text: str) -> float:
            values = [value for _, _, value in by_text[text]]
            return max(values) / min(values) if as_ratio else max(values) - min(values)

        given = by_text[max(by_text, key=spread)]
    best, worst = max(given, key=lambda row: row[2]), min(given, key=lambda row: row[2])
    if metric.better == "less" and not loses:
        best, worst = worst, best
    high, low = metric.write(best[2]), metric.write(worst[2])
    if several and high == low:
        sentence = f"On each of these texts, all encodings have the same {metric.label}"
    elif several:
        sentence = f"Encodings differ most on {best[0]}: {best[1]} has {high} {metric.unit}, {worst[1]} {low}"
    elif len(by_text) == 1:
        sentence = f"{best[1]} has {high} {metric.unit} on {best[0]}"
    elif metric.better == "neither" or loses:
        sentence = f"{best[1]}: from {low} {metric.unit} on {worst[0]} to {high} on {best[0]}"
    else:
        sentence = f"{best[1]} does best on {best[0]}, with {high} {metric.unit}, "
        sentence += f"and worst on {worst[0]}, with {low}"
    about = {row[0] for row in given}
    if several and high == low:  # the sentence is about all texts
        about |= {row[0] for row in left_out}
    return (
        sentence
        + _not_compared(list(dict.fromkeys(name for text, name, _ in left_out if text in about)))
        + loses
    )


def bars_chart(
    table: pd.DataFrame,
    key: str,
    metric: Metric,
    hues: Mapping[str, int],
    *,
    texts: Collection[str],
    encodings: Collection[str],
    lossy: Collection[tuple[str, str]] = frozenset(),
) -> TitledChart:
    """A group of bars for each text, a bar for each encoding, each with its figure behind it.

    Args:
        table: of ``table_of``.
        key: the metric's.
        metric: which one.
        hues: of the encodings.
        texts: the picked ones, by title; empty: all. The others pale.
        encodings: the picked ones; empty: all.
        lossy: as for ``bars_title``.
    """
    names = list(dict.fromkeys(table["encoding"]))
    order = list(dict.fromkeys(table["text"]))
    n_bars = max(1, len(names))
    step = 16  # pixels of a bar: its figure is as high
    first = order[0] if order else None
    bar_rows = table[["text", "encoding", key]].rename(columns={key: "value"})
    bar_rows = bar_rows.assign(
        label=[
            (metric.write(value) if value == value else "not given")
            + (f"{APART}{name}" if text == first and n_bars > 1 else "")  # the first group is the legend
            for text, name, value in zip(
                bar_rows["text"], bar_rows["encoding"], bar_rows["value"].tolist(), strict=True
            )
        ],
        strength=[1.0 if not encodings or name in encodings else _DIM for name in bar_rows["encoding"]],
    )
    most = float(bar_rows["value"].max()) if bar_rows["value"].notna().any() else 0.0
    edge = (most or 1.0) * 1.26  # room for the figures
    ticks = _ticks(most)
    x = alt.X(
        "value:Q",
        stack=None,
        title=metric.label if metric.written_as == "share" or metric.unit == "of 1" else metric.unit,
        scale=alt.Scale(domain=[0, edge], nice=False),
        axis=alt.Axis(
            format="~%" if metric.written_as == "share" else f",.{_decimals(ticks)}f", values=ticks, grid=True
        ),
    )
    y = alt.Y(
        "text:N",
        sort=order,
        title=None,
        scale=alt.Scale(paddingInner=_APART, paddingOuter=_APART / 2),
        axis=alt.Axis(labelLimit=larger(150), labelOverlap=False, ticks=False, domain=False, labelPadding=8),
    )
    offset = alt.YOffset("encoding:N", sort=names, scale=alt.Scale(paddingInner=_BETWEEN))
    tooltip = [
        alt.Tooltip("text:N"),
        alt.Tooltip("encoding:N"),
        alt.Tooltip("value:Q", title=metric.label, format=".3%" if metric.written_as == "share" else ",.4~f"),
    ]
    pick = _picking(TEXT_PICK, "text", texts)
    strength = alt.Opacity("strength:Q", scale=None, legend=None)
    opacity = alt.OpacityValue(**alt.condition(pick, strength, alt.value(_DIM)))
    base = alt.Chart(bar_rows.assign(at=bar_rows["value"].fillna(0), edge=edge)).encode(y=y, yOffset=offset)
    # The height is said because Streamlit's own (85% of a band) comes out off the middle of a lane.
    bars = base.mark_bar(cornerRadiusEnd=2, height={"band": 1}).encode(
        x=x,
        color=alt.Color("encoding:N", scale=_colours(names, hues), legend=None),
        opacity=opacity,
    )
    figures = base.mark_text(align="left", dx=4, fontSize=larger(11), color=ink(soft=True)).encode(
        x=alt.X("at:Q"), text=alt.Text("label:N"), opacity=opacity
    )
    # An invisible bar as long as the row: it carries the tooltip and takes clicks.
    lanes = (
        base.mark_bar(opacity=0.001, cursor="pointer", height={"band": 1})
        .encode(x=alt.X("edge:Q", stack=None), tooltip=tooltip)
        .add_params(pick)
    )
    chart = alt.layer(bars, figures, lanes, height=_AROUND + len(order) * (n_bars * step + 6))
    return TitledChart(chart, Title(bars_title(table, key, metric, lossy)))


def _ticks(most: float) -> list[float]:
    """Round figures for an axis, none beyond the largest bar: no share is more than 100%.

    >>> _ticks(0.97), _ticks(8.9)
    ([0.0, 0.2, 0.4, 0.6, 0.8], [0.0, 2.0, 4.0, 6.0, 8.0])
    """
    if most <= 0:
        return [0.0]
    size = 10.0 ** math.floor(math.log10(most))
    step = next(part * size for part in (0.1, 0.2, 0.5, 1, 2) if most / (part * size) < 6)
    return [round(number * step, 10) for number in range(int(most / step + 1e-9) + 1)]


def _decimals(ticks: Sequence[float]) -> int:
    """The decimals that keep round figures distinct, up to six.

    >>> _decimals([0.0, 2.0, 4.0]), _decimals([0.0, 0.5]), _decimals([0.0, 0.02])
    (0, 1, 2)
    """
    return next((n for n in range(6) if all(round(tick, n) == round(tick, 9) for tick in ticks)), 6)


# Lengths: how the tokens' lengths are spread


def lengths_table(counts: Mapping[str, Sequence[Counts]], unit: str) -> pd.DataFrame:
    """How an encoding's tokens are spread over lengths. Every text counts alike, long or short.

    Args:
        counts: for each encoding, of every text, how many tokens have each length.
        unit: the column of the length: bytes or characters.

    Returns:
        A row for each length that occurs: encoding, the length, tokens in all, share (0 to 1).

    >>> table = lengths_table({"x": [np.array([0, 3, 1]), np.array([0, 0, 1])]}, "bytes")
    >>> table["bytes"].tolist(), table["tokens"].tolist(), table["share"].tolist()
    ([1, 2], [3, 2], [0.375, 0.625])
    """
    rows = []
    for name, many in counts.items():
        many = [each for each in many if each.sum()]
        size = max(map(len, many), default=0)
        tokens, share = np.zeros(size, dtype=np.int64), np.zeros(size)
        for each in many:
            tokens[: len(each)] += each
            share[: len(each)] += each / each.sum() / len(many)
        rows += [(name, int(n), int(tokens[n]), float(share[n])) for n in np.flatnonzero(tokens)]
    return pd.DataFrame(rows, columns=["encoding", unit, "tokens", "share"])


def middle_length(table: pd.DataFrame, name: str, unit: str) -> int:
    """The median length: half of the encoding's tokens are at most this long."""
    part = table[table["encoding"] == name]
    return int(part[unit].iloc[int(np.argmax(part["share"].cumsum() >= 0.5 - 1e-12))])


def lengths_title(table: pd.DataFrame, unit: str, where: str, lossy: Collection[str] = frozenset()) -> str:
    """What the lengths show, in a sentence; encodings that lose a part of these texts are not compared."""
    names = list(dict.fromkeys(table["encoding"]))
    if not names:
        return "No tokens, no lengths"
    left_out = [name for name in names if name in lossy]
    if len(names) == 1:
        left_out, suffix = [], " (loses text)" * len(left_out)
    elif len(left_out) == len(names):
        return f"{where}: {lose(left_out)} text, so the lengths of their tokens are not compared"
    else:
        suffix = _not_compared(left_out)
    names = [name for name in names if name not in left_out]
    middles = {name: middle_length(table, name, unit) for name in names}
    longest, shortest = max(middles, key=lambda n: middles[n]), min(middles, key=lambda n: middles[n])

    def many(count: int) -> str:
        return f"{count} {unit}" if count != 1 else f"1 {unit[:-1]}"

    if middles[longest] == middles[shortest]:
        who = longest if len(names) == 1 else "each encoding"
        return f"{where}: half of the tokens of {who} have up to {many(middles[longest])}{suffix}"
    return (
        f"{where}: half of the tokens of {longest} have up to {many(middles[longest])}, of {shortest} up to "
        f"{many(middles[shortest])}{suffix}"
    )


def lengths_chart(
    table: pd.DataFrame,
    unit: str,
    where: str,
    hues: Mapping[str, int],
    *,
    encodings: Collection[str],
    lossy: Collection[str] = frozenset(),
) -> TitledChart:
    """A row of bars for each encoding: the share of its tokens that have each length.

    Args:
        table: of ``lengths_table``.
        unit: bytes or characters.
        where: which texts, for the title.
        hues: of the encodings.
        encodings: the picked ones; empty: all. The others pale.
        lossy: those that lose a part of these texts.
    """
    names = list(dict.fromkeys(table["encoding"]))
    first = 0 if (table[unit] == 0).any() else 1
    lengths = [*(str(n) for n in range(first, LONGEST)), f"{LONGEST}+"]
    rows, peaks = [], []
    for place, name in enumerate(names):
        part = table[table["encoding"] == name]
        floor = len(names) - 1 - place
        peaks.append({"encoding": name, "top": floor + 0.94, "label": name})
        for length in lengths:
            here = part[part[unit] >= LONGEST] if length.endswith("+") else part[part[unit] == int(length)]
            share, tokens = float(here["share"].sum()), int(here["tokens"].sum())
            rows.append((name, length, tokens, share, floor))
    bar_rows = pd.DataFrame(rows, columns=["encoding", "length", "tokens", "share", "floor"])
    most = float(bar_rows["share"].max()) if len(bar_rows) else 1.0
    bar_rows["top"] = bar_rows["floor"] + bar_rows["share"] / most * 0.72
    bar_rows["label"] = [f"{share:.0%}" if share >= 0.045 else "" for share in bar_rows["share"]]
    heads = pd.DataFrame(peaks)

    x = alt.X(
        "length:O",
        sort=lengths,
        title=f"length of a token in {unit}",
        scale=alt.Scale(domain=lengths, paddingInner=0.15),
        axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap=True),
    )
    high = alt.Scale(domain=[0, max(1, len(names))], nice=False)
    pick = _picking(ENCODING_PICK, "encoding", encodings)
    opacity = alt.OpacityValue(**alt.condition(pick, alt.value(1), alt.value(_DIM)))
    colour = alt.Color("encoding:N", scale=_colours(names, hues), legend=None)
    on = alt.Y("floor:Q", scale=high, axis=None)
    bars = (
        alt.Chart(bar_rows)
        .mark_bar(cornerRadiusTopLeft=2, cornerRadiusTopRight=2)
        .encode(x=x, y=on, y2=alt.Y2("top:Q"), color=colour, opacity=opacity)
    )
    tooltip = [
        alt.Tooltip("encoding:N"),
        alt.Tooltip("length:N", title=f"length in {unit}"),
        alt.Tooltip("tokens:Q", format=",d"),
        alt.Tooltip("share:Q", title="share of its tokens", format=".2%"),
    ]
    # Over all, and unseen: the whole row of an encoding shows its figures in a tooltip, and can be clicked.
    cells = (
        alt.Chart(bar_rows.assign(ceiling=bar_rows["floor"] + 1))
        .mark_bar(opacity=0.001, cursor="pointer")
        .encode(
            x=alt.X("length:O", sort=lengths, scale=alt.Scale(domain=lengths, paddingInner=0.15)),
            y=on,
            y2=alt.Y2("ceiling:Q"),
            tooltip=tooltip,
        )
        .add_params(alt.selection_point(name=ENCODING_PICK, fields=["encoding"], empty=False, toggle="true"))
    )
    labels = (
        alt.Chart(bar_rows)
        .mark_text(baseline="bottom", dy=-2, fontSize=larger(11), color=ink(soft=True))
        .encode(x=x, y=alt.Y("top:Q", scale=high, axis=None), text=alt.Text("label:N"), opacity=opacity)
    )
    named = (
        alt.Chart(heads)
        .mark_text(align="right", dy=5, fontSize=larger(12), fontWeight=600, baseline="top")
        .encode(
            x=alt.XValue("width"),
            y=alt.Y("top:Q", scale=high, axis=None),
            text=alt.Text("label:N"),
            color=colour,
            opacity=opacity,
        )
    )
    chart = alt.layer(bars, labels, named, cells, height=_AROUND + len(names) * 84)
    return TitledChart(chart, Title(lengths_title(table, unit, where, lossy)))
