"""Grow · Train: learn an encoding from texts of one's choice, and watch it being learned."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from pages.grow.train.bench import Bench, start_comparison, start_run, why_not_now
from pages.grow.train.charts import WITH_BYTES
from pages.grow.train.comparison import draw_comparison, offer_comparison
from pages.grow.train.first_look import draw_first_look, forecast
from pages.grow.train.form import (
    FIRST_TRY,
    draw_corpus,
    draw_mix,
    draw_preview,
    draw_settings,
    draw_weights,
    number_problem,
    own_pattern_works,
    source_lengths,
)
from pages.grow.train.model_files import draw_bring
from pages.grow.train.progress import progress_of
from pages.grow.train.result import draw_grown
from pages.grow.train.state import TrainState
from pages.session.train_plan import Recipe
from pages.session.train_run import Comparison, Run
from pages.shared.components import register
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import open_state, write_link

_mount = register("training")


def train() -> None:
    """Draw the page."""
    bench, state = get_kept(Bench), open_state(TrainState, TrainState.from_link)
    bench.keep_up(get_workspace())
    st.title("Grow an encoding")
    draw_question(
        TrainState,
        "How does an encoding learn its tokens?",
        "It learns them from texts, by a method. Choose both and press Grow: what comes of it is measured "
        "here, and you can choose it on every page.",
        f"grow {FIRST_TRY.vocab_size} tokens from two stories",
        grow_first,
        (bench, state),
    )
    draw_settings(state, partial(grow, bench, state), partial(compare, bench, state), why_not_now(bench))
    messages = st.container()
    growth, corpus = st.columns([7, 5], gap="large")
    with corpus:
        st.markdown("**Text to learn from**")
        draw_corpus(state)
        recipe = state.recipe()
        lengths = source_lengths(recipe)
        problem = number_problem(recipe)
        draw_weights(recipe)
        if not problem:
            draw_mix(recipe, lengths)
        draw_preview(recipe)
        draw_link(state, recipe, problem)
    with messages:
        if problem and not bench.note:
            st.error(plain(problem), icon=":material/error:")
        draw_messages(bench, state)
    with growth:
        if bench.run is not None and not bench.run.is_over:
            draw_running(bench.run)
        elif (comparison := bench.shown_comparison) is not None:
            draw_comparison(bench, state, comparison)
        elif bench.grown:
            offer_comparison(bench)
            draw_grown(bench, state)
        else:
            draw_first_look(recipe, "" if problem else forecast(recipe, lengths))
        draw_bring()


def grow_first(bench: Bench, state: TrainState) -> None:
    """Fill the form for a small encoding, and start to grow it."""
    state.fill(FIRST_TRY)
    grow(bench, state)


def grow(bench: Bench, state: TrainState) -> None:
    """Start what the form asks for, or say why not."""
    if not own_pattern_works(state):
        return
    recipe = state.recipe()
    try:
        recipe.check(source_lengths(recipe))
        start_run(bench, recipe)
    except (ValueError, OSError) as problem:
        bench.say(str(problem), error=True)


def compare(bench: Bench, state: TrainState) -> None:
    """Start to learn by every method, or say why not.

    A method that the mix is too large for, or the vocabulary too small, is named beside the others.
    """
    if not own_pattern_works(state):
        return
    recipe = state.recipe(every_setting=True)
    try:
        lengths = source_lengths(recipe)
        replace(recipe, method="characters", byte_fallback=False).check(lengths)  # asks least of all
        start_comparison(bench, recipe, lengths)
    except (ValueError, OSError) as problem:
        bench.say(str(problem), error=True)


def draw_messages(bench: Bench, state: TrainState) -> None:
    """Messages: about an event once, about the last run until the next one."""
    if bench.run is not None and bench.run.is_over and bench.run.problem and not bench.run.merges:
        st.error(plain(bench.run.problem), icon=":material/error:")
    if bench.run is not None and bench.run.is_over and bench.run.came_to_nothing:
        st.info(plain(bench.run.came_to_nothing), icon=":material/info:")
    if state.note:
        (st.error if state.note_is_error else st.success)(plain(state.note))
        state.note = ""
    if bench.note:
        (st.error if bench.note_is_error else st.success)(plain(bench.note))
        bench.say("")


def draw_link(state: TrainState, recipe: Recipe, problem: str) -> None:
    """Keep the recipe in the address, or say why it is not there: ``problem`` is that of its numbers."""
    write_link(state)
    if problem:
        st.caption("There is no link to a recipe that cannot be grown.")
    elif state.to_link():
        st.caption("The page’s address holds this recipe: whoever opens it can grow the same merges.")
    elif recipe.is_bundled:
        st.caption("This recipe is longer than a link can hold.")
    else:
        st.caption("Your own text is never put into a link, so this recipe has none.")


def draw_running(run: Run) -> None:
    """Draw a run that goes on. The component asks for its progress, and has the page run once it is over."""
    facts, most = run.recipe.facts, run.recipe.vocab_size
    title, caption = f"Training {run.recipe.title}", "The newest merges"
    stop = "Stops, and keeps what has been learned."
    if isinstance(run, Comparison):
        title, caption, stop = "Comparing the methods", "", "Stops, and keeps the methods that are done."
    elif run.is_by_library:
        caption = (
            f"{facts.label}, learned by {facts.learned_by}. There is no curve before it is done: this method "
            "has no encoding until then. Tokens that it has reported, the newest first:"
        )
        stop = "Stops. This method has no encoding until it is done, so nothing is kept."
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(f"**{plain(title)}**", width="content")
        st.button(
            "Stop",
            key=TrainState.key("stop"),
            icon=":material/stop_circle:",
            on_click=run.cancel,
            disabled=run.is_cancelled,
            help=stop,
        )
    _mount(
        data={
            "ticket": run.ticket,
            "progress": progress_of(run),
            "caption": caption,
            "least": 0 if most > WITH_BYTES else 256,
            "most": most,
        },
        key=TrainState.key("progress"),
        on_event_change=lambda: None,
    )


train()
