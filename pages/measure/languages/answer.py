"""The answer of the page Languages: the headline, a card for each encoding, and the way to grow one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.bench import list_grown
from pages.grow.train.state import TrainState
from pages.measure.languages.chart_data import warning_of
from pages.measure.languages.sizes import SHARES, Smaller
from pages.measure.languages.state import HALF, LanguagesState
from pages.measure.languages.table import rank_in_words, times
from pages.session.own_texts import is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.colours import hue_in
from pages.shared.components import register
from pages.shared.fragments import press_button
from pages.shared.plain import plain
from pages.shared.widgets import get_state
from tokenizers.data import LANGUAGE, ParallelText

GROWN_VOCAB = 2048

_figures = register("figures")


def draw_answer(
    workspace: Workspace,
    state: LanguagesState,
    table: pd.DataFrame,
    names: list[str],
    text: ParallelText,
    base: ParallelText,
    results: Mapping[str, Smaller],
    lossy: Sequence[str],
) -> None:
    """The headline, and a card for each encoding; ``lossy``: those that lose text."""
    row = table[table["code"] == text.code].iloc[0]
    lead = names.index(state.lead)
    title = f"{plain(text.name)} costs {plain(names[lead])} {times(row[f'p{lead}'])} {plain(base.name)}"
    if not row["own"]:
        title += f": {rank_in_words(table, f'p{lead}', text.code)} translations"
    title += plain(warning_of([names[lead]], lossy))
    headline, grow = st.columns([4, 1.3], vertical_alignment="center")
    headline.subheader(title, anchor=False)
    with grow:
        _draw_grow(state, names, text)
    cards: list[dict[str, Any]] = []
    base_row = table[table["code"] == base.code].iloc[0]
    for number, name in enumerate(names):
        lines = [
            [
                "",
                f"{row[f't{number}']:,.0f}",
                " tokens; ",
                f"{base_row[f't{number}']:,.0f}",
                f" for {base.name}",
            ]
        ]
        smaller = results.get(name)
        if smaller is not None:
            share = state.size
            label = f"with {share} its vocabulary: " if share == HALF else f"with {share} of its vocabulary: "
            if share not in SHARES:
                label = f"with a vocabulary of {smaller.size:,}: "
            lines.append([label, f"{smaller.extra:+.1%}" if smaller.extra else "as many", " tokens"])
        cards.append(
            {
                "name": name,
                "hue": hue_in(workspace, name),
                "figure": times(row[f"p{number}"]),
                "unit": base.name,
                "lines": lines,
            }
        )
    cards.append(
        {
            "name": "before any encoding",
            "hue": None,
            "figure": times(row["bytes"]),
            "unit": "the bytes",
            "lines": [
                ["", times(row["chars"]), " the characters, each of ", _width(text), " bytes in UTF-8"]
            ],
        }
    )
    _figures(data={"cards": cards}, key=state.key("figures"))


def _width(text: ParallelText) -> str:
    return f"{text.n_bytes / max(1, text.n_chars):.1f}"


def _draw_grow(state: LanguagesState, names: list[str], text: ParallelText) -> None:
    """The way to an encoding grown on this language, unless one is there."""
    if is_own_key(text.code):
        return
    key = LANGUAGE + text.code
    recipes = {name: grown.recipe for name, grown in list_grown().items() if grown.recipe}
    from_it = [name for name in names if name in recipes and key in dict(recipes[name].parts)]
    if from_it:  # the page says so
        return
    if press_button(
        f"Grow a BPE on {plain(text.name)}",
        key=state.key("grow"),
        icon=":material/forest:",
        width="stretch",
        help="Opens Train with the recipe filled in. Press Grow there, come back, and it is here too.",
    ):
        name = f"{text.name.split(' (')[0]}-2k".replace(", ", "-")
        get_state(TrainState).hand_over(
            Recipe(parts=((key, 1.0),), vocab_size=GROWN_VOCAB, held_out=0.0, name=name),
            f"A recipe for {text.name} is filled in: press Grow. Then it is on Languages too.",
        )
        st.switch_page(page_files.TRAIN)
