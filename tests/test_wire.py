"""An answer is the same whether the browser holds an earlier one or not, and a key takes few bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.explore.playground.encode_route import respond
from pages.session.workspace import WELCOME, Workspace
from tests.texts import any_text
from tests.wire import Reply, packed, read_reply
from tokenizers.json_types import JsonObject

SETTINGS = """
{"pin": {"encoding": "gpt2", "start": 0}}
{"view": "ids"}
{"walls": true}
{"walls": false}
{"encodings": ["words", "mistral-v1"]}
{"encodings": ["mistral-v1", "words"]}
""".strip().splitlines()
edits = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 12), any_text) | st.sampled_from(SETTINGS),
    min_size=1,
    max_size=6,
)


def without_number(reply: Reply) -> JsonObject:
    return {key: value for key, value in reply.header.items() if key not in ("tag", "arrays", "state")}


@pytest.mark.slow
@given(edits)
def test_an_answer_does_not_depend_on_what_is_remembered(steps: list[Any]) -> None:
    state: JsonObject = {"text": WELCOME, "encodings": ["gpt2", "mistral-v1", "words"], "pin": None}
    for name in state["encodings"]:
        tk.get_encoding(name)  # until it is loaded, its panel is counting
    workspace, held = Workspace(), Reply({"tag": None})
    for step in [(0, 0, ""), *steps]:
        if isinstance(step, str):
            state |= json.loads(step)
        else:
            at, n_gone, text = step
            state["text"] = state["text"][:at] + text + state["text"][at + n_gone :]
        workspace.panels._seconds.clear()  # a busy machine makes no panel slow
        held = read_reply(respond(workspace, {**state, "holds": held.header["tag"]}), held)
        stranger = Workspace()  # nothing is remembered of its session
        respond(stranger, state)
        assert without_number(held) == without_number(packed(stranger))


def test_a_key_takes_few_bytes_and_what_is_not_held_is_sent() -> None:
    workspace = Workspace(encodings=["gpt2", "cl100k_base", "o200k_base"])
    packed(workspace)

    def size(text: str, holds: object) -> int:
        fields = {**workspace.state, "text": text}
        versions = dict.fromkeys(fields, workspace.versions.next_of_browser())
        return len(respond(workspace, {**fields, "versions": versions, "holds": holds}))

    whole = size(text := 20 * WELCOME, None)
    assert size("a" + text, workspace.sent.tag) < whole / 20
    forged: list[object] = [None, "2", 2.5, [], 10**30, -1, workspace.sent.tag - 1]
    assert all(size(text, holds) > whole / 2 for holds in forged)
