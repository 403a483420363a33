"""What a session has chosen on the page Compression, and the address that says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from pages.measure.compression.charts import ENCODING_PICK, TEXT_PICK
from pages.measure.compression.figures import FIGURES, Measurements
from pages.measure.compression.texts import BUNDLED, DEFAULT, OwnSamples, titles_of
from pages.session.own_texts import PLAYGROUND
from pages.session.workspace import Workspace, first_encodings
from pages.shared.own_texts import own_texts

K = "compression_"
NAMES, FIGURE, BASELINE, TEXTS = K + "encodings", K + "figure", K + "baseline", K + "texts"
ONLY_TEXTS, ONLY_NAMES = K + "only_texts", K + "only_encodings"  # what was picked in the charts
NOTE = K + "note"
DEFAULT_FIGURE, DEFAULT_BASELINE = "bytes_per_token", "gpt2"


def default_encodings(workspace: Workspace) -> list[str]:
    """tiktoken's three and the one that was grown here, as far as they are there."""
    known = workspace.encoding_names()
    first = first_encodings()
    return [name for name in [*first[1:], *first[:1]] if name in known]


def own_samples() -> OwnSamples:
    """What was worked out of this session's own texts."""
    return cast(OwnSamples, st.session_state.setdefault(K + "own_samples", OwnSamples()))


def measurements() -> Measurements:
    """What this session has measured."""
    return cast(Measurements, st.session_state.setdefault(K + "measured", Measurements()))


def seed(workspace: Workspace) -> None:
    """The first time in a session: take what the link says, or the defaults."""
    if K + "seeded" in st.session_state:
        return
    state, link = st.session_state, st.query_params
    state[K + "seeded"] = True
    known = titles_of(workspace.own_texts)
    names, texts = (list(filter(None, link.get_all(key))) for key in ("encoding", "text"))
    state[NAMES] = [n for n in dict.fromkeys(names) if n in workspace.encoding_names()]
    state[TEXTS] = [key for key in dict.fromkeys(texts) if key in known]
    strange = [said for said in names if said not in state[NAMES]] + [t for t in texts if t not in known]
    if strange:
        state[NOTE] = (
            f"This link names what is not here: {', '.join(strange)[:200]}. The rest of it is shown. "
            "(Texts and encodings of one’s own do not travel in a link.)"
        )
    state[NAMES] = state[NAMES] or default_encodings(workspace)
    state[TEXTS] = state[TEXTS] or list(DEFAULT)
    figure, baseline = link.get("figure", ""), link.get("baseline", "")
    state[FIGURE] = figure if figure in FIGURES else DEFAULT_FIGURE
    state[BASELINE] = baseline if baseline in workspace.encoding_names() else DEFAULT_BASELINE
    state[ONLY_TEXTS] = [key for key in link.get_all("only") if key in state[TEXTS]]
    state[ONLY_NAMES] = [name for name in link.get_all("in") if name in state[NAMES]]


def tidy(workspace: Workspace) -> None:
    """Leave out what is gone since: encodings and texts that were removed, picks of what is not shown."""
    state, known, titles = st.session_state, workspace.encoding_names(), titles_of(workspace.own_texts)
    _keep(NAMES, known)
    _keep(TEXTS, list(titles))
    if state.get(BASELINE) not in known:
        state[BASELINE] = DEFAULT_BASELINE
    if state.get(FIGURE) not in FIGURES:
        state[FIGURE] = DEFAULT_FIGURE
    state[ONLY_TEXTS] = [key for key in state[ONLY_TEXTS] if key in state[TEXTS]]
    state[ONLY_NAMES] = [name for name in state[ONLY_NAMES] if name in state[NAMES]]


def _keep(key: str, allowed: Sequence[str]) -> None:
    chosen = st.session_state.get(key) or []
    left = [each for each in chosen if each in allowed]
    if left != chosen or key not in st.session_state:
        st.session_state[key] = left


def write_link(workspace: Workspace) -> None:
    """What is on the page, into the address; what is a person's own stays out of it."""
    state = st.session_state
    wanted: dict[str, list[str]] = {
        "encoding": [name for name in state[NAMES] if name not in workspace.grown],
        "text": [key for key in state[TEXTS] if key in BUNDLED or key == PLAYGROUND],
        "figure": [state[FIGURE]],
        "baseline": [state[BASELINE]],
        "only": [key for key in state[ONLY_TEXTS] if key in BUNDLED or key == PLAYGROUND],
        "in": [name for name in state[ONLY_NAMES] if name not in workspace.grown],
    }
    plain = {
        "encoding": default_encodings(workspace),
        "text": DEFAULT,
        "figure": [DEFAULT_FIGURE],
        "baseline": [DEFAULT_BASELINE],
    }
    wanted = {key: value for key, value in wanted.items() if value and value != plain.get(key)}
    link = st.query_params
    if {key: link.get_all(key) for key in link} != wanted:
        link.from_dict(wanted)


# What is picked in the charts


def chart_name(kind: str) -> str:
    """A chart's widget key: a new one when the picks are taken back, so that it forgets its own."""
    return f"{K}{kind}_{st.session_state.get(K + 'round', 0)}"


def first_picks(kind: str, picks: Sequence[str], shown: object) -> list[str]:
    """What is picked in a chart when the browser draws it.

    A click changes the picks in the browser, which keeps them. It must not change the chart that it is
    sent, or that would be drawn anew after each click. So these are the picks of the moment when what
    it shows last changed for another reason.

    Args:
        kind: of the chart.
        picks: now.
        shown: all else that the chart depends on.
    """
    key = f"{chart_name(kind)}_first"
    kept: tuple[object, list[str]] | None = st.session_state.get(key)
    if kept is None or kept[0] != shown:
        kept = st.session_state[key] = (shown, list(picks))
    return kept[1]


def _picked(kind: str, parameter: str, field: str) -> list[str]:
    """What the browser says is picked in a chart. Whatever is odd in its message is left out."""
    said: Any = st.session_state.get(chart_name(kind) + "_chart")
    try:
        return [str(point[field]) for point in said["selection"][parameter]]
    except (KeyError, TypeError):
        return []


def pick_texts() -> None:
    """Take over which texts are picked in the bars."""
    titles = titles_of(own_texts())
    names = _picked("bars", TEXT_PICK, "text")
    st.session_state[ONLY_TEXTS] = [key for key in st.session_state[TEXTS] if titles.get(key) in names]


def pick_encodings() -> None:
    """Take over which encodings are picked among the lengths."""
    names = _picked("lengths", ENCODING_PICK, "encoding")
    st.session_state[ONLY_NAMES] = [name for name in st.session_state[NAMES] if name in names]


def show_all() -> None:
    """Take all picks back."""
    st.session_state[ONLY_TEXTS], st.session_state[ONLY_NAMES] = [], []
    st.session_state[K + "round"] = st.session_state.get(K + "round", 0) + 1
