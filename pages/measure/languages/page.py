"""Measure · Languages: what the same text costs in 494 translations, in any encoding."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from pages.measure.languages.answer import draw_answer
from pages.measure.languages.chart_section import draw_charts
from pages.measure.languages.names import count_language_codes, label_of, names_of
from pages.measure.languages.own import ParallelTexts, draw_own, get_own
from pages.measure.languages.sizes import draw_sizes, with_smaller_vocabularies
from pages.measure.languages.state import CHARTS, MAX_ENCODINGS, LanguagesState
from pages.measure.languages.table import make_table, make_table_once
from pages.measure.languages.token_counts import LanguageCount, counting_of
from pages.session.own_texts import is_own_key
from pages.session.workspace import Workspace
from pages.shared.bring_link import draw_bring_link
from pages.shared.charts import selection_of
from pages.shared.fragments import fragment, press_button
from pages.shared.learned import say_learned
from pages.shared.losses import lossy_among, say_losses
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.tables import offer_more, show_table
from pages.shared.widgets import open_state, say_note, tied, write_link
from tokenizers.data import (
    LANGUAGE,
    RULE,
    ParallelText,
    language_titles,
    list_languages,
    list_left_out,
    list_parallel,
)
from tokenizers.encoding import Encoding

PATIENCE = 0.6  # seconds in which a counting may end before its progress is shown


def languages() -> None:
    """Draw the page."""
    workspace = get_workspace()
    try:
        texts = {text.code: text for text in list_parallel()}
    except (ValueError, OSError) as problem:
        st.title("Languages")
        st.error(plain(str(problem)), icon=":material/error:")
        return
    available, grown = workspace.encoding_names(), list(workspace.grown)
    state = open_state(
        LanguagesState, lambda link: LanguagesState.from_link(link, list(texts.values()), available, grown)
    )
    own = get_own(state)
    everything = {**texts, **(own.texts if len(own.texts) > 1 else {})}
    state.prune(everything, available, grown)
    state.take_clicks(everything, {chart: selection_of(chart) for chart in CHARTS})
    ask(workspace, texts, everything)
    draw_question(
        LanguagesState,
        "What does a language cost?",
        "The same text takes more tokens in some languages than in others, and whoever pays by the token "
        "pays more.",
        "Hindi",
        state.look_at,
        ("hin",),
    )
    say_note(state)
    encodings, counted = count(workspace, state, own)
    if not counted:
        if not state.encodings:
            st.info("Choose an encoding above, and its figures are drawn here.", icon=":material/info:")
        draw_own(state, own)
        return
    names = list(counted)
    state.prune_counted(names)
    write_link(state)
    focus = everything[state.focus]
    own_base = state.own_base or ""
    base = own.texts[own_base] if state.focus in own.texts else texts[state.base]
    yours = list(own.texts.values()) if len(own.texts) > 1 else []
    declarations = list(texts.values())
    table = (
        make_table(declarations, counted, state.base, yours, own_base)
        if yours
        else make_table_once(declarations, counted, state.base)
    )
    smaller = with_smaller_vocabularies(state, encodings, focus, base)
    lossy = lossy_among(workspace, names)
    draw_answer(workspace, state, table, names, focus, base, smaller, lossy)
    compared = {
        text.name: [text.code if is_own_key(text.code) else LANGUAGE + text.code] for text in (focus, base)
    }
    say_learned(workspace, names, compared)
    say_losses(lossy)
    own_name = own.texts[own_base].name if yours else ""
    draw_charts(workspace, state, table, names, texts[state.base].name, own_name, lossy)
    draw_sizes(state, smaller, focus, base)
    draw_own(state, own)
    draw_method(texts)


def ask(
    workspace: Workspace, texts: Mapping[str, ParallelText], everything: Mapping[str, ParallelText]
) -> None:
    """The title, and the fields that decide what is compared."""
    title, language, base, encodings = st.columns([1.1, 1.25, 1.1, 3.2], vertical_alignment="bottom")
    title.title("Languages")
    by_name = [code for code in language_titles() if code in texts]
    focusable = [code for code in everything if code not in texts] + by_name

    def named(code: str) -> str:
        return label_of(code, everything[code].name)

    language.selectbox(
        "Language",
        focusable,
        format_func=named,
        help=f"{len(texts)} translations of one text, with {count_language_codes(texts)} language codes "
        "(ISO 639-3): of some languages there are several, of Chinese 14. Type to find one by its English "
        "name, its own name, or its code: German, Deutsch, deu.",
        **tied(LanguagesState.focus),
    )
    base.selectbox("Compared with", by_name, format_func=named, **tied(LanguagesState.base))
    available = workspace.encoding_names()
    encodings.multiselect(
        "Encodings",
        available,
        max_selections=MAX_ENCODINGS,
        placeholder="Choose encodings to compare",
        **tied(LanguagesState.encodings),
    )
    draw_bring_link(encodings)


# LanguageCount


def count(
    workspace: Workspace, state: LanguagesState, own: ParallelTexts
) -> tuple[dict[str, Encoding], dict[str, dict[str, int]]]:
    """The chosen encodings that are counted, and the counts; what goes on or went wrong is said."""
    encodings: dict[str, Encoding] = {}
    counted: dict[str, dict[str, int]] = {}
    going: dict[str, tuple[Encoding, LanguageCount]] = {}
    for name in state.encodings:
        try:
            encoding = workspace.encoding(name)
            counting = counting_of(encoding)
            if not counting.is_over:
                counting.wait(PATIENCE)
            if counting.state == "done":
                mine = own.count(encoding) if len(own.texts) > 1 else {}
                counted[name], encodings[name] = {**counting.counts, **mine}, encoding
            elif counting.state == "failed":
                st.error(plain(counting.problem), icon=":material/error:")
            else:
                going[name] = encoding, counting
        except (ValueError, OSError) as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    if going:
        moving = any(not counting.is_over for _, counting in going.values())
        fragment(draw_going, run_every=0.4 if moving else None)(going)
    return encodings, counted


def draw_going(going: dict[str, tuple[Encoding, LanguageCount]]) -> None:
    """How far the counting is; once one is done, the whole page is drawn anew."""
    for name, (encoding, counting) in going.items():
        progress, button = st.columns([5, 1], vertical_alignment="center")
        done = f"{len(counting.counts):,} of {counting.total:,} translations"
        if counting.state in ("done", "failed"):
            st.rerun()
        elif counting.is_over:
            why = f" ({plain(counting.problem)})" if counting.problem else ""
            progress.progress(counting.share, text=f"{plain(name)}: stopped after {done}{why}")
            key = LanguagesState.key(f"go_on_{name}")
            if press_button("Go on", key=key, place=button, width="stretch"):
                counting.go_on(encoding)
                st.rerun()
        else:
            progress.progress(counting.share, text=f"Counting {plain(name)}: {done}")
            key = LanguagesState.key(f"stop_{name}")
            if press_button("Stop", key=key, place=button, width="stretch"):
                counting.stop()
                st.rerun()


# Method


def draw_method(texts: Mapping[str, ParallelText]) -> None:
    """What is compared, and what is not."""
    out = list_left_out()

    def draw() -> None:
        st.markdown(
            "The text is the Universal Declaration of Human Rights. A language’s **premium** is its tokens "
            "divided by the tokens of the language that it is compared with, for the whole declaration "
            "([Petrov et al. 2023](https://arxiv.org/abs/2305.15425); what that costs: "
            "[Ahia et al. 2023](https://arxiv.org/abs/2305.13707)). " + RULE
        )
        st.markdown(
            f"A language may have several translations: {_several(texts)}. Each has a dot and a bar of its "
            "own, and “of all” counts translations."
        )
        st.markdown(
            "Even complete texts differ a little: a translation may run clauses together, explain more, or "
            "repeat a heading, so do not rely on the last few per cent of a premium."
        )
        table = pd.DataFrame(
            [(language_titles()[language.code], language.code, reason) for language, reason in out],
            columns=["left out", "code", "why"],
        )
        show_table(table, LanguagesState.key("left_out"), height=260)

    offer_more(
        f"What is compared: {len(texts)} of {len(list_languages())} translations, with "
        f"{count_language_codes(texts)} language codes",
        draw,
        LanguagesState.key("method"),
        ":material/rule:",
    )


def _several(texts: Mapping[str, ParallelText]) -> str:
    """The languages with the most translations, in words; all that is Chinese together."""
    groups: dict[str, list[str]] = {}
    for code, text in texts.items():
        iso = names_of(code).iso
        if iso:
            chinese = "zho" in names_of(code).codes
            groups.setdefault("zho" if chinese else iso, []).append("Chinese" if chinese else text.name)
    largest = sorted(groups.values(), key=len, reverse=True)[:5]
    return ", ".join(f"{plain(names[0].split(' (')[0])} {len(names)}" for names in largest)


languages()
