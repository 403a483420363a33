"""Offers to train what a link was made with and is not here, if the link has its recipe."""

from __future__ import annotations

import streamlit as st

from pages.server.ended_sessions import follow_session
from pages.session.train_plan import Recipe, bundled_bytes
from pages.session.train_run import SessionTrainings
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from pages.shared.widgets import show_errors, side_by_side
from tokenizers.text import isolate


def offer_training(workspace: Workspace, trainings: SessionTrainings) -> None:
    """Draw a line for each tokenizer that a link awaits and that can be trained here, or is being trained."""
    for name, awaited in workspace.own_encodings.awaited.items():
        recipe = awaited.recipe
        if recipe is not None:
            _draw_offer(workspace, trainings, name, recipe)


def _draw_offer(workspace: Workspace, trainings: SessionTrainings, name: str, recipe: Recipe) -> None:
    """Draw the line of one tokenizer. What the recipe learns has the awaited digest, and takes its place."""
    run = trainings.run
    shown = f"“{escape(isolate(name))}”"
    with side_by_side(key=f"awaited_{name}"):
        if run is not None and not run.is_over and run.recipe == recipe:
            st.markdown(f"Training {shown}…", width="content")
            return
        st.markdown(
            f"This link was made with {shown}, which is not here, and holds its recipe.", width="content"
        )
        if not st.button(
            "Train it here",
            key=f"train_awaited_{name}",
            icon=":material/forest:",
            type="primary",
            help="It learns the same tokens from the same texts: for most recipes within a second or two.",
            disabled=trainings.is_busy,
        ):
            return
        follow_session(at_end=trainings.end)
        with show_errors():
            recipe.check({key: bundled_bytes(key) for key, _ in recipe.parts})
            trainings.start(workspace, recipe)
            st.rerun()
