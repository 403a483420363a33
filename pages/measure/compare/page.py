"""Measure · Compare: two tokenizers, what differs, and what it means for a text."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.measure.compare import charts, sections
from pages.measure.compare.sections import Pair
from pages.measure.compare.state import EXAMPLE, FIRST, TEXTS, CompareState
from pages.session.samples import titles_of
from pages.session.workspace import Workspace
from pages.shared.charts import on_paper
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import draw_box, escape
from pages.shared.page_files import choose_encoding, draw_add_tokenizer_link
from pages.shared.reports import files_of
from pages.shared.session import get_workspace
from pages.shared.tables import csv_of, file_name, offer_files, offer_more
from pages.shared.widgets import open_state, say_note, show_errors, show_info, write_link
from tokenizers.amounts import shorten
from tokenizers.measure import Comparison, compare_report, frequencies_csv, token_frequencies
from tokenizers.registry import model_name
from tokenizers.text import SAFE_CELLS, encode_file

_LONGEST = 400  # characters of a step


def _open_pair(workspace: Workspace, state: CompareState) -> Pair:
    """What is compared. The workspace keeps the comparison, which is made once.

    Raises:
        ValueError, OSError: one of the two cannot be loaded; says why.
    """
    names = (state.a, state.b)
    models = (model_name(state.a), model_name(state.b))
    called = names if models[0] == models[1] else models  # an encoding of one's own may be named like a model
    a, b = map(workspace.find_encoding, names)
    comparison = workspace.comparison
    if comparison is None or (comparison.a, comparison.b, comparison.called) != (a, b, called):
        comparison = workspace.comparison = Comparison(a, b, called=called)
        state.token = None  # it was of another pair
    hues = dict(zip(called, (hue_in(workspace, name) for name in names), strict=True))
    return Pair(workspace, state, comparison, hues, [each.name for each in (a, b) if each.drops_text])


def _draw_choices(state: CompareState, available: list[str]) -> None:
    """Draw the choosers of A and B, and a button that swaps them."""
    left, middle, right = st.columns([6, 1, 6], vertical_alignment="bottom")
    choose_encoding(left, "From", available, CompareState.a)
    middle.button("⇄", help="Swap them", key="compare_swap", on_click=state.swap)
    choose_encoding(right, "To", available, CompareState.b)
    draw_add_tokenizer_link(right)


def _draw_steps(pair: Pair) -> None:
    """Draw the steps of both side by side, those that differ first."""
    sides = sorted(pair.comparison.sides, key=lambda side: not side.differs)
    cells = [[escape(shorten(text, _LONGEST)) or "–" for text in (side.a, side.b)] for side in sides]
    names = [f"{side.name} ≠" if side.differs else side.name for side in sides]
    # The index has a name, since a header without words cannot be read aloud.
    steps = pd.Index(names, name="step")
    st.table(pd.DataFrame(cells, steps, [*map(escape, pair.hues)]), border="horizontal")
    st.caption(escape(pair.comparison.merges_sentence))


def _draw_command(pair: Pair) -> None:
    """Draw the command that compares the two in a terminal."""
    st.caption("To see this comparison again, keep the page’s URL. In a terminal, with your own files:")
    own = pair.workspace.own_encodings
    names = (each.name for each in pair.comparison.encodings)
    files = (f"{file_name(name)}.json" if name in own else name for name in names)
    command = ["python", "-m", "tokenizers", "compare", *files, "text.txt", "--report", "report.md"]
    draw_box(f"{shlex.join(command)} --fail-on moved,removed,cost:5%", "compare_command")


def _write_files(pair: Pair) -> dict[str, bytes]:
    """The files by name. The report in HTML has the charts as pictures."""
    titles = titles_of(pair.workspace.own_texts)
    texts = {titles[key]: text for key, text in sections.texts_of(pair.workspace.own_texts).items()}
    with on_paper():
        drawn = {
            "Vocabulary": charts.counts_chart(sections.count_tokens(pair), pair.hues),
            "Texts": charts.texts_chart(sections.count_texts(pair, TEXTS), pair.hues, pair.lossy),
        }
    files = files_of("compare-report", compare_report(pair.comparison, texts), drawn)
    tokens = pd.concat(sections.tokens_table(pair, pairs) for pairs in pair.comparison.ordinary)
    for side, encoding in zip(("from", "to"), pair.comparison.encodings, strict=True):
        counts = token_frequencies(encoding, texts.values())
        name = f"frequencies-{side}-{encoding.name}.csv"
        files[name] = encode_file(name, frequencies_csv(encoding, counts))
    return {**files, "compare-tokens.csv": csv_of(tokens)}


def _draw_comparison(pair: Pair) -> None:
    """Draw the answer and the sections."""
    with show_errors():
        sections.draw_texts(pair)

    def offer(label: str, draw: Callable[[Pair], None], icon: str) -> None:
        with show_errors():
            offer_more(label, lambda: draw(pair), pair.state.key(draw.__name__), icon)

    offer("Texts on which tokenizers often differ", sections.draw_hard_texts, ":material/psychology:")
    offer("Round trips, and what a stream shows", sections.draw_round_trips, ":material/sync:")
    if len(sections.templates_of(pair)) == 2:
        offer("A chat in both templates", sections.draw_chat, ":material/chat:")
    st.subheader("Which tokens are new, gone or moved", anchor=False)
    sections.draw_vocabulary(pair)
    about = f"The report is on your texts and the samples, and so are the frequencies of tokens. {SAFE_CELLS}"
    offer_files("Write a report and tables", lambda: _write_files(pair), "compare_files", about)
    st.subheader("How they work", anchor=False)
    _draw_steps(pair)
    _draw_command(pair)


def compare() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    state = open_state(
        CompareState,
        lambda link: CompareState.from_link(link, available, titles_of(workspace.own_texts)),
    )
    state.prune(available)
    st.title("Compare")
    example = EXAMPLE if (state.a, state.b) != EXAMPLE else FIRST
    draw_question(
        CompareState,
        "What changes from one tokenizer to another?",
        "Their tokens, their steps, and what your texts take.",
        " to ".join(map(model_name, example)),
        state.compare,
        example,
    )
    say_note(state)
    _draw_choices(state, available)
    if state.a == state.b:
        show_info("Both are the same tokenizer. Choose another one.")
    else:
        with show_errors():
            _draw_comparison(_open_pair(workspace, state))
    write_link(state)


compare()
