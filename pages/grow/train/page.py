"""Grow · Train: learn an encoding from texts of one's choice, and watch it being learned."""

from __future__ import annotations

import streamlit as st

from pages.grow.train.bench import PARAMETER, Bench, get_bench, read_form, start_run
from pages.grow.train.form import draw_corpus, draw_preview, draw_settings, draw_weights, source_lengths
from pages.grow.train.view import draw_bring, draw_first_look, draw_grown, draw_running
from pages.session.links import pack_state
from pages.session.train_plan import Recipe
from pages.shared.plain import plain
from pages.shared.session import get_workspace


def train() -> None:
    """Draw the page."""
    bench = get_bench()
    bench.keep_up(get_workspace())
    st.title("Grow an encoding")
    pressed = draw_settings()
    messages = st.container()
    growth, corpus = st.columns([7, 5], gap="large")
    with corpus:
        st.markdown("**Text to learn from**")
        draw_corpus()
        recipe = read_form()
        lengths = source_lengths(recipe)
        draw_weights(recipe, lengths)
        draw_preview(recipe)
        draw_link(recipe)
    with messages:
        if pressed:
            grow(bench, recipe, lengths)
        draw_messages(bench)
    with growth:
        if bench.run is not None and not bench.run.is_over:
            draw_running(bench)
        elif bench.grown:
            draw_grown(bench)
        else:
            draw_first_look(recipe)
        draw_bring(bench, recipe.pattern)


def grow(bench: Bench, recipe: Recipe, lengths: dict[str, int]) -> None:
    """Start what the form asks for, or say why not."""
    try:
        recipe.check(lengths)
        start_run(bench, recipe)
    except (ValueError, OSError) as problem:
        bench.say(str(problem), error=True)


def draw_messages(bench: Bench) -> None:
    """What there is to say: once for what happened, and of the last run until the next one."""
    if bench.run is not None and bench.run.is_over and bench.run.problem and not bench.run.merges:
        st.error(plain(bench.run.problem), icon=":material/error:")
    if bench.note:
        (st.error if bench.note_is_error else st.success)(plain(bench.note))
        bench.say("")


def draw_link(recipe: Recipe) -> None:
    """Keep the recipe in the address, or say why it is not there."""
    state = recipe.to_state()
    packed = pack_state(state) if state is not None else None
    if packed is None:
        if PARAMETER in st.query_params:
            del st.query_params[PARAMETER]
        st.caption(
            "Your own text is never put into a link, so this recipe has none."
            if state is None
            else "This recipe is longer than a link can hold."
        )
        return
    if st.query_params.get(PARAMETER) != packed:
        st.query_params[PARAMETER] = packed
    st.caption("The page’s address holds this recipe: whoever opens it can grow the same merges.")


train()
