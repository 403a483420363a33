"""Tables of exact values, and files to download."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from mimetypes import guess_type
from typing import Any, Literal

import pandas as pd
import streamlit as st

from pages.shared.markdown import escape
from pages.shared.widgets import show_errors, side_by_side
from tokenizers.registry import short_title
from tokenizers.text import CSV_ENCODING, SAFE_CELLS, safe_cell

WHERE = "Your browser puts files among its downloads."

Table = pd.DataFrame | Callable[[], pd.DataFrame]
"""A table of exact values, or a function that makes it."""


def file_name(name: str) -> str:
    """An encoding's name as the name of a file.

    >>> file_name("my/4k"), file_name("..")
    ('my-4k', 'grove')
    """
    return "".join(char if char.isalnum() or char in "-_." else "-" for char in name).strip(".") or "grove"


def show_table(
    table: pd.DataFrame,
    key: str | None = None,
    column_config: dict[str, Any] | None = None,
    height: int | Literal["auto", "content"] = "auto",
) -> None:
    """Draw a sortable table. Numbers have thousands separators, except ids and ranks; a missing value is "–".

    Small fractions have three decimals, so that a column is easy to compare.

    Args:
        table: the table.
        key: the key of the widget.
        column_config: as in ``st.dataframe``, for some columns; a string is the format of a number.
        height: as in ``st.dataframe``.
    """
    formats = {str(name): _format_of(column) for name, column in table.select_dtypes("number").items()}
    columns: dict[str, Any] = {**formats, **(column_config or {})}
    st.dataframe(
        table,
        hide_index=True,
        height=height,
        column_config={
            name: st.column_config.NumberColumn(format=column) if isinstance(column, str) else column
            for name, column in columns.items()
        },
        placeholder="–",
        key=key,
    )


def _format_of(column: pd.Series) -> str:
    """Streamlit's name for the number format of a column.

    >>> [_format_of(pd.Series(values)) for values in ([4.17, 4.328], [41801], [4e6, 0.5], [5.0, None])]
    ['%.3f', 'localized', 'localized', 'localized']
    >>> _format_of(pd.Series([1], name="id"))
    '%d'
    """
    if column.name in ("id", "rank"):  # numbers that are names
        return "%d"
    values = column.dropna()
    if not pd.api.types.is_float_dtype(column) or not len(values) or (values % 1 == 0).all():
        return "localized"
    return "%.3f" if values.abs().max() < 1000 else "localized"


def csv_of(table: pd.DataFrame) -> bytes:
    """A table as CSV. A cell that a spreadsheet would run as a formula gets an apostrophe before it.

    >>> table = csv_of(pd.DataFrame({"=a": ["-x", "-1", "b"], "n": [-1, -0.5, 2]}))
    >>> print(table.decode(CSV_ENCODING).replace("\\r", ""))
    '=a,n
    '-x,-1.0
    '-1,-0.5
    b,2.0
    """

    def safe(value: Any) -> Any:
        return safe_cell(value) if isinstance(value, str) else value

    # With the line ends of RFC 4180, pandas quotes a carriage return in a cell, too.
    csv = table.map(safe).rename(columns=safe).to_csv(index=False, lineterminator="\r\n")
    return str(csv).encode(CSV_ENCODING)


def offer_table(
    label: str,
    table: Table,
    name: str,
    file: str | None = None,
    column_config: dict[str, Any] | None = None,
    *,
    more: Callable[[], Mapping[str, Callable[[], bytes]]] | None = None,
) -> None:
    """Draw an expander with a table, its CSV and more files. They are made only while it is open.

    A column "tokenizer" has names, and is drawn with the models, too.

    Args:
        label: the label of the expander.
        table: the exact values, or a function that makes them.
        name: the prefix of the widgets' keys, unique on the page.
        file: the name of the files; None: the same as ``name``.
        column_config: as in ``show_table``.
        more: draws fields, and returns functions that make a chart's other files, by their types, such as
            "SVG". The expander is then a small line, as below a chart.
    """
    saved = file_name(file or name)

    def draw() -> None:
        rows = table() if callable(table) else table
        if "tokenizer" in rows:
            rows = rows.assign(tokenizer=rows["tokenizer"].map(short_title))
        # Above the table, which the browser draws last. Below it, they would move away from the pointer.
        buttons = side_by_side()
        files = {"CSV": lambda: csv_of(rows), **(more() if more else {})}
        with buttons:
            for kind, make in files.items():
                draw_download(kind, make(), f"{saved}.{kind.lower()}", f"{name}_{kind.lower()}")
            st.caption(WHERE, width="content")
        cells = (*rows.columns, *rows.to_numpy().flat)
        if any(isinstance(each, str) and safe_cell(each) != each for each in cells):
            st.caption(SAFE_CELLS)
        show_table(rows, f"{name}_table", column_config)

    offer_more(label, draw, name, None if more else ":material/table:", "compact" if more else "default")


def draw_download(label: str, data: bytes, name: str, key: str | None = None) -> None:
    """Draw a button that saves a file. The page is not drawn again for it; the arguments as Streamlit's."""
    st.download_button(label, data, name, guess_type(name)[0], key=key, on_click="ignore")


def offer_files(
    label: str,
    write: Callable[[], Mapping[str, bytes]],
    key: str,
    about: str = "",
    kind: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """Draw a popover with files to download, which are written and sent only while it is open.

    Args:
        label: the label of the popover.
        write: returns the files' bytes by their names. A ValueError or an OSError is shown.
        key: of the popover, unique on the page.
        about: a sentence about the files, in Markdown.
        kind: the type of the popover's button.
    """
    popover = st.popover(label, icon=":material/download:", on_change="rerun", key=key, type=kind)
    if popover.open:
        row = popover.container(horizontal=True, vertical_alignment="center")
        with row, show_errors(), st.spinner("Writing the files …"):
            for name, data in write().items():
                draw_download(f"Download {escape(name)}", data, name)
            st.caption(f"{about} {WHERE}".strip())


def offer_more(
    label: str,
    draw: Callable[[], None],
    name: str,
    icon: str | None = None,
    kind: Literal["default", "compact"] = "default",
) -> None:
    """Draw an expander whose content is drawn only while it is open.

    Args:
        label: the label.
        draw: draws the content. A field in it is tied to a state, or it would be empty once it was closed.
        name: the prefix of its key, unique on the page.
        icon: the icon before the label.
        kind: as in ``st.expander``.
    """
    opened = st.expander(label, icon=icon, type=kind, key=f"{name}_files", on_change="rerun")
    if opened.open:
        with opened:
            draw()
