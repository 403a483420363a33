"""The charts of the page Languages on the page: the search, the choice of bars, and what is under each."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.measure.languages import charts as charts
from pages.measure.languages import spread as spread
from pages.measure.languages import state as state
from pages.measure.languages.shown import MARKS, Shown
from pages.measure.languages.state import ANY_SCRIPT, K
from pages.measure.languages.table import export, find
from pages.session.workspace import Workspace
from pages.shared.biography import hue_in
from pages.shared.charts import is_dark, show_chart
from pages.shared.colours import hex_of
from pages.shared.plain import plain

ROWS = 18
VIEWS = {"around": "Around it", "highest": "Highest first", "lowest": "Lowest first"}

_state: Any = st.session_state


def draw_charts(
    workspace: Workspace, table: pd.DataFrame, names: list[str], base: str, own_base: str
) -> None:
    """The search, and the four charts; see ``Shown`` for the two bases."""
    area = state.area_of()
    lead_box, search, script_box, view_box = st.columns([3.3, 1.3, 1.1, 2.1], vertical_alignment="bottom")
    lead_box.segmented_control(
        "Charts of", names, key=K + "lead", required=True, format_func=plain, persist_state="session"
    )
    query = search.text_input(
        "Search", key=K + "query", placeholder="such as tamil, thai", persist_state="session", max_chars=200
    )
    scripts = [ANY_SCRIPT, *sorted(set(table["script"]))]
    script = script_box.selectbox("Script", scripts, key=K + "script", persist_state="session")
    with view_box:
        view = st.segmented_control(
            "Bars",
            list(VIEWS),
            key=K + "view",
            format_func=lambda view: VIEWS[view],
            required=True,
            persist_state="session",
        )
    codes = None
    if area is not None:
        (across, up), bounds = area
        inside = pd.Series(True, index=table.index)
        for column, values in bounds.items():
            if column in table:
                inside &= table[column].between(min(values), max(values))
        codes = table["code"][inside].tolist()
    found = find(table, query or "", "" if script == ANY_SCRIPT else script, codes)
    n_found = int(found.sum())
    if area is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                f"{len(codes or [])} languages lie in the area that you drew in the scatter.", width="content"
            )
            st.button("Show all again", key=K + "all", type="tertiary", on_click=state.give_up_area)
    if not n_found:
        st.info(
            "No language is like that, so all are faint below. Search for a part of its English name, such "
            "as chinese, or take the script away.",
            icon=":material/search_off:",
        )
    colours = [hex_of(hue_in(workspace, name), dark=is_dark()) for name in names]
    lead = names.index(_state[K + "lead"])
    shown = Shown(table.assign(found=found), names, colours, lead, _state[K + "focus"], base, own_base)
    figures = export(table, names)
    left, right = st.columns(2, gap="large")
    with left:
        draw_bars(shown, view or "around", figures[found] if n_found else figures)
    with right:
        draw_map(shown, figures)
        axes = draw_axes(names, lead)
        chart = spread.scatter_chart(shown, *axes, brush=state.brush_name())
        show_chart(
            chart,
            "languages_scatter",
            figures,
            on_select=True,
            alt_text="Premiums in one encoding against another",
        )
        st.caption("Drag over dots to see them alone in the bars.")
    with left:
        show_chart(
            spread.scripts_chart(shown),
            "languages_scripts",
            figures,
            on_select=True,
            alt_text="Premiums by script; a line is the median",
        )
        st.caption("A dot is a language, and a line the median of its script. Click a dot to look at it.")


def draw_bars(shown: Shown, view: str, figures: pd.DataFrame) -> None:
    """The bars, and the pages of them."""
    place = st.container()
    page = 0
    pages = charts.choose_rows(shown, view, 0, ROWS)[1]
    if pages > 1:
        page = int(
            st.number_input(
                f"Page, of {pages} ({ROWS} languages each)", 1, pages, 1, key=f"{K}page_{view}_{pages}"
            )
        )
    rows, _ = charts.choose_rows(shown, view, page - 1, ROWS)
    with place:
        show_chart(
            charts.bars_chart(shown, rows),
            "languages_bars",
            figures,
            on_select=True,
            alt_text="Premiums of languages as bars, one mark for each other encoding",
        )
    st.caption(_legend(shown))


def _legend(shown: Shown) -> str:
    """What the marks on the bars are."""
    others = [number for number in range(len(shown.names)) if number != shown.lead]
    marks = ", ".join(f"{MARKS[number % len(MARKS)][1]} {plain(shown.names[number])}" for number in others)
    said = f"Bars: {plain(shown.names[shown.lead])}. "
    return said + (f"Marks: {marks}. " if marks else "") + "Click a bar to look at its language."


def draw_map(shown: Shown, figures: pd.DataFrame) -> None:
    """The map, and who is not on it."""
    try:
        chart = charts.map_chart(shown)
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    show_chart(
        chart, "languages_map", figures, on_select=True, alt_text="Languages on a map, coloured by premium"
    )
    lost = shown.table[shown.table["latitude"].isna() & ~shown.table["own"]]
    st.caption(f"{len(lost)} languages have no place in the data: {plain(', '.join(lost['name']))}.")


def draw_axes(names: list[str], lead: int) -> tuple[int, int]:
    """Which two encodings the scatter sets against each other."""
    for key, fallback in (("x", names[lead]), ("y", names[-2 if len(names) > 2 else -1])):
        if _state.get(K + key) not in names:
            _state[K + key] = fallback
    x_box, y_box = st.columns(2)
    x = x_box.selectbox("Across", names, key=K + "x", persist_state="session")
    y = y_box.selectbox("Up", names, key=K + "y", persist_state="session")
    axes = names.index(x), names.index(y)
    _state[K + "axes"] = axes
    return axes
