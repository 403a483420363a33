"""Draws the editor of a teacher's lesson."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.learn.lessons.planning import draw_opener
from pages.learn.lessons.state import EXAMPLE, OWN, LessonsState
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_files
from pages.shared.widgets import messages, say_note, show_error, side_by_side, tied
from pages.teaching.kinds.cuts import MAX_CUT_TEXT
from pages.teaching.lesson import MAX_CHOICES, MAX_STEPS, MAX_TEXT, MAX_WORDS
from pages.teaching.lesson_draft import LABELS, MOST_TOKENS, check_draft
from pages.teaching.lesson_files import read_lesson
from pages.teaching.work_out import work_out
from tokenizers.registry import chooser_title

_NUMBERS = (
    "Write {tokens}, {characters} or {bytes} in a question, a note or an answer: the lesson counts them in "
    "the step’s text. The tokens are those of the step’s first tokenizer."
)
_TEXTS = {"cuts": f"The text, of up to {MAX_CUT_TEXT} characters", "number": "The text"}
_PLACES = ("the first", "the second", "the third", "the fourth", "the fifth", "the sixth")


def draw_making(state: LessonsState) -> None:
    """Draw the editor of an own lesson, which can also be uploaded."""
    if not state.steps:
        try:
            state.fill(state.writing)
        except ValueError as problem:
            state.note = f"This lesson cannot be changed here. {problem}"
            state.fill(EXAMPLE)
    draw_opener(state, "‹ All lessons", "all", "", type="tertiary")
    st.title("Make a lesson")
    st.write("Give a text, the tokenizers that cut it, your question, and a note for the answer.")
    say_note(state)
    _draw_fields(state)
    state.write()
    _draw_what_to_do(state)


def _draw_fields(state: LessonsState) -> None:
    title, question, minutes = st.columns([2, 3, 1])
    title.text_input("Title", max_chars=80, **tied(LessonsState.title))
    question.text_input("The question that it answers", max_chars=200, **tied(LessonsState.question))
    minutes.number_input("Minutes", min_value=1, max_value=60, **tied(LessonsState.minutes))
    for place, number in enumerate(state.steps):
        with st.container(border=True):
            _draw_step(state, place, number)
    st.button(
        "Add a step",
        icon=":material/add:",
        key="lessons_add",
        on_click=state.add_step,
        disabled=len(state.steps) >= MAX_STEPS,
    )
    st.caption(escape(_NUMBERS))


def _draw_step(state: LessonsState, place: int, number: int) -> None:
    with side_by_side():
        _draw_head(state, place, number)
    kind = state.step_field(number, "kind").of(state)
    names = get_workspace().encoding_names()
    state.let_go(state.step_field(number, "encodings"), names)

    def field(name: str) -> Any:
        return tied(state.step_field(number, name))

    left, right = st.columns(2)
    with left:
        label = _TEXTS.get(kind, "A text, if the step shows one")
        st.text_area(label, height=98, max_chars=MAX_TEXT, **field("text"))
        label = (
            "Tokenizers that cut it; people guess the first" if kind in ("cuts", "number") else "Tokenizers"
        )
        st.multiselect(label, names, format_func=chooser_title, max_selections=4, **field("encodings"))
    with right:
        label = "What you say" if kind == "say" else "Your question"
        st.text_area(label, height=98, max_chars=MAX_WORDS, **field("asks"))
        if kind == "choice":
            label = f"Answers, one in each line: two to {MAX_CHOICES}"
            st.text_area(label, height=122, max_chars=MAX_CHOICES * 201, **field("choices"))
            # The places alone: if the answers themselves were here, a change of them would be another choice.
            st.selectbox(
                "The right one", range(MAX_CHOICES), format_func=_PLACES.__getitem__, **field("right")
            )
        if kind == "number":
            st.number_input("The slider goes from 1 to", min_value=2, max_value=MOST_TOKENS, **field("high"))
        if kind != "say":
            label = "Your note, which comes with the answer"
            st.text_area(label, height=98, max_chars=MAX_WORDS, **field("note"))


def _draw_head(state: LessonsState, place: int, number: int) -> None:
    """Draw the kind of a step, and the buttons that move and delete it."""

    def button(label: str, name: str, on_click: Callable[[int], None], *, disabled: bool) -> None:
        key = f"lessons_{name}_{number}"
        st.button(label, key=key, on_click=on_click, args=(number,), type="tertiary", disabled=disabled)

    step = f"step {place + 1}"
    st.markdown(f"**Step {place + 1}**", width="content")
    st.selectbox(
        f"What people do in {step}",
        list(LABELS),
        format_func=LABELS.__getitem__,
        label_visibility="collapsed",
        width=260,
        **tied(state.step_field(number, "kind")),
    )
    st.space("stretch")
    button(f"Move {step} up", "up", state.move_up, disabled=not place)
    button(f"Delete {step}", "drop", state.drop_step, disabled=len(state.steps) < 2)


def _draw_what_to_do(state: LessonsState) -> None:
    with messages():
        if state.problem:
            show_error(state.problem)
            state.problem = ""
    with st.container(horizontal=True):
        st.button("Try it", key="lessons_try", type="primary", on_click=_try, args=(state,))
        save = {"lesson.toml": state.writing.encode("utf-8", "replace")}
        # Opening it ends the typing in a field.
        offer_files("Save it as a file", lambda: save, "lessons_save")
    key = f"lessons_file_{state.uploads}"
    with st.expander("Open a lesson’s file"):
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
        "A link holds the lesson: try it, and copy its link there."
        if is_short
        else "The lesson is too long for a link: save it as a file before you leave, and share that."
    )


def _take_file(state: LessonsState, key: str) -> None:
    """Fill the fields from an uploaded lesson; if they cannot hold it, open it."""
    uploaded = st.session_state[key]
    if uploaded is None:
        return
    state.uploads += 1  # a field of its own for the next one
    data = uploaded.getvalue()
    try:
        read_lesson(data.removeprefix(codecs.BOM_UTF8), OWN, unfinished=True)
    except ValueError as problem:
        state.note = f"{uploaded.name} cannot be opened. {problem} Your lesson is still here."
        return
    writing = data.decode("utf-8-sig")
    try:
        state.fill(writing)
    except ValueError:
        state.own = writing
        state.open_lesson(OWN)


def _try(state: LessonsState) -> None:
    """Open the lesson in the making, or show its errors."""
    try:
        state.write()
        check_draft(state.draft)
        work_out(read_lesson(state.writing.encode("utf-8", "replace"), OWN), get_workspace().find_encoding)
    except (ValueError, OSError) as problem:
        state.problem = str(problem)
        return
    state.own = state.writing
    state.open_lesson(OWN)
