"""The charts of the page Vocabulary and the tables behind them."""

from __future__ import annotations

import re

import altair as alt
import numpy as np
import pandas as pd

from pages.shared.charts import TitledChart, cached_chart, labelled_bars, paint, tips
from tokenizers.amounts import plural, share_in_words, shorten
from tokenizers.measure import Vocabulary
from tokenizers.text import COMMON, PART_OF_CHARACTER, quote, spell_token

_MAX_SCRIPTS = 10  # with a bar of their own
_MAX_BYTES = 20  # lengths with a bar of their own
_MAX_LABEL = 22  # characters of a token on an axis
_NO_SCRIPT = "no script: symbols, digits, spaces"


def fold_runs(word: str) -> str:
    """A long token's word, short enough for an axis: repeats as a count, the rest cut.

    >>> print(fold_runs("·" * 128), fold_runs("⏎" + "=" * 8), fold_runs("a" * 3))
    128 × · ⏎ 8 × = aaa
    """
    folded = re.sub(r"(.)\1{3,}", lambda run: f" {len(run[0])} × {run[1]} ", word, flags=re.DOTALL)
    folded = folded.replace("  ", " ").strip()
    return shorten(folded, _MAX_LABEL)


def scripts_table(vocabulary: Vocabulary) -> pd.DataFrame:
    """The number of tokens of each script, and their share of all ordinary tokens."""
    counts = vocabulary.count_scripts()
    names = [_NO_SCRIPT if name == COMMON else name for name in counts]
    table = pd.DataFrame({"script": names, "tokens": list(counts.values())})
    return table.assign(share=table["tokens"] / table["tokens"].sum())


@cached_chart
def scripts_chart(table: pd.DataFrame, name: str, hue: int) -> TitledChart:
    """The most frequent scripts as bars."""
    bars = table.head(_MAX_SCRIPTS)
    rest = table.iloc[_MAX_SCRIPTS:]
    if len(rest):
        last = rest[["tokens", "share"]].sum().to_frame().T
        last["script"] = plural(len(rest), "other script")
        bars = pd.concat([bars, last.astype({"tokens": int})])
    labels = [
        f"{plural(count, 'token')}, {share_in_words(share)}"
        for count, share in zip(bars["tokens"], bars["share"], strict=True)
    ]
    chart = labelled_bars(
        bars.assign(label=labels),
        y="script",
        x="tokens",
        tooltip=tips({"script": "", "tokens": ",d", "share": ".2%"}),
        colour=paint(hue),
    )
    return TitledChart(chart, _scripts_title(table, name))


def _scripts_title(table: pd.DataFrame, name: str) -> str:
    """The two scripts with the most tokens."""
    written = table[~table["script"].isin([_NO_SCRIPT, PART_OF_CHARACTER])]
    scripts = written["script"].tolist()
    shares = [share_in_words(share) for share in written["share"].head(2)]
    if not scripts:
        return f"{name} has no letters of any script"
    title = f"{shares[0].capitalize()} of {name} is {scripts[0]}"
    if len(scripts) > 1:
        title += f"; {scripts[1]} comes next, with {shares[1]}"
    return title


def lengths_table(vocabulary: Vocabulary) -> pd.DataFrame:
    """The number of ordinary tokens of each length in bytes."""
    counts = vocabulary.count_lengths()
    lengths = np.flatnonzero(counts)
    return pd.DataFrame({"bytes": lengths, "tokens": counts[lengths]})


@cached_chart
def lengths_chart(table: pd.DataFrame, name: str, hue: int) -> TitledChart:
    """The lengths as bars; all lengths above ``_MAX_BYTES`` share one."""
    is_long = table["bytes"] > _MAX_BYTES
    bars = table.assign(length=table["bytes"].astype(str).mask(is_long, f"{_MAX_BYTES + 1}+"))
    x = alt.X(
        "length:O",
        sort=None,
        title="length in bytes",
        axis=alt.Axis(labelAngle=0, ticks=False),
    )
    chart = (
        alt.Chart(bars.groupby("length", sort=False, as_index=False)["tokens"].sum())
        .mark_bar(color=paint(hue), cornerRadiusEnd=2)
        .encode(
            x=x,
            y=alt.Y("tokens:Q", title="tokens", axis=alt.Axis(format=",d", tickCount=5)),
            tooltip=tips({"length": ("bytes", ""), "tokens": ",d"}),
        )
        .properties(height=250)
    )
    up_to = table["tokens"].cumsum() / table["tokens"].sum()
    median = plural(table["bytes"][up_to >= 0.5].iloc[0], "byte")
    longest = table["bytes"].max()
    title = f"Half of the tokens of {name} have up to {median}; the longest has {longest:,}"
    return TitledChart(chart, title)


def longest_table(vocabulary: Vocabulary, count: int) -> pd.DataFrame:
    """The longest tokens."""
    ids = vocabulary.longest(count)
    tokens = [vocabulary.token_bytes[token_id] for token_id in ids]
    return pd.DataFrame({"bytes": map(len, tokens), "id": ids, "token": map(spell_token, tokens)})


@cached_chart
def longest_chart(table: pd.DataFrame, longest: bytes, name: str, hue: int) -> TitledChart:
    """The longest tokens as bars; ``longest``: the bytes of the first."""
    bars = table.assign(
        token=table["token"].map(fold_runs) + "  (" + table["id"].astype(str) + ")",
        label=[plural(length, "byte") for length in table["bytes"]],
    )
    chart = labelled_bars(
        bars,
        y="token",
        x="bytes",
        tooltip=tips({"token": ("token, id", ""), "bytes": ",d"}),
        colour=paint(hue),
    )
    token = quote(longest) if longest.strip(b" ") else plural(len(longest), "space")
    return TitledChart(chart, f"The longest token of {name} is {token}")
