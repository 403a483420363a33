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
from tokenizers.measure import LearnedKinds, learned_kinds, scaffolding, vocabulary_of
from tokenizers.registry import chooser_title, model_name
from tokenizers.text import TextMap, isolate, spell_token

NOBODY = ""
_MOST_LISTED = 500
_LEAST_BYTES = 1_000  # of a text in which something is built often
_PALE = 0.35  # all but the clicked part of the chart
_COLUMNS = alt.ExprRef("width < 600 ? 2 : 5")  # of the legend: the chart's own width decides
_COLOURS = (
    *("#b9bfbb", "#e3b23c", "#c8553d", "#7a5ea8"),  # white space, digits, addresses, code
    *("#2f6db3", "#2a9d8f", "#8ab17d", "#d98cb3", "#a5673f", "#5aa9e6"),  # scripts
    *("#7d8a84", "#565f5a", "#dfe3dd"),  # other scripts, parts of characters, symbols
)


def draw_eaten(workspace: Workspace, name: str) -> None:
    """Draw the chart of an encoding with merges, and the tokens of the stretch that was clicked."""
    state = get_state(VocabularyState)
    fitting = [other for other in workspace.encoding_names() if other != name]
    if state.beside not in fitting:
        state.beside = NOBODY
    st.subheader("What it ate")
    st.caption(
        "What is frequent is learned first. So the ranks are a fingerprint of the texts that a tokenizer "
        "learned from, though not their mixture: to find that takes more "
        "([Hayase and others 2024](https://arxiv.org/abs/2407.16607)). Code and markup: tokens with a sign "
        "that prose has rarely, or with a capital letter inside a word."
    )
    st.columns([1, 2])[0].selectbox(
        "Beside",
        [NOBODY, *fitting],
        format_func=lambda other: chooser_title(other) if other else "None",
        **tied(VocabularyState.beside),
    )
    names = [name]
    with show_errors():
        if state.beside and workspace.find_encoding(state.beside).merging is None:
            st.info(f"{escape(model_name(state.beside))} does not merge bytes, so it has no such ranks.")
        elif state.beside:
            names.append(state.beside)
    learned = learned_kinds([vocabulary_of(workspace.find_encoding(each)) for each in names])
    table = _table_of(names, learned)
    is_clicked = table["cell"] == state.stretch
    chart = _eaten_chart(table.assign(strong=is_clicked if is_clicked.any() else True), learned[0].kinds)
    drawing, listing = st.columns([2.6, 1], gap="medium")
    with drawing:
        show_chart(
            chart,
            "vocabulary_eaten",
            table.drop(columns=["cell", "order", "height"]),
            on_click=state.open_stretch,
        )
    with listing:
        if is_clicked.any():
            _draw_stretch(workspace, names, learned, state.stretch)
        else:
            st.caption("Click a part of the chart to see its tokens.")


def draw_scaffolding(workspace: Workspace, encoding: Encoding) -> None:
    """Draw the tokens that are only steps on the way to others, in the playground's text or a longer one."""
    text = workspace.text_map
    what = "the text of the playground"
    if not _LEAST_BYTES <= text.n_bytes <= LIVE_BYTES:
        text = TextMap(get_language("eng").text)
        what = "the Universal Declaration of Human Rights in English"
    found = scaffolding(encoding, text.text)
    st.subheader("Scaffolding")
    name = escape(model_name(encoding.name))
    says = f"In {what}, merges build {plural(len(found), 'token')} of {name} that are hardly ever left"
    if found:
        first = found[0]
        token = escape(isolate(spell_token(encoding.token_bytes(first.token_id))))
        says += f": “{token}” is built {first.built:,} times, and left {first.left:,} times"
    st.write(f"{says}. Later merges need them, so they keep their places in the vocabulary.")
    st.caption(
        "At most a twentieth of what is built is left. See "
        "[Lian and others 2024](https://arxiv.org/abs/2404.17808) and [Sun and others 2026](https://arxiv.org/abs/2602.04706)."
    )

    def table() -> pd.DataFrame:
        rows = [
            (each.token_id, spell_token(encoding.token_bytes(each.token_id)), each.built, each.left)
            for each in found
        ]
        return pd.DataFrame(rows, columns=["id", "token", "times built", "times left"])

    if found:
        label = f"All {len(found):,} tokens"
        offer_table(label, table, "vocabulary_scaffolding", f"scaffolding-{encoding.name}")


def _table_of(names: Sequence[str], learned: Sequence[LearnedKinds]) -> pd.DataFrame:
    """A row for each kind in each stretch that has any. Below the axis, shares are negative."""
    rows = []
    for side, (name, found) in enumerate(zip(names, learned, strict=True)):
        sign = -1 if side else 1
        for stretch, counts in enumerate(found.counts.tolist()):
            ranks = found.ranks(stretch)
            for order, count in enumerate(counts):
                if count:
                    kind = found.kinds[order]
                    share = count / sum(counts)
                    cell = f"{side}:{stretch}:{kind}"
                    span = ranks.start, ranks.stop
                    rows.append((model_name(name), *span, kind, count, share, sign * share, cell, order))
    columns = ["tokenizer", "from rank", "up to", "kind", "tokens", "share", "height", "cell", "order"]
    return pd.DataFrame(rows, columns=columns)


@cached_chart
def _eaten_chart(table: pd.DataFrame, kinds: Sequence[str]) -> TitledChart:
    """The shares of the kinds over the ranks, on a logarithmic axis; of a second tokenizer, downwards."""
    both = table["tokenizer"].unique().tolist()
    ranks = alt.Scale(
        type="log", domain=[int(table["from rank"].min()), int(table["up to"].max())], nice=False
    )
    low = -1 if len(both) > 1 else 0
    chart = (
        alt.Chart(table)
        .mark_bar(binSpacing=0)
        .encode(
            x=alt.X(
                "from rank:Q",
                bin="binned",
                scale=ranks,
                title="rank: the order of learning",
                axis=alt.Axis(format=",d"),
            ),
            x2="up to",
            y=alt.Y(
                "height:Q",
                stack="zero",
                title=f"← {both[1]} | {both[0]} →" if low else "share of the tokens",
                scale=alt.Scale(domain=[low, 1]),
                axis=alt.Axis(labelExpr="format(abs(datum.value), '.0%')"),
            ),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=_COLOURS),
                legend=alt.Legend(orient="bottom", columns=_COLUMNS),
            ),
            order=alt.Order("order:Q"),
            opacity=alt.OpacityValue(_PALE, condition={"test": "datum.strong", "value": 1}),
            tooltip=tips(
                {
                    "tokenizer": "",
                    "from rank": ",d",
                    "up to": ",d",
                    "kind": "",
                    "tokens": ",d",
                    "share": ".1%",
                }
            ),
        )
        .properties(height=520 if low else 430)
    )
    return TitledChart(clickable(chart, "cell"), _title_of(table, both))


def _title_of(table: pd.DataFrame, names: Sequence[str]) -> str:
    """How much of what each learned is Latin, and how much is code."""
    said = []
    for name in names:
        own = table[table["tokenizer"] == name]
        code = own["tokens"][own["kind"] == "code and markup"].sum() / own["tokens"].sum()
        latin = own["tokens"][own["kind"] == "Latin"].sum() / own["tokens"].sum()
        said.append(
            f"{name}: {share_in_words(latin)} is Latin outside code, {share_in_words(code)} code and markup"
        )
    return "; ".join(said)


def _draw_stretch(
    workspace: Workspace, names: Sequence[str], learned: Sequence[LearnedKinds], cell: str
) -> None:
    """Draw the tokens of the clicked part of the chart."""
    side, stretch, kind = cell.split(":")
    found = learned[int(side)]
    name = names[int(side)]
    ids = found.members(int(stretch), kind)
    encoding = workspace.find_encoding(name)
    st.markdown(f"**{plural(len(ids), 'token')} of {escape(model_name(name))}: {kind}**")
    ranks = found.ranks(int(stretch))
    note = f"Ranks {ranks[0]:,} to {ranks[-1]:,}."
    if len(ids) > _MOST_LISTED:
        note += f" The first {_MOST_LISTED:,} are listed."
    st.caption(note)
    tokens = [(token_id, spell_token(encoding.token_bytes(token_id))) for token_id in ids[:_MOST_LISTED]]
    show_table(pd.DataFrame(tokens, columns=["id", "token"]))
