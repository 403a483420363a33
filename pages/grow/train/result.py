"""What has been learned: the encoding's figures, its curve, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.train.bench import Bench, remove
from pages.grow.train.card import draw_card, draw_first_merges, draw_runs
from pages.grow.train.charts import curve_chart, curve_rows, ratio_chart, scripts_chart
from pages.grow.train.merges import draw_longest, draw_merges
from pages.grow.train.model_files import draw_downloads
from pages.grow.train.state import TrainState
from pages.session.grown import REFERENCES, Grown
from pages.session.train_methods import METHODS
from pages.shared import page_files
from pages.shared.charts import Title, TitledChart, show_chart
from pages.shared.colours import hue_in, hue_of
from pages.shared.fragments import press_button
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from pages.shared.widgets import get_state, tied
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.text import COMMON, PART_OF_CHARACTER


def draw_grown(bench: Bench, state: TrainState) -> None:
    """The chosen one of the session's own encodings."""
    names = list(bench.grown)
    if bench.newest in bench.grown:  # shown there once; the pages that measure choose it themselves
        get_state(VocabularyState).look_into(bench.newest)
        get_state(MergeTreesState).add_encoding(bench.newest)
    state.show(bench.newest, names)
    bench.newest = None
    name = names[0]
    if len(names) > 1:
        st.segmented_control(
            "Your encodings", names, required=True, format_func=plain, **tied(TrainState.encoding)
        )
        name = state.encoding or names[-1]
    grown = bench.grown[name]
    hue = hue_in(get_workspace(), name)
    _draw_summary(grown)
    _draw_actions(bench, name, grown)
    parts: dict[str, Callable[[], None]] = {
        "Curve": lambda: _draw_curve(name, grown, hue),
        "Recipe": lambda: draw_card(bench, state, name, grown),
        "First merges": lambda: draw_first_merges(name, grown),
        "All merges": lambda: draw_merges(grown),
        "Longest tokens": lambda: draw_longest(grown),
        "Scripts": lambda: _draw_scripts(grown, hue),
        "My runs": lambda: draw_runs(bench),
    }
    if grown.encoding.training is None:
        del parts["First merges"], parts["All merges"]
    if len(names) == 1:
        del parts["My runs"]
    for tab, draw in zip(st.tabs(list(parts)), parts.values(), strict=True):
        with tab:
            draw()


def _draw_summary(grown: Grown) -> None:
    encoding = grown.encoding
    held_ratio = grown.held_out_ratio
    row = st.container(horizontal=True, gap="medium", key=TrainState.key("summary"))
    row.metric("tokens in all", f"{encoding.n_vocab:,}", width="content")
    if encoding.training is not None:
        row.metric("merges learned", f"{len(grown.merges):,}", width="content")
    if grown.recipe is None:
        row.metric("comes from", plain(grown.file or "a file"), width="content")
        row.metric("special tokens", f"{len(encoding.special_tokens):,}", width="content")
    else:
        if held_ratio is not None:
            row.metric("bytes per token, held-out", f"{held_ratio:.2f}", width="content")
        elif grown.n_tokens:
            ratio = grown.n_bytes / max(1, grown.n_tokens[-1])
            row.metric("bytes per token", f"{ratio:.2f}", width="content")
        row.metric(
            "seconds",
            f"{grown.seconds:.1f}",
            help="Reading, splitting, counting and learning.",
            width="content",
        )
        lost = grown.lost_share
        if lost:
            row.metric(
                "does not come back",
                share_in_words(lost),
                help="Of the bytes that were held out: unknown, dropped or changed.",
                width="content",
            )
    if grown.problem:
        st.warning(plain(grown.problem), icon=":material/warning:")
    if grown.stopped:
        st.info(plain(grown.stopped), icon=":material/info:")


def _draw_actions(bench: Bench, name: str, grown: Grown) -> None:
    with st.container(horizontal=True):
        if press_button(
            "See it beside cl100k_base",
            type="primary",
            icon=":material/compare:",
            key=TrainState.key("compare"),
        ):
            get_workspace().put_first(name, "cl100k_base")
            st.switch_page(page_files.PLAYGROUND)
        with st.popover("Download", icon=":material/download:", key=TrainState.key("downloads")):
            draw_downloads(name, grown.encoding)
        st.button(
            "Remove",
            icon=":material/delete:",
            key=TrainState.key("remove"),
            on_click=remove,
            args=(bench, name),
        )


def _draw_curve(name: str, grown: Grown, hue: int) -> None:
    if grown.recipe is None:
        st.info(
            "The text that it was grown from is not in the file, so there is no curve of it. Open it in the "
            "playground to see what it does.",
            icon=":material/info:",
        )
        return
    if grown.encoding.training is None:
        _draw_held_out(name, grown, hue)
        return
    n_bytes, tokens, others = grown.held_out_curve()
    learned, held = "on the text it learned from", "on held-out text"
    rows = [curve_rows(learned, grown.n_bytes, grown.n_tokens, first=1)]
    colours: dict[str, int | None] = {learned: None}
    rules: dict[str, tuple[float, int]] = {}
    title = f"{name}: {rows[0]['bytes per token'].iloc[-1]:.2f} bytes per token" if grown.n_tokens else name
    if tokens[-1]:
        rows.append(curve_rows(held, n_bytes, tokens))
        colours[held] = hue
        rules = {other: (ratio, hue_of(other)) for other, ratio in others.items()}
        title = _verdict(name, grown.encoding.n_vocab, n_bytes / tokens[-1], others)
    points = pd.concat(rows)
    show_chart(
        TitledChart(curve_chart(points, colours, most=grown.encoding.n_vocab, rules=rules), Title(title)),
        "train_curve",
        points,
        file=f"growth-{name}",
    )
    if tokens[-1]:
        st.caption(held_out_in_words(grown))
        show_table(_by_source(grown), height="content" if len(grown.report["sources"]) < 9 else 320)


def _draw_held_out(name: str, grown: Grown, hue: int) -> None:
    """Held-out text in what a library learned: a curve, if smaller vocabularies are in it, or a bar."""
    n_bytes, tokens, others = grown.held_out_curve()
    if not tokens[-1]:
        st.info(
            "Nothing was held out, so nothing shows how it does on text that is new to it. Open it in the "
            "playground to see what it does.",
            icon=":material/info:",
        )
        return
    ratio = n_bytes / tokens[-1]
    title = Title(_verdict(name, grown.encoding.n_vocab, ratio, others))
    if len(tokens) > 1:
        held = "on held-out text"
        points = pd.DataFrame(
            {
                "tokens in the vocabulary": grown.sizes,
                "bytes per token": [n_bytes / max(1.0, count) for count in tokens],
                "line": held,
            }
        )
        rules = {other: (other_ratio, hue_of(other)) for other, other_ratio in others.items()}
        chart = curve_chart(points, {held: hue}, most=grown.encoding.n_vocab, rules=rules)
    else:
        points = pd.DataFrame(
            {"encoding": [name, *others], "bytes per token": [ratio, *others.values()]},
        )
        chart = ratio_chart(points, [hue, *map(hue_of, others)])
    show_chart(TitledChart(chart, title), "train_curve", points, file=f"growth-{name}")
    drawn = "Dashed" if len(tokens) > 1 else "Below it"
    st.caption(f"{held_out_in_words(grown, drawn)} {plain(_what_is_lost(grown))}")
    if len(tokens) == 1:
        st.caption(
            plain(
                f"There is no curve over sizes: {_why_no_curve(grown)}, so a smaller one has to be learned."
            )
        )
    show_table(_by_source(grown), height="content" if len(grown.report["sources"]) < 9 else 320)


def _why_no_curve(grown: Grown) -> str:
    return METHODS["words" if grown.recipe is None else grown.recipe.method].why_no_curve


def _what_is_lost(grown: Grown) -> str:
    """How much of the held-out text is unknown, and how much does not come back, as sentences."""
    unknown, lost = grown.unknown_share, grown.lost_share
    if not lost:
        return "All of it comes back."
    sentence = f"{share_in_words(lost)} of its bytes do not come back as they were"
    if unknown:
        sentence += f", {share_in_words(unknown)} because they are unknown"
    return f"{sentence}: bytes per token count them all the same."


def held_out_in_words(grown: Grown, others: str = "Dashed") -> str:
    """What was held out, how much of it, and how new it is to the encoding."""
    assert grown.recipe is not None
    sources = grown.report["sources"]
    held = sum(source["held_bytes"] for source in sources)
    known = sum(source["known_bytes"] for source in sources)
    n_texts = sum(source["held_texts"] for source in sources)
    if grown.recipe.held_from == "end":
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
    return plain(f"Held out: {what}.{less} {new}. {others}: other encodings on the same held-out text.")


def _verdict(name: str, n_vocab: int, ratio: float, others: dict[str, float]) -> str:
    """What the curve shows, in a sentence."""
    beaten = [other for other in REFERENCES if other in others and ratio > others[other]]
    if not beaten:
        best = max(others, key=lambda other: others[other])
        share = ratio / others[best]
        return f"{name}, with {n_vocab:,} tokens, reaches {share:.0%} of {best}’s {others[best]:.2f}"
    return f"{name}, with {n_vocab:,} tokens, beats {' and '.join(beaten)} on text of its kind"


def _by_source(grown: Grown) -> pd.DataFrame:
    sources = grown.report["sources"]
    total = sum(source["bytes"] for source in sources) or 1

    def ratio(source: dict[str, int], tokens: int) -> float | None:
        return source["held_bytes"] / tokens if tokens else None

    table = pd.DataFrame(
        {
            "source": [source["title"] for source in sources],
            "bytes read": [source["bytes"] for source in sources],
            "share": [f"{source['bytes'] / total:.1%}" for source in sources],
            "bytes held out": [source["held_bytes"] for source in sources],
            "bytes per token": [ratio(source, source["held_tokens"][-1]) for source in sources],
        }
    )
    if any(source.get("lost_bytes") for source in sources):
        for column, count in (("unknown", "unknown_bytes"), ("does not come back", "lost_bytes")):
            table[column] = [f"{source[count] / max(1, source['held_bytes']):.1%}" for source in sources]
    for other in REFERENCES:
        table[f"in {other}"] = [ratio(source, source["references"][other]) for source in sources]
    return table.round(2)


def _draw_scripts(grown: Grown, hue: int) -> None:
    if not grown.report:
        st.info(
            "Tokens by script are known only for an encoding that was grown here, up to its end.",
            icon=":material/info:",
        )
        return
    text, tokens = (
        {script: n for script, n in grown.report[which].items() if script not in (COMMON, PART_OF_CHARACTER)}
        for which in ("script_bytes", "script_tokens")
    )
    all_bytes, all_tokens = sum(text.values()) or 1, sum(tokens.values()) or 1
    scripts = sorted({*text, *tokens}, key=lambda script: -text.get(script, 0))
    scripts = [
        script
        for script in scripts
        if text.get(script, 0) / all_bytes > 0.001 or tokens.get(script, 0) / all_tokens > 0.001
    ][:24]
    if not scripts:
        st.info(
            "No letters, no scripts: the text has only digits, punctuation and symbols.",
            icon=":material/info:",
        )
        return
    rows = []
    for script in scripts:
        for of, amounts, whole in (
            ("bytes in the text", text, all_bytes),
            ("tokens learned", tokens, all_tokens),
        ):
            amount = amounts.get(script, 0)
            rows.append({"script": script, "of": of, "amount": amount, "share": amount / whole})
    table = pd.DataFrame(rows)
    show_chart(
        TitledChart(scripts_chart(table, hue), Title(_buys(scripts, text, tokens))),
        "train_scripts",
        table,
        column_config={"share": st.column_config.NumberColumn(format="percent")},
        file=f"scripts-{grown.encoding.name}",
    )
    other = sum(grown.report["script_tokens"].get(kind, 0) for kind in (COMMON, PART_OF_CHARACTER))
    st.caption(
        f"Letters only. Besides, {other:,} tokens are spaces, digits, symbols and parts of characters. A "
        "script’s share of the bytes buys it tokens, though not one to one."
    )


def _buys(scripts: list[str], text: dict[str, int], tokens: dict[str, int]) -> str:
    all_bytes, all_tokens = sum(text.values()) or 1, sum(tokens.values()) or 1
    if len(scripts) == 1:
        return f"All text is {scripts[0]}, and so are its {tokens.get(scripts[0], 0):,} tokens"
    script = scripts[1]
    share, bought = text.get(script, 0) / all_bytes, tokens.get(script, 0) / all_tokens
    return f"{script}: {share:.0%} of the letters’ bytes bought {bought:.0%} of their tokens"
