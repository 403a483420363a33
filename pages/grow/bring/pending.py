"""A pending tokenizer: its steps, its tokens of a short text, and buttons to add or discard it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.bring.state import MAX_TEXT, BringState, TokenizerImport
from pages.session.pending_tokenizers import MAX_NAME, PendingTokenizer, Question
from pages.shared.components import register
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.widgets import get_state, show_error, tied
from tokenizers.encoding import Encoding
from tokenizers.text import TextMap, encode_spans, spell_change, spell_token

_MOST_TOKENS, _MOST_LOSSES, _MOST_CHARS = 300, 12, 700
_WALL = " │ "

_mount = register("preview")


def draw_pending(imports: TokenizerImport, pending: PendingTokenizer, text: str) -> None:
    """A pending tokenizer in a box."""
    key, answer = pending.key, ""
    with st.container(border=True, key=BringState.key(f"waiting_{key}")):
        st.subheader(escape(pending.file), anchor=False)
        if pending.question is not None:
            answer = _ask(pending, pending.question)
        try:
            data = _describe(pending.encoding(answer), pending, text)
        except (ValueError, OSError) as problem:
            show_error(problem)
        else:
            _mount(data=data, key=BringState.key(f"preview_{key}"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = BringState.name_of(key, pending.name)
            st.text_input("Its name", max_chars=MAX_NAME, width=320, **tied(name))
            st.button(
                "Take it",
                type="primary",
                icon=":material/check:",
                key=BringState.key(f"take_{key}"),
                on_click=_add,
                args=(imports, pending),
            )
            st.button(
                "Leave it",
                key=BringState.key(f"leave_{key}"),
                on_click=imports.tokenizers.discard,
                args=(key,),
            )


def _ask(pending: PendingTokenizer, question: Question) -> str:
    """Ask what the file does not say, and show the tokens of a line with each answer; returns the answer."""
    st.markdown(f"**{question.title}**")
    st.write(escape(f"{pending.file} {question.why}"))
    line = st.text_input("A line of text", max_chars=MAX_TEXT, **tied(BringState.line_of(pending.key)))
    labels = {each: _label_of(pending, each, label, line) for each, label in question.choices.items()}
    answer: str | None = st.radio(
        question.title,
        list(labels),
        format_func=labels.__getitem__,
        label_visibility="collapsed",
        **tied(BringState.answer_of(pending.key, question.default)),
    )
    return answer or question.default


def _label_of(pending: PendingTokenizer, answer: str, label: str, line: str) -> str:
    """The label of an answer, with the tokens of a line."""
    try:
        tokens = pending.tokens(answer, line)
    except (ValueError, OSError) as problem:
        return escape(f"{label}: {problem}")
    n_tokens = "1 token" if len(tokens) == 1 else f"{len(tokens):,} tokens"
    return escape(f"{label}: {n_tokens}, {_WALL.join(map(spell_token, tokens[:_MOST_TOKENS]))}")


def _describe(encoding: Encoding, pending: PendingTokenizer, text: str) -> dict[str, Any]:
    """The data of the component ``preview``."""
    facts = [("File", f"{pending.kind}, {pending.n_bytes:,} bytes"), *encoding.steps]
    if encoding.chat_template:
        facts.append(("Chat template", f"there is one, of {len(encoding.chat_template):,} characters"))
    shortened = [
        (step, what if len(what) <= _MOST_CHARS else f"{what[:_MOST_CHARS]}…") for step, what in facts
    ]
    try:
        spans = encode_spans(encoding, TextMap(text))
    except ValueError as problem:
        return {
            "facts": shortened,
            "problem": str(problem),
            "tokens": [],
            "count": 0,
            "places": 0,
            "lost": [],
        }
    lost = []
    for loss in spans.losses[:_MOST_LOSSES]:
        was = spans.text_map.data[loss.start : loss.end].decode("utf-8", "replace")
        was, became = (spell_token(each.encode("utf-8")) for each in spell_change(was, loss.became[:80]))
        lost.append({"was": was, "became": became})
    unknown, special = spans.unknown, spans.special
    return {
        "facts": shortened,
        "problem": "",
        "tokens": [
            (
                int(token_id),
                encoding.token_bytes(int(token_id)).hex(),
                "unknown" if unknown[i] else "special" if special[i] else "",
            )
            for i, token_id in enumerate(spans.ids[:_MOST_TOKENS])
        ],
        "count": len(spans),
        "n_bytes": spans.text_map.n_bytes,
        "places": len(spans.losses),
        "lost": lost,
    }


def _add(imports: TokenizerImport, pending: PendingTokenizer) -> None:
    """Add a pending tokenizer to every chooser, and open it on the pages of Explore."""
    state, question, workspace = get_state(BringState), pending.question, get_workspace()
    answer = BringState.answer_of(pending.key, question.default).of(state) if question else ""
    name = BringState.name_of(pending.key, pending.name).of(state)
    imports.problems, imports.added = [], ""
    try:
        imports.added = imports.tokenizers.add(pending.key, workspace, name=name, answer=answer)
    except (ValueError, OSError) as problem:
        imports.problems = [str(problem)]
        return
    get_state(VocabularyState).look_into(imports.added)
    if workspace.trained[imports.added].has_merges:
        get_state(MergeTreesState).add_encoding(imports.added)
