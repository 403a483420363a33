"""Measure · Compression: what encodings make of texts of many kinds, in numbers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.measure.compression import charts
from pages.measure.compression.measurements import (
    ENGLISH,
    Measured,
    Sample,
    bundled,
    choose,
    measure_all,
    table_of,
    titles_of,
    together,
)
from pages.measure.compression.state import BYTES, UNITS, CompressionState
from pages.session.workspace import Workspace
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.page_files import choose_encodings
from pages.shared.session import get_workspace
from pages.shared.tables import offer_more, offer_table
from pages.shared.warnings import lossy_encodings, warn_of_losses, warn_of_training
from pages.shared.widgets import (
    messages,
    open_state,
    say_note,
    segments,
    show_info,
    show_warning,
    tied,
    write_link,
)
from tokenizers.data import LANGUAGE
from tokenizers.measure import METRICS, Metric
from tokenizers.registry import chooser_title, short_title

_COLUMN_FORMATS = {"ratio": "%.3f", "share": "percent", "count": "localized"}

_EXACT = (
    "All values are exact: counts, and ratios of counts, over the whole text. Special tokens count as plain "
    "text, and half a character (a lone surrogate) as U+FFFD, three bytes."
)


def _draw_choices(workspace: Workspace, state: CompressionState) -> None:
    """Draw the fields for encodings, texts and metric."""
    placeholder = "Choose tokenizers to measure"
    (encodings,) = st.columns(1)
    choose_encodings(encodings, "Tokenizers", CompressionState.encodings, placeholder=placeholder)
    texts, metric = st.columns([3, 1], vertical_alignment="bottom")
    titles = titles_of(workspace.own_texts)
    texts.multiselect(
        "Texts",
        list(titles),
        format_func=lambda key: titles.get(key, key),
        placeholder="Choose texts to measure",
        help="Texts of several kinds, and 500 languages. Type to search.",
        **tied(CompressionState.texts),
    )
    metric.selectbox(
        "Metric",
        list(METRICS),
        format_func=lambda key: METRICS[key].title,
        **tied(CompressionState.metric),
    )
    if mine := [text.key for text in workspace.own_texts.uploaded]:
        key = state.key("only_mine")
        icon = ":material/filter_alt:"
        st.button("Only my texts", key=key, icon=icon, type="tertiary", on_click=state.measure, args=(mine,))
    draw_own_texts(state.choose_texts)


def _measure(
    workspace: Workspace, state: CompressionState, samples: Sequence[Sample]
) -> tuple[Measured, pd.DataFrame]:
    """Measure, show what could not be measured, and make the table."""
    names = list(dict.fromkeys([*state.encodings, state.baseline]))
    with st.spinner("Measuring. Long texts take a moment, once."):
        measured, problems = measure_all(workspace, names, samples)
    for problem in problems:
        show_warning(problem)
    all_measured, with_whole = together(measured, names, samples)
    english: Measured = {}
    if any(sample.is_parallel for sample in samples):
        english, _ = measure_all(workspace, state.encodings, [bundled(ENGLISH)])
    return measured, table_of(all_measured, english, state.encodings, with_whole, state.baseline)


def _find_lossy(workspace: Workspace, state: CompressionState, measured: Measured) -> set[tuple[str, str]]:
    """The encodings and texts, by name and key, of which something was lost."""
    may_lose = lossy_encodings(workspace, state.encodings)
    return {key for key, metrics in measured.items() if metrics.n_losses and key[0] in may_lose}


def _draw_bars(
    workspace: Workspace,
    state: CompressionState,
    samples: Sequence[Sample],
    measured: Measured,
    table: pd.DataFrame,
) -> None:
    """Draw the bars of the metric, and its meaning."""
    titles = {sample.key: sample.title for sample in samples}
    hues = {name: hue_in(workspace, name) for name in state.encodings}
    lossy = _find_lossy(workspace, state, measured)
    metric = METRICS[state.metric]
    keys = {title: key for key, title in titles.items()}
    rows = table[["text", "tokenizer", state.metric]]
    left, right = st.columns([2.2, 1], gap="large")
    with left:
        show_chart(
            charts.bars_chart(
                rows,
                state.metric,
                metric,
                hues,
                text=titles.get(state.only_text, ""),
                encoding=state.only_encoding,
                lossy={name for name, _ in lossy},
            ),
            state.key("bars"),
            rows.rename(columns={state.metric: metric.label}),
            on_click=lambda title: state.click_text(keys.get(title, "")),
            file=f"compression-{state.metric.replace('_', '-')}",
        )
        _draw_selection(state, titles)
    with right:
        _draw_meaning(metric)
        if state.metric == "nsl":
            st.selectbox(
                "Baseline",
                workspace.encoding_names(),
                format_func=chooser_title,
                **tied(CompressionState.baseline),
            )


def _draw_more(
    workspace: Workspace,
    state: CompressionState,
    samples: Sequence[Sample],
    measured: Measured,
    table: pd.DataFrame,
) -> None:
    """Draw, on request, the lengths of tokens, all values, and the meaning of each metric."""
    hues = {name: hue_in(workspace, name) for name in state.encodings}
    lossy = _find_lossy(workspace, state, measured)
    selected = [sample for sample in samples if sample.key == state.only_text] or list(samples)

    offer_more(
        "How long the tokens are",
        lambda: _draw_lengths(state, selected, measured, hues, lossy),
        state.key("more"),
        ":material/show_chart:",
    )
    columns = {
        key: st.column_config.NumberColumn(
            each.label, help=each.short, format=_COLUMN_FORMATS[each.written_as]
        )
        for key, each in METRICS.items()
    }
    offer_table("All values", table, state.key("all"), "compression", {**columns, "words": "localized"})
    offer_more("What each metric means", _draw_meanings, state.key("meanings"), ":material/menu_book:")


def _draw_selection(state: CompressionState, titles: Mapping[str, str]) -> None:
    """Draw what is selected in the charts, and a reset button, which always stays, so that nothing jumps."""
    selected = [titles.get(state.only_text, ""), short_title(state.only_encoding)]
    with st.container(horizontal=True, vertical_alignment="center"):
        key = state.key("show_all")
        icon = ":material/undo:"
        is_off = not any(selected)
        st.button("Show all", key=key, icon=icon, on_click=state.show_all, disabled=is_off)
        only = f"Only {' · '.join(filter(None, selected))}"
        hint = "Click a bar to see that text alone."
        st.caption(hint if is_off else escape(only), width="content")


def _draw_lengths(
    state: CompressionState,
    samples: Sequence[Sample],
    measured: Measured,
    hues: Mapping[str, int],
    lossy: Collection[tuple[str, str]],
) -> None:
    """Draw the chart of the lengths of tokens."""
    segments(st, "Length of tokens in", UNITS, CompressionState.unit, label_visibility="collapsed")
    lengths = charts.lengths_table(_token_lengths(state, measured, samples), state.unit)
    where = samples[0].title if len(samples) == 1 else "All texts counted equally"
    keys = {sample.key for sample in samples}
    show_chart(
        charts.lengths_chart(
            lengths,
            state.unit,
            where,
            hues,
            encoding=state.only_encoding,
            lossy={name for name, key in lossy if key in keys},
        ),
        state.key("lengths"),
        lengths,
        on_click=state.click_encoding,
        column_config={"share": "percent"},
        file="compression-token-lengths",
    )


def _token_lengths(
    state: CompressionState, measured: Measured, picked: Sequence[Sample]
) -> dict[str, list[charts.Counts]]:
    """How many tokens of each text have each length, by encoding."""
    lengths = {}
    for name in state.encodings:
        metrics = [measured[name, each.key] for each in picked if (name, each.key) in measured]
        if metrics:
            in_bytes = state.unit == BYTES
            lengths[name] = [each.tokens_by_bytes if in_bytes else each.tokens_by_chars for each in metrics]
    return lengths


def _draw_meaning(metric: Metric) -> None:
    st.markdown(f"**{metric.title}** = {metric.formula}")
    st.markdown(metric.meaning)
    st.caption(f"Source: {metric.source}")


def _draw_meanings() -> None:
    st.caption(_EXACT)
    columns = st.columns(2, gap="large")
    metrics = list(METRICS.values())
    half = math.ceil(len(metrics) / 2)
    for column, part in zip(columns, (metrics[:half], metrics[half:]), strict=True):
        with column:
            for metric in part:
                _draw_meaning(metric)


def compression() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    own_names = list(workspace.own_encodings)
    titles = titles_of(workspace.own_texts)
    state = open_state(
        CompressionState, lambda link: CompressionState.from_link(link, available, own_names, titles)
    )
    state.prune(available, own_names, titles)
    st.title("Compression")
    draw_question(
        CompressionState,
        "How well does a tokenizer compress a text?",
        "The more bytes fit into a token, the fewer tokens a text takes. That differs from text to text.",
        "English and Korean alone",
        state.measure,
        ([LANGUAGE + "eng", LANGUAGE + "kor"],),
    )
    say_note(state)
    _draw_choices(workspace, state)
    state.prune_selection()
    samples, problems = choose(state.texts, workspace.own_texts)
    with messages():
        for problem in problems:
            show_warning(problem)
    if not state.encodings:
        show_info("Choose a tokenizer above to measure it.")
    elif not samples:
        show_info("Choose a text above, or add your own, to measure it.")
    else:
        # Before it measures, so that older notes are gone.
        values = st.container()
        notes = st.empty()
        with values:
            measured, table = _measure(workspace, state, samples)
        if len(table):
            with values:
                _draw_bars(workspace, state, samples, measured, table)
            with notes.container():
                sources = {each.title: each.sources for each in samples}
                warn_of_training(workspace, state.encodings, sources)
                warn_of_losses(lossy_encodings(workspace, state.encodings))
            _draw_more(workspace, state, samples, measured, table)
    write_link(state)


compression()
