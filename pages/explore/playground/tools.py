"""The tools below the panels: chat, chunks, ids to text, cost, export, own texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from pages.explore.playground.state import PlaygroundState
from pages.explore.playground.ways import draw_ways
from pages.session.editor_request import state_of
from pages.session.links import pack_state
from pages.session.workspace import Workspace
from pages.shared.charts import svg_to_png
from pages.shared.class_button import offer_class
from pages.shared.components import register
from pages.shared.markdown import draw_box, escape
from pages.shared.own_texts import draw_messages, draw_own_texts_inside
from pages.shared.page_files import choose_encoding
from pages.shared.tables import offer_files, show_table
from pages.shared.widgets import get_state, segments, show_errors, show_warning, tied
from pages.teaching.kinds.cuts import MAX_CUT_TEXT
from pages.teaching.lesson import Lesson, LessonStep
from pages.teaching.work_out import work_out
from tokenizers.amounts import plural
from tokenizers.json_types import JsonObject
from tokenizers.measure import FORMULA_SOURCES, count_chat
from tokenizers.registry import encoding_title, model_name, short_title
from tokenizers.text import (
    DARK,
    EXPORTS,
    LIGHT,
    MOST_DRAWN,
    ROLES,
    SAFE_CELLS,
    TEMPLATES,
    Chat,
    Message,
    Spans,
    cut_chunks,
    decode_ids,
    draw_coloured_text,
    draw_picture,
    encode_file,
    parse_chat,
    parse_ids,
    spell_alone,
    spellings_of,
    text_of,
)

_SHOWN_ROWS = 5_000
_SHOWN_CHARS = 20_000


def draw_tools(workspace: Workspace) -> None:
    """Draw the chooser of tools, and the chosen one."""
    tool = st.segmented_control(
        "Tools", list(TOOLS), label_visibility="collapsed", **tied(PlaygroundState.tool)
    )
    if tool is None:
        return
    st.caption(TOOLS[tool].about)
    if not workspace.encodings and tool not in ("Chat", "Ids to text", "Your texts"):
        st.info("Add a tokenizer above to use this tool.")
        return
    with show_errors():
        TOOLS[tool].draw(workspace)


def _chunks(workspace: Workspace) -> None:
    left, right = st.columns(2, vertical_alignment="bottom")
    name = choose_encoding(left, "Tokenizer", workspace.encodings, PlaygroundState.chunk_encoding)
    size = right.number_input("Tokens in a chunk", 1, 10_000_000, step=1, **tied(PlaygroundState.chunk_size))
    chunks = cut_chunks(workspace.spans(name), int(size))
    if not chunks:
        st.info("Type a text above first.")
        return
    table = pd.DataFrame(
        {
            "chunk": chunk.number,
            "tokens": chunk.tokens,
            "from byte": chunk.start,
            "bytes": chunk.end - chunk.start,
            "text": chunk.text,
        }
        for chunk in chunks
    )
    if any(chunk.splits_character for chunk in chunks):
        table["splits a character"] = ["yes" if chunk.splits_character else "" for chunk in chunks]
    st.caption(
        "Search engines and models with little room read a long text in chunks. "
        f"Here: {plural(len(chunks), 'chunk')} of up to {size:,} tokens. Together they are exactly the "
        "text. Encoded alone, a chunk can have other tokens at its edges."
    )
    show_table(table.head(_SHOWN_ROWS), height="content" if len(table) < 9 else 340)
    if len(table) > _SHOWN_ROWS:
        st.caption(f"The first {_SHOWN_ROWS:,} are shown. The file has all of them.")
    file = f"chunks-{name}-{size}.json"
    offer_files(
        "Download chunks (JSON)",
        lambda: {file: table.to_json(orient="records", force_ascii=False, indent=1).encode()},
        "playground_download",
    )


def _ids_to_text(workspace: Workspace) -> None:
    left, right = st.columns([2, 1])
    name = choose_encoding(right, "Tokenizer", workspace.encoding_names(), PlaygroundState.ids_encoding)
    label = "Token ids, separated by spaces, commas or lines"
    typed = left.text_area(label, height=100, **tied(PlaygroundState.ids_text))
    ids = parse_ids(typed)
    if not ids:
        st.info("Paste some ids above, such as 31373 995.")
        return
    data, tokens = decode_ids(workspace.find_encoding(name), ids)
    text = data.decode("utf-8", errors="replace")
    draw_box(text[:_SHOWN_CHARS], "playground_ids_beginning")
    if len(text) > _SHOWN_CHARS:
        st.caption(f"The first {_SHOWN_CHARS:,} of {len(text):,} characters.")
    if text.count("\ufffd") > b"".join(tokens).count("\ufffd".encode()):
        show_warning("Some bytes are not valid UTF-8. They show as � (U+FFFD). The table has all bytes.")
    with st.expander(f"{plural(len(ids), 'token')}, {plural(sum(map(len, tokens)), 'byte')}"):
        shown = zip(ids[:_SHOWN_ROWS], tokens, strict=False)
        rows = [(token_id, token.hex(" "), text_of(token)) for token_id, token in shown]
        show_table(pd.DataFrame(rows, columns=["id", "bytes", "text"]))
    st.button(
        "Put this text into the editor",
        on_click=workspace.set_text,
        args=(text,),
        key="playground_ids_to_editor",
    )


def _spellings(workspace: Workspace) -> None:
    """Draw the ids of a word in all spellings, and the JSON for ``logit_bias`` of those of one token."""
    left, right = st.columns([2, 1])
    word = left.text_input("A word", max_chars=100, **tied(PlaygroundState.word))
    bias = right.number_input("Bias, from −100 to 100", -100, 100, step=10, **tied(PlaygroundState.bias))
    if not word:  # with a space in front, it would be a space
        st.info("Type a word above, such as unbelievably.")
        return
    spellings = spellings_of(word)
    table = {"spelled": [json.dumps(each, ensure_ascii=False) for each in spellings]}
    for name in workspace.encodings:
        encoding = workspace.find_encoding(name)
        ids = [encoding.encode(each) for each in spellings]
        table[short_title(name)] = [json.dumps(each) for each in ids]
        alone = {each[0]: int(bias) for each in ids if len(each) == 1 and each[0] != encoding.unknown_id}
        st.caption(f"logit_bias for {escape(encoding_title(name))}")
        draw_box(json.dumps(alone), f"playground_bias_{name}")
    st.caption("logit_bias names tokens, so it has only spellings that are one token. The table has all ids.")
    show_table(pd.DataFrame(table), height="content")


def _cost(workspace: Workspace) -> None:
    st.caption(
        "Enter your own price for a million tokens that a model reads, in any currency. (Most providers ask "
        "more for tokens that it writes.)"
    )
    with st.container(horizontal=True):
        for name in workspace.encodings:
            with st.container(width=260):
                field = tied(PlaygroundState.price_of(name))
                label = escape(short_title(name))
                hint = "price per million tokens"
                price = st.number_input(label, 0.0, 1e6, None, 0.1, "%.10g", placeholder=hint, **field)
                if price is not None:
                    count = len(workspace.spans(name))
                    st.metric("To read this text once costs", in_full(count * price / 1_000_000))
                    st.caption(f"{plural(count, 'token')} × {in_full(price)} ÷ 1,000,000")


def in_full(amount: float) -> str:
    """An amount of money in decimals, as many as it has.

    >>> in_full(1e-05), in_full(1000.0), in_full(3 * 0.1)
    ('0.00001', '1000', '0.3')
    """
    return f"{Decimal(f'{amount:.15g}'):f}"


def _export(workspace: Workspace) -> None:
    left, right = st.columns(2, vertical_alignment="bottom")
    name = choose_encoding(left, "Tokenizer", workspace.encodings, PlaygroundState.export_encoding)
    labels = [*(export.label for export in EXPORTS), *_PICTURES]
    files = range(len(labels))
    number = right.selectbox(
        "File", files, format_func=labels.__getitem__, **tied(PlaygroundState.export_file)
    )
    names = sorted(workspace.encodings, key=lambda each: each != name)
    if labels[number] in _PICTURES:
        _export_picture(workspace, names, _PICTURES[labels[number]])
        return
    _, file_name, write = EXPORTS[number]
    saved = file_name.format(name)
    st.caption(
        "Every token of the text: index, id, bytes in hex, text, byte and character offsets. Added tokens "
        f"are left out, since they stand for no part of the text. {SAFE_CELLS} Its bytes are exact."
    )
    offer_files(
        "Download the tokens",
        lambda: {saved: encode_file(saved, write([workspace.spans(each) for each in names]))},
        "playground_download",
    )


_PICTURES = {"Picture (PNG)": "png", "Picture (SVG)": "svg", "Coloured text (HTML)": "html"}
_MOST_SHOWN = 2_000
"""The most tokens of a picture that the browser shows and copies; a larger one is downloaded."""

_mount_picture = register("picture")


def _export_picture(workspace: Workspace, names: Sequence[str], kind: str) -> None:
    st.caption(
        f"The coloured tokens, with names and counts: up to {MOST_DRAWN:,} tokens of each panel. "
        "They stand in the order of the text."
    )
    with st.container(horizontal=True):
        has_all = st.toggle("All panels", **tied(PlaygroundState.export_all))
        is_dark = st.toggle("Dark", **tied(PlaygroundState.export_dark))
    look = DARK if is_dark else LIGHT
    shown = names if has_all else names[:1]

    def tokens() -> list[tuple[str, Spans]]:
        return [(encoding_title(name), workspace.spans(name)) for name in shown]

    def draw() -> bytes:
        match kind:
            case "html":
                return draw_coloured_text(tokens(), look).encode()
            case "svg":
                return draw_picture(tokens(), look).encode()
            case _:
                return svg_to_png(draw_picture(tokens(), look))

    offer_files("Download it", lambda: {f"tokens.{kind}": draw()}, "playground_picture")
    if kind != "html" and not workspace.is_long and sum(len(spans) for _, spans in tokens()) <= _MOST_SHOWN:
        _mount_picture({"svg": draw_picture(tokens(), look)}, "playground_copied_picture")


def _your_texts(_: Workspace) -> None:
    """Draw the session's own texts, which go into the editor."""
    st.caption("You can choose the text above on every page, too, as it is at the moment.")
    draw_messages()
    draw_own_texts_inside(lambda keys: None)


def draw_chat(workspace: Workspace) -> None:
    """Draw the messages, the template, and the tokens of each message."""
    state = get_state(PlaygroundState)
    choices = _encodings_by_template(workspace)
    if state.chat_template not in choices:  # its encoding was removed
        state.chat_template = next(iter(choices))
    segments(st, "Template", list(choices), PlaygroundState.chat_template)
    st.caption(
        "A model reads a chat as one text. Its template says which special tokens stand around each message: "
        "ChatML in GPT-4 and GPT-3.5, harmony in gpt-oss. That of GPT-4o and GPT-5 is not published."
    )
    name = choices[state.chat_template]
    encoding = workspace.find_encoding(name)
    st.toggle("Paste messages or a whole request as JSON", **tied(PlaygroundState.chat_is_json))
    try:
        chat = _pasted_chat() if state.chat_is_json else _chat_in_table(state)
        count = count_chat(chat, state.chat_template, encoding, workspace.find_encoding)
    except ValueError as problem:
        show_warning(problem)
        return
    rows = []  # in the order in which the model reads: a template may move a message
    pairs = zip(count.parts, count.ids, strict=True)
    for message, group in groupby(pairs, key=lambda pair: pair[0].message):
        of_text = 0
        of_template = 0
        spelled = ""
        for part, ids in group:
            if part.of_template:
                of_template += len(ids)
            else:
                of_text += len(ids)
            spelled += _spell_line(part.text)
        row_name = _row_name(chat, message, of_text)
        rows.append([row_name, of_text + of_template, of_text, of_template, spelled])
    columns = ["message", "tokens", "its text", "the template", "as the model reads it"]
    table = pd.DataFrame(rows, columns=columns)
    total = table["tokens"].sum()
    overhead = table["the template"].sum()
    st.markdown(f"**{total:,} tokens** in {escape(short_title(name))}, {overhead:,} of them the template’s.")
    show_table(table, height="content" if len(table) < 20 else 500)
    for note in count.notes:
        show_warning(note)
    if count.remark:
        st.caption(escape(count.remark))
    _draw_formula(
        [
            {"part": row.part, **row.published, "this template": row.rendered, "why": row.why}
            for row in count.rows
        ]
    )
    st.button(
        "Show in the editor, special tokens on",
        key="playground_chat_to_editor",
        on_click=_show_chat,
        args=(workspace, "".join(part.text for part in count.parts), name),
    )


def _row_name(chat: Chat, message: int | None, n_of_text: int) -> str:
    """The role of a message; of what belongs to no message: what it is."""
    if message is not None:
        return chat.messages[message].role
    if not n_of_text:
        return "(template)"
    return "(request)" if chat.settings.variables else "tools"


def _draw_formula(rows: list[JsonObject]) -> None:
    """Draw the counts by OpenAI's published formula beside those of the template."""
    st.markdown("**OpenAI’s published formula** for its own models, beside this template:")
    table = pd.DataFrame(rows, dtype=object).fillna("–").astype(str)
    st.table(table.set_index("part"), border="horizontal")
    st.caption(FORMULA_SOURCES)


def _pasted_chat() -> Chat:
    label = "Messages, or a whole request, as for OpenAI, Anthropic, vLLM, Ollama or Hugging Face"
    return parse_chat(st.text_area(label, height=200, **tied(PlaygroundState.chat_json)))


def _chat_in_table(state: PlaygroundState) -> Chat:
    table = "playground_chat_table"
    if table not in st.session_state:  # opened for the first time, or again
        state.chat_opened = state.chat_edited
    edited = state.chat_edited = st.data_editor(
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
    return Chat([Message(str(role), str(content or "")) for role, content in edited.itertuples(index=False)])


def _encodings_by_template(workspace: Workspace) -> dict[str, str]:
    """The encoding of each template that can be chosen. An uploaded one has the name of its encoding."""
    uploaded = {
        f"{name} (file)" if name in TEMPLATES else name: name
        for name, each in workspace.own_encodings.items()
        if each.encoding.chat_templates.are_known
    }
    return {title: template.encoding for title, template in TEMPLATES.items()} | uploaded


def _spell_line(text: str) -> str:
    """A text on one line of a table, with visible line ends and tabs.

    >>> print(_spell_line("<|im_start|>system\\nYou are"))
    <|im_start|>system⏎You are
    """
    return " ".join(map(spell_alone, text.split(" ")))


def _show_chat(workspace: Workspace, text: str, name: str) -> None:
    workspace.take(text)
    workspace.special_as_tokens = True
    if name not in workspace.encodings:
        workspace.put_first(name)


def _ask_class(workspace: Workspace) -> None:
    if not 1 < len(workspace.text) <= MAX_CUT_TEXT:
        st.info(f"A class can be asked about a text of 2 to {MAX_CUT_TEXT} characters: type one above.")
        return
    name = workspace.encodings[0]
    asks = "Where does {model} cut this text?"
    values = {"text": workspace.text, "model": model_name(name)}
    step = LessonStep("cuts", asks, text="text", encodings=tuple(workspace.encodings[:4]))
    lesson = Lesson("Where are the cuts?", asks, 1, (step,), values, {})
    st.caption(f"Students guess on their phones where {escape(encoding_title(name))} cuts the text above.")
    link = f"../../?{urlencode({'s': pack_state(state_of(workspace)) or ''})}"
    offer_class(work_out(lesson, workspace.find_encoding), link, "")


class _Tool(NamedTuple):
    """What a tool is for, in a line, and what draws it."""

    about: str
    draw: Callable[[Workspace], None]


TOOLS = {
    "Chat": _Tool(
        "What a chat costs besides its words: the special tokens around each message. The text above is not "
        "part of it.",
        draw_chat,
    ),
    "Chunks": _Tool("A long text in parts of so many tokens each, as search needs it.", _chunks),
    "Ids to text": _Tool("What the ids of a log or a program stand for.", _ids_to_text),
    "Spellings": _Tool(
        "To forbid or favour a word in OpenAI’s API, name its tokens. One word has up to six.", _spellings
    ),
    "Ways": _Tool("How else a text could be cut with the same vocabulary: there are many ways.", draw_ways),
    "Cost": _Tool("What it costs when a model reads this text.", _cost),
    "Export": _Tool("The tokens to take along, as a table or a picture.", _export),
    "Your texts": _Tool("Texts of yours, which are at hand on every page.", _your_texts),
    "Ask a class": _Tool("Students guess on their phones, and the wall shows what they think.", _ask_class),
}
