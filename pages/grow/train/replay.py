"""Draws how a tokenizer learned: a text is cut merge by merge, beside another tokenizer if one likes."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from pages.grow.train.state import TrainState
from pages.server.run_limit import limited_run
from pages.session.catalogue import find_text
from pages.session.own_encodings import OwnEncoding
from pages.session.train_plan import Recipe, bundled_bytes, is_bundled
from pages.session.workspace import Workspace
from pages.shared.own_texts import own_texts
from pages.shared.scrubber import beginning_of, draw_scrubber, why_no_curve
from pages.shared.session import get_workspace
from pages.shared.widgets import get_state, show_info, tied
from tokenizers.data import Source, part_sources, read_bundled
from tokenizers.limits import MB
from tokenizers.utf8 import utf8_length

_NOBODY = ""
_MAX_SENTENCE = 300  # characters
_SHOWN_BYTES = 800  # of held-out text, in the playground
_MAX_DIVIDED = 10 * MB  # of a text, whose lines are divided while a person waits


class _Text(NamedTuple):
    """A text to cut: its title within a sentence, its parts, and the bytes of all of them."""

    title: str
    parts: tuple[str, ...]
    n_bytes: int


@st.fragment
@limited_run()
def draw_replay(name: str, trained: OwnEncoding, recipe: Recipe) -> None:
    """Draw the text that it learned from, or a typed one, at every number of merges."""
    workspace = get_workspace()
    state = get_state(TrainState)
    if problem := why_no_curve(trained.encoding, dragged=True):
        show_info(problem)
        return
    typing, racing = st.columns([3, 2])
    typing.text_input(
        "A sentence to cut",
        placeholder="Your own; or else what it learned from",
        max_chars=_MAX_SENTENCE,
        **tied(TrainState.sentence),
    )
    rivals = _rivals_of(workspace, name)
    if state.rival not in rivals:
        state.rival = _NOBODY
    racing.selectbox(
        "Race against",
        [_NOBODY, *rivals],
        format_func=lambda rival: rival or "Nobody",
        disabled=not rivals,
        help="Two tokenizers cut one sentence at the same size. Train one on your language and one on "
        "another, and press Play.",
        **tied(TrainState.rival),
    )
    text = _text_to_cut(state.sentence, trained, recipe)
    names = [name, state.rival] if state.rival else [name]
    key = TrainState.key("replay")
    whole = "".join(text.parts)
    state.replayed = draw_scrubber(workspace, key, text.title, whole, text.n_bytes, names, state.replayed)


def _rivals_of(workspace: Workspace, name: str) -> list[str]:
    """The session's other tokenizers that can be cut to every size."""
    return [
        other
        for other, own in workspace.own_encodings.items()
        if other != name and not why_no_curve(own.encoding, dragged=True)
    ]


def _text_to_cut(sentence: str, trained: OwnEncoding, recipe: Recipe) -> _Text:
    """What was typed; or else the first text that it learned from."""
    if sentence:
        return _Text("your sentence", (sentence,), utf8_length(sentence))
    return _first_text(trained, recipe)


def held_out_beginning(trained: OwnEncoding, recipe: Recipe) -> str:
    """The beginning of what was held out of the first text; empty: nothing was, or the text is too long."""
    text = _first_text(trained, recipe)
    if text.n_bytes > _MAX_DIVIDED:
        return ""
    held = "".join(part_sources([Source(text.title, text.parts)], recipe.held_out)[0].held)
    return beginning_of(held, _SHOWN_BYTES)


def _first_text(trained: OwnEncoding, recipe: Recipe) -> _Text:
    """The first text that it learned from, a person's own if there is one."""
    own = own_texts().unchanged(trained.own_digests)
    keys = [key for key, _ in recipe.weighted_parts]
    for key in keys:
        if key in own:
            return _Text(own[key].title, (own[key].text,), own[key].n_bytes)
    for key in keys:
        if is_bundled(key):
            return _Text(find_text(key).in_sentence, read_bundled(key).texts, bundled_bytes(key))
    gone = f"{recipe.title} learned from texts that are gone."
    return _Text("a sentence", (gone,), utf8_length(gone))
