"""Measure · Vocabulary size: one text at every vocabulary size, and which size pays for a model."""

from __future__ import annotations

import streamlit as st

from pages.measure.vocabulary_size import charts
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.measure.vocabulary_size.texts import (
    HELD,
    MAX_CURVE_BYTES,
    NONE,
    Text,
    get_text,
    list_texts,
)
from pages.server.run_limit import limited_run
from pages.session.workspace import Workspace
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.curves import curve_of
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.page_files import choose_encoding, choose_encodings
from pages.shared.scrubber import draw_scrubber, why_no_curve
from pages.shared.session import get_workspace
from pages.shared.warnings import warn_of_training
from pages.shared.widgets import open_state, say_note, show_error, show_errors, show_info, tied, write_link
from tokenizers.amounts import share_in_words
from tokenizers.bpe import SizeCurve
from tokenizers.data import LANGUAGE
from tokenizers.measure import (
    MAX_LAYERS,
    MAX_WIDTH,
    PRESETS,
    TRAINING,
    Model,
    SweetSpot,
    cost_per_byte,
    sweet_spot,
)
from tokenizers.registry import model_name, short_title
from tokenizers.text import isolate


def vocabulary_size() -> None:
    """Draw the page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    own_names = list(workspace.own_encodings)
    state = open_state(
        VocabularySizeState,
        lambda link: VocabularySizeState.from_link(link, available, own_names, list_texts(workspace)),
    )
    titles = list_texts(workspace)  # with those of the link
    state.prune(available, own_names, titles)
    st.title("Vocabulary size")
    draw_question(
        VocabularySizeState,
        "What is a larger vocabulary worth?",
        "A smaller vocabulary is the first part of a larger one. So this page knows how many tokens a text "
        "has at every size, as if the tokenizer had stopped learning there.",
        "a Korean text beside an English one",
        state.compare,
        (LANGUAGE + "kor", LANGUAGE + "eng"),
    )
    _draw_choices(state, titles)
    say_note(state)
    texts = _read_texts(workspace, state)
    if texts and not state.encodings:
        show_info("Choose a tokenizer above to see its curve.")
    elif texts:
        lines = _measure(workspace, state.encodings, texts)
        if lines:
            names = list(dict.fromkeys(line.name for line in lines))
            show_chart(
                charts.curve_chart(lines),
                "vocabulary-size",
                charts.curve_table(lines),
                column_config={"bytes per token": "%.3f"},
            )
            _draw_notes(workspace, names, texts)
            _draw_scrubber(workspace, state, texts[0], names[:2])
            _draw_sweet_spot(workspace, state, texts[0], names)
    write_link(state)


def _draw_choices(state: VocabularySizeState, titles: dict[str, str]) -> None:
    """Draw the fields for encodings and texts."""
    encodings, first, second = st.columns([2.6, 1.7, 1.7], vertical_alignment="bottom")
    placeholder = "Choose tokenizers to draw"
    choose_encodings(encodings, "Tokenizers", VocabularySizeState.encodings, placeholder=placeholder)
    first.selectbox(
        "Text",
        list(titles),
        format_func=titles.__getitem__,
        filter_mode="contains",
        help="Type to search: the Universal Declaration of Human Rights is here in 500 languages.",
        **tied(VocabularySizeState.text),
    )
    second.selectbox(
        "A second text, dashed",
        [NONE, *titles],
        format_func=lambda key: titles.get(key, "None"),
        filter_mode="contains",
        help="A tokenizer does best on the kind of text it learned from. Compare it with text that is new to "
        "it.",
        **tied(VocabularySizeState.beside),
    )
    draw_own_texts(
        state.choose_text, f"Of a longer text, this page measures the first {MAX_CURVE_BYTES:,} bytes."
    )


def _read_texts(workspace: Workspace, state: VocabularySizeState) -> list[Text]:
    """The chosen texts, one or two; shows why one is missing."""
    texts = []
    for key in dict.fromkeys((state.text, state.beside)):
        if key == NONE:
            continue
        with show_errors():
            text = get_text(workspace, key)
            if text.parts:
                texts.append(text)
            else:
                show_info(f"{isolate(text.title)} is empty. Choose another text.")
    return texts


def _measure(workspace: Workspace, names: list[str], texts: list[Text]) -> list[charts.Line]:
    """The curve of each encoding on each text; shows why one has none."""
    lines = []
    with st.spinner("Counting at every size …"):
        for name in names:
            with show_errors():
                encoding = workspace.find_encoding(name)
                if problem := why_no_curve(encoding):
                    show_info(problem)
                    continue
                hue = hue_in(workspace, name)
                lines += [
                    charts.Line(name, hue, text.title, text is not texts[0], curve_of(encoding, *text.parts))
                    for text in texts
                ]
    return lines


def _draw_notes(workspace: Workspace, names: list[str], texts: list[Text]) -> None:
    """Draw notes about the texts, and about the encodings that learned from them."""
    st.caption(" ".join(_notes(texts)))
    for name in names:
        # Text held out from an encoding is new to it, though it may not be new to another one. The line style
        # names a text, since its title may also say that an encoding learned from it.
        sources = {
            drawn: text.sources
            for drawn, text in zip(("solid", "dashed"), texts, strict=False)
            if text.key != HELD + name
        }
        warn_of_training(workspace, [name], sources)


def _notes(texts: list[Text]) -> list[str]:
    """Notes about the measured texts."""
    notes = [
        "A size counts the 256 bytes and the merges, without special tokens. A tokenizer that merges "
        "characters starts with all of them."
    ]
    for text in texts:
        if text.all_bytes > MAX_CURVE_BYTES:
            title = escape(isolate(text.title))
            notes.append(f"Of {title}, {text.all_bytes:,} bytes, {text.n_bytes:,} are measured.")
    return notes


@st.fragment
@limited_run()
def _draw_scrubber(workspace: Workspace, state: VocabularySizeState, text: Text, names: list[str]) -> None:
    """Draw the scrubber: the browser cuts a text at any size, in two encodings."""
    st.subheader("Drag the size, and see the tokens change", anchor="drag")
    beginning = "".join(text.parts)
    state.at = draw_scrubber(workspace, "scrubber", text.title, beginning, text.all_bytes, names, state.at)
    write_link(state)


LEFT_OUT = """
**What this leaves out.** It counts the arithmetic of a forward pass and nothing else:

- how well the model predicts: another vocabulary changes the loss, and tokens that are rare in the
  training text are learned badly;
- attention over the context: it grows with the number of tokens, so it favours larger vocabularies;
- memory and its speed, the first embedding (a row is looked up, not computed), norms, biases, positions;
- other texts: the minimum is that of this text.

**Where it is from.** The layers have 12 · layers · width² parameters. Each of them and each score takes 2
operations, and training costs three times as much as running: Kaplan et al., *Scaling Laws for
Neural Language Models* (2020, [arXiv:2001.08361](https://arxiv.org/abs/2001.08361)). Tao et al.,
*Scaling Laws with Vocabulary* (2024, [arXiv:2407.13623](https://arxiv.org/abs/2407.13623)) count in the
same way, but look for the lowest *loss* for a given amount of training. They find that larger models
deserve larger vocabularies than most have. This page looks for the cheapest run, so its answers differ.
"""


@st.fragment
@limited_run()
def _draw_sweet_spot(workspace: Workspace, state: VocabularySizeState, text: Text, names: list[str]) -> None:
    """Draw the sweet spot: inputs, chart, numbers, and what the numbers leave out."""
    st.subheader("The sweet spot", anchor="sweet-spot")
    st.write(
        "With a larger vocabulary, a text has fewer tokens, so the model runs fewer times. But each run ends "
        "with a score for every token of the vocabulary. Somewhere between, a byte of text costs least."
    )
    name = state.model_encoding if state.model_encoding in names else names[0]
    _draw_inputs(state)
    try:
        model = state.model
        curve = curve_of(workspace.find_encoding(name), *text.parts)
        spot = sweet_spot(model, curve)
    except (ValueError, OSError) as error:
        show_error(error)
        return
    left, right = st.columns([7, 4], gap="large")
    with left:
        title = _title(model, name, text, curve, spot)
        show_chart(
            charts.cost_chart(model, curve, spot, hue_in(workspace, name), title=title),
            "sweet-spot",
            charts.cost_table(model, curve, spot),
            column_config={
                "their share": "percent",
                "above the minimum": "percent",
                "bytes per token": "%.3f",
                "operations per byte": "localized",
            },
        )
        st.caption(
            f"Shaded: sizes that cost up to 1% more than the minimum, {spot.from_size:,} to {spot.to_size:,}."
            " The chart may end below the highest costs; the table has all."
        )
        _draw_metrics(model, curve, spot)
    with right:
        st.markdown(LEFT_OUT)
    write_link(state)


def _draw_inputs(state: VocabularySizeState) -> None:
    state.find_preset()
    preset, width, layers, shared, encoding = st.columns([2.6, 1, 1, 1.2, 1.4], vertical_alignment="bottom")
    preset.pills(
        "A model like", list(PRESETS), on_change=state.use_preset, **tied(VocabularySizeState.preset)
    )
    width.number_input(
        "Width",
        step=64,
        # No bounds here: Streamlit would drop a larger value without a message.
        help=f"d_model: how many numbers stand for a token inside the model. Up to {MAX_WIDTH:,}.",
        **tied(VocabularySizeState.width),
    )
    layers.number_input("Layers", step=1, help=f"Up to {MAX_LAYERS:,}.", **tied(VocabularySizeState.layers))
    shared.toggle(
        "Tied",
        help="Embedding and scores share one matrix. That halves the vocabulary’s parameters. The arithmetic "
        "stays the same.",
        **tied(VocabularySizeState.tied),
    )
    choose_encoding(encoding, "Encoding", state.encodings, VocabularySizeState.model_encoding, short_title)


def _title(model: Model, name: str, text: Text, curve: SizeCurve, spot: SweetSpot) -> str:
    known = {preset: other for other, preset in PRESETS.items()}
    like = known.get(model, f"one of width {model.d_model:,} and {model.layers:,} layers")
    title = isolate(text.title)
    if spot.at_the_end:
        return (
            f"For a model like {like}, all {spot.size:,} tokens of {model_name(name)} that {title} can use "
            "are worth it: a larger vocabulary might be better still"
        )
    at_full = float(cost_per_byte(model, curve, [curve.full])[0])
    more = at_full / spot.flops_per_byte - 1
    return (
        f"A model like {like} reads {title} at the lowest cost with the first {spot.size:,} tokens of "
        f"{model_name(name)}: all {curve.full:,} cost {share_in_words(more)} more"
    )


def _draw_metrics(model: Model, curve: SizeCurve, spot: SweetSpot) -> None:
    parameters = model.layer_parameters + model.vocabulary_parameters(spot.size)
    share = f"{model.vocabulary_share(spot.size):.0%}"
    at_full = f"With all {curve.full:,} tokens: {model.vocabulary_share(curve.full):.0%}."
    with st.container(horizontal=True, gap="medium"):
        for label, amount in (
            ("Fewest operations per byte", spot.flops_per_byte),
            ("… in training", TRAINING * spot.flops_per_byte),
            ("Parameters with it", parameters),
        ):
            st.metric(label, amount, format="compact", width="content")
        st.metric("In the vocabulary", share, help=at_full, width="content")


vocabulary_size()
