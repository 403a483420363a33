"""One tokenizer that waits: what it is and does, and whether to take it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.bring.state import MAX_TEXT, Bringing, BringState
from pages.session.waiting import MAX_NAME, Waiting
from pages.shared.components import register
from pages.shared.plain import plain
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import get_state, tied
from tokenizers.encoding import Encoding
from tokenizers.text import TextMap, encode_spans, spell_change, spell_token

_MOST_TOKENS, _MOST_LOSSES, _MOST_CHARS = 300, 12, 700
_WALL = " │ "

_mount = register("preview")


def draw_waiting(bringing: Bringing, waiting: Waiting, text: str) -> None:
    """What waits, in a box of its own."""
    name, answer = BringState.name_of(waiting.key, waiting.name), ""
    with st.container(border=True, key=BringState.key(f"waiting_{waiting.key}")):
        st.subheader(plain(waiting.file), anchor=False)
        if waiting.question is not None:
            answer = _ask(waiting)
        try:
            data = describe(waiting.encoding(answer), waiting, text)
        except (ValueError, OSError) as problem:
            st.error(plain(str(problem)), icon=":material/error:")
        else:
            _mount(data=data, key=BringState.key(f"preview_{waiting.key}"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Its name", max_chars=MAX_NAME, width=320, **tied(name))
            st.button(
                "Take it",
                type="primary",
                icon=":material/check:",
                key=BringState.key(f"take_{waiting.key}"),
                on_click=_take,
                args=(waiting.key,),
            )
            st.button(
                "Leave it",
                key=BringState.key(f"leave_{waiting.key}"),
                on_click=bringing.tray.leave,
                args=(waiting.key,),
            )


def _ask(waiting: Waiting) -> str:
    """Ask what the file does not say, and show what each answer makes of a line; returns the answer."""
    question = waiting.question
    assert question is not None
    st.markdown(f"**{question.asks}**")
    st.write(plain(f"{waiting.file} {question.why}"))
    line = st.text_input("A line of text", max_chars=MAX_TEXT, **tied(BringState.line_of(waiting.key)))
    field = BringState.answer_of(waiting.key, question.default)
    answer: str | None = st.radio(
        question.asks,
        list(question.choices),
        format_func={each: _answer_in_words(waiting, each, line) for each in question.choices}.__getitem__,
        label_visibility="collapsed",
        **tied(field),
    )
    return answer or question.default


def _answer_in_words(waiting: Waiting, answer: str, line: str) -> str:
    """An answer, and what it makes of a line."""
    assert waiting.question is not None
    label = waiting.question.choices[answer]
    try:
        tokens = waiting.tokens(answer, line)
    except (ValueError, OSError) as problem:
        return plain(f"{label}: {problem}")
    n_tokens = "1 token" if len(tokens) == 1 else f"{len(tokens):,} tokens"
    return plain(f"{label}: {n_tokens}, {_WALL.join(map(spell_token, tokens[:_MOST_TOKENS]))}")


def describe(encoding: Encoding, waiting: Waiting, text: str) -> dict[str, Any]:
    """What the component draws of an encoding that waits."""
    facts = [
        ("File", f"{waiting.kind}, {waiting.n_bytes:,} bytes", False),
        *((step, _shortened(what), False) for step, what in encoding.steps),
    ]
    if encoding.chat_template:
        facts.append(("Chat template", f"there is one, of {len(encoding.chat_template):,} characters", False))
    data: dict[str, Any] = {
        "facts": facts,
        "problem": "",
        "tokens": [],
        "count": 0,
        "n_bytes": 0,
        "places": 0,
        "lost": [],
    }
    try:
        spans = encode_spans(encoding, TextMap(text))
    except ValueError as problem:
        return {**data, "problem": str(problem)}
    unknown, special = spans.unknown, spans.special
    data["tokens"] = [
        (
            int(token_id),
            encoding.token_bytes(int(token_id)).hex(),
            "unknown" if unknown[i] else "special" if special[i] else "",
        )
        for i, token_id in enumerate(spans.ids[:_MOST_TOKENS])
    ]
    data["count"], data["n_bytes"], data["places"] = len(spans), spans.text_map.n_bytes, len(spans.losses)
    for loss in spans.losses[:_MOST_LOSSES]:
        was = spans.text_map.data[loss.start : loss.end].decode("utf-8", "replace")
        was, became = spell_change(was, loss.became[:80])
        data["lost"].append({"was": _visible(was), "became": _visible(became)})
    return data


def _visible(text: str) -> str:
    return spell_token(text.encode("utf-8"))


def _shortened(what: str) -> str:
    return what if len(what) <= _MOST_CHARS else f"{what[:_MOST_CHARS]}…"


def _take(key: str) -> None:
    """Put one that waits into every chooser; the pages of Explore look at it next."""
    state, bringing = get_state(BringState), get_kept(Bringing)
    waiting = bringing.tray.waiting.get(key)
    if waiting is None:
        return
    question = waiting.question
    answer = "" if question is None else BringState.answer_of(key, question.default).of(state)
    bringing.problems, bringing.taken = [], ""
    try:
        name = bringing.tray.take(
            key, get_workspace(), name=BringState.name_of(key, waiting.name).of(state), answer=answer
        )
    except (ValueError, OSError) as problem:
        bringing.problems = [str(problem)]
        return
    bringing.taken = name
    get_state(VocabularyState).look_into(name)
    if get_workspace().grown[name].has_merges:
        get_state(MergeTreesState).add_encoding(name)
