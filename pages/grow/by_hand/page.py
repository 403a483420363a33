"""Grow · By hand: byte pair encoding on a short text, one merge at a time."""

from __future__ import annotations

import contextlib

import streamlit as st

from pages.grow.by_hand.state import EXAMPLES, FIRST_WALLS, SENNRICH, TIES, WALLS, ByHandState
from pages.server.run_limit import limited_run
from pages.session.own_texts import digest_of
from pages.shared.components import newest_message, register
from pages.shared.frame import draw_question
from pages.shared.own_texts import draw_take_one
from pages.shared.widgets import open_state, segments, write_link
from tokenizers.bpe import MAX_STEPPED_BYTES, TIE_RULES, Ties, step_through
from tokenizers.json_types import JsonObject
from tokenizers.split import PATTERN_LABELS

KEY = "by_hand"
_SHOWN_PAIRS = 12

_mount = register("by_hand", "message")


@st.cache_data(scope="session", max_entries=2, show_spinner=False)
def _work_out(text: str, ties: Ties, pattern: str | None, picks: tuple[tuple[int, int], ...]) -> JsonObject:
    """The data of the component: every state of the training, with its most frequent pairs."""
    try:
        stepping = step_through(text, ties=ties, pattern=pattern, picks=picks)
        best = step_through(text, ties=ties, pattern=pattern) if picks else stepping
    except ValueError as problem:
        return {"problem": str(problem)}
    states = []
    for state in stepping.states:
        drawn = {
            "pieces": state.pieces,
            "pairs": [[*pair, count] for pair, count in state.pairs[:_SHOWN_PAIRS]],
            "n_pairs": len(state.pairs),
            "tied": state.tied,
            "winner": state.winner,
            "count": dict(state.pairs).get(state.winner) if state.winner else None,
            "new_id": state.new_id,
        }
        states.append(drawn)
    return {
        "states_of": digest_of(repr((text, ties, pattern, picks))),
        "ties": ties,
        "says_winner": TIE_RULES[ties].says_winner,
        "walls": pattern is not None,
        "n_bytes": stepping.n_bytes,
        "best": [sum(map(len, state.pieces)) for state in best.states],
        "tokens": {str(token_id): token.hex() for token_id, token in stepping.tokens.items()},
        "states": states,
    }


@st.fragment
@limited_run()
def _draw_steps(state: ByHandState) -> None:
    """Draw the text and its states. It runs at each pause in typing."""
    with contextlib.suppress(TypeError, ValueError, KeyError):  # no message of the component
        if message := newest_message(KEY):
            state.hear(message)
    data = _work_out(state.text, TIES[state.ties], WALLS[state.walls], tuple(state.picks))
    shown = {"text": state.text, "revision": state.revision, "step": state.step, "picks": state.picks}
    _mount({**data, **shown}, KEY)
    write_link(state)


def _train_est(state: ByHandState) -> None:
    """Show Sennrich’s words after two merges, which make “est” a token."""
    state.ties = next(iter(TIES))
    state.put_text(SENNRICH, FIRST_WALLS)
    state.step = 2


def by_hand() -> None:
    """Draw the page."""
    st.title("By hand")
    state = open_state(ByHandState, ByHandState.from_link)
    draw_question(
        ByHandState,
        "How does byte pair encoding learn its tokens?",
        "By one rule: find the two neighbours that stand side by side most often, make them one token, and "
        "repeat. Or pick a pair yourself.",
        "two merges, and “est” is a token",
        _train_est,
        (state,),
    )
    examples, walls_box = st.columns([3, 2], vertical_alignment="bottom")
    with examples.container(horizontal=True, gap=None, key="by_hand_tries"):
        for number, (example, (walls, hint)) in enumerate(EXAMPLES.items()):
            st.button(
                example if len(example) < 18 else example[:16].rstrip() + "…",
                help=hint,
                key=f"by_hand_example_{number}",
                on_click=state.put_text,
                args=(example, walls),
                type="tertiary",
            )
    segments(
        walls_box,
        "Walls",
        {name: name for name in WALLS} | {"tekken": PATTERN_LABELS["tekken"]},  # there is little room
        ByHandState.walls,
        on_change=state.restart,
        help="A split pattern cuts the text into pieces first. No merge crosses a wall.",
    )
    _draw_steps(state)
    ties_box, own = st.columns([3, 2], vertical_alignment="bottom")
    segments(
        ties_box,
        "When pairs tie, merge the",
        list(TIES),
        ByHandState.ties,
        on_change=state.restart,
        help="Two pairs can be equally frequent. “Smallest ids” gives the same result whatever the order of "
        "the documents. “First in the text” is what max(counts) does in many lectures. On aaabdaaabac they "
        "choose differently at the second merge.",
    )
    with own:
        draw_take_one("by_hand_own", MAX_STEPPED_BYTES, state.put_text)


by_hand()
