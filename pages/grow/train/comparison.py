"""Every method on one mix at one size, in one chart: how each does on text that none of them learned from."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages.grow.train.bench import Bench, add
from pages.grow.train.charts import comparison_chart, sizes_chart
from pages.grow.train.state import TrainState
from pages.session.grown import Grown, sizes_to_draw
from pages.session.train_methods import METHODS
from pages.session.train_plan import Recipe
from pages.session.train_run import Comparison, MethodResult
from pages.session.workspace import file_bytes
from pages.shared import page_files
from pages.shared.charts import Title, TitledChart, show_chart
from pages.shared.fragments import press_button
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from pages.shared.widgets import get_state, tied
from tokenizers.amounts import bytes_in_words, share_in_words

_PALE = 0.25
_VIEWS = {"bars": "At this size", "sizes": "Over sizes"}
BYTES_PER_TOKEN, SPELLED = "bytes per token", "unknown as bytes"


def draw_comparison(bench: Bench) -> None:
    """The last comparison; the way to keep what was grown for it, and back to what there is."""
    run = bench.comparison
    if run is None:
        return
    if bench.grown and press_button(
        "Back to your encodings", icon=":material/arrow_back:", key=TrainState.key("leave_comparison")
    ):
        bench.shows_comparison = False
        st.rerun()
    rows = comparison_rows(run.grown)
    if not rows:
        _draw_problems(run)
        return
    st.segmented_control(
        "Drawn",
        list(_VIEWS),
        format_func=_VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
        **tied(TrainState.compared),
    )
    if get_state(TrainState).compared == "sizes":
        _draw_over_sizes(run)
    else:
        _draw_at_size(run, rows)
    _draw_problems(run)
    st.caption(plain(held_equal(run.recipe, run.grown)))
    if press_button(
        "Keep them, and see them side by side",
        type="primary",
        icon=":material/compare:",
        key=TrainState.key("keep_methods"),
        help="You can then choose each of them on every page, and the playground shows them on one text.",
    ):
        if keep_compared(bench):
            st.switch_page(page_files.PLAYGROUND)
        st.rerun()


def _draw_at_size(run: Comparison, rows: list[dict[str, Any]]) -> None:
    """A bar for each method, and the exact figures."""
    show_chart(
        TitledChart(comparison_chart(pd.DataFrame(rows)), Title(verdict(rows))),
        "train_methods",
        comparison_table(run.results),
        file="methods",
        column_config={
            name: st.column_config.NumberColumn(format="percent")
            for name in ("unknown", "does not come back")
        },
    )


def _draw_over_sizes(run: Comparison) -> None:
    """A curve for each method whose smaller vocabularies are in the larger one, a point for the others."""
    points = size_points(run.grown)
    show_chart(
        TitledChart(sizes_chart(points), Title(growth_verdict(run.grown))),
        "train_methods_sizes",
        points,
        file="methods-over-sizes",
    )
    st.caption(
        "A line where the smaller vocabularies are in the larger one, so that each point is what learning at "
        "that size gives. The others would have to be learned anew for each size: a point."
    )


def offer_comparison(bench: Bench) -> None:
    """The way back to the last comparison, if it is there."""
    if bench.comparison is None or not bench.comparison.grown:
        return
    if press_button("The comparison", icon=":material/bar_chart:", key=TrainState.key("to_comparison")):
        bench.shows_comparison = True
        st.rerun()


def keep_compared(bench: Bench) -> bool:
    """Put what was grown for a comparison into every chooser and the playground; returns whether all fit.

    If there is no room for one, that is said, and those before it are kept.
    """
    run, workspace = bench.comparison, get_workspace()
    if run is None:
        return False
    names = []
    for grown in run.grown:
        try:
            workspace.check_room(file_bytes(grown.encoding))
        except ValueError as problem:
            bench.say(str(problem), error=True)
            break
        names.append(add(bench, workspace, grown))
    bench.comparison = None
    workspace.put_first(*names)
    return len(names) == len(run.grown)


def _draw_problems(run: Comparison) -> None:
    for result in run.results:
        if result.problem:
            st.warning(plain(f"{METHODS[result.method].label}: {result.problem}"), icon=":material/warning:")


def comparison_rows(grown: Sequence[Grown]) -> list[dict[str, Any]]:
    """A row for each method that was learned, in their order: what the chart draws.

    "lost" is the share of the bytes that do not come back, "unknown" of those in unknown tokens.
    """
    rows = []
    for each in grown:
        n_bytes, (tokens,), _ = each.held_out_curve(slice(-1, None))
        ratio = n_bytes / max(1.0, tokens)
        unknown, lost = each.unknown_share, each.lost_share
        label = f"{ratio:.2f}"
        if lost:
            label += f" · {share_in_words(lost)} lost"
        if each.stopped:
            label += f" · {each.encoding.n_vocab:,} tokens"
        unknown_tokens = each.held_out_sum("unknown_tokens")
        rows.append(
            {
                "method": _label(each),
                BYTES_PER_TOKEN: ratio,
                SPELLED: n_bytes / max(1.0, tokens - unknown_tokens + unknown * n_bytes),
                "tokens": each.encoding.n_vocab,
                "unknown": unknown,
                "lost": lost,
                "fill": _PALE if lost else 1.0,
                "label": label,
            }
        )
    return rows


def comparison_table(results: Sequence[MethodResult]) -> pd.DataFrame:
    """The exact figures of every method, in their order; for a method without figures, the reason."""
    table = []
    for result in sorted(results, key=lambda result: list(METHODS).index(result.method)):
        row: dict[str, Any] = {"method": METHODS[result.method].label}
        if result.grown is not None:
            (drawn,) = comparison_rows([result.grown])
            _, (tokens,), _ = result.grown.held_out_curve(slice(-1, None))
            n_words = result.grown.held_out_sum("held_words")
            row |= {
                "vocabulary": drawn["tokens"],
                BYTES_PER_TOKEN: drawn[BYTES_PER_TOKEN],
                SPELLED: drawn[SPELLED],
                "tokens per word": tokens / n_words if n_words else None,
                "unknown": drawn["unknown"],
                "does not come back": drawn["lost"],
                "seconds": round(result.grown.seconds, 2),
            }
        table.append({**row, "note": result.problem or (result.grown and result.grown.stopped) or ""})
    return pd.DataFrame(table)


def _label(grown: Grown) -> str:
    return METHODS[grown.recipe.method].label if grown.recipe is not None else grown.encoding.name


def verdict(rows: Sequence[Mapping[str, Any]]) -> str:
    """What the chart shows, in a sentence."""
    exact = [row for row in rows if not row["lost"]]
    if not exact:
        return "With these settings, no method gives all of the text back"
    best = max(exact, key=lambda row: float(row[BYTES_PER_TOKEN]))
    sentence = f"{best['method']} reads {best[BYTES_PER_TOKEN]:.2f} bytes per token"
    beyond = [row for row in rows if row["lost"] and row[BYTES_PER_TOKEN] > best[BYTES_PER_TOKEN]]
    if not beyond:
        return f"{sentence}, the most of {len(rows)} methods" if len(rows) > 1 else sentence
    most = max(beyond, key=lambda row: float(row[BYTES_PER_TOKEN]))
    return (
        f"{sentence}, the most of those that lose nothing; words come to {most[BYTES_PER_TOKEN]:.2f}, but "
        f"lose {share_in_words(most['lost'])} of the text"
        if most["method"] == METHODS["words"].label
        else f"{sentence}, the most of those that lose nothing; {most['method']} comes to "
        f"{most[BYTES_PER_TOKEN]:.2f}, but loses {share_in_words(most['lost'])} of the text"
    )


def size_points(grown: Sequence[Grown]) -> pd.DataFrame:
    """Bytes per token at the vocabulary sizes that are known of each method, thinned where they are many."""
    tables = []
    for each in grown:
        n_bytes, tokens, _ = each.held_out_curve()
        lost = each.lost_share
        chosen = sizes_to_draw(len(tokens) - 1)
        tables.append(
            pd.DataFrame(
                {
                    "method": _label(each) + (f" · {share_in_words(lost)} lost" if lost else ""),
                    "tokens in the vocabulary": np.asarray(each.sizes)[chosen],
                    BYTES_PER_TOKEN: n_bytes / np.maximum(np.asarray(tokens)[chosen], 1.0),
                    "drawn as": "line" if len(tokens) > 1 else "point",
                }
            )
        )
    return pd.concat(tables)


def growth_verdict(grown: Sequence[Grown]) -> str:
    """What twice the vocabulary brings, for each method of which two such sizes are known."""
    gains = []
    half = max((each.sizes[-1] for each in grown), default=0) // 2
    for each in grown:
        sizes = each.sizes
        if len(sizes) > 1 and sizes[0] <= half < sizes[-1]:
            tokens = each.held_out_curve()[1]
            at_half = tokens[bisect.bisect_right(sizes, half) - 1]
            gains.append((_label(each), at_half / max(1.0, tokens[-1]) - 1))
    if not gains:
        lines = [each for each in grown if len(each.sizes) > 1]
        if not lines:
            return "Of these methods, no smaller vocabulary is known"
        n_bytes, tokens, _ = lines[0].held_out_curve()
        return (
            f"{_label(lines[0])} goes from {n_bytes / max(1.0, tokens[0]):.2f} bytes per token to "
            f"{n_bytes / max(1.0, tokens[-1]):.2f}, at {lines[0].sizes[-1]:,} tokens"
        )
    first, *others = gains
    sentence = f"From {half:,} tokens to twice as many, {first[0]} reads {first[1]:.0%} more per token"
    return sentence + "".join(f", {name} {gain:.0%}" for name, gain in others)


def held_equal(recipe: Recipe, grown: Sequence[Grown]) -> str:
    """What is equal for all methods, and what is not."""
    held = bytes_in_words(round(grown[0].held_out_sum("held_bytes")))
    smaller = any(each.stopped for each in grown)
    sentence = (
        f"All methods had the same mix, the same {held} held out from it, and were asked for "
        f"{recipe.vocab_size:,} tokens, special ones included. They differ in what they hold before they "
        f"learn anything: byte-level BPE the 256 bytes, SentencePiece its three special tokens"
    )
    if recipe.byte_fallback:
        sentence += ", the 256 bytes of its fallback"
    sentence += (
        " and every character, WordPiece every character twice. Lost is whatever does not come back as it "
        "was: unknown words, white space, capitals, accents."
    )
    if smaller:
        sentence += " Where there are fewer tokens than asked for, there was no more to learn in the text."
    return sentence
