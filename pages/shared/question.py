"""Draws the top of a page: the question that it answers, and one thing to try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.session.page_state import PageState


def draw_question(
    page: type[PageState],
    question: str,
    answer: str,
    attempt: str,
    on_click: Callable[..., None],
    args: tuple[Any, ...] = (),
) -> None:
    """Draw the page's question, how the page answers it, and a button that shows it at once.

    The playground draws its own, in assets/components/editor/component.html.

    Args:
        page: the state class of the page.
        question: the question, in plain words.
        answer: a sentence in Markdown.
        attempt: the rest of the button's label, after “Try: ”.
        on_click, args: the button's callback and its arguments.
    """
    with st.container(key=f"question_of_{page.PAGE}"):  # page.css styles it, and the button, by their keys
        st.markdown(f"**{question}** {answer}")
        st.button(f"Try: {attempt}", key=f"try_of_{page.PAGE}", type="tertiary", on_click=on_click, args=args)
