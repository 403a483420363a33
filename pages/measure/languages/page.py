"""Measure · Languages: what the same text costs in 494 translations, in any encoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.measure.languages import charts
from pages.measure.languages.measurements import (
    MAX_TEXTS,
    MAX_TRANSLATION_BYTES,
    comparable_texts,
    count_own,
    counts_of,
    label_of,
    make_table,
)
from pages.measure.languages.sections import (
    METHOD,
    draw_answer,
    draw_charts,
    draw_parts,
)
from pages.measure.languages.state import BASE, FOCUS, MAX_ENCODINGS, LanguagesState
from pages.session.own_texts import is_own_key
from pages.session.workspace import Workspace
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_messages, draw_own_texts_inside, own_texts
from pages.shared.page_files import choose_encodings
from pages.shared.session import get_workspace
from pages.shared.tables import offer_more, show_table
from pages.shared.warnings import loss_warnings, lossy_encodings, training_warnings
from pages.shared.widgets import (
    messages,
    open_state,
    say_note,
    show_errors,
    show_info,
    show_warning,
    tied,
    write_link,
)
from tokenizers.amounts import bytes_in_words
from tokenizers.data import (
    LANGUAGE,
    ParallelText,
    code_of_tag,
    language_titles,
    list_languages,
    list_left_out,
    list_parallel,
)
from tokenizers.encoding import Encoding


def languages() -> None:
    """Draw the page."""
    workspace = get_workspace()
    texts = {text.code: text for text in list_parallel()}
    available = workspace.encoding_names()
    own_names = list(workspace.own_encodings)
    state = open_state(
        LanguagesState,
        lambda link: LanguagesState.from_link(
            link, list(texts.values()), available, own_names, _language_of_the_browser()
        ),
    )
    state.let_go(LanguagesState.own_chosen, own_texts())
    own, problems = comparable_texts(state.own_chosen, own_texts())
    drawn_own = own if len(own) > 1 else {}  # one alone is compared with nothing
    state.prune({**texts, **drawn_own}, available, own_names)
    _draw_languages(texts, drawn_own)
    draw_question(
        LanguagesState,
        "What does a language cost?",
        "One text, the Universal Declaration of Human Rights, takes more tokens in some languages than in "
        "others. If you pay by the token, you pay more.",
        "Hindi",
        state.look_at,
        ("hin",),
    )
    say_note(state)
    (chooser,) = st.columns(1)
    choose_encodings(
        chooser,
        "Tokenizers",
        LanguagesState.encodings,
        max_selections=MAX_ENCODINGS,
        placeholder="Choose tokenizers to compare",
    )
    encodings, counted = _count(workspace, state, list(drawn_own.values()))
    if counted:
        write_link(state)
        _draw_values(workspace, state, encodings, counted, texts, drawn_own)
    elif not state.encodings:
        show_info("Choose a tokenizer above to see its numbers.")
    _draw_own(state, problems)
    if counted:
        _draw_method(texts)


def _language_of_the_browser() -> str:
    """The language that is selected at first: the browser's, unless that is the one it is compared with."""
    code = code_of_tag(st.context.locale or "")
    return code if code and code != BASE else FOCUS


def _draw_languages(texts: Mapping[str, ParallelText], own: Mapping[str, ParallelText]) -> None:
    """Draw the title, and the choosers of the two languages."""
    title, language, base = st.columns([1.4, 1, 1], vertical_alignment="bottom")
    title.title("Languages")
    by_name = [code for code in language_titles() if code in texts]
    everything = {**texts, **own}

    def named(code: str) -> str:
        return label_of(code, everything[code].name)

    language.selectbox(
        "Language",
        [*own, *by_name],
        format_func=named,
        help=f"{len(texts)} translations of one text; some languages have several: Chinese has 14. Type an "
        "English name, an own name or a code (ISO 639-3) to find one: German, Deutsch, deu.",
        **tied(LanguagesState.focus),
    )
    base.selectbox("Compared with", by_name, format_func=named, **tied(LanguagesState.base))


# Counting


def _count(
    workspace: Workspace, state: LanguagesState, own: Sequence[ParallelText]
) -> tuple[dict[str, Encoding], dict[str, dict[str, int]]]:
    """The chosen encodings, and their counts; counts what is not counted yet."""
    encodings = {}
    counted = {}
    with st.spinner("Counting the tokens of each translation: a moment, once."):
        for name in state.encodings:
            with show_errors():
                encoding = workspace.find_encoding(name)
                counted[name] = {**counts_of(encoding), **count_own(encoding, own)}
                encodings[name] = encoding
    return encodings, counted


# The answer


def _draw_values(
    workspace: Workspace,
    state: LanguagesState,
    encodings: Mapping[str, Encoding],
    counted: Mapping[str, Mapping[str, int]],
    texts: Mapping[str, ParallelText],
    own: Mapping[str, ParallelText],
) -> None:
    """Draw the answer and the charts."""
    names = list(counted)
    focus = {**texts, **own}[state.focus]
    own_base = next(iter(own.values()), None)
    base = own_base if own_base and state.focus in own else texts[state.base]
    table = make_table(list(texts.values()), counted, state.base, list(own.values()))
    lossy = lossy_encodings(workspace, names)
    data = charts.ChartData(
        table,
        names,
        [hue_in(workspace, name) for name in names],
        names.index(state.lead) if state.lead in names else 0,
        state.focus,
        texts[state.base].name,
        own_base.name if own_base else "",
        lossy,
    )
    said = draw_answer(workspace, data, encodings, focus, base)
    compared = {
        text.name: [text.code if is_own_key(text.code) else LANGUAGE + text.code] for text in (focus, base)
    }
    warnings = [*training_warnings(workspace, names, compared), *loss_warnings(lossy)]
    said += warnings
    for sentence in warnings:
        st.caption(escape(sentence))
    with show_errors():
        draw_parts(state, data, encodings, focus, base)
    draw_charts(state, data, said)


# A person's own parallel texts


def _draw_own(state: LanguagesState, problems: Sequence[str]) -> None:
    """Draw the fields to choose, add and remove own parallel texts."""
    own = own_texts()
    draw_messages()
    with messages():
        for problem in problems:
            show_warning(problem)

    def draw() -> None:
        st.caption(
            "Add the same text in two or more languages. They are compared with the first one, and appear in "
            "the charts."
        )
        st.multiselect(
            "Your texts to compare",
            list(own),
            format_func=lambda key: own[key].title if key in own else str(key),
            placeholder="Choose your texts, or add some below",
            **tied(LanguagesState.own_chosen),
        )
        limits = f"up to {MAX_TEXTS} of them, each of up to {bytes_in_words(MAX_TRANSLATION_BYTES)}"
        draw_own_texts_inside(state.choose_own, f"This page compares {limits}.")

    offer_more("Your own parallel texts", draw, "languages_own_box", ":material/translate:")


# Method


def _draw_method(texts: Mapping[str, ParallelText]) -> None:
    """Draw the method: what is compared, and what is left out."""
    out = list_left_out()

    def draw() -> None:
        st.markdown("\n\n".join(METHOD))
        table = pd.DataFrame(
            [(language_titles()[language.code], language.code, reason) for language, reason in out],
            columns=["left out", "code", "why"],
        )
        show_table(table, "languages_left_out", height=260)

    offer_more(
        f"What is compared: {len(texts)} of {len(list_languages())} translations",
        draw,
        "languages_method",
        ":material/rule:",
    )


languages()
