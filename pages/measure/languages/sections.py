"""The numbers, charts and smaller vocabularies on the page Languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.state import TrainState
from pages.measure.languages import charts
from pages.measure.languages.measurements import (
    GROUP,
    GROUPED,
    choose_rows,
    export,
    find,
    group_translations,
    rank_in_words,
    script_values,
    times,
    values_of,
    with_smaller_vocabulary,
)
from pages.measure.languages.state import ANY_SCRIPT, AROUND, HALF, MAX_QUERY, LanguagesState
from pages.session.own_texts import is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.charts import show_chart
from pages.shared.colours import css_hue_in
from pages.shared.components import register
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_table, show_table
from pages.shared.widgets import get_state, segments, show_error, tied
from tokenizers.amounts import share_in_words
from tokenizers.data import LANGUAGE, ParallelText
from tokenizers.encoding import Encoding

ROWS = 18
VIEWS = {AROUND: "Around it", "highest": "Highest first", "lowest": "Lowest first"}
SHARES: dict[str, float] = {HALF: 1 / 2, "a quarter": 1 / 4, "an eighth": 1 / 8}
SO_MANY, MANY = "a number of tokens", 8192
TRAINED_VOCAB = 2048

_cards = register("cards")


def draw_answer(
    workspace: Workspace,
    state: LanguagesState,
    data: charts.ChartData,
    text: ParallelText,
    base: ParallelText,
    smaller: pd.DataFrame,
) -> None:
    """Draw the headline, and a card for each encoding."""
    table, lead = data.table, data.lead
    row, base_row = (table[table["code"] == each.code].iloc[0] for each in (text, base))
    title = f"{escape(text.name)} costs {escape(state.lead)} {times(row[f'p{lead}'])} {escape(base.name)}"
    if not row["own"]:
        title += f": {rank_in_words(table, f'p{lead}', text.code)} translations"
    headline, train = st.columns([4, 1.3], vertical_alignment="center")
    headline.subheader(title + escape(data.warning(lead)), anchor=False)
    with train:
        _draw_train(data.names, text)
    cards: list[dict[str, Any]] = []
    for number, name in enumerate(data.names):
        tokens, base_tokens = f"{row[f't{number}']:,.0f}", f"{base_row[f't{number}']:,.0f}"
        lines = [["", tokens, " tokens; ", base_tokens, f" for {base.name}"]]
        if name in smaller.index:
            extra, n_tokens = smaller.loc[name, ["extra cost", "smaller vocabulary"]]
            size = f"a vocabulary of {n_tokens:,.0f}"
            if state.size in SHARES:
                size = f"{_part_in_words(state.size)} its vocabulary"
            lines.append([f"with {size}: ", f"{extra:+.1%}" if extra else "as many", " tokens"])
        hue = css_hue_in(workspace, name)
        number_of_times = times(row[f"p{number}"])
        cards.append({"name": name, "hue": hue, "value": number_of_times, "unit": base.name, "lines": lines})
    width = f"{text.n_bytes / max(1, text.n_chars):.1f}"
    line = ["", times(row["chars"]), " the characters, each of ", width, " bytes in UTF-8"]
    bytes_card = {"name": "before any encoding", "hue": "var(--soft)", "value": times(row["bytes"])}
    cards.append({**bytes_card, "unit": "the bytes", "lines": [line]})
    _cards(data={"cards": cards}, key=state.key("cards"))


def _draw_train(names: Sequence[str], text: ParallelText) -> None:
    """Draw a button to train an encoding on this language, unless one exists."""
    key = LANGUAGE + text.code
    recipes = [trained.recipe for name, trained in get_workspace().trained.items() if name in names]
    if is_own_key(text.code) or any(recipe and key in dict(recipe.parts) for recipe in recipes):
        return
    if st.button(
        f"Grow a BPE on {escape(text.name)}",
        key=LanguagesState.key("grow"),
        icon=":material/forest:",
        width="stretch",
        help="Opens Train with the recipe. Press Train and come back: the encoding is here, too.",
    ):
        name = f"{text.name.split(' (')[0]}-2k".replace(", ", "-")
        get_state(TrainState).hand_over(
            Recipe(parts=((key, 1.0),), vocab_size=TRAINED_VOCAB, held_out=0.0, name=name),
            f"A recipe for {text.name} is in the form: press Train. Then the encoding is on Languages, too.",
        )
        st.switch_page(page_files.TRAIN)


# The charts


def draw_charts(state: LanguagesState, data: charts.ChartData) -> None:
    """Draw the search, and the four charts."""
    table, names, lead = data.table, data.names, data.lead
    lead_box, search, script_box, view_box = st.columns([3.3, 1.3, 1.1, 2.1], vertical_alignment="bottom")
    segments(lead_box, "Charts of", names, LanguagesState.lead)
    search.text_input(
        "Search", placeholder="tamil, deu, Ελληνικά", max_chars=MAX_QUERY, **tied(LanguagesState.query)
    )
    scripts = [ANY_SCRIPT, *sorted(set(table["script"]))]
    script_box.selectbox("Script", scripts, **tied(LanguagesState.script))
    segments(view_box, "Bars", VIEWS, LanguagesState.view)
    found = find(table, state.query, "" if state.script == ANY_SCRIPT else state.script)
    across, up = names.index(str(state.across)), names.index(str(state.up))
    if not found.any():
        st.info(
            "No language matches, so all are faint below. Search for a part of its English name, such "
            "as chinese, for its own name, or for its ISO code; or remove the script.",
            icon=":material/search_off:",
        )
    data = replace(data, table=table.assign(found=found))
    left, right = st.columns(2, gap="large")
    with left:
        _draw_bars(state, data)
    with right:
        _draw_map(state, data)
        x_box, y_box = st.columns(2)
        x_box.selectbox("Across", names, **tied(LanguagesState.across))
        y_box.selectbox("Up", names, **tied(LanguagesState.up))
        show_chart(
            charts.scatter_chart(data, across, up),
            state.key("scatter"),
            lambda: values_of(table, names, [across, up], "script"),
            alt_text="Premiums in one encoding against another",
            on_click=state.click,
        )
    with left:
        show_chart(
            charts.scripts_chart(data),
            state.key("scripts"),
            lambda: script_values(table, names, lead),
            alt_text="Premiums by script; a line is the median",
            on_click=state.click,
        )
        st.caption("Click a dot to look at its language.")
    offer_table("All numbers", lambda: export(table, names), LanguagesState.key("all"), "languages")


def _draw_bars(state: LanguagesState, data: charts.ChartData) -> None:
    """Draw the bars, page by page. Without a search, many translations of one language share a bar."""
    place = st.container()
    table, lead, view = data.table, data.lead, state.view
    listed = group_translations(table, lead, data.focus) if table["found"].all() else table
    rows, pages = choose_rows(listed, lead, data.focus, view, 0, ROWS)
    if pages > 1:
        label = f"Page, of {pages} ({ROWS} bars each)"
        page = int(st.number_input(label, 1, pages, 1, key=state.key(f"page_{view}_{pages}")))
        rows, _ = choose_rows(listed, lead, data.focus, view, page - 1, ROWS)
    numbers = [lead, *(number for number in range(len(data.names)) if number != lead)]

    def values() -> pd.DataFrame:
        found = table[table["found"]] if table["found"].any() else table
        return values_of(found, data.names, numbers, "script", ascending=view == "lowest")

    with place:
        show_chart(
            charts.bars_chart(data, rows),
            state.key("bars"),
            values,
            alt_text="Premiums of languages as bars, one mark for each other encoding",
            on_click=state.click,
        )
    caption = "Click a bar to look at its language."
    if rows["code"].str.startswith(GROUP).any():
        caption += (
            f" A language with {GROUPED} translations or more has one bar for all: the bar is their median, "
            "the line on it goes from the least to the greatest, and a click lists each."
        )
    st.caption(caption)


def _draw_map(state: LanguagesState, data: charts.ChartData) -> None:
    """Draw the map, and list the languages that are not on it."""
    try:
        chart = charts.map_chart(data)
    except (ValueError, OSError) as problem:
        show_error(problem)
        return
    is_on_map = data.table["latitude"].notna()
    on_map = data.table[is_on_map].dropna(subset=[f"p{data.lead}"])

    def values() -> pd.DataFrame:
        return values_of(on_map, data.names, [data.lead], "latitude", "longitude")

    alt_text = "Languages on a map, coloured by premium"
    show_chart(chart, state.key("map"), values, alt_text=alt_text, on_click=state.click)
    lost = data.table[~is_on_map & ~data.table["own"]]
    st.caption(f"{len(lost)} translations have no place in the data: {escape(', '.join(lost['name']))}.")


# Smaller vocabularies


def with_smaller_vocabularies(
    state: LanguagesState, encodings: Mapping[str, Encoding], text: ParallelText, base: ParallelText
) -> pd.DataFrame:
    """The language in each encoding with merges, with a part of its vocabulary: rows by encoding."""
    size = SHARES.get(state.size) or float(state.tokens or MANY)
    rows = []
    for encoding in encodings.values():
        if encoding.has_merges:
            with suppress(ValueError):  # an own pattern that is too slow on this text
                rows.append(with_smaller_vocabulary(encoding, text, base, size))
    return pd.DataFrame(rows, columns=None if rows else ["encoding"]).set_index("encoding", drop=False)


def _part_in_words(size: str) -> str:
    """The words before "the vocabulary", for one of ``SHARES``."""
    return size if size == HALF else f"{size} of"


def draw_sizes(state: LanguagesState, table: pd.DataFrame, text: ParallelText, base: ParallelText) -> None:
    """Draw the cost of a smaller vocabulary."""
    if table.empty:
        return
    name = str(table["extra cost"].idxmax())
    extra = float(table["extra cost"].max())
    more = f"{share_in_words(extra)} more tokens" if extra else "as many tokens as now"
    part = f"{_part_in_words(state.size)} the vocabulary" if state.size in SHARES else "that many tokens"
    st.subheader(f"With {part}, {escape(text.name)} would cost {escape(name)} {more}", anchor=False)
    size, tokens, _ = st.columns([1.6, 1, 2.4], vertical_alignment="bottom")
    segments(size, "A vocabulary of", [*SHARES, SO_MANY], LanguagesState.size)
    if state.size == SO_MANY:
        tokens.number_input("Tokens", 256, 200_000, MANY, step=1024, **tied(LanguagesState.tokens))
    formats = {column: "%.2f×" for column in table.columns if column.startswith("times")}
    show_table(table, state.key("sizes"), {**formats, "extra cost": "percent"})
    st.caption(
        "Exact: a smaller vocabulary is the first part of the whole one, and the text is cut as it would "
        f"cut it. {escape(base.name)} then needs more tokens too, so a premium can even fall. Special tokens "
        "do not count."
    )
