"""A chat as a model reads it: messages, a template, and the special tokens around them."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd
import streamlit as st

from pages.explore.playground.state import PlaygroundState
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from pages.shared.tables import show_table
from pages.shared.widgets import get_state, show_warning, tied
from tokenizers.text import (
    MAX_WRITTEN,
    ROLES,
    TEMPLATES,
    Message,
    Part,
    encode_parts,
    render_uploaded,
    spell_text,
    spells_special,
)

MAX_MESSAGES = 200


def draw_chat(workspace: Workspace) -> None:
    """Draw the messages, the template, and the tokens of each message."""
    state = get_state(PlaygroundState)
    choices = _encodings_by_template(workspace)
    if state.chat_template not in choices:  # its encoding was removed
        state.chat_template = next(iter(choices))
    st.segmented_control(
        "Template", list(choices), required=True, format_func=escape, **tied(PlaygroundState.chat_template)
    )
    template, name = state.chat_template, choices[state.chat_template]
    encoding = workspace.encoding(name)
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
    messages = [Message(str(role), str(content or "")) for role, content in edited.itertuples(index=False)]
    try:
        _check_size(messages)
        state.chat_edited = edited
        known = TEMPLATES.get(template)
        parts = known.render(messages) if known else render_uploaded(encoding, messages)
    except ValueError as problem:
        show_warning(problem)
        return
    ids = encode_parts(encoding, parts)
    by_message = defaultdict[int | None, list[tuple[Part, list[int]]]](list)
    for part, part_ids in zip(parts, ids, strict=True):
        by_message[part.message].append((part, part_ids))
    rows = []
    for number, message in [*enumerate(messages), (None, None)]:
        mine = by_message[number]
        around = sum(len(part_ids) for part, part_ids in mine if part.of_template)
        typed = sum(len(part_ids) for part, part_ids in mine if not part.of_template)
        rows.append(
            {
                "message": message.role if message else "around them",
                "tokens": around + typed,
                "its words": typed,
                "the template": around,
                "as the model reads it": _spell_line("".join(part.text for part, _ in mine)),
            }
        )
    total = sum(map(len, ids))
    overhead = sum(len(part_ids) for part, part_ids in zip(parts, ids, strict=True) if part.of_template)
    st.markdown(f"**{total:,} tokens** in {escape(name)}, {overhead:,} of them the template's.")
    show_table(pd.DataFrame(rows), height="content")
    if not known and not any(part.message is not None for part in parts):
        st.caption(
            "This template changes the messages, so its own words and theirs cannot be told apart: all "
            "tokens count as the template’s, and where a message spells a special token, it becomes that "
            "token."
        )
    spelled = [token for message in messages for token in spells_special(encoding, message.content)]
    if spelled:
        show_warning(
            "A message spells a special token. Here it counts as plain text. In the editor, with special "
            "tokens on, it becomes the token itself: that is how somebody could slip in a message of their "
            "own."
        )
    st.button(
        "Show in the editor, special tokens on",
        key=state.key("chat_to_editor"),
        on_click=_show_chat,
        args=(workspace, "".join(part.text for part in parts), name),
    )


def _check_size(messages: list[Message]) -> None:
    """Raise ValueError if a chat is too long for any template."""
    if len(messages) > MAX_MESSAGES:
        raise ValueError(
            f"A chat has up to {MAX_MESSAGES:,} messages here, and this has {len(messages):,}: remove some."
        )
    if sum(len(message.role) + len(message.content) for message in messages) > MAX_WRITTEN:
        raise ValueError(f"The messages have more than {MAX_WRITTEN:,} characters together: write less.")


def _encodings_by_template(workspace: Workspace) -> dict[str, str]:
    """The encoding of each template that can be chosen. An uploaded one has the name of its encoding."""
    uploaded = {
        name: name for name, encoding in workspace.trained.items() if encoding.chat_template is not None
    }
    return {title: template.encoding for title, template in TEMPLATES.items()} | uploaded


def _spell_line(text: str) -> str:
    """A text on one line of a table, with visible line ends and tabs.

    >>> print(_spell_line("<|im_start|>system\\nYou are"))
    <|im_start|>system⏎You are
    """
    return " ".join(map(spell_text, text.split(" ")))


def _show_chat(workspace: Workspace, text: str, name: str) -> None:
    workspace.take(text)
    workspace.special_as_tokens = True
    if name not in workspace.encodings:
        workspace.put_first(name)
