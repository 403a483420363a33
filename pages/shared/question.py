"""What stands at the top of every page: the question that it answers, and one thing to try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.session.page_state import PageState
from pages.shared.fragments import press_button


def draw_question(
    page: type[PageState],
    question: str,
    answer: str,
    attempt: str,
    on_click: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> bool:
    """Draw the page's question, how the page answers it, and a button that shows it at once.

    The playground draws its own, in assets/components/editor/component.html.

    Args:
        page: whose question it is.
        question: in plain words, with its question mark.
        answer: a sentence, in Markdown of ours.
        attempt: what the button does, to follow “Try: ”.
        on_click, args: what it calls; None: the page does it, and then calls ``forget_press``.

    Returns:
        Whether it was pressed since it was drawn last; with ``on_click``, False.
    """
    with st.container(key=f"question_of_{page.PAGE}"):  # frame.py styles it, and the button, by their keys
        st.markdown(f"**{question}** {answer}")
        label, button = f"Try: {attempt}", f"try_of_{page.PAGE}"
        if on_click is None:
            return press_button(label, key=button, type="tertiary", later=True)
        st.button(label, key=button, type="tertiary", on_click=on_click, args=args)
    return False
