"""Answers on the wire: made of changes, they are those that a browser would get whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages.session.workspace import WELCOME, Pin, Workspace
from pages.shared.reply import build_reply
from pages.shared.wire import Sent, pack
from tests.texts import any_text
from tests.wire import Reply, number_of, read_reply

plain = st.none() | st.booleans() | st.integers(0, 9) | st.text("ab", max_size=3)
arrays = st.lists(st.sampled_from([0, 1, 255, 256, 70_000]), max_size=6).map(np.array)
values = st.recursive(
    plain | arrays | st.lists(plain, max_size=14),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
answers = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)


def as_json(value: Any) -> Any:
    """An answer as the browser sees it. True is told apart from 1."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [as_json(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    return (type(value).__name__, value)


@given(answers, answers)
@example({"a": True}, {"a": {"a": np.array([1])}})
@example({"a": "words"}, {"a": [{"b": np.array([1])}]})
@example({"a": None, "b": [np.array([])]}, {"a": None, "b": [None]})
@example({"a": [1]}, {"a": [True]})
@example({"a": [0] * 40}, {"a": [False] * 40})
@example({"a": [[0]] * 40}, {"a": [[False]] * 40})
@example({"a": [np.array([1, 2])] * 20}, {"a": [[1, 2]] * 20})
def test_any_answer_is_made_of_any_other(old: dict[str, Any], new: dict[str, Any]) -> None:
    held = read_reply(pack(old, 1, None, {}))
    assert as_json(held.header) == as_json(old)
    made = read_reply(pack(new, 2, 1, old), {1: held})
    assert as_json(made.header) == as_json(new)


edits = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 12), any_text)
    | st.sampled_from(["pin", "view", "walls", "panels"]),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@given(edits)
def test_a_persons_edits_are_told_as_changes(steps: list[Any]) -> None:
    workspace = Workspace(encodings=["gpt2", "mistral-v1", "words"])
    sent, held = Sent(), dict[int, Reply]()
    holds = None
    for step in [("", 0, ""), *steps]:
        if step == "pin":
            workspace.pin = Pin("gpt2", 0)
        elif step == "view":
            workspace.view = "ids"
        elif step == "walls":
            workspace.walls = not workspace.walls
        elif step == "panels":
            workspace.encodings = workspace.encodings[::-1][:2]
        elif step[0] != "":
            at, n_gone, text = step
            workspace.set_text(workspace.text[:at] + text + workspace.text[at + n_gone :], by_typing=True)
        answer = build_reply(workspace, knows_revision=1, samples=[])
        packed = sent.pack(answer, holds)
        reply = read_reply(packed, held)
        assert as_json(reply.header) == as_json(answer)
        holds = number_of(packed)
        held[holds] = reply


def test_a_key_takes_few_bytes_and_what_is_not_held_is_sent() -> None:
    workspace = Workspace(encodings=["gpt2", "cl100k_base", "o200k_base"])
    workspace.set_text(20 * WELCOME, by_typing=True)
    sent = Sent()

    def size(holds: object) -> int:
        return len(sent.pack(build_reply(workspace, knows_revision=1, samples=[]), holds))

    whole = size(None)
    workspace.set_text("a" + workspace.text, by_typing=True)
    assert size(1) < whole / 20
    assert size(2) < whole / 20  # the answer that came last
    assert size(1) > whole / 2  # it named another one meanwhile
    forged: list[object] = [None, "2", 2.5, [], 10**30, -1]
    assert all(size(holds) > whole / 2 for holds in forged)
    sent.forget()
    assert size(sent.number) > whole / 2
    assert len(sent.answers) == 1
