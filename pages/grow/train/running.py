"""While an encoding is being learned: how far it is, its newest merges, and its curve so far."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.grow.train.bench import Bench
from pages.grow.train.charts import CURVE_HEIGHT, curve_chart, curve_rows
from pages.grow.train.comparison import draw_results
from pages.grow.train.merges import token_text
from pages.grow.train.state import TrainState
from pages.session.train_methods import METHODS
from pages.session.train_run import Comparison, Run
from pages.shared.charts import put_chart
from pages.shared.fragments import fragment
from pages.shared.plain import draw_box, plain
from tokenizers.amounts import bytes_in_words

_SCROLLING = 9
_SPLITTING = 0.2  # of the bar: a long text is split for some seconds, before there is a merge
_LIVE = "on the text it learns from"


def draw_running(bench: Bench) -> None:
    """The run as it goes on; draws itself again and again, and the whole page at the end."""
    fragment(_draw_running, run_every=0.25)(bench)


def _draw_running(bench: Bench) -> None:
    run = bench.run
    if run is None:
        return
    if run.is_over:
        st.rerun()
    done = len(run.merges)
    progress, button = st.columns([5, 1], vertical_alignment="center")
    with progress:
        st.progress(share_done(run), text=run_in_words(run))
    button.button(
        "Stop",
        key=TrainState.key("stop"),
        icon=":material/stop_circle:",
        width="stretch",
        on_click=run.cancel,
        disabled=run.cancelled_at is not None,
        help=_what_stopping_does(run),
    )
    if isinstance(run, Comparison):
        draw_results(run)
        return
    if run.is_by_library:
        _draw_library(run)
        return
    left, right = st.columns([3, 2])
    with left:
        put_chart(
            curve_chart(
                live_rows(run, done),
                {_LIVE: 9},
                most=run.recipe.vocab_size,
                labels=False,
            ),
            TrainState.key("live_curve"),
        )
    with right:
        st.caption("The newest merges")
        draw_box(_newest_merges(run, done), TrainState.key("newest"), height=CURVE_HEIGHT - 40)


def _what_stopping_does(run: Run) -> str:
    if isinstance(run, Comparison):
        return "Stops, and keeps the methods that are done."
    if run.is_by_library:
        return "Stops. This method has no encoding until it is done, so nothing is kept."
    return "Stops, and keeps what has been learned."


def _draw_library(run: Run) -> None:
    """What a library reports of its work."""
    st.caption(
        plain(
            f"{run.recipe.facts.label}, learned by {run.recipe.facts.learned_by}. There is no curve before "
            f"it is done: this method has no encoding until then."
        )
    )
    if run.newest:
        st.caption("Tokens that it has reported, the newest first")
        draw_box("\n".join(reversed(run.newest)), TrainState.key("newest"), height=CURVE_HEIGHT - 40)


def share_done(run: Run) -> float:
    """How much of its work is done, 0 to 1, as far as that is known."""
    if isinstance(run, Comparison):
        return len(run.results) / max(1, len(METHODS))
    if run.state == "measuring":
        return 1.0
    if run.is_by_library:
        # A Unigram's tokens fall in number, so they do not show how far it is.
        n_learned = run.learned_tokens if run.recipe.facts.pieces == "bpe" else 0
        return min(1.0, n_learned / max(1, run.recipe.vocab_size))
    read, of = run.split_bytes
    split = _SPLITTING * min(1.0, read / max(1, of))
    return split + (1 - split) * min(1.0, len(run.merges) / max(1, run.total))


def live_rows(run: Run, done: int) -> pd.DataFrame:
    """The curve so far. It begins without merges, where each byte is a token: there is always a point."""
    n_bytes = run.n_bytes or 1
    return curve_rows(_LIVE, n_bytes, [n_bytes, *run.n_tokens[:done]])


def run_in_words(run: Run) -> str:
    """What a run is doing, for people."""
    if run.cancelled_at is not None:
        return "Stopping…" if run.is_by_library else "Stopping, and keeping what has been learned…"
    done, total = len(run.merges), run.total
    if run.is_paused:
        return "Others have their turn for a moment; then this one continues where it stopped."
    if run.state == "waiting":
        before = run.before
        others = "Another encoding is" if before == 1 else f"{before} other encodings are"
        first = (
            f"{others} ahead in line. Long trainings take turns, so this one need not wait until they are "
            "all done."
        )
        return first if before else "Starting…"
    if run.state == "splitting":
        read, of = run.split_bytes
        return f"Splitting the text into pieces: {bytes_in_words(read)} of {bytes_in_words(of)}"
    if run.state == "learning" and done:
        ratio = run.n_bytes / max(1, run.n_tokens[done - 1])
        return f"{done:,} of {total:,} merges · {ratio:.2f} bytes per token"
    doing = "Learning" if run.state == "learning" else "Measuring on the text that was held out"
    if isinstance(run, Comparison) and run.state in ("learning", "measuring"):
        number = len(run.results) + 1
        return f"{METHODS[run.at].label}, {number} of {len(METHODS)} methods · {doing.lower()}…"
    if run.is_by_library and run.state in ("learning", "measuring"):
        so_far = f": {run.learned_tokens:,} tokens" if run.learned_tokens and run.state == "learning" else ""
        falling = ", to be cut down" if so_far and run.recipe.facts.pieces == "unigram" else ""
        wanted = f" of {run.recipe.vocab_size:,}" if so_far and not falling else ""
        return f"{doing}{so_far}{wanted}{falling}…"
    return {
        "reading": "Reading the texts…",
        "preparing": "Preparing the trainer. After an installation without make, the first time takes some "
        "ten seconds…",
        "counting": "Counting the pairs…",
        "measuring": f"{done:,} merges learned; measuring on the text that was held out…",
    }.get(run.state, "Learning…")


def _newest_merges(run: Run, done: int) -> str:
    """The last few, newest first; a long token's start and end."""

    def short(token: bytes) -> str:
        text = token_text(token)
        return text if len(text) <= 12 else f"{text[:5]}…{text[-6:]}"

    lines = []
    width = len(f"{done:,}")
    for i in range(done - 1, max(-1, done - 1 - _SCROLLING), -1):
        left, right = (short(run.short_tokens[part]) for part in run.merges[i])
        lines.append(f"{i + 1:>{width},}  {left} + {right}  ×{run.counts[i]:,}")
    return "\n".join(lines) or " "
