"""The numbers and charts on the page Languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.grow.train.state import TrainState
from pages.measure.languages import charts
from pages.measure.languages.measurements import (
    change_with_half,
    choose_rows,
    export,
    find,
    rank_in_words,
    script_values,
    times,
    values_of,
)
from pages.measure.languages.state import AROUND, MAX_QUERY, PAST, LanguagesState
from pages.session.own_texts import is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import css_hue_in
from pages.shared.components import register
from pages.shared.markdown import escape
from pages.shared.reports import offer_report
from pages.shared.session import get_workspace
from pages.shared.tables import offer_table
from pages.shared.widgets import get_state, segments, tied
from tokenizers.data import LANGUAGE, RULE, ParallelText, compose
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import Report, gini, premium_interval, premium_parts, premium_under
from tokenizers.registry import model_name, short_title
from tokenizers.split import PATTERN_LABELS, PATTERNS
from tokenizers.text import isolate

ROWS = 18
VIEWS = {AROUND: "Around it", "highest": "Highest first", "lowest": "Lowest first"}
"""Which languages have bars, in which order; see ``choose_rows`` of measurements.py."""
TRAINED_VOCAB = 2048

METHOD = (
    "The text is the Universal Declaration of Human Rights. A language’s **premium** is the number of tokens "
    "of the whole declaration, divided by that of the language it is compared with "
    "([Petrov et al. 2023](https://arxiv.org/abs/2305.15425); on the cost: "
    "[Ahia et al. 2023](https://arxiv.org/abs/2305.13707)). " + RULE,
    "Some languages have several translations. Each has its own dot, and ranks count translations.",
    "Each text is measured as its translators wrote it. Some are marked as decomposed: at least one in a "
    "hundred characters is an accent that could be part of its letter. Most of these would take fewer tokens "
    "if it were. Where one is chosen, the page says what it would take.",
    "Even complete texts differ a little: a translation may join clauses, explain more, or repeat a heading. "
    "So do not rely on the last few per cent of a premium.",
)
"""What is compared, and how, in Markdown."""

_BARS = "Translations"
_SCRIPTS = "Scripts"

_cards = register("cards")


def draw_answer(
    workspace: Workspace,
    data: charts.ChartData,
    encodings: Mapping[str, Encoding],
    text: ParallelText,
    base: ParallelText,
) -> list[str]:
    """Draw the headline, and a card for each encoding; returns the sentences of the headline."""
    table = data.table
    row = table[table["code"] == text.code].iloc[0]
    base_row = table[table["code"] == base.code].iloc[0]
    headline, train = st.columns([4, 1.3], vertical_alignment="center")
    answer = [_headline(data, row, base.name)]
    headline.subheader(escape(answer[0]), anchor=False)
    if not row["own"]:
        rank = rank_in_words(table, f"p{data.lead}", text.code)
        answer.append(f"In {data.model(data.lead)}, it is {rank} translations, most tokens first.")
        headline.caption(escape(answer[1]))
    lead = encodings[data.names[data.lead]]
    composed = _say_composed(lead, text.text, int(row[f"t{data.lead}"]), int(base_row[f"t{data.lead}"]))
    if composed:
        answer.append(composed)
        st.write(escape(composed))
    with train:
        _draw_train(text)
    cards = []
    for number, name in enumerate(data.names):
        tokens = f"{row[f't{number}']:,.0f}"
        base_tokens = f"{base_row[f't{number}']:,.0f}"
        lines = [["", tokens, " tokens; ", base_tokens, f" for {base.name}"]]
        change = change_with_half(encodings[name], text.text)
        if change is not None:
            lines.append(_line_on_half(change))
        cards.append(
            {
                "name": short_title(name),
                "hue": css_hue_in(workspace, name),
                "value": times(row[f"p{number}"]),
                "unit": base.name,
                "lines": lines,
            }
        )
    cards.append(_card_of_bytes(row, text))
    _cards({"cards": cards}, "languages_cards")
    return answer


def _card_of_bytes(row: pd.Series, text: ParallelText) -> JsonObject:
    """How much longer the text is before it is cut."""
    width = f"{text.n_bytes / max(1, text.n_chars):.1f}"
    return {
        "name": "Before any tokenizer",
        "hue": "var(--soft)",
        "value": times(row["bytes"]),
        "unit": "the bytes",
        "lines": [["", times(row["chars"]), " the characters, each of ", width, " bytes in UTF-8"]],
    }


def _headline(data: charts.ChartData, row: pd.Series, base: str) -> str:
    """How many times as many tokens the language of a row takes, in the lead and in the past."""
    lead = data.lead
    takes = f"{isolate(row['name'])} takes {times(row[f'p{lead}'])} as many tokens as {isolate(base)}"
    title = f"In {data.model(lead)}, {takes}"
    if PAST in data.names and data.names[lead] != PAST:
        past = row[f"p{data.names.index(PAST)}"]
        title += f"; in {model_name(PAST)} it took {times(past)}"
    return title + data.warning(lead)


def _say_composed(encoding: Encoding, text: str, n_tokens: int, n_base: int) -> str:
    """What a decomposed text takes if it is composed, in words; empty: the same, or it is not decomposed.

    >>> from tokenizers import get_encoding
    >>> _say_composed(get_encoding("gpt2"), "cafe\u0301", 4, 1)
    'Its text is decomposed: it has accents apart from their letters. Composed (Unicode’s NFC), as most \
keyboards write, it takes 3.00×.'
    """
    composed = compose(text)
    if composed is None or not n_base:
        return ""
    try:
        n_composed = len(encoding.encode_array(composed))
    except ValueError:  # an own split pattern that is too slow on this text
        return ""
    ratio = times(n_composed / n_base)
    if ratio == times(n_tokens / n_base):
        return ""
    return (
        "Its text is decomposed: it has accents apart from their letters. Composed (Unicode’s NFC), as most "
        f"keyboards write, it takes {ratio}."
    )


def _line_on_half(change: float) -> list[str]:
    """The line of a card on half the vocabulary; every second part is bold."""
    start = "with half its vocabulary: "
    if not change:
        return [start, "no change", ": none of the other half helps"]
    return [start, f"{change:+.1%}", " tokens"]


def _draw_train(text: ParallelText) -> None:
    """Draw a button to train an encoding on this language."""
    if is_own_key(text.code):
        return
    if st.button(
        f"Train a BPE on {escape(text.name)}",
        key="languages_grow",
        icon=":material/forest:",
        width="stretch",
        help="Opens Train with the recipe. Press Train and come back: the tokenizer is here, too.",
    ):
        name = f"{text.name.split(' (')[0]}-2k".replace(", ", "-")
        get_state(TrainState).hand_over(
            Recipe(parts=((LANGUAGE + text.code, 1.0),), vocab_size=TRAINED_VOCAB, held_out=0.0, name=name),
            f"A recipe for {text.name} is in the form: press Train. Then the tokenizer is on Languages, too.",
        )
        st.switch_page(page_files.TRAIN)


# The charts


def draw_parts(
    state: LanguagesState,
    data: charts.ChartData,
    encodings: Mapping[str, Encoding],
    text: ParallelText,
    base: ParallelText,
) -> None:
    """Draw what of the premium comes from the walls, and what from the vocabulary."""
    if text.code == base.code:
        return
    lead = data.names[data.lead]
    found = {
        name: premium_parts(encodings[name], text.text, base.text)
        for name in dict.fromkeys([lead, *data.names])  # the lead first
    }
    parts = {short_title(name): each for name, each in found.items() if each is not None}
    if not parts:
        return
    first = next(name for name, each in found.items() if each is not None)
    moved = None
    if encodings[lead].merging is not None:
        _draw_what_if(lead)
        if state.walls:
            moved = premium_under(encodings[lead], text.text, base.text, state.walls)
            parts[f"{short_title(lead)}, split as {state.walls}"] = moved
    st.caption(
        "A text is first split into pieces, and no token reaches across the wall between two. So its tokens "
        "are its pieces times the tokens in a piece, exactly. No vocabulary can mend what the walls cost."
    )
    rows = [(label, *each, each.premium) for label, each in parts.items()]
    columns = ["tokenizer", "pieces, times", "tokens in a piece, times", "tokens, times"]
    show_chart(
        charts.parts_chart(data, parts, model_name(first), text.name, base.name),
        "languages_parts",
        lambda: pd.DataFrame(rows, columns=columns),
        source=data.source,
    )
    if moved is not None:
        st.write(
            f"Split as {state.walls}, {escape(text.name)} would take {times(moved.premium)} the tokens: "
            f"{times(moved.walls)} from walls, times {times(moved.vocabulary)} from the vocabulary."
        )
    interval = premium_interval(encodings[lead], text.text, base.text)
    if interval is not None:
        low, high = interval
        st.caption(
            f"With other paragraphs of this kind, {escape(text.name)} would take {times(low)} to "
            f"{times(high)} in {escape(model_name(lead))}, in 95 of 100 draws (a bootstrap over the "
            "paragraphs)."
        )


def _draw_what_if(lead: str) -> None:
    """Draw the choice of other walls for the lead's vocabulary."""
    choosing, _ = st.columns([2, 3])
    choosing.selectbox(
        f"What if {escape(model_name(lead))} split its texts as",
        ["", *reversed(PATTERNS)],
        format_func=lambda pattern: PATTERN_LABELS.get(pattern, "it does"),
        help="The same vocabulary behind the walls of another split pattern, counted anew.",
        **tied(LanguagesState.walls),
    )


def draw_charts(state: LanguagesState, data: charts.ChartData, said: Sequence[str]) -> None:
    """Draw the search and the four charts, and offer a report.

    Args:
        state: of the page.
        data: of all charts.
        said: the sentences above the charts, the headline first.
    """
    table = data.table
    names = data.names
    lead = data.lead
    lead_box, search, view_box = st.columns([2.4, 2.4, 2.1], vertical_alignment="bottom")
    page_files.choose_encoding(lead_box, "Charts for", state.encodings, LanguagesState.lead, short_title)
    search.text_input(
        "Search",
        placeholder="tamil, deu, Ελληνικά, Cyrillic",
        max_chars=MAX_QUERY,
        **tied(LanguagesState.query),
    )
    segments(view_box, "Bars", VIEWS, LanguagesState.view)
    found = find(table, state.query)
    if not found.any():
        st.info(
            "No language matches, so all are faint below. Search for a part of an English name, such as "
            "chinese, for an own name, a script or an ISO code.",
            icon=":material/search_off:",
        )
    data = replace(data, table=table.assign(found=found))
    bars = choose_rows(data.table, lead, data.focus, state.view, ROWS)
    left, right = st.columns(2, gap="large")
    with left:
        _draw_bars(state, data, bars)
        show_chart(
            charts.scripts_chart(data),
            "languages_scripts",
            lambda: script_values(table, names[lead], lead),
            on_click=state.look_at,
            source=data.source,
        )
        st.caption("Click a dot to select its language.")
    with right:
        _draw_map(state, data)
        if others := [name for name in state.encodings if name != state.lead]:
            page_files.choose_encoding(st, "Against", others, LanguagesState.against, short_title)
        if state.against in names and (against := names.index(state.against)) != lead:
            show_chart(
                charts.scatter_chart(data, against),
                "languages_scatter",
                lambda: values_of(table, names, [lead, against], "script"),
                on_click=state.look_at,
                source=data.source,
            )
    offer_table("All numbers", lambda: export(table, names), "languages_all", "languages")
    offer_report(lambda: _report_of(state, data, bars, said), "languages_report", "languages-report")


def _draw_bars(state: LanguagesState, data: charts.ChartData, bars: pd.DataFrame) -> None:
    table = data.table

    def values() -> pd.DataFrame:
        found = table[table["found"]] if table["found"].any() else table
        return values_of(found, data.names, data.numbers, "script")

    show_chart(
        charts.bars_chart(data, bars),
        "languages_bars",
        values,
        on_click=state.look_at,
        source=data.source,
    )
    st.caption("Click a bar to select its language.")
    shipped = table[~table["code"].map(is_own_key)]
    ginis = [
        f"{model_name(name)} {gini(shipped[f'p{number}'].tolist()):.2f}"
        for number, name in enumerate(data.names)
    ]
    st.caption(
        f"Gini coefficient over {len(shipped):,} languages: {escape(', '.join(ginis))}. 0: every language "
        "takes as many tokens as any other; the nearer to 1, the more of all tokens a few languages take."
    )


def _draw_map(state: LanguagesState, data: charts.ChartData) -> None:
    """Draw the map, and list the languages that are not on it."""
    is_on_map = data.table["latitude"].notna()
    on_map = data.table[is_on_map].dropna(subset=[f"p{data.lead}"])

    def values() -> pd.DataFrame:
        return values_of(on_map, data.names, [data.lead], "latitude", "longitude")

    show_chart(charts.map_chart(data), "languages_map", values, on_click=state.look_at, source=data.source)
    lost = data.table[~is_on_map & ~data.table["own"]]
    st.caption(f"{len(lost)} translations have no place in the data: {escape(', '.join(lost['name']))}.")


# The report


def _report_of(
    state: LanguagesState, data: charts.ChartData, bars: pd.DataFrame, said: Sequence[str]
) -> tuple[Report, dict[str, TitledChart]]:
    """The report, with its charts by the headings of their tables."""
    rows = data.table[data.table["code"].isin([*bars["code"], state.base])]
    tables = {
        _BARS: values_of(rows, data.names, data.numbers),
        _SCRIPTS: script_values(data.table, data.names[data.lead], data.lead),
    }
    own = [isolate(text) for text in data.table.loc[data.table["code"].map(is_own_key), "name"]]
    about_own = f"{', '.join(own)}: the author’s own, compared with {isolate(data.own_base)}." if own else ""
    report = Report(
        title=said[0],
        sentences=said[1:],
        tables=tables,
        method=[*METHOD, *filter(None, [about_own])],
        encodings=list(map(get_workspace().find_encoding, data.names)),
    )
    return report, {_BARS: charts.bars_chart(data, bars), _SCRIPTS: charts.scripts_chart(data)}
