"""Draws what a vocabulary learned along its ranks, beside another one if one likes, and its scaffolding."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from pages.explore.vocabulary.state import VocabularyState
from pages.session.panels import LIVE_BYTES
from pages.session.workspace import Workspace
from pages.shared.charts import TitledChart, cached_chart, clickable, show_chart, tips
from pages.shared.markdown import escape
from pages.shared.tables import offer_table, show_table
from pages.shared.widgets import get_state, show_errors, tied
from tokenizers.amounts import plural, share_in_words
from tokenizers.data import get_language
from tokenizers.encoding import Encoding
from tokenizers.measure import LearnedKinds, Scaffold, learned_kinds, scaffolding, vocabulary_of
from tokenizers.registry import chooser_title, model_name
from tokenizers.text import TextMap, isolate, spell_token

NOBODY = ""
_LEAST_BYTES = 1_000  # of a text in which something is built often
_PALE = 0.35  # all but the clicked part of the chart
_COLUMNS = alt.ExprRef("width < 600 ? 2 : 5")  # of the legend: the chart's own width decides
# White space, digits, addresses, code; six scripts; other scripts, parts of characters, symbols.
_COLOURS = (
    "#b9bfbb #e3b23c #c8553d #7a5ea8 #2f6db3 #2a9d8f #8ab17d #d98cb3 #a5673f #5aa9e6 #7d8a84 #565f5a #dfe3dd"
).split()


def draw_eaten(workspace: Workspace, encoding: Encoding) -> None:
    """Draw the chart of an encoding with merges, the tokens of the part that was clicked, and scaffolding.

    Scaffolding is found in the playground's text, or in a longer one.
    """
    state = get_state(VocabularyState)
    fitting = [other for other in workspace.encoding_names() if other != encoding.name]
    if state.beside not in fitting:
        state.beside = NOBODY
    st.subheader("What it ate")
    st.caption(
        "What is frequent is learned first. So the ranks are a fingerprint of the texts that a tokenizer "
        "learned from, though not their mixture: to find that takes more "
        "([Hayase and others 2024](https://arxiv.org/abs/2407.16607)). Code and markup: tokens with a sign "
        "that prose has rarely, or with a capital letter inside a word."
    )
    st.selectbox(
        "Beside",
        [NOBODY, *fitting],
        format_func=lambda other: chooser_title(other) if other else "None",
        width=440,
        **tied(VocabularyState.beside),
    )
    encodings = [encoding]
    if state.beside:
        with show_errors():
            beside = workspace.find_encoding(state.beside)
            learned_kinds([vocabulary_of(beside)])  # raises an error if it has no ranks
            encodings.append(beside)
    learned = learned_kinds([vocabulary_of(each) for each in encodings])
    text = workspace.text_map
    what = "the text of the playground"
    if not _LEAST_BYTES <= text.n_bytes <= LIVE_BYTES:
        text = TextMap(get_language("eng").text)
        what = "the Universal Declaration of Human Rights in English"
    scaffolds = [scaffolding(each, text.text) for each in encodings]
    table = _table_of(encodings, learned, scaffolds)
    is_clicked = table["cell"] == state.stretch
    chart = _eaten_chart(table.assign(strong=is_clicked if is_clicked.any() else True), learned[0].kinds)
    drawing, listing = st.columns([2.6, 1], gap="medium")
    with drawing:
        show_chart(
            chart,
            "vocabulary_eaten",
            table.drop(columns=["cell", "bottom", "lit", "top"]),
            on_click=state.open_stretch,
        )
    with listing:
        if is_clicked.any():
            _draw_stretch(encodings, learned, state.stretch)
        else:
            st.caption("Click a part of the chart to see its tokens.")
    _draw_scaffolding(encoding, what, scaffolds[0])


def _draw_scaffolding(encoding: Encoding, what: str, found: Sequence[Scaffold]) -> None:
    """Draw the tokens that are only steps on the way to others in a text; ``what``: which text."""
    st.subheader("Scaffolding")
    name = escape(model_name(encoding.name))
    says = f"In {what}, merges build {plural(len(found), 'token')} of {name} that hardly ever remain"
    if found:
        first = found[0]
        token = escape(isolate(spell_token(encoding.token_bytes(first.token_id))))
        says += f": “{token}” is built {first.built:,} times, and remains {first.left:,} times"
    st.write(f"{says}. Later merges need them, so they keep their places in the vocabulary.")
    st.caption(
        "At most a twentieth of what is built remains. See "
        "[Lian and others 2024](https://arxiv.org/abs/2404.17808) and [Sun and others 2026](https://arxiv.org/abs/2602.04706)."
    )

    def table() -> pd.DataFrame:
        rows = [
            (each.token_id, spell_token(encoding.token_bytes(each.token_id)), each.built, each.left)
            for each in found
        ]
        return pd.DataFrame(rows, columns=["id", "token", "times built", "times it remains"])

    if found:
        label = f"All {len(found):,} tokens"
        offer_table(label, table, "vocabulary_scaffolding", f"scaffolding-{encoding.name}")


def _table_of(
    encodings: Sequence[Encoding], learned: Sequence[LearnedKinds], scaffolds: Sequence[Sequence[Scaffold]]
) -> pd.DataFrame:
    """A row for each kind in each stretch that has any, with its place: of a second tokenizer, below zero."""
    rows = []
    for side, (encoding, found, built) in enumerate(zip(encodings, learned, scaffolds, strict=True)):
        sign = -1 if side else 1
        lit_ids = {each.token_id for each in built}
        for stretch, counts in enumerate(found.counts.tolist()):
            ranks = found.ranks(stretch)
            whole = sign * sum(counts)
            below = 0
            for kind, count in zip(found.kinds, counts, strict=True):
                if count:
                    lit = len(lit_ids.intersection(found.members(stretch, kind)))
                    row = {
                        "tokenizer": model_name(encoding.name),
                        "from rank": ranks.start,
                        "below rank": ranks.stop,
                        "kind": kind,
                        "tokens": count,
                        "share": count / sum(counts),
                        "scaffolding": lit,
                        "bottom": below / whole,
                        "lit": (below + lit) / whole,
                        "top": (below + count) / whole,
                        "cell": f"{side}:{stretch}:{kind}",
                    }
                    rows.append(row)
                    below += count
    return pd.DataFrame(rows)


@cached_chart
def _eaten_chart(table: pd.DataFrame, kinds: Sequence[str]) -> TitledChart:
    """The shares of the kinds over the ranks, on a logarithmic axis; of a second tokenizer, downwards."""
    both = table["tokenizer"].unique().tolist()
    ranks = alt.Scale(
        type="log", domain=[int(table["from rank"].min()), int(table["below rank"].max())], nice=False
    )
    low = -1 if len(both) > 1 else 0
    bars = (
        alt.Chart(table)
        .mark_rect()
        .encode(
            x=alt.X(
                "from rank:Q",
                scale=ranks,
                title="rank: the order of learning (logarithmic)",
                axis=alt.Axis(format=",d"),
            ),
            x2="below rank",
            y=alt.Y(
                "bottom:Q",
                title=f"← {both[1]} | {both[0]} →" if low else "share of the tokens",
                scale=alt.Scale(domain=[low, 1]),
                axis=alt.Axis(labelExpr="format(abs(datum.value), '.0%')"),
            ),
            y2="top",
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=_COLOURS),
                legend=alt.Legend(orient="bottom", columns=_COLUMNS),
            ),
            opacity=alt.OpacityValue(_PALE, condition={"test": "datum.strong", "value": 1}),
            tooltip=tips(
                {
                    "tokenizer": "",
                    "from rank": ",d",
                    "below rank": ",d",
                    "kind": "",
                    "tokens": ",d",
                    "share": ".1%",
                    "scaffolding": ",d",
                }
            ),
        )
    )
    lit = bars.mark_rect(fill="white", fillOpacity=0.5).encode(y2="lit")
    chart = alt.layer(clickable(bars, "cell"), lit, height=520 if low else 430)
    return TitledChart(
        chart,
        _title_of(table, both),
        "Light: scaffolding, tokens that are only steps on the way to others",
    )


def _title_of(table: pd.DataFrame, names: Sequence[str]) -> str:
    """How much of what each learned is Latin, and how much is code."""
    said = []
    for name in names:
        tokens = table[table["tokenizer"] == name].groupby("kind")["tokens"].sum()
        shares = tokens / tokens.sum()
        latin = share_in_words(shares.get("Latin", 0))
        code = share_in_words(shares.get("code and markup", 0))
        said.append(f"{name}: {latin} is Latin outside code, {code} code and markup")
    return "; ".join(said)


def _draw_stretch(encodings: Sequence[Encoding], learned: Sequence[LearnedKinds], cell: str) -> None:
    """Draw the tokens of the clicked part of the chart."""
    side, stretch, kind = cell.split(":")
    encoding = encodings[int(side)]
    found = learned[int(side)]
    ids = found.members(int(stretch), kind)
    st.markdown(f"**{plural(len(ids), 'token')} of {escape(model_name(encoding.name))}: {kind}**")
    ranks = found.ranks(int(stretch))
    st.caption(f"Ranks {ranks[0]:,} to {ranks[-1]:,}. Click there again to close this list.")
    tokens = [(token_id, spell_token(encoding.token_bytes(token_id))) for token_id in ids]
    show_table(pd.DataFrame(tokens, columns=["id", "token"]))
