"""The sweet spot: which vocabulary size costs a model of a given width the least."""

from __future__ import annotations

import streamlit as st

from pages.measure.vocabulary_size import charts
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.measure.vocabulary_size.texts import Text, curve_of, problem_with
from pages.server.run_limit import limited_run
from pages.session.workspace import Workspace
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.widgets import show_error, show_info, tied, write_link
from tokenizers.amounts import share_in_words
from tokenizers.bpe import SizeCurve
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
    """Inputs, chart, numbers, and what the numbers leave out."""
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
        percent = st.column_config.NumberColumn(format="percent")
        show_chart(
            charts.cost_chart(model, curve, spot, hue_in(workspace, name), title=title),
            "sweet-spot",
            charts.cost_table(model, curve, spot),
            alt_text=f"{title}. Operations per byte against vocabulary size.",
            column_config={
                "their share": percent,
                "more than the least": percent,
                "bytes per token": st.column_config.NumberColumn(format="%.3f"),
                "operations per byte": st.column_config.NumberColumn(format="localized"),
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
        # No bounds here: Streamlit drops what is beyond them without a word, and we say what is wrong.
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
