"""Draws the comparison of all methods on one mix at one size, on held-out text."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.charts import RATIO, comparison_chart, curve_rows, sizes_chart
from pages.grow.train.state import TrainState
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe
from pages.session.train_run import Comparison, SessionTrainings
from pages.session.trained_encoding import TrainedEncoding
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.widgets import segments, show_warning
from tokenizers.amounts import bytes_in_words, share_in_words

_PALE = 0.25
_VIEWS = {"bars": "At this size", "sizes": "Over sizes"}


def draw_comparison(trainings: SessionTrainings, state: TrainState, run: Comparison) -> None:
    """Draw a finished comparison, with buttons to keep its encodings and to go back."""
    if get_workspace().trained:
        st.button(
            "Back to your encodings",
            icon=":material/arrow_back:",
            key=TrainState.key("leave_comparison"),
            on_click=trainings.show_comparison,
            args=(False,),
        )
    if run.trained:
        segments(st, "Drawn", _VIEWS, TrainState.compared, label_visibility="collapsed")
        (_draw_over_sizes if state.compared == "sizes" else _draw_at_size)(run)
    for method, result in run.results.items():
        if isinstance(result, str):
            show_warning(f"{METHODS[method].label}: {result}")
    if not run.trained:
        return
    st.caption(escape(held_equal(run.recipe, run.trained)))
    if st.button(
        "Keep them, and see them side by side",
        type="primary",
        icon=":material/compare:",
        key=TrainState.key("keep_methods"),
        help="You can then choose each of them on every page, and the playground shows them on one text.",
    ):
        if _keep_compared(trainings, state, run):
            st.switch_page(page_files.PLAYGROUND)
        st.rerun()


def _draw_at_size(run: Comparison) -> None:
    """Draw a bar for each method, pale if not all of the text can be restored."""
    table = comparison_table(run.results)
    learned = table[table[RATIO].notna()]
    lost, fewer = learned["does not come back"], [bool(trained.stopped) for trained in run.trained]
    labels = [
        f"{ratio:.2f}"
        + (f" · {share_in_words(share)} lost" if share else "")
        + (f" · {n_vocab:,.0f} tokens" if is_fewer else "")
        for ratio, share, n_vocab, is_fewer in zip(
            learned[RATIO], lost, learned["vocabulary"], fewer, strict=True
        )
    ]
    chart = comparison_chart(learned.assign(label=labels, fill=lost.gt(0).map({True: _PALE, False: 1.0})))
    show_chart(
        TitledChart(chart, verdict(learned)),
        "train_methods",
        table,
        file="methods",
        column_config={"unknown": "percent", "does not come back": "percent"},
    )


def _draw_over_sizes(run: Comparison) -> None:
    """Draw a curve for each method whose vocabularies are nested, and a point for the others."""
    points = size_points(run.trained)
    show_chart(
        TitledChart(sizes_chart(points), training_verdict(run.trained)),
        "train_methods_sizes",
        points,
        file="methods-over-sizes",
    )
    st.caption(
        "A line where the smaller vocabularies are in the larger one, so that each point is what learning at "
        "that size gives. The others would have to be learned anew for each size: a point."
    )


def offer_comparison(trainings: SessionTrainings) -> None:
    """Draw a button that shows the last comparison again, if there is one."""
    if trainings.comparison is not None and trainings.comparison.trained:
        st.button(
            "The comparison",
            icon=":material/bar_chart:",
            key=TrainState.key("to_comparison"),
            on_click=trainings.show_comparison,
        )


def _keep_compared(trainings: SessionTrainings, state: TrainState, run: Comparison) -> bool:
    """Add the encodings of a comparison to every chooser and the playground; returns whether all fit.

    If there is no room for one, the page says so, and the earlier ones stay.
    """
    workspace, names = get_workspace(), list[str]()
    for trained in run.trained:
        try:
            workspace.check_room(trained.memory)
        except ValueError as problem:
            state.say(str(problem), error=True)
            break
        names.append(trainings.add(workspace, trained))
    trainings.comparison = None
    workspace.put_first(*names)
    return len(names) == len(run.trained)


def comparison_table(results: Mapping[Method, TrainedEncoding | str]) -> pd.DataFrame:
    """The numbers of each method, in order; for a method without any, the reason.

    "does not come back" is the share of the bytes that decoding does not restore, "unknown" of those in
    unknown tokens.
    """
    table = []
    for method in filter(results.__contains__, METHODS):
        row: dict[str, Any] = {"method": METHODS[method].label, "note": results[method]}
        if not isinstance(trained := results[method], str):
            n_bytes, (tokens,), _ = trained.held_out_curve(slice(-1, None))
            n_words = trained.held_out_sum("held_words")
            spelled = tokens - trained.held_out_sum("unknown_tokens") + trained.unknown_share * n_bytes
            row |= {
                "vocabulary": trained.encoding.n_tokens,
                RATIO: n_bytes / max(1.0, tokens),
                "tokens per word": tokens / n_words if n_words else None,
                "if unknown were bytes": n_bytes / max(1.0, spelled),
                "unknown": trained.unknown_share,
                "does not come back": trained.lost_share,
                "seconds": round(trained.seconds, 2),
                "note": trained.stopped or "",
            }
        table.append(row)
    frame = pd.DataFrame(table)
    frame["note"] = frame.pop("note")  # the last column
    return frame


def _label(trained: TrainedEncoding) -> str:
    return METHODS[trained.recipe.method].label if trained.recipe is not None else trained.encoding.name


def verdict(learned: pd.DataFrame) -> str:
    """The title of the chart; ``learned``: rows of ``comparison_table``."""
    exact = learned[learned["does not come back"] == 0]
    if exact.empty:
        return "With these settings, no method gives all of the text back"
    best, most = (rows.nlargest(1, RATIO).iloc[0] for rows in (exact, learned))
    sentence = f"{best['method']} reads {best[RATIO]:.2f} bytes per token"
    if most[RATIO] <= best[RATIO]:
        return f"{sentence}, the most of {len(learned)} methods" if len(learned) > 1 else sentence
    are_words = most["method"] == METHODS["words"].label
    name, come, lose = ("words", "come", "lose") if are_words else (most["method"], "comes", "loses")
    return (
        f"{sentence}, the most of those that lose nothing; {name} {come} to {most[RATIO]:.2f}, but {lose} "
        f"{share_in_words(most['does not come back'])} of the text"
    )


def size_points(trained: Sequence[TrainedEncoding]) -> pd.DataFrame:
    """Bytes per token at the known vocabulary sizes of each method, thinned."""
    lines = []
    for each in trained:
        n_bytes, tokens, _ = each.held_out_curve()
        name = _label(each) + (f" · {share_in_words(each.lost_share)} lost" if each.lost_share else "")
        points = curve_rows(name, each.sizes, n_bytes, tokens)
        lines.append(points.assign(**{"drawn as": "line" if len(tokens) > 1 else "point"}))
    return pd.concat(lines)


def training_verdict(trained: Sequence[TrainedEncoding]) -> str:
    """The gain of twice the vocabulary, for each method with both sizes."""
    gains = []
    lines = [each for each in trained if len(each.sizes) > 1]
    half = max((each.sizes[-1] for each in trained), default=0) // 2
    for each in lines:
        if each.sizes[0] <= half < each.sizes[-1]:
            tokens = each.held_out_curve()[1]
            at_half = tokens[bisect.bisect_right(each.sizes, half) - 1]
            gains.append((_label(each), at_half / max(1.0, tokens[-1]) - 1))
    if gains:
        (first, gain), *others = gains
        sentence = f"From {half:,} tokens to twice as many, {first} reads {gain:.0%} more per token"
        return sentence + "".join(f", {name} {gain:.0%}" for name, gain in others)
    if not lines:
        return "Of these methods, no smaller vocabulary is known"
    n_bytes, tokens, _ = lines[0].held_out_curve()
    return (
        f"{_label(lines[0])} goes from {n_bytes / max(1.0, tokens[0]):.2f} bytes per token to "
        f"{n_bytes / max(1.0, tokens[-1]):.2f}, at {lines[0].sizes[-1]:,} tokens"
    )


def held_equal(recipe: Recipe, trained: Sequence[TrainedEncoding]) -> str:
    """A note: what all methods had in common, and what not."""
    held = bytes_in_words(round(trained[0].held_out_sum("held_bytes")))
    fallback = ", the 256 bytes of its fallback" if recipe.byte_fallback else ""
    sentence = (
        f"All methods had the same mix, the same {held} held out from it, and were asked for "
        f"{recipe.vocab_size:,} tokens, special ones included. They differ in what they hold before they "
        "learn anything: byte-level BPE the 256 bytes, SentencePiece its three special tokens"
        f"{fallback} and every character, WordPiece every character twice. Lost is whatever does not come "
        "back as it was: unknown words, white space, capitals, accents."
    )
    if any(each.stopped for each in trained):
        sentence += " Where there are fewer tokens than asked for, there was no more to learn in the text."
    return sentence
