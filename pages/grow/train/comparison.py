"""Draws the comparison of all methods on one mix at one size, on held-out text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.charts import RATIO, comparison_chart
from pages.grow.train.state import TrainState
from pages.session.own_encodings import OwnEncoding
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe
from pages.session.train_run import MethodsRun, SessionTrainings
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.widgets import show_warning
from tokenizers.amounts import bytes_in_words, share_in_words

_PALE = 0.25


def draw_comparison(trainings: SessionTrainings, state: TrainState, run: MethodsRun) -> None:
    """Draw a finished comparison, with a button to keep its encodings."""
    if run.trained:
        _draw_chart(run)
    for method, result in run.results.items():
        if isinstance(result, str):
            show_warning(f"{METHODS[method].label}: {result}")
    if not run.trained:
        return
    st.caption(escape(what_is_equal(run.recipe, run.trained)))
    if st.button(
        "Keep them, and see them side by side",
        type="primary",
        icon=":material/compare:",
        key="train_keep_methods",
        help="You can then choose each of them on every page. The playground shows them on one text.",
    ):
        if _keep_compared(trainings, state, run):
            st.switch_page(page_files.PLAYGROUND)
        st.rerun()


def _draw_chart(run: MethodsRun) -> None:
    """Draw a bar for each method, pale if not all of the text can be restored."""
    table = comparison_table(run.results)
    learned = table[table[RATIO].notna()]
    labels = [
        f"{row[RATIO]:.2f}"
        + (f" · {share_in_words(row['lost'])} lost" if row["lost"] else "")
        + (f" · {row['vocabulary']:,.0f} tokens" if row["note"] else "")
        for _, row in learned.iterrows()
    ]
    fill = learned["lost"].gt(0).map({True: _PALE, False: 1.0})
    chart = comparison_chart(learned.assign(label=labels, fill=fill))
    show_chart(
        TitledChart(chart, verdict(learned)),
        "train_methods",
        table,
        column_config={"lost": "percent"},
    )


def _keep_compared(trainings: SessionTrainings, state: TrainState, run: MethodsRun) -> bool:
    """Add the encodings of a comparison to every chooser and the playground, or say why there is no room."""
    workspace = get_workspace()
    try:
        workspace.own_encodings.check_room(
            sum(trained.memory for trained in run.trained), len(run.trained) - 1
        )
    except ValueError as problem:
        state.say(str(problem), error=True)
        return False
    workspace.put_first(*(trainings.add(workspace, trained) for trained in run.trained))
    trainings.run = None  # so that it is not drawn any more
    return True


def comparison_table(results: Mapping[Method, OwnEncoding | str]) -> pd.DataFrame:
    """The numbers of each method, in order; for a method without any, the reason.

    "lost" is the share of the bytes that decoding does not restore.
    """
    table = []
    for method in filter(results.__contains__, METHODS):
        row: dict[str, Any] = {"method": METHODS[method].label, "note": results[method]}
        if not isinstance(trained := results[method], str):
            n_words = trained.held_out_sum("held_words")
            tokens = trained.held_out_sum("held_tokens")
            row |= {
                "vocabulary": trained.encoding.n_tokens,
                RATIO: trained.held_out_ratio,
                "tokens per word": tokens / n_words if n_words else None,
                "lost": trained.lost_share,
                "seconds": round(trained.seconds, 2),
                "note": trained.stopped or "",
            }
        table.append(row)
    frame = pd.DataFrame(table)
    frame["note"] = frame.pop("note")  # the last column
    return frame


def verdict(learned: pd.DataFrame) -> str:
    """The title of the chart; ``learned``: rows of ``comparison_table``."""
    exact = learned[learned["lost"] == 0]
    if exact.empty:
        return "With these settings, no method can restore all of the text"
    best, most = (rows.nlargest(1, RATIO).iloc[0] for rows in (exact, learned))
    sentence = f"{best['method']} reaches {best[RATIO]:.2f} bytes per token"
    if most[RATIO] > best[RATIO]:
        return (
            f"{sentence}, the most of those that lose nothing. {most['method']} reaches {most[RATIO]:.2f}, "
            f"but loses {share_in_words(most['lost'])} of the text"
        )
    return f"{sentence}, the most of {len(learned)} methods" if len(learned) > 1 else sentence


def what_is_equal(recipe: Recipe, trained: Sequence[OwnEncoding]) -> str:
    """A note: what all methods have in common, and what not."""
    held = bytes_in_words(round(trained[0].held_out_sum("held_bytes")))
    fallback = " and the 256 bytes" if recipe.byte_fallback else ""
    sentence = (
        f"All methods trained on the same text, were measured on the same {held} of held-out text, and were "
        f"asked for {recipe.vocab_size:,} tokens. Some of these are fixed before training: the 256 bytes in "
        f"byte-level BPE; every character{fallback} in SentencePiece; every character twice in WordPiece. "
        "Lost, with a pale bar, is what cannot be restored: unknown words, white space, capitals, accents."
    )
    if any(each.stopped for each in trained):
        sentence += " A method with fewer tokens found no more to learn in the text."
    return sentence
