"""Measure · Compression: what encodings make of texts of many kinds, in figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext

import pandas as pd
import streamlit as st

from pages.measure.compression import charts as charts
from pages.measure.compression.figures import Measured, Measurements, english_of, table_of
from pages.measure.compression.state import BYTES, UNITS, CompressionState
from pages.measure.compression.texts import MAX_OWN_BYTES, OwnSamples, Sample, choose, more_texts, titles_of
from pages.session.catalogue import FEATURED, begin, find_text
from pages.session.own_texts import is_own_key
from pages.session.workspace import Workspace
from pages.shared.bring_link import draw_bring_link
from pages.shared.charts import TitledChart, is_dark, selection_of, show_chart
from pages.shared.colours import hue_in
from pages.shared.learned import say_learned
from pages.shared.losses import lossy_among, say_losses
from pages.shared.own_texts import draw_own_texts
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_kept, get_workspace
from pages.shared.tables import csv_of, says_of_csv, show_table, width_for
from pages.shared.widgets import messages, open_state, say_note, tied, write_link
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE
from tokenizers.measure import METRICS

# From this length on, measuring takes long enough to say so. (A docstring here would be drawn by Streamlit.)
SLOW_BYTES = 300_000

_COLUMN_FORMATS = {"ratio": "%.3f", "share": "percent", "count": "localized"}

_EXACT = (
    "All figures are exact: counts, and ratios of counts, of the tokens that the encoding itself makes of "
    "the whole text. Special tokens in a text are plain text here. Half a character (a lone surrogate) "
    "counts as U+FFFD, three bytes."
)


def _draw_choices(workspace: Workspace, state: CompressionState) -> None:
    """Which encodings, which metric, which texts."""
    names, metric, baseline = st.columns([3.4, 1.5, 1.4])
    names.multiselect(
        "Encodings",
        workspace.encoding_names(),
        placeholder="Choose encodings to measure",
        **tied(CompressionState.encodings),
    )
    draw_bring_link(names)
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
    _draw_texts(workspace, state)
    others, own = st.columns([1, 2])
    with others:
        _draw_other_texts(state)
    with own:
        draw_own_texts(
            state.choose_texts, f"This page measures up to {bytes_in_words(MAX_OWN_BYTES)} of them at a time."
        )


def _draw_texts(workspace: Workspace, state: CompressionState) -> None:
    """Which texts: a few, and those that are chosen, each with a button."""
    titles = titles_of(workspace.own_texts)
    shown = [key for key in titles if key in FEATURED or is_own_key(key) or key in state.texts]
    st.pills(
        "Texts",
        shown,
        selection_mode="multi",
        format_func=lambda key: plain(begin(str(key), titles.get(str(key), str(key)))),
        **tied(CompressionState.texts),
    )


def _draw_other_texts(state: CompressionState) -> None:
    """A field with all the texts that come with the app and are not chosen."""
    more, choice = more_texts(), state.key("another")
    st.session_state[choice] = None  # what was chosen in it stands among the buttons above

    def add() -> None:
        chosen = st.session_state[choice]
        if chosen is not None:
            state.choose_texts([chosen])

    st.selectbox(
        "Another text",
        [key for key in more if key not in state.texts],
        index=None,
        format_func=lambda key: begin(str(key), more.get(str(key), str(key))),
        placeholder="Another text: a sample, or one of 500 languages",
        label_visibility="collapsed",
        key=choice,
        on_change=add,
    )


def _say_what_is_left_out(missing: Mapping[str, str]) -> None:
    """Which of the chosen texts are not measured, and why; texts with the same reason together."""
    titles_by_problem: dict[str, list[str]] = {}
    for title, problem in missing.items():
        titles_by_problem.setdefault(problem, []).append(title)
    for problem, titles in titles_by_problem.items():
        more = f" and {len(titles) - 5} more" if len(titles) > 5 else ""
        verb = "is" if len(titles) == 1 else "are"
        st.warning(
            plain(f"{', '.join(titles[:5])}{more} {verb} left out. {problem}"), icon=":material/warning:"
        )


def _measure(
    workspace: Workspace, state: CompressionState, samples: Sequence[Sample]
) -> tuple[Measured, pd.DataFrame]:
    """Measure, say what could not be, and put it into a table."""
    kept, names, baseline = get_kept(Measurements), state.encodings, state.baseline
    everything = [*names, *([baseline] if baseline not in names else [])]
    size = sum(sample.text_map.n_bytes for sample in samples)
    is_slow = size > SLOW_BYTES
    with st.spinner("Measuring: long texts take a moment, once.") if is_slow else nullcontext():
        measured, problems = kept.measure_all(workspace, everything, samples)
    kept.forget(workspace, {*workspace.own_texts, *(sample.key for sample in samples)})
    for problem in problems.values():
        st.warning(plain(problem), icon=":material/warning:")
    english = english_of(workspace, kept, names) if any(sample.is_parallel for sample in samples) else {}
    against = {key: metrics for (name, key), metrics in measured.items() if name == baseline}
    return measured, table_of(measured, names, samples, against, english)


def _draw_figures(
    workspace: Workspace,
    state: CompressionState,
    samples: Sequence[Sample],
    measured: Measured,
    table: pd.DataFrame,
) -> None:
    """The two charts and the table. What is picked in one filters the others."""
    only_texts, only_names = state.only_texts, state.only_encodings
    picked = [sample for sample in samples if sample.key in only_texts] or list(samples)
    where = picked[0].title if len(picked) == 1 else f"{len(picked)} texts" if only_texts else "All texts"
    titles = [sample.title for sample in picked] if only_texts else []
    hues = {name: hue_in(workspace, name) for name in workspace.encoding_names()}
    lossy = lossy_among(workspace, state.encodings)
    left, right = st.columns([1.28, 1], gap="large")
    with left:
        texts = {sample.key: sample.title for sample in samples}
        _draw_picks(state, texts, [where] * bool(only_texts) + only_names)
        _draw_bars(workspace, state, table, hues, titles, _lossy_pairs(measured, samples, lossy))
    with right:
        st.segmented_control(
            "Length of tokens in",
            UNITS,
            required=True,
            label_visibility="collapsed",
            **tied(CompressionState.unit),
        )
        alike = f"{where} counted equally" if len(picked) > 1 else where
        _draw_lengths(state, measured, picked, alike, hues, lossy)
    part = table
    if only_texts:
        part = part[part["text"].isin(titles)]
    if only_names:
        part = part[part["encoding"].isin(only_names)]
    _draw_table(state, part, len(part) < len(table))


def _lossy_pairs(
    measured: Measured, samples: Sequence[Sample], lossy: Collection[str]
) -> set[tuple[str, str]]:
    """Where one of the encodings that may lose a part of a text does so: the text's title, and its name."""
    titles = {sample.key: sample.title for sample in samples}
    return {
        (titles[key], name) for (name, key), metrics in measured.items() if metrics.n_losses and name in lossy
    }


def _draw_bars(
    workspace: Workspace,
    state: CompressionState,
    table: pd.DataFrame,
    hues: dict[str, int],
    titles: Sequence[str],
    lossy: Collection[tuple[str, str]],
) -> None:
    """The chosen metric, by text and encoding; ``lossy``: the (text, encoding) where text is lost."""
    key, only_names = state.metric, state.only_encodings
    metric = METRICS[key]
    rows = table[["text", "encoding", key]]

    def draw(picks: Sequence[str]) -> TitledChart:
        return charts.bars_chart(rows, key, metric, hues, texts=picks, encodings=only_names, lossy=lossy)

    about = (rows.to_csv(), list(only_names), is_dark())
    first, name = state.first_picks("bars", titles, about), state.chart("bars")
    show_chart(
        draw(first),
        name,
        rows.rename(columns={key: metric.label}),
        alt_text=f"{metric.label} of each encoding on each text, as bars",
        on_select=lambda: state.pick_texts(selection_of(name), titles_of(workspace.own_texts)),
        file=f"compression-{key.replace('_', '-')}",
        picture=None if first == list(titles) else draw(titles),
    )


def _draw_lengths(
    state: CompressionState,
    measured: Measured,
    picked: Sequence[Sample],
    where: str,
    hues: dict[str, int],
    may_lose: Collection[str],
) -> None:
    """How long the tokens are, by encoding; ``may_lose``: those that may lose a part of a text."""
    counts = {}
    lossy = set()
    unit, only_names = state.unit, state.only_encodings
    for name in state.encodings:
        metrics = [measured[name, sample.key] for sample in picked if (name, sample.key) in measured]
        if name in may_lose and any(each.n_losses for each in metrics):
            lossy.add(name)
        if metrics:
            counts[name] = [
                each.tokens_by_bytes if unit == BYTES else each.tokens_by_chars for each in metrics
            ]
    lengths = charts.lengths_table(counts, unit)

    def draw(picks: Sequence[str]) -> TitledChart:
        return charts.lengths_chart(lengths, unit, where, hues, encodings=picks, lossy=lossy)

    about = (lengths.to_csv(), where, is_dark())
    first, chart = state.first_picks("lengths", only_names, about), state.chart("lengths")
    show_chart(
        draw(first),
        chart,
        lengths,
        alt_text="The share of each encoding’s tokens that have each length, as bars",
        on_select=lambda: state.pick_encodings(selection_of(chart)),
        column_config={"share": st.column_config.NumberColumn(format="percent")},
        file="compression-token-lengths",
        picture=None if first == list(only_names) else draw(only_names),
    )


def _draw_picks(state: CompressionState, texts: Mapping[str, str], picks: Sequence[str]) -> None:
    """What is picked, a way to pick by keyboard, and the way back; always there, so that nothing jumps.

    Args:
        state: of the page.
        texts: the titles of the chosen texts, by key.
        picks: in words.
    """
    choice = state.key("alone")
    st.session_state[choice] = None  # the field is a way to pick, and is empty again once that is done

    def pick() -> None:
        chosen = st.session_state[choice]
        if chosen is not None:
            state.see_alone(chosen)

    # At the left: on the right, a chart's own toolbar covers what is above it.
    with st.container(horizontal=True, vertical_alignment="center"):
        key, icon = state.key("show_all"), ":material/undo:"
        st.button("Show all", key=key, icon=icon, on_click=state.show_all, disabled=not picks)
        st.selectbox(
            "See one text or encoding alone",
            [*texts, *state.encodings],
            index=None,
            format_func=lambda each: texts.get(each, str(each)),
            placeholder="See one alone: choose it, or click it",
            label_visibility="collapsed",
            key=choice,
            on_change=pick,
            width=330,
        )
        if picks:
            st.caption(plain(f"Only {' · '.join(picks)}"), width="content")


def _draw_table(state: CompressionState, table: pd.DataFrame, is_part: bool) -> None:
    """Every figure of every text in every encoding."""
    st.subheader("All figures")
    config = {
        key: st.column_config.NumberColumn(
            metric.label,
            help=metric.short,
            format=_COLUMN_FORMATS[metric.written_as],
        )
        for key, metric in METRICS.items()
    }
    config["words"] = st.column_config.NumberColumn(format="localized")
    show_table(
        table,
        height="content" if len(table) < 14 else 460,
        column_config={
            "text": st.column_config.TextColumn(pinned=True),
            "encoding": st.column_config.TextColumn(width=width_for(table["encoding"])),
            **config,
        },
        key=state.key("table"),
    )
    st.download_button(
        "Download these figures (CSV)" if is_part else "Download all figures (CSV)",
        lambda: csv_of(table),
        "compression.csv",
        "text/csv",
        on_click="ignore",
        key=state.key("csv"),
    )
    st.caption(f"{_EXACT} NSL is against {plain(state.baseline)}. –: not given. {says_of_csv(table)}")


def _sources_of(sample: Sample) -> list[str]:
    """The keys of what the text is made of, among those that encodings learn from."""
    return list(find_text(sample.key).sources) if sample.is_bundled else [sample.key]


def _draw_meanings() -> None:
    st.subheader("What these figures mean")
    explained = [metric for metric in METRICS.values() if metric.formula]
    columns = st.columns(2, gap="large")
    for number, metric in enumerate(explained):
        with columns[number * 2 >= len(explained)]:
            st.markdown(f"**{metric.title}** = {metric.formula}")
            st.markdown(metric.meaning)
            st.caption(f"Source: {metric.source}")


def compression() -> None:
    """The page."""
    workspace = get_workspace()
    available, grown = workspace.encoding_names(), list(workspace.grown)
    titles = titles_of(workspace.own_texts)
    state = open_state(
        CompressionState, lambda link: CompressionState.from_link(link, available, grown, titles)
    )
    state.prune(available, grown, titles)
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
    samples, missing = choose(state.texts, workspace.own_texts, get_kept(OwnSamples), workspace.text_map)
    with messages():
        _say_what_is_left_out(missing)
    if not state.encodings:
        st.info("Choose an encoding above, and it is measured here.", icon=":material/info:")
    elif not samples:
        st.info(
            "Choose a text above, or add one of your own, and it is measured here.", icon=":material/info:"
        )
    else:
        measured, table = _measure(workspace, state, samples)
        if len(table):
            _draw_figures(workspace, state, samples, measured, table)
            say_learned(workspace, state.encodings, {each.title: _sources_of(each) for each in samples})
            say_losses(lossy_among(workspace, state.encodings))
    _draw_meanings()
    write_link(state)


compression()
