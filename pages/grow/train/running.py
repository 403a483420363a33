"""While an encoding is being learned: how far it is, its newest merges, and its curve so far."""

from __future__ import annotations

import streamlit as st

from pages.grow.train.charts import WITH_BYTES
from pages.grow.train.progress import progress_of
from pages.grow.train.state import TrainState
from pages.session.train_run import Comparison, Run
from pages.shared.components import register
from pages.shared.plain import plain

_mount = register("training")


def draw_running(run: Run) -> None:
    """Draw a run that goes on. The component asks for its progress, and has the page run once it is over."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{plain(_title(run))}**", width="content")
        st.button(
            "Stop",
            key=TrainState.key("stop"),
            icon=":material/stop_circle:",
            on_click=run.cancel,
            disabled=run.is_cancelled,
            help=_what_stopping_does(run),
        )
    most = run.recipe.vocab_size
    _mount(
        data={
            "ticket": run.ticket,
            "progress": progress_of(run),
            "caption": _caption(run),
            "least": 0 if most > WITH_BYTES else 256,
            "most": most,
        },
        key=TrainState.key("progress"),
        on_event_change=lambda: None,
    )


def _title(run: Run) -> str:
    return "Comparing the methods" if isinstance(run, Comparison) else f"Training {run.recipe.title}"


def _caption(run: Run) -> str:
    """Above the newest merges, or what a library reports; empty: neither is shown."""
    if isinstance(run, Comparison):
        return ""
    if not run.is_by_library:
        return "The newest merges"
    return (
        f"{run.recipe.facts.label}, learned by {run.recipe.facts.learned_by}. There is no curve before it is "
        "done: this method has no encoding until then. Tokens that it has reported, the newest first:"
    )


def _what_stopping_does(run: Run) -> str:
    if isinstance(run, Comparison):
        return "Stops, and keeps the methods that are done."
    if run.is_by_library:
        return "Stops. This method has no encoding until it is done, so nothing is kept."
    return "Stops, and keeps what has been learned."
