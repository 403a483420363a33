"""Grow · By hand: byte pair encoding on a short text, one merge at a time."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from pages.grow.by_hand.state import EXAMPLE, NO_WALLS, TIES, WALLS, ByHandState
from pages.shared.components import newest_message, register
from pages.shared.frame import draw_question
from pages.shared.own_texts import draw_take_one
from pages.shared.widgets import open_state, segments, show_error, write_link
from tokenizers.bpe import MAX_BYTES, TIE_RULES, Stepping, Ties, step_through

KEY = "by_hand"
EXAMPLES = {  # a text: what to look at in it
    EXAMPLE: "The classic: three merges, and a tie at the second.",
    "low low low low low lower lower newest newest newest newest newest newest widest widest widest": (
        "Sennrich’s words, 2016: watch “est” form."
    ),
    "the cat sat on the mat, the rat sat on the cat": "Without walls, “·the·” swallows its spaces.",
    "banana bandana": "“an” wins, then the pairs around it change.",
    "안녕 안녕하세요": "Bytes first: a Korean syllable has to be put together from three.",
}
_SHOWN_PAIRS = 12

_mount = register("by_hand")


@st.cache_data(scope="session", max_entries=2, show_spinner=False)
def _work_out(text: str, ties: Ties, pattern: str | None) -> dict[str, Any]:
    """The data of the component: every state of the training, with its most frequent pairs."""
    stepping: Stepping = step_through(text, ties=ties, pattern=pattern)
    return {
        "revision": hashlib.sha256(repr((text, ties, pattern)).encode("utf-8", "replace")).hexdigest()[:16],
        "ties": ties,
        "says_winner": TIE_RULES[ties].says_winner,
        "walls": pattern is not None,
        "n_bytes": stepping.n_bytes,
        "tokens": {str(token_id): token.hex() for token_id, token in stepping.tokens.items()},
        "states": [
            {
                "pieces": state.pieces,
                "pairs": [[*pair, count] for pair, count in state.pairs[:_SHOWN_PAIRS]],
                "n_pairs": len(state.pairs),
                "tied": state.tied,
                "winner": state.winner,
                "new_id": state.new_id,
            }
            for state in stepping.states
        ],
    }


def _draw_steps(state: ByHandState) -> None:
    """Draw the states, at the step that the user chose."""
    try:
        data = _work_out(state.text, TIES[state.ties], WALLS[state.walls])
    except ValueError as problem:
        show_error(problem)
        return
    message, revision = newest_message(KEY), data["revision"]
    if message and message.get("revision") == revision and isinstance(message.get("step"), int):
        state.steps = {**state.steps, revision: message["step"]}
    _mount(data={**data, "step": state.steps.get(revision, 0)}, key=KEY, on_message_change=lambda: None)


def _train_est(state: ByHandState) -> None:
    """Show Sennrich’s words after two merges, which make “est” a token."""
    text = list(EXAMPLES)[1]
    state.ties, state.walls = next(iter(TIES)), NO_WALLS
    state.put_text(text)
    revision = _work_out(text, TIES[state.ties], WALLS[state.walls])["revision"]
    state.steps = {**state.steps, revision: 2}


def by_hand() -> None:
    """Draw the page."""
    st.title("By hand")
    state = open_state(ByHandState, ByHandState.from_link)
    draw_question(
        ByHandState,
        "How does byte pair encoding learn its tokens?",
        "By one rule: find the two neighbours that stand side by side most often, make them one new token, "
        "and repeat.",
        "two merges, and “est” is a token",
        _train_est,
        (state,),
    )
    box = ByHandState.key(f"box_{state.box}")
    if box not in st.session_state:  # the first visit, an example, or back from another page
        st.session_state[box] = state.text
    label = f"A short text, up to {MAX_BYTES:,} bytes"
    # Without persist_state, Streamlit would send a new field's text only once, in a run that another click
    # may overtake. The browser would then show an empty field, and send that.
    state.text = st.text_area(label, key=box, height=80, persist_state="session")
    with st.container(horizontal=True, gap=None, key=ByHandState.key("tries")):
        for number, (example, hint) in enumerate(EXAMPLES.items()):
            label = example if len(example) < 18 else example[:16].rstrip() + "…"
            st.button(
                label,
                help=hint,
                key=ByHandState.key(f"example_{number}"),
                on_click=state.put_text,
                args=(example,),
                type="tertiary",
            )
    draw_take_one(ByHandState.key("own"), MAX_BYTES, state.put_text)
    left, right = st.columns(2)
    segments(
        left,
        "When pairs tie",
        list(TIES),
        ByHandState.ties,
        help="Two pairs can be equally frequent. “Smallest ids” then gives the same result whatever order "
        "the documents come in; “first in the text” is what max(counts) does in many lectures. On "
        "aaabdaaabac the two choose differently at the second merge, and cut the text alike after the third.",
    )
    segments(
        right,
        "Walls",
        list(WALLS),
        ByHandState.walls,
        help="A split pattern cuts the text into pieces first. No pair reaches across a wall.",
    )
    write_link(state)
    _draw_steps(state)


by_hand()
