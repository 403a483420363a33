"""Measure · Compression: what encodings make of texts of many kinds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress

import pandas as pd
import streamlit as st

from pages.measure.compression import charts
from pages.measure.compression.measurements import (
    ENGLISH,
    MAX_OWN_BYTES,
    Measured,
    Sample,
    bundled,
    choose,
    measure_all,
    more_texts,
    table_of,
    titles_of,
    together,
)
from pages.measure.compression.state import BYTES, UNITS, CompressionState
from pages.session.catalogue import FEATURED, begin, find_text
from pages.session.own_texts import is_own_key
from pages.session.workspace import Workspace
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.page_files import choose_encodings
from pages.shared.session import get_workspace
from pages.shared.tables import csv_of, describe_csv, show_table, width_for
from pages.shared.warnings import lossy_encodings, warn_of_losses, warn_of_training
from pages.shared.widgets import (
    choose_once,
    messages,
    open_state,
    say_note,
    segments,
    show_info,
    show_warning,
    tied,
    write_link,
)
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE
from tokenizers.measure import METRICS
from tokenizers.shipped import SHIPPED_FILE_ERRORS

# Longer texts get a spinner. (A docstring here would be drawn by Streamlit.)
SLOW_CHARS = 300_000

_COLUMN_FORMATS = {"ratio": "%.3f", "share": "percent", "count": "localized"}

_EXACT = (
    "All values are exact: counts, and ratios of counts, of the tokens that the encoding itself makes of "
    "the whole text. Special tokens in a text are plain text here. Half a character (a lone surrogate) "
    "counts as U+FFFD, three bytes."
)


def _draw_choices(workspace: Workspace, state: CompressionState) -> None:
    """Draw the fields for encodings, metric, baseline and texts."""
    names, metric, baseline = st.columns([3.4, 1.5, 1.4])
    placeholder = "Choose encodings to measure"
    choose_encodings(names, "Encodings", CompressionState.encodings, placeholder=placeholder)
    metric.selectbox(
        "Metric",
        list(METRICS),
        format_func=lambda key: METRICS[key].label,
        help="What each means is at the end of this page.",
        **tied(CompressionState.metric),
    )
    baseline.selectbox(
        "Baseline of NSL",
        workspace.encoding_names(),
        help="NSL is an encoding’s tokens ÷ this one’s tokens on the same text.",
        **tied(CompressionState.baseline),
    )
    titles = titles_of(workspace.own_texts)
    shown = [key for key in titles if key in FEATURED or is_own_key(key) or key in state.texts]
    st.pills(
        "Texts",
        shown,
        selection_mode="multi",
        format_func=lambda key: escape(begin(str(key), titles.get(str(key), str(key)))),
        **tied(CompressionState.texts),
    )
    mine = [text.key for text in workspace.own_texts.uploaded]
    if mine:
        key, icon = state.key("only_mine"), ":material/filter_alt:"
        st.button("Only my texts", key=key, icon=icon, type="tertiary", on_click=state.measure, args=(mine,))
    others, own = st.columns([1, 2])
    with others:
        choose_once(
            "Another text",
            {key: begin(key, title) for key, title in more_texts().items() if key not in state.texts},
            state.key("another"),
            lambda key: state.choose_texts([key]),
            placeholder="Another text: a sample, or one of 500 languages",
        )
    with own:
        draw_own_texts(
            state.choose_texts, f"This page measures up to {bytes_in_words(MAX_OWN_BYTES)} of them at a time."
        )


def _say_what_is_left_out(missing: Mapping[str, str]) -> None:
    """Show which chosen texts are not measured and why, grouped by the reason."""
    titles_by_problem: dict[str, list[str]] = {}
    for title, problem in missing.items():
        titles_by_problem.setdefault(problem, []).append(title)
    for problem, titles in titles_by_problem.items():
        more = f" and {len(titles) - 5} more" if len(titles) > 5 else ""
        verb = "is" if len(titles) == 1 else "are"
        show_warning(f"{', '.join(titles[:5])}{more} {verb} left out. {problem}")


def _measure(
    workspace: Workspace, state: CompressionState, samples: Sequence[Sample]
) -> tuple[Measured, pd.DataFrame]:
    """Measure, show what could not be measured, and make the table."""
    names, baseline = state.encodings, state.baseline
    everything = list(dict.fromkeys([*names, baseline]))
    is_slow = sum(len(sample.text) for sample in samples) > SLOW_CHARS
    with st.spinner("Measuring: long texts take a moment, once.") if is_slow else nullcontext():
        measured, problems = measure_all(workspace, everything, samples)
    for problem in problems.values():
        show_warning(problem)
    all_measured, with_whole = together(measured, everything, samples)
    against = {key: metrics for (name, key), metrics in all_measured.items() if name == baseline}
    in_english = {}
    with suppress(*SHIPPED_FILE_ERRORS):  # premiums need the declaration in English
        english, _ = measure_all(workspace, names, [bundled(ENGLISH)])
        in_english = {name: metrics for (name, _), metrics in english.items()}
    return measured, table_of(all_measured, names, with_whole, against, in_english)


def _draw_values(
    workspace: Workspace,
    state: CompressionState,
    samples: Sequence[Sample],
    measured: Measured,
    table: pd.DataFrame,
) -> None:
    """Draw the two charts and the table. A selection in one filters the others."""
    only_texts, only_names = state.only_texts, state.only_encodings
    picked = [sample for sample in samples if sample.key in only_texts] or list(samples)
    where = picked[0].title if len(picked) == 1 else f"{len(picked)} texts" if only_texts else "All texts"
    titles = [sample.title for sample in picked] if only_texts else []
    hues = {name: hue_in(workspace, name) for name in state.encodings}
    may_lose = lossy_encodings(workspace, state.encodings)
    lossy = {key for key, metrics in measured.items() if metrics.n_losses and key[0] in may_lose}
    left, right = st.columns([1.28, 1], gap="large")
    with left:
        _draw_picks(state, samples, [where] * bool(only_texts) + only_names)
        metric, keys = METRICS[state.metric], {sample.title: sample.key for sample in samples}
        rows = table[["text", "encoding", state.metric]]
        show_chart(
            charts.bars_chart(
                rows,
                state.metric,
                metric,
                hues,
                texts=titles,
                encodings=only_names,
                lossy={name for name, _ in lossy},
            ),
            state.key("bars"),
            rows.rename(columns={state.metric: metric.label}),
            alt_text=f"{metric.label} of each encoding on each text, as bars",
            on_click=lambda title: state.click_text(keys.get(title, title)),
            file=f"compression-{state.metric.replace('_', '-')}",
        )
    with right:
        segments(st, "Length of tokens in", UNITS, CompressionState.unit, label_visibility="collapsed")
        lengths = charts.lengths_table(_token_lengths(state, measured, picked), state.unit)
        show_chart(
            charts.lengths_chart(
                lengths,
                state.unit,
                f"{where} counted equally" if len(picked) > 1 else where,
                hues,
                encodings=only_names,
                lossy={name for name, key in lossy if key in {sample.key for sample in picked}},
            ),
            state.key("lengths"),
            lengths,
            alt_text="The share of each encoding’s tokens that have each length, as bars",
            on_click=state.click_encoding,
            column_config={"share": "percent"},
            file="compression-token-lengths",
        )
    part = table
    if only_texts:
        part = part[part["text"].isin(titles)]
    if only_names:
        part = part[part["encoding"].isin(only_names)]
    _draw_table(state, part, len(part) < len(table))


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


def _draw_picks(state: CompressionState, samples: Sequence[Sample], picks: Sequence[str]) -> None:
    """Draw the selection, a chooser for the keyboard, and a reset button. They always stay, so nothing jumps.

    Args:
        state: the state of the page.
        samples: the chosen texts.
        picks: the selection, in words.
    """
    titles = {sample.key: sample.title for sample in samples} | {name: name for name in state.encodings}
    # On the left, because a chart's toolbar covers what is above its right end.
    with st.container(horizontal=True, vertical_alignment="center"):
        key, icon = state.key("show_all"), ":material/undo:"
        st.button("Show all", key=key, icon=icon, on_click=state.show_all, disabled=not picks)
        choose_once(
            "See one text or encoding alone",
            titles,
            state.key("alone"),
            state.see_alone,
            placeholder="See one alone: choose it, or click it",
            width=330,
        )
        if picks:
            st.caption(escape(f"Only {' · '.join(picks)}"), width="content")


def _draw_table(state: CompressionState, table: pd.DataFrame, is_part: bool) -> None:
    """Draw the table of every metric of every text in every encoding."""
    st.subheader("All values")
    config = {
        key: st.column_config.NumberColumn(
            metric.label, help=metric.short, format=_COLUMN_FORMATS[metric.written_as]
        )
        for key, metric in METRICS.items()
    }
    show_table(
        table,
        height="content" if len(table) < 14 else 460,
        column_config={
            "text": st.column_config.TextColumn(pinned=True),
            "encoding": st.column_config.TextColumn(width=width_for(table["encoding"])),
            **config,
            "words": "localized",
        },
        key=state.key("table"),
    )
    st.download_button(
        "Download these values (CSV)" if is_part else "Download all values (CSV)",
        csv_of(table),
        "compression.csv",
        "text/csv",
        on_click="ignore",
        key=state.key("csv"),
    )
    st.caption(f"{_EXACT} NSL is against {escape(state.baseline)}. –: not given. {describe_csv(table)}")


def _sources_of(sample: Sample) -> list[str]:
    """The keys of a text's sources, as in a ``Recipe``."""
    return [sample.key] if is_own_key(sample.key) else list(find_text(sample.key).sources)


def _draw_meanings() -> None:
    st.subheader("What these metrics mean")
    explained = [metric for metric in METRICS.values() if metric.formula]
    columns = st.columns(2, gap="large")
    for number, metric in enumerate(explained):
        with columns[number * 2 >= len(explained)]:
            st.markdown(f"**{metric.title}** = {metric.formula}")
            st.markdown(metric.meaning)
            st.caption(f"Source: {metric.source}")


def compression() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available, trained = workspace.encoding_names(), list(workspace.trained)
    titles = titles_of(workspace.own_texts)
    state = open_state(
        CompressionState, lambda link: CompressionState.from_link(link, available, trained, titles)
    )
    state.prune(available, trained, titles)
    st.title("Compression")
    draw_question(
        CompressionState,
        "How well does an encoding compress a text?",
        "The more bytes of a text fit into a token, the fewer tokens it takes. That differs from text to "
        "text.",
        "English and Korean alone",
        state.measure,
        ([LANGUAGE + "eng", LANGUAGE + "kor"],),
    )
    say_note(state)
    _draw_choices(workspace, state)
    state.prune_picks()
    samples, missing = choose(state.texts, workspace.own_texts)
    with messages():
        _say_what_is_left_out(missing)
    if not state.encodings:
        show_info("Choose an encoding above, and it is measured here.")
    elif not samples:
        show_info("Choose a text above, or add one of your own, and it is measured here.")
    else:
        measured, table = _measure(workspace, state, samples)
        if len(table):
            _draw_values(workspace, state, samples, measured, table)
            warn_of_training(workspace, state.encodings, {each.title: _sources_of(each) for each in samples})
            warn_of_losses(lossy_encodings(workspace, state.encodings))
    _draw_meanings()
    write_link(state)


compression()
