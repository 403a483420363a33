"""The types in the editor's scripts have exactly the fields that Python sends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pages.explore.playground.answer import build_answer, mount_data
from pages.session.panels import LIVE_BYTES
from pages.session.workspace import Pin, Workspace
from tests.browser import ROOT


def declared(script: str, name: str) -> dict[str, bool]:
    """The fields of a type in a script of the components, and whether each is always there."""
    text = (ROOT / "assets" / "components" / script).read_text("utf-8")
    [block] = re.findall(rf"@typedef {{object}} {name}\b(.*?)\*/", text, re.DOTALL)
    return {field: not bracket for bracket, field in re.findall(r"@property {.*} (\[?)(\w+)", block)}


def fields_of(sent: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """The fields of what is sent, and whether all of it has each."""
    times = Counter(field for values in sent for field in values)
    return {field: count == len(sent) for field, count in times.items()}


def check_type(script: str, name: str, sent: Sequence[Mapping[str, Any]]) -> None:
    assert declared(script, name) == fields_of(sent), name


def test_the_scripts_declare_what_they_are_sent() -> None:
    """So whoever reads or changes the editor's scripts can trust their types, as a type checker does."""
    encodings = ["gpt2", "mistral-v1", "words", "nope"]
    short = Workspace(text="a 👩‍🚀 the law", encodings=encodings, pin=Pin("gpt2", 2), walls=True)
    long = Workspace(text="a cat " * (LIVE_BYTES // 6 + 1), encodings=["gpt2"])
    slow = Workspace(text="a cat", encodings=["gpt2"])
    slow.panels._seconds["gpt2"] = 1.0
    slow.panels.shares["gpt2"] = 0.5
    described = [build_answer(short, skips_slow=False), build_answer(long, skips_slow=False)]
    described.append(build_answer(slow, skips_slow=True))

    added = dict.fromkeys(["state", "tag", "arrays", "text"])  # by encode_route.py, wire.py and connection.js
    answers = [values | added for values, _ in described]
    check_type("editor/wire.js", "Answer", answers)
    check_type("editor/wire.js", "Page", [answers[1]["page"]])
    check_type("editor/wire.js", "PanelValues", [panel for values in answers for panel in values["panels"]])
    facts = answers[0]["inspector"]
    check_type("editor/inspector.js", "Facts", [facts])
    check_type("editor/inspector.js", "Elsewhere", facts["elsewhere"])

    in_panels = {"stands_for": False}
    of_arrays = [dict.fromkeys(key for name, key in arrays if name == "gpt2") for _, arrays in described[:2]]
    assert declared("common/text_tokens.js", "TokenArrays") == fields_of(of_arrays) | in_panels

    data = mount_data(short)
    check_type("editor/connection.js", "Data", [data | {"url": None}])  # which the page adds
    check_type("editor/chooser.js", "Choice", data["available"])
    check_type("editor/chooser.js", "Absent", data["absent"])
    check_type("editor/shared_state.js", "State", [data["state"]])
    check_type("editor/shared_state.js", "Fields", [data["state"]["fields"]])
    check_type("editor/shared_state.js", "Pin", [data["state"]["fields"]["pin"]])
