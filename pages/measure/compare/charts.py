"""The charts of the page Compare. User text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from pages.shared.charts import TitledChart, clickable, ink, larger, named_rows, paint, tips
from pages.shared.warnings import lose
from tokenizers.amounts import share_in_words

_TEXTS, _GROUPS = 24, 14  # rows of a chart: the texts that change most, the first groups and one for the rest
_ROW, _AROUND = 19, 80  # pixels of a row, and of the axis and the legend
_LEAST = 0.0005  # a smaller change is rounded to none
_AMONG = {"script": "{}", "length": "{} bytes long", "kind": "of the kind “{}”"}


def _legend() -> alt.Legend:
    """A legend above a chart. All channels of one chart have it, or Vega would draw none."""
    return alt.Legend(title=None, orient="top", labelLimit=larger(220), symbolType="circle")


def _sides(hues: Mapping[str, int]) -> dict[str, Any]:
    """The look of A's marks and of B's: A's are hollow, so that people tell any two hues apart."""
    colours = [paint(hue) for hue in hues.values()]
    legend = _legend()
    lines, filled = (
        alt.Scale(domain=[*hues], range=each) for each in (colours, [ink("background"), colours[1]])
    )
    return {
        "stroke": alt.Stroke("part:N", scale=lines, legend=legend),
        "fill": alt.Fill("part:N", scale=filled, legend=legend),
    }


def change_in_words(change: float) -> str:
    """A change in tokens.

    >>> change_in_words(-0.72), change_in_words(0.031)
    ('72% fewer tokens', '3.1% more tokens')
    """
    return f"{share_in_words(abs(change))} {'more' if change > 0 else 'fewer'} tokens"


def texts_title(table: pd.DataFrame, a: str, b: str, *, lossy: Sequence[str] = ()) -> str:
    """The title of the texts' chart: the greatest changes either way.

    Args:
        table: of ``count_texts``.
        a, b: the labels of the encodings.
        lossy: those of ``lossy_encodings``.

    >>> table = pd.DataFrame({"text": ["Hindi", "JSON"], "change": [-0.7, 0.02]})
    >>> texts_title(table, "GPT-4", "GPT-4o")
    'From GPT-4 to GPT-4o, Hindi takes 70% fewer tokens, and JSON 2.0% more tokens'
    """
    if lossy:
        return f"{lose(lossy)} text, so fewer tokens can mean that text is lost"
    most = table.iloc[int(table["change"].abs().argmax())]
    if not most["change"]:
        return f"From {a} to {b}, each text takes the same number of tokens"
    sentence = f"From {a} to {b}, {most['text']} takes {change_in_words(most['change'])}"
    other = table.iloc[0 if most["change"] > 0 else -1]
    is_opposite = most["change"] * other["change"] < 0 and abs(other["change"]) >= _LEAST
    return sentence + (f", and {other['text']} {change_in_words(other['change'])}" if is_opposite else "")


def texts_chart(table: pd.DataFrame, hues: Mapping[str, int], lossy: Sequence[str] = ()) -> TitledChart:
    """Two dots for each text with a line between: the tokens that 1,000 of its bytes take in A and in B.

    Args:
        table: of ``count_texts``.
        hues: the hues of A and B, by their labels.
        lossy: those of ``lossy_encodings``.
    """
    title, of = texts_title(table, *hues, lossy=lossy), f"The {_TEXTS} of {len(table)} that change most"
    subtitle = of if len(table) > _TEXTS else ""
    table = table.loc[table["change"].abs().nlargest(_TEXTS).index].sort_values("change")
    per_byte = table[["a", "b"]].mul(1000).div(table["bytes"], axis=0)
    table = table.assign(
        label=table["change"].map(lambda change: f"{change:+.1%}" if abs(change) >= _LEAST else "0%"),
        low=per_byte.min(axis=1),
        high=per_byte.max(axis=1),
    )
    dots = [table.assign(part=label, at=per_byte[side]) for label, side in zip(hues, "ab", strict=True)]
    models = {side: (label, ",d") for side, label in zip("ab", hues, strict=True)}
    base = alt.Chart(table).encode(y=named_rows("text", table["text"].tolist(), 170, labelPadding=8))
    scale = alt.Scale(range=[8, alt.ExprRef("width - 62")], nice=False)  # the labels stand behind the dots
    x = alt.X("low:Q", title="tokens for 1,000 bytes", scale=scale, axis=alt.Axis(tickCount=6))
    high, at = alt.X("high:Q"), alt.X("at:Q")
    sizes = alt.Scale(domain=[*hues], range=[130, 45])  # a dot of B within one of A is seen
    size = alt.Size("part:N", scale=sizes, legend=_legend())
    label = base.mark_text(align="left", dx=10, fontSize=larger(12), color=ink("soft"))
    lane = base.mark_bar(opacity=0.001, cursor="pointer", height={"band": 1}).encode(
        x=alt.XValue(0), x2=alt.X2Value("width"), tooltip=tips({"text": "", **models, "change": "+.2%"})
    )
    layers = [
        base.mark_rule(strokeWidth=2, color=ink("soft")).encode(x=x, x2=alt.X2("high:Q")),
        base.mark_point(opacity=1, strokeWidth=2)
        .encode(x=at, size=size, **_sides(hues))
        .properties(data=pd.concat(dots)),
        label.encode(x=high, text=alt.Text("label:N")),
        clickable(lane, "key"),
    ]
    return TitledChart(alt.layer(*layers, height=_AROUND + _ROW * len(table)), title, subtitle)


def counts_title(table: pd.DataFrame, by: str, a: str, b: str) -> str:
    """The title of the counts' chart: what most of the tokens are that one of the two adds.

    Args:
        table: of ``counts_chart``.
        by: what it counts by.
        a, b: the labels of the encodings.

    >>> table = pd.DataFrame({"script": ["Latin", "Han"], "only_a": [0, 2], "only_b": [3, 1]})
    >>> counts_title(table, "script", "gpt2", "oak")
    'Of the 4 tokens that only oak has, 75% are Latin'
    """
    name, side = (b, "only_b") if table["only_b"].any() else (a, "only_a")
    whole, most = int(table[side].sum()), table.iloc[int(table[side].argmax())]
    if not whole:
        return f"{a} and {b} have the same tokens"
    what = f"{share_in_words(most[side] / whole)} are {_AMONG[by].format(most[by])}"
    return f"Of the {whole:,} tokens that only {name} has, {what}"


def counts_chart(table: pd.DataFrame, hues: Mapping[str, int]) -> TitledChart:
    """A bar for each script, length or kind: the tokens in A alone, and in B alone.

    Args:
        table: the fields of ``Counts``, after what they count by.
        hues: the hues of A and B, by their labels.
    """
    by, title = table.columns[0], counts_title(table, table.columns[0], *hues)
    rows = table.assign(n=table["only_a"] + table["only_b"]).query("n > 0").reset_index(drop=True)
    if by != "length":
        rows = rows.sort_values("n", ascending=False, ignore_index=True)
    groups = rows[by].where(rows.index < _GROUPS, "all others")
    rows = rows.groupby(groups, sort=False).sum(numeric_only=True).reset_index()
    bars = rows.melt(by, ["only_a", "only_b"], "side", "tokens")
    bars["part"] = bars["side"].map(dict(zip(("only_a", "only_b"), hues, strict=True)))
    chart = alt.Chart(bars, height=_AROUND + _ROW * len(rows)).mark_bar(height={"band": 0.72})
    chart = chart.encode(
        y=named_rows(by, rows[by].tolist()),
        x=alt.X(
            "tokens:Q", title="tokens that only one of them has", axis=alt.Axis(format=",d", tickCount=5)
        ),
        **_sides(hues),
        order=alt.Order("side:N"),
        tooltip=tips({by: "", "part": ("only in", ""), "tokens": ",d"}),
    )
    return TitledChart(chart, title)
