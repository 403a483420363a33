"""Measure · Vocabulary size: one text at every vocabulary size, and which size pays for a model."""

from __future__ import annotations

import streamlit as st

from pages.measure.vocabulary_size import charts as charts
from pages.measure.vocabulary_size.cost import draw_sweet_spot
from pages.measure.vocabulary_size.scrub import draw_scrubber
from pages.measure.vocabulary_size.state import BESIDE, TEXT, VocabularySizeState
from pages.measure.vocabulary_size.texts import (
    HELD,
    MAX_BYTES,
    NONE,
    Text,
    can_drag,
    curve_of,
    get_text,
    list_texts,
    why_no_curve,
    why_no_drag,
)
from pages.session.catalogue import LEARNED, begin
from pages.session.workspace import Workspace
from pages.shared.bring_link import draw_bring_link
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.fragments import fragment
from pages.shared.learned import say_learned
from pages.shared.own_texts import draw_own_texts
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.widgets import open_state, say_note, tied, write_link
from tokenizers.data import LANGUAGE


def vocabulary_size() -> None:
    """The page."""
    workspace = get_workspace()
    titles = list_texts(workspace)
    available, grown = workspace.encoding_names(), list(workspace.grown)
    state = open_state(
        VocabularySizeState, lambda link: VocabularySizeState.from_link(link, available, grown, titles)
    )
    state.prune(available, grown, titles)
    st.title("Vocabulary size")
    draw_question(
        VocabularySizeState,
        "What is a larger vocabulary worth?",
        "Every smaller vocabulary is the beginning of a larger one. So the page can say exactly how many "
        "tokens a text has at every size, as if the encoding had stopped learning there.",
        "a Korean text beside an English one",
        state.compare,
        (LANGUAGE + "kor", LANGUAGE + "eng"),
    )
    _draw_choices(workspace, state, titles)
    names = state.encodings
    say_note(state)
    texts = _read_texts(workspace, state)
    if names and texts:
        _draw_curve(workspace, names, texts)
    elif texts:
        st.info("Choose an encoding above, and its curve is drawn here.", icon=":material/info:")
    if texts:
        _draw_scrubber(workspace, state, texts)
        draw_sweet_spot(workspace, state, texts[0])
    write_link(state)


def _draw_choices(workspace: Workspace, state: VocabularySizeState, titles: dict[str, str]) -> None:
    """Encodings and texts."""

    def title(key: str) -> str:
        name = "nothing" if key == NONE else titles.get(key, key)
        return begin(key, name)

    encodings, first, second = st.columns([2.6, 1.7, 1.7], vertical_alignment="bottom")
    encodings.multiselect(
        "Encodings",
        workspace.encoding_names(),
        placeholder="Choose encodings to draw",
        **tied(VocabularySizeState.encodings),
    )
    draw_bring_link(encodings)
    first.selectbox(
        "Text",
        list(titles),
        format_func=title,
        help="Type to search: the declaration of human rights is here in 500 languages.",
        **tied(VocabularySizeState.text),
    )
    second.selectbox(
        "Beside it, dashed",
        [NONE, *titles],
        format_func=title,
        help="An encoding does best on the kind of text that it learned from. Set that beside text that is "
        "new to it.",
        **tied(VocabularySizeState.beside),
    )
    draw_own_texts(state.choose_text, f"Of a longer text, this page measures the first {MAX_BYTES:,} bytes.")


def _read_texts(workspace: Workspace, state: VocabularySizeState) -> list[Text]:
    """The chosen texts, one or two; without any, says why."""
    texts: list[Text] = []
    for key in (state.text, state.beside):
        if key == NONE or any(text.key == key for text in texts):
            continue
        try:
            text = get_text(workspace, key)
        except (ValueError, OSError) as problem:
            st.error(plain(str(problem)), icon=":material/error:")
            continue
        if text.text:
            texts.append(text)
        else:
            st.info(plain(f"{text.title} is empty. Choose another text."), icon=":material/info:")
    return texts


def _draw_curve(workspace: Workspace, names: list[str], texts: list[Text]) -> None:
    lines: list[charts.Line] = []
    with st.spinner("Counting at every size …", show_time=False):
        for name in names:
            for text in texts:
                try:
                    encoding = workspace.encoding(name)
                    why_none = why_no_curve(encoding)
                    if why_none:
                        st.info(plain(why_none), icon=":material/info:")
                        break
                    curve = curve_of(encoding, text)
                except (ValueError, OSError) as problem:
                    st.error(plain(str(problem)), icon=":material/error:")
                    break
                second = text is not texts[0]
                lines.append(charts.Line(name, hue_in(workspace, name), text.title, second, curve))
    if not lines:
        return
    table = charts.curve_table(lines)
    curves = charts.curve_chart(lines)
    show_chart(
        curves,
        "vocabulary-size",
        table,
        alt_text=f"{curves.title.text}. Bytes per token against vocabulary size.",
        column_config={"bytes per token": st.column_config.NumberColumn(format="%.3f")},
    )
    of_pieces = [line.name for line in lines if workspace.encoding(line.name).joining is not None]
    notes = _notes(texts)
    if of_pieces:
        notes.append(_note_of_pieces(list(dict.fromkeys(of_pieces))))
    st.caption(" ".join(notes))
    for name in names:
        # What was held out from an encoding is new to it, though it may not be to another one. A text is
        # called as it is drawn: its title may say that an encoding learned from it, too.
        sources = {
            drawn: text.sources
            for drawn, text in zip(("solid", "dashed"), texts, strict=False)
            if text.key != HELD + name
        }
        say_learned(workspace, [name], sources)


def _note_of_pieces(names: list[str]) -> str:
    """What to know of the curves of encodings whose merges are of characters."""
    one, listed = plain(names[0]), plain(f"{', '.join(names[:-1])} and {names[-1]}")
    counted = (
        f"The curve of {one} counts its bytes, its characters and its best tokens. It starts"
        if len(names) == 1
        else f"The curves of {listed} count their bytes, characters and best tokens. They start"
    )
    return (
        f"{counted} with all characters. Where tokens of several spaces share the worst score, they appear "
        "together at the end."
    )


def _notes(texts: list[Text]) -> list[str]:
    """What a reader of the curve has to know of the texts."""
    notes = [
        "Sizes are the 256 bytes and the merges, without special tokens; tiktoken’s encodings are cut to "
        "their first ranks."
    ]
    for text in texts:
        if text.is_cut:
            mixed = " of each source" if text.key.startswith((LEARNED, HELD)) else ""
            notes.append(
                f"Of {plain(text.title)}, {text.all_bytes:,} bytes, {text.n_bytes:,} are measured: the "
                f"beginning{mixed}."
            )
    return notes


def _say_why_no_drag(workspace: Workspace, name: str) -> None:
    try:
        st.info(plain(why_no_drag(workspace.encoding(name)) or ""), icon=":material/info:")
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")


@fragment
def _draw_scrubber(workspace: Workspace, state: VocabularySizeState, texts: list[Text]) -> None:
    is_there = can_drag(workspace, state.left) or can_drag(workspace, state.right)
    if is_there:
        st.subheader("Drag it", anchor="drag")
    available = workspace.encoding_names()
    left, right, which = st.columns([1, 1, 1.4], vertical_alignment="bottom")
    names = [
        left.selectbox("One encoding", available, **tied(VocabularySizeState.left)),
        right.selectbox("Another", available, **tied(VocabularySizeState.right)),
    ]
    chosen = texts[0]
    if len(texts) > 1:
        # The fields' names, not the texts' titles: what an open choice shows does not follow other fields.
        which.segmented_control(
            "Text to cut",
            [TEXT, BESIDE],
            format_func={TEXT: "Text", BESIDE: "Beside it, dashed"}.__getitem__,
            required=True,
            **tied(VocabularySizeState.dragged_text),
        )
        chosen = texts[state.dragged_text == BESIDE]
    names = list(dict.fromkeys(names))
    if is_there:
        state.at = draw_scrubber(workspace, chosen, names, state.at)
    else:
        for name in names:
            _say_why_no_drag(workspace, name)
    write_link(state)


vocabulary_size()
