"""Draws the frame of every page: the logo, the mark of the section, the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.session.page_state import PageState
from tokenizers.encoding import ASSETS

T = TypeVar("T")


def draw_frame(sections: Mapping[str, Sequence[StreamlitPage]], page: StreamlitPage) -> None:
    """Draw the frame. Once, in pages/main.py.

    Args:
        sections: the sections of the navigation, in order.
        page: the open page.
    """
    st.logo(str(ASSETS / "logo.svg"), size="large")
    st.html(f"<style>{_mark_section(sections, page)}</style>")


def _mark_section(sections: Mapping[str, Sequence[StreamlitPage]], page: StreamlitPage) -> str:
    """The style that marks the open section. Streamlit marks only the page, in a closed menu."""
    number = next(number for number, pages in enumerate(sections.values(), 1) if page in pages)
    button = f'[data-testid="stTopNav"] > :nth-child({number}) > [data-testid="stTopNavSection"]'
    return (
        f"{button} {{ border-bottom: 2px solid var(--leaf); margin-bottom: -2px; }} "
        f"{button} p {{ color: var(--leaf); }}"
    )


def draw_in_two_columns(items: Sequence[T], draw: Callable[[T], object]) -> None:
    """Draw items in two columns, which a phone puts under each other."""
    half = (len(items) + 1) // 2
    for column, part in zip(st.columns(2, gap="large"), (items[:half], items[half:]), strict=True):
        with column:
            for item in part:
                draw(item)


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
