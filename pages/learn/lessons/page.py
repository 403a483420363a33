"""Learn · Lessons: predict, reveal, and see why."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import streamlit as st

import tokenizers as tk
from pages.learn.lessons.making import draw_making
from pages.learn.lessons.state import MAKE, OWN, LessonsState
from pages.session.lessons import Lesson, list_lessons, read_lesson, read_lessons, work_out
from pages.session.worksheet import write_worksheet
from pages.shared.components import register
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.widgets import open_state, say_note, tied, write_link

_mount = register("lesson")

_SHORT_WAY = ("learning", "spelling", "languages")  # for whom there is no time for all


@st.cache_resource(max_entries=40, show_spinner="The encodings work out the lesson …")
def _work_out(slug: str) -> dict[str, Any]:
    """A lesson with all its figures. They come of encodings that do not change while the server runs."""
    lesson = next(lesson for lesson in list_lessons() if lesson.slug == slug)
    drawn = work_out(lesson, tk.get_encoding)
    return {"lesson": drawn, "revision": _revision_of(drawn)}


def _draw_list(state: LessonsState, lessons: Sequence[Lesson], problems: Sequence[str]) -> None:
    """All lessons to choose from, and what is said of those that cannot be read."""
    st.title("Lessons")
    for problem in problems:
        st.warning(plain(problem), icon=":material/warning:")
    if not lessons:
        return
    draw_question(
        LessonsState,
        "How does a language model see text?",
        "Each lesson lets you guess first, then shows what happens, and why.",
        f"the first one, {lessons[0].minutes} minutes",
        state.open_lesson,
        (lessons[0].slug,),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_how_long(lessons), width="stretch")
        st.button(
            "Make your own lesson",
            icon=":material/edit_note:",
            key=state.key("make"),
            on_click=state.open_lesson,
            args=(MAKE,),
        )
    for first in range(0, len(lessons), 3):  # row by row, so that a phone has them in their order
        for column, lesson in zip(st.columns(3, gap="small"), lessons[first : first + 3], strict=False):
            number = lessons.index(lesson)
            with column.container(border=True, height="stretch", key=state.key(f"card_{lesson.slug}")):
                st.markdown(f"## {number + 1}\\. {plain(lesson.title)}")
                st.caption(plain(lesson.question))
                st.button(
                    f"Start, {lesson.minutes} minutes",
                    key=state.key(f"open_{lesson.slug}"),
                    on_click=state.open_lesson,
                    args=(lesson.slug,),
                    type="primary" if not number else "secondary",
                )


def _how_long(lessons: Sequence[Lesson]) -> str:
    """How much time all of them take, and which to choose with little of it."""
    all_take = f"All of them take {sum(lesson.minutes for lesson in lessons)} minutes."
    short = [(n, lesson) for n, lesson in enumerate(lessons, 1) if lesson.slug in _SHORT_WAY]
    if len(short) < len(_SHORT_WAY):
        return all_take
    numbers = ", ".join(str(number) for number, _ in short[:-1]) + f" and {short[-1][0]}"
    minutes = sum(lesson.minutes for _, lesson in short)
    return (
        f"{all_take} With {minutes} minutes, take {numbers}: how tokens are learned, why models miscount "
        "letters, and why Korean costs more than English."
    )


def _own_lesson(state: LessonsState) -> dict[str, Any]:
    """One's own lesson, worked out.

    Raises:
        ValueError, OSError: it is none, or cannot be shown; says why.
    """
    drawn = work_out(read_lesson(state.own.encode("utf-8", "replace"), OWN), get_workspace().encoding)
    return {"lesson": drawn, "revision": _revision_of(drawn)}


def _revision_of(drawn: dict[str, Any]) -> str:
    return hashlib.sha256(repr(drawn).encode("utf-8", "replace")).hexdigest()[:16]


def _draw_change(state: LessonsState) -> None:
    st.button(
        "Change it",
        icon=":material/edit_note:",
        key=state.key("change"),
        on_click=state.open_lesson,
        args=(MAKE,),
        type="tertiary",
    )


def _draw_lesson(state: LessonsState, lesson: Lesson | None) -> None:
    """A lesson; None: one's own."""
    lessons = list_lessons()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "‹ All lessons", key=state.key("all"), on_click=state.open_lesson, args=("",), type="tertiary"
        )
        st.space("stretch")
        st.toggle(
            "Teacher’s view",
            help="Large type, one step at a time, and no quiz; the answer stays hidden until a key or a "
            "presenter’s clicker reveals it.",
            **tied(LessonsState.teaching),
        )
    try:
        drawn = _own_lesson(state) if lesson is None else _work_out(lesson.slug)
    except (ValueError, OSError) as problem:
        st.error(plain(f"This lesson cannot be shown. {problem}"), icon=":material/error:")
        if lesson is None:
            _draw_change(state)
        return
    if not state.teaching:
        st.title(plain(drawn["lesson"]["title"]))
    _mount(
        data={**drawn, "teaching": state.teaching},
        key=state.key("slides"),
        on_message_change=lambda: None,
    )
    if state.teaching:
        return
    with st.container(horizontal=True):
        st.download_button(
            "Worksheet and answers, to print",
            write_worksheet(drawn["lesson"]),
            f"worksheet-{drawn['lesson']['slug']}.html",
            "text/html",
            icon=":material/print:",
            type="tertiary",
            on_click="ignore",
            key=state.key("worksheet"),
        )
        if lesson is None:
            _draw_change(state)
    if lesson is None:
        if "own" in state.to_link():
            st.caption("The page’s address holds this lesson: whoever opens it can try it.")
        else:
            st.caption("This lesson is longer than a link can hold: share it as a file.")
        return
    after = next((each for each in lessons[lessons.index(lesson) + 1 :]), None)
    if after is not None:
        st.button(
            f"Next lesson: {after.title}",
            key=state.key("next"),
            on_click=state.open_lesson,
            args=(after.slug,),
        )


def draw_page() -> None:
    """The page."""
    state = open_state(LessonsState, LessonsState.from_link)
    lessons, problems = read_lessons()
    known = {lesson.slug: lesson for lesson in lessons}
    if state.lesson == MAKE:
        draw_making(state)
        write_link(state)
        return
    say_note(state)
    if state.lesson and state.lesson not in known and not (state.lesson == OWN and state.own):
        if state.lesson != OWN:
            missing = f"There is no lesson {state.lesson!r}: the list below has all of them."
            st.warning(plain(missing), icon=":material/warning:")
        state.lesson = ""
    write_link(state)
    if state.lesson:
        _draw_lesson(state, known.get(state.lesson))
    else:
        _draw_list(state, lessons, problems)


draw_page()
