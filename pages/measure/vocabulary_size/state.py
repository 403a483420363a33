"""What is chosen on the page Vocabulary size: kept for the session, and in the address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import streamlit as st

from pages.measure.vocabulary_size.texts import DEFAULT_TEXT, LEARNED, NONE
from pages.session.own_texts import PLAYGROUND, is_own_key
from pages.session.workspace import DEFAULT_ENCODINGS, Workspace, first_encodings
from tokenizers.data import list_models
from tokenizers.measure import MAX_LAYERS, MAX_WIDTH, PRESETS

K = "size_"
"""Before the key of every widget and value of the page."""

DEFAULT_SIZE = 2000
_PRESET = next(iter(PRESETS.values()))


def _defaults() -> dict[str, str]:
    """Of everything that an address can hold, what it is without being said."""
    grown = list_models()[0]
    return {
        "encodings": ",".join(first_encodings()),
        "text": DEFAULT_TEXT,
        "beside": LEARNED + grown,
        "left": "cl100k_base",
        "right": grown,
        "at": str(DEFAULT_SIZE),
        "for": "o200k_base",
        "width": str(_PRESET.d_model),
        "layers": str(_PRESET.layers),
        "tied": "yes",
    }


def seed(workspace: Workspace, titles: Collection[str]) -> None:
    """The first time in a session: take what the address says, or the defaults."""
    state = st.session_state
    if K + "seeded" in state:
        return
    state[K + "seeded"] = True
    defaults, link = _defaults(), st.query_params.to_dict()
    values = {key: link.get(key, value) for key, value in defaults.items()}
    available = workspace.encoding_names()
    missing: list[str] = []

    def known(key: str, name: str) -> str:
        if name in available:
            return name
        missing.append(name)
        return defaults[key]

    asked = [name for name in values["encodings"].split(",") if name]
    state[K + "encodings"] = [name for name in dict.fromkeys(asked) if name in available]
    missing += [name for name in asked if name not in available]
    for key in ("left", "right", "for"):
        state[K + key] = known(key, values[key])
    for key, others in (("text", ()), ("beside", (NONE,))):
        state[K + key] = values[key] if values[key] in titles or values[key] in others else defaults[key]
        if values[key] and state[K + key] != values[key]:
            missing.append(values[key])
    state[K + "at"] = _number(values["at"], DEFAULT_SIZE, 256, 1 << 22)
    state[K + "width"] = _number(values["width"], _PRESET.d_model, 1, MAX_WIDTH)
    state[K + "layers"] = _number(values["layers"], _PRESET.layers, 1, MAX_LAYERS)
    state[K + "tied"] = values["tied"] != "no"
    state[K + "cut"] = "text"
    if missing:
        names = ", ".join(name[:40] for name in dict.fromkeys(missing))
        state[K + "note"] = (
            f"This link names what is not here: {names}. The rest of it is shown. (Texts and encodings of "
            "one’s own do not travel in a link.)"
        )


def _number(said: str, otherwise: int, low: int, high: int) -> int:
    return (
        min(max(int(said), low), high) if said.isascii() and said.isdigit() and len(said) < 10 else otherwise
    )


def settle(available: list[str], titles: Collection[str]) -> None:
    """Before the widgets are drawn: let go of encodings and texts that are no longer there."""
    state, defaults = st.session_state, _defaults()
    state[K + "encodings"] = [name for name in state[K + "encodings"] if name in available]
    for key in ("left", "right", "for"):
        if state[K + key] not in available:
            state[K + key] = defaults[key] if defaults[key] in available else DEFAULT_ENCODINGS[0]
    for key in ("text", "beside"):
        if state[K + key] not in titles and not (key == "beside" and state[K + key] == NONE):
            state[K + key] = defaults[key]


def write_link(workspace: Workspace) -> None:
    """What is on the page, into the address. A person's own text, and own encodings, are left out."""
    state = st.session_state
    own = set(workspace.grown)
    now: dict[str, Any] = {
        "encodings": ",".join(name for name in state[K + "encodings"] if name not in own),
        "tied": "yes" if state[K + "tied"] else "no",
    }
    for key in ("text", "beside", "left", "right", "at", "for", "width", "layers"):
        now[key] = str(state[K + key])
    defaults = _defaults()
    wanted = {
        key: value
        for key, value in now.items()
        if value not in own | {defaults[key]}
        and value.partition(":")[2] not in own
        and (value == PLAYGROUND or not is_own_key(value))
    }
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
