"""Tables of exact figures, and files to take along."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.shared.fragments import fragment

Table = pd.DataFrame | Callable[[], pd.DataFrame]
"""Exact figures, or what makes them once somebody asks for them."""

_NUMBERS_AS_NAMES = {"id", "rank"}


def show_table(
    table: pd.DataFrame,
    key: str | None = None,
    column_config: dict[str, Any] | None = None,
    height: int | Literal["auto", "content"] = "auto",
) -> None:
    """A table that can be sorted. Thousands are set apart, but for ids and ranks, and no figure is "–".

    Small numbers that are not whole all have three decimals, so that they can be compared down a column.

    Args:
        table: one row for each thing.
        key: the widget's.
        column_config: as in ``st.dataframe``, for columns that are to be written in another way.
        height: as in ``st.dataframe``.
    """
    config = {
        column: st.column_config.NumberColumn(format=_format_of(table[column]))
        for column in table.columns
        if pd.api.types.is_numeric_dtype(table[column]) and not pd.api.types.is_bool_dtype(table[column])
    }
    st.dataframe(
        table,
        hide_index=True,
        height=height,
        column_config={**config, **(column_config or {})},
        placeholder="–",
        key=key,
    )


def _format_of(column: pd.Series) -> str:
    """How the numbers of a column are written, in Streamlit's words.

    >>> [_format_of(pd.Series(values)) for values in ([4.17, 4.328], [41801], [4e6, 0.5], [4.0, None])]
    ['%.3f', 'localized', 'localized', 'localized']
    >>> _format_of(pd.Series([1], name="id"))
    '%d'
    """
    if column.name in _NUMBERS_AS_NAMES:
        return "%d"
    values = column.dropna()
    if not pd.api.types.is_float_dtype(column) or not len(values) or (values % 1 == 0).all():
        return "localized"
    return "%.3f" if values.abs().max() < 1000 else "localized"


@fragment
def offer_table(
    label: str, table: Table, name: str, file: str, column_config: dict[str, Any] | None = None
) -> None:
    """A table and its CSV, sent to the browser only once they are opened.

    Args:
        label: what is opened.
        table: the exact figures, or what makes them.
        name: of the widgets: unique on its page.
        file: the name of the file.
        column_config: as in ``show_table``.
    """
    opened = st.expander(label, icon=":material/table:", key=f"{name}_files", on_change="rerun")
    if not opened.open:
        return
    rows = table() if callable(table) else table
    with opened:
        show_table(rows, f"{name}_table", column_config)
        offer_file("CSV", lambda: rows.to_csv(index=False).encode(), name, file, "csv", "text/csv")


def offer_file(
    label: str, make: Callable[[], bytes], name: str, file: str | None, ending: str, mime: str
) -> None:
    """A button that saves a file, which is made when it is clicked.

    Args:
        label: on the button.
        make: the file's bytes. It runs in a thread that does not know the session.
        name: of the widget: unique on its page.
        file: the file's name, without its ending; None: the widget's name.
        ending: such as "csv".
        mime: the type of the file.
    """
    saved = re.sub(r"[^\w-]+", "-", file or name).strip("-")
    st.download_button(label, make, f"{saved}.{ending}", mime, on_click="ignore", key=f"{name}_{ending}")
