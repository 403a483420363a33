"""Measure · Compression: what encodings make of texts of many kinds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.measure.compression import charts
from pages.measure.compression.measurements import (
    ENGLISH,
    Measured,
    measure_all,
    table_of,
    together,
)
from pages.measure.compression.state import CompressionState
from pages.session.samples import Sample, bundled, choose, titles_of
from pages.session.workspace import Workspace
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import hue_in
from pages.shared.frame import draw_in_two_columns, draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.page_files import choose_encoding, choose_encodings
from pages.shared.reports import offer_report
from pages.shared.session import get_workspace
from pages.shared.tables import offer_more, offer_table
from pages.shared.warnings import loss_warnings, lossy_encodings, training_warnings
from pages.shared.widgets import (
    messages,
    open_state,
    say_note,
    show_info,
    show_warning,
    side_by_side,
    tied,
    write_link,
)
from tokenizers.amounts import shorten
from tokenizers.data import LANGUAGE
from tokenizers.measure import METRICS, Metric, Report
from tokenizers.registry import short_title

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
        filter_mode="contains",
        select_all=False,  # else the Enter key after "Hindi" chooses all that match, and not the first
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
        key = "compression_only_mine"
        icon = ":material/filter_alt:"
        st.button("Only my texts", key=key, icon=icon, type="tertiary", on_click=state.measure, args=(mine,))
    draw_own_texts(state.choose_texts)


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes:
        workspace, state: of the session, and of the page.
        samples: the texts.
        measured: what was measured of them.
        table: all values.
        problems: what could not be measured, in sentences.
    """

    workspace: Workspace
    state: CompressionState
    samples: Sequence[Sample]
    measured: Measured
    table: pd.DataFrame
    problems: Sequence[str]

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the texts, by their keys."""
        return {sample.key: sample.title for sample in self.samples}

    @property
    def hues(self) -> dict[str, int]:
        """The hues of the encodings."""
        return {name: hue_in(self.workspace, name) for name in self.state.encodings}

    @property
    def lossy(self) -> set[str]:
        """The encodings that lost a part of these texts."""
        may_lose = lossy_encodings(self.workspace, self.state.encodings)
        return {name for (name, _), metrics in self.measured.items() if metrics.n_losses and name in may_lose}

    @property
    def metric(self) -> Metric:
        """The metric in the bars."""
        return METRICS[self.state.metric]

    @property
    def warnings(self) -> list[str]:
        """What to know of the encodings: which learned from these texts, and which may lose text."""
        names = self.state.encodings
        sources = {each.title: each.sources for each in self.samples}
        training = training_warnings(self.workspace, names, sources)
        return [*training, *loss_warnings(lossy_encodings(self.workspace, names))]

    def bars(self) -> TitledChart:
        """The chart of the metric."""
        state = self.state
        return charts.bars_chart(
            self.table[["text", "tokenizer", state.metric]],
            state.metric,
            self.metric,
            self.hues,
            text=self.titles.get(state.only_text, ""),
            encoding=state.only_encoding,
            lossy=self.lossy,
        )


def _measure(workspace: Workspace, state: CompressionState, samples: Sequence[Sample]) -> Results:
    """Measure, and make the table."""
    names = list(dict.fromkeys([*state.encodings, state.baseline]))
    with st.spinner("Measuring. Long texts take a moment, once."):
        measured, problems = measure_all(workspace, names, samples)
    all_measured, with_whole = together(measured, names, samples)
    english: Measured = {}
    if any(sample.is_parallel for sample in samples):
        english, _ = measure_all(workspace, state.encodings, [bundled(ENGLISH)])
    table = table_of(all_measured, english, state.encodings, with_whole, state.baseline)
    return Results(workspace, state, samples, measured, table, problems)


def _draw_bars(results: Results) -> None:
    """Draw the bars of the metric, and its meaning."""
    state = results.state
    metric = results.metric
    keys = {title: key for key, title in results.titles.items()}
    rows = results.table[["text", "tokenizer", state.metric]]
    left, right = st.columns([2.2, 1], gap="large")
    with left:
        show_chart(
            results.bars(),
            "compression_bars",
            rows.rename(columns={state.metric: metric.label}),
            on_click=lambda title: state.click_text(keys.get(title, "")),
            file=f"compression-{state.metric.replace('_', '-')}",
            source=shorten(", ".join(results.titles.values()), 80),
        )
        _draw_selection(state, results.titles)
    with right:
        _draw_meaning(metric)
        if state.metric == "nsl":
            names = results.workspace.encoding_names()
            choose_encoding(st, "Baseline", names, CompressionState.baseline)


def _draw_more(results: Results) -> None:
    """Draw, on request, the lengths of tokens, all values, and the meaning of each metric; offer a report."""
    offer_more(
        "How long the tokens are", lambda: _draw_lengths(results), "compression_more", ":material/show_chart:"
    )
    columns = {
        key: st.column_config.NumberColumn(
            each.label, help=each.short, format=_COLUMN_FORMATS[each.written_as]
        )
        for key, each in METRICS.items()
    }
    columns_of_all = {**columns, "words": "localized"}
    offer_table("All values", results.table, "compression_all", "compression", columns_of_all)
    offer_more("What each metric means", _draw_meanings, "compression_meanings", ":material/menu_book:")
    offer_report(lambda: _report_of(results), "compression_report", "compression-report")


def _report_of(results: Results) -> tuple[Report, dict[str, TitledChart]]:
    """The report: the metric and the tokens of each text, by each tokenizer."""
    metric = results.metric
    bars = results.bars()
    names = results.state.encodings
    report = Report(
        title=bars.title,
        sentences=[*results.problems, *results.warnings],
        tables={
            METRICS[key].title: _by_tokenizer(results.table, key) for key in (results.state.metric, "tokens")
        },
        method=[*_meaning(metric), _EXACT],
        encodings=list(map(results.workspace.find_encoding, names)),
    )
    return report, {metric.title: bars}


def _by_tokenizer(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """A table with a row for each text: its length, and a metric in each tokenizer."""
    wide = table.pivot_table(key, ["text", "bytes"], "tokenizer", aggfunc="first", sort=False)
    written = wide.map(METRICS[key].write).rename(columns=short_title)
    return written.reset_index()


def _draw_selection(state: CompressionState, titles: Mapping[str, str]) -> None:
    """Draw what is selected in the charts, and a reset button, which always stays, so that nothing jumps."""
    selected = [titles.get(state.only_text, ""), short_title(state.only_encoding)]
    with side_by_side():
        key = "compression_show_all"
        icon = ":material/undo:"
        is_off = not any(selected)
        st.button("Show all", key=key, icon=icon, on_click=state.show_all, disabled=is_off)
        only = f"Only {' · '.join(filter(None, selected))}"
        hint = "Click a bar to see that text alone."
        st.caption(hint if is_off else escape(only), width="content")


def _draw_lengths(results: Results) -> None:
    """Draw the chart of the lengths of tokens."""
    state = results.state
    selected = [sample for sample in results.samples if sample.key == state.only_text] or results.samples
    measured = results.measured
    counts = {
        name: [measured[name, each.key].tokens_by_bytes for each in selected if (name, each.key) in measured]
        for name in state.encodings
    }
    lengths = charts.lengths_table(counts)
    where = selected[0].title if len(selected) == 1 else "All texts counted equally"
    show_chart(
        charts.lengths_chart(
            lengths,
            where,
            results.hues,
            encoding=state.only_encoding,
            lossy=results.lossy,
        ),
        "compression_lengths",
        lengths,
        on_click=state.click_encoding,
        column_config={"share": "percent"},
        file="compression-token-lengths",
    )


def _meaning(metric: Metric) -> tuple[str, str, str]:
    """What a metric is, what it says, and where it is from, in Markdown."""
    return f"**{metric.title}** = {metric.formula}", metric.meaning, f"Source: {metric.source}"


def _draw_meaning(metric: Metric) -> None:
    *sentences, source = _meaning(metric)
    st.markdown("\n\n".join(sentences))
    st.caption(source)


def _draw_meanings() -> None:
    st.caption(_EXACT)
    draw_in_two_columns(list(METRICS.values()), _draw_meaning)


def compression() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    own_names = list(workspace.own_encodings)
    own = workspace.own_texts
    state = open_state(
        CompressionState, lambda link: CompressionState.from_link(link, available, own_names, titles_of(own))
    )
    state.prune(available, own_names, titles_of(own))
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
    samples, problems = choose(state.texts, own)
    with messages():
        for problem in problems:
            show_warning(problem)
    if not state.encodings:
        show_info("Choose a tokenizer above to measure it.")
    elif not samples:
        show_info("Choose a text above, or add your own, to measure it.")
    else:
        results = _measure(workspace, state, samples)
        for problem in results.problems:
            show_warning(problem)
        if len(results.table):
            _draw_bars(results)
            for sentence in results.warnings:
                st.caption(escape(sentence))
            _draw_more(results)
    write_link(state)


compression()
