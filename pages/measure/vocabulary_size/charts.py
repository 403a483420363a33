"""The charts of the page Vocabulary size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts import (
    APART,
    TitledChart,
    encoding_colours,
    ink,
    is_dark,
    larger,
    larger_pixels,
    paint,
    tips,
)
from tokenizers.amounts import shorten
from tokenizers.bpe import SizeCurve, Sizes
from tokenizers.measure import Model, SweetSpot, cost_per_byte
from tokenizers.registry import model_name, short_title
from tokenizers.text import isolate

POINTS = 120
HOVERED = 2  # every second point has a tooltip: each is an element of the page
MOST_TIMES = 4
"""The axis of costs ends at this many times the least cost."""

LABEL_HEIGHT = 18  # pixels
_AROUND = 70  # pixels of a chart's height that go to its axis
_ROOM = 180  # pixels for the labels at the lines' ends
_LONGEST_LABEL = 18  # characters of a name at the end of a line
_HEADROOM = 1.22  # of the axis of costs, above the highest cost
_LABEL_ROOM = 42  # pixels of the height of the sweet spot's label
_HALF_LABEL = 88  # pixels of half its width

SIZE = "vocabulary size"
RATIO = "bytes per token"
_COST = "operations per byte"


@dataclass(frozen=True)
class Line:
    """One encoding on one text.

    Attributes:
        name: the name of the encoding.
        hue: its hue.
        text: the title of the text.
        second: whether it is the second text, drawn dashed.
        curve: the number of tokens at each size.
    """

    name: str
    hue: int
    text: str
    second: bool
    curve: SizeCurve

    @property
    def best(self) -> float:
        """Bytes per token with the whole vocabulary."""
        return self.curve.bytes_per_token(self.curve.full)


def sizes_to_draw(curve: SizeCurve) -> Sizes:
    """Vocabulary sizes at equal distances on a logarithmic axis, including both ends.

    >>> from pages.shared.curves import curve_of
    >>> from tokenizers import get_encoding
    >>> sizes = sizes_to_draw(curve_of(get_encoding("gpt2"), "one two"))
    >>> int(sizes[0]), int(sizes[-1]), len(sizes) > 50
    (256, 50256, True)
    """
    spread = np.geomspace(curve.smallest, max(curve.full, curve.smallest), POINTS)
    return np.unique(spread.round().astype(np.int64))


def curve_table(lines: Sequence[Line]) -> pd.DataFrame:
    """The exact values at powers of two and at each full size."""
    rows = []
    for line in lines:
        full = line.curve.full
        for size in _sizes_to_list(line.curve, full):
            ratio = line.curve.bytes_per_token(size)
            rows.append((short_title(line.name), size, ratio, line.curve.at(size), line.text))
    return pd.DataFrame(rows, columns=["tokenizer", SIZE, RATIO, "tokens", "text"])


def _sizes_to_list(curve: SizeCurve, *more: int) -> list[int]:
    """The powers of two within a curve, and more sizes, in order."""
    return sorted({2**k for k in range(8, 31) if curve.smallest <= 2**k <= curve.full} | {*more})


def size_within(curve: SizeCurve, share: float = 0.05) -> int:
    """The smallest vocabulary with which the text takes at most this share more tokens than with all.

    >>> curve = SizeCurve(100, 1000, np.array([256, 300, 400]), np.array([100, 42, 40]))
    >>> size_within(curve), size_within(curve, 0.01)
    (300, 400)
    """
    enough = np.flatnonzero(curve.counts <= curve.counts[-1] * (1 + share))
    return int(curve.sizes[enough[0]])


def curve_title(lines: Sequence[Line]) -> str:
    """The title: how little the last part of the largest vocabulary does."""
    first = [line for line in lines if not line.second]
    if not first:
        return ""
    most = max(first, key=lambda line: line.curve.full)
    name = model_name(most.name)
    text = isolate(most.text)
    enough = size_within(most.curve)
    rest = most.curve.full - enough
    if not rest:
        return f"Every token of {name} helps with {text}: {most.best:.2f} bytes per token"
    return f"In {name}, the last {rest:,} of {most.curve.full:,} tokens make {text} less than 5% shorter"


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels near their wanted places, at least ``gap`` apart, between low and high.

    >>> spread_out([1.0, 1.0, 5.0], 1.0, 0.0, 10.0)
    [1.0, 2.0, 5.0]
    >>> spread_out([10.0, 10.0], 1.0, 0.0, 10.0)
    [9.0, 10.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = list(wanted)
    lowest = low
    highest = high
    for i in order:
        places[i] = max(places[i], lowest)
        lowest = places[i] + gap
    for i in reversed(order):
        places[i] = min(places[i], highest)
        highest = places[i] - gap
    return places


def ticks_to(last: int) -> list[int]:
    """The ticks of an axis from 256 to ``last``, which is at least 512; two or more.

    >>> ticks_to(100_256), ticks_to(2047), ticks_to(512)
    ([256, 1024, 4096, 16384, 65536], [256, 512, 1024], [256, 512])
    """
    step = 4 if last >= 4096 else 2
    return [256 * step**k for k in range(10) if 256 * step**k <= last]


def _x(last: int, room: int = 0) -> alt.X:
    """The logarithmic axis of sizes, with ``room`` pixels free at its right."""
    last = max(last, 512)
    return alt.X(
        f"{SIZE}:Q",
        scale=alt.Scale(
            type="log",
            base=2,
            domain=[256, last],
            range=[0, alt.ExprRef(f"width - {larger_pixels(room)}")],
            nice=False,
        ),
        axis=alt.Axis(
            values=ticks_to(last),
            format=",d",  # in full: 65,536 as "66k" would be another number
            grid=False,
            title="vocabulary size, in tokens",
            titleAnchor="start",
        ),
    )


def _points(lines: Sequence[Line]) -> pd.DataFrame:
    """The points of each line."""
    points = []
    for line in lines:
        sizes = sizes_to_draw(line.curve)
        columns = {
            "tokenizer": short_title(line.name),
            "text": line.text,
            "second": line.second,
            "line": f"{line.name} {line.second}",
            SIZE: sizes,
            RATIO: line.curve.n_bytes / np.maximum(line.curve.at_sizes(sizes), 1),
        }
        points.append(pd.DataFrame(columns))
    return pd.concat(points, ignore_index=True)


def _ends(lines: Sequence[Line]) -> pd.DataFrame:
    """The last point of each line, without the place of its label."""
    return pd.DataFrame(
        {
            "tokenizer": short_title(line.name),
            "text": line.text,
            "second": line.second,
            SIZE: line.curve.full,
            RATIO: line.best,
            "label": f"{shorten(model_name(line.name), _LONGEST_LABEL)}{APART}{line.best:.2f}",
        }
        for line in lines
    )


def _curve_subtitle(lines: Sequence[Line]) -> str:
    titles = {line.second: isolate(line.text) for line in lines}
    if len(titles) == 2:
        return f"solid: {titles[False]}; dashed: {titles[True]}"
    return f"on {titles[lines[0].second]}"


def curve_chart(lines: Sequence[Line]) -> TitledChart:
    """Bytes per token against vocabulary size, each line labelled at its end.

    Args:
        lines: at least one.
    """
    points = _points(lines)
    height = max(390, LABEL_HEIGHT * (len(lines) + 1) + _AROUND)
    low = min(1.0, float(points[RATIO].min()))
    high = max(low + 0.5, float(points[RATIO].max()) * 1.03)
    label_gap = LABEL_HEIGHT / (height - _AROUND) * (high - low)
    ends = _ends(lines)
    ends["label y"] = spread_out(ends[RATIO].tolist(), label_gap, low, high)
    channels = {
        "x": _x(max(line.curve.full for line in lines), _ROOM),
        "y": alt.Y(
            f"{RATIO}:Q",
            scale=alt.Scale(domain=[low, high], nice=False),
            axis=alt.Axis(format=".1f", tickCount=6, title="bytes per token"),
        ),
        "color": encoding_colours({short_title(line.name): line.hue for line in lines}),
    }
    layers = _curve_layers(points, ends, channels)
    return TitledChart(alt.layer(*layers, height=height), curve_title(lines), _curve_subtitle(lines))


def _curve_layers(points: pd.DataFrame, ends: pd.DataFrame, channels: Mapping[str, Any]) -> list[alt.Chart]:
    """The lines, their ends and labels, and what shows the values under the mouse."""
    dashes = alt.Scale(domain=[False, True], range=[[1, 0], [6, 4]])
    dash = alt.StrokeDash("second:N", scale=dashes, legend=None)
    tooltip = tips({"tokenizer": "", "text": "", SIZE: ",d", RATIO: ".3f"})
    label_x = alt.ExprRef(f"width - {larger_pixels(_ROOM - 18)}")
    leader_x = alt.ExprRef(f"width - {larger_pixels(_ROOM - 14)}")
    lines = alt.Chart(points).encode(**channels)
    hovered = alt.Chart(points.iloc[::HOVERED]).encode(**channels)
    at_ends = alt.Chart(ends).encode(**channels)
    at_labels = alt.Chart(ends.assign(**{RATIO: ends["label y"]})).encode(**channels)
    return [
        lines.mark_line(strokeWidth=2.2).encode(detail=alt.Detail("line:N"), strokeDash=dash),
        at_ends.mark_rule(strokeWidth=0.8, opacity=0.55).encode(
            x2=alt.X2Value(leader_x),
            y2=alt.Y2("label y:Q"),
            strokeDash=dash,
        ),
        at_ends.mark_point(filled=True, size=55, opacity=1).encode(tooltip=tooltip),
        at_labels.mark_text(
            align="left",
            baseline="middle",
            fontSize=larger(12),
            fontWeight=600,
        ).encode(x=alt.XValue(label_x), text=alt.Text("label:N")),
        hovered.mark_point(size=200, opacity=0).encode(tooltip=tooltip),
    ]


# The sweet spot


def cost_table(model: Model, curve: SizeCurve, spot: SweetSpot) -> pd.DataFrame:
    """The exact values at powers of two, at the minimum, and at the full size."""
    sizes = _sizes_to_list(curve, spot.size, curve.full)
    costs = cost_per_byte(model, curve, sizes)
    return pd.DataFrame(
        {
            SIZE: sizes,
            _COST: costs,
            "above the minimum": costs / spot.flops_per_byte - 1,
            RATIO: [curve.bytes_per_token(size) for size in sizes],
            "parameters of the vocabulary": [model.vocabulary_parameters(size) for size in sizes],
            "their share": [model.vocabulary_share(size) for size in sizes],
        }
    )


def cost_chart(model: Model, curve: SizeCurve, spot: SweetSpot, hue: int, *, title: str) -> TitledChart:
    """The cost of a byte against vocabulary size: of the output layer, of all others, and the minimum."""
    sizes = np.unique(np.concatenate((sizes_to_draw(curve), [spot.size])))
    total = cost_per_byte(model, curve, sizes)
    scores = total * sizes * model.d_model / (sizes * model.d_model + model.layer_parameters)
    parts = {"the output layer: a score for each token": scores, "all other layers": total - scores}
    x = _x(curve.full)
    # The far left costs several times the minimum, so it is cut off: the valley matters.
    # The label needs room above: on the shaded sizes it is hard to read.
    top = _HEADROOM * float(min(total.max() * 1.04, spot.flops_per_byte * MOST_TIMES))
    y = alt.Y(
        f"{_COST}:Q",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(format="~s", tickCount=5, title="operations per byte of text"),
    )
    colour = alt.Color(
        "part:N",
        scale=alt.Scale(domain=list(parts), range=[paint(hue), "#59635d" if is_dark() else "#c3cbc5"]),
        legend=alt.Legend(title=None, orient="top", direction="vertical", labelLimit=400),
    )
    areas = pd.concat(
        [pd.DataFrame({SIZE: sizes, _COST: cost, "part": part}) for part, cost in parts.items()]
    )
    sums = alt.Chart(pd.DataFrame({SIZE: sizes, _COST: total})).encode(x=x, y=y)
    tooltip = tips({SIZE: ",d", _COST: ",.0f"})
    layers = [
        alt.Chart(areas)
        .mark_area(clip=True, opacity=0.75, line=False)
        .encode(x=x, y=y.stack("zero"), color=colour, order=alt.Order("part:N", sort="ascending")),
        _valley(spot, x),
        sums.mark_line(strokeWidth=2.4, color=ink(), clip=True),
        *_minimum(spot, x, y, tooltip),
        sums.mark_point(size=70, opacity=0, clip=True).encode(tooltip=tooltip),
    ]
    return TitledChart(alt.layer(*layers, height=350), title)


def _below_label() -> dict[str, Any]:
    """From below the label of the minimum to the axis."""
    return {"y": alt.YValue(alt.ExprRef(larger_pixels(_LABEL_ROOM))), "y2": alt.Y2Value("height")}


def _valley(spot: SweetSpot, x: alt.X) -> alt.Chart:
    """The shade on the sizes that cost little more than the minimum."""
    ends = pd.DataFrame({SIZE: [spot.from_size], "to": [max(spot.to_size, spot.from_size + 1)]})
    mark = alt.Chart(ends).mark_rect(opacity=0.14, color=ink(), clip=True)
    shade: alt.Chart = mark.encode(x=x, x2=alt.X2("to:Q"), **_below_label())
    return shade


def _minimum(spot: SweetSpot, x: alt.X, y: alt.Y, tooltip: list[alt.Tooltip]) -> list[alt.Chart]:
    """The size with the least cost: a rule, a point and a label."""
    label = f"{spot.size:,} tokens are cheapest\nshaded: up to 1% more"
    best = alt.Chart(pd.DataFrame({SIZE: [spot.size], _COST: [spot.flops_per_byte], "label": [label]}))
    half = larger_pixels(_HALF_LABEL)
    label_x = alt.XValue(alt.ExprRef(f"clamp(scale('x', {spot.size}), {half}, width - {half})"))
    return [
        best.mark_rule(strokeDash=[4, 3], color=ink()).encode(x=x, **_below_label()),
        best.mark_point(filled=True, size=110, opacity=1, color=ink()).encode(x=x, y=y, tooltip=tooltip),
        best.mark_text(
            baseline="top",
            lineBreak="\n",
            fontSize=larger(13),
            fontWeight=600,
            color=ink(),
        ).encode(x=label_x, y=alt.YValue(2), text=alt.Text("label:N")),
    ]
