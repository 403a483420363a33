"""The charts of the page Vocabulary. Each says in its title what there is to see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts import Title, TitledChart, cached_chart, ink, is_dark, larger, larger_pixels
from pages.shared.colours import hex_of
from tokenizers.amounts import share_in_words
from tokenizers.encoding import Encoding
from tokenizers.measure import Overlap, Vocabulary
from tokenizers.text import COMMON, PART_OF_CHARACTER, quote, spell_token

MOST_BYTES = 20
"""Lengths that have a bar of their own; all that is longer shares the last."""

_SCRIPTS = 10
_HEIGHT = 250
_LETTER = 6.5  # pixels of a letter of a bar's figure
_NO_SCRIPT = "no script: symbols, digits, spaces"
_SHARES = [
    (0.97, 1.0, "Nearly all"),
    (0.72, 0.78, "Three quarters"),
    (0.64, 0.69, "Two thirds"),
    (0.48, 0.52, "Half"),
    (0.31, 0.35, "A third"),
    (0.23, 0.27, "A quarter"),
]


def fraction_in_words(share: float) -> str:
    """A share, as people say it, at the start of a sentence.

    >>> fraction_in_words(0.667), fraction_in_words(0.9), fraction_in_words(0.0001)
    ('Two thirds', '90%', 'Less than 0.1%')
    """
    for low, high, name in _SHARES:
        if low <= share <= high:
            return name
    return share_in_words(share).capitalize()


def fold_runs(word: str, most: int = 22) -> str:
    """A long token's word, short enough for an axis: repeats as a count, the rest cut.

    >>> print(fold_runs("·" * 128), fold_runs("⏎" + "=" * 8), fold_runs("a" * 3))
    128 × · ⏎ 8 × = aaa
    """
    parts = [
        f" {len(match[0])} × {match[1]} " if len(match[0]) > 3 else match[0]
        for match in re.finditer(r"(.)\1*", word, re.DOTALL)
    ]
    folded = "".join(parts).replace("  ", " ").strip()
    return folded if len(folded) <= most else folded[: most - 1] + "…"


def _bars(
    table: pd.DataFrame, y: str, x: str, colour: str | alt.Color, tooltips: Sequence[alt.Tooltip]
) -> Any:
    """Horizontal bars with their labels behind them, in the order of the table.

    The room for the labels is that of the longest one, in pixels: a share of the width is too little on a
    phone.
    """
    room = larger_pixels(8 + _LETTER * max(map(len, table["label"]), default=0))
    scale = alt.Scale(
        domain=[0, float(table[x].max())], range=[0, alt.ExprRef(f"max(30, width - {room})")], nice=False
    )
    axis = alt.Axis(labelLimit=larger(190), labelOverlap=False, labelFlush=False, ticks=False, domain=False)
    base = alt.Chart(table).encode(
        x=alt.X(f"{x}:Q", scale=scale, axis=None),
        y=alt.Y(f"{y}:N", sort=None, title=None, axis=axis),
        tooltip=list(tooltips),
    )
    bars = base.mark_bar(height={"band": 0.72}, cornerRadiusEnd=2)
    bars = bars.encode(color=colour if isinstance(colour, alt.Color) else alt.ColorValue(colour))
    labels = base.mark_text(align="left", dx=5, fontSize=larger(12), color=ink(soft=True))
    height = 20 * (1 + max(1, len(table)))
    return alt.layer(bars, labels.encode(text=alt.Text("label:N")), height=height)


def scripts_table(vocabulary: Vocabulary) -> pd.DataFrame:
    """Each script's tokens, and their share of all ordinary tokens."""
    counts = vocabulary.count_scripts()
    total = max(1, sum(counts.values()))
    rows = [(_NO_SCRIPT if name == COMMON else name, count, count / total) for name, count in counts.items()]
    return pd.DataFrame(rows, columns=["script", "tokens", "share"])


@cached_chart
def scripts_chart(table: pd.DataFrame, name: str, hue: int) -> TitledChart:
    """The most frequent scripts as bars."""
    title = f"{name} has no letters of any script"
    written = table[~table["script"].isin([_NO_SCRIPT, PART_OF_CHARACTER])]
    if len(written):
        title = f"{fraction_in_words(written['share'].iloc[0])} of {name} is {written['script'].iloc[0]}"
    if len(written) > 1:
        share = share_in_words(written["share"].iloc[1])
        title += f"; {written['script'].iloc[1]} comes next, with {share}"
    bars, rest = table.head(_SCRIPTS), table.iloc[_SCRIPTS:]
    if len(rest):
        others = f"{len(rest)} other script{'s' if len(rest) > 1 else ''}"
        last = pd.DataFrame([(others, rest["tokens"].sum(), rest["share"].sum())], columns=table.columns)
        bars = pd.concat([bars, last], ignore_index=True)
    labels = [
        f"{count:,} token{'s' if count != 1 else ''}, "
        + (share_in_words(share) if share < 0.001 else f"{share:.1%}")
        for count, share in zip(bars["tokens"], bars["share"], strict=True)
    ]
    tooltips = [
        alt.Tooltip("script:N"),
        alt.Tooltip("tokens:Q", format=",d"),
        alt.Tooltip("share:Q", format=".2%"),
    ]
    bars = bars.assign(label=labels)
    return TitledChart(_bars(bars, "script", "tokens", hex_of(hue, dark=is_dark()), tooltips), Title(title))


def lengths_table(vocabulary: Vocabulary) -> pd.DataFrame:
    """How many ordinary tokens have each length in bytes."""
    counts = vocabulary.count_lengths()
    lengths = np.flatnonzero(counts)
    return pd.DataFrame({"bytes": lengths, "tokens": counts[lengths]})


@cached_chart
def lengths_chart(table: pd.DataFrame, name: str, hue: int) -> TitledChart:
    """The lengths as bars, up to ``MOST_BYTES``; all longer ones together."""
    below = table["tokens"].cumsum() / table["tokens"].sum()
    middle = int(table["bytes"].iloc[int(np.argmax(below >= 0.5))])
    size = "1 byte" if middle == 1 else f"{middle} bytes"
    title = f"Half of the tokens of {name} have up to {size}; the longest has {table['bytes'].max():,}"
    bars = table.assign(
        length=table["bytes"].astype(str).where(table["bytes"] <= MOST_BYTES, f"{MOST_BYTES + 1}+")
    )
    bars = bars.groupby("length", sort=False)["tokens"].sum().reset_index()
    chart = (
        alt.Chart(bars)
        .mark_bar(color=hex_of(hue, dark=is_dark()), cornerRadiusEnd=2)
        .encode(
            x=alt.X("length:N", sort=None, title="length in bytes", axis=alt.Axis(labelAngle=0, ticks=False)),
            y=alt.Y("tokens:Q", title="tokens", axis=alt.Axis(format=",d", tickCount=5)),
            tooltip=[alt.Tooltip("length:N", title="bytes"), alt.Tooltip("tokens:Q", format=",d")],
        )
        .properties(height=_HEIGHT)
    )
    return TitledChart(chart, Title(title))


def longest_table(vocabulary: Vocabulary, count: int) -> pd.DataFrame:
    """The longest tokens."""
    tokens = [(vocabulary.token_bytes[token_id], token_id) for token_id in vocabulary.longest(count)]
    rows = [(len(token), token_id, spell_token(token)) for token, token_id in tokens]
    return pd.DataFrame(rows, columns=["bytes", "id", "token"])


@cached_chart
def longest_chart(table: pd.DataFrame, longest: bytes, name: str, hue: int) -> TitledChart:
    """The longest tokens as bars; ``longest``: the bytes of the first."""
    words = zip(table["token"], table["id"], strict=True)
    bars = table.assign(
        token=[f"{fold_runs(word)}  {token_id}" for word, token_id in words],
        label=[f"{n:,} bytes" for n in table["bytes"]],
    )
    what = f"{len(longest):,} spaces" if not longest.strip(b" ") else quote(longest)
    tooltips = [alt.Tooltip("token:N", title="token, id"), alt.Tooltip("bytes:Q", format=",d")]
    chart = _bars(bars, "token", "bytes", hex_of(hue, dark=is_dark()), tooltips)
    return TitledChart(chart, Title(f"The longest token of {name} is {what}"))


def overlap_table(encoding: Encoding, overlaps: Sequence[Overlap]) -> pd.DataFrame:
    """What an encoding shares with others, the most first."""
    here = max(1, len(encoding.ordinary))
    rows = [
        (
            pair.right,
            pair.shared,
            pair.shared / here,
            pair.shared / max(1, pair.shared + pair.only_right),
            pair.only_left,
            pair.only_right,
        )
        for pair in overlaps
    ]
    columns = ["encoding", "shared", "share of this", "share of that", "only in this", "only in that"]
    return pd.DataFrame(rows, columns=columns).sort_values("shared", ascending=False, kind="stable")


def _overlap_title(table: pd.DataFrame, name: str) -> str:
    whole = table[table["share of this"] == 1]["encoding"].tolist()
    part = table[table["share of this"] < 1]
    if not len(part):
        return f"Every token of {name} is in {' and '.join(whole)} too"
    share = fraction_in_words(part["share of this"].iloc[0])
    title = f"{share} of the tokens of {name} are in {part['encoding'].iloc[0]} too"
    if whole:
        have = "has" if len(whole) == 1 else "have"
        title = f"{' and '.join(whole[:2])} {have} every token of {name}; {title[0].lower()}{title[1:]}"
    return title


@cached_chart
def overlap_chart(table: pd.DataFrame, name: str, hues: dict[str, int]) -> TitledChart:
    """The shares as bars, each in the colour of the other encoding."""
    shares = zip(table["share of this"], table["shared"], strict=True)
    bars = table.assign(
        label=[f"{share:.1%}, {count:,} tokens" for share, count in shares],
        share=table["share of this"] * 100,
    )
    names = bars["encoding"].tolist()
    scale = alt.Scale(domain=names, range=[hex_of(hues[other], dark=is_dark()) for other in names])
    tooltips = [
        alt.Tooltip("encoding:N"),
        alt.Tooltip("shared:Q", format=",d"),
        alt.Tooltip("share of this:Q", title=f"share of {name}", format=".2%"),
        alt.Tooltip("share of that:Q", title="share of that one", format=".2%"),
    ]
    colour = alt.Color("encoding:N", scale=scale, legend=None)
    return TitledChart(_bars(bars, "encoding", "share", colour, tooltips), Title(_overlap_title(table, name)))
