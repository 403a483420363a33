"""Measure · Compare: two tokenizers, what differs, and what it means for a text."""

from __future__ import annotations

import html
import shlex
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from pages.measure.compare import charts, sections
from pages.measure.compare.sections import Pair
from pages.measure.compare.state import GROUPS, CompareState
from pages.session.workspace import Workspace
from pages.shared.charts import is_dark, picture_of
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import draw_box, escape
from pages.shared.page_files import draw_bring_link
from pages.shared.session import get_workspace
from pages.shared.tables import csv_of, file_name, offer_more
from pages.shared.widgets import SAYS_WHERE, open_state, say_note, show_errors, show_info, tied, write_link
from tokenizers.measure import Comparison, Side, compare_report, frequencies_csv, token_frequencies
from tokenizers.registry import encoding_title, model_name

_LONGEST = 400  # characters of a step
_FOLDED = ("Split pattern", "Chat template")  # steps that are too long for a table that is read at a glance
_STYLE = "body { max-width: 60rem; margin: auto; } svg { max-width: 100%; } pre { white-space: pre-wrap; }"


def _open_pair(workspace: Workspace, state: CompareState) -> Pair:
    """What is compared. The session keeps the comparison, which is made once.

    Raises:
        ValueError, OSError: one of the two cannot be loaded; says why.
    """
    names, key = (state.a, state.b), state.key("comparison")
    a, b = map(workspace.encoding, names)
    comparison = st.session_state.get(key)
    if comparison is None or comparison.a is not a or comparison.b is not b:
        called = model_name(state.a), model_name(state.b)
        comparison = st.session_state[key] = Comparison(a, b, called=called)
        state.token = None  # it was of another pair
    hues = {name: hue_in(workspace, name) for name in names}
    return Pair(workspace, state, comparison, names, (a, b), hues)


def _draw_choices(state: CompareState, available: list[str]) -> None:
    """Draw the choosers of A and B, and a button that swaps them."""
    left, middle, right = st.columns([10, 1, 10], vertical_alignment="bottom")
    left.selectbox("From", available, format_func=encoding_title, **tied(CompareState.a))
    middle.button("⇄", help="Swap them", key=state.key("swap"), on_click=state.swap)
    right.selectbox("To", available, format_func=encoding_title, **tied(CompareState.b))
    draw_bring_link(right)


def _draw_steps(pair: Pair) -> None:
    """Draw the steps of both side by side: those that differ, and on request those that do not."""
    sides = pair.comparison.sides
    equal = [side for side in sides if not side.differs]
    folded = [side for side in sides if side.differs and side.name in _FOLDED]

    def draw(rows: list[Side]) -> None:
        cells = [(row.name, _shorten(row.a), _shorten(row.b)) for row in rows]
        columns = ["step", *(escape(model_name(name)) for name in pair.names)]
        st.table(pd.DataFrame(cells, columns=columns).set_index("step"), border="horizontal")

    if len(equal) < len(sides):
        seen = [each._replace(a="see below", b="see below") if each in folded else each for each in sides]
        draw([side for side in seen if side.differs])
    if folded:
        label = f"Their {' and '.join(f'{side.name.lower()}s' for side in folded)}"
        offer_more(label, lambda: draw(folded), pair.state.key("folded"), ":material/notes:")
    if equal:
        label, icon = f"The same in both: {len(equal)} more", ":material/equal:"
        offer_more(label, lambda: draw(equal), pair.state.key("equal"), icon)


def _shorten(what: str) -> str:
    return escape(what if len(what) <= _LONGEST else f"{what[:_LONGEST]}… ({len(what):,} characters)") or "–"


def _offer_files(pair: Pair) -> None:
    """Draw a popover with files, which are made once it is open. Below it is room for it to open."""
    key, icon = pair.state.key, ":material/save:"
    popover = st.popover("Report and tables", icon=icon, key=key("take"), on_change="rerun")
    if popover.open:
        with popover, st.spinner("Writing the files …"):
            st.caption(
                "Of your own texts and the samples. The frequencies have tokens that never occur, too."
            )
            for file, data in _write_files(pair).items():
                st.download_button(file, data, f"compare-{file}", key=key(f"file_{file}"), **SAYS_WHERE)


def _draw_command(pair: Pair) -> None:
    """Draw the command that compares the two in a terminal."""
    st.caption("The page’s URL opens this comparison again. In a terminal, with your own files:")
    command = ["python", "-m", "tokenizers", "compare", *pair.names, "text.txt", "--report", "report.md"]
    draw_box(f"{shlex.join(command)} --fail-on moved,removed,cost:5%", pair.state.key("command"))


def _write_files(pair: Pair) -> dict[str, bytes]:
    """The files by name. The report in HTML has the charts as pictures."""
    titles = sections.titles_of(pair.workspace.own_texts)
    texts = {titles[key]: text for key, text in sections.texts_of(pair.workspace.own_texts).items()}
    report = compare_report(pair.comparison, texts)
    drawn = charts.counts_chart(sections.count_tokens(pair), pair.hues)
    pictures = drawn, charts.texts_chart(sections.count_texts(pair), pair.hues)
    svg = "".join(picture_of(each, "svg", dark=is_dark()).decode() for each in pictures)
    head = f"<!doctype html><meta charset=utf-8><title>Compare</title><style>{_STYLE}</style>"
    tokens = pd.concat(sections.tokens_table(pair, sections.ids_of(pair, group)) for group in GROUPS)
    files = {"report.md": report, "report.html": f"{head}{svg}<pre>{html.escape(report)}</pre>"}
    for name, encoding in zip(pair.names, pair.encodings, strict=True):
        counts = token_frequencies(encoding, texts.values())
        files[f"frequencies-{file_name(name)}.csv"] = frequencies_csv(encoding, counts)
    return {**{file: text.encode() for file, text in files.items()}, "tokens.csv": csv_of(tokens)}


def _draw_comparison(pair: Pair) -> None:
    """Draw the answer and the sections."""
    with st.spinner("Comparing all tokens, and what both make of thousands of hard texts: a moment, once."):
        first, _, more = pair.comparison.sentence.partition(". ")
    st.subheader(escape(first.removesuffix(".")), anchor=False)
    answer = st.empty()
    st.markdown(escape(more))
    _offer_files(pair)
    _draw_steps(pair)
    st.subheader("Vocabulary", anchor=False)
    sections.draw_vocabulary(pair)
    st.subheader("Texts", anchor=False)
    with show_errors():
        sections.draw_texts(pair, answer)
    boxes: list[tuple[str, Callable[[Pair], None], str]] = [
        ("Texts on which tokenizers often differ", sections.draw_hard_texts, ":material/psychology:"),
        ("Round trips, and what a stream shows", sections.draw_round_trips, ":material/sync:"),
    ]
    if len(sections.templates_of(pair)) == 2:
        boxes.append(("A chat in both templates", sections.draw_chat, ":material/chat:"))
    for label, draw, icon in boxes:
        with show_errors():
            offer_more(label, partial(draw, pair), pair.state.key(draw.__name__), icon)
    _draw_command(pair)


def compare() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available, texts = workspace.encoding_names(), sections.titles_of(workspace.own_texts)
    state = open_state(CompareState, lambda link: CompareState.from_link(link, available, texts))
    state.prune(available, texts)
    st.title("Compare")
    _draw_choices(state, available)
    draw_question(
        CompareState,
        "What changes from one tokenizer to another?",
        "Their tokens, their steps, and what your texts take.",
        "from GLM-4.5 to GLM-5",
        state.compare,
        ("glm-4.5", "glm-5"),
    )
    say_note(state)
    if state.a == state.b:
        show_info("Both are the same tokenizer. Choose another one.")
    else:
        with show_errors():
            _draw_comparison(_open_pair(workspace, state))
    write_link(state)


compare()
