"""Learn · Lessons: predict, reveal, and see why."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import tokenizers as tk
from pages.learn.lessons.course import CoursePart, list_parts, work_out_quiz
from pages.learn.lessons.making import draw_making
from pages.learn.lessons.planning import draw_opener, draw_planning, draw_plans
from pages.learn.lessons.state import MAKE, OWN, PLAN, LessonsState
from pages.session.own_texts import digest_of
from pages.shared.class_button import offer_class
from pages.shared.components import newest_event, newest_message, register
from pages.shared.frame import draw_question
from pages.shared.glossary import meanings_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_files
from pages.shared.this_machine import offer_link
from pages.shared.widgets import (
    is_same_page,
    open_state,
    say_note,
    show_error,
    show_warning,
    side_by_side,
    tied,
    write_link,
)
from pages.teaching.lesson import Lesson
from pages.teaching.lesson_files import list_lessons, read_lesson, read_lessons
from pages.teaching.work_out import work_out
from pages.teaching.worksheet import write_worksheet
from tokenizers.json_types import JsonObject

_TERMS = (
    *("language model", "tokenizer", "vocabulary", "corpus"),
    *("token", "token id", "special token", "glitch token"),
    *("merge", "rank", "split pattern", "piece", "wall"),
    *("byte", "code point", "grapheme", "premium"),
)
"""The words of the glossary that have their meaning in the lessons, too."""

_mount = register("lesson", "event", "message")


@st.cache_resource(max_entries=40, show_spinner="The tokenizers work out the lesson …")
def _work_out(slug: str) -> JsonObject:
    """Compute a lesson. Cached, since its encodings do not change while the server runs."""
    return work_out(next(lesson for lesson in list_lessons() if lesson.slug == slug), tk.get_encoding)


def _draw_list(state: LessonsState, lessons: Sequence[Lesson], problems: Sequence[str]) -> None:
    """Draw the list of lessons, and the errors of unreadable ones."""
    st.title("Lessons")
    for problem in problems:
        show_warning(problem)
    if not lessons:
        return
    _read_progress(state)
    next_slug = state.next_lesson([lesson.slug for lesson in lessons])
    numbers = {lesson.slug: number for number, lesson in enumerate(lessons, 1)}
    offered = lessons[numbers.get(next_slug, 1) - 1]
    draw_question(
        LessonsState,
        "How does a language model see text?",
        "In each lesson you guess first. Then you see what happens, and why.",
        f"lesson {numbers[offered.slug]}, {offered.minutes} minutes",
        state.open_lesson,
        (offered.slug,),
    )
    with side_by_side():
        with st.popover("Plans for a class", icon=":material/schedule:"):
            draw_plans(state, {lesson.slug: lesson for lesson in lessons})
        draw_opener(state, "Make your own lesson", "make", MAKE, icon=":material/edit_note:")
        st.space("stretch")
        _draw_switch()
    for part in list_parts(lessons):
        _draw_part(state, part, next_slug)


def _draw_part(state: LessonsState, part: CoursePart, next_slug: str) -> None:
    """Draw a part of the course: its question, a card for each lesson, and one for its quiz."""
    st.subheader(escape(part.question))
    columns: list[DeltaGenerator] = []
    for number, lesson in enumerate(part.lessons, part.first):
        is_next = lesson.slug == next_slug
        label = _describe(lesson.slug, f"{lesson.minutes} minutes", state, is_next=is_next)
        with _draw_card(columns, lesson.slug):
            st.markdown(f"### {number}\\. {escape(lesson.title)}")
            st.caption(escape(lesson.question))
            kind = "primary" if is_next else "secondary"
            draw_opener(state, label, f"open_{lesson.slug}", lesson.slug, type=kind)
    with _draw_card(columns, part.slug):
        st.markdown(f"### {part.quiz_title}")
        st.caption("The questions of these lessons, mixed")
        label = _describe(part.slug, f"{len(part.lessons)} minutes", state, is_next=False)
        draw_opener(state, label, f"open_{part.slug}", part.slug)


def _draw_card(columns: list[DeltaGenerator], name: str) -> DeltaGenerator:
    """The next card, row by row, so that a phone has them in their order."""
    if not columns:
        columns += st.columns(3)
    return columns.pop(0).container(border=True, height="stretch", key=f"lessons_card_{name}")


def _read_progress(state: LessonsState) -> None:
    """Ask the browser how far each lesson is; it answers once, if that is not known."""
    key = "lessons_progress"
    told = (newest_message(key) or {}).get("progress")
    if isinstance(told, dict):
        state.progress = told
    _mount({"progress": state.progress}, key)


def _describe(slug: str, minutes: str, state: LessonsState, *, is_next: bool) -> str:
    """The label of the button of a lesson or a quiz."""
    match state.progress.get(slug):
        case [int(at), int(of), bool(done)] if 0 < at < of - 1:
            return f"{'✓ ' if done else ''}Go on: step {at + 1:,} of {of:,}"
        case [_, _, True]:
            return "✓ Done. Do it again"
        case _:
            start = "Next: start" if is_next and state.progress else "Start"
            return f"{start}, {minutes}"


def _draw_switch() -> None:
    st.toggle(
        "Teacher’s view",
        help="Large type, one step at a time, and no quiz. The answer stays hidden until you press a key, or "
        "a presenter’s clicker.",
        **tied(LessonsState.teaching),
    )


def _offer_class(state: LessonsState, lesson: Lesson | None, drawn: JsonObject) -> None:
    """Draw the button that runs a lesson with a class; None: the own one, if a link can hold it."""
    query = urlencode({name: value for name, value in state.to_link().items() if name != "teach"})
    again = "" if state.lesson == OWN and "own=" not in query else f"../lessons?{query}"
    link = f"../open/{lesson.slug}" if lesson else f"../../lessons?{query}"
    offer_class(drawn, link, again)


def _draw_change(state: LessonsState) -> None:
    if state.can_be_changed:
        draw_opener(state, "Change it", "change", MAKE, icon=":material/edit_note:", type="tertiary")


def _draw_lesson(state: LessonsState, lesson: Lesson | None, quiz: CoursePart | None) -> None:
    """Draw a lesson, or the quiz of a part; neither: the own one."""
    is_own = lesson is None and quiz is None
    with side_by_side():
        draw_opener(state, "‹ All lessons", "all", "", type="tertiary")
        st.space("stretch")
        class_button = st.container(width="content")
        _draw_switch()
    try:
        if lesson is not None:
            drawn = _work_out(lesson.slug)
        elif quiz is not None:
            drawn = work_out_quiz(quiz, _work_out)
        else:
            drawn = work_out(
                read_lesson(state.own.encode("utf-8", "replace"), OWN), get_workspace().find_encoding
            )
    except (ValueError, OSError) as problem:
        show_error(f"This lesson cannot be shown. {problem}")
        if is_own:
            _draw_change(state)
        return
    if quiz is None:
        with class_button:
            _offer_class(state, lesson, drawn)
    if not state.teaching:
        st.title(escape(drawn["title"]))
        if is_own:
            st.caption("Somebody’s own lesson: its words are its author’s. The cuts and counts are computed.")
    lessons = list_lessons()
    data = {
        "lesson": drawn,
        "terms": meanings_of(sorted(_TERMS, key=len, reverse=True)),
        "ways": _ways_on(lessons, lesson, quiz),
        "number": lessons.index(lesson) + 1 if lesson else None,
        "of": len(lessons),
        "revision": digest_of(repr(drawn)),
        "teaching": state.teaching,
    }
    _mount(data, "lessons_slides")
    if state.teaching:
        return
    with st.container(horizontal=True):
        offer_files(
            "Worksheet and answers",
            lambda: {
                f"worksheet-{drawn['slug']}.html": write_worksheet(drawn, answered=False).encode(),
                f"answers-{drawn['slug']}.html": write_worksheet(drawn, answered=True).encode(),
            },
            "lessons_sheets",
            "Open a file in your browser, and print it.",
            "tertiary",
        )
        if is_own:
            _draw_change(state)
        if lesson or quiz or "own" in state.to_link():
            offer_link(state)
    if is_own and "own" not in state.to_link():
        st.caption("This lesson is too long for a link: share it as a file.")


def _ways_on(
    lessons: Sequence[Lesson], lesson: Lesson | None, quiz: CoursePart | None
) -> list[dict[str, str]]:
    """What the end of a lesson or a quiz offers: the quiz, if a part is over, and the next lesson."""
    ways = []
    n_done = quiz.last if quiz else 0
    if lesson:
        n_done = lessons.index(lesson) + 1
        over = [part for part in list_parts(lessons) if part.last == n_done]
        ways = [{"slug": part.slug, "label": f"{part.quiz_title} ›", "title": part.question} for part in over]
    after = lessons[n_done : n_done + 1] if n_done else ()
    return ways + [{"slug": each.slug, "label": "Next lesson ›", "title": each.title} for each in after]


def _write_link(state: LessonsState) -> None:
    write_link(state)
    state.addressed = state.lesson


def draw_page() -> None:
    """The page."""
    state = open_state(LessonsState, LessonsState.from_link)
    addressed = st.query_params.get("lesson", "")
    if is_same_page() and addressed != state.addressed:  # by Back or Forward
        state.open_lesson(addressed)
    if event := newest_event("lessons_slides"):  # Next lesson
        state.open_lesson(str(event.get("open")))
    lessons, problems = read_lessons()
    known = {lesson.slug: lesson for lesson in lessons}
    if state.lesson == MAKE:
        draw_making(state)
        _write_link(state)
        return
    if state.lesson == PLAN:
        draw_planning(state, known)
        _write_link(state)
        return
    say_note(state)
    quizzes = {part.slug: part for part in list_parts(lessons)}
    openable = {*known, *quizzes}
    if state.own:
        openable.add(OWN)
    if state.lesson and state.lesson not in openable:
        if state.lesson != OWN:
            missing = f"There is no lesson {state.lesson!r}: the list below has all of them."
            show_warning(missing)
        state.lesson = ""
    _write_link(state)
    if state.lesson:
        _draw_lesson(state, known.get(state.lesson), quizzes.get(state.lesson))
    else:
        _draw_list(state, lessons, problems)


draw_page()
