"""Measure · Vocabulary size: one text at every vocabulary size, and which size pays for a model."""

from __future__ import annotations

import streamlit as st

from pages.measure.vocabulary_size import charts
from pages.measure.vocabulary_size.state import BESIDE, TEXT, VocabularySizeState
from pages.measure.vocabulary_size.texts import (
    HELD,
    MAX_BYTES,
    NONE,
    Text,
    curve_of,
    draw_scrubber,
    get_text,
    list_texts,
    problem_with,
    why_no_curve,
)
from pages.server.run_limit import limited_run
from pages.session.catalogue import LEARNED, begin
from pages.session.workspace import Workspace
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.page_files import choose_encodings
from pages.shared.session import get_workspace
from pages.shared.warnings import warn_of_training
from pages.shared.widgets import open_state, say_note, segments, show_error, show_info, tied, write_link
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


def vocabulary_size() -> None:
    """Draw the page."""
    workspace = get_workspace()
    titles = list_texts(workspace)
    available, trained = workspace.encoding_names(), list(workspace.trained)
    state = open_state(
        VocabularySizeState, lambda link: VocabularySizeState.from_link(link, available, trained, titles)
    )
    state.prune(available, trained, titles)
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
        show_info("Choose an encoding above, and its curve is drawn here.")
    if texts:
        _draw_scrubber(workspace, state, texts)
        draw_sweet_spot(workspace, state, texts[0])
    write_link(state)


def _draw_choices(workspace: Workspace, state: VocabularySizeState, titles: dict[str, str]) -> None:
    """Draw the fields for encodings and texts."""

    def title(key: str) -> str:
        name = "nothing" if key == NONE else titles.get(key, key)
        return begin(key, name)

    encodings, first, second = st.columns([2.6, 1.7, 1.7], vertical_alignment="bottom")
    placeholder = "Choose encodings to draw"
    choose_encodings(encodings, "Encodings", VocabularySizeState.encodings, placeholder=placeholder)
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
    """The chosen texts, one or two; shows why one is missing."""
    texts: list[Text] = []
    for key in (state.text, state.beside):
        if key == NONE or any(text.key == key for text in texts):
            continue
        try:
            text = get_text(workspace, key)
        except (ValueError, OSError) as problem:
            show_error(problem)
            continue
        if text.text:
            texts.append(text)
        else:
            show_info(f"{text.title} is empty. Choose another text.")
    return texts


def _draw_curve(workspace: Workspace, names: list[str], texts: list[Text]) -> None:
    """Draw the curve of each encoding on each text, with notes."""
    lines: list[charts.Line] = []
    with st.spinner("Counting at every size …", show_time=False):
        for name in names:
            try:
                encoding = workspace.encoding(name)
                if problem := why_no_curve(encoding):
                    show_info(problem)
                    continue
                drawn = [(text, curve_of(encoding, text)) for text in texts]
            except (ValueError, OSError) as problem:
                show_error(problem)
                continue
            hue = hue_in(workspace, name)
            lines += [
                charts.Line(name, hue, text.title, text is not texts[0], curve) for text, curve in drawn
            ]
    if not lines:
        return
    curves = charts.curve_chart(lines)
    show_chart(
        curves,
        "vocabulary-size",
        charts.curve_table(lines),
        alt_text=f"{curves.title}. Bytes per token against vocabulary size.",
        column_config={"bytes per token": "%.3f"},
    )
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
        "Sizes are the 256 bytes and the merges, without special tokens; tiktoken’s encodings are cut to "
        "their first ranks, and the curve of an encoding that merges characters starts with all of them."
    ]
    for text in texts:
        if text.is_cut:
            mixed = " of each source" if text.key.startswith((LEARNED, HELD)) else ""
            notes.append(
                f"Of {escape(text.title)}, {text.all_bytes:,} bytes, {text.n_bytes:,} are measured: the "
                f"beginning{mixed}."
            )
    return notes


@st.fragment
@limited_run()
def _draw_scrubber(workspace: Workspace, state: VocabularySizeState, texts: list[Text]) -> None:
    """Draw the scrubber: the browser cuts a text at any size, in two encodings."""
    problems = [problem_with(workspace, name, dragged=True) for name in (state.left, state.right)]
    is_there = not all(problems)
    if is_there:
        st.subheader("Drag it", anchor="drag")
    available = workspace.encoding_names()
    left, right, which = st.columns([1, 1, 1.4], vertical_alignment="bottom")
    left.selectbox("One encoding", available, **tied(VocabularySizeState.left))
    right.selectbox("Another", available, **tied(VocabularySizeState.right))
    chosen = texts[0]
    if len(texts) > 1:
        # The labels of the fields, not the titles: an open chooser does not follow other fields.
        fields = {TEXT: "Text", BESIDE: "Beside it, dashed"}
        segments(which, "Text to cut", fields, VocabularySizeState.dragged_text)
        chosen = texts[state.dragged_text == BESIDE]
    if is_there:
        names = list(dict.fromkeys((state.left, state.right)))
        state.at = draw_scrubber(workspace, chosen, names, state.at)
    else:
        for problem in dict.fromkeys(problems):
            show_info(problem)
    write_link(state)


LEFT_OUT = """
**What this leaves out.** It counts arithmetic, forward, and nothing else:

- how well the model predicts. Another vocabulary changes the loss, and tokens that are rare in the
  training text are learned badly;
- attention over the context, which grows with its length in tokens, so it favours larger vocabularies;
- memory and its speed, the first embedding (a row is looked up, not computed), norms, biases, positions;
- other texts: the least is that of the text measured.

**Where it is from.** 12 · layers · width² parameters in the layers, 2 operations for each of them and
for each score, and training at three times the cost of running: Kaplan et al., *Scaling Laws for
Neural Language Models* (2020, [arXiv:2001.08361](https://arxiv.org/abs/2001.08361)). Tao et al.,
*Scaling Laws with Vocabulary* (2024, [arXiv:2407.13623](https://arxiv.org/abs/2407.13623)) count alike,
but look for the lowest *loss* for so much training, and find that larger models deserve larger
vocabularies than most have. This page asks for the cheapest run, so it is no forecast of theirs.
"""


@st.fragment
@limited_run()
def draw_sweet_spot(workspace: Workspace, state: VocabularySizeState, text: Text) -> None:
    """Draw the sweet spot: inputs, chart, numbers, and what the numbers leave out."""
    name = state.model_encoding
    problem = problem_with(workspace, name)
    if not problem:
        st.subheader("The sweet spot", anchor="sweet-spot")
        st.write(
            "More tokens make a text shorter, so the model runs fewer times. But every run ends with a score "
            "for each token of the vocabulary. Somewhere between, a byte of text costs least."
        )
    _draw_inputs(workspace, state)
    if problem:
        show_info(problem)
        return
    try:
        model = state.model
        curve = curve_of(workspace.encoding(name), text)
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
            alt_text=f"{title}. Operations per byte against vocabulary size.",
            column_config={
                "their share": "percent",
                "more than the least": "percent",
                "bytes per token": "%.3f",
                "operations per byte": "localized",
            },
        )
        most = float(cost_per_byte(model, curve, [curve.smallest, curve.full]).max())
        is_clipped = most > charts.MOST_TIMES * spot.flops_per_byte
        st.caption(
            f"Shaded: the sizes around it that cost up to 1% more than the least, {spot.from_size:,} to "
            f"{spot.to_size:,}."
            + (f" Costs of more than {charts.MOST_TIMES} times the least are cut off." if is_clipped else "")
        )
        _draw_metrics(model, curve, spot)
    with right:
        st.markdown(LEFT_OUT)
    write_link(state)


def _draw_inputs(workspace: Workspace, state: VocabularySizeState) -> None:
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
        help="Whether embedding and scores share one matrix. It halves the vocabulary’s parameters, and "
        "changes nothing in the arithmetic.",
        **tied(VocabularySizeState.tied),
    )
    encoding.selectbox("Encoding", workspace.encoding_names(), **tied(VocabularySizeState.model_encoding))


def _title(model: Model, name: str, text: Text, curve: SizeCurve, spot: SweetSpot) -> str:
    known = {preset: other for other, preset in PRESETS.items()}
    model_name = known.get(model, f"A model of width {model.d_model:,} and {model.layers:,} layers")
    if spot.at_the_end:
        return (
            f"{model_name} reads {text.title} cheapest with all {spot.size:,} tokens of {name} that the text "
            "has a use for: a larger vocabulary might pay still"
        )
    at_full = float(cost_per_byte(model, curve, [curve.full])[0])
    more = at_full / spot.flops_per_byte - 1
    return (
        f"{model_name} reads {text.title} cheapest with the first {spot.size:,} tokens of {name}: all "
        f"{curve.full:,} cost {share_in_words(more)} more"
    )


def _draw_metrics(model: Model, curve: SizeCurve, spot: SweetSpot) -> None:
    cost, training, parameters, share = st.columns(4)
    cost.metric("Operations per byte, least", charts.in_flops(spot.flops_per_byte))
    training.metric("… in training", charts.in_flops(TRAINING * spot.flops_per_byte))
    parameters.metric(
        "Parameters with it",
        charts.in_flops(model.layer_parameters + model.vocabulary_parameters(spot.size)),
    )
    share.metric(
        "Of them in the vocabulary",
        f"{model.vocabulary_share(spot.size):.0%}",
        help=f"With all {curve.full:,} tokens: {model.vocabulary_share(curve.full):.0%}.",
    )


vocabulary_size()
