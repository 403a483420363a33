"""The four normal forms of a text: what each does to it, and to what is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.explore.unicode.rows import count_units
from pages.explore.unicode.state import UnicodeState
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from tokenizers.encoding import Encoding
from tokenizers.text import FORMS, UNICODE_VERSION, NormalForm, TextMap, normal_form, spell_text

_MOST_ROWS = 50
_LONGEST = 20  # characters of a stretch that is shown
_AS_TYPED = "as typed"


@dataclass(frozen=True)
class _Counted:
    """A text in one form, with its counts."""

    form: str
    counts: dict[str, int]
    tokens: dict[str, int | None]
    changed: int


def _count(form: str, text: str, changed: int, encodings: Mapping[str, Encoding]) -> _Counted:
    tokens: dict[str, int | None] = {}
    for name, encoding in encodings.items():
        try:
            tokens[name] = len(encoding.encode_array(text))
        except (ValueError, OSError):  # said in the rows above
            tokens[name] = None
    return _Counted(form, count_units(TextMap(text)), tokens, changed)


def forms_table(text: str, normals: list[NormalForm], encodings: Mapping[str, Encoding]) -> pd.DataFrame:
    """The counts of the text as it is and in each form: a row for each, and a column for each encoding."""
    counted = [_count(_AS_TYPED, text, 0, encodings)]
    for normal in normals:
        changed = sum(change.count for change in normal.changes)
        counted.append(_count(normal.form, normal.text, changed, encodings))
    return pd.DataFrame(
        [
            {
                "form": row.form,
                "places changed": row.changed,
                "graphemes": row.counts["graphemes"],
                "code points": row.counts["code_points"],
                "UTF-8 bytes": row.counts["utf8"],
                "UTF-16 units": row.counts["utf16"],
                **{f"tokens, {name}": tokens for name, tokens in row.tokens.items()},
            }
            for row in counted
        ]
    )


def changes_table(normals: list[NormalForm], text_map: TextMap) -> pd.DataFrame:
    """What each form changes: a row for each stretch that it writes in another way."""
    rows = []
    for normal in normals:
        for change in normal.changes:
            old, new = spell_text(_beginning(change.old)), spell_text(_beginning(change.new))
            rows.append(
                {
                    "form": normal.form,
                    "was": old,
                    "becomes": new,
                    "was, code points": _numbers(change.old),
                    "becomes, code points": _numbers(change.new),
                    "times": change.count,
                    "first at byte": int(text_map.byte_of_char[change.first]),
                }
            )
    return pd.DataFrame(rows)


def _beginning(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _numbers(text: str) -> str:
    numbers = [f"{ord(char):04X}" for char in text[:_LONGEST]]
    return " ".join(numbers) + (" …" if len(text) > _LONGEST else "")


def draw_forms(state: UnicodeState, text_map: TextMap, encodings: Mapping[str, Encoding]) -> None:
    """The section."""
    st.subheader("The same text, written in another way")
    text = text_map.text
    normals = [normal_form(text, form) for form in FORMS]
    unchanged = [normal.form for normal in normals if not normal.changes]
    if len(unchanged) == len(FORMS):
        result = "This text is the same in all four."
    elif unchanged:
        result = f"This text is in {' and '.join(unchanged)} already; the others change it."
    else:
        result = "Each of them changes this text."
    st.write(
        "Unicode is the list in which each character of the world’s scripts has a number. Many texts can "
        "be written with it in several ways, which look the same but become different tokens. Each of its "
        f"four normal forms settles on one way. {result}"
    )
    show_table(forms_table(text, normals, encodings), height="content")
    changes = changes_table(normals, text_map)
    if len(changes):
        st.markdown("**What they change, and where first**")
        show_table(changes.head(_MOST_ROWS), height="content" if len(changes) < 9 else 320)
        if len(changes) > _MOST_ROWS:
            st.caption(f"The first {_MOST_ROWS} of {len(changes):,} changes.")
    with st.container(horizontal=True, gap=None, key=state.key("form_tries")):
        for normal in normals:
            is_short = len(normal.text.encode()) <= MAX_TAKEN_BYTES
            st.button(
                f"Take the text in {normal.form}",
                key=state.key(f"take_{normal.form}"),
                on_click=_take,
                args=(state, normal),
                disabled=not normal.changes or not is_short,
                help=FORMS[normal.form] if normal.changes else f"The text is in {normal.form} already.",
                type="tertiary",
            )
    st.caption(
        "NFC and NFD should not change what you see. NFKC and NFKD also make ² a plain 2, for example, and "
        "that cannot be undone. "
        f"These are the forms of Unicode {UNICODE_VERSION}, as this Python knows them (UAX #15)."
    )


def _take(state: UnicodeState, normal: NormalForm) -> None:
    """Put the text in a normal form in place of the text, here and in the playground."""
    state.put_text(normal.text)
    state.share_text(get_workspace())
    st.toast(f"The text is now in {normal.form}.")
