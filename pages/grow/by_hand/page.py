"""Grow · By hand: byte pair encoding on a short text, one merge at a time."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from pages.shared.components import newest_message, register
from pages.shared.own_texts import draw_take_one
from tokenizers.bpe import MAX_BYTES, Stepping, Ties, step_through
from tokenizers.split import PATTERNS

KEY = "by_hand"
EXAMPLE = "aaabdaaabac"
# A text, and what to look at in it.
EXAMPLES = {
    EXAMPLE: "The classic: three merges, and a tie at the second.",
    "low low low low low lower lower newest newest newest newest newest newest widest widest widest": (
        "Sennrich’s words, 2016: watch “est” grow."
    ),
    "the cat sat on the mat, the rat sat on the cat": "Without walls, “·the·” swallows its spaces.",
    "banana bandana": "“an” wins, then the pairs around it change.",
    "안녕 안녕하세요": "Bytes first: a Korean syllable has to be put together from three.",
}
TIES: dict[str, Ties] = {"smallest ids": "smallest", "first in the text": "first"}
WALLS = {"none": None, **{name: name for name in PATTERNS}}
_SHOWN_PAIRS = 12
_BOX, _KEPT = "by_hand_box", "by_hand_kept"

_mount = register("by_hand")


@st.cache_data(max_entries=50, show_spinner=False)
def _payload(text: str, ties: Ties, pattern: str | None) -> dict[str, Any]:
    """What the component draws: every state, with the most frequent of its pairs."""
    stepping: Stepping = step_through(text, ties=ties, pattern=pattern)
    return {
        "revision": hashlib.sha256(repr((text, ties, pattern)).encode("utf-8", "replace")).hexdigest()[:16],
        "ties": ties,
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


def _use_example(text: str) -> None:
    """Put a text into a box of its own: the next click still sends what stood in the old one."""
    st.session_state[_KEPT] = text
    st.session_state[_BOX] = st.session_state.get(_BOX, 0) + 1


@st.fragment
def _steps(text: str, ties: Ties, pattern: str | None) -> None:
    """The states, and where the person is among them."""
    try:
        data = _payload(text, ties, pattern)
    except ValueError as problem:
        st.error(str(problem), icon=":material/error:")
        return
    message = newest_message(KEY)
    kept: dict[str, int] = st.session_state.setdefault("by_hand_steps", {})
    if message and message.get("revision") == data["revision"] and isinstance(message.get("step"), int):
        kept[data["revision"]] = message["step"]
    _mount(data={**data, "step": kept.get(data["revision"], 0)}, key=KEY, on_message_change=lambda: None)


def by_hand() -> None:
    """The page."""
    st.title("By hand")
    st.write(
        "Byte pair encoding learns its tokens by one rule: find the pair of neighbours that stands most "
        "often side by side, make it a new token, repeat."
    )
    box = f"by_hand_text_{st.session_state.get(_BOX, 0)}"
    if box not in st.session_state:  # the first visit, a link, an example, or back from another page
        linked = st.query_params.get("text", EXAMPLE)
        st.session_state[box] = st.session_state.get(_KEPT, linked)
    text = st.text_area(f"A short text, up to {MAX_BYTES:,} bytes", key=box, height=80)
    if text != st.session_state.get(_KEPT, EXAMPLE):
        st.query_params["text"] = text[:MAX_BYTES]
    st.session_state[_KEPT] = text
    with st.container(horizontal=True):
        for number, (example, hint) in enumerate(EXAMPLES.items()):
            label = example if len(example) < 18 else example[:16].rstrip() + "…"
            st.button(
                label,
                help=hint,
                key=f"by_hand_{number}",
                on_click=_use_example,
                args=(example,),
                type="tertiary",
            )
    draw_take_one("by_hand_own", MAX_BYTES, _use_example)
    left, right = st.columns(2)
    with left:
        ties = st.segmented_control(
            "When pairs tie",
            list(TIES),
            default="smallest ids",
            required=True,
            key="by_hand_ties",
            persist_state="session",
            bind="query-params",
            help="“Smallest ids” does not depend on the order of documents; “first in the text” is what "
            "a lecture's max(counts) does. On aaabdaaabac they part at the second merge, and cut the text "
            "alike after the third.",
        )
    with right:
        walls = st.segmented_control(
            "Walls",
            list(WALLS),
            default="none",
            required=True,
            key="by_hand_walls",
            persist_state="session",
            bind="query-params",
            help="A split pattern cuts the text into pieces first. No pair reaches across a wall.",
        )
    _steps(text, TIES[ties or "smallest ids"], WALLS[walls or "none"])


by_hand()
