"""Offers to run a lesson, or one text, with a class: a link that opens a room and its wall."""

from __future__ import annotations

import streamlit as st

from pages.session.tickets import issue_ticket
from pages.shared.this_machine import tell_how_others_reach_it, url_for_others
from pages.teaching.class_plan import lesson_plan
from tokenizers.json_types import JsonObject


def offer_class(drawn: JsonObject, link: str, again: str) -> None:
    """Draw the button that opens a room for a lesson, in a tab of its own.

    If no phone can reach this computer, it says so first: the wall would say it in front of the class.

    Args:
        drawn: the result of ``work_out``.
        link, again: see ``lesson_plan``.
    """
    plan = lesson_plan(drawn, link, again)
    st.session_state["class_plan"] = plan  # the ticket is valid as long as the plan is somewhere
    url = f"./class/open/{issue_ticket(plan)}"
    if url_for_others():
        st.link_button("Run with a class", url, icon=":material/groups:", type="tertiary")
        return
    with st.popover("Run with a class", icon=":material/groups:", type="tertiary"):
        tell_how_others_reach_it()
        st.link_button("Open the class on this computer", url)
