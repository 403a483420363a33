"""A chat as a model reads it: messages, a template, and the special tokens around them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.explore.playground.state import PlaygroundState
from pages.session.workspace import Workspace
from pages.shared.tables import show_table
from pages.shared.widgets import get_state, tied
from tokenizers.text import ROLES, TEMPLATES, Message, encode_parts, spell_text, spells_special


def draw_chat(workspace: Workspace) -> None:
    """Messages in a template, and what each costs."""
    state = get_state(PlaygroundState)
    st.segmented_control("Template", list(TEMPLATES), required=True, **tied(PlaygroundState.chat_template))
    # Only a forged message can choose no template.
    render, name = TEMPLATES[state.chat_template or next(iter(TEMPLATES))]
    table = state.key("chat_table")
    if table not in st.session_state:  # opened for the first time, or again
        state.chat_opened = state.chat_edited
    edited = st.data_editor(
        state.chat_opened,
        key=table,
        num_rows="dynamic",
        hide_index=True,
        height="content",
        column_config={
            "role": st.column_config.SelectboxColumn(
                "role", options=list(ROLES), default="user", required=True, width="small"
            ),
            "content": st.column_config.TextColumn("message", width="large", default=""),
        },
    )
    state.chat_edited = edited
    messages = [Message(str(role), str(content or "")) for role, content in edited.itertuples(index=False)]
    encoding = tk.get_encoding(name)
    parts = render(messages)
    ids = encode_parts(encoding, parts)
    rows = []
    for number, message in [*enumerate(messages), (None, None)]:
        mine = [(part, part_ids) for part, part_ids in zip(parts, ids, strict=True) if part.message == number]
        around = sum(len(part_ids) for part, part_ids in mine if part.of_template)
        typed = sum(len(part_ids) for part, part_ids in mine if not part.of_template)
        rows.append(
            {
                "message": message.role if message else "opening of the answer",
                "tokens": around + typed,
                "its words": typed,
                "the template": around,
                "as the model reads it": _spell_line("".join(part.text for part, _ in mine)),
            }
        )
    total = sum(map(len, ids))
    overhead = sum(len(part_ids) for part, part_ids in zip(parts, ids, strict=True) if part.of_template)
    st.markdown(f"**{total:,} tokens** in {name}, {overhead:,} of them the template's.")
    show_table(pd.DataFrame(rows), height="content")
    spelled = [token for message in messages for token in spells_special(encoding, message.content)]
    if spelled:
        st.warning(
            "A message spells a special token. Here it is counted as the plain text that it is; in the "
            "editor, with special tokens on, it becomes the token: that is how a prompt is injected.",
            icon=":material/warning:",
        )
    st.button(
        "Show in the editor, special tokens on",
        key=state.key("chat_to_editor"),
        on_click=_show_chat,
        args=(workspace, "".join(part.text for part in parts), name),
    )


def _spell_line(text: str) -> str:
    """A text on one line of a table: its line ends and tabs are seen, and its spaces are spaces.

    >>> print(_spell_line("<|im_start|>system\\nYou are"))
    <|im_start|>system⏎You are
    """
    return " ".join(map(spell_text, text.split(" ")))


def _show_chat(workspace: Workspace, text: str, name: str) -> None:
    workspace.take(text)
    workspace.special_as_tokens = True
    if name not in workspace.encodings:
        workspace.put_first(name)
