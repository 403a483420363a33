"""What encodings took that a session has removed goes back to the machine."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from pages.session.workspace import Workspace
from pages.shared.reply import build_reply
from tokenizers.formats import read_any

STATM = Path("/proc/self/statm")


@pytest.fixture(autouse=True)
def nothing_of_other_tests_is_looked_at() -> None:
    """As in the app, which freezes what it has loaded at its start: each giving back collects garbage."""
    gc.collect()
    gc.freeze()


def pages_in_memory() -> int:
    return int(STATM.read_text().split()[1])


def big_file(number: int) -> bytes:
    pieces = [["<unk>", 0.0], *([f"▁w{piece}of{number}", -1.0] for piece in range(20_000))]
    model = {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": pieces}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model}).encode()


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is told by Linux alone")
def test_memory_of_removed_encodings_is_given_back() -> None:
    space = Workspace()
    space.add_grown(read_any(big_file(0), "first"))
    space.remove_grown("first")  # what is loaded once stays
    before = pages_in_memory()
    for number in range(4):
        space.add_grown(read_any(big_file(number), f"brought {number}"))
    held = pages_in_memory()
    for name in list(space.grown):
        space.remove_grown(name)
    assert held - before > 5_000 and pages_in_memory() - before < (held - before) / 3


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is told by Linux alone")
def test_memory_of_a_long_text_that_was_replaced_is_given_back() -> None:
    """Ten texts of 5 MB took 1.6 GB, and 1.4 GB stayed when short ones had taken their places."""
    text = "the cat and the hat " * 100_000
    spaces = [Workspace(encodings=["gpt2", "cl100k_base"]) for _ in range(4)]

    def open_everywhere(text: str) -> None:
        for space in spaces:
            space.take(text)
            build_reply(space, knows_revision=None, samples=[])

    open_everywhere(text)
    open_everywhere("short")  # what is loaded once stays
    open_everywhere("another that is short")
    before = pages_in_memory()
    open_everywhere(text)
    held = pages_in_memory()
    open_everywhere("short")
    assert held - before > 20_000 and pages_in_memory() - before < (held - before) / 3
