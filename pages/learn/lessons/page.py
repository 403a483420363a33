"""Learn · Lessons: predict, reveal, and see why."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

import tokenizers as tk
from pages.learn.lessons.state import LessonsState
from pages.session.lessons import Lesson, list_lessons, work_out
from pages.shared.components import register
from pages.shared.plain import plain
from pages.shared.widgets import open_state, tied, write_link

_mount = register("lesson")


@st.cache_resource(max_entries=40, show_spinner="The encodings work out the lesson …")
def _work_out(slug: str) -> dict[str, Any]:
    """A lesson with all its figures. They come of encodings that do not change while the server runs."""
    lesson = next(lesson for lesson in list_lessons() if lesson.slug == slug)
    drawn = work_out(lesson, tk.get_encoding)
    return {
        "lesson": drawn,
        "revision": hashlib.sha256(repr(drawn).encode("utf-8", "replace")).hexdigest()[:16],
    }


def _draw_list(state: LessonsState) -> None:
    st.title("Lessons")
    st.write(
        "How does a language model see text? Each lesson asks you to guess first, then shows what really "
        "happens, and why. Try the first one."
    )
    columns = st.columns(3, gap="medium")
    for number, lesson in enumerate(list_lessons()):
        with columns[number % 3].container(border=True, height="stretch"):
            st.markdown(f"**{number + 1}. {plain(lesson.title)}**")
            st.caption(plain(lesson.question))
            st.button(
                f"Start, {lesson.minutes} minutes",
                key=state.key(f"open_{lesson.slug}"),
                on_click=state.open_lesson,
                args=(lesson.slug,),
                type="primary" if not number else "secondary",
            )


def _draw_lesson(state: LessonsState, lesson: Lesson) -> None:
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
    if not state.teaching:
        st.title(plain(lesson.title))
    try:
        drawn = _work_out(lesson.slug)
    except (ValueError, OSError) as problem:
        st.error(plain(f"This lesson cannot be shown. {problem}"), icon=":material/error:")
        return
    _mount(
        data={**drawn, "teaching": state.teaching},
        key=state.key("slides"),
        on_message_change=lambda: None,
    )
    after = next((each for each in lessons[lessons.index(lesson) + 1 :]), None)
    if after is not None and not state.teaching:
        st.button(
            f"Next lesson: {after.title}",
            key=state.key("next"),
            on_click=state.open_lesson,
            args=(after.slug,),
            type="tertiary",
        )


def lessons() -> None:
    """The page."""
    state = open_state(LessonsState, LessonsState.from_link)
    try:
        known = {lesson.slug: lesson for lesson in list_lessons()}
    except (ValueError, OSError) as problem:
        st.title("Lessons")
        st.error(plain(str(problem)), icon=":material/error:")
        return
    if state.lesson and state.lesson not in known:
        st.warning(plain(f"There is no lesson {state.lesson!r}: these are all."), icon=":material/warning:")
        state.lesson = ""
    write_link(state)
    if state.lesson:
        _draw_lesson(state, known[state.lesson])
    else:
        _draw_list(state)


lessons()
