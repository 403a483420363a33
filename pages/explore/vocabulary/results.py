"""The results of a search in a vocabulary: a table to choose a token in, and a file of all of them."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from pages.explore.vocabulary.search import Search
from pages.explore.vocabulary.state import BY_ID, ONLY, VocabularyState
from pages.shared.plain import plain
from pages.shared.tables import csv_of
from tokenizers.amounts import share_in_words
from tokenizers.measure import Row, TokenIds, Vocabulary
from tokenizers.text import SAFE_CELLS, spell_token

PAGE_ROWS = 100


def draw_results(state: VocabularyState, vocabulary: Vocabulary, search: Search, ids: TokenIds) -> None:
    """One page of the results. A click chooses a token."""
    n_pages = -(-len(ids) // PAGE_ROWS)
    mark = hashlib.sha256(repr(search).encode("utf-8", "replace")).hexdigest()[:12]
    number = 1
    share = len(ids) / max(1, len(vocabulary))
    st.markdown(
        f"**{len(ids):,} {'token' if len(ids) == 1 else 'tokens'}** of {len(vocabulary):,}"
        + (f", {share_in_words(share)}" if 0.01 <= share < 1 else "")
        + _in_words(search)
        + ". Click one for its biography."
    )
    table = st.container()
    pager, save = st.columns([1.6, 1], vertical_alignment="bottom")
    with pager:
        if n_pages > 1:
            label = f"Page, of {n_pages:,} ({PAGE_ROWS} tokens each)"
            number = int(st.number_input(label, 1, n_pages, 1, key=state.key(f"page_{mark}")))
    with save:
        save_all = st.popover(
            "Download all found (CSV)", key=state.key(f"save_{mark}"), on_change="rerun", width="stretch"
        )
        if save_all.open:  # of all tokens it takes seconds
            with save_all, st.spinner("Writing the file …"):
                st.download_button(
                    f"Download vocabulary-{search.name}.csv",
                    _csv(vocabulary, ids),
                    f"vocabulary-{search.name}.csv",
                    "text/csv",
                    on_click="ignore",
                )
                st.caption(SAFE_CELLS)
    token_ids = ids[(number - 1) * PAGE_ROWS : number * PAGE_ROWS].tolist()
    rows = vocabulary.rows(token_ids)
    frame = pd.DataFrame(
        {
            "id": token_ids,
            "token": [spell_token(row.token_bytes) for row in rows],
            "bytes": [row.n_bytes for row in rows],
            "characters": [row.n_chars for row in rows],
            "script": [_script_in_words(row) for row in rows],
            "in hex": [row.token_bytes.hex(" ") for row in rows],
        }
    )
    key = state.key(f"table_{mark}_{number}")
    chosen = table.dataframe(
        frame,
        hide_index=True,
        height=528 if len(rows) > 13 else "content",
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "id": st.column_config.NumberColumn(format="%d", width=80),
            "token": st.column_config.TextColumn(width=190),
            "bytes": st.column_config.NumberColumn(width=65),
            "characters": st.column_config.NumberColumn(width=85),
            "script": st.column_config.TextColumn(width=100),
        },
    )
    cells = chosen["selection"]["cells"]
    if cells and (key, cells[0][0]) != state.followed:
        state.followed = (key, cells[0][0])
        state.token = (search.name, token_ids[cells[0][0]])


def _in_words(search: Search) -> str:
    """The filters that are on, in words: their fields may be folded away."""
    filters = search.filters
    on = [word for word, name in ONLY.items() if getattr(filters, name)]
    on += [filters.script] if filters.script else []
    for unit, least, most in (
        ("bytes", filters.min_bytes, filters.max_bytes),
        ("characters", filters.min_chars, filters.max_chars),
    ):
        if least is not None or most is not None:
            on.append(f"{least or 0:,} {'or more' if most is None else f'to {most:,}'} {unit}")
    on += [] if search.order == BY_ID else [search.order]
    on += ["upper and lower case ignored"] if search.ignore_case else []
    return f" ({plain(', '.join(on))})" if on else ""


def _script_in_words(row: Row) -> str:
    if row.special or row.unknown:
        return "special" if row.special else "unknown"
    return "–" if row.script == "Common" else row.script


def _csv(vocabulary: Vocabulary, ids: TokenIds) -> bytes:
    rows = [
        (
            row.token_id,
            row.token_bytes.hex(" "),
            None if vocabulary.not_utf8[row.token_id] else row.text,
            row.n_bytes,
            row.n_chars,
            row.script,
            row.special,
            row.unknown,
        )
        for row in vocabulary.rows(ids.tolist())
    ]
    columns = ["id", "bytes", "text", "length in bytes", "characters", "script", "special", "unknown"]
    return csv_of(pd.DataFrame(rows, columns=columns))
