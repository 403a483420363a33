"""Draws a trained encoding: its numbers, its curve, and buttons to use it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.train.charts import RATIO, curve_chart, curve_rows, ratio_chart, scripts_chart
from pages.grow.train.state import TrainState
from pages.grow.train.tables import draw_downloads, draw_longest, draw_merges, draw_recipe, draw_runs
from pages.session.train_methods import METHODS
from pages.session.train_run import SessionTrainings
from pages.session.trained_encoding import REFERENCES, TrainedEncoding
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import hue_in, hue_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from pages.shared.widgets import get_state, segments, show_info, show_warning
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.bpe import home_trained
from tokenizers.text import COMMON, PART_OF_CHARACTER

_LEARNED, _HELD = "on the text it learned from", "on held-out text"
_MOST_SCRIPTS = 24
_LEAST_SHARE = 0.001  # of a script that is drawn


def draw_trained(trainings: SessionTrainings, state: TrainState) -> None:
    """Draw the chosen one of the session's own encodings."""
    workspace = get_workspace()
    names = list(workspace.trained)
    if trainings.newest in names:  # shown there once; the pages that measure choose it themselves
        state.encoding = trainings.newest
        get_state(VocabularyState).look_into(trainings.newest)
        get_state(MergeTreesState).add_encoding(trainings.newest)
    trainings.newest = None
    if state.encoding not in names:
        state.encoding = names[-1]
    if len(names) > 1:
        segments(st, "Your encodings", names, TrainState.encoding)
    name = state.encoding or names[-1]
    trained, hue = workspace.trained[name], hue_in(workspace, name)
    _draw_summary(trained)
    _draw_actions(name, trained)
    parts: dict[str, Callable[[], None]] = {
        "Curve": lambda: _draw_curve(name, trained, hue),
        "Recipe": lambda: draw_recipe(state, name, trained),
    }
    if (training := home_trained(trained.encoding)) is not None:
        parts["Merges"] = lambda: draw_merges(name, training, trained)
    parts["Longest tokens"] = lambda: draw_longest(trained)
    parts["Scripts"] = lambda: _draw_scripts(trained, hue)
    if len(names) > 1:
        parts["My runs"] = lambda: draw_runs(workspace.trained)
    for tab, draw in zip(st.tabs(list(parts)), parts.values(), strict=True):
        with tab:
            draw()


def _draw_summary(trained: TrainedEncoding) -> None:
    encoding = trained.encoding
    numbers = {"tokens in all": f"{encoding.n_vocab:,}"}
    if home_trained(encoding) is not None:
        numbers["merges learned"] = f"{len(trained.merges):,}"
    if trained.recipe is None:
        numbers["comes from"] = escape(trained.file or "a file")
        numbers["special tokens"] = f"{len(encoding.special_tokens):,}"
    else:
        if trained.held_out_ratio is not None:
            numbers["bytes per token, held-out"] = f"{trained.held_out_ratio:.2f}"
        elif trained.n_tokens:
            numbers[RATIO] = f"{trained.n_bytes / max(1, trained.n_tokens[-1]):.2f}"
        numbers["seconds"] = f"{trained.seconds:.1f}"
        if trained.lost_share:
            numbers["does not come back"] = share_in_words(trained.lost_share)
    explained = {
        "seconds": "Reading, splitting, counting and learning.",
        "does not come back": "Of the bytes that were held out: unknown, dropped or changed.",
    }
    row = st.container(horizontal=True, gap="medium", key=TrainState.key("summary"))
    for label, number in numbers.items():
        row.metric(label, number, help=explained.get(label), width="content")
    if trained.problem:
        show_warning(trained.problem)
    if trained.stopped:
        show_info(trained.stopped)


def _draw_actions(name: str, trained: TrainedEncoding) -> None:
    with st.container(horizontal=True):
        if st.button(
            "See it beside cl100k_base",
            type="primary",
            icon=":material/compare:",
            key=TrainState.key("compare"),
        ):
            get_workspace().put_first(name, "cl100k_base")
            st.switch_page(page_files.PLAYGROUND)
        with st.popover("Download", icon=":material/download:", key=TrainState.key("downloads")):
            draw_downloads(name, trained.encoding)
        st.button(
            "Remove",
            icon=":material/delete:",
            key=TrainState.key("remove"),
            on_click=get_workspace().remove_encoding,
            args=(name,),
        )


# The curve


def _draw_curve(name: str, trained: TrainedEncoding, hue: int) -> None:
    """Draw bytes per token at each known size, on held-out text and on the training text."""
    if trained.recipe is None:
        show_info(
            "The text that it was grown from is not in the file, so there is no curve of it. Open it in the "
            "playground to see what it does."
        )
        return
    n_bytes, tokens, others = trained.held_out_curve()
    is_held_out, n_vocab = bool(tokens[-1]), trained.encoding.n_vocab
    has_merges, is_curve = home_trained(trained.encoding) is not None, len(trained.sizes) > 1
    if not is_held_out and not has_merges:
        show_info(
            "Nothing was held out, so nothing shows how it does on text that is new to it. Open it in the "
            "playground to see what it does."
        )
        return
    title = (
        f"{name}: {trained.n_bytes / trained.n_tokens[-1]:.2f} bytes per token" if trained.n_tokens else name
    )
    if is_held_out:
        title = _verdict(name, n_vocab, n_bytes / tokens[-1], others)
    if has_merges or is_curve:
        lines = []
        if has_merges:
            lines.append(curve_rows(_LEARNED, trained.sizes[1:], trained.n_bytes, trained.n_tokens))
        if is_held_out:
            lines.append(curve_rows(_HELD, trained.sizes, n_bytes, tokens))
        points = pd.concat(lines)
        chart = curve_chart(points, {_LEARNED: None, _HELD: hue}, most=n_vocab, others=others)
    else:
        points = pd.DataFrame({"encoding": [name, *others], RATIO: [n_bytes / tokens[-1], *others.values()]})
        chart = ratio_chart(points, {name: hue} | {other: hue_of(other) for other in others})
    show_chart(TitledChart(chart, title), "train_curve", points, file=f"growth-{name}")
    if not is_held_out:
        return
    lost = "" if has_merges else f" {escape(_what_is_lost(trained))}"
    st.caption(held_out_in_words(trained, "Dashed" if is_curve else "Below it") + lost)
    if not is_curve:
        why = METHODS[trained.recipe.method].why_no_curve
        st.caption(escape(f"There is no curve over sizes: {why}, so a smaller one has to be learned."))
    show_table(_by_source(trained), height="content" if len(trained.report["sources"]) < 9 else 320)


def _what_is_lost(trained: TrainedEncoding) -> str:
    """Sentences: how much of the held-out text is unknown, and how much decoding does not restore."""
    if not trained.lost_share:
        return "All of it comes back."
    sentence = f"{share_in_words(trained.lost_share)} of its bytes do not come back as they were"
    if trained.unknown_share:
        sentence += f", {share_in_words(trained.unknown_share)} because they are unknown"
    return f"{sentence}: bytes per token count them all the same."


def held_out_in_words(trained: TrainedEncoding, others: str = "Dashed") -> str:
    """A note: what was held out, how much, and how new it is to the encoding."""
    assert trained.recipe is not None
    sources = trained.report["sources"]
    held, known, n_texts = (
        sum(source[count] for source in sources) for count in ("held_bytes", "known_bytes", "held_texts")
    )
    if trained.recipe.held_from == "end":
        what = f"the end of each text, {bytes_in_words(held)}"
    else:
        blocks = "1 block" if n_texts == 1 else f"{n_texts:,} blocks"
        what = (
            f"{bytes_in_words(held)} in {blocks} of whole lines, from all parts of each text by a fixed seed"
        )
    new = "None of it was learned from"
    if known >= 0.005 * held:
        new += f", though {known / held:.0%} of it are lines that also occur elsewhere in the text"
    without = [source["title"] for source in sources if not source["held_bytes"]]
    why = "it has too few lines, or all of them occur elsewhere in what was learned from"
    less = f" Of {', '.join(without)} nothing could be: {why}." if without else ""
    return escape(f"Held out: {what}.{less} {new}. {others}: other encodings on the same held-out text.")


def _verdict(name: str, n_vocab: int, ratio: float, others: dict[str, float]) -> str:
    """The title of the curve."""
    beaten = [other for other in REFERENCES if other in others and ratio > others[other]]
    if beaten:
        return f"{name}, with {n_vocab:,} tokens, beats {' and '.join(beaten)} on text of its kind"
    best = max(others, key=lambda other: others[other])
    share = ratio / others[best]
    return f"{name}, with {n_vocab:,} tokens, reaches {share:.0%} of {best}’s {others[best]:.2f}"


def _by_source(trained: TrainedEncoding) -> pd.DataFrame:
    """A row for each text: how much of it was read and held out, and bytes per token on that."""
    sources = pd.DataFrame(trained.report["sources"])
    held = sources["held_bytes"]
    tokens = sources["held_tokens"].map(lambda counts: counts[-1])
    table = {
        "source": sources["title"],
        "bytes read": sources["bytes"],
        "share": (sources["bytes"] / max(1, sources["bytes"].sum())).map("{:.1%}".format),
        "bytes held out": held,
        RATIO: held / tokens.where(tokens > 0),
    }
    for column, count in (("unknown", "unknown_bytes"), ("does not come back", "lost_bytes")):
        if trained.lost_share:
            table[column] = (sources[count] / held.clip(lower=1)).map("{:.1%}".format)
    for other in REFERENCES:
        tokens = sources["references"].map(lambda counts, other=other: counts[other])
        table[f"in {other}"] = held / tokens.where(tokens > 0)
    return pd.DataFrame(table).round(2)


# Scripts


def _draw_scripts(trained: TrainedEncoding, hue: int) -> None:
    if not trained.report:
        show_info("Tokens by script are known only for an encoding that was grown here, up to its end.")
        return
    amounts = pd.DataFrame(
        {
            "bytes in the text": trained.report["script_bytes"],
            "tokens learned": trained.report["script_tokens"],
        }
    )
    letters = amounts.drop(index=[COMMON, PART_OF_CHARACTER], errors="ignore").fillna(0)
    shares = (letters / letters.sum().clip(lower=1)).sort_values("bytes in the text", ascending=False)
    shares = shares[(shares > _LEAST_SHARE).any(axis=1)][:_MOST_SCRIPTS]
    if shares.empty:
        show_info("No letters, no scripts: the text has only digits, punctuation and symbols.")
        return
    table = shares.rename_axis("script").reset_index().melt("script", var_name="of", value_name="share")
    table["amount"] = letters.loc[shares.index].melt()["value"].astype(int)
    first, *others = shares.index
    if others:
        share, bought = (shares[of][others[0]] for of in shares.columns)
        title = f"{others[0]}: {share:.0%} of the letters’ bytes bought {bought:.0%} of their tokens"
    else:
        title = f"All text is {first}, and so are its {int(letters['tokens learned'][first]):,} tokens"
    show_chart(
        TitledChart(scripts_chart(table, hue), title),
        "train_scripts",
        table,
        column_config={"share": "percent"},
        file=f"scripts-{trained.encoding.name}",
    )
    other = sum(trained.report["script_tokens"].get(kind, 0) for kind in (COMMON, PART_OF_CHARACTER))
    st.caption(
        f"Letters only. Besides, {other:,} tokens are spaces, digits, symbols and parts of characters. A "
        "script’s share of the bytes buys it tokens, though not one to one."
    )
