"""The charts of the page Compare. User text is data in them, never markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from pages.shared.charts import TitledChart, clickable, ink, larger, named_rows, paint, tips
from pages.shared.warnings import lose
from tokenizers.amounts import share_in_words
from tokenizers.text import isolate

_TEXTS = 24  # rows of a chart: the texts that change most
_GROUPS = 14  # the first groups, and one for the rest
_ROW = 19  # pixels of a row
_AROUND = 80  # pixels of the axis and the legend
_AMONG = {"script": "{}", "length": "{} bytes long", "kind": "of the kind “{}”"}


def _looks(hues: Mapping[str, int]) -> list[dict[str, Any]]:
    """The look of A's marks and of B's: A's are hollow, so that people tell any two hues apart."""
    a, b = map(paint, hues.values())
    return [
        {"stroke": a, "fill": ink("background")},
        {"stroke": b, "fill": b},
    ]


def size_of_change(table: pd.DataFrame) -> pd.Series:
    """How many times as many tokens each text takes in that of the two that needs more.

    >>> size_of_change(pd.DataFrame({"a": [100, 100], "b": [12, 188]})).round(2).tolist()
    [8.33, 1.88]
    """
    counts = table[["a", "b"]]
    return counts.max(axis=1) / counts.min(axis=1)


def change_in_words(change: float) -> str:
    """A change in tokens.

    >>> change_in_words(-0.72), change_in_words(0.031)
    ('72% fewer tokens', '3.1% more tokens')
    """
    more = "more" if change > 0 else "fewer"
    return f"{share_in_words(abs(change))} {more} tokens"


def tokens_in_words(n_a: int, n_b: int, a: str, b: str) -> str:
    """What one text takes in A and in B.

    >>> tokens_in_words(60, 50, "GPT-4", "GPT-4o")
    'GPT-4o takes 17% fewer tokens than GPT-4: 50 instead of 60'
    """
    if n_a == n_b:
        return f"{b} takes as many tokens as {a}: {n_b:,}"
    change = change_in_words(n_b / n_a - 1)
    return f"{b} takes {change} than {a}: {n_b:,} instead of {n_a:,}"


def texts_title(table: pd.DataFrame, a: str, b: str, *, lossy: Sequence[str] = ()) -> str:
    """The title of the texts' chart: the greatest change.

    Args:
        table: of ``count_texts``.
        a, b: the labels of the encodings.
        lossy: the encodings that may lose a part of a text.

    >>> table = pd.DataFrame({"text": ["Hindi", "JSON"], "a": [10, 10], "b": [3, 18], "change": [-0.7, 0.8]})
    >>> texts_title(table, "GPT-4", "GPT-4o")
    'Of these 2 texts, Hindi changes by the largest factor: 70% fewer tokens'
    """
    if lossy:
        return f"{lose(lossy)} text, so fewer tokens can mean that text is lost"
    place = int(size_of_change(table).argmax())
    most = table.iloc[place]
    if not most["change"]:
        return f"From {a} to {b}, each text takes the same number of tokens"
    change = change_in_words(most["change"])
    return f"Of these {len(table)} texts, {isolate(most['text'])} changes by the largest factor: {change}"


def texts_chart(
    table: pd.DataFrame, hues: Mapping[str, int], lossy: Sequence[str] = (), chosen: str = ""
) -> TitledChart:
    """Two dots for each text with a line between: the tokens that 1,000 of its bytes take in A and in B.

    Args:
        table: of ``count_texts``.
        hues: the hues of A and B, by their labels.
        lossy: the encodings that may lose a part of a text.
        chosen: the key of the text whose row is marked, if it is among those that change most.
    """
    a, b = hues
    rows = _text_rows(table, chosen)
    subtitle = f"○ {a}, ● {b}"
    if len(table) > _TEXTS:
        subtitle += f". The {_TEXTS} of {len(table)} that change most"
    y = named_rows("text", rows["text"].tolist(), limit=170, labelPadding=8)
    base = alt.Chart(rows).encode(y=y)
    x = alt.X(
        "at_a:Q",
        title="tokens for 1,000 bytes",
        scale=alt.Scale(range=[8, alt.ExprRef("width - 62")], nice=False),  # labels stand behind the dots
        axis=alt.Axis(tickCount=6, orient="top"),  # at the top, it is seen without scrolling
    )
    look_a, look_b = _looks(hues)
    lane = base.mark_bar(cursor="pointer", height={"band": 1}, color=ink("soft")).encode(
        x=alt.XValue(0),
        x2=alt.X2Value("width"),
        opacity=alt.condition("datum.chosen", alt.value(0.15), alt.value(0.001)),
        tooltip=tips(
            {
                "text": "",
                "a": (a, ",d"),
                "b": (b, ",d"),
                "change": "+.2%",
            }
        ),
    )
    labels = base.mark_text(align="left", dx=10, fontSize=larger(12), color=ink("soft"))
    chart = alt.layer(
        base.mark_rule(strokeWidth=2, color=ink("soft")).encode(x=x, x2=alt.X2("at_b")),
        # A dot of B within one of A is seen.
        base.mark_point(opacity=1, strokeWidth=2, size=130, **look_a).encode(x=alt.X("at_a:Q")),
        base.mark_point(opacity=1, strokeWidth=2, size=45, **look_b).encode(x=alt.X("at_b:Q")),
        labels.encode(x=alt.X("high:Q"), text=alt.Text("label:N")),
        clickable(lane, "key"),
        height=_AROUND + _ROW * len(rows),
    )
    return TitledChart(chart, texts_title(table, a, b, lossy=lossy), subtitle)


def _text_rows(table: pd.DataFrame, chosen: str) -> pd.DataFrame:
    """The texts that change most, with the places of their dots and label."""
    most = size_of_change(table).nlargest(_TEXTS)
    rows = table[table.index.isin(most.index)]
    per_byte = rows[["a", "b"]].mul(1000).div(rows["bytes"], axis=0)
    return rows.assign(
        label=rows["change"].map("{:+.1%}".format).replace({"+0.0%": "0%", "-0.0%": "0%"}),
        at_a=per_byte["a"],
        at_b=per_byte["b"],
        high=per_byte.max(axis=1),
        chosen=rows["key"] == chosen,
    )


def counts_title(table: pd.DataFrame, by: str, a: str, b: str) -> str:
    """The title of the counts' chart: what most of the tokens are that one of the two adds.

    Args:
        table: of ``counts_chart``.
        by: what it counts by.
        a, b: the labels of the encodings.

    >>> table = pd.DataFrame({"script": ["Latin", "Han"], "only_a": [0, 2], "only_b": [3, 1]})
    >>> counts_title(table, "script", "gpt2", "oak")
    'Of the 4 tokens that only oak has, 75% are Latin'
    >>> counts_title(table.assign(only_b=0, length=["3", "4"]), "length", "gpt2", "oak")
    'Of the 2 tokens that only gpt2 has, 100% are 4 bytes long'
    >>> counts_title(table.assign(only_a=0, only_b=0), "script", "gpt2", "oak")
    'gpt2 and oak have the same tokens'
    """
    name = a
    counts = table["only_a"]
    if table["only_b"].any():
        name = b
        counts = table["only_b"]
    whole = int(counts.sum())
    if not whole:
        return f"{a} and {b} have the same tokens"
    place = int(counts.argmax())
    share = share_in_words(counts.iloc[place] / whole)
    group = _AMONG[by].format(table[by].iloc[place])
    return f"Of the {whole:,} tokens that only {name} has, {share} are {group}"


def counts_chart(table: pd.DataFrame, hues: Mapping[str, int]) -> TitledChart:
    """A bar for each script, length or kind: the tokens in A alone, and in B alone.

    Args:
        table: the fields of ``Aligned``, after what they count by.
        hues: the hues of A and B, by their labels.
    """
    by = table.columns[0]
    a, b = hues
    rows = _count_rows(table, by)
    base = alt.Chart(rows).encode(
        y=named_rows(by, rows[by].tolist()),
        tooltip=tips(
            {
                by: "",
                "only_a": (f"only in {a}", ",d"),
                "only_b": (f"only in {b}", ",d"),
            }
        ),
    )

    def bars(start: str, end: str, look: Mapping[str, Any]) -> alt.Chart:
        axis = alt.Axis(format=",d", tickCount=5)
        x = alt.X(f"{start}:Q", title="tokens that only one of them has", axis=axis)
        mark = base.mark_bar(height={"band": 0.72}, **look)
        bar: alt.Chart = mark.encode(x=x, x2=alt.X2(end))
        return bar

    look_a, look_b = _looks(hues)
    chart = alt.layer(
        bars("zero", "only_a", look_a),
        bars("only_a", "n", look_b),
        height=_AROUND + _ROW * len(rows),
    )
    return TitledChart(chart, counts_title(table, by, a, b), f"□ {a}, ■ {b}")


def _count_rows(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The first groups, and one row for all others; lengths in their order, other groups by their size."""
    rows = table.assign(n=table["only_a"] + table["only_b"])
    rows = rows[rows["n"] > 0].reset_index(drop=True)
    if by != "length":
        rows = rows.sort_values("n", ascending=False, ignore_index=True)
    groups = rows[by].where(rows.index < _GROUPS, "all others")
    rows = rows.groupby(groups, sort=False).sum(numeric_only=True).reset_index()
    return rows.assign(zero=0)
