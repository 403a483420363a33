"""Where a teacher makes a lesson: in fields, or as the text of its file."""

from __future__ import annotations

import codecs
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from pages.learn.lessons.state import EXAMPLE, FIELDS, OWN, TEXT, LessonsState
from pages.session.lesson_draft import KINDS, MOST_TOKENS, check_draft
from pages.session.lessons import (
    MAX_BYTES,
    MAX_CHOICES,
    MAX_CUT_TEXT,
    MAX_STEPS,
    MAX_TEXT,
    MAX_WORDS,
    read_lesson,
    work_out,
)
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from pages.shared.widgets import messages, say_note, tied

_FIGURES = (
    "For {tokens}, {characters} and {bytes} in a question, a note or an answer, the lesson says how many the "
    "step’s text has; the "
    "tokens are those of its first encoding. No other number can be typed in, so no figure in a lesson can "
    "be wrong."
)

_TEXTS = {
    "cuts": f"The text, of up to {MAX_CUT_TEXT} characters",
    "number": "The text",
    "choice": "A text, if the step shows one",
    "say": "A text, if the step shows one",
}
_PLACES = ("the first", "the second", "the third", "the fourth", "the fifth", "the sixth")


def draw_making(state: LessonsState) -> None:
    """A lesson of one's own: written here, or brought in a file."""
    if state.way == FIELDS and state.filled is None:
        _fill(state)
    st.button("‹ All lessons", key=state.key("all"), on_click=state.open_lesson, args=("",), type="tertiary")
    st.title("Make a lesson")
    st.write(
        "Give a text, the encodings to cut it, your question and a note for the answer. You type in no "
        "figures: they come from the encodings."
    )
    say_note(state)
    st.segmented_control(
        "How to write it",
        [FIELDS, TEXT],
        required=True,
        label_visibility="collapsed",
        on_change=_change_way,
        args=(state,),
        **tied(LessonsState.way),
    )
    if state.way == FIELDS:
        _draw_fields(state)
        state.write()
    else:
        st.text_area("The lesson’s file", height=420, max_chars=MAX_BYTES, **tied(LessonsState.writing))
    _draw_what_to_do(state)


def _fill(state: LessonsState) -> None:
    """Fill the fields from what is written; if they cannot hold it, it is shown as a text."""
    try:
        state.fill()
    except ValueError as problem:
        state.note = f"This lesson cannot be changed in fields, but as a text. {problem}"
        state.way = TEXT
        return
    available = get_workspace().encoding_names()
    missing = {name for step in state.draft.steps for name in step.encodings} - set(available)
    if missing:
        state.note = (
            f"These encodings are not here, and so not in the fields: {', '.join(sorted(missing))[:200]}."
        )
    for number in state.steps:
        state.let_go(state.step_field(number, "encodings"), available)
    state.filled = state.draft  # what is written stays as it is until a field is changed


def _change_way(state: LessonsState) -> None:
    if state.way == FIELDS:
        _fill(state)


def _draw_fields(state: LessonsState) -> None:
    title, question, minutes = st.columns([2, 3, 1])
    title.text_input("Title", max_chars=80, **tied(LessonsState.title))
    question.text_input("The question that it answers", max_chars=200, **tied(LessonsState.question))
    minutes.number_input("Minutes", min_value=1, max_value=60, **tied(LessonsState.minutes))
    for place, number in enumerate(state.steps):
        with st.container(border=True):
            _draw_step(state, place, number)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Add a step",
            icon=":material/add:",
            key=state.key("add"),
            on_click=state.add_step,
            disabled=len(state.steps) >= MAX_STEPS,
        )
    st.caption(plain(_FIGURES))


def _draw_step(state: LessonsState, place: int, number: int) -> None:
    def field(name: str) -> Any:
        return tied(state.step_field(number, name))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Step {place + 1}**", width="content")
        st.selectbox(
            f"What people do in step {place + 1}",
            list(KINDS),
            format_func=KINDS.__getitem__,
            label_visibility="collapsed",
            width=260,
            **field("kind"),
        )
        st.space("stretch")
        st.button(
            f"Move step {place + 1} up",
            key=state.key(f"up_{number}"),
            on_click=state.move_up,
            args=(number,),
            type="tertiary",
            disabled=not place,
        )
        st.button(
            f"Take step {place + 1} away",
            key=state.key(f"drop_{number}"),
            on_click=state.drop_step,
            args=(number,),
            type="tertiary",
            disabled=len(state.steps) < 2,
        )
    kind = state.step_field(number, "kind").of(state)
    left, right = st.columns(2)
    with left:
        st.text_area(
            _TEXTS[kind],
            height=98,
            max_chars=MAX_TEXT,
            **field("text"),
        )
        names = get_workspace().encoding_names()
        state.let_go(state.step_field(number, "encodings"), names)
        st.multiselect(
            "Encodings that cut it; people guess the first" if kind in ("cuts", "number") else "Encodings",
            names,
            max_selections=4,
            **field("encodings"),
        )
    with right:
        st.text_area(
            "What you say" if kind == "say" else "Your question",
            height=98,
            max_chars=MAX_WORDS,
            **field("asks"),
        )
        if kind == "choice":
            _draw_choices(state, number)
        if kind == "number":
            st.number_input("The slider goes from 1 to", min_value=2, max_value=MOST_TOKENS, **field("high"))
        if kind != "say":
            st.text_area(
                "Your note, which comes with the answer", height=98, max_chars=MAX_WORDS, **field("note")
            )


def _draw_choices(state: LessonsState, number: int) -> None:
    choices, right = state.step_field(number, "choices"), state.step_field(number, "right")
    st.text_area(
        f"Answers, one in each line: two to {MAX_CHOICES}",
        height=122,
        max_chars=MAX_CHOICES * 201,
        **tied(choices),
    )
    # The places alone: if the answers themselves were here, a change of them would be another choice.
    st.selectbox("The right one", range(MAX_CHOICES), format_func=_PLACES.__getitem__, **tied(right))


def _draw_what_to_do(state: LessonsState) -> None:
    with messages():
        if state.problem:
            st.error(plain(state.problem), icon=":material/error:")
            state.problem = ""
    with st.container(horizontal=True):
        st.button("Try it", key=state.key("try"), type="primary", on_click=_try, args=(state,))
        with st.popover("Save it as a file"):  # opening it ends the typing in a field
            st.download_button(
                "Download lesson.toml",
                state.writing,
                "lesson.toml",
                "application/toml",
                on_click="ignore",
                key=state.key("save"),
            )
    key = state.key(f"file_{state.uploads}")
    with st.expander("Bring one in a file"):
        st.file_uploader(
            "A lesson’s file",
            type=["toml"],
            key=key,
            max_upload_size=1,
            on_change=_take_file,
            args=(state, key),
        )
    is_short = state.writing == EXAMPLE or "own" in state.to_link()
    st.caption(
        (
            "The page’s address holds the lesson: try it, and share the address as a link. "
            if is_short
            else "The lesson is too long for a link: save it as a file before you leave, and share that. "
        )
        + "A lesson’s file can "
        "hold more than the fields: questions before and after it, sources, claims and formulas."
    )


def _take_file(state: LessonsState, key: str) -> None:
    """Put what was brought in the place of what is written; in fields, if they can hold it."""
    brought = st.session_state[key]
    if brought is None:
        return
    state.uploads += 1  # a field of its own for the next one
    if isinstance(brought, DeletedFile):
        state.note = "The server was started anew, and no longer has your file: choose it once more."
        return
    data = brought.getvalue()
    try:
        read_lesson(data.removeprefix(codecs.BOM_UTF8), OWN, unfinished=True)
    except ValueError as problem:
        state.note = f"{brought.name} is not taken. {problem} What was written here is still here."
        return
    state.writing = data.decode("utf-8-sig")
    state.way = FIELDS
    _fill(state)


def _try(state: LessonsState) -> None:
    """Open what is written as a lesson, or say why it cannot be shown, in the terms of how it is written."""
    try:
        if state.way == FIELDS:
            state.write()
            check_draft(state.draft)
        work_out(read_lesson(state.writing.encode("utf-8", "replace"), OWN), get_workspace().encoding)
    except (ValueError, OSError) as problem:
        state.problem = str(problem)
        return
    state.own = state.writing
    state.open_lesson(OWN)
