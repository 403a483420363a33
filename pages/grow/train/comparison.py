"""Every method on one mix at one size, in one chart: how each does on text that none of them learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.grow.train.bench import Bench
from pages.grow.train.charts import comparison_chart
from pages.grow.train.form import in_words
from pages.grow.train.held_out import share_in_words
from pages.grow.train.state import TrainState
from pages.session.train_methods import METHODS
from pages.session.train_plan import Recipe
from pages.session.train_run import Comparison
from pages.shared.charts import Title, TitledChart, put_chart, show_chart
from pages.shared.plain import plain

BYTES_PER_TOKEN, SPELLED = "bytes per token", "unknown as bytes"


def draw_comparison(bench: Bench) -> None:
    """The last comparison, and the way back to what was grown."""
    run = bench.comparison
    if run is None:
        return
    if bench.grown and st.button(
        "Back to your encodings", icon=":material/arrow_back:", key=TrainState.key("leave_comparison")
    ):
        bench.shows_comparison = False
        st.rerun()
    rows = comparison_rows(run.results)
    if not rows:
        _draw_problems(run)
        return
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
    _draw_problems(run)
    st.caption(plain(held_equal(run.recipe, run.results)))


def draw_results(run: Comparison) -> None:
    """What is known so far, while the others are at work."""
    rows = comparison_rows(run.results)
    if rows:
        put_chart(comparison_chart(pd.DataFrame(rows)), TrainState.key("live_methods"))
    _draw_problems(run)


def _draw_problems(run: Comparison) -> None:
    for result in run.results:
        if "problem" in result:
            label = METHODS[result["method"]].label
            st.warning(plain(f"{label}: {result['problem']}"), icon=":material/warning:")


def comparison_rows(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each method that was learned, in their order: what the chart draws.

    "lost" is the share of the bytes that do not come back, "unknown" of those in unknown tokens.
    """
    rows = []
    for result in sorted(results, key=lambda result: list(METHODS).index(result["method"])):
        if "problem" in result:
            continue
        n_bytes, tokens = result["held_bytes"], result["held_tokens"][-1]
        unknown, lost = (result[count] / n_bytes for count in ("unknown_bytes", "lost_bytes"))
        ratio = n_bytes / max(1.0, tokens)
        label = f"{ratio:.2f}"
        if lost:
            label += f" · {share_in_words(lost)} lost"
        if result["stopped"]:
            label += f" · {result['n_vocab']:,} tokens"
        rows.append(
            {
                "method": METHODS[result["method"]].label,
                BYTES_PER_TOKEN: ratio,
                SPELLED: n_bytes / max(1.0, tokens - result["unknown_tokens"] + result["unknown_bytes"]),
                "tokens": result["n_vocab"],
                "unknown": unknown,
                "lost": lost,
                "keeps": "loses some" if lost else "keeps all",
                "label": label,
            }
        )
    return rows


def comparison_table(results: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The exact figures of every method, problems too."""
    rows = []
    for result in sorted(results, key=lambda result: list(METHODS).index(result["method"])):
        row: dict[str, Any] = {"method": METHODS[result["method"]].label}
        if "problem" not in result:
            n_bytes, tokens = result["held_bytes"], result["held_tokens"][-1]
            spelled = tokens - result["unknown_tokens"] + result["unknown_bytes"]
            row |= {
                "vocabulary": result["n_vocab"],
                BYTES_PER_TOKEN: n_bytes / max(1.0, tokens),
                SPELLED: n_bytes / max(1.0, spelled),
                "tokens per word": tokens / result["held_words"] if result["held_words"] else None,
                "unknown": result["unknown_bytes"] / n_bytes,
                "does not come back": result["lost_bytes"] / n_bytes,
                "seconds": round(result["seconds"], 2),
            }
        rows.append({**row, "note": result.get("problem") or result.get("stopped") or ""})
    return pd.DataFrame(rows)


def verdict(rows: Sequence[Mapping[str, Any]]) -> str:
    """What the chart shows, in a sentence."""
    exact = [row for row in rows if not row["lost"]]
    if not exact:
        return "With these settings, no method gives all of the text back"
    best = max(exact, key=lambda row: float(row[BYTES_PER_TOKEN]))
    told = f"{best['method']} reads {best[BYTES_PER_TOKEN]:.2f} bytes per token"
    beyond = [row for row in rows if row["lost"] and row[BYTES_PER_TOKEN] > best[BYTES_PER_TOKEN]]
    if not beyond:
        return f"{told}, the most of {len(rows)} methods" if len(rows) > 1 else told
    most = max(beyond, key=lambda row: float(row[BYTES_PER_TOKEN]))
    return (
        f"{told}, the most of those that lose nothing; words come to {most[BYTES_PER_TOKEN]:.2f}, but "
        f"lose {share_in_words(most['lost'])} of the text"
        if most["method"] == METHODS["words"].label
        else f"{told}, the most of those that lose nothing; {most['method']} comes to "
        f"{most[BYTES_PER_TOKEN]:.2f}, but loses {share_in_words(most['lost'])} of the text"
    )


def held_equal(recipe: Recipe, results: Sequence[Mapping[str, Any]]) -> str:
    """What is equal for all methods, and what is not."""
    measured = next(result for result in results if "problem" not in result)
    smaller = any(result.get("stopped") for result in results)
    told = (
        f"Equal for all: the mix, the {in_words(round(measured['held_bytes']))} that were held out from it, "
        f"and {recipe.vocab_size:,} tokens asked for, special ones counted. Not equal: what is in these "
        "before anything is learned. Byte-level BPE has the 256 bytes, SentencePiece its three special tokens"
    )
    if recipe.byte_fallback:
        told += ", the 256 bytes of its fallback"
    told += (
        " and every character, WordPiece every character twice. Pale: not all of the text comes back, be it "
        "unknown words, white space, capitals or accents. The mark in a bar is where it would end if every "
        "byte of what is unknown were a token."
    )
    if smaller:
        told += " Where a size stands behind a bar, the text held no more to learn."
    return told
