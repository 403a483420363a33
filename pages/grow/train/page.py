"""Grow · Train: train an encoding on chosen texts, and watch its training."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.grow.train.comparison import draw_comparison
from pages.grow.train.form import (
    FIRST_TRY,
    draw_command,
    draw_corpus,
    draw_first_tokens,
    draw_settings,
    draw_specials,
    draw_weights,
    forecast,
    number_problem,
    own_pattern_works,
    source_lengths,
)
from pages.grow.train.progress import progress_of
from pages.grow.train.result import draw_trained, names_of_trained
from pages.grow.train.state import TrainState
from pages.server.ended_sessions import follow_session
from pages.session.train_run import MethodsRun, Run, SessionTrainings
from pages.shared.colours import css_hue, hue_of
from pages.shared.components import register
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.session import get_workspace, session_object
from pages.shared.widgets import open_state, show_error, show_info, write_link

_WITH_BYTES = 1024  # a curve of more tokens than this is drawn beside the width that the 256 bytes take

_mount = register("training", "event")


def draw_page() -> None:
    """Draw the page."""
    trainings = session_object(SessionTrainings)
    state = open_state(TrainState, TrainState.from_link)
    st.title("Train a tokenizer")
    draw_question(
        TrainState,
        "How does a tokenizer learn its tokens?",
        "From text, by a method. Choose both, then press Train. The results appear here, and you can choose "
        "the new tokenizer on every page.",
        f"learn {FIRST_TRY.n_merges} tokens from two stories",
        train_first,
        (trainings, state),
    )
    draw_settings(trainings, state, train)
    messages = st.container()
    left, corpus = st.columns([7, 5], gap="large")
    with corpus:
        st.markdown("**Text to train on**")
        titles = draw_corpus(state)
        recipe = state.recipe()
        lengths = source_lengths(recipe)
        problem = number_problem(recipe)
        draw_weights(recipe, lengths, titles)
        write_link(state)
        if not problem and state.to_link():
            st.caption("The page’s URL holds this recipe: a person who opens it can train the same tokens.")
        if not problem:
            draw_command(recipe)
    with messages:
        draw_specials(recipe)
        if problem and not state.note:
            show_error(problem)
        draw_messages(trainings, state)
    with left:
        run = trainings.run
        if run is not None and not run.is_over:
            draw_running(run)
        else:
            if isinstance(run, MethodsRun):
                draw_comparison(trainings, state, run)
            if names_of_trained(get_workspace()):
                draw_trained(trainings, state)
            elif not problem:
                st.write(forecast(recipe, lengths))
                draw_first_tokens(recipe, lengths)


def train_first(trainings: SessionTrainings, state: TrainState) -> None:
    """Fill the form for a small encoding, and start its training."""
    state.fill(FIRST_TRY)
    train(trainings, state)


def train(trainings: SessionTrainings, state: TrainState, *, compares: bool = False) -> None:
    """Start a training by the form, with its method or with all methods; or show why it cannot start."""
    if not own_pattern_works(state):
        return
    recipe = state.recipe(every_setting=compares)
    follow_session(at_end=trainings.end)
    try:
        lengths = source_lengths(recipe)
        if compares:
            # The comparison names methods that cannot take this recipe. This one has the fewest conditions.
            replace(recipe, method="characters", byte_fallback=False).check(lengths)
            trainings.compare(get_workspace(), recipe, lengths)
        else:
            recipe.check(lengths)
            trainings.start(get_workspace(), recipe)
    except (ValueError, OSError) as problem:
        state.say(str(problem), error=True)


def draw_messages(trainings: SessionTrainings, state: TrainState) -> None:
    """Show messages: about the last run until the next one, about an event once."""
    run = trainings.run
    if run is not None and run.is_over:
        if run.problem and not run.merges:
            show_error(run.problem)
        if run.no_result:
            show_info(run.no_result)
    if state.note:
        (st.error if state.note_is_error else st.success)(escape(state.note))
        state.note = ""


def draw_running(run: Run) -> None:
    """Draw a run in progress. The component requests its progress, and reruns the page at the end."""
    facts = run.recipe.facts
    most = run.recipe.vocab_size
    title = f"Training {run.recipe.title}"
    caption = "The newest merges"
    stop = "Stop, and keep what has been learned."
    if isinstance(run, MethodsRun):
        title = "Comparing the methods"
        caption = ""
        stop = "Stop, and keep the methods that are done."
    elif run.is_by_library:
        caption = f"The newest tokens that {facts.learned_by} has reported"
        stop = "Stop. Nothing is kept, since this method has no tokenizer until it is done."
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{escape(title)}**", width="content")
        st.button(
            "Stop",
            key="train_stop",
            icon=":material/stop_circle:",
            on_click=run.cancel,
            disabled=run.is_cancelled,
            help=stop,
        )
    _mount(
        {
            "ticket": run.ticket,
            "progress": progress_of(run),
            "caption": caption,
            "hue": css_hue(0 if isinstance(run, MethodsRun) else hue_of("", own=0)),
            "least": 0 if most > _WITH_BYTES else 256,
            "most": most,
        },
        "train_progress",
    )


draw_page()
