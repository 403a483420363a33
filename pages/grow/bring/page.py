"""Grow · Bring: a tokenizer of one's own from a file, seen before it is taken."""

from __future__ import annotations

import streamlit as st

from pages.grow.bring.elsewhere import draw_elsewhere
from pages.grow.bring.files import draw_files, kinds_in_words, put_example
from pages.grow.bring.own import draw_own
from pages.grow.bring.state import MAX_TEXT, Bringing, BringState
from pages.grow.bring.waiting import draw_waiting
from pages.shared import page_files
from pages.shared.fragments import press_button
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import messages, open_state, tied, write_link

_MOST_SAID = 6  # sentences about files that were brought together


def bring() -> None:
    """Draw the page."""
    state, bringing, workspace = (
        open_state(BringState, BringState.from_link),
        get_kept(Bringing),
        get_workspace(),
    )
    st.title("Bring your own")
    draw_question(
        BringState,
        "What does the tokenizer in a file do?",
        "You see that step by step before you take it; then you can choose it on every page, beside the "
        "others. A file whose ids would not be exact here is refused, with the reason.",
        "the file of Mistral 7B, which is here",
        put_example,
        (bringing,),
    )
    draw_files(bringing)
    draw_elsewhere(bringing)
    with messages():
        _draw_messages(bringing)
    if bringing.tray.waiting:
        st.text_input("Try what waits on this text", max_chars=MAX_TEXT, **tied(BringState.text))
        for waiting in list(bringing.tray.waiting.values()):
            draw_waiting(bringing, waiting, state.text)
        st.caption("After a reload, what you have not taken is gone; what you take is kept.")
    else:
        st.markdown("What can be brought:\n" + "\n".join(f"- {kind}" for kind in kinds_in_words()))
    draw_own(bringing, workspace)
    write_link(state)


def _draw_messages(bringing: Bringing) -> None:
    for problem in bringing.problems[:_MOST_SAID]:
        st.error(plain(problem), icon=":material/error:")
    if len(bringing.problems) > _MOST_SAID:
        st.error(f"And {len(bringing.problems) - _MOST_SAID:,} more could not be read.")
    if bringing.taken and bringing.taken in get_workspace().grown:
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", key=BringState.key("taken")
        ):
            st.markdown(f"**{plain(bringing.taken)}** can be chosen on every page now.", width="stretch")
            if press_button(
                "See it in the playground",
                type="primary",
                icon=":material/arrow_forward:",
                key=BringState.key("see"),
            ):
                get_workspace().put_first(bringing.taken)
                st.switch_page(page_files.PLAYGROUND)


bring()
