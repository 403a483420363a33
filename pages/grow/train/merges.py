"""The merges of a grown encoding as a table to search, and its longest tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.grow.train.progress import LONGEST_SHOWN, ends_of, token_text
from pages.grow.train.state import TrainState
from pages.session.grown import Grown
from pages.shared.tables import show_table
from pages.shared.widgets import tied
from tokenizers.bpe import HomeEncoding

_SHOWN_MERGES = 5_000


def _token_shower(encoding: HomeEncoding) -> Callable[[int], str]:
    """Gives an ordinary token's text for a table, by id; no long token is spelled out for it."""
    if encoding.spells_out:
        return lambda token_id: token_text(encoding.token_bytes(token_id))
    lengths = encoding.byte_lengths
    heads, tails = encoding.token_ends(LONGEST_SHOWN)

    def show(token_id: int) -> str:
        is_long = lengths[token_id] > LONGEST_SHOWN
        return token_text(ends_of(heads[token_id], tails[token_id]) if is_long else heads[token_id])

    return show


def draw_merges(grown: Grown) -> None:
    """All merges, and a field to search them."""
    if (encoding := grown.encoding.training) is None:
        return
    query = st.text_input(
        "Search the merges",
        placeholder="a part of a token, such as ing",
        max_chars=100,
        **tied(TrainState.search),
    )
    wanted = tk.well_formed(query.replace("·", " ")).encode()
    chosen = [token_id - 256 for token_id in encoding.tokens_containing(wanted) if token_id >= 256]
    rows = chosen[:_SHOWN_MERGES]
    if not chosen:
        st.info(
            "No merge makes a token with that in it." if query else "There are no merges.",
            icon=":material/info:",
        )
        return
    parts = [encoding.merges[i] for i in rows]
    show = _token_shower(encoding)
    columns: dict[str, list[int] | list[str]] = {
        "rank": [i + 1 for i in rows],
        "left": [show(left) for left, _ in parts],
        "right": [show(right) for _, right in parts],
        "joined": [show(256 + i) for i in rows],
        "id": [256 + i for i in rows],
    }
    if grown.counts:
        columns["count"] = [grown.counts[i] for i in rows]
    show_table(pd.DataFrame(columns), height=320)
    more = f"; the first {_SHOWN_MERGES:,} are shown" if len(chosen) > len(rows) else ""
    st.caption(
        f"{len(chosen):,} of {len(encoding.merges):,} merges{more}. · is a space, ⏎ a line feed; bytes that "
        "are not whole characters are in hex. Count: how often the pair occurred before the merge."
    )


def draw_longest(grown: Grown) -> None:
    """The longest tokens that were learned."""
    encoding = grown.encoding
    lengths = encoding.byte_lengths.tolist()
    if encoding.training is not None:
        show = _token_shower(encoding.training)
        learned: Iterable[int] = range(256, 256 + len(grown.merges))
    else:
        show = lambda token_id: token_text(encoding.token_bytes(token_id))  # noqa: E731
        learned = encoding.ordinary.values()
    ids = sorted(learned, key=lambda i: -lengths[i])[:100]
    if not ids:
        st.info("There are no merges.", icon=":material/info:")
        return
    columns = {"token": [show(i) for i in ids], "bytes": [lengths[i] for i in ids], "id": ids}
    show_table(pd.DataFrame(columns), height=360)
