"""The answer of the page Languages: the headline, its figures, and what a smaller vocabulary would cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.bench import fill_form, get_bench
from pages.measure.languages.sizes import SHARES, Cut, cut, cuts_table
from pages.measure.languages.state import K
from pages.measure.languages.table import rank_in_words, times
from pages.session.own_texts import is_own_key
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.shared.biography import hue_in
from pages.shared.components import register
from pages.shared.plain import plain
from tokenizers.data import LANGUAGE, ParallelText
from tokenizers.encoding import Encoding

TRAIN_PAGE = "grow/train/page.py"  # as pages/main.py calls it
GROWN_VOCAB = 2048

_figures = register("figures")
_state: Any = st.session_state


def smaller(encodings: Mapping[str, Encoding], text: ParallelText, base: ParallelText) -> dict[str, Cut]:
    """The language in each encoding with a part of its vocabulary, where that can be said."""
    choice = _state.get(K + "size", "half") or "half"
    size = SHARES.get(choice) or float(_state.get(K + "tokens") or 8192)
    found = {}
    for name, encoding in encodings.items():
        if encoding.merging is None:
            continue  # it has no smaller vocabulary
        try:
            found[name] = cut(encoding, text, base, size)
        except ValueError:
            continue  # a person's own pattern that is too slow on this text
    return found


def draw_answer(
    workspace: Workspace,
    table: pd.DataFrame,
    names: list[str],
    text: ParallelText,
    base: ParallelText,
    cuts: Mapping[str, Cut],
) -> None:
    """The headline, and a card for each encoding."""
    row = table[table["code"] == text.code].iloc[0]
    lead = names.index(_state[K + "lead"])
    said = f"{plain(text.name)} costs {plain(names[lead])} {times(row[f'p{lead}'])} {plain(base.name)}"
    if not row["own"]:
        said += f": {rank_in_words(table, f'p{lead}', text.code)} languages"
    headline, grow = st.columns([4, 1.3], vertical_alignment="center")
    headline.subheader(said, anchor=False)
    with grow:
        _draw_grow(names, text)
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
        found = cuts.get(name)
        if found is not None:
            share = _state.get(K + "size", "half")
            label = f"{share} its vocabulary: " if share == "half" else f"{share} of its vocabulary: "
            if share not in SHARES:
                label = f"vocabulary of {found.size:,}: "
            lines.append([label, f"{found.extra:+.1%}" if found.extra else "no more", " tokens"])
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
            "lines": [["", times(row["chars"]), " the characters, of UTF-8’s ", _width(text), " bytes each"]],
        }
    )
    _figures(data={"cards": cards}, key=K + "figures")


def _width(text: ParallelText) -> str:
    return f"{text.n_bytes / max(1, text.n_chars):.1f}"


def _more(extra: float) -> str:
    """How many more tokens, in words.

    >>> _more(0.21), _more(0.0004), _more(0)
    ('21.0% more tokens', 'less than 0.1% more tokens', 'no more tokens')
    """
    if not extra:
        return "no more tokens"
    return f"{'less than 0.1%' if extra < 0.001 else f'{extra:.1%}'} more tokens"


def _draw_grow(names: list[str], text: ParallelText) -> None:
    """The way to an encoding that was grown on this language, or what to know of the one that is there."""
    if is_own_key(text.code):
        return
    bench = _state.get("train_bench")
    key = LANGUAGE + text.code
    grown = bench.grown if bench is not None else {}
    from_it = [
        name
        for name in names
        if name in grown and grown[name].recipe and key in dict(grown[name].recipe.parts)
    ]
    if from_it:
        st.caption(
            f"{plain(' and '.join(from_it))} learned from this very text, so the figure flatters it: other "
            "text in the language costs more."
        )
        return
    if st.button(
        f"Grow a BPE on {plain(text.name)}",
        key=K + "grow",
        icon=":material/forest:",
        width="stretch",
        help="Opens Train with the recipe filled in. Press Grow there, come back, and it stands here too.",
    ):
        bench = get_bench()
        name = f"{text.name.split(' (')[0]}-2k".replace(", ", "-")
        fill_form(Recipe(parts=((key, 1.0),), vocab_size=GROWN_VOCAB, held_out=0.0, name=name))
        bench.say(f"A recipe for {text.name} is filled in: press Grow. Then it stands on Languages too.")
        st.switch_page(TRAIN_PAGE)


def draw_sizes(cuts: dict[str, Cut], text: ParallelText, base: ParallelText) -> None:
    """What a smaller vocabulary would cost."""
    if not cuts:
        return
    name = max(cuts, key=lambda name: cuts[name].extra)
    choice = _state.get(K + "size", "half") or "half"
    part = f"{choice} the vocabulary" if choice == "half" else f"{choice} of the vocabulary"
    if choice not in SHARES:
        part = "that many tokens"
    st.subheader(
        f"With {part}, {plain(text.name)} would cost {plain(name)} {_more(cuts[name].extra)}", anchor=False
    )
    size, tokens, _ = st.columns([1.6, 1, 2.4], vertical_alignment="bottom")
    chosen = size.segmented_control(
        "A vocabulary of",
        [*SHARES, "so many"],
        key=K + "size",
        required=True,
        persist_state="session",
    )
    if chosen == "so many":
        tokens.number_input(
            "Tokens", 256, 200_000, 8192, step=1024, key=K + "tokens", persist_state="session"
        )
    percent = st.column_config.NumberColumn(format="percent")
    premium = st.column_config.NumberColumn(format="%.2f×")
    whole = st.column_config.NumberColumn(format="localized")
    table = cuts_table(cuts, text.name, base.name)
    columns = {
        column: percent if column == "extra cost" else premium if column.startswith("times") else whole
        for column in table.columns[1:]
    }
    st.dataframe(table, hide_index=True, column_config=columns, key=K + "sizes")
    st.caption(
        "Exact: a smaller vocabulary is the first tokens of the whole one, and the text is cut as it would "
        f"cut it. {plain(base.name)} then needs more tokens too, so a premium can even fall. Special tokens "
        "do not count."
    )
