"""The charts of the page Languages on the page: the search, the choice of bars, and what is under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.measure.languages import charts as charts
from pages.measure.languages.chart_data import ChartData
from pages.measure.languages.state import (
    ANY_SCRIPT,
    AROUND,
    BARS,
    MAP,
    MAX_QUERY,
    SCATTER,
    SCRIPTS,
    LanguagesState,
)
from pages.measure.languages.table import (
    GROUP,
    GROUPED,
    bar_figures,
    export,
    group_translations,
    map_figures,
    mark_found,
    scatter_figures,
    script_figures,
)
from pages.session.workspace import Workspace
from pages.shared.charts import is_dark, show_chart
from pages.shared.colours import hex_of, hue_in
from pages.shared.plain import plain
from pages.shared.tables import offer_table
from pages.shared.widgets import tied

ROWS = 18
VIEWS = {AROUND: "Around it", "highest": "Highest first", "lowest": "Lowest first"}


def draw_charts(
    workspace: Workspace,
    state: LanguagesState,
    table: pd.DataFrame,
    names: list[str],
    base: str,
    own_base: str,
    lossy: Sequence[str],
) -> None:
    """The search, and the four charts; see ``ChartData`` for the two bases and ``lossy``."""
    area = state.area_drawn()
    lead_box, search, script_box, view_box = st.columns([3.3, 1.3, 1.1, 2.1], vertical_alignment="bottom")
    lead_box.segmented_control(
        "Charts of", names, required=True, format_func=plain, **tied(LanguagesState.lead)
    )
    search.text_input(
        "Search", placeholder="tamil, deu, Ελληνικά", max_chars=MAX_QUERY, **tied(LanguagesState.query)
    )
    scripts = [ANY_SCRIPT, *sorted(set(table["script"]))]
    script_box.selectbox("Script", scripts, **tied(LanguagesState.script))
    view_box.segmented_control(
        "Bars", list(VIEWS), format_func=VIEWS.__getitem__, required=True, **tied(LanguagesState.view)
    )
    codes = None
    if area is not None:
        (across, up), bounds = area
        inside = pd.Series(True, index=table.index)
        for column, values in bounds.items():
            if column in table:
                inside &= table[column].between(min(values), max(values))
        codes = tuple(table["code"][inside])
    script = "" if state.script == ANY_SCRIPT else state.script
    marked = mark_found(table, state.query, script, codes)
    matches = marked["found"]
    n_matches = int(matches.sum())
    if area is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                f"{len(codes or [])} translations lie in the area that you drew in the scatter.",
                width="content",
            )
            st.button("Show all again", key=state.key("all"), type="tertiary", on_click=state.give_up_area)
    if not n_matches:
        st.info(
            "No language matches, so all are faint below. Search for a part of its English name, such "
            "as chinese, for its own name, or for its ISO code; or take the script away.",
            icon=":material/search_off:",
        )
    colours = [hex_of(hue_in(workspace, name), dark=is_dark()) for name in names]
    lead = names.index(state.lead)
    data = ChartData(marked, names, colours, lead, state.focus, base, own_base, lossy, state.opened)
    left, right = st.columns(2, gap="large")
    with left:
        draw_bars(state, data, are_grouped=bool(matches.all()))
    with right:
        draw_map(data)
        across, up = draw_axes(state, names)
        chart = charts.scatter_chart(data, across, up, brush=state.brush)
        show_chart(
            chart,
            SCATTER,
            lambda: scatter_figures(table, names, across, up),
            on_select=True,
            alt_text="Premiums in one encoding against another",
        )
        st.caption("Drag over dots to see them alone in the bars.")
    with left:
        show_chart(
            charts.scripts_chart(data),
            SCRIPTS,
            lambda: script_figures(table, names, lead),
            on_select=True,
            alt_text="Premiums by script; a line is the median",
        )
        st.caption("Click a dot to look at its language.")
    offer_table("All figures", lambda: export(table, names), LanguagesState.key("all"), "languages")


def draw_bars(state: LanguagesState, data: ChartData, *, are_grouped: bool) -> None:
    """The bars, and the pages of them; ``are_grouped``: many translations of one language share a bar."""
    place = st.container()
    page, view = 0, state.view
    listed = (
        replace(data, table=group_translations(data.table, data.lead, data.focus)) if are_grouped else data
    )
    pages = charts.choose_rows(listed, view, 0, ROWS)[1]
    if pages > 1:
        label = f"Page, of {pages} ({ROWS} bars each)"
        page = int(st.number_input(label, 1, pages, 1, key=state.key(f"page_{view}_{pages}")))
    rows, _ = charts.choose_rows(listed, view, page - 1, ROWS)
    with place:
        show_chart(
            charts.bars_chart(data, rows),
            BARS,
            lambda: bar_figures(data.table, data.names, data.lead, lowest_first=view == "lowest"),
            on_select=True,
            alt_text="Premiums of languages as bars, one mark for each other encoding",
        )
    caption = "Click a bar to look at its language."
    if rows["code"].str.startswith(GROUP).any():
        caption += (
            f" A language with {GROUPED} translations or more has one bar for all: the bar is their median, "
            "the line on it goes from the least to the greatest, and a click lists each."
        )
    st.caption(caption)


def draw_map(data: ChartData) -> None:
    """The map, and who is not on it."""
    try:
        chart = charts.map_chart(data)
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    show_chart(
        chart,
        MAP,
        lambda: map_figures(data.table, data.names, data.lead),
        on_select=True,
        alt_text="Languages on a map, coloured by premium",
    )
    lost = data.table[data.table["latitude"].isna() & ~data.table["own"]]
    st.caption(f"{len(lost)} translations have no place in the data: {plain(', '.join(lost['name']))}.")


def draw_axes(state: LanguagesState, names: list[str]) -> tuple[int, int]:
    """Which two encodings the scatter sets against each other, by their numbers."""
    state.prune_axes(names)
    x_box, y_box = st.columns(2)
    across = x_box.selectbox("Across", names, **tied(LanguagesState.across))
    up = y_box.selectbox("Up", names, **tied(LanguagesState.up))
    state.axes = names.index(across), names.index(up)
    return state.axes
