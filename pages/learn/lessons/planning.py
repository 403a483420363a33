"""Draws the plans for a class: those that are there, and the form for a teacher's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages.learn.lessons.state import LessonsState
from pages.shared.markdown import escape
from pages.shared.this_machine import offer_link, tell_how_others_reach_it, url_for_others
from pages.shared.widgets import say_note, side_by_side, tied
from pages.teaching.class_plan import CLASS_STEPS, JOINING, PLANS, minutes_of, read_plan
from pages.teaching.lesson import Lesson

_QUIZ = "The questions before it and after it"


def draw_opener(state: LessonsState, label: str, name: str, slug: str, **options: Any) -> None:
    """A button that opens a lesson; ``options``: more arguments of ``st.button``."""
    st.button(label, key=state.key(name), on_click=state.open_lesson, args=(slug,), **options)


def draw_plans(state: LessonsState, lessons: Mapping[str, Lesson]) -> None:
    """Draw the plans that are there, each with the button that opens its class."""
    st.caption(
        "One class, one code: the phones join once. A class takes about one and a half times as long as "
        "one person."
    )
    if not url_for_others():
        tell_how_others_reach_it()
    for minutes, written in PLANS.items():
        try:
            st.markdown(_list_parts(f"{minutes} minutes", written, lessons))
        except ValueError:  # the file of one of its lessons cannot be read, as the page says
            continue
        with st.container(horizontal=True):
            _offer_to_run(written)
            st.button(
                "Change this plan",
                key=f"lessons_change_{minutes}",
                on_click=state.change_plan,
                args=(written,),
                type="tertiary",
            )


def _offer_to_run(written: str) -> None:
    """Draw the button that opens a class with a plan, in a tab of its own."""
    url = f"./class/open/plan?{urlencode({'parts': written})}"
    st.link_button("Run this plan", url, icon=":material/groups:", type="primary")


def _list_parts(title: str, written: str, lessons: Mapping[str, Lesson]) -> str:
    """A plan as a list of links, whose minutes add up."""
    lines = [f"**{title}**", f"- {JOINING} min: open the class, and let the phones join"]
    order = list(lessons)
    for part in read_plan(written, list(lessons.values())):
        lesson = lessons.get(part.slug)
        if lesson is None:
            name = CLASS_STEPS[part.slug].title
        else:
            number = order.index(part.slug) + 1
            name = f"[{number}. {escape(lesson.title)}](./lessons?lesson={part.slug})"
        lines.append(f"- {minutes_of(part, lesson)} min: {name}")
    return "\n".join(lines)


def draw_planning(state: LessonsState, lessons: Mapping[str, Lesson]) -> None:
    """Draw the form for a plan: its parts in order, and the steps of each lesson."""
    draw_opener(state, "‹ All lessons", "all", "", type="tertiary")
    st.title("Plan a class")
    st.write("One class, one code: the phones join once, and go through all that you choose.")
    say_note(state)
    known = {slug: f"{number}. {lesson.title}" for number, (slug, lesson) in enumerate(lessons.items(), 1)}
    known |= {name: step.title for name, step in CLASS_STEPS.items()}
    state.let_go(LessonsState.plan_parts, known)
    st.multiselect(
        "Lessons, and steps that only a class has, in the order in which you choose them",
        list(known),
        format_func=known.__getitem__,
        help="To move one, take it away and choose it again: it comes last.",
        **tied(LessonsState.plan_parts),
    )
    parts = state.planned
    if not parts:
        st.info("Choose what the class should do.")
        return
    total = JOINING
    order = list(lessons)
    for part in parts:
        lesson = lessons.get(part.slug)
        minutes = minutes_of(part, lesson)
        total += minutes
        if lesson is not None:
            # Its label stays the same, since an expander with another one is closed again.
            with st.expander(f"{order.index(part.slug) + 1}\\. {escape(lesson.title)}"):
                _draw_steps(state, lesson)
                st.caption(f"{minutes} minutes. {escape(lesson.notes)}")
    st.caption(f"About {total} minutes, with {JOINING} in which the phones join.")
    if not url_for_others():
        tell_how_others_reach_it()
    with side_by_side():
        _offer_to_run(state.plan_written)
        offer_link(state)


def _draw_steps(state: LessonsState, lesson: Lesson) -> None:
    """Draw the choice of a lesson's steps."""
    field = state.plan_steps(lesson.slug)
    options = range(len(lesson.steps) + 1)
    st.multiselect(
        "Its steps",
        options,
        placeholder="All",
        format_func=partial(_name_step, lesson),
        **tied(field),
    )


def _name_step(lesson: Lesson, number: int) -> str:
    if number == 0:
        return _QUIZ
    asks = re.sub(r"\{\w+\}", "…", lesson.steps[number - 1].asks)
    return f"{number}. {asks}"
