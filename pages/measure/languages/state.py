"""What is asked for on the page Languages: from the address, from its fields, from clicks in its charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.measure.languages.shown import pick_name
from pages.session.own_texts import is_own_key
from pages.session.workspace import DEFAULT_ENCODINGS, Workspace, first_encodings
from tokenizers.data import ParallelText

K = "languages_"
"""Before every key of the page."""

MAX_ENCODINGS = 6
FOCUS, BASE = "mya", "eng"
ANY_SCRIPT = "any script"
CHARTS = ("languages_bars", "languages_map", "languages_scripts", "languages_scatter")
"""The names of the charts in which a click chooses a language."""

_state: Any = st.session_state


def default_encodings() -> list[str]:
    """gpt2, cl100k_base, o200k_base, and one that was grown here."""
    return DEFAULT_ENCODINGS + [name for name in first_encodings() if name not in DEFAULT_ENCODINGS]


def seed(workspace: Workspace, texts: Sequence[ParallelText]) -> None:
    """The first time in a session: what the link says, or the defaults."""
    if K + "seeded" in _state:
        return
    _state[K + "seeded"] = True
    _state[K + "known"] = list(workspace.grown)
    link = st.query_params
    codes = {text.code for text in texts}
    notes = []
    for key, default in (("focus", FOCUS), ("base", BASE)):
        wanted = link.get(key, default)
        if wanted not in codes:
            notes.append(f"This link asks for a language that is not compared here, {wanted[:40]!r}.")
            wanted = default
        _state[K + key] = wanted
    wanted_names = [name for name in link.get("encodings", "").split(",") if name]
    missing = [name for name in wanted_names if name not in workspace.encoding_names()]
    if missing:
        notes.append(f"This link names an encoding that is not here: {', '.join(missing)[:100]}.")
    names = [name for name in dict.fromkeys(wanted_names) if name not in missing][:MAX_ENCODINGS]
    _state[K + "encodings"] = names or default_encodings() + list(workspace.grown)[-2:]
    _state[K + "lead"] = link.get("lead", "")
    _state[K + "query"] = link.get("query", "")[:200]
    script = link.get("script", "")
    _state[K + "script"] = script if any(text.script == script for text in texts) else ANY_SCRIPT
    _state[K + "view"], _state[K + "size"] = "around", "half"
    _state[K + "note"] = " ".join(notes)


def write_link() -> None:
    """What is on the page, into the address; defaults are left out, and a person's own texts."""
    names, focus = _state[K + "encodings"], _state[K + "focus"]
    now = {
        "focus": "" if focus == FOCUS or is_own_key(focus) else focus,
        "base": _state[K + "base"] if _state[K + "base"] != BASE else "",
        "encodings": ",".join(names) if names != default_encodings() else "",
        "lead": _state[K + "lead"] if names and _state[K + "lead"] != names[0] else "",
        "query": (_state.get(K + "query") or "")[:200],
        "script": _state[K + "script"] if _state[K + "script"] != ANY_SCRIPT else "",
    }
    wanted = {key: value for key, value in now.items() if value}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def keep_up(workspace: Workspace, codes: Sequence[str]) -> None:
    """Take what was grown since into the choice, and leave out what is gone."""
    names = workspace.encoding_names()
    chosen = [name for name in _state.get(K + "encodings", []) if name in names]
    for name in workspace.grown:
        if name not in _state[K + "known"] and name not in chosen:
            chosen = [*chosen[: MAX_ENCODINGS - 1], name]
    _state[K + "known"] = list(workspace.grown)
    _state[K + "encodings"] = chosen
    for key, default in (("focus", FOCUS), ("base", BASE)):
        if _state.get(K + key) not in codes:
            _state[K + key] = default
    if _state.get(K + "script") is None:
        _state[K + "script"] = ANY_SCRIPT


def take_clicks(codes: Sequence[str]) -> None:
    """Look at the language that was clicked, and keep the area that was drawn in the scatter."""
    focus = _state[K + "focus"]
    for chart in CHARTS:
        selection = _selection(chart)
        picked = selection.get(pick_name(focus))
        if isinstance(picked, list) and picked and isinstance(picked[-1], dict):
            code = picked[-1].get("code")
            if code in codes and code != focus:
                _state[K + "focus"] = code
                return
    area = _selection("languages_scatter").get(brush_name())
    before = _state.get(K + "area_seen")
    if area != before:
        _state[K + "area_seen"] = area
        if area or before:
            _state[K + "area"] = (_state.get(K + "axes"), area) if area else None


def _selection(chart: str) -> dict[str, Any]:
    told = _state.get(f"{chart}_chart")
    selection = told.get("selection") if told is not None else None
    return dict(selection) if selection else {}


def brush_name() -> str:
    """The name of the scatter's area; a new one once the area was given up."""
    return f"area_{_state.get(K + 'areas', 0)}"


def area_of() -> tuple[tuple[int, int], dict[str, list[float]]] | None:
    """The axes and the bounds of the area that was drawn in the scatter, if there is one."""
    kept = _state.get(K + "area")
    if not kept or not kept[0] or kept[0] != _state.get(K + "axes"):
        return None
    axes, area = kept
    ok = isinstance(area, dict) and all(
        isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(b, int | float) for b in bounds)
        for bounds in area.values()
    )
    return (axes, area) if ok else None


def give_up_area() -> None:
    """Forget the area."""
    _state[K + "area"] = _state[K + "area_seen"] = None
    _state[K + "areas"] = _state.get(K + "areas", 0) + 1
